/* Kernels of layers. Sums are taken in double, lane by lane, in a fixed order. */
#include "core/network/layers.h"

#include <math.h>
#include <string.h>

#include "core/base/vectorise.h"

#define LANES 8
#define EPSILON 1e-5

void
assay_blocks_from_planes (AssayBlocks shape, gsize channels, const float *planes, float *ret_blocks)
{
  const gsize pixels = shape.height * shape.width;

  memset (ret_blocks, 0, assay_blocks_size (shape) * sizeof (float));
  for (gsize c = 0; c < channels; c++)
    for (gsize i = 0; i < pixels; i++)
      ret_blocks[(c / LANES * pixels + i) * LANES + c % LANES] = planes[c * pixels + i];
}

void
assay_blocks_to_planes (AssayBlocks shape, gsize channels, const float *blocks, float *ret_planes)
{
  const gsize pixels = shape.height * shape.width;

  for (gsize c = 0; c < channels; c++)
    for (gsize i = 0; i < pixels; i++)
      ret_planes[c * pixels + i] = blocks[(c / LANES * pixels + i) * LANES + c % LANES];
}

/* ---- Normalisation ---- */

/* Sums of x - shift and of its square, by lanes. */
ASSAY_VECTORISED static void
sum_moments (gsize pixels, const float *x, double shift, double *ret_sums)
{
  double sums[2 * LANES] = { 0 };

  for (gsize i = 0; i < pixels; i++)
    for (gsize l = 0; l < LANES; l++) {
      const double value = (double) x[i * LANES + l] - shift;

      sums[l] += value;
      sums[LANES + l] += value * value;
    }
  memcpy (ret_sums, sums, sizeof sums);
}

static double
sum_lanes (const double *lanes)
{
  double sum = 0;

  for (gsize l = 0; l < LANES; l++)
    sum += lanes[l];
  return sum;
}

ASSAY_VECTORISED static void
apply_lines (gsize pixels, const float *slope, const float *offset, const float *x, float *ret_y)
{
  for (gsize i = 0; i < pixels; i++)
    for (gsize l = 0; l < LANES; l++)
      ret_y[i * LANES + l] = slope[l] * x[i * LANES + l] + offset[l];
}

void
assay_normalise_forward (AssayBlocks shape, const float *const *scale_shift, const float *x,
                         float *ret_y, float *ret_mean_inverse)
{
  const gsize pixels = shape.height * shape.width;

  for (gsize b = 0; b < shape.blocks; b++) {
    const float *block = x + b * pixels * LANES;
    const double n = (double) (pixels * LANES), shift = (double) block[0];
    double sums[2 * LANES], mean, variance, inverse;
    float slope[LANES], offset[LANES];

    sum_moments (pixels, block, shift, sums);
    mean = sum_lanes (sums) / n;
    variance = MAX (sum_lanes (sums + LANES) / n - mean * mean, 0);
    mean += shift;
    inverse = 1 / sqrt (variance + EPSILON);
    for (gsize l = 0; l < LANES; l++) {
      slope[l] = (float) ((double) scale_shift[0][b * LANES + l] * inverse);
      offset[l] = (float) ((double) scale_shift[1][b * LANES + l] - mean * (double) slope[l]);
    }
    apply_lines (pixels, slope, offset, block, ret_y + b * pixels * LANES);
    ret_mean_inverse[2 * b] = (float) mean;
    ret_mean_inverse[2 * b + 1] = (float) inverse;
  }
}

/* Sums of dy and of dy x by lanes, with x as it is after normalisation. */
ASSAY_VECTORISED static void
sum_products (gsize pixels, const float *x, const float *dy, const float *mean_inverse,
              double *ret_sums)
{
  const float mean = mean_inverse[0], inverse = mean_inverse[1];
  double sums[2 * LANES] = { 0 };

  for (gsize i = 0; i < pixels; i++)
    for (gsize l = 0; l < LANES; l++) {
      const float normal = (x[i * LANES + l] - mean) * inverse;

      sums[l] += (double) dy[i * LANES + l];
      sums[LANES + l] += (double) (dy[i * LANES + l] * normal);
    }
  memcpy (ret_sums, sums, sizeof sums);
}

/* dx += slope dy + along x + offset */
ASSAY_VECTORISED static void
add_lines (gsize pixels, const float *slope, const float *along_offset, const float *x,
           const float *dy, float *inout_dx)
{
  const float along = along_offset[0], offset = along_offset[1];

  for (gsize i = 0; i < pixels; i++)
    for (gsize l = 0; l < LANES; l++)
      inout_dx[i * LANES + l] += slope[l] * dy[i * LANES + l] + along * x[i * LANES + l] + offset;
}

/* With q = scale dy and z the normalised x: dx = inverse (q - mean q - z mean (q z)). */
void
assay_normalise_back (AssayBlocks shape, const float *scale, const float *x, const float *dy,
                      const float *mean_inverse, float *const *inout_gradients)
{
  const gsize pixels = shape.height * shape.width;

  for (gsize b = 0; b < shape.blocks; b++, mean_inverse += 2) {
    const gsize first = b * pixels * LANES;
    const double n = (double) (pixels * LANES);
    const double mean = (double) mean_inverse[0], inverse = (double) mean_inverse[1];
    double sums[2 * LANES], q = 0, qz = 0;
    float slope[LANES], along_offset[2];

    sum_products (pixels, x + first, dy + first, mean_inverse, sums);
    for (gsize l = 0; l < LANES; l++) {
      const double factor = (double) scale[b * LANES + l];

      inout_gradients[2][b * LANES + l] += (float) sums[l];
      inout_gradients[1][b * LANES + l] += (float) sums[LANES + l];
      q += factor * sums[l] / n;
      qz += factor * sums[LANES + l] / n;
      slope[l] = (float) (factor * inverse);
    }
    along_offset[0] = (float) (-inverse * inverse * qz);
    along_offset[1] = (float) (inverse * (mean * inverse * qz - q));
    add_lines (pixels, slope, along_offset, x + first, dy + first, inout_gradients[0] + first);
  }
}

/* ---- Pixel by pixel ---- */

ASSAY_VECTORISED static void
rectify_values (gsize n, const float *x, float *ret_y)
{
  for (gsize i = 0; i < n; i++)
    ret_y[i] = x[i] < 0 ? 0 : x[i]; /* what is not a number stays so, and training sees it */
}

void
assay_rectify_forward (gsize n, const float *x, float *ret_y)
{
  rectify_values (n, x, ret_y);
}

ASSAY_VECTORISED static void
mask_values (gsize n, const float *y, float *inout_dx)
{
  for (gsize i = 0; i < n; i++)
    inout_dx[i] = y[i] > 0 ? inout_dx[i] : 0;
}

ASSAY_VECTORISED static void
add_masked (gsize n, const float *y, const float *dy, float *inout_dx)
{
  for (gsize i = 0; i < n; i++)
    inout_dx[i] += y[i] > 0 ? dy[i] : 0;
}

/* In place where both are one. */
void
assay_rectify_back (gsize n, const float *y, const float *dy, float *inout_dx)
{
  if (dy == inout_dx)
    mask_values (n, y, inout_dx);
  else
    add_masked (n, y, dy, inout_dx);
}

ASSAY_VECTORISED static void
add_values (gsize n, const float *x, float *inout_y)
{
  for (gsize i = 0; i < n; i++)
    inout_y[i] += x[i];
}

void
assay_add (gsize n, const float *x, float *inout_y)
{
  add_values (n, x, inout_y);
}

ASSAY_VECTORISED static void
multiply_values (gsize n, const float *a, const float *b, float *ret_y)
{
  for (gsize i = 0; i < n; i++)
    ret_y[i] = a[i] * b[i];
}

void
assay_multiply (gsize n, const float *a, const float *b, float *ret_y)
{
  multiply_values (n, a, b, ret_y);
}

ASSAY_VECTORISED static void
add_products (gsize n, const float *b, const float *dy, float *inout_da)
{
  for (gsize i = 0; i < n; i++)
    inout_da[i] += b[i] * dy[i];
}

void
assay_multiply_back (gsize n, const float *b, const float *dy, float *inout_da)
{
  add_products (n, b, dy, inout_da);
}

/* ---- Sizes that change ---- */

/* The four pixels that become one, or that one becomes: their places in a block. */
static inline void
four_places (gsize width, gsize i, gsize j, gsize *ret_places)
{
  for (gsize k = 0; k < 4; k++)
    ret_places[k] = ((2 * i + k / 2) * width + 2 * j + k % 2) * LANES;
}

void
assay_pool_forward (AssayBlocks shape, const float *x, float *ret_y)
{
  gsize at[4];

  for (gsize b = 0; b < shape.blocks; b++, x += shape.height * shape.width * LANES)
    for (gsize i = 0; i < shape.height / 2; i++)
      for (gsize j = 0; j < shape.width / 2; j++, ret_y += LANES) {
        four_places (shape.width, i, j, at);
        for (gsize l = 0; l < LANES; l++) {
          const float upper = MAX (x[at[0] + l], x[at[1] + l]);
          const float lower = MAX (x[at[2] + l], x[at[3] + l]);

          ret_y[l] = MAX (upper, lower);
        }
      }
}

void
assay_pool_back (AssayBlocks shape, const float *x, const float *dy, float *inout_dx)
{
  const gsize size = shape.height * shape.width * LANES;
  gsize at[4];

  for (gsize b = 0; b < shape.blocks; b++, x += size, inout_dx += size)
    for (gsize i = 0; i < shape.height / 2; i++)
      for (gsize j = 0; j < shape.width / 2; j++, dy += LANES) {
        four_places (shape.width, i, j, at);
        for (gsize l = 0; l < LANES; l++) {
          gsize largest = at[0] + l;

          for (gsize k = 1; k < 4; k++)
            if (x[at[k] + l] > x[largest])
              largest = at[k] + l;
          inout_dx[largest] += dy[l];
        }
      }
}

void
assay_mean_forward (AssayBlocks shape, const float *x, float *ret_y)
{
  const gsize pixels = shape.height * shape.width;
  double sums[2 * LANES];

  for (gsize b = 0; b < shape.blocks; b++) {
    sum_moments (pixels, x + b * pixels * LANES, 0, sums);
    for (gsize l = 0; l < LANES; l++)
      ret_y[b * LANES + l] = (float) (sums[l] / (double) pixels);
  }
}

void
assay_mean_back (AssayBlocks shape, const float *dy, float *inout_dx)
{
  const gsize pixels = shape.height * shape.width;
  const float share = 1 / (float) pixels;

  for (gsize b = 0; b < shape.blocks; b++)
    for (gsize i = 0; i < pixels; i++)
      for (gsize l = 0; l < LANES; l++)
        inout_dx[(b * pixels + i) * LANES + l] += share * dy[b * LANES + l];
}

void
assay_enlarge_forward (AssayBlocks shape, const float *x, float *ret_y)
{
  gsize at[4];

  for (gsize b = 0; b < shape.blocks; b++, ret_y += 4 * shape.height * shape.width * LANES)
    for (gsize i = 0; i < shape.height; i++)
      for (gsize j = 0; j < shape.width; j++, x += LANES) {
        four_places (2 * shape.width, i, j, at);
        for (gsize k = 0; k < 4; k++)
          memcpy (ret_y + at[k], x, LANES * sizeof (float));
      }
}

void
assay_enlarge_back (AssayBlocks shape, const float *dy, float *inout_dx)
{
  gsize at[4];

  for (gsize b = 0; b < shape.blocks; b++, dy += 4 * shape.height * shape.width * LANES)
    for (gsize i = 0; i < shape.height; i++)
      for (gsize j = 0; j < shape.width; j++, inout_dx += LANES) {
        four_places (2 * shape.width, i, j, at);
        for (gsize k = 0; k < 4; k++)
          for (gsize l = 0; l < LANES; l++)
            inout_dx[l] += dy[at[k] + l];
      }
}
