/* The JSON writer, read back by json-glib. */
#include <criterion/criterion.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "core/base/json.h"
#include "core/base/rng.h"
#include "core/base/text.h"

static JsonNode *
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  JsonNode *root = json_from_string (text, &error);

  cr_assert (root != NULL, "%s: %s", text, error != NULL ? error->message : "empty");
  return root;
}

Test (json, layout)
{
  AssayJson *json = assay_json_new ();
  g_autofree char *text = NULL;

  assay_json_begin_object (json);
  assay_json_member_string (json, "a", "x");
  assay_json_key (json, "b");
  assay_json_begin_array (json);
  assay_json_int (json, -1);
  assay_json_begin_object (json);
  assay_json_end_object (json);
  assay_json_begin_array (json);
  assay_json_end_array (json);
  assay_json_bool (json, TRUE);
  assay_json_string (json, NULL);
  assay_json_double (json, NAN);
  assay_json_double (json, -INFINITY);
  assay_json_end_array (json);
  assay_json_member_double (json, "c", 0.1);
  assay_json_member_int (json, "d", G_MININT64);
  assay_json_key (json, "e");
  assay_json_raw (json, "[1, 2]");
  assay_json_end_object (json);
  text = assay_json_finish (json);
  cr_assert_str_eq (text, "{\n \"a\": \"x\",\n \"b\": [\n  -1,\n  {},\n  [],\n  true,\n  null,\n"
                          "  null,\n  null\n ],\n \"c\": 0.1,\n \"d\": -9223372036854775808,\n"
                          " \"e\": [1, 2]\n}\n");
  json_node_unref (parse (text));
}

Test (json, written_by_a_format)
{
  AssayJson *json = assay_json_new ();
  const gsize n = G_MAXSIZE >> 1;
  const gint64 least = G_MININT64;
  g_autofree char *text = NULL;

  assay_json_write (json, "{text %s none %s share %g inf %g", "a {b} %s",
                    (const char *) NULL, 0.1, INFINITY);
  assay_json_write (json, "n %zu least %ld few %d many %u yes %i no %i", n, least, -3, 4000000000u,
                    2, FALSE);
  assay_json_write (json, "in-it {rows [%d %d {a %s}] empty {}} raw", 1, 2, "x");
  assay_json_raw (json, "[3]");
  assay_json_write (json, "}");
  text = assay_json_finish (json);
  cr_assert_str_eq (text, "{\n \"text\": \"a {b} %s\",\n \"none\": null,\n \"share\": 0.1,\n"
                          " \"inf\": null,\n \"n\": 9223372036854775807,\n"
                          " \"least\": -9223372036854775808,\n \"few\": -3,\n"
                          " \"many\": 4000000000,\n \"yes\": true,\n \"no\": false,\n"
                          " \"in-it\": {\n  \"rows\": [\n   1,\n   2,\n   {\n    \"a\": \"x\"\n"
                          "   }\n  ],\n  \"empty\": {}\n },\n \"raw\": [3]\n}\n");
}

typedef struct {
  GString *text;
  gsize pieces, longest;
  gsize fails_at; /* piece; 0: never */
} Collected;

static gboolean
collect (const char *text, gsize length, gpointer data)
{
  Collected *collected = data;

  cr_assert (collected->fails_at == 0 || collected->pieces < collected->fails_at,
             "a sink that has failed got another piece");
  g_string_append_len (collected->text, text, (gssize) length);
  collected->longest = MAX (collected->longest, length);
  return ++collected->pieces != collected->fails_at;
}

static void
write_many (AssayJson *json)
{
  assay_json_begin_array (json);
  for (gint64 i = 0; i < 200000; i++) {
    assay_json_begin_object (json);
    assay_json_member_int (json, "number", i);
    assay_json_end_object (json);
  }
  assay_json_end_array (json);
}

/* Piece by piece it is the same text, and no piece grows with it. */
Test (json, to_a_sink)
{
  AssayJson *whole = assay_json_new ();
  Collected all = { .text = g_string_new (NULL) };
  Collected some = { .text = g_string_new (NULL), .fails_at = 3 };
  AssayJson *pieces = assay_json_new_to (collect, &all);
  AssayJson *broken = assay_json_new_to (collect, &some);
  g_autofree char *text = NULL;

  write_many (whole);
  write_many (pieces);
  write_many (broken);
  text = assay_json_finish (whole);
  cr_assert (assay_json_finish_to (pieces));
  cr_assert_not (assay_json_finish_to (broken), "a sink failed unnoticed");
  cr_assert_str_eq (all.text->str, text);
  cr_assert (all.pieces > 10 && all.longest < all.text->len / 10, "%zu pieces, up to %zu bytes",
             all.pieces, all.longest);
  g_string_free (all.text, TRUE);
  g_string_free (some.text, TRUE);
}

Test (json, compact)
{
  AssayJson *json = assay_json_new ();
  g_autofree char *text = NULL;

  json->is_compact = TRUE;
  assay_json_begin_array (json);
  assay_json_int (json, 1);
  assay_json_begin_object (json);
  assay_json_member_int (json, "a", 2);
  assay_json_member_string (json, "b", "c");
  assay_json_end_object (json);
  assay_json_end_array (json);
  text = assay_json_finish (json);
  cr_assert_str_eq (text, "[1, {\"a\": 2, \"b\": \"c\"}]");
}

/* Any bytes without NUL, as value and as key: valid UTF-8 comes back as it was, the rest with
 * U+FFFD for what is broken. */
Test (json, texts_come_back)
{
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "json", ""), 0);
  static const char *const pieces[] = { "\"",
                                        "\\",
                                        "\n",
                                        "\r",
                                        "\t",
                                        "\x01",
                                        "\x1f",
                                        "\x7f",
                                        "/",
                                        "a",
                                        "\xc3\xa9",
                                        "\xe2\x82\xac",
                                        "\xf0\x9f\x98\x80",
                                        "\xff",
                                        "\xc3",
                                        "</script>",
                                        "\\u0041",
                                        "\xc2\x85",
                                        "\xe2\x80\xae",
                                        "\xe2\x81\xa6",
                                        "\xe2\x80\xa8",
                                        "\xef\xb7\x90",
                                        "\xf0\x9f\xbf\xbe",
                                        "\b\f" };

  for (guint i = 0; i < 2000; i++) {
    g_autoptr (GString) value = g_string_new (NULL);
    AssayJson *json = assay_json_new ();
    g_autofree char *text = NULL;
    g_autofree char *valid = NULL;
    g_autoptr (JsonNode) root = NULL;
    JsonObject *object;

    for (guint64 n = assay_stream_below (&stream, 8); n > 0; n--)
      g_string_append (value, pieces[assay_stream_below (&stream, G_N_ELEMENTS (pieces))]);
    valid = g_utf8_make_valid (value->str, -1);
    assay_json_begin_object (json);
    assay_json_member_string (json, value->str, value->str);
    assay_json_end_object (json);
    text = assay_json_finish (json);
    cr_assert (g_utf8_validate (text, -1, NULL), "%s", text);
    for (const char *c = text; *c != '\0'; c = g_utf8_next_char (c))
      cr_assert (*c == '\n' || assay_text_is_shown (g_utf8_get_char (c)),
                 "a character that steers a terminal in %s", text);
    root = parse (text);
    object = json_node_get_object (root);
    cr_assert (json_object_has_member (object, valid), "%s", text);
    cr_assert_str_eq (json_object_get_string_member (object, valid), valid);
  }
}

/* To the bit, for any finite number. */
Test (json, numbers_come_back)
{
  AssayStream stream = assay_stream (assay_stream_key (2, 0, "json", ""), 0);

  for (guint i = 0; i < 20000; i++) {
    const guint64 low = assay_stream_u32 (&stream);
    const guint64 bits = low | (guint64) assay_stream_u32 (&stream) << 32;
    AssayJson *json = assay_json_new ();
    g_autofree char *text = NULL;
    g_autoptr (JsonNode) root = NULL;
    double value, back;

    memcpy (&value, &bits, sizeof value);
    if (!isfinite (value)) {
      assay_json_free (json);
      continue;
    }
    assay_json_begin_array (json);
    assay_json_double (json, value);
    assay_json_end_array (json);
    text = assay_json_finish (json);
    root = parse (text);
    back = json_array_get_double_element (json_node_get_array (root), 0);
    cr_assert (back == value, "%a: %s", value, text);
  }
}

/* ---- Settings ---- */

static const char *const modes[] = { "fast", "exact", NULL };

typedef struct {
  bool flag;
  gint64 count;
  double tau;
  guint mode;
  char *file;
} Example;

static const AssayParam table[] = { ASSAY_PARAM_BOOL (Example, flag, FALSE, "A flag"),
                                    ASSAY_PARAM_INT (Example, count, 4, 1, 64, "", "A count"),
                                    ASSAY_PARAM_REAL (Example, tau, 0.3, 0, 10, "", "A threshold"),
                                    ASSAY_PARAM_CHOICE (Example, mode, 1, modes, "A mode"),
                                    ASSAY_PARAM_STRING (Example, file, "a\"b", "A file"),
                                    ASSAY_PARAM_END };

Test (json, settings)
{
  g_autoptr (AssaySettings) settings = assay_settings_new (table, sizeof (Example));
  g_autoptr (AssaySettings) empty = assay_settings_new (NULL, 0);
  g_autofree char *text = assay_json_settings_text (settings);
  g_autofree char *nothing = assay_json_settings_text (empty);

  cr_assert_str_eq (text, "{\"flag\": false, \"count\": 4, \"tau\": 0.3, \"mode\": \"exact\", "
                          "\"file\": \"a\\\"b\"}");
  cr_assert_str_eq (nothing, "{}");
}
