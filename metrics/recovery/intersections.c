/* Whether the assumptions of the clustering attack hold (LDP-FEAT, Pittaluga and Zhuang 2023,
 * sections 4.2 and S3.2): that other subspaces of the release meet that of a secret, and that their
 * distances then point to the candidate that is the secret's. The paper calls it a collision when
 * they do not, because one of them passes close to the secret, and reports how many secrets have
 * none (table S3). How it counts one, it does not say. Two readings are counted here, and what
 * tells them apart:
 *   nearest-candidate  the guess is, of all candidates, the one nearest to the secret. A secret of
 *                      which no candidate is near fails more often than not: then all candidates
 *                      are some adversarial descriptor's, and other subspaces hold each of those
 *   recoverable        a candidate is within tau of the secret: clustering found it
 *   collision-free     not so that one was, and another was guessed; a secret without one has
 *                      nothing that others could collide with, and counts as free
 * They are rates of the attack with its settings: with one candidate the first and the last are 1,
 * and a secret that nothing meets counts by the guess that stands in. Outcomes of two secrets whose
 * subspaces meet depend on each other, more than intervals know. */
#include "core/base/vectors.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

typedef struct {
  double tau;
} Intersections;

enum { INTERSECTING, NEAREST_CANDIDATE, RECOVERABLE, COLLISION_FREE, N_SERIES };

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  /* The guess was checked: its arrays have the same n and d. */
  const Intersections *settings = context->settings;
  const AssayArray *candidates = assay_arrays_get (&guess->arrays, "considered");
  const gint64 *counts
      = assay_array_int64 (assay_arrays_get (&guess->arrays, "intersecting"));
  const gsize k = candidates->shape[1], d = candidates->shape[2];
  AssayView secrets, estimates;

  if (!metric_pair (truth, guess, &secrets, &estimates, error))
    return FALSE;
  if (!assay_outcomes_alloc (ret_outcomes, N_SERIES, secrets.rows, error))
    return FALSE;
  for (gsize i = 0; i < secrets.rows; i++) {
    const float *secret = assay_view_row (secrets, i);
    const float *own = (const float *) candidates->data + i * k * d;
    const double guessed = assay_squared_distance (assay_view_row (estimates, i), secret, d);
    const double reach = settings->tau * settings->tau * assay_squared_norm (secret, d);
    double least = G_MAXDOUBLE;

    for (gsize c = 0; c < k; c++)
      least = MIN (least, assay_squared_distance (own + c * d, secret, d));
    ret_outcomes->series[INTERSECTING][i] = counts[i] > 0;
    ret_outcomes->series[NEAREST_CANDIDATE][i] = guessed <= least;
    ret_outcomes->series[RECOVERABLE][i] = least <= reach;
    ret_outcomes->series[COLLISION_FREE][i] = least > reach || guessed <= reach;
  }
  return TRUE;
}

ASSAY_METRIC (intersections, "intersections",
  .summary = "How many subspaces are met by others, and which secrets this reveals",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section S3.2, table S3" },
  ASSAY_SETTINGS (Intersections,
    ASSAY_PARAM_REAL (Intersections, tau, 0.3, 0, 1e6, "",
                      "How far a candidate may be from the secret, relative to the secret's length",
                      ASSAY_PARAM_EXTRA)),
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates", "intersecting", "considered"),
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (0, "intersecting", RATE, 0, 1, "share of secrets",
                   "Secrets whose subspace is met by at least one other of the release",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (NEAREST_CANDIDATE, "nearest-candidate", RATE, 0, 1, "share of secrets",
                   "Secrets for which the guess is the nearest of all candidates; the attack's "
                   "fallback guess is judged where no other subspace meets the secret's",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (RECOVERABLE, "recoverable", RATE, 0, 1, "share of secrets",
                   "Secrets with a candidate within tau, whether it is the guess or not",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (COLLISION_FREE, "collision-free", RATE, 0, 1, "share of secrets",
                   "Secrets whose guess is within tau, or for which no candidate is",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE)),
  .measure = measure);
