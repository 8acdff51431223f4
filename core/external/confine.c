/* Confinement of programs of others. */
#include "core/external/confine.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/data/secret-paths.h"
#include "core/external/hidden-words.h"
#include "core/external/program.h"
#include "core/external/request-place.h"
#include "core/external/tree.h"

const char *const assay_confine_names[] = { "auto", "never", "required", NULL };

/* What stands in these folders is hidden, but for what the program itself is made of. */
static const char *const emptied[] = { "/tmp/", "/run/" };

#define START "assay-confine"      /* core/external/confine-start.c */
#define START_INSIDE "/run/" START /* as it is called within bubblewrap */
#define OTHER_TMP "/run/tmp"
#define SHARED_MEMORY ".shm" /* below the scratch folder, so that it counts as disk */
#define START_INSTALLED "../libexec/assay/" START

/* What of it works here: tried out once a process. */
typedef struct {
  char *bwrap;      /* NULL: not possible */
  char *why_not;    /* bubblewrap is not */
  char *start;      /* assay-confine; NULL: not found or not working */
  char *start_does; /* as it says itself: "Landlock, seccomp" */
} Means;

static GMutex lock;
static Means means;
static gboolean is_tried;

typedef struct {
  char *const *words;
  const char *folder, *scratch;
  GPtrArray *command;
  GPtrArray *shown; /* what is seen of emptied folders */
  GPtrArray *empty; /* folders in whose place there is an empty one */
} Confined;

static void
add (GPtrArray *command, const char *const *words)
{
  for (guint i = 0; words[i] != NULL; i++)
    g_ptr_array_add (command, g_strdup (words[i]));
}

/* ---- What is seen of the file system ---- */

/* Of a path below an emptied folder the first folder on the way to it, else NULL. */
static char *
first_below_emptied (const char *path)
{
  for (guint i = 0; i < G_N_ELEMENTS (emptied); i++)
    if (g_str_has_prefix (path, emptied[i])) {
      const gsize head = strlen (emptied[i]);

      return g_strndup (path, head + strcspn (path + head, "/"));
    }
  return NULL;
}

/* Shows @path again where it is hidden: the whole of the first folder on the way to it, so that a
 * script finds its modules and an interpreter its library. */
static void
show_path (Confined *confined, const char *path)
{
  g_autofree char *whole = g_canonicalize_filename (path, NULL);
  char *first = first_below_emptied (whole);

  if (first != NULL)
    g_ptr_array_add (confined->shown, first);
}

/* And what it leads to, where it is a link. */
static void
show (Confined *confined, const char *path)
{
  char *real = realpath (path, NULL);

  show_path (confined, path);
  if (real != NULL)
    show_path (confined, real);
  free (real);
}

/* Whether a folder that @real lies in is hidden: nothing can be put in its place there. */
static gboolean
lies_in_empty (const Confined *confined, const char *real)
{
  for (guint i = 0; i < confined->empty->len; i++)
    if (assay_path_is_in (real, confined->empty->pdata[i]))
      return TRUE;
  return FALSE;
}

/* In place of a folder an empty one, and of a file one that cannot be opened; unless it is out of
 * sight already, or the program's own command names it. */
static void
hide (Confined *confined, const char *path, const char *here)
{
  char *real = realpath (path, NULL);
  g_autofree char *first = real != NULL ? first_below_emptied (real) : NULL;

  if (real != NULL && !lies_in_empty (confined, real)
      && !assay_hidden_words_have (confined->words, path) && !assay_path_is_in (here, real)
      && (first == NULL || assay_names_have (confined->shown, first))) {
    if (g_file_test (real, G_FILE_TEST_IS_DIR)) {
      add (confined->command, (const char *[]){ "--tmpfs", real, "--remount-ro", real, NULL });
      g_ptr_array_add (confined->empty, g_strdup (real));
    } else {
      add (confined->command, (const char *[]){ "--ro-bind", "/dev/null", real, NULL });
    }
  }
  free (real);
}

static void
show_what_it_is_made_of (Confined *confined, const char *here)
{
  g_autofree char *program = assay_program_find (confined->words[0], NULL);

  show (confined, here);
  if (program != NULL)
    show (confined, program);
  for (guint i = 1; confined->words[i] != NULL; i++)
    if (g_file_test (confined->words[i], G_FILE_TEST_EXISTS))
      show (confined, confined->words[i]);
}

static gboolean
lies_in_tmp (const Confined *confined)
{
  for (guint i = 0; i < confined->shown->len; i++)
    if (g_str_has_prefix (confined->shown->pdata[i], "/tmp/"))
      return TRUE;
  return FALSE;
}

static void
hide_what_is_secret (Confined *confined, const char *here)
{
  g_autoptr (GPtrArray) paths = assay_secret_paths ();

  for (guint i = 0; i < paths->len; i++)
    hide (confined, paths->pdata[i], here);
}

/* Requests of other programs stand beside its own, whatever its command names. */
static void
hide_other_requests (Confined *confined)
{
  g_autofree char *place = assay_request_place ();

  if (assay_path_is_in (confined->folder, place))
    add (confined->command, (const char *[]){ "--tmpfs", place, "--dir", confined->folder,
                                              "--remount-ro", place, NULL });
}

/* ---- The command ---- */

/* What bubblewrap makes in memory counts nowhere: nothing more is to be written there. */
static void
close_memory (GPtrArray *command, const char *tmp)
{
  add (command, (const char *[]){ "--remount-ro", "/run", "--remount-ro", "/dev", NULL });
  if (!g_str_equal (tmp, "/tmp"))
    add (command, (const char *[]){ "--remount-ro", "/tmp", NULL });
}

/* The program's own folder may lie in /tmp. Landlock's rules hold for all that is mounted below a
 * folder, so that its scratch is somewhere else then. */
static void
add_bubblewrap (Confined *confined, const Means *with)
{
  g_autofree char *here = g_get_current_dir ();
  g_autofree char *shared = g_build_filename (confined->scratch, SHARED_MEMORY, NULL);
  GPtrArray *command = confined->command;
  const char *tmp;

  show_what_it_is_made_of (confined, here);
  tmp = lies_in_tmp (confined) ? OTHER_TMP : "/tmp";
  g_mkdir (shared, 0700);
  add (command, (const char *[]){ with->bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc",
                                  "/proc", "--tmpfs", "/run", "--ro-bind-try",
                                  "/run/current-system", "/run/current-system", "--tmpfs", "/tmp",
                                  "--bind", confined->scratch, tmp, "--bind", shared, "/dev/shm",
                                  NULL });
  for (guint i = 0; i < confined->shown->len; i++)
    add (command, (const char *[]){ "--ro-bind-try", confined->shown->pdata[i],
                                    confined->shown->pdata[i], NULL });
  hide_what_is_secret (confined, here);
  hide_other_requests (confined);
  if (with->start != NULL)
    add (command, (const char *[]){ "--ro-bind", with->start, START_INSIDE, NULL });
  add (command, (const char *[]){ "--bind", confined->folder, confined->folder, NULL });
  close_memory (command, tmp);
  add (command, (const char *[]){ "--chdir", here, "--new-session", "--cap-drop", "ALL",
                                  "--unshare-all", "--die-with-parent", "--setenv", "TMPDIR", tmp,
                                  "--", NULL });
  if (with->start != NULL)
    add (command,
         (const char *[]){ START_INSIDE, "--write", tmp, "--write", confined->folder, NULL });
}

/* NULL where nothing confines here. */
static GPtrArray *
confined_command (const Means *with, char *const *words, const char *folder, const char *scratch)
{
  g_autoptr (GPtrArray) shown = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) empty = g_ptr_array_new_with_free_func (g_free);
  Confined confined = { .words = words,
                        .folder = folder,
                        .scratch = scratch,
                        .shown = shown,
                        .empty = empty };

  if (with->bwrap == NULL && with->start == NULL)
    return NULL;
  confined.command = g_ptr_array_new_with_free_func (g_free);
  if (with->bwrap != NULL)
    add_bubblewrap (&confined, with);
  else
    add (confined.command,
         (const char *[]){ with->start, "--alone", "--write", scratch, "--write", folder, NULL });
  if (with->start != NULL)
    g_ptr_array_add (confined.command, g_strdup ("--"));
  add (confined.command, (const char *const *) words);
  return confined.command;
}

/* ---- What works here ---- */

/* NULL, or why it does not run. */
static char *
try_command (GPtrArray *command, char **ret_out)
{
  g_autoptr (GError) problem = NULL;
  g_autofree char *said = NULL, *out = NULL;
  int status = 0;

  g_ptr_array_add (command, NULL);
  if (!g_spawn_sync (NULL, (char **) command->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out,
                     &said, &status, &problem))
    return g_strdup (problem->message);
  if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
    return g_strescape (g_strchomp (said), NULL);
  if (ret_out != NULL)
    *ret_out = g_strdup (g_strchomp (out));
  return NULL;
}

/* The file that this code is in: the program, or the library that a program loaded (Python). */
static char *
own_file (void)
{
  Dl_info about;
  char *resolved;
  char *own;

  if (dladdr (&means, &about) == 0 || about.dli_fname == NULL
      || strchr (about.dli_fname, '/') == NULL)
    return NULL;
  resolved = realpath (about.dli_fname, NULL);
  own = g_strdup (resolved);
  free (resolved);
  return own;
}

/* Beside the @file, or above it, where those of the tests are, or where it was installed: from
 * PREFIX/bin, PREFIX/lib or PREFIX/lib/MACHINE. */
static char *
find_start_from (const char *file)
{
  static const char *const places[]
      = { START, "../" START, START_INSTALLED, "../" START_INSTALLED };
  g_autofree char *folder = g_path_get_dirname (file);

  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    g_autofree char *path = g_build_filename (folder, places[i], NULL);

    if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
      return g_canonicalize_filename (path, NULL);
  }
  return NULL;
}

static char *
find_start (void)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *own = own_file ();
  char *start = self != NULL ? find_start_from (self) : NULL;

  return start == NULL && own != NULL ? find_start_from (own) : start;
}

/* Within bubblewrap where that works, else alone. */
static void
try_start (const char *folder, const char *scratch)
{
  g_autoptr (GPtrArray) command = NULL;
  g_autofree char *why_not = NULL;
  char *const words[] = { (char *) "--offers", NULL };

  means.start = find_start ();
  if (means.start == NULL)
    return;
  command = confined_command (&means, words, folder, scratch);
  g_ptr_array_remove_index (command, command->len - 2); /* the "--" before a program */
  why_not = try_command (command, &means.start_does);
  if (why_not != NULL)
    g_clear_pointer (&means.start, g_free);
}

static void
try_out (const char *folder, const char *scratch)
{
  char *const words[] = { (char *) "true", NULL };
  g_autoptr (GPtrArray) command = NULL;

  means.bwrap = g_find_program_in_path ("bwrap");
  if (means.bwrap == NULL)
    means.why_not = g_strdup ("bwrap is not installed");
  else {
    command = confined_command (&means, words, folder, scratch);
    means.why_not = try_command (command, NULL);
    if (means.why_not != NULL)
      g_clear_pointer (&means.bwrap, g_free);
  }
  try_start (folder, scratch);
}

static void
try_out_once (const char *folder, const char *scratch)
{
  g_mutex_lock (&lock);
  if (!is_tried)
    try_out (folder, scratch);
  is_tried = TRUE;
  g_mutex_unlock (&lock);
}

/* ---- What was asked for ---- */

/* Whoever runs the audit may demand more than the scenario does, and not less. */
static gboolean
is_demanded (void)
{
  return g_strcmp0 (g_getenv (ASSAY_CONFINE_VARIABLE),
                    assay_confine_names[ASSAY_CONFINE_REQUIRED])
         == 0;
}

static AssayConfine
at_least (AssayConfine confine)
{
  return is_demanded () && confine == ASSAY_CONFINE_AUTO ? ASSAY_CONFINE_REQUIRED : confine;
}

/* A word that is misspelt would demand nothing. */
static gboolean
check_demand (GError **error)
{
  const char *demand = g_getenv (ASSAY_CONFINE_VARIABLE);

  return demand == NULL || *demand == '\0' || is_demanded ()
         || g_str_equal (demand, assay_confine_names[ASSAY_CONFINE_AUTO])
         || assay_fail (error, ASSAY_ERROR_DATA,
                        ASSAY_CONFINE_VARIABLE " = %s; expected required or auto", demand);
}

char *
assay_confine_describe (AssayConfine confine)
{
  g_autofree char *folder = NULL;
  g_autoptr (GError) problem = NULL;

  if (!check_demand (&problem))
    return g_strdup_printf ("not started (%s)", problem->message);
  confine = at_least (confine);
  if (confine == ASSAY_CONFINE_NEVER && is_demanded ())
    return g_strdup ("not started, because it is not to be confined (confine = never against "
                     ASSAY_CONFINE_VARIABLE " = required)");
  if (confine == ASSAY_CONFINE_NEVER)
    return g_strdup (ASSAY_NOT_CONFINED " (confine = never)");
  folder = g_dir_make_tmp ("assay-confine-XXXXXX", NULL);
  try_out_once (folder != NULL ? folder : "/", folder != NULL ? folder : "/");
  if (folder != NULL)
    assay_tree_remove (folder);
  if (means.bwrap == NULL && confine == ASSAY_CONFINE_REQUIRED)
    return g_strdup_printf ("not started, because it cannot be confined (%s)", means.why_not);
  if (means.bwrap == NULL && means.start == NULL)
    return g_strdup_printf (ASSAY_NOT_CONFINED " (%s)", means.why_not);
  if (means.bwrap == NULL)
    return g_strdup_printf ("%s alone, so that it could read other files (%s)", means.start_does,
                            means.why_not);
  return means.start == NULL ? g_strdup ("bubblewrap")
                             : g_strdup_printf ("bubblewrap, %s", means.start_does);
}

gboolean
assay_confine_command (AssayConfine confine, char *const *words, const char *folder,
                       const char *scratch, GPtrArray **ret_command, GError **error)
{
  *ret_command = NULL;
  if (!check_demand (error))
    return FALSE;
  confine = at_least (confine);
  if (confine == ASSAY_CONFINE_NEVER && is_demanded ())
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "confine = never, but " ASSAY_CONFINE_VARIABLE
                       " = required; expected confine = auto or required");
  if (confine == ASSAY_CONFINE_NEVER)
    return TRUE;
  try_out_once (folder, scratch);
  if (means.bwrap == NULL && confine == ASSAY_CONFINE_REQUIRED)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "confine = required, but the program cannot be confined: %s", means.why_not);
  if (means.bwrap != NULL && !assay_hidden_words_check (words, error))
    return FALSE;
  *ret_command = confined_command (&means, words, folder, scratch);
  return TRUE;
}
