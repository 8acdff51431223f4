/* What a guess may say of the weights that users of a federation sent, in place of samples: claims,
 * "in step t user n sent the value v of weight w" (arrays `weight-claims`, c x 3: step, user or -1
 * for "one of them", weight; and `claimed-values`, c), or how much it rather is that a weight
 * of an update is not 0 (array `support-scores`, (T or T N) x P: the same for all users, or of
 * each), or how many such weights two users have in common (array `support-overlaps`, T x N N, of
 * user u and v in column u N + v; of u = v how many it has). */
#pragma once

#include "core/plugin/attack.h"

/* The numbers of a claim. */
typedef enum {
  ASSAY_CLAIM_STEP,
  ASSAY_CLAIM_USER,
  ASSAY_CLAIM_WEIGHT,
  ASSAY_CLAIM_NUMBERS,
} AssayWeightClaim;

/* Whether the guess is of weights. */
gboolean assay_guess_is_of_weights (const AssayGuess *guess);

/* Whether claim number @index is of @user, or of nobody by name, and the user sent that value,
 * other than 0 and up to a relative 1e-5. @updates: T N x P. */
gboolean assay_weight_claim_is_of (AssayView updates, gsize users, const AssayGuess *guess,
                                   gsize index, gsize user);
/* ... of any user: whether it is right. */
gboolean assay_weight_claim_is_right (AssayView updates, gsize users, const AssayGuess *guess,
                                      gsize index);

/* How many weights the updates @a and @b of @updates have both. */
gsize assay_weights_in_common (AssayView updates, gsize a, gsize b);

/* Users of a federation of which the truth holds the `updates`, by the steps of the release. */
gsize assay_weights_users (const AssayTruth *truth, const AssayRelease *release);

/* Where scores and supports of all updates stand, one by one, for AssayRoc. Free both. */
typedef struct {
  gsize n;
  float *scores;
  guint8 *is_held;
} AssaySupportScores;

ASSAY_DECLARE_CLEAR (AssaySupportScores, assay_support_scores_clear)

/* Number i is of the update i / P (step by step, user by user) and the weight i % P. */
gboolean assay_support_scores_init (AssayView updates, gsize users, const AssayArray *scores,
                                    AssaySupportScores *ret_scores, GError **error);

/* ---- For the one way in which attacks are called ---- */

gboolean assay_weights_check (const AssayObservation *seen, const AssayGuess *guess,
                              GError **error);
/* A share of right claims, the area under the ROC curve of the scores, or the share of pairs of
 * users whose overlap is right. */
gboolean assay_weights_judge (const AssayControlCase *control_case, const AssayGuess *guess,
                              AssayControlOutcome *ret_outcome, GError **error);
