/* Fuzz target: JSON files, read by ours and by json-glib. What ours accepts json-glib accepts, with
 * the same content; and what was read is written again by our writer, in either form, and reads
 * back equal. json-glib's own generator is not asked for that: it writes 1e92 as 1e+92.0, which is
 * no JSON. An input is the file. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>

#include "core/base/json-file.h"
#include "core/base/json.h"
#include "core/base/json/node.h"

/* A number that is written as null: one beyond doubles is read as infinite, and the largest of them
 * stands for "no bound". */
static gboolean
has_unwritten (JsonNode *node)
{
  gboolean has_one = FALSE;

  if (JSON_NODE_HOLDS_OBJECT (node)) {
    g_autoptr (GList) values = json_object_get_values (json_node_get_object (node));

    for (GList *value = values; value != NULL; value = value->next)
      has_one |= has_unwritten (value->data);
  } else if (JSON_NODE_HOLDS_ARRAY (node)) {
    JsonArray *array = json_node_get_array (node);

    for (guint i = 0; i < json_array_get_length (array); i++)
      has_one |= has_unwritten (json_array_get_element (array, i));
  } else if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_DOUBLE) {
    has_one = !(fabs (json_node_get_double (node)) < G_MAXDOUBLE);
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

  FUZZ_REQUIRE (json_parser_load_from_data (theirs, (const char *) data, (gssize) size, NULL));
  FUZZ_REQUIRE (json_node_equal (root, json_parser_get_root (theirs)));
  for (gboolean is_compact = FALSE; is_compact <= TRUE; is_compact++) {
    AssayJson *json = assay_json_new ();
    g_autofree char *written = NULL;

    json->is_compact = is_compact;
    assay_json_node (json, root);
    written = assay_json_finish (json);
    if (!has_unwritten (root))
      check_reads_back (written, root);
  }
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
