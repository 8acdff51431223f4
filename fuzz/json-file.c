/* Fuzz target: JSON files, read by ours and by json-glib. What ours accepts json-glib accepts, with
 * the same content; and what was read is written again, by our writer and by json-glib's, and reads
 * back equal. An input is the file. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

#include "core/base/json-file.h"
#include "core/base/json.h"

static void write_node (AssayJson *json, JsonNode *node);

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
    write_node (json, json_object_get_member (object, name->data));
  }
  assay_json_end_object (json);
}

static void
write_array (AssayJson *json, JsonArray *array)
{
  assay_json_begin_array (json);
  for (guint i = 0; i < json_array_get_length (array); i++)
    write_node (json, json_array_get_element (array, i));
  assay_json_end_array (json);
}

static void
write_node (AssayJson *json, JsonNode *node)
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

/* A number beyond doubles is read as infinite, and written as null. */
static gboolean
has_infinite (JsonNode *node)
{
  gboolean has_one = FALSE;

  if (JSON_NODE_HOLDS_OBJECT (node)) {
    g_autoptr (GList) values = json_object_get_values (json_node_get_object (node));

    for (GList *value = values; value != NULL; value = value->next)
      has_one |= has_infinite (value->data);
  } else if (JSON_NODE_HOLDS_ARRAY (node)) {
    JsonArray *array = json_node_get_array (node);

    for (guint i = 0; i < json_array_get_length (array); i++)
      has_one |= has_infinite (json_array_get_element (array, i));
  } else if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_DOUBLE) {
    has_one = !isfinite (json_node_get_double (node));
  }
  return has_one;
}

/* Reads @text with ours, and finds in it what @root is. */
static void
check_reads_back (const char *text, JsonNode *root)
{
  g_autoptr (JsonParser) parser = NULL;
  JsonObject *object = NULL;

  fuzz_files_forget ();
  fuzz_files_add ("again.json", text, strlen (text));
  parser = assay_json_load ("again.json", &object, NULL);
  FUZZ_REQUIRE (parser != NULL);
  FUZZ_REQUIRE (json_node_equal (root, json_parser_get_root (parser)));
}

static void
check_accepted (JsonNode *root, const uint8_t *data, size_t size)
{
  g_autoptr (JsonParser) theirs = json_parser_new_immutable ();
  g_autofree char *written = NULL;
  g_autofree char *generated = NULL;
  AssayJson *json = assay_json_new ();

  FUZZ_REQUIRE (json_parser_load_from_data (theirs, (const char *) data, (gssize) size, NULL));
  FUZZ_REQUIRE (json_node_equal (root, json_parser_get_root (theirs)));
  json->is_compact = size % 2 == 0;
  write_node (json, root);
  written = assay_json_finish (json);
  if (has_infinite (root))
    return;
  check_reads_back (written, root);
  generated = json_to_string (root, size % 2 == 1);
  check_reads_back (generated, root);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (JsonParser) ours = NULL;
  g_autoptr (GError) error = NULL;
  JsonObject *root = NULL;

  fuzz_files_add ("a.json", data, size);
  ours = assay_json_load ("a.json", &root, &error);
  fuzz_check_outcome (ours != NULL, error);
  if (ours != NULL) {
    FUZZ_REQUIRE (root == json_node_get_object (json_parser_get_root (ours)));
    check_accepted (json_parser_get_root (ours), data, size);
  }
  fuzz_files_forget ();
  return 0;
}
