/* Mixtures of images with everything known about them, made by loops as plain as can be: what
 * the steps of mixture-inversion are tested against. */
#pragma once

#include <stdbool.h>

#include "core/data/matrix.h"

G_BEGIN_DECLS

typedef struct {
  gsize n_secrets;
  gsize n_epochs; /* mixtures of each secret */
  gsize n_public;
  gsize n_partners;
  gsize side; /* images are side x side x 1 */
  gsize n_classes;
  guint64 seed;
  bool has_flips;     /* one in two secrets is mirrored, each time anew */
  gsize shift;        /* how far secrets are moved, each time anew */
  gsize public_shift; /* ... and public images */
} InstaHideSizes;

typedef struct {
  InstaHideSizes sizes;
  gsize total;           /* N = secrets x epochs */
  gsize cols;            /* d = side x side */
  AssayMatrix *secrets;  /* n x d, mean 0 and variance 1 */
  AssayMatrix *publics;  /* n_public x d, the same */
  AssayMatrix *mixtures; /* N x d, with a random sign for every number */
  AssayMatrix *labels;   /* N x classes; secret i is of class i mod classes */
  guint32 *sources;      /* N x 2 */
  guint32 *partners;     /* N x p */
  float *weights;        /* N x 2 */
  float *shares;         /* N x p */
} InstaHide;

/* Images are some waves of random direction and phase. Coefficients are uniform numbers over
 * their sum, the secrets' together from 0.3 on and none above 0.65. */
InstaHide *instahide_new (const InstaHideSizes *sizes);
void instahide_free (InstaHide *made);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InstaHide, instahide_free)

/* |cosine| of each secret with the estimate that it is most like, best pairs first; each estimate
 * is taken once. @ret_likeness has n_secrets numbers. */
void instahide_compare (const InstaHide *made, const float *estimates, double *ret_likeness);

G_END_DECLS
