/* MAE, PSNR and SSIM: scikit-image's figures, a naive reference, closed forms and symmetries. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/math/image-quality.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-image-quality.h"
#include "tests/unit/assert-near.h"

static gsize
count_of (AssayImageShape shape)
{
  return shape.height * shape.width * shape.channels;
}

/* @n pictures of a smooth part, whose slope differs between pictures, and noise, in -1 .. 1. */
static AssayMatrix *
make_pictures (AssayImageShape shape, gsize n, const char *role)
{
  const AssayStreamKey key = assay_stream_key (41, 0, role, "test-image-quality");
  AssayMatrix *matrix = assay_matrix_new (n, count_of (shape), NULL);

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, i);
    const double slope = assay_stream_between (&stream, -0.03, 0.03);
    float *pixels = assay_matrix_row (matrix, i);

    for (gsize j = 0; j < matrix->cols; j++)
      pixels[j]
          = (float) (0.5 * sin (slope * (double) j) + assay_stream_between (&stream, -0.5, 0.5));
  }
  return matrix;
}

static double
ssim_of (AssayImageShape shape, double range, const float *a, const float *b)
{
  const AssaySsim ssim = { .shape = shape, .range = range };
  g_autoptr (GError) error = NULL;
  double value = NAN;

  cr_assert (assay_image_ssim (&ssim, a, b, &value, &error), "%s", error ? error->message : "");
  return value;
}

/* ---- Against scikit-image ---- */

typedef enum { A_NOISE, A_RAMP, A_FLAT } KindA;
typedef enum { B_NOISE, B_NEAR, B_CHANNEL, B_REVERSED, B_FLAT } KindB;

typedef struct {
  const char *name;
  AssayImageShape shape;
  KindA a;
  KindB b;
  double scale;
  double offset;
  double range;
  double mae;
  double psnr;
  double ssim;
} Case;

/* Printed by tests/reference/ssim-cases.py with scikit-image 0.19.3, SciPy 1.10.1 and NumPy 1.24.2:
 * structural_similarity with the arguments that core/math/image-quality.h names,
 * peak_signal_noise_ratio. */
/* clang-format off */
static const Case cases[] = {
  { "noise", { 32, 32, 1 },
    A_NOISE, B_NOISE, 1, 0, 255, 86.47949219, 7.573984971, -0.01646286191 },
  { "near", { 32, 32, 1 },
    A_NOISE, B_NEAR, 0.00390625, 0, 1, 0.03091430664, 28.87410417, 0.9918026295 },
  { "near, colour, centred", { 32, 32, 3 },
    A_NOISE, B_NEAR, 0.0078125, -1, 2, 0.06215159098, 28.87082627, 0.9398146279 },
  { "smallest", { 11, 11, 1 },
    A_NOISE, B_NEAR, 1, 0, 255, 7.338842975, 29.21446157, 0.9910854931 },
  { "smallest, colour", { 11, 11, 3 },
    A_NOISE, B_NEAR, 0.00390625, 0, 1, 0.02989411157, 29.0877845, 0.9932946445 },
  { "wide", { 17, 40, 1 },
    A_NOISE, B_NEAR, 0.0078125, -1, 2, 0.06094898897, 28.93365494, 0.9436689125 },
  { "tall", { 40, 13, 3 },
    A_NOISE, B_NOISE, 0.0078125, -1, 2, 0.6678385417, 7.725116053, 0.001857575957 },
  { "one channel", { 24, 24, 3 },
    A_NOISE, B_CHANNEL, 1, 0, 255, 2.679398148, 33.54320143, 0.9974302353 },
  { "ramps", { 24, 37, 3 },
    A_RAMP, B_REVERSED, 1, 0, 255, 84.76576577, 7.924014853, -0.1757845651 },
  { "noisy ramp", { 48, 64, 1 },
    A_RAMP, B_NEAR, 0.00390625, 0, 1, 0.0310681661, 28.87305564, 0.6855884283 },
  { "reversed, centred", { 32, 32, 1 },
    A_NOISE, B_REVERSED, 0.0078125, -1, 2, 1.009841919, 4.700387796, 0.7101838766 },
  { "flat", { 16, 16, 1 },
    A_FLAT, B_FLAT, 1, 0, 255, 40, 16.08960378, 0.9459578179 },
  { "flat, small range", { 16, 16, 3 },
    A_FLAT, B_FLAT, 1, 0, 1, 40, -32.04119983, 0.9459459461 },
  { "flat against noise", { 19, 16, 1 },
    A_FLAT, B_NOISE, 0.00390625, 0, 1, 0.2583264803, 10.32370569, 0.01232516856 },
  { "far from 0", { 20, 20, 1 },
    A_NOISE, B_NEAR, 0.0625, 65536, 16, 0.48203125, 29.07204786, 0.9924409071 },
  { "range too small", { 21, 33, 3 },
    A_RAMP, B_NEAR, 1, 0, 2, 8.12987013, -13.39469128, 0.5132441656 },
};
/* clang-format on */

/* A byte of a linear congruential generator. */
static int
next_byte (guint32 *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (int) (*seed >> 24);
}

/* The pictures of ssim-cases.py, which says what they are. */
static void
make_case (const Case *c, float *ret_a, float *ret_b)
{
  guint32 seed_a = 1, seed_b = 2;
  gsize i = 0;

  for (gsize y = 0; y < c->shape.height; y++)
    for (gsize x = 0; x < c->shape.width; x++)
      for (gsize channel = 0; channel < c->shape.channels; channel++, i++) {
        const int first = next_byte (&seed_a), second = next_byte (&seed_b);
        const int ramp = (int) ((4 * x + 2 * y + 9 * channel) % 256);
        const int a = c->a == A_NOISE ? first : c->a == A_RAMP ? ramp : 100;
        const int near = CLAMP (a + second / 8 - 16, 0, 255);
        const int b[] = {
          [B_NOISE] = second,     [B_NEAR] = near, [B_CHANNEL] = channel == 1 ? near : a,
          [B_REVERSED] = 255 - a, [B_FLAT] = 140,
        };

        ret_a[i] = (float) (c->scale * a + c->offset);
        ret_b[i] = (float) (c->scale * b[c->b] + c->offset);
      }
}

/* The issue asks for 1e-4. Ten digits are printed; scikit-image does not centre, which at 65536
 * costs it about 65536^2 2^-53 / C2 = 2e-6, and elsewhere nothing that shows. */
Test (image_quality, figures_are_those_of_scikit_image)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Case *c = &cases[i];
    const gsize count = count_of (c->shape);
    g_autofree float *a = g_new (float, count);
    g_autofree float *b = g_new (float, count);

    make_case (c, a, b);
    assert_near (assay_image_mae (a, b, count), c->mae, 1e-9 * c->mae, "MAE, %s", c->name);
    assert_near (assay_image_psnr (a, b, count, c->range), c->psnr, 1e-7, "PSNR, %s", c->name);
    assert_near (ssim_of (c->shape, c->range, a, b), c->ssim, c->offset > 1 ? 1e-5 : 2e-10,
                 "SSIM, %s", c->name);
  }
}

/* ---- Against the formula, window by window ---- */

/* Both are in double: they differ by the rounding of some hundred terms of at most the square of
 * the span, over C2 (range 1: 9e-4): 100 * 2^-53 * 4 / 9e-4 = 5e-11. */
Test (image_quality, every_shape_is_the_naive_sum)
{
  static const gsize sides[] = { 11, 12, 13, 14, 15, 21, 32 };
  static const double ranges[] = { 1, 2, 255 };

  for (gsize i = 0; i < G_N_ELEMENTS (sides); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (sides); j++)
      for (gsize channels = 1; channels <= 4; channels++) {
        const AssayImageShape shape = { sides[i], sides[j], channels };
        g_autoptr (AssayMatrix) pictures = make_pictures (shape, 2, "shapes");
        const float *a = assay_matrix_row (pictures, 0), *b = assay_matrix_row (pictures, 1);
        const double range = ranges[(i + j) % 3];

        assert_near (ssim_of (shape, range, a, b), naive_ssim (shape, range, a, b), 1e-10,
                     "%zu x %zu x %zu", sides[i], sides[j], channels);
      }
}

/* Two flat pictures: 2 a b + C1 over a^2 + b^2 + C1. Far from 0 and beside a range of 1e-30, where
 * all that is left of variances is rounding, it stays the same. */
Test (image_quality, flat_pictures_have_a_closed_form)
{
  static const double values[][3]
      = { { 0.25, 0.75, 1 }, { 100, 140, 255 }, { 0, 0, 1 },         { -0.5, 0.5, 2 },
          { 1e6, 3e6, 1 },   { 0, 1, 1 },       { 0.25, 0.5, 1e-30 } };
  const AssayImageShape shape = { 13, 17, 3 };
  const gsize count = count_of (shape);
  g_autofree float *a = g_new (float, count);
  g_autofree float *b = g_new (float, count);

  for (gsize i = 0; i < G_N_ELEMENTS (values); i++) {
    const double x = values[i][0], y = values[i][1], c1 = pow (0.01 * values[i][2], 2);

    for (gsize j = 0; j < count; j++) {
      a[j] = (float) x;
      b[j] = (float) y;
    }
    assert_near (ssim_of (shape, values[i][2], a, b), (2 * x * y + c1) / (x * x + y * y + c1),
                 1e-12, "%g and %g, range %g", x, y, values[i][2]);
  }
}

/* SSIM of x + s with y + s tends to that without the luminance term as s grows. At s = 2^17, where
 * float32 keeps 2^-6, the pictures are multiples of 2^-6 and the loss is that of the means alone:
 * 1 - luminance <= (1 / s)^2. */
Test (image_quality, an_offset_does_not_cost_digits)
{
  const AssayImageShape shape = { 16, 16, 1 };
  g_autoptr (AssayMatrix) pictures = make_pictures (shape, 2, "offset");
  float near[2][256], far[2][256], farther[2][256];

  for (gsize i = 0; i < 2; i++)
    for (gsize j = 0; j < 256; j++) {
      near[i][j] = roundf (64 * assay_matrix_row (pictures, i)[j]) / 64;
      far[i][j] = near[i][j] + 0x1p16f;
      farther[i][j] = near[i][j] + 0x1p17f;
    }
  assert_near (ssim_of (shape, 2, far[0], far[1]), ssim_of (shape, 2, farther[0], farther[1]), 1e-9,
               "2^16 and 2^17");
  cr_assert (fabs (ssim_of (shape, 2, far[0], far[1]) - ssim_of (shape, 2, near[0], near[1]))
             > 1e-3);
}

/* ---- Identity, symmetry, range ---- */

Test (image_quality, equal_pictures_are_alike_and_order_does_not_count)
{
  static const AssayImageShape shapes[] = { { 11, 11, 1 }, { 32, 32, 3 }, { 19, 14, 2 } };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++) {
    g_autoptr (AssayMatrix) pictures = make_pictures (shapes[i], 2, "symmetry");
    const float *a = assay_matrix_row (pictures, 0), *b = assay_matrix_row (pictures, 1);
    const gsize count = count_of (shapes[i]);
    const double value = ssim_of (shapes[i], 2, a, b);

    cr_assert (ssim_of (shapes[i], 2, a, a) == 1 && ssim_of (shapes[i], 1e-20, a, a) == 1);
    cr_assert (value == ssim_of (shapes[i], 2, b, a));
    cr_assert (fabs (value) < 0.9);
    cr_assert (fabs (ssim_of (shapes[i], 1e-30, a, b)) <= 1);
    cr_assert (assay_image_mae (a, a, count) == 0);
    cr_assert (assay_image_psnr (a, a, count, 2) == ASSAY_PSNR_MAX);
    cr_assert (assay_image_mae (a, b, count) == assay_image_mae (b, a, count));
  }
}

/* An error of 1 in one of four numbers: MAE 1/4, MSE 1/4, 10 log10 (4 R^2). */
Test (image_quality, errors_by_hand_and_the_most_that_psnr_is)
{
  static const float a[] = { 0, 1, 2, 3 };
  static const float b[] = { 0, 1, 3, 3 };
  static const float nearly[] = { 0, 1, 2.0000005f, 3 };
  const float broken[] = { 0, 1, NAN, 3 };

  assert_near (assay_image_mae (a, b, 4), 0.25, 0, "MAE");
  assert_near (assay_image_psnr (a, b, 4, 1), 6.0205999132796239, 1e-13, "range 1");
  assert_near (assay_image_psnr (a, b, 4, 255), 54.15140352195873, 1e-11, "range 255");
  cr_assert (assay_image_psnr (a, nearly, 4, 1) == 100);
  cr_assert (isnan (assay_image_psnr (a, broken, 4, 1)));
}

/* ---- Many ---- */

/* The same bits as pair by pair, with any number of threads. */
Test (image_quality, sets_are_single_comparisons)
{
  enum { N = 131, QUERIES = 21 };
  const AssayImageShape shape = { 12, 13, 3 };
  const AssaySsim ssim = { .shape = shape, .range = 2 };
  g_autoptr (AssayMatrix) images = make_pictures (shape, N, "images");
  g_autoptr (AssayMatrix) queries = make_pictures (shape, QUERIES, "queries");
  const AssayView all = assay_matrix_view (images), some = assay_matrix_view (queries);
  g_autofree double *expected = g_new (double, N *QUERIES);
  g_autofree double *found = g_new (double, N *QUERIES);

  for (gsize q = 0; q < QUERIES; q++)
    for (gsize i = 0; i < N; i++)
      cr_assert (assay_image_ssim (&ssim, assay_view_row (some, q), assay_view_row (all, i),
                                   &expected[q * N + i], NULL));
  for (guint threads = 1; threads <= 5; threads += 2) {
    g_autoptr (AssaySsimSet) set = NULL;

    assay_parallel_set_threads (threads);
    set = assay_ssim_set_new (&ssim, all, NULL);
    cr_assert (set != NULL);
    cr_assert (assay_ssim_set_compare (set, some, found, NULL));
    cr_assert (memcmp (found, expected, N * QUERIES * sizeof *found) == 0, "set, %u", threads);
  }
}

/* ---- Bad input ---- */

static void
check_message (GError **error, AssayErrorCode code, const char *message)
{
  g_autofree char *why = NULL;

  cr_assert (fixture_error_is (error, (gint) code, message, NULL, &why), "%s", why);
}

Test (image_quality, what_cannot_be_measured_is_refused)
{
  AssaySsim ssim = { .shape = { 10, 32, 1 }, .range = 1 };
  GError *error = NULL;
  float a[320] = { 0 };
  double value = 7;

  cr_assert (!assay_image_ssim (&ssim, a, a, &value, &error));
  check_message (&error, ASSAY_ERROR_MISMATCH,
                 "SSIM: pictures of 10 x 32 pixels and 1 channel (height x width), expected at "
                 "least 11 x 11 pixels, the size of its window, and 1 channel");
  ssim.shape = (AssayImageShape){ 32, 10, 1 };
  cr_assert (!assay_ssim_check (&ssim, &error));
  check_message (&error, ASSAY_ERROR_MISMATCH,
                 "SSIM: pictures of 32 x 10 pixels and 1 channel (height x width), expected at "
                 "least 11 x 11 pixels, the size of its window, and 1 channel");
  ssim.shape = (AssayImageShape){ 11, 11, 0 };
  cr_assert (!assay_ssim_check (&ssim, &error));
  check_message (&error, ASSAY_ERROR_MISMATCH,
                 "SSIM: pictures of 11 x 11 pixels and 0 channels (height x width), expected at "
                 "least 11 x 11 pixels, the size of its window, and 1 channel");
  ssim.shape = (AssayImageShape){ 1 << 20, 1 << 20, G_MAXSIZE >> 40 };
  cr_assert (!assay_ssim_check (&ssim, &error));
  check_message (&error, ASSAY_ERROR_MISMATCH,
                 "SSIM: pictures of 1048576 x 1048576 pixels and 16777215 channels are more than "
                 "can be addressed");
  ssim.shape = (AssayImageShape){ 11, 11, 1 };
  ssim.range = 0;
  cr_assert (!assay_image_ssim (&ssim, a, a, &value, &error));
  check_message (&error, ASSAY_ERROR_PARAMETER,
                 "SSIM: data range 0, expected a positive number, the largest less the least value "
                 "that a pixel can have");
  ssim.range = NAN;
  cr_assert (!assay_ssim_check (&ssim, NULL));
  ssim.range = INFINITY;
  cr_assert (!assay_ssim_check (&ssim, NULL));
  cr_assert (value == 7);
}

Test (image_quality, rows_that_are_no_pictures_are_refused)
{
  const AssaySsim ssim = { .shape = { 11, 12, 1 }, .range = 1 };
  g_autoptr (AssayMatrix) images = make_pictures (ssim.shape, 3, "images");
  g_autoptr (AssaySsimSet) set = NULL;
  const AssayView all = assay_matrix_view (images);
  AssayView narrow = all;
  GError *error = NULL;
  double values[3];

  narrow.cols--;
  cr_assert (assay_ssim_set_new (&ssim, narrow, &error) == NULL);
  check_message (&error, ASSAY_ERROR_MISMATCH,
                 "SSIM: rows of 131 numbers, expected 132 for pictures of 11 x 12 x 1");
  set = assay_ssim_set_new (&ssim, all, NULL);
  cr_assert (!assay_ssim_set_compare (set, narrow, values, &error));
  check_message (&error, ASSAY_ERROR_MISMATCH,
                 "SSIM: rows of 131 numbers, expected 132 for pictures of 11 x 12 x 1");
  /* None are no error. */
  cr_assert (assay_ssim_set_compare (set, assay_view_rows (all, 0, 0), values, NULL));
}
