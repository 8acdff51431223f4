/* Programs of others as a scenario names them. */
#include "core/external/program.h"

#include <string.h>
#include <unistd.h>

#include "core/base/error.h"

static gboolean
is_file (const char *path)
{
  return g_file_test (path, G_FILE_TEST_IS_REGULAR);
}

/* In the working folder itself words stay as they are. */
static void
lead_to (char **inout_word, const char *folder)
{
  g_autofree char *path = NULL;

  if (folder == NULL || g_str_equal (folder, ".") || **inout_word == '\0'
      || g_path_is_absolute (*inout_word))
    return;
  path = g_build_filename (folder, *inout_word, NULL);
  if (is_file (path)) {
    g_free (*inout_word);
    *inout_word = g_steal_pointer (&path);
  }
}

char *
assay_program_path (const char *path, const char *folder)
{
  char *found = g_strdup (path);

  lead_to (&found, folder);
  return found;
}

char **
assay_program_words (const char *command, const char *folder, GError **error)
{
  g_autoptr (GError) problem = NULL;
  char **words = NULL;

  if (g_shell_parse_argv (command, NULL, &words, &problem)) {
    for (guint i = 0; words[i] != NULL; i++)
      if (i > 0 || strchr (words[i], '/') != NULL)
        lead_to (&words[i], folder);
    return words;
  }
  if (g_error_matches (problem, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING))
    assay_fail (error, ASSAY_ERROR_PARAMETER,
                "command is empty; expected a program with its "
                "arguments, as in 'python3 my_program.py'");
  else
    assay_fail (error, ASSAY_ERROR_PARAMETER, "command = '%s' cannot be split into words: %s",
                command, problem->message);
  return NULL;
}

static gboolean
is_of_the_system (const char *path)
{
  static const char *const folders[] = { "/usr/", "/bin/", "/sbin/" };

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    if (g_str_has_prefix (path, folders[i]))
      return TRUE;
  return FALSE;
}

GPtrArray *
assay_program_files (char *const *words)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  char *program = assay_program_find (words[0], NULL);

  if (program != NULL && !is_of_the_system (program) && is_file (program))
    g_ptr_array_add (files, program);
  else
    g_free (program);
  for (guint i = 1; words[i] != NULL; i++)
    if (is_file (words[i]))
      g_ptr_array_add (files, g_strdup (words[i]));
  return files;
}

char *
assay_program_find (const char *word, GError **error)
{
  const gboolean has_place = strchr (word, '/') != NULL;
  char *found = has_place ? NULL : g_find_program_in_path (word);

  if (has_place && access (word, X_OK) == 0 && !g_file_test (word, G_FILE_TEST_IS_DIR))
    found = g_strdup (word);
  if (found == NULL)
    assay_fail (error, ASSAY_ERROR_DATA, "the program '%s' cannot be started: %s", word,
                !g_file_test (word, G_FILE_TEST_EXISTS) ? "there is no such file"
                : has_place                             ? "it is not executable"
                : "it is not in PATH; expected an interpreter before it, such as python3, or ./ "
                  "where it is executable");
  return found;
}
