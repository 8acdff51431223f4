/* Mixtures of images, x~ = sigma o sum_j lambda_j x_j: what those who release them and those who
 * use them have in common. The coefficients are k random shares of 1, drawn anew until they meet
 * what is asked of them. */
#pragma once

#include <glib.h>

#include "core/base/rng.h"
#include "core/data/dataset.h"
#include "core/data/kinds/mixtures.h"

#define ASSAY_MIXTURE_MAX_IMAGES 64

typedef struct {
  guint distribution; /* AssayMixtureDistribution */
  double concentration;
  gsize k;                /* at most ASSAY_MIXTURE_MAX_IMAGES */
  double max_coefficient; /* c1: none is larger */
  double private_share;   /* c2: the first two sum to this at least; 0: to whatever they do */
  double alpha;           /* under FIXED */
} AssayMixtureCoefficients;

/* ASSAY_ERROR_PARAMETER, naming the settings, for demands that no draw or hardly any can meet. */
gboolean assay_mixture_coefficients_check (const AssayMixtureCoefficients *wanted, GError **error);

/* The share of draws that meet the demands: exact where it is 0 because nothing can, otherwise
 * estimated from a fixed stream, within a tenth or so of itself down to the floor of the check. */
double assay_mixture_coefficients_acceptance (const AssayMixtureCoefficients *wanted);

/* Draws until the demands are met, which the check above has shown to come to an end. The k numbers
 * meet them as they are released, rounded to float32; they sum to 1 within k roundings. */
void assay_mixture_coefficients_draw (const AssayMixtureCoefficients *wanted, AssayStream *stream,
                                      float *ret_coefficients);

/* The mean of the first coefficient, which is the owner's: 1 - alpha under FIXED, 1 / k where the
 * coefficients can be exchanged, and with a @private_share that of 20,000 draws of a fixed stream
 * (within 0.002). */
double assay_mixture_coefficients_mean (const AssayMixtureCoefficients *wanted);

/* sum_j lambda_j x_j of @k images, in double and rounded once. */
void assay_mixture_sum (const float *const *images, const float *coefficients, gsize k, gsize cols,
                        float *ret_mixed);

/* A window of @image of its own size, moved by so many pixels, of the image continued by its mirror
 * images; and mirrored left to right where @is_flipped. Neither move is farther than a side. */
void assay_mixture_window (const AssayGeometry *geometry, gint64 down, gint64 right,
                           gboolean is_flipped, const float *image, float *ret_window);

/* Number c changes its sign where bit c of the words is set. */
gsize assay_mixture_sign_words (gsize cols); /* how many there are */
void assay_mixture_flip_signs (const guint32 *words, gsize cols, float *inout_values);
