/* Words of a program's command that name what is to be hidden from it. */
#include "core/external/hidden-words.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/data/secret-paths.h"

gboolean
assay_path_is_in (const char *path, const char *folder)
{
  const gsize n = strlen (folder);

  return strncmp (path, folder, n) == 0 && (path[n] == '\0' || path[n] == '/' || n == 1);
}

/* ---- Files ---- */

static gboolean
is_same_file (const char *a, const char *b)
{
  struct stat first, second;

  return stat (a, &first) == 0 && stat (b, &second) == 0 && first.st_dev == second.st_dev
         && first.st_ino == second.st_ino;
}

/* Whether @word is what @path is called, there or where links on the way to it lead. */
static gboolean
is_name_of (const char *word, const char *path)
{
  g_autofree char *whole = g_canonicalize_filename (word, NULL);
  g_autofree char *other = g_canonicalize_filename (path, NULL);
  char *real = realpath (path, NULL);
  const gboolean is_it = g_str_equal (whole, other) || g_strcmp0 (whole, real) == 0;

  free (real);
  return is_it;
}

gboolean
assay_hidden_words_have (char *const *words, const char *path)
{
  for (guint i = 0; words[i] != NULL; i++)
    if (is_name_of (words[i], path))
      return TRUE;
  return FALSE;
}

static gboolean
check_file (char *const *words, const char *path, GError **error)
{
  for (guint i = 0; words[i] != NULL; i++)
    if (is_same_file (words[i], path) && !is_name_of (words[i], path))
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "%s of the command leads to %s, which is hidden from programs under "
                         "audit; expected that file by its own name where the program is to have "
                         "it, or another one",
                         words[i], path);
  return TRUE;
}

char *
assay_hidden_words_secret (const char *file)
{
  g_autoptr (GPtrArray) paths = assay_secret_paths ();

  for (guint i = 0; i < paths->len; i++)
    if (is_same_file (file, paths->pdata[i]))
      return g_strdup (paths->pdata[i]);
  return NULL;
}

/* ---- Folders ---- */

/* The word that names @real, or something in that folder; NULL. */
static const char *
word_in (char *const *words, const char *real)
{
  for (guint i = 0; words[i] != NULL; i++) {
    char *named = realpath (words[i], NULL);
    const gboolean is_it = named != NULL && assay_path_is_in (named, real);

    free (named);
    if (is_it)
      return words[i];
  }
  return NULL;
}

/* A folder cannot be hidden around what a program needs: it would see the data beside that. */
static gboolean
check_folder (char *const *words, const char *path, const char *real, GError **error)
{
  g_autofree char *here = g_get_current_dir ();
  const char *word = word_in (words, real);

  if (word != NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s is hidden from programs under audit, and %s %s of the command; "
                       "expected programs in another folder than data and results",
                       path, is_same_file (word, real) ? "is" : "holds", word);
  return !assay_path_is_in (here, real)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%s is hidden from programs under audit, and holds the working folder; "
                        "expected data and results in other folders",
                        path);
}

gboolean
assay_hidden_words_check (char *const *words, GError **error)
{
  g_autoptr (GPtrArray) paths = assay_secret_paths ();
  gboolean is_ok = TRUE;

  for (guint i = 0; is_ok && i < paths->len; i++) {
    char *real = realpath (paths->pdata[i], NULL);

    if (real != NULL)
      is_ok = g_file_test (real, G_FILE_TEST_IS_DIR)
                  ? check_folder (words, paths->pdata[i], real, error)
                  : check_file (words, paths->pdata[i], error);
    free (real);
  }
  return is_ok;
}
