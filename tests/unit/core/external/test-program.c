/* Words and files of programs (program.h), and the folders that they write (tree.h). */
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/external/program.h"
#include "core/external/tree.h"

static char *place; /* with a folder `in`, and one.py in both */

static char *
write_file (const char *folder, const char *name, gsize size)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autofree char *content = g_strnfill (size, 'x');

  cr_assert (g_file_set_contents (path, content, (gssize) size, NULL), "%s", path);
  return path;
}

static void
set_up (void)
{
  g_autofree char *in = NULL;

  place = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  cr_assert_not_null (place);
  in = g_build_filename (place, "in", NULL);
  cr_assert_eq (g_mkdir (in, 0700), 0);
  g_free (write_file (in, "one.py", 1));
  g_free (write_file (place, "one.py", 1));
  g_free (write_file (place, "two.py", 1));
  cr_assert_eq (chdir (place), 0);
}

static void
tear_down (void)
{
  assay_tree_remove (place);
  cr_expect (!g_file_test (place, G_FILE_TEST_EXISTS), "%s was not removed", place);
  g_free (place);
}

TestSuite (program, .init = set_up, .fini = tear_down);

static void
expect_words (const char *command, const char *folder, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) words = assay_program_words (command, folder, &error);
  g_autofree char *found = words != NULL ? g_strjoinv ("|", words) : NULL;

  cr_expect_str_eq (found != NULL ? found : error->message, expected, "%s in %s", command, folder);
}

Test (program, words_lead_to_files_of_the_scenario)
{
  expect_words ("python3 one.py", NULL, "python3|one.py");
  expect_words ("python3 one.py", ".", "python3|one.py");
  expect_words ("python3 one.py", "in", "python3|in/one.py");
  expect_words ("python3 two.py --mode=one.py 'a b' ''", "in", "python3|two.py|--mode=one.py|a b|");
  expect_words ("python3 /one.py", "in", "python3|/one.py");
  /* A folder is no file, and a command without a slash is one of PATH. */
  expect_words ("one.py in", ".", "one.py|in");
  expect_words ("one.py .", "in", "one.py|.");
  expect_words ("./one.py", "in", "in/./one.py");
}

static void
expect_files (const char *command, const char *expected)
{
  g_auto (GStrv) words = assay_program_words (command, "in", NULL);
  g_autoptr (GPtrArray) files = assay_program_files (words);
  g_autofree char *found = NULL;

  g_ptr_array_add (files, NULL);
  found = g_strjoinv ("|", (char **) files->pdata);
  cr_expect_str_eq (found, expected, "%s", command);
}

Test (program, files_are_those_of_the_program)
{
  expect_files ("/bin/sh one.py two.py in three.py", "in/one.py|two.py");
  expect_files ("./one.py", "");
  cr_assert_eq (g_chmod ("in/one.py", 0700), 0);
  expect_files ("./one.py two.py", "in/./one.py|two.py");
  expect_files ("no-such-program-anywhere two.py", "two.py");
}

Test (program, size_counts_blocks_of_all_entries)
{
  const guint64 before = assay_tree_size (place, G_MAXUINT64);
  g_autofree char *many = g_build_filename (place, "in", "many", NULL);
  g_autofree char *link = g_build_filename (place, "link", NULL);
  guint64 with_large, with_many;

  g_free (write_file (place, "large", 100000));
  with_large = assay_tree_size (place, G_MAXUINT64);
  cr_expect_geq (with_large, before + 100000);
  cr_expect_leq (with_large, before + 2 * 100000, "found %" G_GUINT64_FORMAT, with_large);
  cr_assert_eq (g_mkdir (many, 0700), 0);
  for (guint i = 0; i < 99; i++) {
    g_autofree char *name = g_strdup_printf ("%u", i);

    g_free (write_file (many, name, 0));
  }
  /* A link to what is large is no more than a link. */
  cr_assert_eq (symlink ("/", link), 0);
  with_many = assay_tree_size (place, G_MAXUINT64);
  cr_expect_geq (with_many, with_large + 101 * 4096);
  cr_expect_leq (with_many, with_large + 110 * 4096, "found %" G_GUINT64_FORMAT, with_many);
  /* A folder that was closed is counted. */
  cr_assert_eq (g_chmod (many, 0), 0);
  cr_expect_eq (assay_tree_size (place, G_MAXUINT64), with_many);
  cr_expect_gt (assay_tree_size (place, 50000), 50000);
  cr_expect_eq (assay_tree_size ("no-such-folder", 1), 0);
}

Test (program, removing_follows_no_link)
{
  g_autofree char *target = g_build_filename (place, "in", NULL);
  g_autofree char *tree = g_build_filename (place, "tree", NULL);
  g_autofree char *link = g_build_filename (tree, "link", NULL);

  cr_assert_eq (g_mkdir (tree, 0700), 0);
  cr_assert_eq (symlink (target, link), 0);
  cr_assert_eq (g_chmod (tree, 0500), 0);
  assay_tree_remove (tree);
  cr_expect (!g_file_test (tree, G_FILE_TEST_EXISTS));
  cr_expect (g_file_test ("in/one.py", G_FILE_TEST_EXISTS), "what the link led to was removed");
}
