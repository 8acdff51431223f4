/* Feature and label files as NUS-WIDE and MIRFlickr publish them. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "core/data/formats/text-table.h"
#include "core/data/formats/label-sets.h"
#include "core/plugin/registry.h"
#include "datasets/tables/class-files.h"
#include "tests/reference/fixtures.h"

#define ROWS 12
#define CLASSES 81 /* of NUS-WIDE: more than a word of a set has */

/* Row 3 has no class, row 0 those beyond the first word alone. */
static gboolean
has (gsize row, gsize label)
{
  return row != 3 && (row != 0 || label > 62) && (row * 7 + label * label) % 11 == 0;
}

static const AssayDatasetPlugin *
vectors (void)
{
  return (const AssayDatasetPlugin *) assay_registry_find (ASSAY_PLUGIN_DATASET, "vectors", NULL);
}

static void
write_text (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *above = g_path_get_dirname (path);

  g_mkdir_with_parents (above, 0700);
  cr_assert (g_file_set_contents (path, text, -1, NULL));
}

/* With a blank behind the last number, as NUS-WIDE's. */
static void
write_features (const char *folder, const char *name, gsize first, gsize count)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (gsize i = first; i < first + count; i++)
    g_string_append_printf (text, "%zu 0.%zu -1.5e-1 \r\n", i, i);
  write_text (folder, name, text->str);
}

static void
write_nus_labels (const char *folder, const char *part, gsize first, gsize count)
{
  for (gsize c = 0; c < CLASSES; c++) {
    g_autofree char *name = g_strdup_printf ("labels/Labels_%02zu_%s.txt", c, part);
    g_autoptr (GString) text = g_string_new (NULL);

    for (gsize i = first; i < first + count; i++)
      g_string_append (text, has (i, c) ? "1\n" : "0\n");
    write_text (folder, name, text->str);
  }
}

static void
check_labels (const AssayRoleData *data, gsize first, gsize count)
{
  const gsize words = assay_label_sets_words (data->label_sets);

  cr_assert (words == 2 && data->label_sets->shape[0] == count);
  for (gsize i = 0; i < count; i++) {
    const gint64 *set = assay_array_int64 (data->label_sets) + i * words;
    gsize lowest = CLASSES;

    for (gsize c = CLASSES; c-- > 0;) {
      cr_assert_eq (assay_label_set_has (set, words, c), has (first + i, c), "row %zu, class %zu",
                    first + i, c);
      lowest = has (first + i, c) ? c : lowest;
    }
    cr_assert_eq (assay_array_int64 (data->labels)[i], (gint64) lowest);
  }
}

static gboolean
open_vectors (const char *assignments, const char *folder, AssayDataset *ret_dataset,
              GError **error)
{
  const char *const folders[] = { folder, NULL };
  g_autoptr (AssaySettings) settings = fixture_settings (&vectors ()->plugin, assignments);
  const AssayDatasetContext context = { .settings = settings->values, .folders = folders };
  AssayProbe probe;

  memset (ret_dataset, 0, sizeof *ret_dataset);
  if (!vectors ()->probe (&context, &probe, error)
      || !vectors ()->open (&context, ret_dataset, error))
    return FALSE;
  cr_assert_eq (probe.n_classes, ret_dataset->n_classes);
  return TRUE;
}

Test (class_files, nus_wide_is_read_as_it_is_published)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-nus-XXXXXX", NULL);
  g_autoptr (GError) error = NULL;
  AssayDataset dataset;
  float row[3];

  write_features (folder, "Train_Normalized_CH.dat", 0, 8);
  write_features (folder, "Test_Normalized_CH.dat", 8, 4);
  write_nus_labels (folder, "Train", 0, 8);
  write_nus_labels (folder, "Test", 8, 4);
  cr_assert (open_vectors ("private=Train_Normalized_CH.dat labels=labels/Labels_*_Train.txt "
                           "test=Test_Normalized_CH.dat test_labels=labels/Labels_*_Test.txt",
                           folder, &dataset, &error),
             "%s", error->message);
  cr_assert_eq (dataset.n_classes, CLASSES + 1, "rows without any class are one");
  check_labels (&dataset.secret_data, 0, 8);
  check_labels (&dataset.test_data, 8, 4);
  assay_rows_read (dataset.secrets, 7, 1, ASSAY_SCALE_NONE, row);
  cr_assert_arr_eq (row, ((const float[]){ 7, 0.7f, -0.15f }), sizeof row);
  assay_dataset_clear (&dataset);

  /* Ranges of rows and of labels go together. */
  cr_assert (open_vectors ("private=Train_Normalized_CH.dat[2:6] "
                           "labels=labels/Labels_*_Train.txt[2:6]",
                           folder, &dataset, NULL));
  check_labels (&dataset.secret_data, 2, 4);
  assay_dataset_clear (&dataset);
  cr_assert (!open_vectors ("private=Train_Normalized_CH.dat[2:6] labels=labels/Labels_*_Train.txt",
                            folder, &dataset, &error));
  cr_assert (
      g_str_has_suffix (error->message, "Labels_00_Train.txt has labels of 8 rows; expected 4"),
      "%s", error->message);
}

/* A file for each image, numbered from 0, and lists of images, numbered from 1. */
Test (class_files, mirflickr_is_read_as_it_is_published)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-mir-XXXXXX", NULL);
  g_autoptr (GError) error = NULL;
  AssayDataset dataset;
  float row[3];

  for (gsize i = 0; i < ROWS; i++) {
    g_autofree char *name = g_strdup_printf ("features_edgehistogram/0/%zu.txt", i);
    g_autofree char *text = g_strdup_printf ("%zu\n0.%zu\n-1.5e-1\n", i, i);

    write_text (folder, name, text);
  }
  for (gsize c = 0; c < CLASSES; c++) {
    g_autofree char *name = g_strdup_printf ("annotations/class_%02zu_.txt", c);
    g_autoptr (GString) text = g_string_new (NULL);

    for (gsize i = 0; i < ROWS; i++)
      if (has (i, c))
        g_string_append_printf (text, "%zu\n", i + 1);
    write_text (folder, name, text->len > 0 ? text->str : "25000\n");
  }
  write_text (folder, "annotations/README.txt", "not a list\n");
  write_text (folder, "annotations/class_00_r1.txt", "5\n");
  cr_assert (open_vectors ("private=features_edgehistogram/0/*.txt[0:9] "
                           "labels=annotations/*[!1E].txt[0:9] "
                           "test=features_edgehistogram/0/*.txt[9:12] "
                           "test_labels=annotations/*[!1E].txt[9:12]",
                           folder, &dataset, &error),
             "%s", error->message);
  check_labels (&dataset.secret_data, 0, 9);
  check_labels (&dataset.test_data, 9, 3);
  assay_rows_read (dataset.secrets, 2, 1, ASSAY_SCALE_NONE, row);
  cr_assert_arr_eq (row, ((const float[]){ 2, 0.2f, -0.15f }), sizeof row,
                    "10.txt stands behind 2.txt");
  assay_dataset_clear (&dataset);
}

/* ---- What is refused ---- */

static void
expect_refusal (const char *folder, const char *pattern, gsize count, const char *says)
{
  const char *const folders[] = { folder, NULL };
  g_autoptr (GError) error = NULL;

  cr_assert_null (class_files_read (pattern, folders, count, &error));
  cr_assert (g_str_has_suffix (error->message, says), "%s", error->message);
}

Test (class_files, what_is_no_label_is_refused)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-bad-XXXXXX", NULL);

  write_text (folder, "half_a.txt", "1\n1.5\n");
  write_text (folder, "none_a.txt", "1\n0\n2\n");
  write_text (folder, "word_a.txt", "1\nyes\n");
  write_text (folder, "wide_a.txt", "1 2\n3 4\n");
  write_text (folder, "empty_a.txt", "\n");
  expect_refusal (folder, "half_*.txt", 2, "line 2 is 1.5; expected the number of a row, from 1");
  expect_refusal (folder, "none_*.txt", 2, "line 2 is 0; expected the number of a row, from 1");
  expect_refusal (folder, "word_*.txt", 2, "line 2, number 0 is 'yes'; expected a finite one");
  expect_refusal (folder, "wide_*.txt", 2,
                  "has 2 numbers in a line; expected one, as it is of one class");
  expect_refusal (folder, "empty_*.txt", 2, "is empty; expected lines of numbers");
  expect_refusal (folder, "other_*.txt", 2, "has no file 'other_*.txt'");
  expect_refusal (folder, "half_*.txt[0:3]", 2, "the range [0:3] has 3 rows; expected 2");
}

Test (text_table, lines_must_be_equally_long_and_finite)
{
  static const struct {
    const char *text, *says;
  } bad[] = {
    { "1 2\n3\n", "line 2: has 1 numbers; expected 2 as in the first line" },
    { "1 2\n\n3 4\n", "line 2: has 0 numbers; expected 2 as in the first line" },
    { "1 1e39\n", "line 1, number 1 is '1e39'; expected a finite one" },
    { "nan\n", "line 1, number 0 is 'nan'; expected a finite one" },
    { " \n\t", "is empty; expected lines of numbers" },
  };
  g_autoptr (AssayArray) array = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    cr_assert_null (assay_text_table_array (bad[i].text, strlen (bad[i].text), &error));
    cr_assert_str_eq (error->message, bad[i].says);
  }
  array = assay_text_table_array ("\t1  2\t\n3 4 \r\n\n \n", 16, NULL);
  cr_assert (array->shape[0] == 2 && array->shape[1] == 2);
  cr_assert_arr_eq (array->data, ((const float[]){ 1, 2, 3, 4 }), 4 * sizeof (float));
}

/* Found by fuzz/row-file: strchr finds the zero byte in any text, and no word ended. */
Test (text_table, zero_bytes_are_in_no_number)
{
  static const struct {
    const char *text;
    gsize length;
    const char *says;
  } bad[] = {
    { "1 \0\n", 4, "line 1, number 1 is '?'; expected a finite one" },
    { "1\0 2\n", 5, "line 1, number 0 is '1?'; expected a finite one" },
    { "\0", 1, "line 1, number 0 is '?'; expected a finite one" },
    { NULL, 0, "is empty; expected lines of numbers" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;

    cr_assert_null (assay_text_table_array (bad[i].text, bad[i].length, &error));
    cr_assert_str_eq (error->message, bad[i].says);
  }
}
