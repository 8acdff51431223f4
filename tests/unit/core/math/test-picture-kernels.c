/* Hash functions that begin with convolutions: applied as they are defined, through a folder, and
 * what does not fit together. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/math/hash-function.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

enum { BITS = 11, UNITS = 8 };
enum { HEIGHT = 5, WIDTH = 4, CHANNELS = 2, PICTURE = HEIGHT * WIDTH * CHANNELS };

/* From 5 x 4 x 2 to 3 x 2 x 3, 2 x 1 x 4 and 1 x 1 x 2. */
static const gsize widths[] = { CHANNELS, 3, 4, 2 };

static AssayHashFunction *
function_of_pictures (guint n_layers)
{
  static const gsize numbers[] = { PICTURE, 3 * 2 * 3, 2 * 1 * 4, 2 };
  AssayHashFunction *function = assay_hash_function_new ();

  function->mean = fixture_normal (1, UNITS, 1);
  function->projection = fixture_normal (BITS, UNITS, 2);
  function->hidden = fixture_normal (UNITS, numbers[n_layers] + 1, 5);
  function->kernels
      = (AssayPictureKernels){ .height = HEIGHT, .width = WIDTH, .channels = CHANNELS };
  for (guint l = 0; l < n_layers; l++)
    function->kernels.layers[l] = fixture_normal (widths[l + 1], 9 * widths[l] + 1, 10 + l);
  function->kernels.n = n_layers;
  return function;
}

/* One number of what a layer gives, by the sums of its definition. */
static double
naive_pixel (const AssayMatrix *layer, const double *image, const gsize *sides, gsize row,
             gsize column, gsize out)
{
  const gsize channels = (layer->cols - 1) / 9;
  const float *weights = layer->data + out * layer->cols;
  double sum = (double) weights[9 * channels];

  for (int a = -1; a <= 1; a++)
    for (int b = -1; b <= 1; b++)
      for (gsize c = 0; c < channels; c++) {
        const int y = 2 * (int) row + a, x = 2 * (int) column + b;

        if (y >= 0 && x >= 0 && y < (int) sides[0] && x < (int) sides[1])
          sum += (double) weights[(gsize) (3 * (a + 1) + b + 1) * channels + c]
                 * image[((gsize) y * sides[1] + (gsize) x) * channels + c];
      }
  return MAX (sum, 0);
}

static double
naive_picture_margin (const AssayHashFunction *function, const float *row, gsize bit)
{
  double image[PICTURE], next[PICTURE], p = 0;
  gsize sides[] = { HEIGHT, WIDTH }, numbers = PICTURE;

  for (gsize i = 0; i < PICTURE; i++)
    image[i] = (double) row[i];
  for (guint l = 0; l < function->kernels.n; l++) {
    const gsize halves[] = { (sides[0] + 1) / 2, (sides[1] + 1) / 2 }, out = widths[l + 1];

    for (gsize k = 0; k < halves[0] * halves[1] * out; k++)
      next[k] = naive_pixel (function->kernels.layers[l], image, sides, k / out / halves[1],
                             k / out % halves[1], k % out);
    memcpy (sides, halves, sizeof sides);
    numbers = halves[0] * halves[1] * out;
    memcpy (image, next, numbers * sizeof *image);
  }
  for (gsize u = 0; u < UNITS; u++) {
    const float *hidden = function->hidden->data + u * (numbers + 1);
    double z = (double) hidden[numbers];

    for (gsize i = 0; i < numbers; i++)
      z += (double) hidden[i] * image[i];
    p += (double) function->projection->data[bit * UNITS + u]
         * (MAX (z, 0) - (double) function->mean->data[u]);
  }
  return p;
}

Test (picture_kernels, convolutions_as_they_are_defined)
{
  for (guint n_layers = 1; n_layers <= 3; n_layers++) {
    g_autoptr (AssayHashFunction) function = function_of_pictures (n_layers);
    g_autoptr (AssayMatrix) rows = fixture_normal (37, PICTURE, 8); /* more than two panels */
    const AssayView view = assay_matrix_view (rows);
    AssayMatrix *margins[2];

    cr_assert (assay_hash_function_cols (function) == PICTURE);
    for (guint t = 0; t < 2; t++) {
      assay_parallel_set_threads (t == 0 ? 1 : 3);
      margins[t] = assay_hash_function_margins (function, view, NULL);
    }
    for (gsize i = 0; i < 37 * BITS; i++) {
      const double expected
          = naive_picture_margin (function, assay_view_row (view, i / BITS), i % BITS);

      /* Each of up to five sums of 40 numbers rounds as often. */
      assert_near ((double) margins[0]->data[i], expected,
                   1e-4 * MAX (fabs (expected), 10), "%u layers, row %zu, bit %zu", n_layers,
                   i / BITS, i % BITS);
    }
    cr_assert (memcmp (margins[0]->data, margins[1]->data, 37 * BITS * sizeof (float)) == 0);
    assay_matrix_free (margins[0]);
    assay_matrix_free (margins[1]);
  }
}

/* ---- In a folder ---- */

static AssayRelease *
release_of (const AssayHashFunction *function, AssayView rows)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_CODES, "test");

  release->bits = assay_hash_function_bits (function);
  assay_arrays_take (&release->arrays, "codes", assay_hash_function_codes (function, rows, NULL));
  assay_hash_function_release (function, release);
  return release;
}

Test (picture_kernels, convolutions_there_and_back)
{
  g_autofree char *folder = fixture_folder (), *place = g_build_filename (folder, "r", NULL);
  g_autoptr (AssayMatrix) rows = fixture_normal (40, PICTURE, 7);
  g_autoptr (AssayHashFunction) function = function_of_pictures (2), again = NULL;
  g_autoptr (AssayRelease) release = release_of (function, assay_matrix_view (rows)), read = NULL;
  g_autoptr (AssayArray) codes = NULL;
  g_autoptr (GError) error = NULL;

  cr_assert (assay_release_write (release, place, &error), "%s",
             error != NULL ? error->message : "");
  read = assay_release_read (place, &error);
  cr_assert (read != NULL, "%s", error != NULL ? error->message : "");
  cr_assert (assay_release_cols (read) == PICTURE);
  again = assay_hash_function_from (read, &error);
  cr_assert (again != NULL && again->kernels.n == 2 && again->kernels.layers[2] == NULL);
  codes = assay_hash_function_codes (again, assay_matrix_view (rows), NULL);
  cr_assert (memcmp (codes->data, assay_arrays_get (&read->arrays, "codes")->data, 40 * 2) == 0);
  fixture_remove (folder);
}

/* ---- What does not fit ---- */

static void
take_away (AssayArrays *arrays, const char *name)
{
  for (guint i = 0; i < arrays->names->len; i++)
    if (strcmp (arrays->names->pdata[i], name) == 0) {
      g_ptr_array_remove_index (arrays->names, i);
      g_ptr_array_remove_index (arrays->arrays, i);
    }
}

static void
put_ones (AssayArrays *arrays, const char *name, gsize rows, gsize cols)
{
  float *data = g_new (float, rows *cols);

  for (gsize i = 0; i < rows * cols; i++)
    data[i] = 1;
  assay_arrays_take_rows (arrays, name, ASSAY_FLOAT32, rows, cols, data);
}

typedef struct {
  const char *name; /* of the array that is changed */
  gsize rows, cols; /* of numbers of 1; 0: it is taken away */
  const gint64 *picture;
  const char *message;
} Mistake;

static const gint64 flat[] = { 5, 0, 2 };

static const Mistake mistakes[] = {
  { "picture", 0, 0, NULL, "hash function: expected picture, kernels1 and hidden together" },
  { "hidden", 0, 0, NULL, "hash function: expected picture, kernels1 and hidden together" },
  { "picture", 0, 0, flat,
    "hash function: expected picture to be a height and a width of 1 to 65536 pixels, and 1 to 64 "
    "channels" },
  { "kernels1", 0, 0, NULL, "hash function: expected kernels1, kernels2, kernels3 without gaps" },
  { "kernels2", 4, 19, NULL,
    "hash function: kernels2 has 19 columns; expected 28, 9 for each of 3 channels and the bias" },
  { "hidden", UNITS, 10, NULL,
    "hash function: hidden has 10 columns; expected 9, the numbers of 2 x 1 pixels of 4 channels "
    "and the bias" },
};

Test (picture_kernels, convolutions_that_do_not_fit)
{
  static const gsize three = 3;

  for (gsize m = 0; m < G_N_ELEMENTS (mistakes); m++) {
    const Mistake *mistake = &mistakes[m];
    g_autoptr (AssayMatrix) rows = fixture_normal (4, PICTURE, 7);
    g_autoptr (AssayHashFunction) function = function_of_pictures (2);
    g_autoptr (AssayRelease) release = release_of (function, assay_matrix_view (rows));
    g_autoptr (GError) error = NULL;
    g_autofree char *why = NULL;

    cr_assert (assay_release_check (release, NULL));
    if (mistake->picture != NULL)
      assay_arrays_take (&release->arrays, "picture",
                         assay_array_take (ASSAY_INT64, 1, &three,
                                           g_memdup2 (mistake->picture, 3 * sizeof (gint64))));
    else if (mistake->rows > 0)
      put_ones (&release->arrays, mistake->name, mistake->rows, mistake->cols);
    else
      take_away (&release->arrays, mistake->name);
    cr_assert (!assay_release_check (release, &error), "%s", mistake->message);
    cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, mistake->message, NULL, &why), "%s",
               why);
  }
}
