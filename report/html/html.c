/* report.html from results. */
#include "report/html/html.h"

#include "report/exports/exports.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"

static void
append_navigation (AssayHtml *html, const AssayResults *results, gboolean has_plots,
                   gboolean has_said)
{
  const struct {
    const char *target, *says;
    gboolean is_there;
  } places[] = {
    { "#claims", "Verdicts", TRUE },         { "#pictures", "Pictures", results->sheets->len > 0 },
    { "#plots", "Curves", has_plots },       { "#headlines", "Headline numbers", TRUE },
    { "#pooled", "Every number", TRUE },     { "#controls", "Controls", TRUE },
    { "#said", "What cells say", has_said }, { "#exceptions", "What was left out", TRUE },
    { "#settings", "Settings", TRUE },       { "#provenance", "Versions and data", TRUE },
    { "#cite", "How to cite", TRUE }
  };

  assay_html_say (html, NULL, "<nav aria-label=\"Sections\"><ul>");
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    if (places[i].is_there)
      assay_html_say (html, "li", "<a href=\"%s\">%s</a>", places[i].target, places[i].says);
  assay_html_say (html, NULL, "</ul></nav>");
}

char *
assay_report_html (const AssayResults *results, const GPtrArray *plots, GError **error)
{
  const gboolean has_plots = plots != NULL && plots->len > 0;
  g_autoptr (GPtrArray) said = assay_report_said (results);
  g_autoptr (AssayHtml) html = assay_html_begin_page (results->title);

  assay_html_summary (html, results);
  append_navigation (html, results, has_plots, said->len > 0);
  assay_html_claims (html, results);
  if (!assay_html_contact_sheets (html, results, error))
    return NULL;
  if (has_plots)
    assay_html_plots (html, plots);
  assay_html_grids (html, results);
  assay_html_pooled (html, results);
  assay_html_controls (html, results);
  if (said->len > 0)
    assay_html_said (html, said);
  assay_html_exceptions (html, results);
  assay_html_settings (html, results);
  assay_html_provenance (html, results);
  assay_html_citations (html, results);
  return assay_html_end_page (g_steal_pointer (&html));
}
