/* Arrays of images as rows: shapes, orders, and planes that nobody told of. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/data/folders/image-rows.h"

enum { N = 30, H = 12, W = 10, C = 3, D = H * W * C };

/* Number c of pixel (y, x) of image i. */
static float
pixel (gsize i, gsize y, gsize x, gsize c)
{
  return (float) (((i * H + y) * W + x) * C + c);
}

static AssayArrays
arrays_of (gboolean has_planes, guint n_dimensions, gboolean are_bytes)
{
  const gsize planes[] = { N, C, H, W }, together[] = { N, H, W, C };
  const gsize rows[] = { N, D };
  float *numbers = g_new (float, N *D);
  guint8 *bytes = g_new (guint8, N * D);
  AssayArrays arrays;

  for (gsize i = 0; i < N; i++)
    for (gsize y = 0; y < H; y++)
      for (gsize x = 0; x < W; x++)
        for (gsize c = 0; c < C; c++) {
          const gsize at = i * D + (has_planes ? (c * H + y) * W + x : (y * W + x) * C + c);

          numbers[at] = pixel (i, y, x, c);
          bytes[at] = (guint8) (guint) numbers[at]; /* of floats beyond 255 nobody reads it */
        }
  assay_arrays_init (&arrays);
  assay_arrays_take (&arrays, "images",
                     assay_array_take (are_bytes ? ASSAY_UINT8 : ASSAY_FLOAT32, n_dimensions,
                                       n_dimensions == 2 ? rows
                                       : has_planes      ? planes
                                                         : together,
                                       are_bytes ? (gpointer) bytes : (gpointer) numbers));
  g_free (are_bytes ? (gpointer) numbers : (gpointer) bytes);
  return arrays;
}

static void
assert_rows (AssayArrays *arrays, const AssayGeometry *geometry, gboolean are_bytes,
             const char *what)
{
  const AssayArray *array = assay_arrays_get (arrays, "images");
  const float *numbers = (const float *) (gconstpointer) array->data;

  cr_assert (array->n_dimensions == 2 && array->shape[0] == N && array->shape[1] == D, "%s", what);
  cr_assert (geometry->height == H && geometry->width == W && geometry->channels == C, "%s", what);
  for (gsize i = 0; i < N * D; i++)
    cr_assert (numbers[i] == (are_bytes ? (float) (guint8) i : (float) i), "%s, %zu", what, i);
  assay_arrays_clear (arrays);
}

Test (image_rows, shapes_tell_the_order)
{
  for (int planes = 0; planes < 2; planes++)
    for (int bytes = 0; bytes < 2; bytes++) {
      AssayArrays arrays = arrays_of (planes, 4, bytes);
      AssayGeometry geometry = { 0 };

      cr_assert (assay_image_rows_take (&arrays, "images", ASSAY_ORDER_NOT_TOLD, &geometry, NULL));
      assert_rows (&arrays, &geometry, bytes, planes ? "planes" : "interleaved");
    }
}

Test (image_rows, rows_are_in_the_order_that_is_told)
{
  AssayArrays arrays = arrays_of (TRUE, 2, FALSE);
  AssayGeometry geometry = { .height = H, .width = W, .channels = C };

  cr_assert (assay_image_rows_take (&arrays, "images", ASSAY_ORDER_PLANES, &geometry, NULL));
  assert_rows (&arrays, &geometry, FALSE, "planes");
}

static void
assert_refused (AssayArrays *arrays, AssayPixelOrder order, const AssayGeometry *known,
                const char *message)
{
  AssayGeometry geometry = *known;
  g_autoptr (GError) error = NULL;

  cr_assert (!assay_image_rows_take (arrays, "images", order, &geometry, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA));
  cr_assert_str_eq (error->message, message);
  assay_arrays_clear (arrays);
}

Test (image_rows, what_does_not_fit_is_refused)
{
  const gsize both[] = { 2, 3, 4, 3 }, neither[] = { 2, 4, 4, 2 };
  AssayArrays arrays;

  assay_arrays_init (&arrays);
  assay_arrays_take (&arrays, "images",
                     assay_array_take (ASSAY_FLOAT32, 4, both, g_new0 (float, 72)));
  assert_refused (&arrays, ASSAY_ORDER_NOT_TOLD, &(AssayGeometry){ 0 },
                  "array 'images' is float32 2 x 3 x 4 x 3; expected geometry with 'order' "
                  "(interleaved or planes): either could be");
  assay_arrays_init (&arrays);
  assay_arrays_take (&arrays, "images",
                     assay_array_take (ASSAY_FLOAT32, 4, neither, g_new0 (float, 64)));
  assert_refused (&arrays, ASSAY_ORDER_NOT_TOLD, &(AssayGeometry){ 0 },
                  "array 'images' is float32 2 x 4 x 4 x 2; expected n x height x width x channels "
                  "or n x channels x height x width, with 1 or 3 channels as its geometry says");
  arrays = arrays_of (FALSE, 4, FALSE);
  assert_refused (&arrays, ASSAY_ORDER_INTERLEAVED,
                  &(AssayGeometry){ .height = W, .width = H, .channels = C },
                  "array 'images' is float32 30 x 12 x 10 x 3; expected images of 10 x 12 pixels "
                  "with 3 channels, as its geometry says");
}

/* Waves of 12 pixels and more, alike in the three channels, under a mask of random signs. */
static void
draw_waves (gboolean has_planes, float *numbers)
{
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "waves", ""), 0);

  for (gsize i = 0; i < N; i++) {
    const double phase = 6 * assay_stream_uniform (&stream);
    const double a = 0.1 + 0.4 * assay_stream_uniform (&stream);
    const double b = 0.1 + 0.4 * assay_stream_uniform (&stream);

    for (gsize y = 0; y < H; y++)
      for (gsize x = 0; x < W; x++)
        for (gsize c = 0; c < C; c++) {
          const gsize at = i * D + (has_planes ? (c * H + y) * W + x : (y * W + x) * C + c);

          numbers[at] = (float) (sin (phase + a * (double) x + b * (double) y)
                                 + 0.1 * assay_stream_normal (&stream));
          if (assay_stream_below (&stream, 2) == 0)
            numbers[at] = -numbers[at];
        }
  }
}

Test (image_rows, planes_that_nobody_told_of_are_noticed)
{
  const AssayGeometry known = { .height = H, .width = W, .channels = C };

  for (int planes = 0; planes < 2; planes++) {
    AssayArrays arrays = arrays_of (planes, 2, FALSE);
    AssayGeometry geometry = known;

    draw_waves (planes, (float *) (gpointer) assay_arrays_get (&arrays, "images")->data);
    if (planes) {
      assert_refused (&arrays, ASSAY_ORDER_NOT_TOLD, &known,
                      "array 'images': its pixels look as if all of a channel stood together; "
                      "expected geometry with \"order\": \"planes\", or \"interleaved\" if they "
                      "do not");
      continue;
    }
    cr_assert (assay_image_rows_take (&arrays, "images", ASSAY_ORDER_NOT_TOLD, &geometry, NULL));
    assay_arrays_clear (&arrays);
  }
}
