/* A streaming JSON writer. */
#include "core/base/json.h"

#include <math.h>
#include <string.h>

#include "core/base/text.h"

#define PIECE_BYTES (256 << 10)

AssayJson *
assay_json_new (void)
{
  AssayJson *json = g_new0 (AssayJson, 1);

  json->text = g_string_new (NULL);
  return json;
}

AssayJson *
assay_json_new_to (AssayJsonSink sink, gpointer data)
{
  AssayJson *json = assay_json_new ();

  json->sink = sink;
  json->sink_data = data;
  return json;
}

void
assay_json_free (AssayJson *json)
{
  if (json == NULL)
    return;
  if (json->text != NULL)
    g_string_free (json->text, TRUE);
  g_free (json);
}

static void
end_text (AssayJson *json)
{
  g_assert (json->depth == 0);
  if (!json->is_compact)
    g_string_append_c (json->text, '\n');
}

char *
assay_json_finish (AssayJson *json)
{
  char *text;

  end_text (json);
  text = g_string_free (g_steal_pointer (&json->text), FALSE);
  assay_json_free (json);
  return text;
}

static void
give_to_sink (AssayJson *json)
{
  json->is_broken
      = json->is_broken || !json->sink (json->text->str, json->text->len, json->sink_data);
  g_string_truncate (json->text, 0);
}

gboolean
assay_json_finish_to (AssayJson *json)
{
  gboolean is_ok;

  end_text (json);
  give_to_sink (json);
  is_ok = !json->is_broken;
  assay_json_free (json);
  return is_ok;
}

static void
new_line (AssayJson *json)
{
  if (json->is_compact) {
    if (json->needs_comma)
      g_string_append_c (json->text, ' ');
    return;
  }
  g_string_append_c (json->text, '\n');
  for (guint i = 0; i < json->depth; i++)
    g_string_append (json->text, " ");
}

/* What stands before any value or key. */
static void
begin_item (AssayJson *json)
{
  if (json->sink != NULL && json->text->len >= PIECE_BYTES)
    give_to_sink (json);
  if (json->after_key) {
    json->after_key = FALSE;
    return;
  }
  if (json->needs_comma)
    g_string_append_c (json->text, ',');
  if (json->depth > 0)
    new_line (json);
}

static void
open_bracket (AssayJson *json, char bracket)
{
  begin_item (json);
  g_string_append_c (json->text, bracket);
  json->depth++;
  json->needs_comma = FALSE;
}

static void
close_bracket (AssayJson *json, char bracket)
{
  const gboolean is_empty = !json->needs_comma;

  g_assert (json->depth > 0);
  json->depth--;
  if (!is_empty && !json->is_compact)
    new_line (json);
  g_string_append_c (json->text, bracket);
  json->needs_comma = TRUE;
}

void
assay_json_begin_object (AssayJson *json)
{
  open_bracket (json, '{');
}

void
assay_json_end_object (AssayJson *json)
{
  close_bracket (json, '}');
}

void
assay_json_begin_array (AssayJson *json)
{
  open_bracket (json, '[');
}

void
assay_json_end_array (AssayJson *json)
{
  close_bracket (json, ']');
}

static void
append_escape (GString *text, gunichar c)
{
  if (c >= 0x10000)
    g_string_append_printf (text, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10),
                            0xdc00 + ((c - 0x10000) & 0x3ff));
  else
    g_string_append_printf (text, "\\u%04x", c);
}

/* What no reader would see as \u escapes, and the second of two "#" (a CI system that prints the
 * text would take "##[" for a command); other valid UTF-8 as it is; broken bytes as U+FFFD. */
static void
append_quoted (GString *text, const char *value)
{
  g_autofree char *valid = g_utf8_make_valid (value, -1);
  gunichar before = 0;

  g_string_append_c (text, '"');
  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at)) {
    const gunichar c = g_utf8_get_char (at);

    if (c == '"' || c == '\\')
      g_string_append_printf (text, "\\%c", (char) c);
    else if (c == '\n')
      g_string_append (text, "\\n");
    else if (!assay_text_is_shown (c) || (c == '#' && before == '#'))
      append_escape (text, c);
    else
      g_string_append_unichar (text, c);
    before = c;
  }
  g_string_append_c (text, '"');
}

void
assay_json_key (AssayJson *json, const char *key)
{
  begin_item (json);
  append_quoted (json->text, key);
  g_string_append (json->text, ": ");
  json->after_key = TRUE;
}

void
assay_json_raw (AssayJson *json, const char *text)
{
  begin_item (json);
  g_string_append (json->text, text);
  json->needs_comma = TRUE;
}

void
assay_json_string (AssayJson *json, const char *value)
{
  if (value == NULL) {
    assay_json_raw (json, "null");
    return;
  }
  begin_item (json);
  append_quoted (json->text, value);
  json->needs_comma = TRUE;
}

void
assay_json_int (AssayJson *json, gint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, value);

  assay_json_raw (json, text);
}

void
assay_json_double (AssayJson *json, double value)
{
  const gboolean is_number = isfinite (value) && fabs (value) < G_MAXDOUBLE;
  g_autofree char *text = is_number ? assay_text_number (value) : g_strdup ("null");

  assay_json_raw (json, text);
}

void
assay_json_bool (AssayJson *json, gboolean value)
{
  assay_json_raw (json, value ? "true" : "false");
}

void
assay_json_member_string (AssayJson *json, const char *key, const char *value)
{
  assay_json_key (json, key);
  assay_json_string (json, value);
}

void
assay_json_member_int (AssayJson *json, const char *key, gint64 value)
{
  assay_json_key (json, key);
  assay_json_int (json, value);
}

void
assay_json_member_double (AssayJson *json, const char *key, double value)
{
  assay_json_key (json, key);
  assay_json_double (json, value);
}

/* The value of the conversion at @at, which is behind its %. Returns where that ends. */
static const char *
write_value (AssayJson *json, const char *at, va_list *values)
{
  G_STATIC_ASSERT (sizeof (gsize) == sizeof (guint64) && sizeof (long) == sizeof (guint64));

  switch (*at) {
  case 's':
    assay_json_string (json, va_arg (*values, const char *));
    break;
  case 'g':
    assay_json_double (json, va_arg (*values, double));
    break;
  case 'i':
    assay_json_bool (json, va_arg (*values, gboolean));
    break;
  case 'd':
    assay_json_int (json, va_arg (*values, gint));
    break;
  case 'u':
    assay_json_int (json, va_arg (*values, guint));
    break;
  default: /* %zu, %lu, %ld */
    assay_json_int (json, va_arg (*values, gint64));
    at++;
  }
  return at + 1;
}

void
assay_json_write (AssayJson *json, const char *format, ...)
{
  va_list values;

  va_start (values, format);
  for (const char *at = format; *at != '\0';) {
    const gsize length = strcspn (at, " %{}[]");
    g_autofree char *name = g_strndup (at, length);

    if (length > 0)
      assay_json_key (json, name);
    at += length;
    if (*at == '%') {
      at = write_value (json, at + 1, &values);
      continue;
    }
    if (*at == '{' || *at == '[')
      open_bracket (json, *at);
    else if (*at == '}' || *at == ']')
      close_bracket (json, *at);
    at += *at != '\0';
  }
  va_end (values);
}

void
assay_json_setting (AssayJson *json, const AssaySettings *settings, const AssayParam *param)
{
  g_autofree char *value = assay_settings_get (settings, param);

  assay_json_key (json, param->name);
  if (param->type == ASSAY_PARAM_TYPE_INT || param->type == ASSAY_PARAM_TYPE_REAL)
    assay_json_raw (json, value);
  else if (param->type == ASSAY_PARAM_TYPE_BOOL)
    assay_json_bool (json, g_str_equal (value, "yes"));
  else
    assay_json_string (json, value);
}

void
assay_json_settings (AssayJson *json, const AssaySettings *settings)
{
  const gboolean was_compact = json->is_compact;

  assay_json_begin_object (json);
  json->is_compact = TRUE;
  ASSAY_FOR_EACH_PARAM (param, settings->table)
    assay_json_setting (json, settings, param);
  assay_json_end_object (json);
  json->is_compact = was_compact;
}

char *
assay_json_settings_text (const AssaySettings *settings)
{
  AssayJson *json = assay_json_new ();

  json->is_compact = TRUE;
  assay_json_settings (json, settings);
  return assay_json_finish (json);
}
