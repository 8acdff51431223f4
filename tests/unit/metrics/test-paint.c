/* Painting: warps in closed form, and holes by symmetry. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/math/painting/paint.h"
#include "tests/unit/assert-near.h"

static AssayPhoto *
plane (gsize width, gsize height, gsize channels, double level, double by_x, double by_y)
{
  AssayPhoto *photo = assay_photo_new (width, height, channels, NULL);

  for (gsize y = 0; y < height; y++)
    for (gsize x = 0; x < width; x++)
      for (gsize c = 0; c < channels; c++)
        assay_photo_pixel (photo, x, y)[c]
            = (float) (level + by_x * (double) x + by_y * (double) y + 5 * (double) c);
  return photo;
}

/* A plane stays a plane under bilinear interpolation, under means over symmetric samples and under
 * blending, so that pixel p' of the picture is the plane at p + (s / s') R (a - a') (x - p').
 * Tolerance: float32 of patches (2^-17 at 128), and of the picture. */
Test (paint, planes_are_warped_exactly)
{
  static const AssayPaintFrame frames[][2] = {
    { { 110, 110, 10, 30 }, { 32.25f, 30.5f, 10, 30 } },   /* moved */
    { { 110, 110, 10, 20 }, { 32, 31, 10, 80 } },          /* turned */
    { { 110.5f, 108, 10, 0 }, { 30, 31, 25, 0 } },         /* enlarged */
    { { 110, 110, 24, 300 }, { 31.5f, 32.5f, 12, 10 } },   /* reduced and turned */
    { { 110, 110, 26.5f, 45 }, { 31.5f, 32.5f, 12, 350 } } /* ... by no whole number */
  };
  g_autoptr (AssayPhoto) source = plane (220, 220, 3, 20, 0.5, 0.4);
  const AssayPaintCanvas canvas = { .width = 64, .height = 60, .channels = 3, .patch = 12 };

  for (gsize k = 0; k < G_N_ELEMENTS (frames); k++) {
    const AssayPaintFrame from = frames[k][0], to = frames[k][1];
    const AssayPaintPatch patch = { .source = source, .from = from, .to = to };
    const double scale = (double) from.size / (double) to.size;
    const double turn = ((double) from.angle - (double) to.angle) * G_PI / 180;
    double painted;
    g_autoptr (AssayPhoto) photo = assay_paint_picture (&canvas, &patch, 1, &painted, NULL);

    for (gsize y = 0; y < canvas.height; y++)
      for (gsize x = 0; x < canvas.width; x++)
        for (gsize c = 0; c < 3; c++) {
          const double dx = (double) x - (double) to.x, dy = (double) y - (double) to.y;
          const double u = (double) from.x + scale * (cos (turn) * dx - sin (turn) * dy);
          const double v = (double) from.y + scale * (sin (turn) * dx + cos (turn) * dy);
          const double expected = 20 + 0.5 * u + 0.4 * v + 5 * (double) c;

          assert_near ((double) assay_photo_pixel (photo, x, y)[c], expected, 1e-4,
                       "case %zu, pixel %zu, %zu", k, x, y);
        }
    /* The square of 12 sizes is larger than the picture. */
    assert_near (painted, 1, 0, "case %zu", k);
  }
}

/* By hand: what is right of the source's keypoint of angle 0 is below a keypoint of angle 90 (from
 * x to y, and y points down), left of one of 180. */
Test (paint, angles_turn_from_x_to_y)
{
  static const float angles[] = { 0, 90, 180, 270 };
  static const gsize bright[][2] = { { 28, 20 }, { 20, 28 }, { 12, 20 }, { 20, 12 } };
  g_autoptr (AssayPhoto) source = assay_photo_new (101, 101, 1, NULL);
  const AssayPaintCanvas canvas = { .width = 41, .height = 41, .channels = 1, .patch = 12 };

  for (gsize y = 0; y < 101; y++)
    for (gsize x = 0; x < 101; x++)
      *assay_photo_pixel (source, x, y) = x > 50 ? 200 : 40;
  for (gsize k = 0; k < 4; k++) {
    const AssayPaintPatch patch
        = { source, .from = { 50, 50, 6, 0 }, .to = { 20, 20, 6, angles[k] } };
    g_autoptr (AssayPhoto) photo = assay_paint_picture (&canvas, &patch, 1, NULL, NULL);

    assert_near ((double) *assay_photo_pixel (photo, bright[k][0], bright[k][1]), 200, 1e-3,
                 "%g degrees", (double) angles[k]);
    assert_near ((double) *assay_photo_pixel (photo, 40 - bright[k][0], 40 - bright[k][1]), 40,
                 1e-3, "%g degrees, opposite", (double) angles[k]);
  }
}

/* Columns of 0 and 200 in turn, reduced eight times: every pixel is the mean of 8 x 8 samples that
 * are one source pixel apart, 100; a single sample would be any value from 0 to 200. */
Test (paint, reduced_patches_are_averaged)
{
  g_autoptr (AssayPhoto) source = assay_photo_new (300, 300, 1, NULL);
  const AssayPaintCanvas canvas = { .width = 20, .height = 20, .channels = 1, .patch = 12 };
  const AssayPaintPatch patch = { source, .from = { 150.25f, 150, 40, 0 }, .to = { 10, 10, 5, 0 } };
  g_autoptr (AssayPhoto) photo = NULL;

  for (gsize y = 0; y < 300; y++)
    for (gsize x = 0; x < 300; x++)
      *assay_photo_pixel (source, x, y) = x % 2 == 0 ? 0 : 200;
  photo = assay_paint_picture (&canvas, &patch, 1, NULL, NULL);
  for (gsize i = 0; i < 20 * 20; i++)
    assert_near ((double) photo->data[i], 100, 1e-3, "pixel %zu", i);
}

/* A patch of 4 sizes of 5 pixels around (20, 20) covers the open square of 10 pixels around it:
 * 19 x 19 pixels. A grey patch of one level fills the holes with that level; no patch leaves
 * mid-grey. */
Test (paint, one_level_fills_the_picture)
{
  g_autoptr (AssayPhoto) source = plane (60, 60, 1, 77, 0, 0);
  const AssayPaintCanvas canvas = { .width = 50, .height = 40, .channels = 3, .patch = 4 };
  const AssayPaintPatch patch = { source, .from = { 30, 30, 5, 10 }, .to = { 20, 20, 5, 0 } };
  const AssayPaintPatch outside = { source, .from = { 500, 30, 5, 10 }, .to = { 20, 20, 5, 0 } };
  const AssayPaintPatch *const patches[] = { &patch, &outside };
  double painted;

  for (gsize k = 0; k < 2; k++) {
    g_autoptr (AssayPhoto) photo = assay_paint_picture (&canvas, patches[k], 1, &painted, NULL);

    assert_near (painted, k == 0 ? 361.0 / 2000 : 0, 1e-12, "patch %zu", k);
    for (gsize i = 0; i < 50 * 40 * 3; i++)
      assert_near ((double) photo->data[i], k == 0 ? 77 : 127.5, 1e-2, "patch %zu, %zu", k, i);
  }
}

/* Two patches of levels 60 and 180, mirror images of each other: so is the picture about 120, and
 * its minimum is where A f = b, which a direct walk over the pixels checks. */
Test (paint, holes_are_filled_harmonically)
{
  g_autoptr (AssayPhoto) dark = plane (60, 60, 1, 60, 0, 0);
  g_autoptr (AssayPhoto) light = plane (60, 60, 1, 180, 0, 0);
  const AssayPaintCanvas canvas = { .width = 81, .height = 31, .channels = 1, .patch = 4 };
  const AssayPaintPatch patches[] = { { dark, { 30, 30, 5, 0 }, { 20, 15, 5, 0 } },
                                 { light, { 30, 30, 5, 0 }, { 60, 15, 5, 0 } } };
  g_autoptr (AssayPhoto) photo = assay_paint_picture (&canvas, patches, 2, NULL, NULL);

  for (gsize y = 0; y < 31; y++)
    for (gsize x = 0; x < 81; x++)
      assert_near ((double) *assay_photo_pixel (photo, x, y)
                       + (double) *assay_photo_pixel (photo, 80 - x, y),
                   240, 0.02, "%zu, %zu", x, y);
  for (gsize y = 1; y < 30; y++)
    for (gsize x = 32; x < 49; x++)
      assert_near ((double) *assay_photo_pixel (photo, x, y),
                   ((double) *assay_photo_pixel (photo, x - 1, y)
                    + (double) *assay_photo_pixel (photo, x + 1, y)
                    + (double) *assay_photo_pixel (photo, x, y - 1)
                    + (double) *assay_photo_pixel (photo, x, y + 1))
                       / 4,
                   0.02, "mean of its neighbours, %zu, %zu", x, y);
}
