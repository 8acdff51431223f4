/* The SVG that gnuplot writes, made fit to stand in a page. */
#include "report/plots/gnuplot.h"

#include <string.h>

/* Patterns that begin with "<" and end within the same tag never meet text: gnuplot writes "<" in
 * text as an entity. Attributes hold no ">". */
static const struct {
  const char *pattern;
  const char *replacement; /* NAME stands for the plot's */
} steps[] = {
  { "<\\?xml[^>]*>\\s*", "" },
  { "<filter\\b.*?</filter>\\s*", "" },
  { "<title>[^<]*</title>\\s*", "" },
  { "<desc>[^<]*</desc>\\s*", "" },
  { "<g\\b[^<>]*>\\s*</g>\\s*", "" },
  { "(<[^<>]*\\bid=['\"])(gp|gnuplot)", "\\1NAME-\\2" },
  { "(<[^<>]*\\bhref=['\"]#)(gp)", "\\1NAME-\\2" },
  /* A disc of the background under each error bar. */
  { "<use\\b[^<>]* color='white'/>\\s*", "" },
  { "(<[^<>]*\\b(?:stroke|fill)=)(['\"])(?:black|rgb\\( *0, *0, *0\\))['\"]",
    "\\1\\2currentColor\\2" },
  /* What is drawn in currentColor takes it from here, so it goes. */
  { "(<[^<>]*) color=(['\"])(?:black|rgb\\( *0, *0, *0\\))\\2", "\\1" },
};

/* A tag may hold a pattern more than once, of which one pass finds the last. */
static char *
replace_all (const char *text, const char *pattern, const char *replacement)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_DOTALL | G_REGEX_OPTIMIZE, 0, NULL);
  char *now = g_strdup (text);

  for (;;) {
    char *next = g_regex_replace (regex, now, -1, 0, replacement, 0, NULL);

    if (next == NULL || g_str_equal (next, now)) {
      g_free (next);
      return now;
    }
    g_free (now);
    now = next;
  }
}

static char *
with_name (const char *replacement, const char *name)
{
  g_auto (GStrv) pieces = g_strsplit (replacement, "NAME", -1);

  return g_strjoinv (name, pieces);
}

/* The title stands first in the element: what a reader of the page is told. */
static char *
insert_title (const char *svg, const char *title)
{
  const char *opened = strstr (svg, "<svg");
  const char *inside = opened != NULL ? strchr (opened, '>') : NULL;
  g_autofree char *words = g_markup_escape_text (title, -1);

  if (inside == NULL || strstr (inside, "</svg>") == NULL)
    return NULL;
  return g_strdup_printf ("%.*s>\n<title>%s</title>%s", (int) (inside - svg), svg, words,
                          inside + 1);
}

char *
assay_plot_clean_svg (const char *raw, const char *name, const char *title)
{
  g_autofree char *now = g_strdup (raw);

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++) {
    g_autofree char *replacement = with_name (steps[i].replacement, name);
    char *next = replace_all (now, steps[i].pattern, replacement);

    g_free (now);
    now = next;
  }
  return insert_title (now, title);
}
