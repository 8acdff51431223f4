/* Relative error of the estimates, ||d^ - d|| / ||d||: median and quartiles over the secrets. */
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

static gboolean
measure (G_GNUC_UNUSED const AssayMetricContext *context, const AssayTruth *truth,
         const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error)
{
  ret_outcomes->series[0] = metric_relative_errors (truth, guess, &ret_outcomes->n, error);
  return ret_outcomes->series[0] != NULL;
}

ASSAY_METRIC (relative_error, "relative-error",
  .summary = "Distance from estimate to secret, relative to the secret's length",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 4.1" },
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates"),
  ASSAY_MEASURES (1,
    ASSAY_MEASURE (0, "relative-error-median", MEDIAN, 0, G_MAXDOUBLE,
                   "share of the secret's length",
                   "Median: half of the secrets are recovered at least this well", ASSAY_HEADLINE),
    ASSAY_MEASURE (0, "relative-error-lower-quartile", LOWER_QUARTILE, 0, G_MAXDOUBLE,
                   "share of the secret's length",
                   "Lower quartile: a quarter of the secrets is recovered at least this well"),
    ASSAY_MEASURE (0, "relative-error-upper-quartile", UPPER_QUARTILE, 0, G_MAXDOUBLE,
                   "share of the secret's length",
                   "Upper quartile: three quarters of the secrets are recovered at least this "
                   "well")),
  .measure = measure);
