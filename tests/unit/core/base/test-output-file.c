/* Files that are there whole or not at all; what the command line cannot show of them. */
#include <criterion/criterion.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/output-file.h"

/* More than two of the writer's buffers. */
#define LENGTH (150 * 1024 + 7)

static char *folder, *path;

static void
setup (void)
{
  folder = g_dir_make_tmp ("assay-output-XXXXXX", NULL);
  cr_assert_not_null (folder);
  path = g_build_filename (folder, "out", NULL);
}

static void
teardown (void)
{
  g_remove (path);
  cr_assert_eq (g_rmdir (folder), 0, "something was left behind");
  g_free (path);
  g_free (folder);
}

static guint
count_files (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
expect_content (const char *expected)
{
  g_autofree char *content = NULL;

  cr_assert (g_file_get_contents (path, &content, NULL, NULL));
  cr_assert_str_eq (content, expected);
}

static AssayOutputFile *
begin (gboolean is_gzip, gboolean may_replace)
{
  g_autoptr (GError) error = NULL;
  AssayOutputFile *file = assay_output_file_new (path, is_gzip, may_replace, &error);

  cr_assert_not_null (file, "%s", error != NULL ? error->message : "");
  return file;
}

TestSuite (output_file, .init = setup, .fini = teardown);

Test (output_file, is_not_there_before_it_is_finished)
{
  g_autoptr (AssayOutputFile) file = begin (FALSE, FALSE);

  cr_assert (assay_output_file_write (file, "whole", 5, NULL));
  cr_assert (!g_file_test (path, G_FILE_TEST_EXISTS));
  cr_assert (assay_output_file_seal (file, NULL));
  cr_assert (!g_file_test (path, G_FILE_TEST_EXISTS));
  cr_assert (assay_output_file_finish (file, NULL));
  expect_content ("whole");
  cr_assert_eq (count_files (), 1);
}

Test (output_file, leaves_nothing_if_it_is_not_finished)
{
  AssayOutputFile *file = begin (FALSE, TRUE);

  cr_assert (assay_output_file_write (file, "half", 4, NULL));
  cr_assert_eq (count_files (), 1);
  assay_output_file_free (file);
  cr_assert_eq (count_files (), 0);
  file = begin (FALSE, TRUE);
  cr_assert (assay_output_file_seal (file, NULL));
  assay_output_file_free (file);
  cr_assert_eq (count_files (), 0);
}

/* Between the look at the beginning and the end, another program writes there. */
Test (output_file, does_not_replace_what_appears_meanwhile)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *expected = g_strdup_printf ("%s: is there already; --force replaces it", path);
  AssayOutputFile *file = begin (FALSE, FALSE);

  cr_assert (assay_output_file_write (file, "mine", 4, NULL));
  cr_assert (g_file_set_contents (path, "theirs", -1, NULL));
  cr_assert (!assay_output_file_finish (file, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA));
  cr_assert_str_eq (error->message, expected);
  assay_output_file_free (file);
  expect_content ("theirs");
  cr_assert_eq (count_files (), 1);

  file = begin (FALSE, TRUE);
  cr_assert (assay_output_file_write (file, "mine", 4, NULL));
  cr_assert (assay_output_file_finish (file, NULL));
  assay_output_file_free (file);
  expect_content ("mine");
}

/* Pieces of all sizes, which fill the buffer at odd places. */
static GByteArray *
write_pieces (AssayOutputFile *file, guint32 seed)
{
  GByteArray *written = g_byte_array_new ();

  while (written->len < LENGTH) {
    guint8 piece[5000];
    guint length;

    seed = seed * 1664525 + 1013904223;
    length = MIN (seed >> 8 & 0xfff, LENGTH - written->len);
    for (guint i = 0; i < length; i++)
      piece[i] = (guint8) ((seed = seed * 1664525 + 1013904223) >> 24);
    cr_assert (assay_output_file_write (file, piece, length, NULL));
    g_byte_array_append (written, piece, length);
  }
  return written;
}

Test (output_file, keeps_every_byte)
{
  for (guint is_gzip = 0; is_gzip < 2; is_gzip++) {
    AssayOutputFile *file = begin (is_gzip != 0, TRUE);
    g_autoptr (GByteArray) written = write_pieces (file, 5 + is_gzip);
    g_autofree char *content = NULL;
    g_autofree guint8 *plain = g_malloc (LENGTH + 1);
    gsize length = 0, n_read = 0, n_plain = 0;

    cr_assert (assay_output_file_finish (file, NULL));
    assay_output_file_free (file);
    cr_assert (g_file_get_contents (path, &content, &length, NULL));
    if (is_gzip != 0) {
      g_autoptr (GZlibDecompressor) inflate
          = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP);

      cr_assert_eq (g_converter_convert (G_CONVERTER (inflate), content, length, plain, LENGTH + 1,
                                         G_CONVERTER_INPUT_AT_END, &n_read, &n_plain, NULL),
                    G_CONVERTER_FINISHED);
      cr_assert_eq (n_read, length);
    } else {
      n_plain = length;
      memcpy (plain, content, MIN (length, LENGTH));
    }
    cr_assert_eq (n_plain, LENGTH, "gzip %u: %zu bytes", is_gzip, n_plain);
    cr_assert_arr_eq (plain, written->data, LENGTH, "gzip %u", is_gzip);
  }
}
