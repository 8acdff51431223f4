/* Which attacks and utilities fit which defenses: what they read, and the mechanism that some play
 * with. */
#pragma once

#include "runner/plan/plan.h"

/* NULL, or why @attack cannot be played against @defense: it reads no such release, or needs a
 * mechanism, a dataset with canaries, a density. */
char *assay_fit_why_not (const AssayComponent *defense, const AssayComponent *attack);
/* The same of a utility. */
char *assay_fit_why_no_use (const AssayComponent *defense, const AssayComponent *utility);

/* What releases grant beside the dataset (set of AssayGrant): images that secrets were mixed into
 * come in groups, by the secret that each was made for, whatever the dataset is. */
guint assay_fit_releases_offer (const AssayPlan *plan);

/* What an attack finds must be right or wrong by what is known: who was mixed in is known of
 * mixtures, but whose record a public row is must be known of the dataset, and so must what its
 * rows are asked about; and whoever is asked whether a record was released needs records that were
 * not. ASSAY_ERROR_MISMATCH otherwise. */
gboolean assay_fit_check_answer (const AssayPlan *plan, const AssayComponent *attack,
                                 const AssayProbe *probe, GError **error);

/* The mechanism of a cell whose attack plays with it, with the delta under audit. */
AssayOracle assay_plan_oracle (const AssayPlan *plan, const AssayCell *cell);

/* Of such a cell ASSAY_ERROR_PARAMETER where the attack asks for a delta and the defense claims
 * none, ASSAY_ERROR_MISMATCH where it asks for more canaries than the defense has room for. */
gboolean assay_fit_check_audit (const AssayPlan *plan, const AssayCell *cell, GError **error);

/* Whether guesses in @game may hold what the metric reads. */
gboolean assay_fit_measures (const AssayMetric *metric, AssayGame game);
/* Whether an attack of @plan may write all that the metric reads of a guess: arrays that some
 * attacks have for themselves are written by these, or by programs of others; the rest by all. */
gboolean assay_fit_is_answered (const AssayPlan *plan, const AssayMetric *metric);
