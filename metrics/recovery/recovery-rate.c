/* Share of secrets that were recovered: ||d^ - d|| / ||d|| <= tau.
 *
 * Where secrets are alike, a guess that knows nothing is right as well. Chance is what the same
 * guesses are worth where the truth is shuffled: the share of secrets that lie as near to what was
 * guessed for another one, of another group. Of each secret COMPARED others are taken, at even
 * distances in the order of the cell (all of them, where there are no more). */
#include <math.h>

#include "core/base/vectors.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

#define COMPARED 50

enum { RECOVERED, CHANCE, N_SERIES };

typedef struct {
  double tau;
} RecoveryRate;

typedef struct {
  const AssayTruth *truth;
  AssayView secrets, estimates;
  double tau;
} Chance;

/* Of @compared guesses for other secrets those that are within tau of secret @unit, as a share;
 * NAN: all of them are for secrets of its own group. */
static double
share_of (const Chance *chance, gsize unit, gsize compared)
{
  const gsize n = chance->secrets.rows, d = chance->secrets.cols;
  const float *secret = assay_view_row (chance->secrets, unit);
  const double most = chance->tau * chance->tau * assay_squared_norm (secret, d);
  const double group = metric_group_of (chance->truth, (gint64) unit);
  gsize n_near = 0, n_others = 0;

  for (gsize k = 0; k < compared; k++) {
    const gsize other = (unit + 1 + k * (n - 1) / compared) % n;

    if (group >= 0 && metric_group_of (chance->truth, (gint64) other) == group)
      continue;
    n_others++;
    n_near += assay_squared_distance (assay_view_row (chance->estimates, other), secret, d) <= most;
  }
  return n_others > 0 ? (double) n_near / (double) n_others : NAN;
}

static gboolean
fill_chance (const AssayTruth *truth, const AssayGuess *guess, double tau, AssayOutcomes *outcomes,
             GError **error)
{
  Chance chance = { .truth = truth, .tau = tau };

  if (!metric_pair (truth, guess, &chance.secrets, &chance.estimates, error))
    return FALSE;
  for (gsize i = 0; i < outcomes->n; i++) {
    double share = share_of (&chance, i, MIN (COMPARED, outcomes->n - 1));

    if (isnan (share))
      share = share_of (&chance, i, outcomes->n - 1);
    if (isnan (share)) {
      metric_leave_out (outcomes, CHANCE, CHANCE + 1,
                        "there are no secrets of other groups to compare with");
      return TRUE;
    }
    outcomes->series[CHANCE][i] = share;
  }
  return TRUE;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const RecoveryRate *settings = context->settings;
  gsize n;
  g_autofree double *errors = metric_relative_errors (truth, guess, &n, error);

  if (errors == NULL || !assay_outcomes_alloc (ret_outcomes, N_SERIES, n, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    ret_outcomes->series[RECOVERED][i] = errors[i] <= settings->tau;
  return fill_chance (truth, guess, settings->tau, ret_outcomes, error);
}

ASSAY_METRIC (recovery_rate, "recovery-rate",
  .summary = "Share of secrets whose estimate is within a relative error of tau, beside chance",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 6.1" },
  ASSAY_SETTINGS (RecoveryRate,
    ASSAY_PARAM_REAL (RecoveryRate, tau, 0.3, 0, 10, "",
                      "Relative error up to which a secret counts as recovered")),
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates"),
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (RECOVERED, "recovery-rate", RATE, 0, 1, "share of secrets",
                   "Secrets whose estimate has a relative error of at most tau", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (CHANCE, "recovery-chance", MEAN, 0, 1, "share of secrets",
                   "The same by what was guessed for other secrets: what chance recovers",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE)),
  .measure = measure);
