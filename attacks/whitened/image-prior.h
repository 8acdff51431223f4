/* Images as normal numbers with the mean and covariance of a public set, in the basis in which they
 * are independent.
 *
 * x = m + sum_j f_j u_j with unit vectors u_j and f_j of variance g_j, from the largest on. All
 * numbers here are in units of the pixels' standard deviation s (s^2 the mean of g before), so that
 * nothing depends on how pixels are scaled. */
#pragma once

#include "core/data/arena.h"

typedef struct {
  AssayArena arena;
  gsize n;         /* M */
  gsize cols;      /* d */
  double unit;     /* s */
  float *image;    /* m, d */
  float *values;   /* g, d, of mean 1 */
  float *vectors;  /* u, rows, d x d */
  float *features; /* f of the public images, M x d */
  float *squares;  /* f o f, M x d */
} ImagePrior;

/* Of @images, M x d. ASSAY_ERROR_NUMERIC where these are all alike. Cost: an eigenvalue problem of
 * order d, and 4 M d^2. @ret_prior arrives zeroed, and is cleared by the caller. */
gboolean image_prior_learn (AssayView images, ImagePrior *ret_prior, GError **error);

/* The same mean and covariance with other images, n x d. It borrows all but these of @prior. */
gboolean image_prior_of (const ImagePrior *prior, AssayView images, ImagePrior *ret_prior,
                         GError **error);

static inline void
image_prior_clear (ImagePrior *prior)
{
  assay_arena_clear (&prior->arena);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ImagePrior, image_prior_clear)
