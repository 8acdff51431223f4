/* json-glib's trees as text. */
#include "core/base/json/node.h"

static void
write_value (AssayJson *json, JsonNode *node)
{
  switch (json_node_get_value_type (node)) {
  case G_TYPE_STRING:
    assay_json_string (json, json_node_get_string (node));
    return;
  case G_TYPE_BOOLEAN:
    assay_json_bool (json, json_node_get_boolean (node));
    return;
  case G_TYPE_INT64:
    assay_json_int (json, json_node_get_int (node));
    return;
  default:
    assay_json_double (json, json_node_get_double (node));
    return;
  }
}

static void
write_object (AssayJson *json, JsonObject *object)
{
  g_autoptr (GList) names = json_object_get_members (object);

  assay_json_begin_object (json);
  for (GList *name = names; name != NULL; name = name->next) {
    assay_json_key (json, name->data);
    assay_json_node (json, json_object_get_member (object, name->data));
  }
  assay_json_end_object (json);
}

static void
write_array (AssayJson *json, JsonArray *array)
{
  assay_json_begin_array (json);
  for (guint i = 0; i < json_array_get_length (array); i++)
    assay_json_node (json, json_array_get_element (array, i));
  assay_json_end_array (json);
}

void
assay_json_node (AssayJson *json, JsonNode *node)
{
  switch (json_node_get_node_type (node)) {
  case JSON_NODE_OBJECT:
    write_object (json, json_node_get_object (node));
    return;
  case JSON_NODE_ARRAY:
    write_array (json, json_node_get_array (node));
    return;
  case JSON_NODE_NULL:
    assay_json_string (json, NULL);
    return;
  default:
    write_value (json, node);
    return;
  }
}

char *
assay_json_node_text (JsonNode *node)
{
  AssayJson *json = assay_json_new ();

  json->is_compact = TRUE;
  assay_json_node (json, node);
  return assay_json_finish (json);
}
