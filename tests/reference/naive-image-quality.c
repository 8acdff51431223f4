#include "tests/reference/naive-image-quality.h"

#include <math.h>

static double
weight_of (gsize y, gsize x)
{
  return exp (-(pow ((double) y - 5, 2) + pow ((double) x - 5, 2)) / (2 * 1.5 * 1.5));
}

/* The weighted mean of (a - a_mean) (b - b_mean) in the window at @a and @b; NULL: of 1. */
static double
moment (AssayImageShape shape, const float *a, double a_mean, const float *b, double b_mean)
{
  double sum = 0, total = 0;

  for (gsize y = 0; y < 11; y++)
    for (gsize x = 0; x < 11; x++) {
      const gsize at = (y * shape.width + x) * shape.channels;
      const double weight = weight_of (y, x);

      total += weight;
      sum += weight * ((double) a[at] - a_mean) * (b != NULL ? (double) b[at] - b_mean : 1);
    }
  return sum / total;
}

double
naive_ssim (AssayImageShape shape, double range, const float *a, const float *b)
{
  const double c1 = pow (0.01 * range, 2), c2 = pow (0.03 * range, 2);
  double sum = 0;
  gsize n = 0;

  for (gsize channel = 0; channel < shape.channels; channel++)
    for (gsize y = 0; y + 11 <= shape.height; y++)
      for (gsize x = 0; x + 11 <= shape.width; x++, n++) {
        const gsize at = (y * shape.width + x) * shape.channels + channel;
        const float *p = a + at, *q = b + at;
        const double m = moment (shape, p, 0, NULL, 0), k = moment (shape, q, 0, NULL, 0);
        const double luminance = (2 * m * k + c1) / (m * m + k * k + c1);
        const double structure = (2 * moment (shape, p, m, q, k) + c2)
                                 / (moment (shape, p, m, p, m) + moment (shape, q, k, q, k) + c2);

        sum += luminance * structure;
      }
  return sum / (double) n;
}
