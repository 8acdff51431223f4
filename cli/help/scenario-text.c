/* Pieces of a scenario, as text. */
#include "cli/help/starter.h"

#include "cli/help/starter-attacks.h"

#define COLUMNS 100

void
cli_append_comment (GString *text, const char *format, ...)
{
  g_autofree char *said = NULL;
  g_auto (GStrv) words = NULL;
  gsize column = COLUMNS;
  va_list arguments;

  va_start (arguments, format);
  said = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_strdelimit (said, "\n", ' ');
  words = g_strsplit (said, " ", -1);
  for (guint i = 0; words[i] != NULL; i++) {
    const gsize width = (gsize) g_utf8_strlen (words[i], -1);

    if (*words[i] == '\0')
      continue;
    if (column + 1 + width > COLUMNS) {
      g_string_append (text, i > 0 ? "\n#" : "#");
      column = 1;
    }
    g_string_append_printf (text, " %s", words[i]);
    column += 1 + width;
  }
  g_string_append_c (text, '\n');
}

/* A value as scenarios write it: a semicolon or a backslash in it separates nothing. */
static void
append_setting (GString *text, const AssaySettings *settings, const AssayParam *param)
{
  g_autofree char *value = assay_settings_get (settings, param);

  /* What is off changes what identifies the run where it is given; an empty text cannot be given at
   * all. */
  g_string_append_printf (text, "%s%s =", param->is_extra || *value == '\0' ? "#" : "",
                          param->name);
  if (*value != '\0')
    g_string_append_c (text, ' ');
  for (const char *at = value; *at != '\0'; at++) {
    if (*at == ';' || *at == '\\')
      g_string_append_c (text, '\\');
    g_string_append_c (text, *at);
  }
  g_string_append_c (text, '\n');
}

static gboolean
is_gap (const AssaySettings *settings, const AssayParam *param)
{
  g_autofree char *value = assay_settings_get (settings, param);

  return g_str_equal (value, CLI_GAP);
}

void
cli_append_defense (GString *text, const AssayDefense *defense, const AssaySettings *settings)
{
  cli_append_comment (text, "%s.", defense->summary);
  cli_append_comment (text, "%s; %s.", defense->reference.work, defense->reference.place);
  if (defense->claim != NULL)
    cli_append_comment (text, "It claims: %s.", defense->claim);
  g_string_append_printf (text, "[defense %s]\nplugin = %s\n", defense->id, defense->id);
  ASSAY_FOR_EACH_PARAM (param, defense->parameters) {
    g_autofree char *about = assay_param_describe (param);

    g_string_append_c (text, '\n');
    if (param->type == ASSAY_PARAM_TYPE_STRING && is_gap (settings, param))
      cli_append_comment (text, CLI_GAP ": this must be given before the scenario can run.");
    cli_append_comment (text, "%s", param->help);
    cli_append_comment (text, "(%s)", about);
    append_setting (text, settings, param);
  }
}
