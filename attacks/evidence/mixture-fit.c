/* Residuals of mixtures, beside those of a null in which pairs were dealt to other mixtures. */
#include "attacks/evidence/mixture-fit.h"

#include <math.h>
#include <string.h>

#include "attacks/retrieval/phase-retrieval.h"

#define SAMPLE 256 /* pixels that are looked at, spread evenly over all */

static const PhaseRetrieval refit = { .heat = 3, .rounds = 20 };

/* The columns of @rows that are looked at. */
static float *
sample_rows (const float *rows, gsize n, gsize d, gsize count, AssayArena *arena, GError **error)
{
  float *sample = assay_arena_alloc (arena, n, count * sizeof (float), "a sample", error);

  for (gsize i = 0; sample != NULL && i < n; i++)
    for (gsize j = 0; j < count; j++)
      sample[i * count + j] = rows[i * d + j * d / count];
  return sample;
}

gboolean
mixture_fit_sample (const MixtureState *state, AssayArena *arena, MixtureState *ret_sample,
                    GError **error)
{
  const gsize d = state->cols, count = MIN (SAMPLE, d), total = state->n_mixtures;
  MixtureState sample = *state;

  sample.cols = count;
  sample.magnitudes = sample_rows (state->magnitudes, total, d, count, arena, error);
  sample.known = sample_rows (state->known, total, d, count, arena, error);
  sample.images = sample_rows (state->images, state->n_secrets, d, count, arena, error);
  sample.variance = sample_rows (state->variance, 1, d, count, arena, error);
  *ret_sample = sample;
  return !arena->has_failed;
}

/* What mixture @t leaves of its magnitudes, and what noise that was added leaves of every one. */
static double
residual (const MixtureState *state, gsize t, float *scratch)
{
  const float *magnitudes = state->magnitudes + t * state->cols;
  const float *known = state->known + t * state->cols;
  double sum = 0;

  mixture_state_private_part (state, t, scratch);
  for (gsize j = 0; j < state->cols; j++) {
    const double left = magnitudes[j] - fabsf (scratch[j] + known[j]);

    sum += left * left - state->added_noise * state->variance[j];
  }
  return sum;
}

static double
residual_of_all (const MixtureState *state)
{
  g_autofree float *scratch = g_new (float, state->cols);
  double sum = 0;

  for (gsize t = 0; t < state->n_mixtures; t++)
    sum += residual (state, t, scratch);
  return MAX (sum, 0);
}

/* ---- The null ---- */

/* What is left where each mixture has the pair and the weights of the next: with the images there
 * are, and with images that fit that. */
typedef struct {
  double as_is;
  double fitted;
} Null;

static gboolean
measure_null (const MixtureState *sample, AssayArena *arena, Null *ret_null, GError **error)
{
  const gsize total = sample->n_mixtures, n = sample->n_secrets;
  MixtureState null = *sample;

  null.pairs = assay_arena_alloc (arena, total, MIXTURE_PRIVATE * sizeof (guint32), "pairs", error);
  null.weights
      = assay_arena_alloc (arena, total, MIXTURE_PRIVATE * sizeof (float), "weights", error);
  null.images = assay_arena_alloc (arena, n, sample->cols * sizeof (float), "images", error);
  if (arena->has_failed)
    return FALSE;
  for (gsize i = 0; i < MIXTURE_PRIVATE * total; i++) {
    const gsize next = (i + MIXTURE_PRIVATE) % (MIXTURE_PRIVATE * total);

    null.pairs[i] = sample->pairs[next];
    null.weights[i] = sample->weights[next];
  }
  memcpy (null.images, sample->images, n * sample->cols * sizeof (float));
  ret_null->as_is = residual_of_all (&null);
  if (!phase_retrieval (&refit, &null, error))
    return FALSE;
  ret_null->fitted = MIN (residual_of_all (&null), ret_null->as_is);
  return TRUE;
}

/* ---- Images ---- */

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

    sum += left * left - state->added_noise * state->variance[j];
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

/* @freedom: what of the residual of a wrong explanation is left when images are fitted to it. */
static void
fit_images (const MixtureState *sample, double freedom, double *ret_fits)
{
  const gsize n = sample->n_secrets;
  g_autofree float *scratch = g_new (float, sample->cols);
  g_autofree double *others = g_new0 (double, n);

  memset (ret_fits, 0, n * sizeof *ret_fits);
  for (gsize t = 0; t < sample->n_mixtures; t++) {
    const double own = residual (sample, t, scratch);

    for (gsize slot = 0; slot < MIXTURE_PRIVATE; slot++) {
      const gsize i = sample->pairs[MIXTURE_PRIVATE * t + slot];
      const double weight = (double) sample->weights[MIXTURE_PRIVATE * t + slot];

      ret_fits[i] += weight * weight * own;
      others[i] += weight * weight * freedom
                   * residual_with (sample, t, slot, another (sample, t, slot), scratch);
    }
  }
  for (gsize i = 0; i < n; i++)
    ret_fits[i] = others[i] > 0 ? CLAMP (1 - MAX (ret_fits[i], 0) / others[i], 0, 1) : 0;
}

gboolean
mixture_fit (const MixtureState *state, double *ret_fit, double *ret_fits, GError **error)
{
  g_auto (AssayArena) arena = { 0 };
  MixtureState sample;
  Null null;

  if (!mixture_fit_sample (state, &arena, &sample, error)
      || !measure_null (&sample, &arena, &null, error))
    return FALSE;
  if (!(null.fitted > 0) || state->n_mixtures <= state->n_secrets) {
    *ret_fit = 0;
    memset (ret_fits, 0, state->n_secrets * sizeof *ret_fits);
    return TRUE;
  }
  *ret_fit = CLAMP (1 - residual_of_all (&sample) / null.fitted, 0, 1);
  fit_images (&sample, null.fitted / null.as_is, ret_fits);
  return TRUE;
}
