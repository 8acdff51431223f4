/* Reading JSON files: one object and nothing else, however deep others stand in it. */
#include "core/base/error.h"
#include "core/base/json-file.h"
#include "core/base/json/outline.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (json_file, .init = set_up, .fini = tear_down);

static JsonParser *
load (const char *text, JsonObject **ret_root, GError **error)
{
  g_autofree char *path = fixture_write (folder, "a.json", text);

  return assay_json_load (path, ret_root, error);
}

Test (json_file, one_object)
{
  static const char text[]
      = "\r\n\t {\"a }\\\"]\": [1.5e+2, -1, true, null, {}], \"b\": \"// '\"}\n";
  JsonObject *root = NULL;
  g_autoptr (JsonParser) parser = load (text, &root, NULL);

  cr_assert (parser != NULL && json_object_get_size (root) == 2);
  cr_assert (json_array_get_length (json_object_get_array_member (root, "a }\"]")) == 5);
  cr_assert_str_eq (json_object_get_string_member (root, "b"), "// '");
}

Test (json_file, escapes)
{
  static const char text[] = "{\"a\": \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\\ue000\"}";
  JsonObject *root = NULL;
  g_autoptr (JsonParser) parser = load (text, &root, NULL);

  cr_assert (parser != NULL);
  cr_assert_str_eq (json_object_get_string_member (root, "a"),
                    "\"\\/\b\f\n\r\t\u00e9\U0001F600\uE000");
}

Test (json_file, numbers)
{
  static const char text[]
      = "{\"a\": [0, -0, 9223372036854775807, -9223372036854775808, 1e5, -0.5E-2, 1.25e+3, 1e999]}";
  static const double values[] = { 0, 0, 0x1p63, -0x1p63, 1e5, -0.005, 1250, INFINITY };
  JsonObject *root = NULL;
  g_autoptr (JsonParser) parser = load (text, &root, NULL);

  cr_assert (parser != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    cr_assert (json_array_get_double_element (json_object_get_array_member (root, "a"), i)
               == values[i]);
  cr_assert (json_array_get_int_element (json_object_get_array_member (root, "a"), 2)
             == G_MAXINT64);
  cr_assert (json_array_get_int_element (json_object_get_array_member (root, "a"), 3)
             == G_MININT64);
}

Test (json_file, what_is_no_object_or_not_alone)
{
  static const struct {
    const char *text;
    const char *message; /* '@' is the folder */
  } cases[] = {
    { "", "@/a.json: expected a JSON object" },
    { " \n", "@/a.json: expected a JSON object" },
    { "[]", "@/a.json: expected a JSON object" },
    { "4{}", "@/a.json: expected a JSON object" },
    { "// {}", "@/a.json: expected a JSON object" },
    { "x = {}", "@/a.json: expected a JSON object" },
    { "{} {}", "@/a.json:1:4: expected nothing behind the object" },
    { "{}\n]", "@/a.json:2:1: expected nothing behind the object" },
    { "{\n \"a\": [1}", "@/a.json:2:10: the file ends inside of its object" },
    { "{\"a\": \"]}", "@/a.json:1:10: the file ends inside of its object" },
    { "{\"\\", "@/a.json:1:4: the file ends inside of its object" },
    { "{\"\\\"", "@/a.json:1:5: the file ends inside of its object" },
    { "{\"a\": 010}", "@/a.json:1:7: expected a number, true, false or null" },
    { "{\"a\": 0x10}", "@/a.json:1:7: expected a number, true, false or null" },
    { "{\"a\": 1.}", "@/a.json:1:7: expected a number, true, false or null" },
    { "{\"a\": .5}", "@/a.json:1:7: expected a number, true, false or null" },
    { "{\"a\": +1}", "@/a.json:1:7: expected a number, true, false or null" },
    { "{\"a\": 1e}", "@/a.json:1:7: expected a number, true, false or null" },
    { "{\"a\": nan}", "@/a.json:1:7: expected a number, true, false or null" },
    { "{\"a\": 9223372036854775808}", "@/a.json:1:7: a whole number beyond those of 64 bits" },
    { "{\"a\": -9223372036854775809}", "@/a.json:1:7: a whole number beyond those of 64 bits" },
    { "{\"\\q\": 1}", "@/a.json:1:3: expected one of \" \\ / b f n r t u after a backslash" },
    { "{\"\\u00g0\": 1}", "@/a.json:1:3: expected four hexadecimal digits after \\u" },
    { "{\"\\u004", "@/a.json:1:3: expected four hexadecimal digits after \\u" },
    { "{\"\\u0000\": 1}", "@/a.json:1:3: a text holds a zero (\\u0000)" },
    { "{\"a\\ud800\": 1}", "@/a.json:1:4: half of a pair of \\u, expected both" },
    { "{\"\\udbff\\u0041\": 1}", "@/a.json:1:3: half of a pair of \\u, expected both" },
    { "{\"\\udc00\": 1}", "@/a.json:1:3: half of a pair of \\u, expected both" },
    { "{\"\\ud83d\\ud83d\": 1}", "@/a.json:1:3: half of a pair of \\u, expected both" },
    { "{/* \" */ }", "@/a.json:1:2: unexpected character, expected JSON" },
    { "{'a': 1}", "@/a.json:1:2: unexpected character, expected JSON" },
    { "{\"a\": 1,,}",
      "@/a.json:1:8: Parse error: unexpected character `,', expected string constant" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    JsonObject *untouched = (JsonObject *) folder, *root = untouched;
    g_autofree char *why = NULL;
    GError *error = NULL;

    cr_assert (load (cases[i].text, &root, &error) == NULL, "accepted: %s", cases[i].text);
    cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA, cases[i].message, folder, &why), "%s",
               why);
    cr_assert (root == untouched);
  }
}

/* json-glib calls itself for each level: a million of them would end the process. */
Test (json_file, levels)
{
  static const gsize levels[] = { ASSAY_JSON_MAX_LEVELS, ASSAY_JSON_MAX_LEVELS + 1, 1000000 };

  for (gsize i = 0; i < G_N_ELEMENTS (levels); i++) {
    g_autofree char *opened = g_strnfill (levels[i] - 1, '[');
    g_autofree char *closed = g_strnfill (levels[i] - 1, ']');
    g_autofree char *text = g_strdup_printf ("{\"a\":%s%s}", opened, closed);
    g_autofree char *why = NULL;
    GError *error = NULL;
    JsonObject *root = NULL;
    g_autoptr (JsonParser) parser = load (text, &root, &error);

    cr_assert ((parser != NULL) == (i == 0), "%zu levels", levels[i]);
    cr_assert (i == 0
                   || fixture_error_is (&error, ASSAY_ERROR_DATA,
                                        "@/a.json:1:69: more than 64 levels of objects and arrays",
                                        folder, &why),
               "%s", why);
  }
}
