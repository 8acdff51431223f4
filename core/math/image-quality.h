/* How alike two pictures are: mean absolute error, peak signal-to-noise ratio, and the structural
 * similarity index of Wang, Bovik, Sheikh and Simoncelli 2004 ("Image quality assessment: from
 * error visibility to structural similarity", IEEE Transactions on Image Processing 13, 4).
 *
 * A picture is height x width x channels float32 numbers, row-major, the channels of a pixel side
 * by side. Its numbers are finite; the caller has checked that. The data range R is that between
 * the least and the largest value that a pixel can have (1, 255; 2 for -1 .. 1), stated by the
 * caller and never read off the pictures. */
#pragma once

#include "core/data/matrix.h"

/* The side of SSIM's window: no picture with a shorter side has an SSIM. */
#define ASSAY_SSIM_WINDOW 11
/* exp (-k^2 / (2 * 1.5^2)) for k = -5 .. 0, over the sum for k = -5 .. 5. */
extern const double assay_ssim_weights[ASSAY_SSIM_WINDOW / 2 + 1];

/* What the PSNR of equal pictures is given as, in dB, and the most that any has: it stands for a
 * mean squared error of 10^-10 R^2 or less, below what 16 bits a pixel resolve. */
#define ASSAY_PSNR_MAX 100.0

typedef struct {
  gsize height;
  gsize width;
  gsize channels;
} AssayImageShape;

/* The mean of |a - b| over @count numbers, in the unit of the pixels; @count >= 1. */
double assay_image_mae (const float *a, const float *b, gsize count);

/* 10 log10 (R^2 / MSE) in dB with MSE the mean of (a - b)^2 over @count numbers, and at most
 * ASSAY_PSNR_MAX; @count >= 1, @range > 0. */
double assay_image_psnr (const float *a, const float *b, gsize count, double range);

/* How SSIM is measured. */
typedef struct {
  AssayImageShape shape;
  double range;
} AssaySsim;

/* ASSAY_ERROR_MISMATCH: a side below ASSAY_SSIM_WINDOW, no channel, or more pixels than can be
 * counted. ASSAY_ERROR_PARAMETER: a range that is not a positive number (of float32's magnitude).
 * Everything below makes the same checks. */
gboolean assay_ssim_check (const AssaySsim *ssim, GError **error);

/* SSIM of @a and @b, from -1 to 1: 1 for equal pictures, exactly, and the same for (b, a), exactly.
 *
 * The mean over channels and over every whole window (those centred 5 pixels or more from the
 * border) of
 *
 *   (2 m_a m_b + C1) (2 c_ab + C2) / ((m_a^2 + m_b^2 + C1) (v_a + v_b + C2)),
 *
 * C1 = (0.01 R)^2, C2 = (0.03 R)^2, with the means, variances and covariance under an 11 x 11
 * Gaussian window of sigma 1.5 with weights that add up to 1 (equations 13 to 17 of the paper). So
 * does scikit-image: structural_similarity (a, b, gaussian_weights=True, sigma=1.5,
 * use_sample_covariance=False, data_range=R, channel_axis=-1), in float64. */
gboolean assay_image_ssim (const AssaySsim *ssim, const float *a, const float *b, double *ret_ssim,
                           GError **error);

/* Pictures to be compared with many others: their window means and variances are taken once, for at
 * most some 24 bytes of memory a pixel and channel, and a comparison costs one blur in place of
 * five. */
typedef struct _AssaySsimSet AssaySsimSet;

/* A row of @images is a picture. Further ASSAY_ERROR_MISMATCH: rows of another length than the
 * shape's. */
AssaySsimSet *assay_ssim_set_new (const AssaySsim *ssim, AssayView images, GError **error);
ASSAY_DECLARE_FREE (AssaySsimSet, assay_ssim_set_free)

/* SSIM of every row of @queries with every picture of @set, in parallel: queries.rows x size of the
 * set, row-major. The same to the bit as assay_image_ssim (query, picture). */
gboolean assay_ssim_set_compare (const AssaySsimSet *set, AssayView queries, double *ret_ssim,
                                 GError **error);
