/* Homographies in text files: what is read, and what is refused with which words. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>

#include "core/base/error.h"
#include "datasets/photographs/homography-file.h"

static char *
write_file (const char *content, gssize length)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-homography-XXXXXX", NULL);
  char *path = g_build_filename (folder, "pair_H.txt", NULL);

  cr_assert (g_file_set_contents (path, content, length, NULL));
  return path;
}

static void
remove_file (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  g_unlink (path);
  g_rmdir (folder);
}

Test (homography_file, numbers_are_read_as_written)
{
  static const char *const texts[] = {
    "1.2 -0.04 -903.7\n0.11 1.15 -210.9\n0.0001 9.888e-06 1\n",
    "  1.2\t-0.04   -903.7 \r\n\r\n0.11 1.15 -210.9\r\n0.0001 9.888e-06 1",
    "\n\n1.2 -0.04 -903.7\n0.11 1.15 -210.9\n1E-4 9.888e-06 1\n\n",
  };
  static const double expected[9] = { 1.2, -0.04, -903.7, 0.11, 1.15, -210.9, 1e-4, 9.888e-06, 1 };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autofree char *path = write_file (texts[i], -1);
    g_autoptr (GError) error = NULL;
    double h[9] = { 0 };

    cr_assert (assay_homography_read (path, h, &error), "text %zu: %s", i,
               error != NULL ? error->message : "");
    cr_assert (memcmp (h, expected, sizeof h) == 0, "text %zu", i);
    remove_file (path);
  }
}

static void
check_refused (const char *path, const char *message)
{
  g_autoptr (GError) error = NULL;
  double h[9] = { 7 };

  cr_assert (!assay_homography_read (path, h, &error), "%s", message);
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA), "%s", error->message);
  cr_assert (g_str_has_prefix (error->message, path), "'%s' does not name the file",
             error->message);
  cr_assert (g_str_equal (error->message + strlen (path), message), "'%s' instead of '%s'",
             error->message + strlen (path), message);
  cr_assert (h[0] == 7, "touched");
}

static void
check_text (const char *text, gssize length, const char *message)
{
  g_autofree char *path = write_file (text, length);

  check_refused (path, message);
  remove_file (path);
}

Test (homography_file, other_content_is_refused)
{
  g_autofree char *blanks = g_strnfill (70000, ' ');

  check_text ("", 0, ": has 0 lines of numbers; a homography is three lines of three");
  check_text ("1 0 0\n0 1 0\n", -1,
              ": has 2 lines of numbers; a homography is three lines of three");
  check_text ("1 0 0\n0 1 0\n0 0 1\n0 0 1\n", -1,
              ": has 4 lines of numbers; a homography is three lines of three");
  check_text ("1 0 0\n\n0 1\n0 0 1\n", -1,
              ": line 3 has 2 numbers; a homography is three lines of three");
  check_text ("1 0 0 0 1 0 0 0 1\n", -1,
              ": line 1 has 9 numbers; a homography is three lines of three");
  check_text ("1 0 0\n0 1 0\n0 0 one\n", -1, ": line 3: 'one' is no finite number");
  check_text ("1 0 0\n0 nan 0\n0 0 1\n", -1, ": line 2: 'nan' is no finite number");
  check_text ("1 0 0\n0 1 -inf\n0 0 1\n", -1, ": line 2: '-inf' is no finite number");
  check_text ("1e999 0 0\n0 1 0\n0 0 1\n", -1, ": line 1: '1e999' is no finite number");
  check_text ("1, 0, 0\n0, 1, 0\n0, 0, 1\n", -1, ": line 1: '1,' is no finite number");
  check_text ("1 2 3\n4 5 6\n7 8 9\n", -1,
              ": the matrix is singular; a homography can be inverted");
  check_text ("0 0 0\n0 0 0\n0 0 0\n", -1,
              ": the matrix is singular; a homography can be inverted");
  /* To the 12 digits that such files have. */
  check_text ("0.333333333333 100 1\n0.111111111111 33.3333333333 0.333333333333\n0 0 1\n", -1,
              ": the matrix is singular; a homography can be inverted");
  check_text ("1 0 0\n0 1 0\n0 0 1\0\n", 19,
              ": is no text; a homography is three lines of three numbers");
  check_text ("\x89PNG\r\n\x1a\n", -1,
              ": is no text; a homography is three lines of three numbers");
  check_text (blanks, -1, ": has 70000 bytes; a homography is three lines of three numbers");
}

Test (homography_file, what_is_no_file_is_refused)
{
  g_autofree char *path = write_file ("", 0);
  g_autofree char *folder = g_path_get_dirname (path);

  check_refused (folder, ": is not a regular file");
  remove_file (path);
  check_refused (path, ": cannot be read: No such file or directory");
}
