/* CSV files: fields, and a column as groups. What tables of numbers make of fields is tested by
 * tests/cli/test_dataset.py. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/formats/csv-column.h"
#include "core/data/formats/csv.h"

static char *folder;

static void
write_file (const char *name, const void *data, gsize length)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  FILE *file = g_fopen (path, "wb");

  cr_assert_not_null (file, "%s", path);
  cr_assert_eq (fwrite (data, 1, length, file), length);
  cr_assert_eq (fclose (file), 0);
}

static void
set_up (void)
{
  folder = g_dir_make_tmp ("assay-csv-XXXXXX", NULL);
  cr_assert_not_null (folder);
}

static void
tear_down (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_remove (path);
  }
  g_rmdir (folder);
  g_free (folder);
}

TestSuite (csv_column, .init = set_up, .fini = tear_down);

/* ---- Fields ---- */

/* Fields of text that is a piece of a larger one: nothing behind its end is looked at. */
Test (csv, fields_end_where_the_text_does)
{
  static const char text[] = "a,\"b\"\"\n\",\r\nc,d";
  static const char *const fields[] = { "a", "b\"\n", "", "c" };
  static const gboolean ends[] = { FALSE, FALSE, TRUE, TRUE };
  g_auto (AssayCsvReader) reader = assay_csv_reader (text, sizeof text - 1 - strlen (",d"));

  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++) {
    gboolean ends_row = FALSE;

    cr_assert (assay_csv_read_field (&reader, &ends_row, NULL));
    cr_assert_str_eq (reader.field->str, fields[i]);
    cr_assert_eq (ends_row, ends[i], "field %zu", i);
  }
  cr_assert (reader.at == reader.end && reader.line == 3);
}

/* An empty file that is mapped is nowhere. */
Test (csv, nothing_is_one_empty_field)
{
  g_auto (AssayCsvReader) reader = assay_csv_reader (NULL, 0);
  gboolean ends_row = FALSE;

  cr_assert (reader.at == NULL && reader.end == NULL);
  cr_assert (assay_csv_read_field (&reader, &ends_row, NULL) && ends_row);
  cr_assert_str_eq (reader.field->str, "");
}

/* ---- Columns ---- */

Test (csv_column, numbers_values_by_first_appearance)
{
  static const struct {
    const char *text;
    gsize n_rows;
    gint64 groups[6];
    const char *values[4];
  } cases[] = {
    { "c\nx\ny\nx\n", 3, { 0, 1, 0 }, { "x", "y" } },
    { "\xef\xbb\xbf"
      "c\nx\ny\nx",
      3,
      { 0, 1, 0 },
      { "x", "y" } },
    { "\xef\xbb\xbf\"c\"\r\nx\r\ny\r\nz", 3, { 0, 1, 2 }, { "x", "y", "z" } },
    { "a,c\n,x\n\"\",\"x\"\n1,x \n", 3, { 0, 0, 1 }, { "x", "x " } },
    { "a,c\n\"1,2\",\"a\"\"b\"\n\"line\r\nbreak\",\"p,q\"\n3,\"p\nq\"\n4,\"a\"\"b\"\n",
      4,
      { 0, 1, 2, 0 },
      { "a\"b", "p,q", "p\nq" } },
    { "c,a\n\xc3\xa9,1\n", 1, { 0 }, { "\xc3\xa9" } },
    { "c\n", 0, { 0 }, { NULL } },
  };
  g_autofree char *path = g_build_filename (folder, "t.csv", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AssayCsvColumn) column = NULL;
    g_autoptr (GError) error = NULL;
    gsize n_values = 0;

    while (n_values < 4 && cases[i].values[n_values] != NULL)
      n_values++;
    write_file ("t.csv", cases[i].text, strlen (cases[i].text));
    column = assay_csv_column_read (path, "c", cases[i].n_rows, &error);
    cr_assert_not_null (column, "case %zu: %s", i, error != NULL ? error->message : "");
    cr_assert_eq (column->n_rows, cases[i].n_rows);
    cr_assert_eq (column->n_groups, n_values, "case %zu", i);
    for (gsize r = 0; r < cases[i].n_rows; r++)
      cr_assert_eq (column->groups[r], cases[i].groups[r], "case %zu, row %zu", i, r);
    for (guint v = 0; v < n_values; v++)
      cr_assert_str_eq (g_ptr_array_index (column->values, v), cases[i].values[v]);
  }
}

Test (csv_column, refuses_by_line)
{
  static const struct {
    const char *text;
    const char *column;
    const char *message;
  } cases[] = {
    { "", "c", "is empty; expected a line of column names" },
    { "\xef\xbb\xbf", "c", "is empty; expected a line of column names" },
    { "photo,x,y\na,1,2\n", "phto",
      "has no column 'phto' (did you mean 'photo'?); its columns are photo, x, y" },
    { "photo,x,y\na,1,2\n", "angle", "has no column 'angle'; its columns are photo, x, y" },
    { "photo,x,photo\na,1,2\n", "photo", "column 'photo' appears 2 times" },
    { "a,c\n1,x\n2\n", "c", "line 3: has 1 fields; expected 2 as in the header" },
    { "a,c\n\"1\n\n\",x\n2,y,z\n", "c", "line 5: has 3 fields; expected 2 as in the header" },
    { "a,c\n1,x\n\n2,y\n", "c", "line 3: has 1 fields; expected 2 as in the header" },
    { "a,c\n1,x\n2,\n", "c", "line 3: the value of the column is empty" },
    { "c\nx\n\ny\n", "c", "line 3: the value of the column is empty" },
    { "a,c\n1,x\n2,\"y\n3,z\n", "c", "line 3: a quoted field is not closed" },
    { "a,c\n1,x\n2,y\"\n", "c", "line 3: unexpected quote in a field without quotes" },
    { "a,c\n1,x\n2,\"y\"z\n", "c", "line 3: unexpected text after a closing quote" },
    { "a,c\r1,x\r", "c", "line 1: unexpected carriage return" },
    { "c\nx\ny\n\xff\n", "c", "is not UTF-8 text from byte 6 on" },
    { "c\nx\n", "c", "has 1 rows; expected 2, one for each row of vectors" },
    { "c\nx\ny\nz\nw\n", "c", "has 4 rows; expected 2, one for each row of vectors" },
  };
  g_autofree char *path = g_build_filename (folder, "t.csv", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autofree char *expected = g_strdup_printf ("%s: %s", path, cases[i].message);

    write_file ("t.csv", cases[i].text, strlen (cases[i].text));
    cr_assert_null (assay_csv_column_read (path, cases[i].column, 2, &error), "case %zu", i);
    cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA));
    cr_assert_str_eq (error->message, expected);
  }
}

Test (csv_column, refuses_nul_bytes_and_missing_files)
{
  g_autofree char *path = g_build_filename (folder, "t.csv", NULL);
  g_autofree char *missing = g_build_filename (folder, "no.csv", NULL);
  g_autofree char *first = g_strdup_printf ("%s: is not UTF-8 text from byte 3 on", path);
  g_autofree char *second
      = g_strdup_printf ("%s: cannot be read: No such file or directory", missing);
  g_autoptr (GError) error = NULL;

  write_file ("t.csv", "c\nx\0y\n", 7);
  cr_assert_null (assay_csv_column_read (path, "c", 1, &error));
  cr_assert_str_eq (error->message, first);
  g_clear_error (&error);
  cr_assert_null (assay_csv_column_read (missing, "c", 1, &error));
  cr_assert_str_eq (error->message, second);
}
