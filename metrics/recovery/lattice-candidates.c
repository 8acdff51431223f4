/* What an attack that names candidates knows of each secret: whether there are any, whether the
 * secret is one of them, and whether it is told from the others.
 *
 * Truth: secrets, n x d. Guess: considered, n x k x d; possible and remaining, n: how many
 * candidates there are, and how many of them nothing that is known explains. */
#include "core/base/vectors.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

typedef struct {
  double tau;
} LatticeCandidates;

enum { POSSIBLE, AMONG, UNIQUE, SINGLED_OUT, N_SERIES };

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  /* The guess was checked: its arrays have the same n and d. */
  const LatticeCandidates *settings = context->settings;
  const AssayArray *considered = assay_arrays_get (&guess->arrays, "considered");
  const gint64 *possible = assay_array_int64 (assay_arrays_get (&guess->arrays, "possible"));
  const gint64 *remaining = assay_array_int64 (assay_arrays_get (&guess->arrays, "remaining"));
  const gsize k = considered->shape[1], d = considered->shape[2];
  AssayView secrets, estimates;

  if (!metric_pair (truth, guess, &secrets, &estimates, error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, secrets.rows, error))
    return FALSE;
  for (gsize i = 0; i < secrets.rows; i++) {
    const float *secret = assay_view_row (secrets, i);
    const float *own = (const float *) considered->data + i * k * d;
    const double reach = settings->tau * settings->tau * assay_squared_norm (secret, d);
    double least = G_MAXDOUBLE;

    for (gsize c = 0; c < k; c++)
      least = MIN (least, assay_squared_distance (own + c * d, secret, d));
    ret_outcomes->series[POSSIBLE][i] = (double) possible[i];
    ret_outcomes->series[AMONG][i] = possible[i] > 0 && least <= reach;
    ret_outcomes->series[UNIQUE][i] = remaining[i] == 1;
    ret_outcomes->series[SINGLED_OUT][i]
        = remaining[i] == 1
          && assay_squared_distance (assay_view_row (estimates, i), secret, d) <= reach;
  }
  return TRUE;
}

ASSAY_METRIC (lattice_candidates, "lattice-candidates",
  .summary = "Whether the secret is one of the candidates, and can be singled out",
  .reference = { "own: integer points of a subspace are the secret or database rows",
                 "docs/papers/ldp-feat.md, Lattice" },
  ASSAY_SETTINGS (LatticeCandidates,
    ASSAY_PARAM_REAL (LatticeCandidates, tau, 1e-4, 0, 1e6, "",
                      "How far a candidate may be from the secret, relative to the secret's "
                      "length")),
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates", "considered", "possible", "remaining"),
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (POSSIBLE, "candidates", MEAN, 0, G_MAXDOUBLE, "candidates",
                   "Number of candidates for a secret"),
    ASSAY_MEASURE (AMONG, "among", RATE, 0, 1, "share of secrets",
                   "Secrets that are one of their candidates, to within tau", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (UNIQUE, "unique", RATE, 0, 1, "share of secrets",
                   "Secrets for which exactly one candidate agrees with what is known",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (SINGLED_OUT, "singled-out", RATE, 0, 1, "share of secrets",
                   "Secrets that are this one candidate", ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE)),
  .measure = measure);
