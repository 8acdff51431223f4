/* Images that are surest, and pairs of what was explained by others. */
#include "attacks/evidence/mixture-surplus.h"

#include <string.h>

#include "attacks/evidence/mixture-confidence.h"
#include "attacks/evidence/mixture-fit.h"
#include "attacks/inversion/mixture-orbits.h"
#include "attacks/inversion/mixture-pairs.h"

/* ---- Pairs ---- */

/* Half of what is expected of both, of mixtures that nothing was like. */
static void
fill_weights (MixtureState *state)
{
  const float half = (float) mixture_state_expected_share (state) / MIXTURE_PRIVATE;

  for (gsize t = 0; t < state->n_mixtures; t++)
    for (gsize i = 0; i < MIXTURE_PRIVATE; i++)
      if (!(state->weights[MIXTURE_PRIVATE * t] + state->weights[MIXTURE_PRIVATE * t + 1] > 0))
        state->weights[MIXTURE_PRIVATE * t] = state->weights[MIXTURE_PRIVATE * t + 1] = half;
}

static void
forget_public (MixtureState *state, gsize t)
{
  const float *weights = state->weights + MIXTURE_PRIVATE * t;
  const float share = MIN (weights[0] + weights[1], 1);

  memset (state->known + t * state->cols, 0, state->cols * sizeof *state->known);
  for (gsize i = 0; i < state->n_partners; i++)
    state->partners[t * state->n_partners + i] = -1;
  state->noise[t] = mixture_state_noise (state, 1 - share, state->n_partners);
}

gboolean
mixture_surplus_match (MixtureIntake *intake, const gboolean *is_kept, GError **error)
{
  MixtureState *state = &intake->state;
  const gsize n = MIXTURE_PRIVATE * state->n_mixtures;
  g_autofree guint32 *pairs = g_memdup2 (state->pairs, n * sizeof *pairs);
  g_autofree float *weights = g_memdup2 (state->weights, n * sizeof *weights);

  /* Of no weight, so that they have no vote on classes. */
  for (gsize i = 0; i < n; i++)
    if (!is_kept[i / MIXTURE_PRIVATE]) {
      state->pairs[i] = i % MIXTURE_PRIVATE;
      state->weights[i] = 0;
    }
  if (!mixture_pairs_match_squares (state, intake->precision, intake->noise, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (is_kept[i / MIXTURE_PRIVATE]) {
      state->pairs[i] = pairs[i];
      state->weights[i] = weights[i];
    }
  fill_weights (state);
  for (gsize t = 0; t < state->n_mixtures; t++)
    if (!is_kept[t])
      forget_public (state, t);
  return TRUE;
}

/* ---- Images ---- */

static gboolean
find_confidences (const MixtureState *state, double *ret_confidences, GError **error)
{
  const gsize m = state->n_secrets;
  g_autofree double *fits = g_new (double, m);
  g_autofree MixtureEvidence *evidence = g_new (MixtureEvidence, m);
  double fit;

  if (!mixture_fit (state, &fit, fits, error)
      || !mixture_confidence_gather (state, fits, evidence, error))
    return FALSE;
  for (gsize i = 0; i < m; i++)
    ret_confidences[i] = mixture_confidence (evidence + i);
  return TRUE;
}

/* Each pair by the groups' numbers; whether both are among the first @n and not the same. */
static void
renumber_pairs (const gsize *groups, gsize n, MixtureState *state, gboolean *ret_is_kept)
{
  for (gsize t = 0; t < state->n_mixtures; t++) {
    guint32 *pair = state->pairs + MIXTURE_PRIVATE * t;

    for (gsize i = 0; i < MIXTURE_PRIVATE; i++)
      pair[i] = (guint32) groups[pair[i]];
    ret_is_kept[t] = pair[0] < n && pair[1] < n && pair[0] != pair[1];
  }
}

gboolean
mixture_surplus_drop (gsize n, MixtureIntake *intake, GError **error)
{
  MixtureState *state = &intake->state;
  const gsize m = state->n_secrets, d = state->cols;
  g_autofree double *confidences = g_new0 (double, 2 * m);
  g_autofree double *gathered = g_new0 (double, 2 * m);
  g_autofree gsize *of = g_new0 (gsize, m);
  g_autofree gsize *first = g_new0 (gsize, m);
  g_autofree gboolean *is_kept = g_new0 (gboolean, state->n_mixtures);
  g_autofree float *images = assay_alloc (2 * m, d * sizeof (float), "images", error);
  MixtureGroups groups = { .images = images, .fits = gathered, .of = of, .first = first };
  double mirrored;

  if (images == NULL || !find_confidences (state, confidences, error))
    return FALSE;
  mirrored = mixture_orbits_gather (state, confidences, &groups, error);
  if (mirrored < 0 || mirrored >= MIXTURE_ORBITS_MIRRORED)
    return mirrored >= 0;
  state->n_secrets = MIN (n, groups.n);
  memcpy (state->images, images, state->n_secrets * d * sizeof *images);
  renumber_pairs (of, state->n_secrets, state, is_kept);
  return state->n_secrets < 2 || mixture_surplus_match (intake, is_kept, error);
}
