/* Whitening of mixtures by the covariance that mixtures of public images have.
 *
 * Rows are mixtures z = sum_j l_j x_j (1 x d) of k images drawn from a public set, with shares l of
 * 1; under a mask of signs, their squares. Mean and covariance of z, and of z o z, over all such
 * mixtures are exact functions of the moments of the public set: what simulated mixtures would
 * converge to, without the noise that a finite number of them has, and sooner. */
#pragma once

#include "core/base/rng.h"
#include "core/data/matrix.h"

typedef enum {
  WHITENING_PLAIN,
  WHITENING_SQUARED, /* what a mask of signs leaves */
} WhiteningForm;

/* How images are mixed: k uniform numbers divided by their sum, drawn anew until the largest share
 * is at most max_coefficient. */
typedef struct {
  gsize k;                /* 2 .. WHITENING_MAX_IMAGES */
  double max_coefficient; /* above 1 / k */
} WhiteningShares;

#define WHITENING_MAX_IMAGES 64

/* Expected sums over the shares of a mixture: of l^2, l^3, l^4, and of (sum l^2)^2. From 20,000
 * draws of a fixed stream. */
typedef struct {
  double second;
  double third;
  double fourth;
  double second_squared;
} WhiteningMoments;

/* One draw of the shares. */
void whitening_draw_shares (const WhiteningShares *shares, AssayStream *stream, double *ret_shares);
WhiteningMoments whitening_moments (const WhiteningShares *shares);

typedef struct {
  WhiteningForm form;
  gsize cols;         /* d */
  double *image;      /* m, the mean public image */
  double *mean;       /* of mixtures in this form */
  double *covariance; /* of mixtures in this form, d x d, both triangles */
} Whitening;

ASSAY_DECLARE_CLEAR (Whitening, whitening_clear)

/* Of the mixtures of @images, M x d. ASSAY_ERROR_NUMERIC where these are all alike. */
gboolean whitening_learn (AssayView images, WhiteningForm form, const WhiteningMoments *moments,
                          Whitening *ret_whitening, GError **error);

/* Adds to squared mixtures what normal noise of @variance on every number does to them. */
void whitening_add_noise (Whitening *whitening, double variance);

/* Mixtures N x d as centred features: z less its mean, or z o z less its mean. */
AssayMatrix *whitening_features (const Whitening *whitening, AssayView mixtures, GError **error);

/* The mean of the covariance's diagonal. */
double whitening_mean_variance (const Whitening *whitening);

/* The inverse of C + @ridge t I with the covariance C and the mean t of its diagonal, d x d. */
gboolean whitening_inverse (const Whitening *whitening, double ridge, float *ret_inverse,
                            GError **error);

/* The @count (<= d) leading components of the covariance, each divided by the root of its variance
 * plus @ridge t: count x d. Features times their transpose have the covariance I but for the
 * ridge. */
AssayMatrix *whitening_directions (const Whitening *whitening, gsize count, double ridge,
                                   GError **error);

/* @rows (N x d) times @directions' (c x d): N x c. A symmetric inverse may stand for directions. */
AssayMatrix *whitening_project (AssayView rows, AssayView directions, GError **error);
