/* Share of secrets that their estimate points at: the nearest of the private descriptors to d^ is d
 * itself. The private descriptors are those of the cell. Secrets that are equal to the bit cannot
 * be told apart and count for each other. */
#include <string.h>

#include "core/plugin/plugin.h"
#include "core/search/knn.h"
#include "metrics/recovery/errors.h"

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  AssayView secrets, estimates;
  g_autoptr (AssayNearest) nearest = NULL;
  double *identified;

  (void) context;
  if (!metric_pair (truth, guess, &secrets, &estimates, error))
    return FALSE;
  nearest = assay_knn_search (secrets, estimates, 1, error);
  identified = nearest != NULL
                   ? assay_alloc (secrets.rows, sizeof (double), "identified", error)
                   : NULL;
  if (identified == NULL)
    return FALSE;
  for (gsize i = 0; i < secrets.rows; i++)
    identified[i] = memcmp (assay_view_row (secrets, nearest->rows[i]), assay_view_row (secrets, i),
                            secrets.cols * sizeof (float))
                    == 0;
  ret_outcomes->n = secrets.rows;
  ret_outcomes->series[0] = identified;
  return TRUE;
}

static const AssayMeasure measures[] = {
  { .name = "identification-rate", .statistic = ASSAY_STATISTIC_RATE, .higher_is_worse = TRUE,
    .low = 0, .high = 1, .unit = "share of secrets",
    .help = "Estimates whose nearest private descriptor is the true one" },
  { .name = NULL },
};

static const char *const truth_arrays[] = { "secrets", NULL };
static const char *const guess_arrays[] = { "estimates", NULL };

ASSAY_METRIC (identification_rate, "identification-rate",
  .summary = "Share of estimates whose nearest private descriptor is the true one",
  .reference = { "Pittaluga and Zhuang 2023, LDP-FEAT", "section 6.1" },
  .reads_truth = truth_arrays,
  .reads_guess = guess_arrays,
  .n_series = 1,
  .measures = measures,
  .measure = measure);
