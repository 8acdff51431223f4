/* How many weights two users have in common, found behind permutations. The unit is a step and two
 * users; all of a release share its users, and are one group. */
#include <math.h>

#include "core/data/kinds/updates.h"
#include "core/games/guesses/weights.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

enum { EXACT, ERROR, UNIT, N_SERIES };

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayView updates = assay_array_view (assay_arrays_get (&truth->arrays, "updates"));
  const AssayArray *overlaps = assay_arrays_get (&guess->arrays, "support-overlaps");
  const gsize users = assay_weights_users (truth, context->release);
  const gsize steps = assay_updates_steps (context->release);
  const double number = metric_number_of_sum (context->release, steps - 1);
  gsize n = 0;

  if (users < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "of one user there are no overlaps");
  if (!assay_outcomes_alloc (ret_outcomes, N_SERIES, steps * users * (users - 1) / 2, error))
    return FALSE;
  for (gsize t = 0; t < steps; t++)
    for (gsize u = 0; u < users; u++)
      for (gsize v = u + 1; v < users; v++, n++) {
        const double common
            = (double) assay_weights_in_common (updates, t * users + u, t * users + v);
        const double off
            = fabs ((double) assay_array_int64 (overlaps)[(t * users + u) * users + v] - common);

        ret_outcomes->series[EXACT][n] = off == 0;
        ret_outcomes->series[ERROR][n] = MIN (off / MAX (common, 1), 1);
        ret_outcomes->series[UNIT][n] = number;
      }
  return TRUE;
}

UPDATES_METRIC (overlap_recovery, "overlap-recovery",
  .summary = "How many weights two users have in common, found despite permutations",
  .reference = { ASSAY_PAPER_DPHE, "section 2.4; the measures are ours" },
  .reads_guess = ASSAY_ARRAY_NAMES ("support-overlaps"),
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (EXACT, "overlap-exact-rate", RATE, 0, 1, "share of pairs",
                   "Pairs of users for which the number of weights, other than 0, that both have "
                   "in a step is found exactly",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (ERROR, "overlap-error", MEAN, 0, 1, "share of the overlap",
                   "Relative error of that number, at most 1")));
