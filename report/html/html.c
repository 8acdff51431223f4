/* report.html from results. */
#include "report/html/html.h"

#include "core/base/text.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"

void
assay_html_dataset (GString *html, const AssayResultComponent *dataset)
{
  assay_html_name (html, dataset->plugin);
  if (dataset->name != NULL && *dataset->name != '\0') {
    g_string_append_c (html, ' ');
    assay_html_name (html, dataset->name);
  }
}

void
assay_html_begin_section (GString *html, const char *id, const char *heading)
{
  g_string_append_printf (html, "<section id=\"%s\">\n", id);
  assay_html_element (html, "h2", heading);
  g_string_append_c (html, '\n');
}

void
assay_html_end_section (GString *html)
{
  g_string_append (html, "</section>\n");
}

void
assay_html_say_rest (GString *html, gsize shown, gsize n, const char *what, const char *file)
{
  g_autofree char *all = assay_text_count (n);
  g_autofree char *some = assay_text_count (shown);

  if (shown < n)
    g_string_append_printf (html,
                            "<p class=\"soft\">The first %s of %s %s stand here; %s has "
                            "all.</p>\n",
                            some, all, what, file);
}

static void
append_navigation (GString *html, const AssayResults *results, gboolean has_figures)
{
  const struct {
    const char *id, *says;
    gboolean is_there;
  } places[] = { { "claims", "Verdicts", TRUE },
                 { "figures", "Curves", has_figures },
                 { "headlines", "Headline figures", TRUE },
                 { "pooled", "Every figure", TRUE },
                 { "pictures", "Pictures", results->sheets->len > 0 },
                 { "controls", "Controls", TRUE },
                 { "exceptions", "What was left out", TRUE },
                 { "settings", "Settings", TRUE },
                 { "provenance", "Versions and data", TRUE },
                 { "cite", "How to cite", TRUE } };

  g_string_append (html, "<nav aria-label=\"Sections\"><ul>\n");
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    if (places[i].is_there)
      g_string_append_printf (html, "<li><a href=\"#%s\">%s</a></li>\n", places[i].id,
                              places[i].says);
  g_string_append (html, "</ul></nav>\n");
}

char *
assay_report_html (const AssayResults *results, const GPtrArray *figures, GError **error)
{
  const gboolean has_figures = figures != NULL && figures->len > 0;
  GString *html = g_string_new (NULL);

  assay_html_begin (html, results->title);
  assay_html_summary (html, results);
  append_navigation (html, results, has_figures);
  assay_html_claims (html, results);
  if (has_figures)
    assay_html_figures (html, figures);
  assay_html_grids (html, results);
  assay_html_pooled (html, results);
  if (!assay_html_sheets (html, results, error)) {
    g_string_free (html, TRUE);
    return NULL;
  }
  assay_html_controls (html, results);
  assay_html_exceptions (html, results);
  assay_html_settings (html, results);
  assay_html_provenance (html, results);
  assay_html_citations (html, results);
  assay_html_end (html);
  return g_string_free (html, FALSE);
}
