/* Confinement of programs of others. */
#include "core/external/confine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/base/error.h"
#include "core/external/program.h"

const char *const assay_confine_names[] = { "auto", "never", "required", NULL };

/* What stands in these folders is hidden, but for what the program itself is made of. */
static const char *const hidden[] = { "/tmp/", "/run/" };

static void
add (GPtrArray *command, const char *const *words)
{
  for (guint i = 0; words[i] != NULL; i++)
    g_ptr_array_add (command, g_strdup (words[i]));
}

/* Shows @path again where it is hidden: the whole of the first folder on the way to it, so that a
 * script finds its modules and an interpreter its library. */
static void
show_path (GPtrArray *command, const char *path)
{
  g_autofree char *whole = g_canonicalize_filename (path, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (hidden); i++)
    if (g_str_has_prefix (whole, hidden[i])) {
      const char *rest = whole + strlen (hidden[i]);
      g_autofree char *first = g_strndup (whole, strlen (hidden[i]) + strcspn (rest, "/"));

      add (command, (const char *[]){ "--ro-bind-try", first, first, NULL });
    }
}

/* And what it leads to, where it is a link. */
static void
show (GPtrArray *command, const char *path)
{
  char *real = realpath (path, NULL);

  show_path (command, path);
  if (real != NULL)
    show_path (command, real);
  free (real);
}

static GPtrArray *
confined (const char *bwrap, char *const *words, const char *folder, const char *scratch)
{
  GPtrArray *command = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *here = g_get_current_dir ();
  g_autofree char *program = assay_program_find (words[0], NULL);

  add (command, (const char *[]){ bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
                                  "--tmpfs", "/run", "--ro-bind-try", "/run/current-system",
                                  "/run/current-system", "--bind", scratch, "/tmp", NULL });
  show (command, here);
  if (program != NULL)
    show (command, program);
  for (guint i = 1; words[i] != NULL; i++)
    if (g_file_test (words[i], G_FILE_TEST_EXISTS))
      show (command, words[i]);
  add (command, (const char *[]){ "--bind", folder, folder, "--chdir", here, "--unshare-all",
                                  "--die-with-parent", "--new-session", "--cap-drop", "ALL",
                                  "--setenv", "TMPDIR", "/tmp", "--", NULL });
  add (command, (const char *const *) words);
  return command;
}

/* NULL, or why it is not possible here: with a program that does nothing. */
static char *
try_out (const char *bwrap, const char *folder, const char *scratch)
{
  char *const words[] = { (char *) "true", NULL };
  g_autoptr (GPtrArray) command = NULL;
  g_autoptr (GError) problem = NULL;
  g_autofree char *said = NULL;
  int status = 0;

  if (bwrap == NULL)
    return g_strdup ("bwrap is not installed");
  command = confined (bwrap, words, folder, scratch);
  g_ptr_array_add (command, NULL);
  if (!g_spawn_sync (NULL, (char **) command->pdata, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                     NULL, &said, &status, &problem))
    return g_strdup (problem->message);
  if (WIFEXITED (status) && WEXITSTATUS (status) == 0)
    return NULL;
  return g_strescape (g_strchomp (said), NULL);
}

gboolean
assay_confine_command (AssayConfine confine, char *const *words, const char *folder,
                       const char *scratch, GPtrArray **ret_command, GError **error)
{
  static GMutex lock;
  static gboolean is_tried;
  static char *bwrap, *why_not;

  if (confine == ASSAY_CONFINE_NEVER) {
    *ret_command = NULL;
    return TRUE;
  }
  g_mutex_lock (&lock);
  if (!is_tried) {
    bwrap = g_find_program_in_path ("bwrap");
    why_not = try_out (bwrap, folder, scratch);
    is_tried = TRUE;
  }
  g_mutex_unlock (&lock);
  if (why_not != NULL && confine == ASSAY_CONFINE_REQUIRED)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "confine = required, but the program cannot be confined: %s", why_not);
  *ret_command = why_not == NULL ? confined (bwrap, words, folder, scratch) : NULL;
  return TRUE;
}
