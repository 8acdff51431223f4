/* core/math/units.c on rows whose units are known: planted copies, clusters, and what is natural.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/math/units.h"

#define KEY(name) assay_stream_key (1, 0, name, "")

/* n x d normal numbers. */
static AssayMatrix *
draw_normal (gsize n, gsize d, const char *name)
{
  AssayMatrix *rows = assay_matrix_new (n, d, NULL);
  AssayStream stream = assay_stream (KEY (name), 0);

  for (gsize i = 0; i < n * d; i++)
    rows->data[i] = (float) assay_stream_normal (&stream);
  return rows;
}

/* Row i is row i mod k of k normal ones, with normal noise of size @jitter. */
static AssayMatrix *
draw_clusters (gsize n, gsize d, gsize k, double jitter)
{
  g_autoptr (AssayMatrix) centres = draw_normal (k, d, "centres");
  AssayMatrix *rows = draw_normal (n, d, "jitter");

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < d; j++)
      rows->data[i * d + j]
          = (float) (centres->data[i % k * d + j] + jitter * rows->data[i * d + j]);
  return rows;
}

/* n rows of d columns of values below @values, one lower than the other. */
static AssayMatrix *
draw_coarse (gsize n, gsize d, guint64 values)
{
  AssayMatrix *rows = assay_matrix_new (n, d, NULL);
  AssayStream stream = assay_stream (KEY ("coarse"), 0);

  for (gsize i = 0; i < n * d; i++)
    rows->data[i] = (float) (assay_stream_below (&stream, values) % (1 + i % d + values / 2));
  return rows;
}

static AssayUnits *
find (AssayMatrix *rows)
{
  return assay_units_find (rows, NULL, NULL, KEY ("units"));
}

static gsize
count_numbers (const AssayUnits *units)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (gsize i = 0; i < units->n; i++)
    g_hash_table_add (seen, &units->numbers[i]);
  return g_hash_table_size (seen);
}

Test (units, different_rows_stay_as_they_are)
{
  const gsize cols[] = { 1, 2, 8, 32, 512 };

  for (gsize c = 0; c < G_N_ELEMENTS (cols); c++) {
    g_autoptr (AssayUnits) units = find (draw_normal (500, cols[c], "rows"));

    cr_assert_eq (units->n_units, 500, "%zu columns: %zu", cols[c], units->n_units);
    cr_assert_null (units->numbers, "%zu columns", cols[c]);
    cr_assert_eq (units->n_clusters, 0);
  }
}

Test (units, copies_of_one_are_one)
{
  const gsize cols[] = { 1, 3, 64 };

  for (gsize c = 0; c < G_N_ELEMENTS (cols); c++) {
    g_autoptr (AssayUnits) units = find (draw_clusters (500, cols[c], 1, 0));

    cr_assert_eq (units->n_equal, 499);
    cr_assert_eq (units->n_units, 1, "%zu columns", cols[c]);
    cr_assert_eq (count_numbers (units), 1);
  }
}

Test (units, planted_copies_are_joined)
{
  const double jitters[] = { 0, 1e-4, 0.02 };

  for (gsize j = 0; j < G_N_ELEMENTS (jitters); j++) {
    /* 480 rows, of which 0 .. 19 come twice. */
    g_autoptr (AssayMatrix) noise = draw_normal (500, 64, "noise");
    AssayMatrix *rows = draw_normal (500, 64, "rows");
    g_autoptr (AssayUnits) units = NULL;

    for (gsize i = 0; i < 20 * 64; i++)
      rows->data[480 * 64 + i] = (float) (rows->data[i] + jitters[j] * noise->data[i]);
    units = find (rows);
    cr_assert_eq (units->n_equal, j == 0 ? 20 : 0);
    cr_assert_eq (units->n_near, j == 0 ? 0 : 20, "jitter %g: %zu", jitters[j], units->n_near);
    cr_assert_eq (units->n_units, 480);
    cr_assert_eq (units->n_clusters, 0);
    for (gint64 i = 0; i < 20; i++)
      cr_assert_eq (units->numbers[480 + i], units->numbers[i]);
  }
}

/* Nearly one row, which only rows like them can tell. */
Test (units, near_copies_of_one_are_known_by_other_rows)
{
  g_autoptr (AssayUnits) alone = find (draw_clusters (500, 64, 1, 1e-3));
  g_autoptr (AssayUnits) units
      = assay_units_find (draw_clusters (500, 64, 1, 1e-3), NULL,
                          draw_normal (300, 64, "public"), KEY ("units"));

  cr_assert_eq (alone->n_units, 500);
  cr_assert_eq (units->n_units, 1, "%zu", units->n_units);
}

/* Two rows are equal with probability 1/k^d or so: that is what such tables are. */
Test (units, coarse_tables_repeat_rows_by_chance)
{
  const struct {
    gsize cols;
    guint64 values;
  } tables[] = { { 1, 3 }, { 1, 40 }, { 2, 12 }, { 4, 3 }, { 7, 2 }, { 10, 2 }, { 12, 2 } };

  for (gsize t = 0; t < G_N_ELEMENTS (tables); t++) {
    g_autoptr (AssayUnits) units = find (draw_coarse (2000, tables[t].cols, tables[t].values));

    cr_assert_gt (units->n_equal, 20, "table %zu: %zu", t, units->n_equal);
    cr_assert (units->is_by_chance, "table %zu", t);
    cr_assert_eq (units->n_units, 2000, "table %zu: %zu", t, units->n_units);
    cr_assert_null (units->numbers);
  }
}

/* But 25 rows that come 20 times each are copies there, too, unless a column or two is all. */
Test (units, copies_in_tables_are_joined)
{
  const gsize cols[] = { 3, 7, 9, 100 };

  for (gsize c = 0; c < G_N_ELEMENTS (cols); c++) {
    g_autoptr (AssayUnits) units = find (draw_clusters (500, cols[c], 25, 0));
    AssayMatrix *binary = draw_clusters (500, cols[c], 25, 0);

    cr_assert_eq (units->n_units, 25, "%zu columns: %zu", cols[c], units->n_units);
    for (gsize i = 0; i < 500 * cols[c]; i++)
      binary->data[i] = binary->data[i] > 0;
    if (cols[c] == 100) {
      g_autoptr (AssayUnits) of_bits = find (binary);

      cr_assert_eq (of_bits->n_units, 25);
    } else {
      assay_matrix_free (binary);
    }
  }
}

/* n_e = n / (1 + (m - 1) rho), rho = 1 - w / b: jitter s has w = 2 d s^2, b = 2 d (1 + s^2). */
Test (units, clusters_have_the_effective_number_of_kish)
{
  const double jitters[] = { 0.1, 0.2, 0.3 };

  for (gsize j = 0; j < G_N_ELEMENTS (jitters); j++) {
    const double square = jitters[j] * jitters[j];
    const double rho = 1 - square / (1 + square), expected = 500 / (1 + 19 * rho);
    g_autoptr (AssayUnits) units = find (draw_clusters (500, 256, 25, jitters[j]));

    cr_assert_eq (units->n_clusters, 25, "jitter %g: %zu", jitters[j], units->n_clusters);
    cr_assert_float_eq (units->n_effective, expected, 0.02 * expected, "%g, expected %g",
                        units->n_effective, expected);
    cr_assert_eq (count_numbers (units), 25);
  }
}

static gint64 *
label (gsize n, gsize divisor, gsize modulus)
{
  gint64 *groups = g_new (gint64, n);

  for (gsize i = 0; i < n; i++)
    groups[i] = 7 + (gint64) (i / divisor % modulus);
  return groups;
}

Test (units, labels_that_are_the_clusters_are_believed)
{
  g_autofree gint64 *right = label (500, 1, 25), *wrong = label (500, 10, 50);
  g_autoptr (AssayUnits) units
      = assay_units_find (draw_clusters (500, 64, 25, 0.2), right, NULL, KEY ("units"));
  g_autoptr (AssayUnits) other
      = assay_units_find (draw_clusters (500, 64, 25, 0.2), wrong, NULL, KEY ("units"));

  cr_assert_eq (units->n_labelled, 25);
  cr_assert_eq (units->n_clusters, 0);
  cr_assert_null (units->numbers);
  cr_assert_eq (other->n_labelled, 50);
  cr_assert_eq (other->n_clusters, 25, "%zu", other->n_clusters);
}

/* Groups of ten rows: one with copies of half of another is that other, one with four is not. */
Test (units, groups_are_joined_by_half_of_their_rows)
{
  for (gsize shared = 4; shared <= 6; shared++) {
    g_autofree gint64 *groups = label (500, 10, 50);
    AssayMatrix *rows = draw_normal (500, 32, "rows");
    g_autoptr (AssayUnits) units = NULL;

    memcpy (rows->data + 490 * 32, rows->data, shared * 32 * sizeof (float));
    units = assay_units_find (rows, groups, NULL, KEY ("units"));
    cr_assert_eq (units->n_equal, shared);
    cr_assert_eq (units->n_units, shared < 5 ? 50 : 49, "%zu shared: %zu", shared, units->n_units);
  }
}

Test (units, numbers_that_are_none_are_left_to_others)
{
  AssayMatrix *rows = draw_clusters (50, 8, 1, 0);
  g_autoptr (AssayUnits) units = NULL;

  rows->data[11] = NAN;
  units = find (rows);
  cr_assert_eq (units->n_units, 50);
  cr_assert_null (units->numbers);
}
