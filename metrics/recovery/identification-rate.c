/* Share of secrets that their estimate points at: the nearest of the private descriptors to d^ is d
 * itself. The private descriptors are those of the cell. Secrets that are equal to the bit cannot
 * be told apart and count for each other. */
#include <string.h>

#include "core/plugin/plugin.h"
#include "core/search/knn.h"
#include "metrics/recovery/errors.h"

static gboolean
measure (G_GNUC_UNUSED const AssayMetricContext *context, const AssayTruth *truth,
         const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error)
{
  AssayView secrets, estimates;
  g_autoptr (AssayNearest) nearest = NULL;

  if (!metric_pair (truth, guess, &secrets, &estimates, error))
    return FALSE;
  nearest = assay_knn_search (secrets, estimates, 1, error);
  if (nearest == NULL || !assay_outcomes_alloc (ret_outcomes, 1, secrets.rows, error))
    return FALSE;
  for (gsize i = 0; i < secrets.rows; i++)
    ret_outcomes->series[0][i]
        = memcmp (assay_view_row (secrets, nearest->rows[i]), assay_view_row (secrets, i),
                  secrets.cols * sizeof (float))
          == 0;
  return TRUE;
}

ASSAY_METRIC (identification_rate, "identification-rate",
  .summary = "Share of estimates whose nearest private descriptor is the true one",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 6.1" },
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates"),
  ASSAY_MEASURES (1,
    ASSAY_MEASURE (0, "identification-rate", RATE, 0, 1, "share of secrets",
                   "Estimates whose nearest private descriptor is the true one", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE)),
  .measure = measure);
