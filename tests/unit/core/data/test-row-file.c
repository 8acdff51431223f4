/* Rows of files: what is read, what is refused and in which words, and the real data where it is
 * there. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/data/npy.h"
#include "core/data/row-file.h"
#include "core/data/row-table.h"

/* ---- Files to test with ---- */

static char *folder;

static void
set_up (void)
{
  folder = g_dir_make_tmp ("assay-rows-XXXXXX", NULL);
  cr_assert_not_null (folder);
}

static void
remove_all (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *inside = g_build_filename (path, name, NULL);

    if (g_file_test (inside, G_FILE_TEST_IS_DIR) && !g_file_test (inside, G_FILE_TEST_IS_SYMLINK))
      remove_all (inside);
    else
      g_remove (inside);
  }
  g_rmdir (path);
}

static void
tear_down (void)
{
  remove_all (folder);
  g_free (folder);
}

TestSuite (row_file, .init = set_up, .fini = tear_down);

static void
write_file (const char *name, const void *data, gsize length)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  FILE *file = g_fopen (path, "wb");

  cr_assert_not_null (file, "%s", path);
  cr_assert_eq (fwrite (data, 1, length, file), length);
  cr_assert_eq (fclose (file), 0);
}

/* 4 rows x 3 columns of 0 .. 11 in one of the TEXMEX forms; row r, column c is 3 r + c. */
static GString *
make_vecs (AssayType type)
{
  GString *text = g_string_new (NULL);

  for (gint32 i = 0; i < 12; i++) {
    const gint32 dimension = 3;
    const float real = (float) i;

    if (i % 3 == 0)
      g_string_append_len (text, (const char *) &dimension, 4);
    if (type == ASSAY_UINT8)
      g_string_append_c (text, (char) i);
    else
      g_string_append_len (text, type == ASSAY_INT32 ? (gconstpointer) &i : &real, 4);
  }
  return text;
}

/* "good.fvecs", "good.bvecs", "good.ivecs", "good.npy" (4 x 3 float64) and "line.npy" (12). */
static void
write_good_files (void)
{
  g_autoptr (GString) fvecs = make_vecs (ASSAY_FLOAT32);
  g_autoptr (GString) bvecs = make_vecs (ASSAY_UINT8);
  g_autoptr (GString) ivecs = make_vecs (ASSAY_INT32);
  const gsize shape[] = { 4, 3 };
  const gsize line_shape[] = { 12 };
  double *reals = g_new (double, 12);
  gint64 *numbers = g_new (gint64, 12);
  g_autoptr (AssayArray) table = assay_array_take (ASSAY_FLOAT64, 2, shape, reals);
  g_autoptr (AssayArray) line = assay_array_take (ASSAY_INT64, 1, line_shape, numbers);
  g_autofree char *table_path = g_build_filename (folder, "good.npy", NULL);
  g_autofree char *line_path = g_build_filename (folder, "line.npy", NULL);

  for (guint i = 0; i < 12; i++) {
    reals[i] = i;
    numbers[i] = i;
  }
  write_file ("good.fvecs", fvecs->str, fvecs->len);
  write_file ("good.bvecs", bvecs->str, bvecs->len);
  write_file ("good.ivecs", ivecs->str, ivecs->len);
  cr_assert (assay_npy_write (table_path, table, NULL));
  cr_assert (assay_npy_write (line_path, line, NULL));
}

static AssayRowFiles *
open_good (const char *specification)
{
  const char *const folders[] = { folder, NULL };
  g_autoptr (GError) error = NULL;
  AssayRowFiles *files = assay_row_files_open (specification, folders, &error);

  cr_assert_not_null (files, "%s: %s", specification, error != NULL ? error->message : "");
  return files;
}

/* ---- What is read ---- */

Test (row_file, reads_ranges_of_every_format)
{
  static const struct {
    const char *specification;
    gsize cols;
    gsize n;
    float rows[8]; /* the first number of each row */
  } cases[] = {
    { "good.fvecs", 3, 4, { 0, 3, 6, 9 } },
    { "good.bvecs", 3, 4, { 0, 3, 6, 9 } },
    { "good.ivecs", 3, 4, { 0, 3, 6, 9 } },
    { "good.npy", 3, 4, { 0, 3, 6, 9 } },
    { "line.npy[9:]", 1, 3, { 9, 10, 11 } },
    { "good.fvecs[1:3]", 3, 2, { 3, 6 } },
    { "good.bvecs[3:]", 3, 1, { 9 } },
    { "good.ivecs[:2]", 3, 2, { 0, 3 } },
    { "good.npy[0:4]", 3, 4, { 0, 3, 6, 9 } },
    { "good.bvecs[:]", 3, 4, { 0, 3, 6, 9 } },
    { " good.bvecs[2:4] , good.npy[:1],good.fvecs ", 3, 7, { 6, 9, 0, 0, 3, 6, 9 } },
  };

  write_good_files ();
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AssayRowFiles) files = open_good (cases[i].specification);
    float values[8 * 3];

    cr_assert_eq (assay_rows_count (files->rows), cases[i].n, "%s", cases[i].specification);
    cr_assert_eq (assay_rows_cols (files->rows), cases[i].cols, "%s", cases[i].specification);
    assay_rows_read (files->rows, 0, cases[i].n, ASSAY_SCALE_NONE, values);
    for (gsize j = 0; j < cases[i].n * cases[i].cols; j++)
      cr_assert_eq (values[j], cases[i].rows[j / cases[i].cols] + (float) (j % cases[i].cols),
                    "%s: value %zu", cases[i].specification, j);
  }
}

Test (row_file, reports_where_rows_come_from)
{
  g_autofree char *link = g_build_filename (folder, "link.bvecs", NULL);
  g_autofree char *canonical = NULL;
  g_autoptr (AssayRowFiles) files = NULL;

  write_good_files ();
  cr_assert_eq (symlink ("good.bvecs", link), 0);
  files = open_good ("link.bvecs[1:2],./good.fvecs,good.bvecs[2:]");
  canonical = g_canonicalize_filename ("good.bvecs", folder);
  cr_assert_eq (files->ranges->len, 3);
  cr_assert_str_eq (assay_row_files_range (files, 0)->path, canonical);
  cr_assert_str_eq (assay_row_files_range (files, 2)->path, canonical);
  cr_assert_eq (assay_row_files_range (files, 0)->first, 1);
  cr_assert_eq (assay_row_files_range (files, 0)->end, 2);
  cr_assert_eq (assay_row_files_range (files, 2)->first, 2);
  cr_assert_eq (assay_row_files_range (files, 2)->end, 4);
  for (guint i = 0; i < 3; i++)
    cr_assert_eq (assay_row_files_range (files, i)->n_in_file, 4);
}

Test (row_file, hashes_the_numbers_as_stored)
{
  /* printf '\3\4\5\6\7\10' | sha256sum */
  static const char expected[] = "df3153762678d531e5a044492e169302be007fa367f33f9b38febcba6ffca465";
  g_autoptr (AssayRowFiles) files = NULL;
  g_autoptr (AssayRowFiles) parts = NULL;
  g_autoptr (AssayRowFiles) others = NULL;

  write_good_files ();
  files = open_good ("good.bvecs[1:3]");
  parts = open_good ("good.bvecs[1:2],good.bvecs[2:3]");
  others = open_good ("good.bvecs[0:2]");
  cr_assert_str_eq (files->sha256, expected);
  cr_assert_str_eq (parts->sha256, expected);
  cr_assert_str_neq (others->sha256, expected);
}

Test (row_file, looks_in_the_folders_in_order)
{
  g_autofree char *first = g_build_filename (folder, "first", NULL);
  g_autofree char *absolute = g_build_filename (folder, "good.fvecs", NULL);
  g_autofree char *absolute_range = g_strconcat (absolute, "[1:]", NULL);
  const char *const folders[] = { first, folder, NULL };
  const gint32 row[] = { 1, 77 };
  g_autoptr (AssayRowFiles) files = NULL;
  g_autoptr (AssayRowFiles) fallback = NULL;
  g_autoptr (AssayRowFiles) direct = NULL;

  write_good_files ();
  cr_assert_eq (g_mkdir (first, 0700), 0);
  write_file ("first/good.ivecs", row, sizeof row);
  files = assay_row_files_open ("good.ivecs", folders, NULL);
  fallback = assay_row_files_open ("good.fvecs", folders, NULL);
  direct = assay_row_files_open (absolute_range, folders, NULL);
  cr_assert_eq (assay_rows_count (files->rows), 1);
  cr_assert_eq (assay_rows_count (fallback->rows), 4);
  cr_assert_eq (assay_rows_count (direct->rows), 3);
}

/* ---- What is refused ---- */

/* Opens @specification with every '@' replaced by the folder; the message likewise. */
static void
assert_refused (const char *specification, const char *message)
{
  const char *const folders[] = { folder, "/nowhere", NULL };
  g_auto (GStrv) specification_parts = g_strsplit (specification, "@", -1);
  g_auto (GStrv) message_parts = g_strsplit (message, "@", -1);
  g_autofree char *full = g_strjoinv (folder, specification_parts);
  g_autofree char *expected = g_strjoinv (folder, message_parts);
  g_autoptr (GError) error = NULL;

  cr_assert_null (assay_row_files_open (full, folders, &error), "%s: accepted", specification);
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA), "%s", specification);
  cr_assert_str_eq (error->message, expected);
}

#define RANGE_HELP                                                                                 \
  ": expected [FIRST:END], rows counted from 0 and END not included; either may be left out"

Test (row_file, refuses_malformed_specifications)
{
  static const char *const malformed[] = {
    "good.fvecs[1]",
    "good.fvecs[1:2:3]",
    "good.fvecs[a:2]",
    "good.fvecs[-1:2]",
    "good.fvecs[+1:]",
    "good.fvecs[1: 2]",
    "good.fvecs[1:2",
    "good.fvecs[",
    "good.fvecs[]",
    "good.fvecs[0x1:2]",
    "good.fvecs[:99999999999999999999]",
    "good.fvecs[1:2]x",
  };

  write_good_files ();
  for (gsize i = 0; i < G_N_ELEMENTS (malformed); i++) {
    g_autofree char *message = g_strdup_printf ("malformed range '%s'" RANGE_HELP, malformed[i]);

    assert_refused (malformed[i], message);
  }
  assert_refused ("", "'': a file name is missing");
  assert_refused ("  ", "'  ': a file name is missing");
  assert_refused ("good.fvecs,", "'good.fvecs,': a file name is missing");
  assert_refused (",good.fvecs", "',good.fvecs': a file name is missing");
  assert_refused ("[1:2]", "'[1:2]': a file name is missing");
  assert_refused ("good.mat", "'good.mat' is of an unknown format: expected " ASSAY_ROW_FORMATS
                             "; in Python: numpy.save ('rows.npy', scipy.io.loadmat (FILE)[NAME])");
  assert_refused ("good[1:2]", "'good' is of an unknown format: expected " ASSAY_ROW_FORMATS);
}

Test (row_file, refuses_ranges_that_do_not_fit)
{
  write_good_files ();
  assert_refused ("good.fvecs[2:2]", "'good.fvecs[2:2]' is an empty range");
  assert_refused ("good.fvecs[3:1]", "'good.fvecs[3:1]' is an empty range");
  assert_refused ("good.fvecs[:0]", "@/good.fvecs: the range [:0] is empty");
  assert_refused ("good.fvecs[2:5]",
                  "@/good.fvecs: the range [2:5] reaches out of the file, which has 4 rows");
  assert_refused ("good.npy[4:]",
                  "@/good.npy: the range [4:] reaches out of the file, which has 4 rows");
  assert_refused ("good.bvecs[18446744073709551614:18446744073709551615]",
                  "@/good.bvecs: the range [18446744073709551614:18446744073709551615] reaches "
                  "out of the file, which has 4 rows");
  assert_refused ("good.bvecs,line.npy", "@/line.npy: has 1 columns; expected 3 as in "
                                         "@/good.bvecs");
}

Test (row_file, refuses_what_is_not_a_readable_file)
{
  g_autofree char *pipe_path = g_build_filename (folder, "pipe.fvecs", NULL);
  g_autofree char *dir_path = g_build_filename (folder, "dir.npy", NULL);

  cr_assert_eq (mkfifo (pipe_path, 0600), 0);
  cr_assert_eq (g_mkdir (dir_path, 0700), 0);
  assert_refused ("no.fvecs", "no.fvecs: no such file (looked for @/no.fvecs, /nowhere/no.fvecs); "
                              "the environment variable ASSAY_DATA tells in which folder data is");
  assert_refused ("sift/no.fvecs",
                  "sift/no.fvecs: no such file (looked for @/sift/no.fvecs, "
                  "/nowhere/sift/no.fvecs); the environment variable ASSAY_DATA tells in which "
                  "folder data is; 'assay dataset fetch' brings public data sets, and "
                  "docs/data-recipes.md says how to have other files");
  assert_refused ("@/no.fvecs[1:2]", "@/no.fvecs: no such file");
  assert_refused ("pipe.fvecs", "@/pipe.fvecs: is not a regular file");
  assert_refused ("dir.npy", "@/dir.npy: is not a regular file");
}

/* Root may read everything: the test gives that up for its own process. */
Test (row_file, refuses_a_file_without_permission)
{
  g_autofree char *path = g_build_filename (folder, "good.fvecs", NULL);
  g_autofree char *locked = g_build_filename (folder, "locked", NULL);

  write_good_files ();
  cr_assert_eq (g_mkdir (locked, 0700), 0);
  write_file ("locked/inside.npy", "", 0);
  cr_assert_eq (g_chmod (path, 0), 0);
  cr_assert_eq (g_chmod (locked, 0), 0);
  cr_assert_eq (g_chmod (folder, 0755), 0);
  if (geteuid () == 0)
    cr_assert_eq (seteuid (65534), 0);
  assert_refused ("good.fvecs", "@/good.fvecs: cannot be read: Permission denied");
  assert_refused ("locked/inside.npy", "@/locked/inside.npy: cannot be read: Permission denied");
  cr_assert_eq (seteuid (getuid ()), 0);
  cr_assert_eq (g_chmod (locked, 0700), 0);
}

Test (row_file, refuses_broken_texmex_files)
{
  g_autoptr (GString) good = make_vecs (ASSAY_FLOAT32); /* rows of 16 bytes at 0, 16, 32, 48 */
  static const struct {
    gsize at;
    gint32 dimension; /* written there */
    gsize length;     /* of the file */
    const char *message;
  } cases[] = {
    { 0, 3, 0, "is empty" },
    { 0, 3, 3, "truncated: row 0 begins with the 4 bytes of its dimension, found 3" },
    { 0, 3, 15, "truncated: row 0 begins at byte 0 and has 15 bytes; expected 16" },
    { 0, 3, 63, "truncated: row 3 begins at byte 48 and has 15 bytes; expected 16" },
    { 0, 3, 50, "truncated: row 3 begins at byte 48 and has 2 bytes; expected 16" },
    { 0, 3, 53, "truncated: row 3 begins at byte 48 and has 5 bytes; expected 16" },
    { 0, 0, 64,
      "row 0 has dimension 0; expected 1 to 1048576: is it of the format that its name says?" },
    { 0, -3, 64,
      "row 0 has dimension -3; expected 1 to 1048576: is it of the format that its name says?" },
    { 0, 3 << 24, 64, /* big-endian */
      "row 0 has dimension 50331648; expected 1 to 1048576: is it of the format that its name "
      "says?" },
    { 0, 1048576, 64, "truncated: row 0 begins at byte 0 and has 64 bytes; expected 4194308" },
    { 32, 4, 64, "row 2 (byte 32) has dimension 4; expected 3 as in row 0" },
    { 32, -1, 64, "row 2 (byte 32) has dimension -1; expected 3 as in row 0" },
    { 48, 5, 63, "row 3 (byte 48) has dimension 5; expected 3 as in row 0" },
    { 16, 4, 60, "row 1 (byte 16) has dimension 4; expected 3 as in row 0" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GString) file = g_string_new_len (good->str, (gssize) good->len);
    g_autofree char *message = g_strconcat ("@/bad.fvecs: ", cases[i].message, NULL);

    memcpy (file->str + cases[i].at, &cases[i].dimension, 4);
    write_file ("bad.fvecs", file->str, cases[i].length);
    assert_refused ("bad.fvecs", message);
  }
}

Test (row_file, refuses_numbers_that_are_not_finite)
{
  static const float reals[] = { NAN, INFINITY, -INFINITY };
  static const char *const words[] = { "NaN", "infinite", "infinite" };
  g_autofree char *path = g_build_filename (folder, "bad.npy", NULL);
  const gsize shape[] = { 40, 9 };
  double *numbers = g_new0 (double, 360);
  g_autoptr (AssayArray) table = assay_array_take (ASSAY_FLOAT64, 2, shape, numbers);

  for (gsize i = 0; i < G_N_ELEMENTS (reals); i++) {
    g_autoptr (GString) file = make_vecs (ASSAY_FLOAT32);
    g_autofree char *message = g_strdup_printf ("@/bad.fvecs: row 2, column 1 is %s", words[i]);

    memcpy (file->str + 2 * 16 + 4 + 4, &reals[i], 4);
    write_file ("bad.fvecs", file->str, file->len);
    assert_refused ("bad.fvecs", message);
    assert_refused ("bad.fvecs[1:3]", message); /* counted in the file, not in the range */
    assay_row_files_free (open_good ("bad.fvecs[:2],bad.fvecs[3:]"));
  }
  numbers[31 * 9 + 8] = -1e300;
  cr_assert (assay_npy_write (path, table, NULL));
  assert_refused ("bad.npy", "@/bad.npy: row 31, column 8 is beyond the range of float32");
  numbers[31 * 9 + 8] = NAN;
  cr_assert (assay_npy_write (path, table, NULL));
  assert_refused ("bad.npy", "@/bad.npy: row 31, column 8 is NaN");
  numbers[0] = (double) INFINITY;
  cr_assert (assay_npy_write (path, table, NULL));
  assert_refused ("bad.npy", "@/bad.npy: row 0, column 0 is infinite");
  numbers[0] = 3.4028234663852886e38; /* the largest float */
  cr_assert (assay_npy_write (path, table, NULL));
  assay_row_files_free (open_good ("bad.npy[:31]"));
}

/* An .npy file of float32 with this shape and that many bytes of numbers. */
static void
write_npy (const char *name, const char *descr, const char *shape, gsize n_bytes)
{
  GString *file = g_string_new_len ("\x93NUMPY\x01\x00..", 10);

  g_string_append_printf (file, "{'descr': '%s', 'fortran_order': False, 'shape': %s}", descr,
                          shape);
  file->str[8] = (char) (file->len - 10);
  file->str[9] = 0;
  for (gsize i = 0; i < n_bytes; i++)
    g_string_append_c (file, '\0');
  write_file (name, file->str, file->len);
  g_string_free (file, TRUE);
}

Test (row_file, refuses_npy_files_that_are_not_rows)
{
  write_npy ("planes.npy", "<i4", "(2, 3, 4, 4)", 384);
  write_npy ("none.npy", "<f4", "(0, 3)", 0);
  write_npy ("flat.npy", "<f4", "(3, 0)", 0);
  write_npy ("wide.npy", "|u1", "(1, 1048577)", 1048577);
  write_npy ("complex.npy", "<c8", "(2, 3)", 48);
  write_npy ("short.npy", "<f4", "(2, 3)", 23);
  assert_refused ("planes.npy", "@/planes.npy: array 'images' is int32 2 x 3 x 4 x 4; expected "
                                "images of real numbers or bytes");
  assert_refused ("none.npy", "@/none.npy: has no rows");
  assert_refused ("flat.npy", "@/flat.npy: has 0 columns; expected 1 to 1048576");
  assert_refused ("wide.npy", "@/wide.npy: has 1048577 columns; expected 1 to 1048576");
  assert_refused ("complex.npy", "@/complex.npy: holds complex64 ('<c8'); expected floating point "
                                 "of 16, 32 or 64 bits, whole numbers, or bool");
  assert_refused ("short.npy", "@/short.npy: truncated: the header announces float32 2 x 3, "
                               "expected 91 bytes, found 90");
}

/* ---- Overlaps ---- */

Test (row_file, finds_rows_that_are_used_twice)
{
  static const struct {
    const char *a, *b;
    const char *message; /* of a against b; NULL: disjoint */
  } cases[] = {
    { "good.bvecs[:2]", "good.bvecs[2:]", NULL },
    { "good.bvecs", "good.fvecs", NULL },
    { "good.bvecs[:3]", "good.bvecs[2:]",
      "private [0:3] and public [2:4] share rows [2:3] of @/good.bvecs; a row may be used once" },
    { "good.bvecs", "good.fvecs,./good.bvecs[1:2]",
      "private [0:4] and public [1:2] share rows [1:2] of @/good.bvecs; a row may be used once" },
    { "good.fvecs[:1],good.bvecs[1:2]", "good.npy,link.bvecs[0:3]",
      "private [1:2] and public [0:3] share rows [1:2] of @/good.bvecs; a row may be used once" },
  };
  g_autofree char *link_path = g_build_filename (folder, "link.bvecs", NULL);

  write_good_files ();
  cr_assert_eq (symlink ("good.bvecs", link_path), 0);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AssayRowFiles) a = NULL;
    g_autoptr (AssayRowFiles) b = NULL;
    g_autoptr (GError) error = NULL;
    gboolean is_disjoint;

    a = open_good (cases[i].a);
    b = open_good (cases[i].b);
    is_disjoint = assay_row_files_check_disjoint (a, "private", b, "public", &error);
    cr_assert_eq (is_disjoint, cases[i].message == NULL, "%s and %s", cases[i].a, cases[i].b);
    if (!is_disjoint) {
      g_auto (GStrv) parts = g_strsplit (cases[i].message, "@", -1);
      g_autofree char *expected = g_strjoinv (folder, parts);

      cr_assert_str_eq (error->message, expected);
    }
  }
}

Test (row_file, finds_rows_that_one_role_has_twice)
{
  g_autoptr (AssayRowFiles) once = NULL;
  g_autoptr (AssayRowFiles) twice = NULL;
  g_autoptr (AssayRowFiles) thrice = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *expected = NULL;

  write_good_files ();
  once = open_good ("good.bvecs[:2],good.fvecs,good.bvecs[2:]");
  twice = open_good ("good.bvecs[:2],good.fvecs,good.bvecs[1:]");
  cr_assert (assay_row_files_check_distinct (once, "private", &error));
  thrice = open_good ("good.bvecs[3:],good.bvecs[:2],good.bvecs[1:3]");
  cr_assert_not (assay_row_files_check_distinct (thrice, "private", NULL));
  cr_assert_not (assay_row_files_check_distinct (twice, "private", &error));
  expected = g_strdup_printf ("private [0:2] and private [1:4] share rows [1:2] of %s/good.bvecs; "
                              "a row may be used once",
                              folder);
  cr_assert_str_eq (error->message, expected);
}
