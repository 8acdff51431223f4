/* Which weights each user's updates have, told from those that they have not: the area under the
 * ROC curve user by user, over all steps, as theorem 8 of DPHE speaks of a user's non-zero indices.
 * The units are those of user-recovery. */
#include "core/data/kinds/updates.h"
#include "core/games/guesses/score-roc.h"
#include "core/games/guesses/weights.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

enum { AREA, UNIT, N_SERIES };

/* The scores of one user's updates, T x P; 0.5 where it holds all weights or none. */
static gboolean
area_of (const AssaySupportScores *scores, AssayView updates, gsize users, gsize user,
         double *ret_area, GError **error)
{
  const gsize n = updates.rows / users * updates.cols;
  g_autofree float *of = assay_alloc (n, sizeof *of, "scores of supports", error);
  g_autofree guint8 *is_held = assay_alloc (n, 1, "supports", error);
  gsize held = 0;

  if (of == NULL || is_held == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const gsize from = (i / updates.cols * users + user) * updates.cols + i % updates.cols;

    of[i] = scores->scores[from];
    is_held[i] = scores->is_held[from];
    held += is_held[i];
  }
  *ret_area = 0.5;
  return held == 0 || held == n
         || assay_roc_area (&(AssayRoc){ of, 1, is_held, n }, ret_area, NULL, error);
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayView updates = assay_array_view (assay_arrays_get (&truth->arrays, "updates"));
  const gsize users = assay_weights_users (truth, context->release);
  const double number
      = metric_number_of_sum (context->release, assay_updates_steps (context->release) - 1);
  g_auto (AssaySupportScores) scores = { 0 };

  if (!assay_support_scores_init (
          updates, users, assay_arrays_get (&guess->arrays, "support-scores"), &scores, error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, users, error))
    return FALSE;
  for (gsize u = 0; u < users; u++) {
    if (!area_of (&scores, updates, users, u, &ret_outcomes->series[AREA][u], error))
      return FALSE;
    ret_outcomes->series[UNIT][u] = number;
  }
  return TRUE;
}

UPDATES_METRIC (user_supports, "user-supports",
  .summary = "Which weights of each user are not 0, found from what a federation released",
  .reference = { ASSAY_PAPER_DPHE, "theorem 8; the measure is ours" },
  .reads_guess = ASSAY_ARRAY_NAMES ("support-scores"),
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (AREA, "user-support-auc", MEAN, 0, 1, "area under the ROC curve",
                   "Probability that a weight in a user's update scores above one that is not; "
                   "mean over users",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE)));
