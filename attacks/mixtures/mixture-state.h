/* What mixture-inversion knows and has worked out so far; its steps read and write parts of it.
 *
 * N mixtures of d pixels are e_t = |lambda_a x_a + lambda_b x_b + v_t + w_t|: two of n secrets, the
 * public images that have been found, v_t = sum_j lambda_j z_j, and those that have not, w_t, which
 * count as Gaussian noise of variance noise_t times the variance of public pixels. */
#pragma once

#include "core/plugin/plugin.h"

#define MIXTURE_PRIVATE 2 /* secrets in each mixture */
#define MIXTURE_LEAST_NOISE                                                                        \
  0.02f /* of what the model leaves out where all public images are found */

typedef struct {
  /* What is given. */
  gsize n_secrets;
  gsize n_mixtures;
  gsize cols;
  gsize n_public;
  gsize n_partners; /* public images in each mixture, k - 2 */
  gsize n_classes;
  AssayGeometry geometry;
  const float *labels;        /* N x classes; NULL: not known */
  const float *public_images; /* n_public x d */
  float *magnitudes;          /* e, N x d */
  float *variance;            /* of public pixels, d, none of them 0 */
  float added_noise; /* variance of what was added to every number, as a multiple of those; 0 */
  /* What is worked out. */
  guint32 *pairs;     /* N x 2: a and b, never equal */
  float *weights;     /* N x 2: lambda_a and lambda_b */
  float *images;      /* x, n x d */
  gboolean is_smooth; /* images have been made as smooth as natural ones are */
  float *known;       /* v, N x d */
  float *noise;       /* N */
  gint32 *partners;   /* N x (k - 2): rows of the public images found, first; -1 after them */
} MixtureState;

/* @x, or @most with its sign where it is larger, most > 0. By whole numbers, whose order is that of
 * the magnitudes: of comparisons of floats gcc makes jumps, and of a loop with jumps no vectors. */
static inline float
mixture_bounded (float x, float most)
{
  union {
    float number;
    guint32 bits;
  } of_x = { x }, of_most = { most };
  const guint32 size = of_x.bits & 0x7fffffff;

  of_x.bits = (of_x.bits & 0x80000000) | MIN (size, of_most.bits);
  return of_x.number;
}

/* tanh by the quotient of its continued fraction's seventh convergent, which is within 1e-4. */
static inline float
mixture_soft_sign (float x)
{
  const float bound = mixture_bounded (x, 4.97f);
  const float z = bound * bound;

  return bound * (135135 + z * (17325 + z * (378 + z)))
         / (135135 + z * (62370 + z * (3150 + z * 28)));
}

/* lambda_a x_a + lambda_b x_b of mixture @t. */
static inline void
mixture_state_private_part (const MixtureState *state, gsize t, float *ret_part)
{
  const guint32 *pair = state->pairs + MIXTURE_PRIVATE * t;
  const float *weights = state->weights + MIXTURE_PRIVATE * t;
  const float *a = state->images + pair[0] * state->cols;
  const float *b = state->images + pair[1] * state->cols;

  for (gsize j = 0; j < state->cols; j++)
    ret_part[j] = weights[0] * a[j] + weights[1] * b[j];
}

/* The variance that @left public images of the share @share in all have between them, as a multiple
 * of a pixel's: E sum lambda^2 where lambda is uniform on those of that sum. */
static inline float
mixture_state_spread (double share, gsize left)
{
  return (float) (share * share * 2 / (double) (left + 1));
}

/* The noise of a mixture of which @left public images of the share @share in all are unknown. */
static inline float
mixture_state_noise (const MixtureState *state, double share, gsize left)
{
  return MAX (mixture_state_spread (share, left), MIXTURE_LEAST_NOISE) + state->added_noise;
}

/* The mean share of both secrets, of which little is known without labels: two of k, and a little
 * more, as mixtures with less than 0.3 of them are not released (private_share of
 * instahide-cross). */
static inline double
mixture_state_expected_share (const MixtureState *state)
{
  return MIN (2 / (double) (state->n_partners + MIXTURE_PRIVATE) + 0.05, 0.98);
}
