/* How much of the permutation that users of doubly permuted homomorphic encryption share was found:
 * of the weights that anybody held while it was in use, those whose row is known. The unit is a
 * column of samples, as in weight-recovery. */
#include "core/data/kinds/updates.h"
#include "core/games/guesses/weights.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

enum { MATCHED, N_SERIES };

/* Whether an update of steps @first to @end - 1 has the weight. */
static gboolean
is_held (AssayView updates, gsize users, gsize first, gsize end, gsize weight)
{
  for (gsize row = first * users; row < end * users; row++)
    if (assay_view_row (updates, row)[weight] != 0)
      return TRUE;
  return FALSE;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayView updates = assay_array_view (assay_arrays_get (&truth->arrays, "updates"));
  const AssayArray *found = assay_arrays_get (&guess->arrays, "rows-of-weights");
  const AssayArray *shared = assay_arrays_get (&context->release->arrays, "permutations");
  const gsize users = assay_weights_users (truth, context->release);
  const gsize steps = assay_updates_steps (context->release), p = updates.cols;
  const gsize width = assay_updates_width (context->release);
  g_autofree double *right = g_new0 (double, width);
  g_autofree double *all = g_new0 (double, width);

  if (found->shape[1] != p || steps % found->shape[0] != 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "rows-of-weights are %zu x %zu; expected rows of %zu, for all %zu steps "
                       "together or each",
                       found->shape[0], found->shape[1], p, steps);
  for (gsize r = 0; r < found->shape[0]; r++) {
    const gsize each = steps / found->shape[0], first = r * each;
    const gint64 *rows = assay_array_int64 (found) + r * p;
    const gint64 *phi = shared != NULL
                            ? assay_array_int64 (shared) + MIN (first, shared->shape[0] - 1) * p
                            : NULL;

    for (gsize i = 0; i < p; i++)
      if (is_held (updates, users, first, first + each, i)) {
        right[i % width] += rows[i] == (phi != NULL ? phi[i] : (gint64) i);
        all[i % width]++;
      }
  }
  if (!assay_outcomes_alloc (ret_outcomes, N_SERIES, width, error))
    return FALSE;
  if (!metric_take_ratio (right, all, width, ret_outcomes->series[MATCHED]))
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "all weights of all updates are 0");
  return TRUE;
}

UPDATES_METRIC (permutation_recovery, "permutation-recovery",
  .summary = "The permutation that users share, found from the rows of their updates",
  .reference = { ASSAY_PAPER_DPHE, "algorithm 1 and lemma 7; the measure is ours" },
  .reads_guess = ASSAY_ARRAY_NAMES ("rows-of-weights"),
  .repeats_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (MATCHED, "phi-matched", MEAN, 0, 1, "share of weights",
                   "Weights that any user held for which the row under the shared permutation is "
                   "found",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE)));
