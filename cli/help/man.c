/* assay man: the manual page, in roff. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help/completion.h"
#include "config.h"

/* @frame with what @append adds in place of each line that has @mark. */
static char *
fill_frame (const char *frame, const char *mark, void (*append) (GString *text))
{
  GString *text = g_string_new (NULL);
  g_auto (GStrv) lines = g_strsplit (frame, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++) {
    if (strstr (lines[i], mark) != NULL)
      append (text);
    else if (lines[i + 1] != NULL || *lines[i] != '\0')
      g_string_append_printf (text, "%s\n", lines[i]);
  }
  return g_string_free (text, FALSE);
}

/* @text with what roff would read otherwise escaped: backslashes, hyphens that are to be copied as
 * they are, and the first character of lines. */
static void
append_plain (GString *text, const char *plain)
{
  gboolean is_first = TRUE;

  for (const char *at = plain; *at != '\0'; at++) {
    if (is_first && (*at == '.' || *at == '\''))
      g_string_append (text, "\\&");
    if (*at == '\\')
      g_string_append (text, "\\e");
    else if (*at == '-')
      g_string_append (text, "\\-");
    else
      g_string_append_c (text, *at);
    is_first = *at == '\n';
  }
}

static void
append_title (GString *text)
{
  g_string_append_printf (text, ".TH ASSAY 1 \"\" \"Assay %s\" \"User Commands\"\n", ASSAY_VERSION);
}

static void
append_option (GString *text, const GOptionEntry *entry)
{
  g_string_append (text, ".TP\n\\fB");
  if (entry->short_name != '\0')
    g_string_append_printf (text, "\\-%c\\fR, \\fB", entry->short_name);
  g_string_append (text, "\\-\\-");
  append_plain (text, entry->long_name);
  g_string_append (text, "\\fR");
  if (entry->arg_description != NULL) {
    g_string_append (text, " \\fI");
    append_plain (text, entry->arg_description);
    g_string_append (text, "\\fR");
  }
  g_string_append_c (text, '\n');
  append_plain (text, entry->description);
  g_string_append (text, ".\n");
}

static void
add_command (const char *name, const CliUsage *usage, gpointer data)
{
  GString *text = data;

  g_string_append_printf (text, ".SS assay %s", name);
  if (*usage->parameters != '\0') {
    g_string_append_c (text, ' ');
    append_plain (text, usage->parameters);
  }
  g_string_append_c (text, '\n');
  append_plain (text, usage->summary);
  g_string_append_c (text, '\n');
  for (const GOptionEntry *entry = usage->entries; entry->long_name != NULL; entry++)
    append_option (text, entry);
  if (usage->description == NULL)
    return;
  g_string_append (text, ".PP\n.nf\n");
  append_plain (text, usage->description);
  g_string_append (text, g_str_has_suffix (usage->description, "\n") ? ".fi\n" : "\n.fi\n");
}

static void
append_commands (GString *text)
{
  cli_foreach_command (add_command, text);
}

static int
print_manual (G_GNUC_UNUSED int n, G_GNUC_UNUSED char **words)
{
  g_autofree char *titled = fill_frame (cli_manual, "@title@", append_title);
  g_autofree char *page = fill_frame (titled, "@commands@", append_commands);

  fputs (page, stdout);
  return EXIT_OK;
}

const CliUsage cli_man = {
  .parameters = "",
  .summary = "Prints the manual page.",
  .description = "Example:\n  assay man | man -l -\n",
  .entries = cli_no_options,
  .run = print_manual,
};
