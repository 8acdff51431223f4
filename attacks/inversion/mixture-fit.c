/* How well the images that mixture-inversion found explain the mixtures. */
#include "attacks/inversion/mixture-fit.h"

#include <math.h>

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
