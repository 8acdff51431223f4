/* How well the weights of an update that are not 0, its support, are told from the others: the area
 * under the ROC curve over all updates, 0.5 by chance. The unit is a column of samples, as in
 * weight-recovery. */
#include <string.h>

#include "core/data/kinds/updates.h"
#include "core/games/guesses/score-roc.h"
#include "core/games/guesses/weights.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

enum { AREA, N_SERIES };

static gboolean
is_of_one_kind (const AssaySupportScores *scores)
{
  return memchr (scores->is_held, !scores->is_held[0], scores->n) == NULL;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayView updates = assay_array_view (assay_arrays_get (&truth->arrays, "updates"));
  const gsize width = assay_updates_width (context->release);
  const gsize users = assay_weights_users (truth, context->release);
  g_auto (AssaySupportScores) scores = { 0 };
  g_autofree double *influence = NULL;
  double area;

  if (!assay_support_scores_init (
          updates, users, assay_arrays_get (&guess->arrays, "support-scores"), &scores, error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, width, error))
    return FALSE;
  /* Without sparsity there is no support to be told from other weights. */
  if (is_of_one_kind (&scores)) {
    metric_leave_out (ret_outcomes, AREA, AREA + 1,
                      "%s weights of the updates are 0: there are no supports to tell",
                      scores.is_held[0] ? "none of the" : "all");
    return TRUE;
  }
  influence = assay_alloc (scores.n, sizeof *influence, "scores of supports", error);
  if (influence == NULL
      || !assay_roc_area (&(AssayRoc){ scores.scores, 1, scores.is_held, scores.n }, &area,
                          influence, error))
    return FALSE;
  for (gsize j = 0; j < width; j++)
    ret_outcomes->series[AREA][j] = area;
  for (gsize i = 0; i < scores.n; i++)
    ret_outcomes->series[AREA][i % updates.cols % width]
        += influence[i] * (double) width / (double) scores.n;
  return TRUE;
}

UPDATES_METRIC (support_recovery, "support-recovery",
  .summary = "Which weights of users are not 0, found from what a federation released",
  .reference = { ASSAY_PAPER_DPHE, "section 2.4; the measure is ours" },
  .reads_guess = ASSAY_ARRAY_NAMES ("support-scores"),
  .repeats_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (AREA, "support-auc", MEAN, 0, 1, "area under the ROC curve",
                   "Probability that a weight in an update scores above one that is not in it",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE)));
