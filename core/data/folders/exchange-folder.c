/* Releases, guesses and truths as folders: one JSON file and one .npy per array.
 *
 * A folder is written beside its place and renamed there when it is whole, so that neither a full
 * disk nor a kill leaves half of one. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "core/base/error.h"
#include "core/base/json-file.h"
#include "core/base/json.h"
#include "core/base/json/node.h"
#include "core/data/codes.h"
#include "core/data/exchange.h"
#include "core/data/folders/array-types.h"
#include "core/data/folders/geometry.h"
#include "core/data/folders/parameters-json.h"
#include "core/data/folders/record-members.h"
#include "core/data/npy.h"

#define MOST_SAID 1000 /* bytes of what an attack or a defense says */

/* ---- Writing ---- */

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
  }
  g_rmdir (folder);
}

static gboolean
write_arrays (const AssayArrays *arrays, const char *folder, AssayJson *json, GError **error)
{
  assay_json_write (json, "arrays {");
  for (guint i = 0; i < arrays->names->len; i++) {
    const char *name = arrays->names->pdata[i];
    const AssayArray *array = arrays->arrays->pdata[i];
    g_autofree char *file = g_strconcat (name, ".npy", NULL);
    g_autofree char *path = g_build_filename (folder, file, NULL);

    if (!assay_npy_write (path, array, error))
      return FALSE;
    assay_json_key (json, name);
    assay_json_write (json, "{file %s type %s shape [", file, assay_type_name (array->type));
    for (guint d = 0; d < array->n_dimensions; d++)
      assay_json_int (json, (gint64) array->shape[d]);
    assay_json_write (json, "]}");
  }
  assay_json_end_object (json);
  return TRUE;
}

/* Fills @temporary with arrays and the JSON file; @json is at the end of its other members. */
static gboolean
fill_folder (const AssayArrays *arrays, const char *temporary, const char *file, AssayJson *json,
             GError **error)
{
  g_autofree char *path = g_build_filename (temporary, file, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) problem = NULL;

  if (!write_arrays (arrays, temporary, json, error))
    return FALSE;
  assay_json_end_object (json);
  text = g_strdup (json->text->str);
  if (!g_file_set_contents (path, text, -1, &problem)) {
    /* GLib's message quotes the path in its own way; the cause stands behind it. */
    const char *cause = strrchr (problem->message, ':');

    return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot be written%s", path,
                       cause != NULL ? cause : "");
  }
  return TRUE;
}

gboolean
assay_exchange_check_target (const char *folder, GError **error)
{
  g_autoptr (GDir) dir = NULL;

  if (!g_file_test (folder, G_FILE_TEST_EXISTS))
    return TRUE;
  dir = g_dir_open (folder, 0, NULL);
  return (dir != NULL && g_dir_read_name (dir) == NULL)
         || assay_fail (error, ASSAY_ERROR_DATA, "%s: expected a new or an empty folder", folder);
}

/* @json holds an open object with the record's own members. Takes it over. */
static gboolean
write_folder (const AssayArrays *arrays, const char *place, const char *file, AssayJson *taken,
              GError **error)
{
  g_autoptr (AssayJson) json = taken;
  /* Without a final slash, so that the temporary folder stands beside it and not inside. */
  g_autofree char *folder = g_canonicalize_filename (place, NULL);
  g_autofree char *temporary = g_strdup_printf ("%s.tmp-%d", folder, (int) getpid ());
  g_autofree char *parent = g_path_get_dirname (folder);

  if (g_mkdir_with_parents (parent, 0777) != 0 || g_mkdir (temporary, 0777) != 0)
    return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot create the folder: %s", place,
                       g_strerror (errno));
  if (!fill_folder (arrays, temporary, file, json, error)) {
    remove_folder (temporary);
    return assay_prefix (error, "%s: ", place);
  }
  /* rename replaces an empty folder and refuses a full one. */
  if (g_rename (temporary, folder) != 0) {
    const int reason = errno;

    remove_folder (temporary);
    if (reason == ENOTEMPTY || reason == EEXIST)
      return assay_fail (error, ASSAY_ERROR_DATA, "%s: expected a new or an empty folder", place);
    return assay_fail (error, ASSAY_ERROR_IO, "%s: %s", place, g_strerror (reason));
  }
  return TRUE;
}

static AssayJson *
begin_record (const char *format)
{
  AssayJson *json = assay_json_new ();

  assay_json_write (json, "{format %s", format);
  return json;
}

gboolean
assay_release_write (const AssayRelease *release, const char *folder, GError **error)
{
  AssayJson *json = begin_record ("assay-release/1");

  assay_json_write (json, "kind %s", assay_release_kind_name (release->kind));
  if (assay_kind (release->kind)->has_bits)
    assay_json_write (json, "bits %zu", release->bits);
  assay_json_write (json, "defense %s settings", release->defense);
  assay_json_raw (json, release->settings);
  assay_parameters_write (json, &release->parameters);
  assay_geometry_write (json, &release->geometry, &release->is_unit_norm);
  return write_folder (&release->arrays, folder, "release.json", json, error);
}

gboolean
assay_guess_write (const AssayGuess *guess, const char *folder, GError **error)
{
  AssayJson *json = begin_record ("assay-guess/1");

  if (guess->is_unordered)
    assay_json_write (json, "unordered %i", TRUE);
  if (guess->says != NULL)
    assay_json_write (json, "says %s", guess->says);
  if (isfinite (guess->confidence))
    assay_json_write (json, "confidence %g", guess->confidence);
  return write_folder (&guess->arrays, folder, "guess.json", json, error);
}

gboolean
assay_truth_write (const AssayTruth *truth, const char *folder, GError **error)
{
  AssayJson *json = begin_record ("assay-truth/1");

  assay_geometry_write (json, &truth->geometry, NULL);
  if (truth->says != NULL)
    assay_json_write (json, "says %s", truth->says);
  return write_folder (&truth->arrays, folder, "truth.json", json, error);
}

/* ---- Reading ---- */

static const char *const release_members[]
    = { "format", "kind", "bits", "defense", "settings", "parameters", "geometry", "arrays", NULL };
static const char *const array_members[] = { "file", "type", "shape", NULL };

/* The JSON object of @folder/@file, with the right format. */
static JsonParser *
load_record (const char *folder, const char *file, const char *format, JsonObject **ret_root,
             GError **error)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (JsonParser) parser = NULL;
  const char *found;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "%s: there is no such file; expected a folder with %s", path, file);
  parser = assay_json_load (path, ret_root, error);
  if (parser == NULL)
    return NULL;
  found = assay_json_text (*ret_root, "format", "none");
  if (!g_str_equal (found, format))
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: format is '%s', expected '%s'", path,
                            found, format);
  return g_steal_pointer (&parser);
}

/* The file of one array: a plain name inside the folder, nothing that leads out of it. */
static char *
array_path (const char *folder, const char *name, JsonNode *node, GError **error)
{
  const char *file = NULL;
  g_autofree char *plain = NULL;
  g_autofree char *where = g_strdup_printf ("array '%s'", name);

  if (JSON_NODE_HOLDS_OBJECT (node)) {
    if (!assay_record_check_members (json_node_get_object (node), where, array_members, error))
      return NULL;
    file = assay_json_text (json_node_get_object (node), "file", NULL);
  }
  if (file == NULL)
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "array '%s': expected an object with a member 'file'", name);
  plain = g_path_get_basename (file);
  if (!g_str_equal (plain, file) || g_str_equal (file, "..") || g_str_equal (file, "."))
    return assay_fail_null (error, ASSAY_ERROR_DATA,
                            "array '%s': file '%s' is not a plain name inside the folder", name,
                            file);
  return g_build_filename (folder, file, NULL);
}

static gboolean
load_arrays (const char *folder, JsonObject *root, AssayArrays *ret_arrays, GError **error)
{
  JsonNode *node = json_object_get_member (root, "arrays");
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return assay_fail (error, ASSAY_ERROR_DATA, "expected an object 'arrays'");
  json_object_iter_init_ordered (&iter, json_node_get_object (node));
  while (json_object_iter_next_ordered (&iter, &name, &member)) {
    g_autofree char *path = array_path (folder, name, member, error);
    AssayArray *array = path != NULL ? assay_record_array_load (path, error) : NULL;

    if (array == NULL)
      return FALSE;
    assay_arrays_take (ret_arrays, name, array);
  }
  return TRUE;
}

/* How many bits a code has, which its bytes do not say. */
static gboolean
read_bits (JsonObject *root, const AssayKind *kind, gsize *ret_bits, GError **error)
{
  JsonNode *node = json_object_get_member (root, "bits");

  if (!kind->has_bits)
    return node == NULL
           || assay_fail (error, ASSAY_ERROR_DATA,
                          "release.json: has a member 'bits', expected it of codes alone");
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node)
      || json_node_get_value_type (node) != G_TYPE_INT64 || json_node_get_int (node) < 1
      || json_node_get_int (node) > ASSAY_CODE_MAX_BITS)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "release.json: expected 'bits' to be a whole number from 1 to %d",
                       ASSAY_CODE_MAX_BITS);
  *ret_bits = (gsize) json_node_get_int (node);
  return TRUE;
}

/* A release with the metadata of @root and no arrays yet. */
static AssayRelease *
release_from_object (JsonObject *root, AssayPixelOrder *ret_order, GError **error)
{
  const char *kind_name = assay_json_text (root, "kind", "");
  const char *defense = assay_json_text (root, "defense", "unknown");
  const AssayReleaseKind kind = assay_release_kind_from_name (kind_name);
  JsonNode *settings = json_object_get_member (root, "settings");
  g_autoptr (AssayRelease) release = NULL;

  if (kind == ASSAY_RELEASE_NONE) {
    g_autofree char *all = assay_release_kinds_describe (G_MAXUINT);

    return assay_fail_null (error, ASSAY_ERROR_DATA, "release.json: kind is '%s', expected %s",
                            kind_name, all);
  }
  release = assay_release_new (kind, defense);
  if (!assay_geometry_read (root, "release.json", &release->geometry, &release->is_unit_norm,
                            ret_order, error)
      || !read_bits (root, assay_kind (kind), &release->bits, error)
      || !assay_parameters_read (root, kind_name, &release->parameters, error))
    return NULL;
  if (settings != NULL && JSON_NODE_HOLDS_OBJECT (settings)) {
    g_free (release->settings);
    release->settings = assay_json_node_text (settings);
  }
  return g_steal_pointer (&release);
}

static gboolean
read_unordered (JsonObject *root, gboolean *ret_is_unordered, GError **error)
{
  JsonNode *node = json_object_get_member (root, "unordered");

  if (node == NULL)
    return TRUE;
  if (!JSON_NODE_HOLDS_VALUE (node) || json_node_get_value_type (node) != G_TYPE_BOOLEAN)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "guess.json: expected 'unordered' to be true or false");
  *ret_is_unordered = json_node_get_boolean (node);
  return TRUE;
}

/* One line of text, as it will stand in reports. */
static gboolean
read_says (JsonObject *root, const char *name, char **ret_says, GError **error)
{
  JsonNode *node = json_object_get_member (root, "says");
  const char *text = assay_json_text (root, "says", NULL);

  if (node == NULL)
    return TRUE;
  if (text == NULL || strlen (text) > MOST_SAID || strpbrk (text, "\n\r") != NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: expected 'says' to be one line of at most %d bytes", name, MOST_SAID);
  *ret_says = g_strdup (text);
  return TRUE;
}

static gboolean
read_confidence (JsonObject *root, double *ret_confidence, GError **error)
{
  JsonNode *node = json_object_get_member (root, "confidence");
  double confidence;

  if (node == NULL)
    return TRUE;
  confidence = JSON_NODE_HOLDS_VALUE (node)
                       && (json_node_get_value_type (node) == G_TYPE_DOUBLE
                           || json_node_get_value_type (node) == G_TYPE_INT64)
                   ? json_node_get_double (node)
                   : -1;
  if (!(confidence >= 0 && confidence <= 1))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "guess.json: expected 'confidence' to be a number from 0 to 1");
  *ret_confidence = confidence;
  return TRUE;
}

/* Rows of numbers, or images, under @name as n x d float32. */
static gboolean
take_rows (AssayArrays *arrays, const char *name, AssayPixelOrder order, AssayGeometry *geometry,
           GError **error)
{
  return assay_whole_rows_take (arrays, name, error)
         && assay_image_rows_take (arrays, name, order, geometry, error);
}

/* What is not finite in a file is bad input, though in a computation it is a numeric error. */
static void
fail_reading (const char *folder, GError **error)
{
  g_prefix_error (error, "%s: ", folder);
  if (error != NULL && g_error_matches (*error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC))
    (*error)->code = ASSAY_ERROR_DATA;
}

AssayRelease *
assay_release_read (const char *folder, GError **error)
{
  JsonObject *root = NULL;
  g_autoptr (JsonParser) parser
      = load_record (folder, "release.json", "assay-release/1", &root, error);
  g_autoptr (AssayRelease) release = NULL;
  AssayPixelOrder order = ASSAY_ORDER_NOT_TOLD;

  if (parser == NULL)
    return NULL;
  release = assay_record_check_members (root, "release.json", release_members, error)
                ? release_from_object (root, &order, error)
                : NULL;
  if (release == NULL || !load_arrays (folder, root, &release->arrays, error)
      || ((release->kind & (ASSAY_RELEASE_VECTORS | ASSAY_RELEASE_MIXTURES)) != 0
          && !take_rows (&release->arrays, assay_kind (release->kind)->arrays[0].name, order,
                         &release->geometry, error))
      || !assay_release_check (release, error)) {
    fail_reading (folder, error);
    return NULL;
  }
  return g_steal_pointer (&release);
}

AssayGuess *
assay_guess_read (const char *folder, const AssayArraySpec *const *more, GError **error)
{
  JsonObject *root = NULL;
  g_autoptr (JsonParser) parser = load_record (folder, "guess.json", "assay-guess/1", &root, error);
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  if (parser == NULL)
    return NULL;
  if (!read_unordered (root, &guess->is_unordered, error)
      || !read_says (root, "guess.json", &guess->says, error)
      || !read_confidence (root, &guess->confidence, error)
      || !load_arrays (folder, root, &guess->arrays, error)
      || !take_rows (&guess->arrays, "estimates", ASSAY_ORDER_NOT_TOLD, NULL, error)
      || !assay_guess_check (guess, more, error)) {
    fail_reading (folder, error);
    return NULL;
  }
  return g_steal_pointer (&guess);
}

AssayTruth *
assay_truth_read (const char *folder, GError **error)
{
  JsonObject *root = NULL;
  g_autoptr (JsonParser) parser = load_record (folder, "truth.json", "assay-truth/1", &root, error);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  AssayPixelOrder order = ASSAY_ORDER_NOT_TOLD;

  if (parser == NULL)
    return NULL;
  if (!assay_geometry_read (root, "truth.json", &truth->geometry, NULL, &order, error)
      || !read_says (root, "truth.json", &truth->says, error)
      || !load_arrays (folder, root, &truth->arrays, error)
      || !take_rows (&truth->arrays, "secrets", order, &truth->geometry, error)
      || !assay_truth_check (truth, error)) {
    fail_reading (folder, error);
    return NULL;
  }
  return g_steal_pointer (&truth);
}
