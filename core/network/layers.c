/* Kernels of layers. Loops over the channels of a block are compiled for both numbers of lanes. */
#include "core/network/layers.h"

#include <string.h>

#include "core/base/vectorise.h"
#include "core/network/convolution.h"

#define INLINE static inline __attribute__ ((always_inline))

void
assay_blocks_from_planes (AssayBlocks shape, gsize channels, const float *planes, float *ret_blocks)
{
  const gsize pixels = shape.height * shape.width, lanes = shape.lanes;

  memset (ret_blocks, 0, assay_blocks_size (shape) * sizeof (float));
  for (gsize c = 0; c < channels; c++)
    for (gsize i = 0; i < pixels; i++)
      ret_blocks[(c / lanes * pixels + i) * lanes + c % lanes] = planes[c * pixels + i];
}

void
assay_blocks_to_planes (AssayBlocks shape, gsize channels, const float *blocks, float *ret_planes)
{
  const gsize pixels = shape.height * shape.width, lanes = shape.lanes;

  for (gsize c = 0; c < channels; c++)
    for (gsize i = 0; i < pixels; i++)
      ret_planes[c * pixels + i] = blocks[(c / lanes * pixels + i) * lanes + c % lanes];
}

/* ---- Number by number ---- */

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
mask_values (gsize n, const float *y, float *inout_dy)
{
  for (gsize i = 0; i < n; i++)
    inout_dy[i] = y[i] > 0 ? inout_dy[i] : 0;
}

void
assay_rectify_back (gsize n, const float *y, float *inout_dy)
{
  mask_values (n, y, inout_dy);
}

ASSAY_VECTORISED static void
sum_values (gsize n, gboolean is_rectified, const float *a, const float *b, float *ret_y)
{
  if (is_rectified)
    for (gsize i = 0; i < n; i++) {
      const float y = a[i] + b[i];

      ret_y[i] = y < 0 ? 0 : y;
    }
  else
    for (gsize i = 0; i < n; i++)
      ret_y[i] = a[i] + b[i];
}

void
assay_sum_forward (gsize n, gboolean is_rectified, const float *a, const float *b, float *ret_y)
{
  sum_values (n, is_rectified, a, b, ret_y);
}

ASSAY_VECTORISED static void
add_values (gsize n, const float *dy, float *inout_dx)
{
  for (gsize i = 0; i < n; i++)
    inout_dx[i] += dy[i];
}

void
assay_pass_back (gsize n, gboolean adds, const float *dy, float *inout_dx)
{
  if (adds)
    add_values (n, dy, inout_dx);
  else
    memcpy (inout_dx, dy, n * sizeof (float));
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
assay_multiply_back (gsize n, gboolean adds, const float *b, const float *dy, float *inout_da)
{
  if (adds)
    add_products (n, b, dy, inout_da);
  else
    multiply_values (n, b, dy, inout_da);
}

/* ---- Sizes that change ---- */

/* The four pixels that become one, or that one becomes: their places in a block. */
INLINE void
four_places (gsize lanes, gsize width, gsize i, gsize j, gsize *ret_places)
{
  for (gsize k = 0; k < 4; k++)
    ret_places[k] = ((2 * i + k / 2) * width + 2 * j + k % 2) * lanes;
}

INLINE void
pool_of (gsize lanes, AssayBlocks shape, const float *x, float *ret_y)
{
  gsize at[4];

  for (gsize b = 0; b < shape.blocks; b++, x += shape.height * shape.width * lanes)
    for (gsize i = 0; i < shape.height / 2; i++)
      for (gsize j = 0; j < shape.width / 2; j++, ret_y += lanes) {
        four_places (lanes, shape.width, i, j, at);
        for (gsize l = 0; l < lanes; l++) {
          const float upper = MAX (x[at[0] + l], x[at[1] + l]);
          const float lower = MAX (x[at[2] + l], x[at[3] + l]);

          ret_y[l] = MAX (upper, lower);
        }
      }
}

ASSAY_VECTORISED static void
pool_values (AssayBlocks shape, const float *x, float *ret_y)
{
  if (shape.lanes == 16)
    pool_of (16, shape, x, ret_y);
  else
    pool_of (8, shape, x, ret_y);
}

void
assay_pool_forward (AssayBlocks shape, const float *x, float *ret_y)
{
  pool_values (shape, x, ret_y);
}

INLINE void
unpool_of (gsize lanes, AssayBlocks shape, gboolean adds, const float *const *x_y, const float *dy,
           float *inout_dx)
{
  const gsize size = shape.height * shape.width * lanes;
  const float *x = x_y[0], *y = x_y[1];
  gsize at[4];

  for (gsize b = 0; b < shape.blocks; b++, x += size, inout_dx += size)
    for (gsize i = 0; i < shape.height / 2; i++)
      for (gsize j = 0; j < shape.width / 2; j++, y += lanes, dy += lanes) {
        float left[ASSAY_CHANNEL_LANES]; /* until one is found that was the largest */

        four_places (lanes, shape.width, i, j, at);
        memcpy (left, dy, lanes * sizeof (float));
        for (gsize k = 0; k < 4; k++)
          for (gsize l = 0; l < lanes; l++) {
            const gboolean is_it = x[at[k] + l] == y[l];
            const float dx = is_it ? left[l] : 0;

            left[l] = is_it ? 0 : left[l];
            inout_dx[at[k] + l] = adds ? inout_dx[at[k] + l] + dx : dx;
          }
      }
}

ASSAY_VECTORISED static void
unpool_values (AssayBlocks shape, gboolean adds, const float *const *x_y, const float *dy,
               float *inout_dx)
{
  if (shape.lanes == 16)
    unpool_of (16, shape, adds, x_y, dy, inout_dx);
  else
    unpool_of (8, shape, adds, x_y, dy, inout_dx);
}

void
assay_pool_back (AssayBlocks shape, gboolean adds, const float *const *x_y, const float *dy,
                 float *inout_dx)
{
  unpool_values (shape, adds, x_y, dy, inout_dx);
}

/* Of one block. */
ASSAY_VECTORISED static void
sum_pixels (gsize lanes, gsize pixels, const float *x, double *ret_sums)
{
  double sums[ASSAY_CHANNEL_LANES] = { 0 };

  for (gsize i = 0; i < pixels; i++)
    for (gsize l = 0; l < lanes; l++)
      sums[l] += (double) x[i * lanes + l];
  memcpy (ret_sums, sums, sizeof sums);
}

void
assay_mean_forward (AssayBlocks shape, const float *x, float *ret_y)
{
  const gsize pixels = shape.height * shape.width, lanes = shape.lanes;
  double sums[ASSAY_CHANNEL_LANES];

  for (gsize b = 0; b < shape.blocks; b++) {
    sum_pixels (lanes, pixels, x + b * pixels * lanes, sums);
    for (gsize l = 0; l < lanes; l++)
      ret_y[b * lanes + l] = (float) (sums[l] / (double) pixels);
  }
}

void
assay_mean_back (AssayBlocks shape, gboolean adds, const float *dy, float *inout_dx)
{
  const gsize pixels = shape.height * shape.width, lanes = shape.lanes;
  const float share = 1 / (float) pixels;

  for (gsize b = 0; b < shape.blocks; b++)
    for (gsize i = 0; i < pixels; i++)
      for (gsize l = 0; l < lanes; l++) {
        float *dx = &inout_dx[(b * pixels + i) * lanes + l];

        *dx = (adds ? *dx : 0) + share * dy[b * lanes + l];
      }
}

INLINE void
enlarge_of (gsize lanes, AssayBlocks shape, const float *x, float *ret_y)
{
  gsize at[4];

  for (gsize b = 0; b < shape.blocks; b++, ret_y += 4 * shape.height * shape.width * lanes)
    for (gsize i = 0; i < shape.height; i++)
      for (gsize j = 0; j < shape.width; j++, x += lanes) {
        four_places (lanes, 2 * shape.width, i, j, at);
        for (gsize k = 0; k < 4; k++)
          memcpy (ret_y + at[k], x, lanes * sizeof (float));
      }
}

void
assay_enlarge_forward (AssayBlocks shape, const float *x, float *ret_y)
{
  if (shape.lanes == 16)
    enlarge_of (16, shape, x, ret_y);
  else
    enlarge_of (8, shape, x, ret_y);
}

INLINE void
shrink_of (gsize lanes, AssayBlocks shape, gboolean adds, const float *dy, float *inout_dx)
{
  gsize at[4];

  for (gsize b = 0; b < shape.blocks; b++, dy += 4 * shape.height * shape.width * lanes)
    for (gsize i = 0; i < shape.height; i++)
      for (gsize j = 0; j < shape.width; j++, inout_dx += lanes) {
        four_places (lanes, 2 * shape.width, i, j, at);
        for (gsize l = 0; l < lanes; l++) {
          float sum = adds ? inout_dx[l] : 0;

          for (gsize k = 0; k < 4; k++)
            sum += dy[at[k] + l];
          inout_dx[l] = sum;
        }
      }
}

ASSAY_VECTORISED static void
shrink_values (AssayBlocks shape, gboolean adds, const float *dy, float *inout_dx)
{
  if (shape.lanes == 16)
    shrink_of (16, shape, adds, dy, inout_dx);
  else
    shrink_of (8, shape, adds, dy, inout_dx);
}

void
assay_enlarge_back (AssayBlocks shape, gboolean adds, const float *dy, float *inout_dx)
{
  shrink_values (shape, adds, dy, inout_dx);
}
