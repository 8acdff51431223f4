/* Share of secrets that were recovered: ||d^ - d|| / ||d|| <= tau. */
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

typedef struct {
  double tau;
} RecoveryRate;

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const RecoveryRate *settings = context->settings;
  g_autofree double *errors = metric_relative_errors (truth, guess, &ret_outcomes->n, error);

  if (errors == NULL)
    return FALSE;
  for (gsize i = 0; i < ret_outcomes->n; i++)
    errors[i] = errors[i] <= settings->tau;
  ret_outcomes->series[0] = g_steal_pointer (&errors);
  return TRUE;
}

ASSAY_METRIC (recovery_rate, "recovery-rate",
  .summary = "Share of secrets whose estimate is within a relative error of tau",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 6.1" },
  ASSAY_SETTINGS (RecoveryRate,
    ASSAY_PARAM_REAL (RecoveryRate, tau, 0.3, 0, 10, "",
                      "Relative error up to which a secret counts as recovered")),
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates"),
  ASSAY_MEASURES (1,
    ASSAY_MEASURE (0, "recovery-rate", RATE, 0, 1, "share of secrets",
                   "Secrets whose estimate has a relative error of at most tau", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE)),
  .measure = measure);
