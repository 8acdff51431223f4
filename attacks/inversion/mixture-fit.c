/* How well the images that mixture-inversion found explain the mixtures. */
#include "attacks/inversion/mixture-fit.h"

#include <math.h>
#include <string.h>

/* What mixture @t leaves of its magnitudes when it is explained as mixture @as is. */
static double
residual (const MixtureState *state, gsize t, gsize as, float *scratch)
{
  const float *magnitudes = state->magnitudes + t * state->cols;
  const float *known = state->known + as * state->cols;
  double sum = 0;

  mixture_state_private_part (state, as, scratch);
  for (gsize j = 0; j < state->cols; j++) {
    const double left = magnitudes[j] - fabsf (scratch[j] + known[j]);

    sum += left * left;
  }
  return sum;
}

double
mixture_fit (const MixtureState *state)
{
  g_autofree float *scratch = g_new (float, state->cols);
  double own = 0, other = 0;

  for (gsize t = 0; t < state->n_mixtures; t++) {
    own += residual (state, t, t, scratch);
    other += residual (state, t, (t + 1) % state->n_mixtures, scratch);
  }
  if (!(other > 0) || state->n_mixtures <= state->n_secrets)
    return 0;
  own *= (double) state->n_mixtures / (double) (state->n_mixtures - state->n_secrets);
  return CLAMP (1 - own / other, 0, 1);
}

/* What mixture @t leaves with image @image in place of its secret @slot. */
static double
residual_with (const MixtureState *state, gsize t, gsize slot, gsize image, float *scratch)
{
  const gsize d = state->cols;
  const float *x = state->images + image * d;
  const float *old = state->images + state->pairs[MIXTURE_PRIVATE * t + slot] * d;
  const float *e = state->magnitudes + t * d, *known = state->known + t * d;
  const float weight = state->weights[MIXTURE_PRIVATE * t + slot];
  double sum = 0;

  mixture_state_private_part (state, t, scratch);
  for (gsize j = 0; j < d; j++) {
    const double left = e[j] - fabsf (scratch[j] + known[j] + weight * (x[j] - old[j]));

    sum += left * left;
  }
  return sum;
}

/* The next image that is not in the mixture. */
static gsize
another (const MixtureState *state, gsize t, gsize slot)
{
  const guint32 *pair = state->pairs + MIXTURE_PRIVATE * t;
  const gsize n = state->n_secrets, next = (pair[slot] + 1 + t % (n - 1)) % n;

  return n > 2 && next == pair[1 - slot] ? (next + 1) % n : next;
}

void
mixture_fit_images (const MixtureState *state, double *ret_fits)
{
  const gsize n = state->n_secrets, total = state->n_mixtures;
  g_autofree float *scratch = g_new (float, state->cols);
  g_autofree double *others = g_new0 (double, n);
  const double adjust = total > n ? (double) total / (double) (total - n) : G_MAXDOUBLE;

  memset (ret_fits, 0, n * sizeof *ret_fits);
  for (gsize t = 0; t < total; t++) {
    const double own = residual (state, t, t, scratch);

    for (gsize slot = 0; slot < MIXTURE_PRIVATE; slot++) {
      const gsize i = state->pairs[MIXTURE_PRIVATE * t + slot];
      const double weight = (double) state->weights[MIXTURE_PRIVATE * t + slot];

      ret_fits[i] += weight * weight * own;
      others[i]
          += weight * weight * residual_with (state, t, slot, another (state, t, slot), scratch);
    }
  }
  for (gsize i = 0; i < n; i++)
    ret_fits[i] = others[i] > 0 ? CLAMP (1 - adjust * ret_fits[i] / others[i], 0, 1) : 0;
}
