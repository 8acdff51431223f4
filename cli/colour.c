/* Colours for people at a terminal: the words that lines of a report begin with. Whoever reads
 * standard output otherwise (a file, a pipe, NO_COLOR, see no-color.org, or TERM=dumb) gets the
 * text as it is. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/base/text.h"

static const struct {
  const char *word;
  const char *code; /* of ANSI's SGR */
} colours[] = {
  { "violated:", "1;31" },   { "inconclusive:", "1;33" },   { "upheld:", "1;32" },
  { "unrefuted:", "1;36" },  { "error:", "1;31" },          { "crashed:", "1;31" },
  { "unfinished:", "1;33" }, { "control-failed:", "1;33" }, { "skipped:", "2" },
};

char *
cli_coloured (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *coloured = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL; i++) {
    const char *line = lines[i];

    if (i > 0)
      g_string_append_c (coloured, '\n');
    for (guint c = 0; c < G_N_ELEMENTS (colours); c++)
      if (g_str_has_prefix (line, colours[c].word)) {
        g_string_append_printf (coloured, "\033[%sm%s\033[0m", colours[c].code, colours[c].word);
        line += strlen (colours[c].word);
        break;
      }
    g_string_append (coloured, line);
  }
  return g_string_free (coloured, FALSE);
}

static gboolean
is_coloured (void)
{
  const char *refused = g_getenv ("NO_COLOR"), *terminal = g_getenv ("TERM");

  return isatty (STDOUT_FILENO) && (refused == NULL || *refused == '\0')
         && g_strcmp0 (terminal, "dumb") != 0;
}

#define AGAIN "; again: "

/* Results say how a witness is played again in the same words wherever they were made; here by the
 * name that can be typed. */
static char *
with_name (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, AGAIN "assay ", -1);
  g_autofree char *between = g_strdup_printf (AGAIN "%s ", cli_name ());

  return g_strjoinv (between, parts);
}

void
cli_print (const char *text)
{
  g_autofree char *plain = assay_text_plain_lines (text);
  g_autofree char *named = with_name (plain);
  g_autofree char *coloured = is_coloured () ? cli_coloured (named) : g_strdup (named);

  fputs (coloured, stdout);
}
