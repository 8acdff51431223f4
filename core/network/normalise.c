/* Sums are taken in double, lane by lane, in a fixed order. Loops are written once for both numbers
 * of lanes, and compiled for each. */
#include "core/network/normalise.h"

#include <math.h>
#include <string.h>

#include "core/base/vectorise.h"
#include "core/network/convolution.h"

#define GROUP ASSAY_NORMALISED_GROUP
#define MOST ASSAY_CHANNEL_LANES
#define EPSILON 1e-5
#define INLINE static inline __attribute__ ((always_inline))

/* Compilers make no vectors of conditions within the lanes of a pixel: they are written here. */
#define QUAD 4
typedef float Floats __attribute__ ((vector_size (QUAD * sizeof (float))));
typedef gint32 Bits __attribute__ ((vector_size (QUAD * sizeof (gint32))));
typedef double Doubles __attribute__ ((vector_size (QUAD * sizeof (double))));

gsize
assay_normalise_moments (AssayBlocks shape)
{
  return 2 * shape.blocks * (shape.lanes / GROUP);
}

/* ---- Forward ---- */

/* Of one block: x - shift and its square, by lanes. */
INLINE void
sum_of (gsize lanes, gsize pixels, const float *x, const double *shifts, double *ret_sums)
{
  double sums[2 * MOST] = { 0 };

  for (gsize i = 0; i < pixels; i++)
    for (gsize l = 0; l < lanes; l++) {
      const double value = (double) x[i * lanes + l] - shifts[l / GROUP];

      sums[l] += value;
      sums[lanes + l] += value * value;
    }
  memcpy (ret_sums, sums, sizeof sums);
}

ASSAY_VECTORISED static void
sum_moments (gsize lanes, gsize pixels, const float *x, const double *shifts, double *ret_sums)
{
  if (lanes == 16)
    sum_of (16, pixels, x, shifts, ret_sums);
  else
    sum_of (8, pixels, x, shifts, ret_sums);
}

static double
sum_group (const double *lanes)
{
  double sum = 0;

  for (gsize l = 0; l < GROUP; l++)
    sum += lanes[l];
  return sum;
}

INLINE void
apply_of (gsize lanes, gboolean is_rectified, gsize pixels, const float *const *lines,
          const float *x, float *ret_y)
{
  float slope[MOST], offset[MOST];

  memcpy (slope, lines[0], lanes * sizeof (float)); /* of its own: ret_y may be anywhere */
  memcpy (offset, lines[1], lanes * sizeof (float));
  for (gsize i = 0; i < pixels; i++)
    for (gsize l = 0; l < lanes; l++) {
      const float y = slope[l] * x[i * lanes + l] + offset[l];

      /* What is not a number stays so, and training sees it. */
      ret_y[i * lanes + l] = is_rectified && y < 0 ? 0 : y;
    }
}

ASSAY_VECTORISED static void
apply_lines (gsize lanes, gboolean is_rectified, gsize pixels, const float *const *lines,
             const float *x, float *ret_y)
{
  if (lanes == 16 && is_rectified)
    apply_of (16, TRUE, pixels, lines, x, ret_y);
  else if (lanes == 16)
    apply_of (16, FALSE, pixels, lines, x, ret_y);
  else if (is_rectified)
    apply_of (8, TRUE, pixels, lines, x, ret_y);
  else
    apply_of (8, FALSE, pixels, lines, x, ret_y);
}

void
assay_normalise_forward (const AssayNormalisation *normalisation, const float *x, float *ret_y,
                         float *ret_moments)
{
  const AssayBlocks shape = normalisation->shape;
  const gsize pixels = shape.height * shape.width, lanes = shape.lanes, groups = lanes / GROUP;
  const double n = (double) (pixels * GROUP);

  for (gsize b = 0; b < shape.blocks; b++, ret_moments += 2 * groups) {
    const float *block = x + b * pixels * lanes;
    const double shifts[MOST / GROUP] = { (double) block[0], (double) block[lanes - GROUP] };
    float slope[MOST], offset[MOST];
    double sums[2 * MOST];

    sum_moments (lanes, pixels, block, shifts, sums);
    for (gsize g = 0; g < groups; g++) {
      double mean = sum_group (sums + g * GROUP) / n;
      const double variance = MAX (sum_group (sums + lanes + g * GROUP) / n - mean * mean, 0);
      const double inverse = 1 / sqrt (variance + EPSILON);

      mean += shifts[g];
      for (gsize l = g * GROUP; l < (g + 1) * GROUP; l++) {
        slope[l] = (float) ((double) normalisation->scales[b * lanes + l] * inverse);
        offset[l]
            = (float) ((double) normalisation->shifts[b * lanes + l] - mean * (double) slope[l]);
      }
      ret_moments[2 * g] = (float) mean;
      ret_moments[2 * g + 1] = (float) inverse;
    }
    apply_lines (lanes, normalisation->is_rectified, pixels, (const float *[]){ slope, offset },
                 block, ret_y + b * pixels * lanes);
  }
}

/* ---- Back ---- */

/* Sums of dy and of dy x by lanes, with x as it is after normalisation. */
INLINE void
products_of (gsize lanes, gboolean is_rectified, gsize pixels, const AssayNormalised *image,
             double *ret_sums)
{
  const float *x = image->x, *y = image->y, *dy = image->dy, *moments = image->moments;
  Doubles sums[2][MOST / QUAD] = { 0 };

  for (gsize i = 0; i < pixels; i++, x += lanes, y += lanes, dy += lanes)
    for (gsize q = 0; q < lanes / QUAD; q++) {
      const float *of = moments + 2 * (q * QUAD / GROUP);
      Floats before, after, d;

      memcpy (&before, x + q * QUAD, sizeof before);
      memcpy (&after, y + q * QUAD, sizeof after);
      memcpy (&d, dy + q * QUAD, sizeof d);
      if (is_rectified)
        d = (Floats) ((Bits) d & (after > 0));
      sums[0][q] += __builtin_convertvector(d, Doubles);
      sums[1][q] += __builtin_convertvector(d * ((before - of[0]) * of[1]), Doubles);
    }
  memcpy (ret_sums, sums[0], lanes * sizeof (double));
  memcpy (ret_sums + lanes, sums[1], lanes * sizeof (double));
}

ASSAY_VECTORISED static void
sum_products (gsize lanes, gboolean is_rectified, gsize pixels, const AssayNormalised *image,
              double *ret_sums)
{
  if (lanes == 16 && is_rectified)
    products_of (16, TRUE, pixels, image, ret_sums);
  else if (lanes == 16)
    products_of (16, FALSE, pixels, image, ret_sums);
  else if (is_rectified)
    products_of (8, TRUE, pixels, image, ret_sums);
  else
    products_of (8, FALSE, pixels, image, ret_sums);
}

/* What dx of a block is made of: slope dy + along x + offset, the last two by groups. */
typedef struct {
  gsize pixels;
  AssayNormalised image; /* from the block on */
  Floats slope[MOST / QUAD];
  Floats along[MOST / QUAD], offset[MOST / QUAD];
} Lines;

INLINE void
lines_of (gsize lanes, gboolean is_rectified, gboolean adds, const Lines *lines, float *inout_dx)
{
  const Lines of = *lines;
  const float *x = of.image.x, *y = of.image.y, *dy = of.image.dy;

  for (gsize i = 0; i < of.pixels; i++, x += lanes, y += lanes, dy += lanes, inout_dx += lanes)
    for (gsize q = 0; q < lanes / QUAD; q++) {
      Floats before, after, d, there;

      memcpy (&before, x + q * QUAD, sizeof before);
      memcpy (&after, y + q * QUAD, sizeof after);
      memcpy (&d, dy + q * QUAD, sizeof d);
      if (is_rectified)
        d = (Floats) ((Bits) d & (after > 0));
      d = of.slope[q] * d + of.along[q] * before + of.offset[q];
      if (adds) {
        memcpy (&there, inout_dx + q * QUAD, sizeof there);
        d = there + d;
      }
      memcpy (inout_dx + q * QUAD, &d, sizeof d);
    }
}

ASSAY_VECTORISED static void
put_lines (gsize lanes, gboolean is_rectified, gboolean adds, const Lines *lines, float *inout_dx)
{
  if (lanes == 16 && is_rectified && !adds)
    lines_of (16, TRUE, FALSE, lines, inout_dx);
  else if (lanes == 16)
    lines_of (16, is_rectified, adds, lines, inout_dx);
  else if (is_rectified && !adds)
    lines_of (8, TRUE, FALSE, lines, inout_dx);
  else
    lines_of (8, is_rectified, adds, lines, inout_dx);
}

/* With q = scale dy and z the normalised x: dx = inverse (q - mean q - z mean (q z)). Adds to
 * derivatives of the block's scales and shifts. */
static void
differentiate_block (gsize lanes, const float *scales, const double *sums, Lines *inout_lines,
                     float *const *inout_scales_shifts)
{
  const float *moments = inout_lines->image.moments;
  const double n = (double) (inout_lines->pixels * GROUP);

  for (gsize g = 0; g < lanes / GROUP; g++) {
    const double mean = (double) moments[2 * g], inverse = (double) moments[2 * g + 1];
    double q = 0, qz = 0;

    for (gsize l = g * GROUP; l < (g + 1) * GROUP; l++) {
      const double factor = (double) scales[l];

      inout_scales_shifts[1][l] += (float) sums[l];
      inout_scales_shifts[0][l] += (float) sums[lanes + l];
      q += factor * sums[l] / n;
      qz += factor * sums[lanes + l] / n;
      inout_lines->slope[l / QUAD][l % QUAD] = (float) (factor * inverse);
    }
    for (gsize l = g * GROUP; l < (g + 1) * GROUP; l++) {
      inout_lines->along[l / QUAD][l % QUAD] = (float) (-inverse * inverse * qz);
      inout_lines->offset[l / QUAD][l % QUAD] = (float) (inverse * (mean * inverse * qz - q));
    }
  }
}

void
assay_normalise_back (const AssayNormalisation *normalisation, const AssayNormalised *image,
                      gboolean adds, float *inout_dx, float *const *inout_scales_shifts)
{
  const AssayBlocks shape = normalisation->shape;
  const gsize pixels = shape.height * shape.width, lanes = shape.lanes;

  for (gsize b = 0; b < shape.blocks; b++) {
    const gsize first = b * pixels * lanes;
    Lines lines = { .pixels = pixels,
                    .image = { image->x + first, image->y + first,
                               image->moments + b * 2 * (lanes / GROUP), image->dy + first } };
    float *const gradients[]
        = { inout_scales_shifts[0] + b * lanes, inout_scales_shifts[1] + b * lanes };
    double sums[2 * MOST];

    sum_products (lanes, normalisation->is_rectified, pixels, &lines.image, sums);
    differentiate_block (lanes, normalisation->scales + b * lanes, sums, &lines, gradients);
    put_lines (lanes, normalisation->is_rectified, adds, &lines, inout_dx + first);
  }
}
