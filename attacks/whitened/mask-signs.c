/* Messages between pixels and images, for panels of mixtures. */
#include "attacks/whitened/mask-signs.h"

#include <math.h>
#include <string.h>

#include "attacks/mixtures/mixture-state.h"
#include "core/base/vectorise.h"
#include "core/math/linalg.h"

#define DAMPING 0.8f
#define LEAST_VARIANCE 1e-5 /* of pixels of known sign, which rounding has too */
#define LEAST_NOISE 1e-5
#define MOST_NOISE 1e3

gboolean
mask_signs_init (const ImagePrior *prior, gboolean is_open, AssayArena *arena, MaskSigns *ret_signs,
                 GError **error)
{
  const gsize panel = MASK_SIGNS_PANEL, row = prior->cols * sizeof (float);

  *ret_signs
      = (MaskSigns){ .prior = prior,
                     .is_open = is_open,
                     .mixtures = assay_arena_alloc (arena, panel, row, "signs", error),
                     .expected = assay_arena_alloc (arena, panel, row, "signs", error),
                     .message = assay_arena_alloc (arena, panel, row, "signs", error),
                     .features = assay_arena_alloc (arena, panel, row, "signs", error),
                     .known = assay_arena_alloc (arena, panel, row, "signs", error),
                     .cavity = assay_arena_alloc (arena, panel, row, "signs", error),
                     .room = assay_arena_alloc (arena, 3 * panel, row, "signs", error),
                     .spread = assay_arena_alloc (arena, panel, sizeof (double), "signs", error),
                     .noise = assay_arena_alloc (arena, panel, sizeof (double), "signs", error),
                     .sureness
                     = assay_arena_alloc (arena, panel, sizeof (double), "signs", error) };
  return !arena->has_failed;
}

void
mask_signs_open (MaskSigns *signs, AssayView mixtures)
{
  const gsize cols = signs->prior->cols;
  const float unit = (float) signs->prior->unit;

  g_return_if_fail (mixtures.rows <= MASK_SIGNS_PANEL && mixtures.cols == cols);
  signs->count = mixtures.rows;
  for (gsize i = 0; i < mixtures.rows; i++)
    for (gsize a = 0; a < cols; a++) {
      const float z = assay_view_row (mixtures, i)[a] / unit;

      signs->mixtures[i * cols + a] = signs->is_open ? z : fabsf (z);
    }
}

void
mask_signs_pixels (const MaskSigns *signs, const float *features, float *ret_pixels)
{
  const ImagePrior *prior = signs->prior;
  const gsize d = prior->cols;

  assay_linalg_product (ASSAY_NN, assay_view_of (features, signs->count, d),
                        assay_view_of (prior->vectors, d, d), ret_pixels, d);
  for (gsize i = 0; i < signs->count; i++)
    for (gsize a = 0; a < d; a++)
      ret_pixels[i * d + a] += prior->image[a];
}

void
mask_signs_forget (MaskSigns *signs)
{
  if (signs->is_open)
    return;
  mask_signs_pixels (signs, signs->known, signs->cavity);
  for (gsize i = 0; i < signs->count; i++)
    signs->sureness[i] = 1 / signs->spread[i]; /* pixels vary by 1 in the mean */
}

/* ---- Pixels ---- */

/* z' and its variance, pixel by pixel. */
ASSAY_VECTORISED static void
soften_signs (const float *restrict e, const float *restrict cavity, float sureness, gsize d,
              float *restrict ret_expected, float *restrict ret_variance)
{
  for (gsize a = 0; a < d; a++) {
    const float sign = mixture_soft_sign (sureness * e[a] * cavity[a]);

    ret_expected[a] = e[a] * sign;
    ret_variance[a] = e[a] * e[a] * (1 - sign * sign);
  }
}

static void
observe_row (MaskSigns *signs, gsize i)
{
  const gsize d = signs->prior->cols;
  const double sureness = signs->sureness[i];
  float *expected = signs->expected + i * d, *message = signs->message + i * d;
  const float *cavity = signs->cavity + i * d;
  double variance = 0, noise;

  soften_signs (signs->mixtures + i * d, cavity, (float) sureness, d, expected, message);
  for (gsize a = 0; a < d; a++)
    variance += message[a];
  variance = MAX (variance / (double) d, LEAST_VARIANCE);
  noise = 1 / CLAMP (1 / variance - sureness, 1 / MOST_NOISE, 1 / LEAST_NOISE);
  for (gsize a = 0; a < d; a++)
    message[a] = (float) (noise * (expected[a] / variance - sureness * cavity[a]));
  signs->noise[i] = noise;
}

void
mask_signs_observe (MaskSigns *signs)
{
  const gsize d = signs->prior->cols;
  float *centred = signs->room;

  for (gsize i = 0; i < signs->count; i++) {
    if (signs->is_open) {
      memcpy (signs->expected + i * d, signs->mixtures + i * d, d * sizeof (float));
      memcpy (signs->message + i * d, signs->mixtures + i * d, d * sizeof (float));
      signs->noise[i] = 0;
    } else {
      observe_row (signs, i);
    }
    for (gsize a = 0; a < d; a++)
      centred[i * d + a] = signs->message[i * d + a] - signs->prior->image[a];
  }
  assay_linalg_product (ASSAY_NT, assay_view_of (centred, signs->count, d),
                        assay_view_of (signs->prior->vectors, d, d), signs->features, d);
}

/* ---- Images ---- */

/* log (1 + exp (-2 |x|)) is what the other sign adds. */
static double
evidence_of_row (const MaskSigns *signs, gsize i, const float *cavity, double sureness)
{
  const gsize d = signs->prior->cols;
  const float *e = signs->mixtures + i * d, *message = signs->message + i * d;
  const float *features = signs->features + i * d, *known = signs->known + i * d;
  const double noise = signs->noise[i], both = 1 / sureness + noise;
  double sum = 0.5 * (double) d * (log (sureness) + log (both));

  for (gsize a = 0; a < d; a++) {
    const double value
        = signs->spread[i] * ((double) signs->prior->values[a] + signs->ridge) + signs->added;
    const double rest = (double) features[a] - known[a], near = e[a] - fabs ((double) cavity[a]);
    const double apart = (double) cavity[a] - message[a];

    sum += log1p (exp (-2 * sureness * e[a] * fabs ((double) cavity[a])))
           - 0.5
                 * (sureness * near * near + log (value + noise) + rest * rest / (value + noise)
                    - apart * apart / both);
  }
  return sum;
}

/* The row of r that z'' tells, into @inout_pixels, which is z''; returns gamma. */
static double
answer_row (const MaskSigns *signs, gsize i, float *inout_pixels)
{
  const gsize d = signs->prior->cols;
  const double noise = signs->noise[i];
  const float *message = signs->message + i * d;
  double variance = 0, sureness;

  for (gsize a = 0; a < d; a++) {
    const double value
        = signs->spread[i] * ((double) signs->prior->values[a] + signs->ridge) + signs->added;

    variance += value * noise / (value + noise) / (double) d;
  }
  sureness = CLAMP (1 / variance - 1 / noise, 1 / MOST_NOISE, 1 / LEAST_NOISE);
  for (gsize a = 0; a < d; a++)
    inout_pixels[a] = (float) ((inout_pixels[a] / variance - message[a] / noise) / sureness);
  return sureness;
}

void
mask_signs_expect (MaskSigns *signs, double *ret_evidence)
{
  const gsize d = signs->prior->cols;
  float *shrunk = signs->room, *pixels = signs->room + MASK_SIGNS_PANEL * d;

  if (signs->is_open)
    return;
  for (gsize i = 0; i < signs->count; i++)
    for (gsize a = 0; a < d; a++) {
      const float value
          = (float) signs->spread[i] * (signs->prior->values[a] + signs->ridge) + signs->added;
      const float known = signs->known[i * d + a];

      shrunk[i * d + a]
          = known
            + (signs->features[i * d + a] - known) * value / (value + (float) signs->noise[i]);
    }
  mask_signs_pixels (signs, shrunk, pixels);
  for (gsize i = 0; i < signs->count; i++) {
    const double sureness = answer_row (signs, i, pixels + i * d);

    if (ret_evidence != NULL)
      ret_evidence[i] = evidence_of_row (signs, i, pixels + i * d, sureness);
    for (gsize a = 0; a < d; a++)
      signs->cavity[i * d + a] += DAMPING * (pixels[i * d + a] - signs->cavity[i * d + a]);
    signs->sureness[i] += (double) DAMPING * (sureness - signs->sureness[i]);
  }
}
