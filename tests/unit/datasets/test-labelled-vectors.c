/* Feature vectors with labels: generated ones, files of labels, further records of the secrets. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "core/plugin/registry.h"
#include "datasets/tables/record-copies.h"
#include "datasets/tables/row-labels.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

static const AssayDatasetPlugin *
generator (void)
{
  return (const AssayDatasetPlugin *) assay_registry_find (ASSAY_PLUGIN_DATASET, "gaussian-classes",
                                                           NULL);
}

/* Opens with @assignments, and checks what was announced. */
static void
open_classes (const char *assignments, guint64 seed, AssayDataset *ret_dataset)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&generator ()->plugin, assignments);
  const AssayDatasetContext context
      = { .settings = settings->values, .stream = assay_stream_key (seed, 0, "data", "") };
  AssayProbe probe;

  memset (ret_dataset, 0, sizeof *ret_dataset);
  cr_assert (generator ()->probe (&context, &probe, NULL)
             && generator ()->open (&context, ret_dataset, NULL));
  cr_assert_eq (probe.n_secrets, assay_rows_count (ret_dataset->secrets));
  cr_assert_eq (probe.n_public, assay_rows_count (ret_dataset->public_rows));
  cr_assert_eq (probe.n_test, assay_rows_count (ret_dataset->test));
  cr_assert_eq (probe.cols, assay_rows_cols (ret_dataset->secrets));
  cr_assert_eq (probe.n_classes, ret_dataset->n_classes);
  cr_assert_eq (probe.holdings, assay_dataset_holdings (ret_dataset));
}

static AssayMatrix *
read_rows (const AssayRows *rows)
{
  AssayMatrix *matrix = assay_matrix_new (assay_rows_count (rows), assay_rows_cols (rows), NULL);

  assay_rows_read (rows, 0, matrix->rows, ASSAY_SCALE_NONE, matrix->data);
  return matrix;
}

static double
square_distance (const float *a, const float *b, gsize d)
{
  double sum = 0;

  for (gsize j = 0; j < d; j++)
    sum += ((double) a[j] - (double) b[j]) * ((double) a[j] - (double) b[j]);
  return sum;
}

static gsize
nearest (const float *row, const AssayMatrix *among)
{
  gsize best = 0;

  for (gsize i = 1; i < among->rows; i++)
    if (square_distance (row, among->data + i * among->cols, among->cols)
        < square_distance (row, among->data + best * among->cols, among->cols))
      best = i;
  return best;
}

/* The nearest secret of a test row is of its class far more often than by chance (1 in 10), and,
 * because of the nuisance, not always. */
Test (gaussian_classes, classes_are_to_be_told_apart)
{
  AssayDataset dataset;
  g_autoptr (AssayMatrix) secrets = NULL;
  g_autoptr (AssayMatrix) test = NULL;
  gsize right = 0;

  open_classes ("count=1000 test_count=300", 4, &dataset);
  secrets = read_rows (dataset.secrets);
  test = read_rows (dataset.test);
  for (gsize i = 0; i < test->rows; i++)
    right += assay_array_int64 (
                 dataset.secret_data.labels)[nearest (assay_matrix_row (test, i), secrets)]
             == assay_array_int64 (dataset.test_data.labels)[i];
  cr_assert (right > 120 && right < 297, "%" G_GSIZE_FORMAT " of 300", right);
  assay_dataset_clear (&dataset);
}

/* Without separation there is nothing to tell: 1 in 10, within six standard deviations. */
Test (gaussian_classes, classes_without_separation_are_alike)
{
  AssayDataset dataset;
  g_autoptr (AssayMatrix) secrets = NULL;
  g_autoptr (AssayMatrix) test = NULL;
  gsize right = 0;

  open_classes ("count=500 test_count=500 separation=0", 4, &dataset);
  secrets = read_rows (dataset.secrets);
  test = read_rows (dataset.test);
  for (gsize i = 0; i < test->rows; i++)
    right += assay_array_int64 (
                 dataset.secret_data.labels)[nearest (assay_matrix_row (test, i), secrets)]
             == assay_array_int64 (dataset.test_data.labels)[i];
  cr_assert_lt (fabs ((double) right - 50), 6 * sqrt (500 * 0.1 * 0.9));
  assay_dataset_clear (&dataset);
}

Test (gaussian_classes, a_larger_pool_begins_with_the_rows_of_a_smaller_one)
{
  AssayDataset small, large, other;
  g_autoptr (AssayMatrix) first = NULL;
  g_autoptr (AssayMatrix) second = NULL;
  g_autoptr (AssayMatrix) third = NULL;

  open_classes ("count=20", 7, &small);
  open_classes ("count=50", 7, &large);
  open_classes ("count=20", 8, &other);
  first = read_rows (small.secrets);
  second = read_rows (large.secrets);
  third = read_rows (other.secrets);
  cr_assert_arr_eq (first->data, second->data, 20 * first->cols * sizeof (float));
  cr_assert (memcmp (first->data, third->data, 20 * first->cols * sizeof (float)) != 0);
  cr_assert_str_neq (small.sha256, large.sha256);
  assay_dataset_clear (&small);
  assay_dataset_clear (&large);
  assay_dataset_clear (&other);
}

/* The label is one of the set; sets have 1 to 3 classes, each about as often. */
Test (gaussian_classes, rows_may_have_several_labels)
{
  AssayDataset dataset;
  gsize sizes[4] = { 0 };

  open_classes ("count=3000 labels=3 classes=20", 5, &dataset);
  for (gsize i = 0; i < 3000; i++) {
    const guint64 set = (guint64) assay_array_int64 (dataset.secret_data.label_sets)[i];
    gsize size = 0;

    cr_assert (set >> 20 == 0
               && (set >> assay_array_int64 (dataset.secret_data.labels)[i] & 1) == 1);
    for (guint c = 0; c < 20; c++)
      size += set >> c & 1;
    cr_assert (size >= 1 && size <= 3);
    sizes[size]++;
  }
  for (guint s = 1; s <= 3; s++)
    cr_assert_lt (fabs ((double) sizes[s] - 1000), 6 * sqrt (3000 * 2.0 / 9), "%u", s);
  assay_dataset_clear (&dataset);
}

/* Each secret has a record of its own, at the distance that the noise makes: noise^2 times the
 * columns' variances, summed. */
Test (gaussian_classes, records_are_noisy_copies)
{
  AssayDataset dataset;
  g_autoptr (AssayMatrix) secrets = NULL;
  g_autoptr (AssayMatrix) public_rows = NULL;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_direct_hash, g_direct_equal);
  double sum = 0, variance = 0;

  open_classes ("count=400 public_count=100 columns=32 records=yes record_noise=0.2", 6, &dataset);
  secrets = read_rows (dataset.secrets);
  public_rows = read_rows (dataset.public_rows);
  cr_assert_eq (public_rows->rows, 500);
  /* All of them have one, so that it does not tell copies from other rows: a copy the secret's. */
  cr_assert (dataset.public_data.labels->shape[0] == 500);
  for (gsize i = 0; i < 400; i++)
    cr_assert_eq (assay_array_int64 (dataset.public_data.labels)[dataset.counterparts[i]],
                  assay_array_int64 (dataset.secret_data.labels)[i]);
  for (gsize j = 0; j < 32; j++) {
    double mean = 0, square = 0;

    for (gsize i = 0; i < 400; i++)
      mean += (double) assay_matrix_row (secrets, i)[j] / 400;
    for (gsize i = 0; i < 400; i++)
      square += pow ((double) assay_matrix_row (secrets, i)[j] - mean, 2) / 400;
    variance += square;
  }
  for (gsize i = 0; i < 400; i++) {
    const gint64 place = dataset.counterparts[i];

    cr_assert (place >= 0 && place < 500
               && g_hash_table_add (seen, GSIZE_TO_POINTER ((gsize) place + 1)));
    sum += square_distance (assay_matrix_row (secrets, i),
                            assay_matrix_row (public_rows, (gsize) place), 32);
  }
  /* 12,800 squares of normals: the mean has a relative deviation of about 0.013 (columns vary). */
  assert_near (sum / 400 / (0.04 * variance), 1, 0.1, "noise of records");
  assay_dataset_clear (&dataset);
}

Test (gaussian_classes, refuses_more_labels_than_classes)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&generator ()->plugin, "labels=5 classes=4");
  g_autoptr (GError) error = NULL;

  cr_assert (!generator ()->check (settings->values, &(AssayShape){ 0 }, &error));
  cr_assert_not_null (strstr (error->message, "labels = 5: expected no more of a row"));
}

/* ---- Labels from files ---- */

static AssayRows *
rows_of (gsize rows, gsize cols, const float *values)
{
  AssayMatrix *matrix = assay_matrix_new (rows, cols, NULL);

  memcpy (matrix->data, values, rows * cols * sizeof (float));
  return assay_rows_take_matrix (matrix);
}

Test (row_labels, one_column_is_the_class)
{
  g_autoptr (AssayRows) rows = rows_of (4, 1, (const float[]){ 3, 0, 7, 3 });
  AssayRoleData data = { 0 };
  gsize n_classes;

  cr_assert (row_labels_read (rows, "l.ivecs", 4, &data, &n_classes, NULL));
  cr_assert_null (data.label_sets);
  cr_assert_eq (n_classes, 8);
  cr_assert_arr_eq (assay_array_int64 (data.labels), ((const gint64[]){ 3, 0, 7, 3 }),
                    4 * sizeof (gint64));
  assay_role_data_clear (&data);
}

Test (row_labels, several_columns_are_sets)
{
  g_autoptr (AssayRows) rows = rows_of (2, 3, (const float[]){ 0, 1, 1, 1, 0, 0 });
  AssayRoleData data = { 0 };
  gsize n_classes;

  cr_assert (row_labels_read (rows, "l.npy", 2, &data, &n_classes, NULL));
  cr_assert_eq (n_classes, 3);
  cr_assert_arr_eq (assay_array_int64 (data.labels), ((const gint64[]){ 1, 0 }),
                    2 * sizeof (gint64));
  cr_assert_arr_eq (assay_array_int64 (data.label_sets), ((const gint64[]){ 6, 1 }),
                    2 * sizeof (gint64));
  assay_role_data_clear (&data);
}

/* Rows without a class share none; one label a row, they are a class behind the others. */
Test (row_labels, rows_may_have_no_class)
{
  g_autoptr (AssayRows) rows = rows_of (2, 2, (const float[]){ 0, 1, 0, 0 });
  AssayRoleData data = { 0 };
  gsize n_classes;

  cr_assert (row_labels_read (rows, "l.npy", 2, &data, &n_classes, NULL));
  cr_assert_eq (n_classes, 3);
  cr_assert_arr_eq (assay_array_int64 (data.labels), ((const gint64[]){ 1, 2 }),
                    2 * sizeof (gint64));
  cr_assert_arr_eq (assay_array_int64 (data.label_sets), ((const gint64[]){ 2, 0 }),
                    2 * sizeof (gint64));
  assay_role_data_clear (&data);
}

static void
expect_failure (gsize count, gsize cols, const float *values, gsize expected, const char *says)
{
  g_autoptr (AssayRows) rows = rows_of (count, cols, values);
  AssayRoleData data = { 0 };
  g_autoptr (GError) error = NULL;
  gsize n_classes;

  cr_assert (!row_labels_read (rows, "l.npy", expected, &data, &n_classes, &error));
  cr_assert_str_eq (error->message, says);
  cr_assert_null (data.labels);
}

Test (row_labels, bad_labels_are_refused)
{
  expect_failure (2, 1, (const float[]){ 0, 1 }, 3, "l.npy has labels of 2 rows; expected 3");
  expect_failure (2, 1, (const float[]){ 0, -1 }, 2,
                  "l.npy: label of row 1 is -1; expected a whole number from 0 to 65535");
  expect_failure (2, 1, (const float[]){ 0.5, 1 }, 2,
                  "l.npy: label of row 0 is 0.5; expected a whole number from 0 to 65535");
  expect_failure (2, 2, (const float[]){ 0, 1, 0, 2 }, 2,
                  "l.npy: row 1, class 1 is 2; expected 1 where the row has the class and 0 where "
                  "not");
}

/* ---- Labels and test rows of `vectors` ---- */

static char *
write_npy_floats (const char *folder, const char *name, gsize rows, gsize cols)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *body
      = g_strdup_printf ("{'descr': '<f4', 'fortran_order': False, 'shape': (%" G_GSIZE_FORMAT
                         ", %" G_GSIZE_FORMAT "), }",
                         rows, cols);
  g_autoptr (GString) text = g_string_new_len ("\x93NUMPY\x01\x00", 8);
  const gsize length = 118;

  g_string_append_c (text, (char) length);
  g_string_append_c (text, 0);
  g_string_append_printf (text, "%-117s\n", body);
  for (gsize i = 0; i < rows * cols; i++) {
    const float value = cols == 1 ? (float) (i % 3) : (float) (i * 7 % 11) + (float) rows;

    g_string_append_len (text, (const char *) &value, sizeof value);
  }
  cr_assert (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
  return g_steal_pointer (&path);
}

Test (vectors, labels_and_test_rows_come_from_files)
{
  const AssayDatasetPlugin *vectors
      = (const AssayDatasetPlugin *) assay_registry_find (ASSAY_PLUGIN_DATASET, "vectors", NULL);
  g_autofree char *folder = g_dir_make_tmp ("assay-labels-XXXXXX", NULL);
  g_autofree char *private = write_npy_floats (folder, "p.npy", 6, 4);
  g_autofree char *labels = write_npy_floats (folder, "l.npy", 6, 1);
  g_autofree char *test = write_npy_floats (folder, "t.npy", 5, 4);
  g_autofree char *test_labels = write_npy_floats (folder, "tl.npy", 5, 1);
  const char *const folders[] = { folder, NULL };
  g_autoptr (AssaySettings) settings = fixture_settings (
      &vectors->plugin,
      "private=p.npy labels=l.npy test=t.npy test_labels=tl.npy records=yes record_noise=0");
  const AssayDatasetContext context = { .settings = settings->values,
                                        .folders = folders,
                                        .stream = assay_stream_key (1, 0, "data", "") };
  g_autoptr (GError) error = NULL;
  AssayDataset dataset = { 0 };
  AssayProbe probe;

  cr_assert (vectors->probe (&context, &probe, &error), "%s", error->message);
  cr_assert (vectors->open (&context, &dataset, &error));
  cr_assert_eq (probe.holdings, assay_dataset_holdings (&dataset));
  cr_assert_eq (probe.holdings, ASSAY_HAS_LABELS | ASSAY_HAS_TEST_LABELS | ASSAY_HAS_COUNTERPARTS
                                    | ASSAY_HAS_PUBLIC_LABELS);
  cr_assert (probe.n_test == 5 && probe.n_public == 6 && probe.n_classes == 3);
  cr_assert_eq (assay_array_int64 (dataset.test_data.labels)[4], 1);
  for (gsize i = 0; i < 6; i++) {
    float secret[4], record[4];

    assay_rows_read (dataset.secrets, i, 1, ASSAY_SCALE_NONE, secret);
    assay_rows_read (dataset.public_rows, (gsize) dataset.counterparts[i], 1, ASSAY_SCALE_NONE,
                     record);
    cr_assert_arr_eq (secret, record, sizeof secret, "without noise a record is the secret");
  }
  assay_dataset_clear (&dataset);

  g_clear_pointer (&settings, assay_settings_free);
  settings = fixture_settings (&vectors->plugin, "private=p.npy labels=tl.npy");
  cr_assert (
      !vectors->open (&(AssayDatasetContext){ .settings = settings->values, .folders = folders },
                      &dataset, &error));
  cr_assert_str_eq (error->message, "labels: tl.npy has labels of 5 rows; expected 6");
  g_unlink (private);
  g_unlink (labels);
  g_unlink (test);
  g_unlink (test_labels);
  g_rmdir (folder);
}
