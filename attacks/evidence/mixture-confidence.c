/* Evidence of each image, and what it says. */
#include "attacks/evidence/mixture-confidence.h"

#include <math.h>

#include "attacks/evidence/mixture-fit.h"
#include "attacks/evidence/mixture-halves.h"

#define LEAST_AGREEMENT 0.01
#define MOST_AGREEMENT 0.9999
#define MOST_DOUBTFUL 0.9 /* of images of which either is small: */
#define LEAST_KNOWN 0.25
#define LEAST_NEAR 0.9 /* agreement; a correlation of 0.8 is not far from there */

/* Printed by bench-mixture-inversion --table reliability --grey --seed 101 --seeds 2. */
#define CONSTANT -6.90
#define OF_AGREEMENT 2.41
#define OF_KNOWN 7.63
#define CONSTANT_OF_MOVED -2.65
#define OF_AGREEMENT_OF_MOVED 1.27

/* log (a^2 / (1 - a^2)): of what varies in an estimate, the part that is the secret against the
 * part that is error. */
static double
log_odds (double agreement)
{
  const double a = CLAMP (agreement, LEAST_AGREEMENT, MOST_AGREEMENT);

  return log (a * a / (1 - a * a));
}

static double
logistic (double x)
{
  return 1 / (1 + exp (-x));
}

double
mixture_confidence (const MixtureEvidence *evidence)
{
  const double odds = log_odds (evidence->agreement);
  double chance;

  if (evidence->moved > 0)
    return logistic (CONSTANT_OF_MOVED + OF_AGREEMENT_OF_MOVED * odds);
  chance = logistic (CONSTANT + OF_AGREEMENT * odds + OF_KNOWN * evidence->known);
  return evidence->known < LEAST_KNOWN || evidence->agreement < LEAST_NEAR
             ? MIN (chance, MOST_DOUBTFUL)
             : chance;
}

/* Of each image the share of public images that were found in its mixtures, which count by its
 * weight squared. */
static void
count_known (const MixtureState *state, double *ret_known)
{
  const gsize m = state->n_partners;
  g_autofree double *weights = g_new0 (double, state->n_secrets);

  for (gsize i = 0; i < state->n_secrets; i++)
    ret_known[i] = 0;
  for (gsize t = 0; t < state->n_mixtures; t++) {
    gsize found = 0;

    while (found < m && state->partners[t * m + found] >= 0)
      found++;
    for (gsize slot = 0; slot < MIXTURE_PRIVATE; slot++) {
      const gsize i = state->pairs[MIXTURE_PRIVATE * t + slot];
      const double weight = pow ((double) state->weights[MIXTURE_PRIVATE * t + slot], 2);

      weights[i] += weight;
      ret_known[i] += weight * (m > 0 ? (double) found / (double) m : 1);
    }
  }
  for (gsize i = 0; i < state->n_secrets; i++)
    ret_known[i] = weights[i] > 0 ? ret_known[i] / weights[i] : 0;
}

gboolean
mixture_confidence_gather (const MixtureState *state, const double *fits,
                           MixtureEvidence *ret_evidence, GError **error)
{
  const gsize n = state->n_secrets;
  g_auto (AssayArena) arena = { 0 };
  g_autofree double *agreement = g_new (double, n);
  g_autofree double *known = g_new (double, n);
  MixtureState sample;

  if (!mixture_fit_sample (state, &arena, &sample, error)
      || !mixture_halves_agree (&sample, agreement, error))
    return FALSE;
  count_known (state, known);
  for (gsize i = 0; i < n; i++)
    ret_evidence[i] = (MixtureEvidence){ agreement[i], fits[i], known[i], 0 };
  return TRUE;
}
