/* How SSIM grows with pixels: against SSIM itself, and differences of it. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/base/rng.h"
#include "core/network/ssim-slopes.h"
#include "tests/unit/assert-near.h"

enum { HEIGHT = 15, WIDTH = 19, PIXELS = HEIGHT * WIDTH };

/* A picture with edges and noise, of levels 0 to @range. */
static void
fill (float *picture, double range, guint64 item)
{
  AssayStream stream = assay_stream (assay_stream_key (7, 0, "picture", "test-ssim-slopes"), item);

  for (gsize i = 0; i < PIXELS; i++)
    picture[i] = (float) (range
                          * (0.3 + 0.4 * (i % WIDTH > 5 + 2 * item)
                             + 0.2 * (assay_stream_uniform (&stream) - 0.5)));
}

static double
ssim_of (double range, const float *a, const float *b)
{
  const AssaySsim ssim = { { HEIGHT, WIDTH, 1 }, range };
  double value = NAN;

  cr_assert (assay_image_ssim (&ssim, a, b, &value, NULL));
  return value;
}

/* SSIM is computed from pixels in float32: a step of 1e-3 of the range is known to some 1e-4 of
 * itself. */
Test (ssim_slopes, differences)
{
  static const double ranges[] = { 1, 255 };

  for (guint r = 0; r < G_N_ELEMENTS (ranges); r++) {
    const AssaySsimSlopes of = { HEIGHT, WIDTH, ranges[r] };
    g_autofree double *scratch = g_new (double, assay_ssim_slopes_scratch (&of));
    float a[PIXELS], b[PIXELS], slopes[PIXELS];
    double largest = 0;

    fill (a, ranges[r], 0);
    fill (b, ranges[r], 1);
    assert_near (assay_ssim_slopes (&of, a, b, scratch, slopes), ssim_of (ranges[r], a, b), 1e-9,
                 "range %g", ranges[r]);
    for (gsize i = 0; i < PIXELS; i++)
      largest = fmax (largest, fabs ((double) slopes[i]));
    cr_assert_gt (largest * ranges[r], 0.01);
    for (gsize i = 0; i < PIXELS; i++) {
      const float before = a[i], step = (float) (1e-3 * ranges[r]);
      const float high = before + step, low = before - step;
      double above, below;

      a[i] = high;
      above = ssim_of (ranges[r], a, b);
      a[i] = low;
      below = ssim_of (ranges[r], a, b);
      a[i] = before;
      assert_near ((double) slopes[i], (above - below) / (double) (high - low), 2e-3 * largest,
                   "range %g, pixel %zu", ranges[r], i);
    }
  }
}

/* Nothing is more like a picture than itself. */
Test (ssim_slopes, of_equal_pictures)
{
  const AssaySsimSlopes of = { HEIGHT, WIDTH, 1 };
  g_autofree double *scratch = g_new (double, assay_ssim_slopes_scratch (&of));
  float a[PIXELS], slopes[PIXELS];

  fill (a, 1, 2);
  assert_near (assay_ssim_slopes (&of, a, a, scratch, slopes), 1, 1e-12, "of a and a");
  for (gsize i = 0; i < PIXELS; i++)
    assert_near ((double) slopes[i], 0, 1e-9, "pixel %zu", i);
}
