/* Controls: an attack that cannot win a case of known outcome proves nothing by losing others. */
#pragma once

#include "core/plugin/plugin.h"

/* Plays the control of an attack or an auditor with @settings (its struct); of an attack, on the
 * case that it makes, which depends on @seed and the settings alone. The share that is won is, in
 * the game
 *   reconstruct  that of the secrets whose estimate is within the control's relative error; where
 *                the release is of mixtures, whose secrets an attack can only find in an order and
 *                with signs of its own, after estimates and secrets were matched, those of largest
 *                absolute correlation first, and up to the sign
 *   link         that of the released items with partners whose first candidate is one of them
 *   pair         the area under the ROC curve of the scores against "the pair shares a secret"
 *   infer        that of the secrets whose value has the largest score
 *   member       the area under the ROC curve of the scores against "it was released"
 * and of an auditor that of the known epsilon which it certifies. */
gboolean assay_control_play (const AssayPlugin *plugin, const AssaySettings *settings, guint64 seed,
                             AssayControlOutcome *ret_outcome, GError **error);

static inline gboolean
assay_control_run (const AssayAttack *attack, const AssaySettings *settings, guint64 seed,
                   AssayControlOutcome *ret_outcome, GError **error)
{
  return assay_control_play (&attack->plugin, settings, seed, ret_outcome, error);
}

/* Runs @attack on what it may see and checks what it returns: the one way in which an attack is
 * ever called. ASSAY_ERROR_MISMATCH unless the guess holds what the game asks for, candidates are
 * distinct public rows, and pairs are of two released items. */
gboolean assay_attack_run (const AssayAttack *attack, const AssayAttackContext *context,
                           const AssayObservation *seen, AssayGuess *ret_guess, GError **error);

/* The share of items whose first candidate is one of the case's `partners`. */
void assay_control_judge_candidates (const AssayControlCase *control_case, const AssayGuess *guess,
                                     AssayControlOutcome *ret_outcome);
/* What a guess is worth that gives scores: in the game pair the area under the ROC curve, by the
 * case's `sources`; in infer, member, cross and edge by its truth. */
gboolean assay_control_judge_scores (AssayGame game, const AssayControlCase *control_case,
                                     const AssayGuess *guess, AssayControlOutcome *ret_outcome,
                                     GError **error);
