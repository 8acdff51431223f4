/* Packed codes, and hash functions: applied as they are defined, and through a folder. */
#include <float.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/math/hash-function.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

/* ---- Codes ---- */

/* As numpy.packbits (..., bitorder='little') has it: bits 0, 3 and 9 of 10 are bytes 9 and 2. */
Test (codes, packed_as_numpy_does)
{
  g_autoptr (AssayMatrix) values = assay_matrix_new (2, 10, NULL);
  g_autoptr (AssayArray) codes = NULL;

  for (gsize j = 0; j < 10; j++) {
    values->data[j] = j == 0 || j == 3 || j == 9 ? 0.1f : -0.1f;
    values->data[10 + j] = 0; /* not above 0 */
  }
  codes = assay_codes_pack (assay_matrix_view (values), NULL);
  cr_assert (codes->type == ASSAY_UINT8 && codes->shape[0] == 2 && codes->shape[1] == 2);
  cr_assert (codes->data[0] == 9 && codes->data[1] == 2, "%d %d", codes->data[0], codes->data[1]);
  cr_assert (codes->data[2] == 0 && codes->data[3] == 0);
  cr_assert (assay_code_bit (codes->data, 9) && !assay_code_bit (codes->data, 8));
}

Test (codes, distances)
{
  static const gsize lengths[] = { 1, 7, 8, 9, 48, 63, 64, 65, 128, 200, 4096 };

  for (gsize l = 0; l < G_N_ELEMENTS (lengths); l++) {
    const gsize bits = lengths[l];
    g_autoptr (AssayMatrix) values = fixture_normal (37, bits, l);
    g_autoptr (AssayArray) packed = assay_codes_pack (assay_matrix_view (values), NULL);
    g_autoptr (AssayCodes) codes = assay_codes_new (packed, bits, NULL);
    g_autoptr (AssayCodes) negated = assay_codes_new (packed, bits, NULL);
    guint16 distances[30], from_negated[30];

    assay_codes_negate (negated);
    assay_codes_distances (codes, codes->data + 3 * codes->words, 5, 30, distances);
    assay_codes_distances (negated, codes->data + 3 * codes->words, 5, 30, from_negated);
    for (gsize i = 0; i < 30; i++) {
      guint expected = 0;

      for (gsize j = 0; j < bits; j++)
        expected += (values->data[3 * bits + j] > 0) != (values->data[(5 + i) * bits + j] > 0);
      cr_assert (distances[i] == expected, "%zu bits: %d instead of %u", bits, distances[i],
                 expected);
      cr_assert (from_negated[i] == bits - expected, "%zu bits negated", bits);
    }
  }
}

/* Each way to count that this processor has, on codes whose bits differ everywhere, too. */
Test (codes, turned_distances_are_the_same)
{
  static const gsize lengths[] = { 1, 64, 65, 128, 150, 192, 200, 256, 257, 320, 4095, 4096 };
  static const gsize counts[] = { 1, 7, 8, 15, 16, 17, 31, 33, 64, 101 };
  enum { MOST = 101 };

  for (gsize l = 0; l < G_N_ELEMENTS (lengths) * G_N_ELEMENTS (counts); l++) {
    const gsize bits = lengths[l % G_N_ELEMENTS (lengths)];
    const gsize count = counts[l / G_N_ELEMENTS (lengths)];
    g_autoptr (AssayMatrix) values = fixture_normal (count + 1, bits, l);
    g_autoptr (AssayArray) packed = NULL;
    g_autoptr (AssayCodes) codes = NULL;
    g_autofree guint64 *turned = NULL;
    guint16 expected[MOST], found[MOST + 1];
    const guint64 *query;

    for (gsize j = 0; j < bits; j++) /* code 0 is the opposite of the last, the query */
      values->data[j] = values->data[count * bits + j] > 0 ? -1 : 1;
    packed = assay_codes_pack (assay_matrix_view (values), NULL);
    codes = assay_codes_new (packed, bits, NULL);
    query = codes->data + count * codes->words;
    turned = g_new (guint64, count * codes->words);
    assay_codes_turn (codes->data, count, codes->words, turned);
    for (gsize i = 0; i < count; i++) {
      expected[i] = 0;
      for (gsize j = 0; j < bits; j++)
        expected[i] += (values->data[i * bits + j] > 0) != (values->data[count * bits + j] > 0);
    }
    cr_assert (expected[0] == bits);

    for (const AssayBitCounter *counter = assay_bit_counters (); *counter != NULL; counter++) {
      memset (found, 0xa5, sizeof found);
      for (gsize w = 0; w < codes->words; w++)
        (*counter) (turned + w * count, query[w], count, w == 0, found);
      cr_assert (memcmp (found, expected, count * sizeof *found) == 0 && found[count] == 0xa5a5,
                 "%zu bits, %zu codes, way %zu", bits, count, counter - assay_bit_counters ());
    }
    /* A part of them. */
    memset (found, 0xa5, sizeof found);
    assay_codes_turned_distances (turned + count / 3, count, codes->words, query, count - count / 3,
                                  found);
    cr_assert (memcmp (found, expected + count / 3, (count - count / 3) * sizeof *found) == 0
                   && found[count - count / 3] == 0xa5a5,
               "%zu bits, the last of %zu codes", bits, count);
  }
}

Test (codes, the_last_way_to_count_runs_on_any_processor)
{
  gsize n = 0;

  while (assay_bit_counters ()[n] != NULL)
    n++;
#if defined(__x86_64__)
  cr_assert (n
                 == 1u + (__builtin_cpu_supports ("popcnt") != 0)
                        + (__builtin_cpu_supports ("avx512vpopcntdq")
                           && __builtin_cpu_supports ("avx512vl")),
             "%zu ways", n);
#else
  cr_assert (n == 1, "%zu ways", n);
#endif
}

/* ---- Functions ---- */

typedef enum { LINEAR, KERNEL, HIDDEN, WAVES, N_FORMS } Form;

enum { BITS = 11, COLS = 6, ANCHORS = 9, UNITS = 8 };

static AssayHashFunction *
function_of (Form form)
{
  AssayHashFunction *function = assay_hash_function_new ();
  const gsize f = form == KERNEL ? ANCHORS : form == HIDDEN ? UNITS : COLS;

  function->mean = fixture_normal (1, f, 1);
  function->projection = fixture_normal (BITS, f, 2);
  if (form == KERNEL) {
    function->anchors = fixture_normal (ANCHORS, COLS, 3);
    function->width = 1.7f;
    for (gsize i = 0; i < f; i++)
      function->mean->data[i] = 0.2f + 0.02f * function->mean->data[i];
  }
  if (form == HIDDEN)
    function->hidden = fixture_normal (UNITS, COLS + 1, 5);
  if (form == WAVES)
    function->waves = fixture_normal (BITS, 2, 4);
  return function;
}

static double
naive_margin (const AssayHashFunction *function, const float *row, gsize bit)
{
  double p = 0;

  for (gsize i = 0; i < function->mean->cols; i++) {
    double z = 0;

    if (function->anchors != NULL) {
      for (gsize a = 0; a < COLS; a++)
        z += pow ((double) row[a] - (double) function->anchors->data[i * COLS + a], 2);
      z = exp (-z / (2 * (double) function->width * (double) function->width));
    } else if (function->hidden != NULL) {
      z = (double) function->hidden->data[i * (COLS + 1) + COLS];
      for (gsize a = 0; a < COLS; a++)
        z += (double) row[a] * (double) function->hidden->data[i * (COLS + 1) + a];
      z = MAX (z, 0);
    } else {
      z = (double) row[i];
    }
    p += (double) function->projection->data[bit * function->mean->cols + i]
         * (z - (double) function->mean->data[i]);
  }
  if (function->waves != NULL)
    p = cos ((double) function->waves->data[2 * bit] * p
             + (double) function->waves->data[2 * bit + 1]);
  return p;
}

/* Sums of up to 9 products of numbers below 20 in magnitude, in float32. */
#define TOLERANCE (9 * 20 * 8 * (double) FLT_EPSILON)

Test (hash_function, margins_and_codes)
{
  for (Form form = 0; form < N_FORMS; form++) {
    g_autoptr (AssayHashFunction) function = function_of (form);
    g_autoptr (AssayMatrix) rows = fixture_normal (8200, COLS, 5); /* more than one chunk */
    const AssayView view = assay_matrix_view (rows);
    g_autoptr (AssayMatrix) margins = assay_hash_function_margins (function, view, NULL);
    g_autoptr (AssayArray) codes = assay_hash_function_codes (function, view, NULL);

    cr_assert (assay_hash_function_bits (function) == BITS
               && assay_hash_function_cols (function) == COLS);
    cr_assert (codes->shape[0] == 8200 && codes->shape[1] == 2);
    for (gsize i = 0; i < 8200; i++)
      for (gsize j = 0; j < BITS; j++) {
        const double expected = naive_margin (function, assay_view_row (view, i), j);

        assert_near ((double) margins->data[i * BITS + j], expected, TOLERANCE,
                     "form %d, row %zu, bit %zu", form, i, j);
        if (fabs (expected) > TOLERANCE)
          cr_assert (assay_code_bit (codes->data + 2 * i, j) == (expected > 0),
                     "form %d, row %zu, bit %zu", form, i, j);
      }
  }
}

Test (hash_function, same_for_any_number_of_threads)
{
  for (Form form = 0; form < N_FORMS; form++) {
    g_autoptr (AssayHashFunction) function = function_of (form);
    g_autoptr (AssayMatrix) rows = fixture_normal (1000, COLS, 6);
    AssayMatrix *margins[2];

    for (guint t = 0; t < 2; t++) {
      assay_parallel_set_threads (t == 0 ? 1 : 3);
      margins[t] = assay_hash_function_margins (function, assay_matrix_view (rows), NULL);
    }
    cr_assert (memcmp (margins[0]->data, margins[1]->data, 1000 * BITS * sizeof (float)) == 0);
    assay_matrix_free (margins[0]);
    assay_matrix_free (margins[1]);
  }
}

Test (hash_function, other_columns)
{
  for (Form form = 0; form < N_FORMS; form++) {
    g_autoptr (AssayHashFunction) function = function_of (form);
    g_autoptr (AssayMatrix) rows = fixture_normal (3, COLS + 1, 6);
    g_autoptr (GError) error = NULL;
    g_autofree char *why = NULL;

    cr_assert_null (assay_hash_function_codes (function, assay_matrix_view (rows), &error));
    cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                                 "the hash function takes rows of 6 numbers, found 7", NULL, &why),
               "%s", why);
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

Test (hash_function, there_and_back)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (40, COLS, 7);
  const AssayView view = assay_matrix_view (rows);

  for (Form form = 0; form < N_FORMS; form++) {
    g_autofree char *folder = fixture_folder (), *place = g_build_filename (folder, "r", NULL);
    g_autoptr (AssayHashFunction) function = function_of (form), again = NULL;
    g_autoptr (AssayRelease) release = release_of (function, view), read = NULL;
    g_autoptr (AssayArray) codes = NULL;
    g_autoptr (GError) error = NULL;
    const AssayArray *kept;

    cr_assert (assay_release_write (release, place, &error), "%s",
               error != NULL ? error->message : "");
    read = assay_release_read (place, &error);
    cr_assert (read != NULL, "%s", error != NULL ? error->message : "");
    cr_assert (read->bits == BITS && read->kind == ASSAY_RELEASE_CODES
               && assay_release_count (read) == 40);
    again = assay_hash_function_from (read, &error);
    cr_assert (again != NULL && again->width == function->width
               && (again->anchors != NULL) == (form == KERNEL)
               && (again->hidden != NULL) == (form == HIDDEN)
               && (again->waves != NULL) == (form == WAVES));
    codes = assay_hash_function_codes (again, view, NULL);
    kept = assay_arrays_get (&read->arrays, "codes");
    cr_assert (memcmp (codes->data, kept->data, 40 * 2) == 0, "form %d", form);
    fixture_remove (folder);
  }
}

/* Writes a release, puts @new_text for @old_text in its release.json, and expects @message. */
static void
expect_unreadable (const char *old_text, const char *new_text, gint code, const char *message)
{
  g_autofree char *folder = fixture_folder (), *place = g_build_filename (folder, "r", NULL);
  g_autofree char *file = g_build_filename (place, "release.json", NULL);
  g_autofree char *text = NULL, *why = NULL;
  g_autoptr (AssayHashFunction) function = function_of (LINEAR);
  g_autoptr (AssayMatrix) rows = fixture_normal (4, COLS, 7);
  g_autoptr (AssayRelease) release = release_of (function, assay_matrix_view (rows)), read = NULL;
  g_autoptr (GString) edited = NULL;
  g_autoptr (GError) error = NULL;

  cr_assert (assay_release_write (release, place, NULL)
             && g_file_get_contents (file, &text, NULL, NULL));
  edited = g_string_new (text);
  cr_assert (g_string_replace (edited, old_text, new_text, 1) == 1, "%s in %s", old_text, text);
  cr_assert (g_file_set_contents (file, edited->str, -1, NULL));
  read = assay_release_read (place, &error);
  cr_assert (read == NULL, "read with %s", new_text);
  cr_assert (fixture_error_is (&error, code, message, folder, &why), "%s: %s", new_text, why);
  fixture_remove (folder);
}

Test (hash_function, unreadable_bits)
{
  expect_unreadable ("\"bits\": 11", "\"bits\": 17", ASSAY_ERROR_MISMATCH,
                     "@/r: codes of 17 bits have 2 bytes; expected 3");
  expect_unreadable ("\"bits\": 11", "\"bits\": 12", ASSAY_ERROR_MISMATCH,
                     "@/r: hash function: projection has 11 rows; expected one for each of 12 "
                     "bits");
  expect_unreadable ("\"bits\": 11", "\"bits\": 5000", ASSAY_ERROR_DATA,
                     "@/r: release.json: expected 'bits' to be a whole number from 1 to 4096");
  expect_unreadable ("\"bits\": 11", "\"bits\": \"eleven\"", ASSAY_ERROR_DATA,
                     "@/r: release.json: expected 'bits' to be a whole number from 1 to 4096");
  expect_unreadable ("\"bits\": 11,", "", ASSAY_ERROR_DATA,
                     "@/r: release.json: expected 'bits' to be a whole number from 1 to 4096");
}

/* What assay_release_check says of a release of the @form of function that @change has changed. */
static void
expect_refused (Form form, void (*change) (AssayRelease *release), gint code, const char *message)
{
  g_autoptr (AssayHashFunction) function = function_of (form);
  g_autoptr (AssayMatrix) rows = fixture_normal (4, COLS, 7);
  g_autoptr (AssayRelease) release = release_of (function, assay_matrix_view (rows));
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;

  cr_assert (assay_release_check (release, NULL));
  change (release);
  cr_assert (!assay_release_check (release, &error), "%s", message);
  cr_assert (fixture_error_is (&error, code, message, NULL, &why), "%s", why);
}

static void
put_floats (AssayRelease *release, const char *name, guint n_dimensions, gsize a, gsize b,
            float value)
{
  float *data = g_new (float, a *b);

  for (gsize i = 0; i < a * b; i++)
    data[i] = value;
  assay_arrays_take (&release->arrays, name,
                     assay_array_take (ASSAY_FLOAT32, n_dimensions, (const gsize[]){ a, b }, data));
}

static void
set_a_bit_too_many (AssayRelease *release)
{
  ((guint8 *) assay_arrays_get (&release->arrays, "codes")->data)[2 * 2 + 1] |= 1 << 3;
}

static void
make_width_0 (AssayRelease *release)
{
  put_floats (release, "width", 1, 1, 1, 0);
}

static void
add_width (AssayRelease *release)
{
  put_floats (release, "width", 1, 1, 1, 1);
}

static void
make_three_waves (AssayRelease *release)
{
  put_floats (release, "waves", 2, BITS, 3, 1);
}

Test (hash_function, refused)
{
  expect_refused (LINEAR, set_a_bit_too_many, ASSAY_ERROR_DATA,
                  "code 2 has a bit set beyond its 11");
  expect_refused (LINEAR, add_width, ASSAY_ERROR_MISMATCH,
                  "hash function: expected mean and projection, and anchors with a width or "
                  "neither");
  expect_refused (KERNEL, make_width_0, ASSAY_ERROR_MISMATCH,
                  "hash function: expected width to be one number above 0");
  expect_refused (WAVES, make_three_waves, ASSAY_ERROR_MISMATCH,
                  "hash function: waves has 3 columns; expected 2, frequency and phase");
}

Test (hash_function, none_in_the_release)
{
  g_autoptr (AssayHashFunction) function = function_of (LINEAR);
  g_autoptr (AssayMatrix) rows = fixture_normal (4, COLS, 7);
  g_autoptr (AssayRelease) release = release_of (function, assay_matrix_view (rows));
  g_autoptr (AssayRelease) without = assay_release_granted (release, 0);
  g_autoptr (GError) error = NULL;

  cr_assert (assay_release_check (without, NULL));
  cr_assert_null (assay_hash_function_from (without, &error));
  cr_assert_str_eq (error->message, "the release has no hash function");
}
