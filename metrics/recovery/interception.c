/* How much of the permutations of single users was found, by a user who intercepts their messages:
 * of the weights that a user held, those of which it is known in which row of its messages they
 * stand. Of the first user, whose messages are the interceptor's own, nothing counts. The unit is a
 * column of samples, as in weight-recovery. */
#include "core/data/kinds/updates.h"
#include "core/games/guesses/weights.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

enum { MATCHED, N_SERIES };

static gboolean
is_held (AssayView updates, gsize users, gsize user, gsize weight)
{
  for (gsize row = user; row < updates.rows; row += users)
    if (assay_view_row (updates, row)[weight] != 0)
      return TRUE;
  return FALSE;
}

/* Where weight @i stands in what @user sends in the first step. */
static gint64
row_of (const AssayRelease *release, gsize user, gsize i)
{
  const AssayArray *shared = assay_arrays_get (&release->arrays, "permutations");
  const AssayArray *own = assay_arrays_get (&release->arrays, "own-permutations");
  const gint64 row = shared != NULL ? assay_array_int64 (shared)[i] : (gint64) i;

  return own != NULL ? assay_array_int64 (own)[user * own->shape[1] + (gsize) row] : row;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayView updates = assay_array_view (assay_arrays_get (&truth->arrays, "updates"));
  const AssayArray *found = assay_arrays_get (&guess->arrays, "rows-of-users");
  const gsize users = assay_weights_users (truth, context->release), p = updates.cols;
  const gsize width = assay_updates_width (context->release);
  g_autofree double *right = g_new0 (double, width);
  g_autofree double *all = g_new0 (double, width);

  if (found->shape[0] != users || found->shape[1] != p)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "rows-of-users are %zu x %zu; expected %zu x %zu, of each user and weight",
                       found->shape[0], found->shape[1], users, p);
  for (gsize u = 1; u < users; u++)
    for (gsize i = 0; i < p; i++)
      if (is_held (updates, users, u, i)) {
        right[i % width] += assay_array_int64 (found)[u * p + i] == row_of (context->release, u, i);
        all[i % width]++;
      }
  if (!assay_outcomes_alloc (ret_outcomes, N_SERIES, width, error))
    return FALSE;
  if (!metric_take_ratio (right, all, width, ret_outcomes->series[MATCHED]))
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "no other user has a weight that is not 0");
  return TRUE;
}

UPDATES_METRIC (interception, "interception",
  .summary = "Permutations of single users, found from the rows of their messages",
  .reference = { ASSAY_PAPER_DPHE, "algorithm 1; the measure is ours" },
  .reads_guess = ASSAY_ARRAY_NAMES ("rows-of-users", "support-scores"),
  .repeats_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (MATCHED, "user-phi-matched", MEAN, 0, 1, "share of weights",
                   "Weights of another user for which the row in its messages is found",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE)));
