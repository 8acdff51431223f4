/* Rows of every type, stride and alignment, against the obvious conversion. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/rows.h"

static const AssayType all_types[]
    = { ASSAY_FLOAT32, ASSAY_FLOAT64, ASSAY_UINT8, ASSAY_INT32, ASSAY_INT64 };

/* Value number @i of a test set: whole, and within a byte where the type is one. */
static double
value_at (AssayType type, gsize i)
{
  const guint hash = (guint) (i * 2654435761u) >> 20; /* 0 .. 4095 */

  return type == ASSAY_UINT8 ? hash & 255 : (double) hash - 2000;
}

static void
store (guint8 *at, AssayType type, double value)
{
  const float f = (float) value;
  const gint32 i = (gint32) value;
  const gint64 l = (gint64) value;

  switch (type) {
  case ASSAY_FLOAT32:
    memcpy (at, &f, sizeof f);
    break;
  case ASSAY_FLOAT64:
    memcpy (at, &value, sizeof value);
    break;
  case ASSAY_UINT8:
    *at = (guint8) value;
    break;
  case ASSAY_INT32:
    memcpy (at, &i, sizeof i);
    break;
  case ASSAY_INT64:
    memcpy (at, &l, sizeof l);
    break;
  }
}

/* @count rows with a gap of @gap bytes before each, holding the values from number @from on. */
static void
append_test_rows (AssayRows *rows, AssayType type, gsize cols, gsize count, gsize gap, gsize from)
{
  const gsize size = assay_type_size (type);
  const gsize stride = gap + cols * size;
  guint8 *data = g_malloc0 (MAX (count * stride, 1));
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, count * stride);

  for (gsize i = 0; i < count * cols; i++)
    store (data + i / cols * stride + gap + i % cols * size, type, value_at (type, from + i));
  assay_rows_append (rows, bytes, data + gap, type, stride, count);
}

Test (rows, converts_every_type_at_any_alignment)
{
  for (gsize t = 0; t < G_N_ELEMENTS (all_types); t++)
    for (gsize gap = 0; gap < 9; gap++)
      for (gsize cols = 1; cols <= 37; cols += 3) {
        const AssayType type = all_types[t];
        g_autoptr (AssayRows) rows = assay_rows_new (cols);
        g_autofree float *found = g_new (float, 5 * cols);

        append_test_rows (rows, type, cols, 5, gap, 11);
        cr_assert_eq (assay_rows_count (rows), 5);
        cr_assert_eq (assay_rows_cols (rows), cols);
        assay_rows_read (rows, 0, 5, ASSAY_SCALE_NONE, found);
        for (gsize i = 0; i < 5 * cols; i++)
          cr_assert_eq (found[i], (float) value_at (type, 11 + i), "%s, gap %zu, cols %zu: [%zu]",
                        assay_type_name (type), gap, cols, i);
      }
}

Test (rows, narrows_to_the_nearest_float)
{
  const gint32 whole[] = { 16777217, 16777219, G_MININT32, -1 };
  const gint64 large[] = { G_MAXINT64, -5, (gint64) 1 << 53, 0 };
  const double real[] = { 0.1, -1e-45, 1.0 / 3, 3.4e38 };
  g_autoptr (GBytes) a = g_bytes_new (whole, sizeof whole);
  g_autoptr (GBytes) b = g_bytes_new (large, sizeof large);
  g_autoptr (GBytes) c = g_bytes_new (real, sizeof real);
  g_autoptr (AssayRows) rows = assay_rows_new (4);
  const float expected[] = {
    16777216.0f,         16777220.0f, -2147483648.0f, -1,      9223372036854775808.f, -5,
    9007199254740992.0f, 0,           0.1f,           -1e-45f, 0.333333343f,          3.4e38f
  };
  float found[12];

  assay_rows_append (rows, a, g_bytes_get_data (a, NULL), ASSAY_INT32, 16, 1);
  assay_rows_append (rows, b, g_bytes_get_data (b, NULL), ASSAY_INT64, 32, 1);
  assay_rows_append (rows, c, g_bytes_get_data (c, NULL), ASSAY_FLOAT64, 32, 1);
  assay_rows_read (rows, 0, 3, ASSAY_SCALE_NONE, found);
  for (gsize i = 0; i < 12; i++)
    cr_assert_eq (found[i], expected[i], "value %zu: %.9g", i, (double) found[i]);
}

/* Segments of 1, 4, 0, 7, 2 and 1 rows of different types are one set of 15 rows. */
static AssayRows *
make_segments (gsize cols)
{
  static const gsize counts[] = { 1, 4, 0, 7, 2, 1 };
  AssayRows *rows = assay_rows_new (cols);
  gsize from = 0;

  for (gsize s = 0; s < G_N_ELEMENTS (counts); s++) {
    append_test_rows (rows, s % 2 == 0 ? ASSAY_FLOAT32 : ASSAY_INT32, cols, counts[s], s, from);
    from += counts[s] * cols;
  }
  return rows;
}

Test (rows, reads_every_window_across_segments)
{
  g_autoptr (AssayRows) rows = make_segments (3);
  float found[15 * 3 + 1];

  cr_assert_eq (assay_rows_count (rows), 15);
  for (gsize first = 0; first <= 15; first++)
    for (gsize count = 0; count <= 15 - first; count++) {
      found[count * 3] = -77;
      assay_rows_read (rows, first, count, ASSAY_SCALE_NONE, found);
      for (gsize i = 0; i < count * 3; i++)
        cr_assert_eq (found[i], (float) value_at (ASSAY_INT32, first * 3 + i),
                      "window %zu + %zu, value %zu", first, count, i);
      cr_assert_eq (found[count * 3], -77, "window %zu + %zu: written past its end", first, count);
    }
}

Test (rows, gathers_in_the_order_asked_for)
{
  g_autoptr (AssayRows) rows = make_segments (3);
  const gsize index[] = { 14, 0, 5, 5, 4, 12, 11, 1, 13 };
  float found[9 * 3];

  assay_rows_gather (rows, index, 9, ASSAY_SCALE_NONE, found);
  for (gsize i = 0; i < 27; i++)
    cr_assert_eq (found[i], (float) value_at (ASSAY_INT32, index[i / 3] * 3 + i % 3), "value %zu",
                  i);
}

Test (rows, unit_scale_of_known_rows)
{
  const guint8 bytes_of_rows[] = { 3, 4, 0, 0, 255, 0 };
  g_autoptr (GBytes) bytes = g_bytes_new (bytes_of_rows, sizeof bytes_of_rows);
  g_autoptr (AssayRows) rows = assay_rows_new (2);
  const float expected[] = { 0.6f, 0.8f, 0, 0, 1, 0 };
  const gsize second[] = { 2 };
  float found[6];

  assay_rows_append (rows, bytes, g_bytes_get_data (bytes, NULL), ASSAY_UINT8, 2, 3);
  assay_rows_read (rows, 0, 3, ASSAY_SCALE_UNIT, found);
  for (gsize i = 0; i < 6; i++)
    cr_assert_eq (found[i], expected[i], "value %zu: %.9g", i, (double) found[i]);
  assay_rows_gather (rows, second, 1, ASSAY_SCALE_UNIT, found);
  cr_assert_eq (found[0], 1);
}

/* Factor and product are rounded in double, the result once to float: it is one of the two floats
 * beside x / norm, which the reference finds in long double. Norms near both ends of float would
 * overflow or vanish if they were computed in float. */
Test (rows, unit_scale_is_within_one_ulp)
{
  static const float magnitudes[] = { 1, 1e30f, 1e-30f, 3e38f, 1e-40f };

  for (gsize m = 0; m < G_N_ELEMENTS (magnitudes); m++)
    for (gsize cols = 1; cols <= 131; cols += 13) {
      AssayMatrix *matrix = assay_matrix_new (2, cols, NULL);
      g_autoptr (AssayRows) rows = NULL;
      g_autofree float *given = NULL;
      g_autofree float *found = g_new (float, 2 * cols);

      for (gsize i = 0; i < 2 * cols; i++)
        matrix->data[i] = magnitudes[m] * (float) (value_at (ASSAY_FLOAT32, i) / 2200);
      given = g_memdup2 (matrix->data, 2 * cols * sizeof (float));
      rows = assay_rows_take_matrix (matrix);
      assay_rows_read (rows, 0, 2, ASSAY_SCALE_UNIT, found);
      for (gsize r = 0; r < 2; r++) {
        long double sum = 0;

        for (gsize j = 0; j < cols; j++)
          sum += (long double) given[r * cols + j] * given[r * cols + j];
        for (gsize j = 0; j < cols; j++) {
          const float expected = (float) (given[r * cols + j] / sqrtl (sum));
          const float value = found[r * cols + j];

          cr_assert (value >= nextafterf (expected, -2) && value <= nextafterf (expected, 2),
                     "magnitude %g, cols %zu, [%zu][%zu]: %.9g, expected %.9g",
                     (double) magnitudes[m], cols, r, j, (double) value, (double) expected);
        }
      }
    }
}

Test (rows, arrays_of_other_dimensions_are_flattened)
{
  const gsize shape[] = { 2, 3, 4 };
  gint64 *data = g_new (gint64, 24);
  g_autoptr (AssayArray) array = NULL;
  g_autoptr (AssayRows) rows = NULL;
  float found[12];

  for (gint64 i = 0; i < 24; i++)
    data[i] = i;
  array = assay_array_take (ASSAY_INT64, 3, shape, data);
  rows = assay_rows_from_array (array);
  cr_assert_eq (assay_rows_count (rows), 2);
  cr_assert_eq (assay_rows_cols (rows), 12);
  assay_rows_read (rows, 1, 1, ASSAY_SCALE_NONE, found);
  cr_assert_eq (found[0], 12);
  cr_assert_eq (found[11], 23);
}

static guint n_freed;

static void
count_free (gpointer data)
{
  g_free (data);
  n_freed++;
}

Test (rows, keeps_its_bytes_until_the_last_reference)
{
  gpointer block = g_malloc0 (8);
  GBytes *bytes = g_bytes_new_with_free_func (block, 8, count_free, block);
  AssayRows *rows = assay_rows_new (2);
  AssayRows *same;
  float found[2];

  assay_rows_append (rows, bytes, g_bytes_get_data (bytes, NULL), ASSAY_FLOAT32, 8, 1);
  g_bytes_unref (bytes);
  same = assay_rows_ref (rows);
  cr_assert_eq (same, rows);
  assay_rows_unref (rows);
  cr_assert_eq (n_freed, 0);
  assay_rows_read (same, 0, 1, ASSAY_SCALE_NONE, found);
  cr_assert_eq (found[1], 0);
  assay_rows_unref (same);
  cr_assert_eq (n_freed, 1);
  assay_rows_unref (NULL);
}

static void
append_bytes (AssayRows *rows, const char *text, AssayType type, gsize stride, gsize count)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));

  assay_rows_append (rows, bytes, g_bytes_get_data (bytes, NULL), type, stride, count);
}

static char *
sha256_of (const char *text)
{
  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
}

/* Of the types and the numbers, not of where they lie; and anew when there are more. */
Test (rows, sha256_is_of_types_and_numbers)
{
  g_autoptr (AssayRows) whole = assay_rows_new (4), parts = assay_rows_new (4);
  g_autoptr (AssayRows) floats = assay_rows_new (4), wide = assay_rows_new (8);
  g_autofree char *three = sha256_of ("uint8 3 x 4\n\nabcdefghijkl");
  g_autofree char *mixed = sha256_of ("uint8 3 x 4\nfloat32 1 x 4\nuint8 1 x 4\n\n"
                                      "abcdefghijklABCDEFGHIJKLMNOPmnop");
  g_autofree char *of_floats = sha256_of ("float32 1 x 4\n\nABCDEFGHIJKLMNOP");
  g_autofree char *of_wide = sha256_of ("uint8 2 x 8\n\nABCDEFGHIJKLMNOP");

  append_bytes (whole, "abcdefghijkl", ASSAY_UINT8, 4, 3);
  append_bytes (parts, "abcd", ASSAY_UINT8, 4, 1);
  append_bytes (parts, "efgh..ijkl", ASSAY_UINT8, 6, 2);
  cr_assert_str_eq (assay_rows_sha256 (whole), three);
  cr_assert_str_eq (assay_rows_sha256 (parts), three);
  cr_assert_eq (assay_rows_sha256 (parts), assay_rows_sha256 (parts), "computed twice");
  append_bytes (parts, "ABCDEFGHIJKLMNOP", ASSAY_FLOAT32, 16, 1);
  append_bytes (parts, "mnop", ASSAY_UINT8, 4, 1);
  cr_assert_str_eq (assay_rows_sha256 (parts), mixed);
  append_bytes (floats, "ABCDEFGHIJKLMNOP", ASSAY_FLOAT32, 16, 1);
  append_bytes (wide, "ABCDEFGHIJKLMNOP", ASSAY_UINT8, 8, 2);
  cr_assert_str_eq (assay_rows_sha256 (floats), of_floats);
  cr_assert_str_eq (assay_rows_sha256 (wide), of_wide);
}

typedef struct {
  gsize next; /* row that is expected */
  gsize n_panels;
  gsize fails_at;
} Visit;

static gboolean
visit_panel (AssayView panel, gsize first, gpointer data, GError **error)
{
  Visit *visit = data;

  cr_assert (first == visit->next && panel.rows <= 4 && panel.cols == 3);
  for (gsize i = 0; i < panel.rows; i++)
    for (gsize j = 0; j < 3; j++)
      cr_assert (assay_view_row (panel, i)[j] == (float) ((first + i) * 3 + j));
  visit->next += panel.rows;
  visit->n_panels++;
  return first != visit->fails_at
         || assay_fail (error, ASSAY_ERROR_DATA, "row %" G_GSIZE_FORMAT " is bad", first);
}

/* 10 rows in panels of 4: each once and in order, and none after one that failed. */
Test (rows, panel_after_panel)
{
  AssayMatrix *matrix = assay_matrix_new (10, 3, NULL);
  g_autoptr (AssayRows) rows = NULL;
  g_autoptr (AssayRows) none = assay_rows_new (3);
  g_autoptr (GError) error = NULL;
  Visit all = { .fails_at = G_MAXSIZE }, some = { .fails_at = 4 }, empty = all;

  for (gsize i = 0; i < 30; i++)
    matrix->data[i] = (float) i;
  rows = assay_rows_take_matrix (matrix);
  cr_assert (assay_rows_for_each_panel (rows, 4, ASSAY_SCALE_NONE, visit_panel, &all, &error));
  cr_assert (all.next == 10 && all.n_panels == 3);
  cr_assert (!assay_rows_for_each_panel (rows, 4, ASSAY_SCALE_NONE, visit_panel, &some, &error));
  cr_assert (some.next == 8 && g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA));
  cr_assert (assay_rows_for_each_panel (none, 4, ASSAY_SCALE_NONE, visit_panel, &empty, NULL));
  cr_assert (empty.n_panels == 0);
}
