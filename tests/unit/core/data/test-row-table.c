/* Arrays of .npz files and columns of CSV: what is refused, in which words. tests/cli/test_numpy.py
 * compares what is read with NumPy. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/row-file.h"

static char *folder;

static void
set_up (void)
{
  folder = g_dir_make_tmp ("assay-tables-XXXXXX", NULL);
  cr_assert_not_null (folder);
}

static void
tear_down (void)
{
  for (const char *names = "t.csv\0t.tsv\0t.npz\0"; *names != '\0'; names += strlen (names) + 1) {
    g_autofree char *path = g_build_filename (folder, names, NULL);

    g_remove (path);
  }
  g_rmdir (folder);
  g_free (folder);
}

TestSuite (row_table, .init = set_up, .fini = tear_down);

static AssayRowFiles *
open_rows (const char *specification, const char *text, gsize length, GError **error)
{
  const char *const folders[] = { folder, NULL };
  g_autofree char *name = g_strndup (specification, strcspn (specification, "["));
  g_autofree char *path = g_build_filename (folder, name, NULL);

  cr_assert (g_file_set_contents (path, text, (gssize) length, NULL));
  return assay_row_files_open (specification, folders, error);
}

static void
assert_refused (const char *specification, const char *text, gsize length, const char *message)
{
  g_autofree char *start = g_strdup_printf ("%s/", folder);
  g_autoptr (GError) error = NULL;

  cr_assert_null (open_rows (specification, text, length, &error), "%s: accepted", specification);
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA), "%s", specification);
  cr_assert (g_str_has_prefix (error->message, start), "%s", error->message);
  cr_assert_str_eq (error->message + strlen (start), message);
}

#define CHOICE "; columns are chosen as in FILE[age,income], and FILE[-name] is all but one"

Test (row_table, refuses_tables_of_text)
{
  static const struct {
    const char *specification;
    const char *text;
    const char *message;
  } cases[] = {
    { "t.csv", "", "t.csv: is empty; expected lines of numbers" },
    { "t.csv", "name,x\nAnn,1\n",
      "t.csv: line 2, column 1 is 'Ann'; expected a finite number, whole ones within 64 "
      "bits" CHOICE },
    { "t.csv[x]", "name,x\nAnn,nan\n",
      "t.csv: line 2, column 2 is 'nan'; expected a finite number, whole ones within 64 bits" },
    { "t.csv[x]", "name,x\nAnn,\n",
      "t.csv: line 2, column 2 is ''; expected a finite number, whole ones within 64 bits" },
    { "t.csv[x]", "name,x\nAnn\n", "t.csv: line 2: has 1 fields; expected 2 as in the first line" },
    { "t.csv[x]", "name,x\n", "t.csv: has a header and no rows" },
    { "t.csv[y]", "name,x\nAnn,1\n",
      "t.csv: has no column 'y' (did you mean 'x'?); its columns are name, x" },
    { "t.csv[-y]", "name,x\nAnn,1\n",
      "t.csv: has no column 'y' (did you mean 'x'?); its columns are name, x" },
    { "t.csv[x,-name]", "name,x\nAnn,1\n",
      "t.csv: columns are either chosen by name or left out ('-NAME'), not both; "
      "expected '-' before each of them, or before none" },
    { "t.csv[x,x]", "name,x\nAnn,1\n", "t.csv: column 'x' is named twice" },
    { "t.csv[-name,-x]", "name,x\nAnn,1\n", "t.csv: every column is left out" },
    { "t.csv[x]", "x,x\n1,2\n", "t.csv: column 'x' appears 2 times" },
    { "t.tsv", "a,b\n1,2\n",
      "t.tsv: line 2, column 1 is '1,2'; expected a finite number, whole ones within 64 "
      "bits" CHOICE },
    { "t.npz", "PK",
      "t.npz: is not a ZIP archive, or truncated: the end of its directory is "
      "missing" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_refused (cases[i].specification, cases[i].text, strlen (cases[i].text),
                    cases[i].message);
}

Test (row_table, reads_columns_in_the_order_wanted)
{
  static const char text[] = "\xef\xbb\xbfname, x ,\"y,z\"\r\nAnn, 1,2.5\r\nBob,3 ,-4\r\n";
  static const struct {
    const char *specification;
    gsize cols;
    float values[4];
  } cases[] = {
    { "t.csv[\"y,z\",x]", 2, { 2.5f, 1, -4, 3 } },
    { "t.csv[ x ]", 1, { 1, 3 } },
    { "t.csv[-name]", 2, { 1, 2.5f, 3, -4 } },
    { "t.csv[-name][1:]", 2, { 3, -4 } },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (AssayRowFiles) files
        = open_rows (cases[i].specification, text, strlen (text), &error);
    float values[4];
    gsize n;

    cr_assert_not_null (files, "%s", error != NULL ? error->message : "");
    cr_assert_eq (assay_rows_cols (files->rows), cases[i].cols, "%s", cases[i].specification);
    n = assay_rows_count (files->rows);
    assay_rows_read (files->rows, 0, n, ASSAY_SCALE_NONE, values);
    for (gsize j = 0; j < n * cases[i].cols; j++)
      cr_assert_eq (values[j], cases[i].values[j], "%s: %zu", cases[i].specification, j);
  }
}
