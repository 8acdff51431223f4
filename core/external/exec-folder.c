/* How a program of others plays a defense or an attack. */
#include "core/external/exec-folder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/data/folders/geometry.h"
#include "core/data/grant.h"
#include "core/data/npy.h"
#include "core/external/child-process.h"
#include "core/external/program.h"
#include "core/external/request-place.h"
#include "core/plugin/registry.h"

#define MIB (1024 * 1024)

struct _AssayExecFolder {
  char *root;    /* what is made and removed; it holds both of these */
  char *path;    /* the program's last argument */
  char *scratch; /* for its temporary files */
  const AssayExec *exec;
  AssayExecRequest request;
  AssayJson *arrays; /* the member of request.json, an open object */
};

gboolean
assay_exec_check (const AssayExec *exec, GError **error)
{
  g_auto (GStrv) words
      = exec->command != NULL ? assay_program_words (exec->command, NULL, error) : NULL;

  return exec->command == NULL || words != NULL;
}

void
assay_exec_locate (AssayExec *exec, const char *folder)
{
  exec->folder = g_intern_string (folder);
}

GPtrArray *
assay_exec_files (const AssayExec *exec)
{
  g_auto (GStrv) words = assay_program_words (exec->command, exec->folder, NULL);

  return words != NULL ? assay_program_files (words) : g_ptr_array_new_with_free_func (g_free);
}

/* ---- The folder ---- */

AssayExecFolder *
assay_exec_folder_new (const AssayExecRequest *request, const AssayExec *exec, GError **error)
{
  g_autofree char *made = assay_request_place_add (error);
  g_autoptr (AssayExecFolder) folder = NULL;

  if (made == NULL)
    return NULL;
  folder = g_new0 (AssayExecFolder, 1);
  folder->root = g_steal_pointer (&made);
  folder->path = g_build_filename (folder->root, "request", NULL);
  folder->scratch = g_build_filename (folder->root, "tmp", NULL);
  folder->exec = exec;
  folder->request = *request;
  folder->arrays = assay_json_new ();
  folder->arrays->is_compact = TRUE;
  assay_json_begin_object (folder->arrays);
  if (g_mkdir (folder->path, 0700) != 0 || g_mkdir (folder->scratch, 0700) != 0)
    return assay_fail_null (error, ASSAY_ERROR_IO, "a temporary folder for the program: %s",
                            g_strerror (errno));
  return g_steal_pointer (&folder);
}

ASSAY_FREE_FUNC (AssayExecFolder, assay_exec_folder_free, assay_request_place_remove (self->root),
                 assay_json_free (self->arrays), g_free (self->root), g_free (self->path),
                 g_free (self->scratch))

/* ---- What goes into it ---- */

gboolean
assay_exec_folder_add_array (AssayExecFolder *folder, const char *name, const AssayArray *array,
                             GError **error)
{
  g_autofree char *file = g_strconcat (name, ".npy", NULL);
  g_autofree char *path = g_build_filename (folder->path, file, NULL);

  assay_json_member_string (folder->arrays, name, file);
  return assay_npy_write (path, array, error);
}

gboolean
assay_exec_folder_add_view (AssayExecFolder *folder, const char *name, AssayView view,
                            GError **error)
{
  AssayMatrix *matrix = assay_matrix_copy (view, error);
  g_autoptr (AssayArray) array = matrix != NULL ? assay_array_take_matrix (matrix) : NULL;

  return array != NULL && assay_exec_folder_add_array (folder, name, array, error);
}

gboolean
assay_exec_folder_add_rows (AssayExecFolder *folder, const char *name, const AssayRows *rows,
                            GError **error)
{
  g_autoptr (AssayArray) array = NULL;

  if (rows == NULL)
    return TRUE;
  array = assay_rows_array (rows, ASSAY_SCALE_NONE, error);
  return array != NULL && assay_exec_folder_add_array (folder, name, array, error);
}

gboolean
assay_exec_folder_add_numbers (AssayExecFolder *folder, const char *name, const gint64 *numbers,
                               gsize n, GError **error)
{
  g_autoptr (AssayArray) array = NULL;

  if (numbers == NULL)
    return TRUE;
  array = assay_array_take (ASSAY_INT64, 1, &n, g_memdup2 (numbers, n * sizeof *numbers));
  return assay_exec_folder_add_array (folder, name, array, error);
}

gboolean
assay_exec_folder_add_release (AssayExecFolder *folder, const char *name,
                               const AssayRelease *release, GError **error)
{
  g_autofree char *path = g_build_filename (folder->path, name, NULL);

  return assay_release_write (release, path, error);
}

static void
write_names (AssayJson *json, const char *const *names)
{
  if (names == NULL)
    return;
  assay_json_write (json, "attribute_names [");
  for (guint i = 0; names[i] != NULL; i++)
    assay_json_string (json, names[i]);
  assay_json_end_array (json);
}

static void
write_grants (AssayJson *json, guint grants)
{
  assay_json_write (json, "grants [");
  for (guint bit = 0; assay_grant_names[bit] != NULL; bit++)
    if (grants & 1u << bit)
      assay_json_string (json, assay_grant_names[bit]);
  assay_json_end_array (json);
}

gboolean
assay_exec_folder_add_pairs (AssayExecFolder *folder, const AssayPairs *pairs, GError **error)
{
  g_autofree char *path = g_build_filename (folder->path, "pairs", NULL);

  return pairs == NULL || assay_pairs_write (pairs, path, error);
}

/* A whole number that a double holds, for readers of JSON that know no others. */
static void
write_seed (AssayJson *json, const char *name, AssayStreamKey key, guint64 item)
{
  AssayStream stream = assay_stream (key, item);

  assay_json_member_int (json, name,
                         (gint64) assay_stream_below (&stream, G_GUINT64_CONSTANT (1) << 53));
}

/* A text of words NAME=VALUE, as set.NAME = VALUE makes it: as an object, too. */
static void
write_named (AssayJson *json, const char *settings)
{
  g_auto (GStrv) words = g_strsplit_set (settings, " \t\n", -1);
  guint n = 0;

  for (guint i = 0; words[i] != NULL; i++) {
    if (*words[i] != '\0' && strchr (words[i], '=') == NULL)
      return;
    n += *words[i] != '\0';
  }
  if (n == 0)
    return;
  assay_json_write (json, "set {");
  for (guint i = 0; words[i] != NULL; i++) {
    char *value = strchr (words[i], '=');

    if (value == NULL)
      continue;
    *value = '\0';
    assay_json_member_string (json, words[i], value + 1);
  }
  assay_json_end_object (json);
}

static gboolean
write_request (AssayExecFolder *folder, GError **error)
{
  const AssayExecRequest *request = &folder->request;
  AssayJson *json = assay_json_new ();
  g_autofree char *path = g_build_filename (folder->path, "request.json", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) problem = NULL;

  assay_json_write (json, "{format %s role %s settings %s", "assay-request/1", request->role,
                    folder->exec->settings);
  write_named (json, folder->exec->settings);
  write_seed (json, "seed", request->stream, 0);
  if (g_str_equal (request->role, "defense"))
    write_seed (json, "key", request->key, G_MAXUINT64);
  assay_json_write (json, "n %zu d %zu", request->n, request->cols);
  if (request->kind != ASSAY_RELEASE_NONE)
    assay_json_write (json, "kind %s", assay_release_kind_name (request->kind));
  if (request->game != NULL)
    assay_json_write (json, "game %s", request->game);
  write_names (json, request->attribute_names);
  if (request->count > 0)
    assay_json_write (json, "count %zu outputs %zu", request->count, request->n_outputs);
  assay_geometry_write (json, request->geometry, NULL);
  write_grants (json, request->grants);
  assay_json_end_object (folder->arrays);
  assay_json_key (json, "arrays");
  assay_json_raw (json, folder->arrays->text->str);
  assay_json_end_object (json);
  text = assay_json_finish (json);
  return g_file_set_contents (path, text, -1, &problem)
         || assay_fail (error, ASSAY_ERROR_IO, "request.json: %s", problem->message);
}

/* ---- What comes out of it ---- */

/* A folder of plain files, so that what an array's name leads to is inside it; and none so large
 * that looking at its values would not end. */
static gboolean
check_answer (const char *path, const char *answer, gint64 file_limit, GError **error)
{
  struct stat about;
  gint64 size = 0;
  g_autoptr (GDir) dir = NULL;
  const char *name;

  if (lstat (path, &about) != 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "the program did not write the folder %s/ that was expected", answer);
  if (!S_ISDIR (about.st_mode))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s is a %s; expected a folder that the program made", answer,
                       S_ISLNK (about.st_mode) ? "symbolic link" : "file");
  dir = g_dir_open (path, 0, NULL);
  if (dir == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s/ cannot be read", answer);
  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *file = g_build_filename (path, name, NULL);

    if (lstat (file, &about) != 0 || !S_ISREG (about.st_mode))
      return assay_fail (error, ASSAY_ERROR_DATA, "%s/%s is %s; expected plain files alone", answer,
                         name,
                         S_ISLNK (about.st_mode)   ? "a symbolic link"
                         : S_ISDIR (about.st_mode) ? "a folder"
                                                   : "no plain file");
    size += about.st_size;
    if (size / MIB >= file_limit)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "the files in %s/ are together as large as file_limit = %" G_GINT64_FORMAT
                         " MiB or larger; expected less",
                         answer, file_limit);
  }
  return TRUE;
}

/* The answer of a mechanism is one file. */
static gboolean
check_outputs (const char *path, const char *answer, gint64 file_limit, GError **error)
{
  struct stat about;

  if (lstat (path, &about) != 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "the program did not write %s that was expected",
                       answer);
  if (!S_ISREG (about.st_mode))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s is %s; expected a plain file", answer,
                       S_ISLNK (about.st_mode)   ? "a symbolic link"
                       : S_ISDIR (about.st_mode) ? "a folder"
                                                 : "no plain file");
  return about.st_size / MIB < file_limit
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%s is as large as file_limit = %" G_GINT64_FORMAT
                        " MiB or larger; expected less",
                        answer, file_limit);
}

/* Copies what is mapped: the files are going to be removed, and the values are looked at again. */
static AssayArray *
copy_array (const AssayArray *array, const char *name, GError **error)
{
  const gsize count = assay_array_count (array), size = assay_type_size (array->type);
  gpointer data = assay_alloc (count, size, name, error);

  if (data == NULL)
    return NULL;
  memcpy (data, array->data, count * size);
  return assay_array_take (array->type, array->n_dimensions, array->shape, data);
}

static gboolean
copy_arrays (AssayArrays *arrays, GError **error)
{
  for (guint i = 0; i < arrays->names->len; i++) {
    AssayArray *array = arrays->arrays->pdata[i];
    AssayArray *copy = copy_array (array, arrays->names->pdata[i], error);

    if (copy == NULL)
      return FALSE;
    arrays->arrays->pdata[i] = copy;
    assay_array_free (array);
  }
  return TRUE;
}

/* Messages without the folders' names, which are others in every run. */
static void
shorten (const AssayExecFolder *folder, GError **error)
{
  g_autofree char *inside = g_strconcat (folder->path, "/", NULL);
  GString *text;

  if (error == NULL || *error == NULL)
    return;
  text = g_string_new ((*error)->message);
  g_string_replace (text, inside, "", 0);
  g_string_replace (text, folder->path, "the request's folder", 0);
  /* As it is called where it is confined. */
  g_string_replace (text, folder->scratch, "/tmp", 0);
  g_string_replace (text, "/run/tmp", "/tmp", 0);
  g_free ((*error)->message);
  (*error)->message = g_string_free (text, FALSE);
}

typedef gboolean (*ReadAnswer) (const char *path, gpointer *ret_record, GError **error);

static gboolean
read_release (const char *path, gpointer *ret_record, GError **error)
{
  g_autoptr (AssayRelease) release = assay_release_read (path, error);

  if (release == NULL || !copy_arrays (&release->arrays, error))
    return FALSE;
  *ret_record = g_steal_pointer (&release);
  return TRUE;
}

static gboolean
read_guess (const char *path, gpointer *ret_record, GError **error)
{
  g_autoptr (AssayGuess) guess = assay_guess_read (path, assay_registry_guess_arrays (), error);

  if (guess == NULL || !copy_arrays (&guess->arrays, error))
    return FALSE;
  *ret_record = g_steal_pointer (&guess);
  return TRUE;
}

static gboolean
read_outputs (const char *path, gpointer *ret_record, GError **error)
{
  g_autoptr (AssayArray) mapped = assay_npy_map (path, error);

  *ret_record = mapped != NULL ? copy_array (mapped, "outputs", error) : NULL;
  return *ret_record != NULL;
}

typedef gboolean (*CheckAnswer) (const char *path, const char *answer, gint64 file_limit,
                                 GError **error);

static gpointer
run (AssayExecFolder *folder, const char *answer, CheckAnswer check, ReadAnswer read,
     GError **error)
{
  g_auto (GStrv) words = assay_program_words (folder->exec->command, folder->exec->folder, error);
  const AssayChild child = { .words = words,
                             .folder = folder->path,
                             .scratch = folder->scratch,
                             .confine = (AssayConfine) folder->exec->confine,
                             .time_limit_s = folder->exec->time_limit,
                             .memory_limit = (guint64) folder->exec->memory_limit * MIB,
                             .process_limit = (guint) folder->exec->process_limit,
                             .file_limit = (guint64) folder->exec->file_limit * MIB };
  g_autofree char *path = g_build_filename (folder->path, answer, NULL);
  g_autofree char *said = NULL;
  g_autoptr (GError) problem = NULL;
  gpointer record = NULL;

  if (words == NULL)
    return NULL;
  if (write_request (folder, &problem) && assay_child_run (&child, &said, &problem)
      && (!check (path, answer, folder->exec->file_limit, &problem)
          || !read (path, &record, &problem))) {
    g_autofree char *lines = assay_child_describe_said (said);
    char *message = g_strconcat (problem->message, lines, NULL);

    g_free (problem->message);
    problem->message = message;
  }
  shorten (folder, &problem);
  if (problem != NULL)
    g_propagate_error (error, g_steal_pointer (&problem));
  return record;
}

AssayRelease *
assay_exec_folder_run_defense (AssayExecFolder *folder, GError **error)
{
  return run (folder, "release", check_answer, read_release, error);
}

AssayGuess *
assay_exec_folder_run_attack (AssayExecFolder *folder, GError **error)
{
  return run (folder, "guess", check_answer, read_guess, error);
}

AssayArray *
assay_exec_folder_run_mechanism (AssayExecFolder *folder, GError **error)
{
  return run (folder, "outputs.npy", check_outputs, read_outputs, error);
}
