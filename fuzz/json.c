/* Fuzz target: the writer of results.json and of all our other JSON. What is written of any bytes
 * and any number is JSON that json-glib reads, and reads back equal. The first eight bytes of an
 * input are a number, the rest is a text. */
#include "fuzz/fuzz.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "core/base/json.h"

static char *
write_json (const char *text, double number, gint64 integer, gboolean is_compact)
{
  AssayJson *json = assay_json_new ();

  json->is_compact = is_compact;
  assay_json_begin_object (json);
  assay_json_member_string (json, "text", text);
  assay_json_member_double (json, "double", number);
  assay_json_member_int (json, "int", integer);
  assay_json_key (json, "list");
  assay_json_begin_array (json);
  assay_json_string (json, NULL);
  assay_json_bool (json, TRUE);
  assay_json_end_array (json);
  assay_json_end_object (json);
  return assay_json_finish (json);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, size };
  guint8 bytes[8];
  double number;
  gint64 integer;
  g_autofree char *text = NULL;
  g_autofree char *valid = NULL;
  g_autofree char *written = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *root;

  for (gsize i = 0; i < sizeof bytes; i++)
    bytes[i] = fuzz_take_byte (&input);
  memcpy (&number, bytes, sizeof number);
  memcpy (&integer, bytes, sizeof integer);
  text = fuzz_take_text (&input, '\0');
  valid = g_utf8_make_valid (text, -1);
  written = write_json (text, number, integer, bytes[0] & 1);
  FUZZ_REQUIRE (json_parser_load_from_data (parser, written, -1, NULL));
  root = json_node_get_object (json_parser_get_root (parser));
  FUZZ_REQUIRE (g_str_equal (json_object_get_string_member (root, "text"), valid));
  FUZZ_REQUIRE (json_object_get_int_member (root, "int") == integer);
  if (isfinite (number) && fabs (number) < G_MAXDOUBLE)
    FUZZ_REQUIRE (json_object_get_double_member (root, "double") == number);
  else
    FUZZ_REQUIRE (json_object_get_null_member (root, "double"));
  FUZZ_REQUIRE (json_array_get_length (json_object_get_array_member (root, "list")) == 2);
  return 0;
}
