/* Fuzz target: the writer of results.json and of all our other JSON. What is written of any bytes
 * and any number is JSON that json-glib reads, and reads back equal. The first eight bytes of an
 * input are a number, the rest is a text; two bits of the number choose the form: by lines, on one
 * line, to a sink, or by a format and with settings. */
#include "fuzz/fuzz.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/text.h"

typedef struct {
  bool flag;
  gint64 whole;
  double real;
  guint choice;
  char *name;
} Settings;

static const char *const choices[] = { "one", "other", NULL };

static const AssayParam table[] = {
  ASSAY_PARAM_BOOL (Settings, flag, TRUE, "A flag."),
  ASSAY_PARAM_INT (Settings, whole, 1, -0x1p62, 0x1p62, "", "A whole number."),
  ASSAY_PARAM_REAL (Settings, real, 1, -G_MAXDOUBLE, G_MAXDOUBLE, "", "A real number."),
  ASSAY_PARAM_CHOICE (Settings, choice, 1, choices, "One of two."),
  ASSAY_PARAM_STRING (Settings, name, "x", "A text."),
  ASSAY_PARAM_END,
};

/* What one input is written from. */
typedef struct {
  const char *text;
  double number;
  gint64 integer;
} Content;

/* Member by member. */
static void
write_members (AssayJson *json, const Content *of)
{
  assay_json_begin_object (json);
  assay_json_member_string (json, "text", of->text);
  assay_json_member_double (json, "double", of->number);
  assay_json_member_int (json, "int", of->integer);
  assay_json_key (json, "list");
  assay_json_begin_array (json);
  assay_json_string (json, NULL);
  assay_json_bool (json, TRUE);
  assay_json_end_array (json);
  assay_json_end_object (json);
}

static char *
write_json (const Content *of, gboolean is_compact)
{
  AssayJson *json = assay_json_new ();

  json->is_compact = is_compact;
  write_members (json, of);
  return assay_json_finish (json);
}

static gboolean
take_piece (const char *text, gsize length, gpointer data)
{
  g_string_append_len (data, text, (gssize) length);
  return TRUE;
}

static gboolean
refuse_piece (const char *text, gsize length, gpointer data)
{
  (void) text;
  (void) length;
  (void) data;
  return FALSE;
}

/* By a sink, and what a sink that fails says. */
static char *
write_to_sink (const Content *of)
{
  GString *text = g_string_new (NULL);
  AssayJson *json = assay_json_new_to (take_piece, text), *broken;

  write_members (json, of);
  FUZZ_REQUIRE (assay_json_finish_to (json));
  broken = assay_json_new_to (refuse_piece, NULL);
  write_members (broken, of);
  FUZZ_REQUIRE (!assay_json_finish_to (broken));
  return g_string_free (text, FALSE);
}

/* By a format, which is the same text; and with the settings behind it. */
static char *
write_by_format (const Content *of, const AssaySettings *settings)
{
  AssayJson *json = assay_json_new ();
  const char *const nothing = NULL;
  g_autofree char *plain = write_json (of, FALSE);
  g_autofree char *begun = NULL;

  assay_json_write (json, "{text %s double %g int %ld list [%s %i]", of->text, of->number,
                    of->integer, nothing, TRUE);
  begun = g_strdup (json->text->str);
  FUZZ_REQUIRE (g_str_has_prefix (plain, begun));
  assay_json_write (json, "count %u more %d", (guint) of->integer, (gint) of->integer);
  assay_json_key (json, "settings");
  assay_json_settings (json, settings);
  assay_json_write (json, "}");
  return assay_json_finish (json);
}

/* Settings that take the input, as far as they accept it. */
static AssaySettings *
new_settings (const Content *of)
{
  AssaySettings *settings = assay_settings_new (table, sizeof (Settings));
  g_autofree char *whole = g_strdup_printf ("%" G_GINT64_FORMAT, of->integer);
  g_autofree char *real = assay_text_number (isfinite (of->number) ? of->number : 0);

  assay_settings_set (settings, "whole", whole, NULL);
  FUZZ_REQUIRE (assay_settings_set (settings, "real", real, NULL));
  assay_settings_set (settings, "choice", of->text, NULL);
  assay_settings_set (settings, "name", of->text, NULL);
  return settings;
}

static void
check_settings (JsonObject *found, const AssaySettings *settings)
{
  const Settings *values = settings->values;
  g_autofree char *name = g_utf8_make_valid (values->name, -1);

  FUZZ_REQUIRE (json_object_get_boolean_member (found, "flag") == values->flag);
  FUZZ_REQUIRE (json_object_get_int_member (found, "whole") == values->whole);
  FUZZ_REQUIRE (json_object_get_double_member (found, "real") == values->real);
  FUZZ_REQUIRE (
      g_str_equal (json_object_get_string_member (found, "choice"), choices[values->choice]));
  FUZZ_REQUIRE (g_str_equal (json_object_get_string_member (found, "name"), name));
}

static void
check_text (const char *written, const Content *of, const AssaySettings *settings)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autofree char *valid = g_utf8_make_valid (of->text, -1);
  JsonObject *root;

  FUZZ_REQUIRE (json_parser_load_from_data (parser, written, -1, NULL));
  root = json_node_get_object (json_parser_get_root (parser));
  FUZZ_REQUIRE (g_str_equal (json_object_get_string_member (root, "text"), valid));
  FUZZ_REQUIRE (json_object_get_int_member (root, "int") == of->integer);
  if (isfinite (of->number) && fabs (of->number) < G_MAXDOUBLE)
    FUZZ_REQUIRE (json_object_get_double_member (root, "double") == of->number);
  else
    FUZZ_REQUIRE (json_object_get_null_member (root, "double"));
  FUZZ_REQUIRE (json_array_get_length (json_object_get_array_member (root, "list")) == 2);
  if (settings != NULL)
    check_settings (json_object_get_object_member (root, "settings"), settings);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { data, size };
  guint8 bytes[8];
  Content content;
  g_autofree char *text = NULL;
  g_autofree char *written = NULL;
  g_autoptr (AssaySettings) settings = NULL;

  for (gsize i = 0; i < sizeof bytes; i++)
    bytes[i] = fuzz_take_byte (&input);
  memcpy (&content.number, bytes, sizeof content.number);
  memcpy (&content.integer, bytes, sizeof content.integer);
  text = fuzz_take_text (&input, '\0');
  content.text = text;
  if (bytes[0] % 4 == 3) {
    settings = new_settings (&content);
    written = write_by_format (&content, settings);
  } else if (bytes[0] % 4 == 2)
    written = write_to_sink (&content);
  else
    written = write_json (&content, bytes[0] & 1);
  check_text (written, &content, settings);
  return 0;
}
