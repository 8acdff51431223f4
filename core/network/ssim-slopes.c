/* How SSIM grows with the pixels of a picture.
 *
 * Of a window, SSIM is made of five means under its weights: m and n of a and b, p and q of a^2 and
 * b^2, and r of a b. With
 *
 *   A = 2 m n + C1, B = 2 (r - m n) + C2, C = m^2 + n^2 + C1, D = p - m^2 + q - n^2 + C2
 *
 * it is S = A B / (C D), and its slopes by the means that a has a part in are
 *
 *   by m: 2 n (B - A) / (C D) + 2 m S (1 / D - 1 / C),   by p: -S / D,   by r: 2 A / (C D).
 *
 * A pixel has a part in each window around it, by its weight there: with G' the transpose of the
 * blur, the slopes by a are G' (by m) + 2 a G' (by p) + b G' (by r). */
#include "core/network/ssim-slopes.h"

#include <string.h>

#include "core/base/vectorise.h"

#define WINDOW ASSAY_SSIM_WINDOW
#define MEANS 5 /* planes of windows */

static double
weight (gsize k)
{
  return assay_ssim_weights[MIN (k, WINDOW - 1 - k)];
}

ASSAY_VECTORISED static void
add_weighted (gsize n, double w, const double *x, double *restrict inout_sum)
{
  for (gsize i = 0; i < n; i++)
    inout_sum[i] += w * x[i];
}

ASSAY_VECTORISED static void
multiply_floats (gsize n, const float *x, const float *y, double *restrict ret)
{
  for (gsize i = 0; i < n; i++)
    ret[i] = (double) x[i] * (double) y[i];
}

ASSAY_VECTORISED static void
widen (gsize n, const float *x, double *restrict ret)
{
  for (gsize i = 0; i < n; i++)
    ret[i] = (double) x[i];
}

/* Whole windows of a picture. */
static gsize
lines_of (const AssaySsimSlopes *of)
{
  return of->height - WINDOW + 1;
}

static gsize
line_of (const AssaySsimSlopes *of)
{
  return of->width - WINDOW + 1;
}

/* @rows: lines x width, in which columns are blurred first. */
static void
blur (const AssaySsimSlopes *of, const double *x, double *rows, double *ret_windows)
{
  const gsize lines = lines_of (of), line = line_of (of), width = of->width;

  memset (rows, 0, lines * width * sizeof (double));
  memset (ret_windows, 0, lines * line * sizeof (double));
  for (gsize y = 0; y < lines; y++)
    for (gsize k = 0; k < WINDOW; k++) {
      add_weighted (width, weight (k), x + (y + k) * width, rows + y * width);
    }
  for (gsize y = 0; y < lines; y++)
    for (gsize k = 0; k < WINDOW; k++)
      add_weighted (line, weight (k), rows + y * width + k, ret_windows + y * line);
}

/* The transpose of that. */
static void
blur_back (const AssaySsimSlopes *of, const double *windows, double *rows, double *ret_x)
{
  const gsize lines = lines_of (of), line = line_of (of), width = of->width;

  memset (rows, 0, lines * width * sizeof (double));
  memset (ret_x, 0, of->height * width * sizeof (double));
  for (gsize y = 0; y < lines; y++)
    for (gsize k = 0; k < WINDOW; k++)
      add_weighted (line, weight (k), windows + y * line, rows + y * width + k);
  for (gsize y = 0; y < lines; y++)
    for (gsize k = 0; k < WINDOW; k++)
      add_weighted (width, weight (k), rows + y * width, ret_x + (y + k) * width);
}

/* Of @n windows, whose means become the slopes by m, p and r, in their places; S into @ret_similar.
 * @means: n planes each of m, n, p, q, r. */
ASSAY_VECTORISED static void
turn_means (gsize n, double c1, double c2, double *means, double *restrict ret_similar)
{
  double *m = means, *p = means + 2 * n, *r = means + 4 * n;
  const double *b = means + n, *q = means + 3 * n;

  for (gsize i = 0; i < n; i++) {
    const double A = 2 * (m[i] * b[i]) + c1, B = 2 * (r[i] - m[i] * b[i]) + c2;
    const double C = m[i] * m[i] + b[i] * b[i] + c1;
    const double D = p[i] - m[i] * m[i] + q[i] - b[i] * b[i] + c2;
    const double of_both = 1 / (C * D), similar = A * B * of_both;

    ret_similar[i] = similar;
    m[i] = 2 * b[i] * (B - A) * of_both + 2 * m[i] * similar * (1 / D - 1 / C);
    p[i] = -similar / D;
    r[i] = 2 * A * of_both;
  }
}

gsize
assay_ssim_slopes_scratch (const AssaySsimSlopes *of)
{
  return (MEANS + 1) * lines_of (of) * line_of (of) + lines_of (of) * of->width
         + 2 * of->height * of->width;
}

double
assay_ssim_slopes (const AssaySsimSlopes *of, const float *a, const float *b, double *scratch,
                   float *ret_slopes)
{
  const gsize n = lines_of (of) * line_of (of), pixels = of->height * of->width;
  const double c1 = 0.01 * of->range * 0.01 * of->range, c2 = 0.03 * of->range * 0.03 * of->range;
  double *means = scratch, *similar = means + MEANS * n, *rows = similar + n;
  double *x = rows + lines_of (of) * of->width, *slopes = x + pixels, sum = 0;

  widen (pixels, a, x);
  blur (of, x, rows, means);
  widen (pixels, b, x);
  blur (of, x, rows, means + n);
  multiply_floats (pixels, a, a, x);
  blur (of, x, rows, means + 2 * n);
  multiply_floats (pixels, b, b, x);
  blur (of, x, rows, means + 3 * n);
  multiply_floats (pixels, a, b, x);
  blur (of, x, rows, means + 4 * n);
  turn_means (n, c1, c2, means, similar);
  for (gsize i = 0; i < n; i++)
    sum += similar[i];
  blur_back (of, means, rows, slopes);
  blur_back (of, means + 2 * n, rows, x);
  for (gsize i = 0; i < pixels; i++)
    slopes[i] += 2 * (double) a[i] * x[i];
  blur_back (of, means + 4 * n, rows, x);
  for (gsize i = 0; i < pixels; i++)
    ret_slopes[i] = (float) ((slopes[i] + (double) b[i] * x[i]) / (double) n);
  return sum / (double) n;
}
