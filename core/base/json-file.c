/* Reading JSON files. */
#include "core/base/json-file.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/file-map.h"
#include "core/base/json/outline.h"

/* Members that stand in an object twice: json-glib keeps the last of them, and nobody would know
 * which. */
typedef struct {
  GHashTable *seen; /* "object/member" */
  char *repeated;   /* the first such member; NULL: none */
} Members;

static void
on_member (G_GNUC_UNUSED JsonParser *parser, JsonObject *object, const char *name, gpointer data)
{
  Members *members = data;

  if (!g_hash_table_add (members->seen, g_strdup_printf ("%p/%s", (gpointer) object, name))
      && members->repeated == NULL)
    members->repeated = g_strdup (name);
}

/* What json-glib says of the text that @path holds. */
static gboolean
parse (JsonParser *parser, const char *path, const char *text, gsize length, GError **error)
{
  Members members = { .seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  g_autoptr (GError) problem = NULL;
  gboolean is_ok;

  g_signal_connect (parser, "object-member", G_CALLBACK (on_member), &members);
  is_ok = json_parser_load_from_data (parser, text, (gssize) length, &problem);
  g_signal_handlers_disconnect_by_data (parser, &members);
  if (!is_ok) {
    /* json-glib's message begins with "<data>" in the place of the file. */
    const char *place = strchr (problem->message, ':');
    const gboolean has_place = g_str_has_prefix (problem->message, "<data>:");

    assay_fail (error, ASSAY_ERROR_DATA, "%s%s%s", path, has_place ? "" : ": ",
                has_place ? place : problem->message);
  } else if (members.repeated != NULL) {
    is_ok = assay_fail (error, ASSAY_ERROR_DATA,
                        "%s: '%s' appears twice in one object; expected it once", path,
                        members.repeated);
  }
  g_hash_table_unref (members.seen);
  g_free (members.repeated);
  return is_ok;
}

JsonParser *
assay_json_load (const char *path, JsonObject **ret_root, GError **error)
{
  g_autoptr (GBytes) bytes = assay_file_map (path, error);
  g_autoptr (JsonParser) parser = NULL;
  gsize length = 0;
  const char *text = bytes != NULL ? g_bytes_get_data (bytes, &length) : NULL;

  if (text == NULL) /* an empty file */
    text = "";
  if (bytes == NULL || !assay_json_check_outline (path, text, length, error))
    return NULL;
  parser = json_parser_new_immutable ();
  if (!parse (parser, path, text, length, error))
    return NULL;
  if (!JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: expected a JSON object", path);
  *ret_root = json_node_get_object (json_parser_get_root (parser));
  return g_steal_pointer (&parser);
}

const char *
assay_json_text (JsonObject *object, const char *name, const char *otherwise)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : otherwise;
}
