/* Every setting of a run, what tuning chose, and where the methods come from. */
#include "core/base/text.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"

/* "variant = hybrid, dimension = 4": defaults too. */
static void
append_settings (GString *html, const AssayResultSettings *settings)
{
  for (gsize i = 0; i < settings->n; i++) {
    if (i > 0)
      g_string_append (html, ", ");
    assay_html_text (html, settings->all[i].name);
    g_string_append (html, "&nbsp;= ");
    assay_html_name (html, settings->all[i].value);
  }
  if (settings->n == 0)
    g_string_append (html, "\u2013");
}

static void
append_component (GString *html, const AssayResultComponent *component, gboolean is_attack)
{
  g_string_append (html, "<tr><td>");
  assay_html_name (html, *component->name != '\0' ? component->name : component->plugin);
  g_string_append (html, "</td><td>");
  assay_html_text (html, component->plugin);
  g_string_append (html, "</td><td>");
  append_settings (html, component->settings);
  if (component->tuned != NULL) {
    g_string_append (html, "; tuned: ");
    assay_html_text (html, component->tuned);
  }
  if (is_attack) {
    g_string_append (html, "</td><td>");
    assay_html_text (html, *component->knows != '\0' ? component->knows : "nothing");
  }
  g_string_append (html, "</td></tr>\n");
}

static void
append_components (GString *html, const GPtrArray *components, const char *heading,
                   gboolean is_attack)
{
  const guint shown = MIN (components->len, ASSAY_HTML_MOST_ROWS);

  if (components->len == 0)
    return;
  assay_html_element (html, "h3", heading);
  assay_html_begin_table (html, NULL, heading,
                          is_attack ? "name|plugin|settings|knows beside the release"
                                    : "name|plugin|settings");
  for (guint i = 0; i < shown; i++)
    append_component (html, assay_result_component (components, i), is_attack);
  assay_html_end_table (html);
  assay_html_say_rest (html, shown, components->len, "rows", "results.json");
}

static void
append_candidate (GString *html, const AssayResultTuning *tuning, guint candidate)
{
  g_autofree char *shown = assay_html_plain (tuning->estimates[candidate]);
  const gboolean is_chosen = candidate == tuning->attack->candidate;

  g_string_append (html, is_chosen ? "<tr class=\"best\"><td>" : "<tr><td>");
  assay_html_name (html, tuning->attack->label);
  g_string_append (html, "</td><td>");
  assay_html_name (html, tuning->defense->name);
  g_string_append (html, "</td><td>");
  append_settings (html, assay_result_component (tuning->candidates, candidate)->settings);
  g_string_append (html, "</td><td>");
  assay_html_text (html, tuning->measure);
  g_string_append (html, "</td><td class=\"n\">");
  assay_html_number (html, tuning->estimates[candidate], shown);
  g_string_append_printf (html, "</td><td>%s</td></tr>\n", is_chosen ? "chosen" : "");
}

static void
append_tunings (GString *html, const AssayResults *results)
{
  gsize n = 0;

  if (results->tunings->len == 0)
    return;
  g_string_append_printf (html,
                          "<h3>Tuning</h3>\n<p>Chosen on %" G_GUINT64_FORMAT " secrets that were "
                          "set apart, and measured on others.</p>\n",
                          results->tune_secrets);
  assay_html_begin_table (html, NULL, "Tuning",
                          "attack|defense|settings|by the measure|#estimate|chosen");
  for (guint i = 0; i < results->tunings->len; i++) {
    const AssayResultTuning *tuning = &g_array_index (results->tunings, AssayResultTuning, i);

    for (guint c = 0; c < tuning->n_candidates; c++)
      if (n++ < ASSAY_HTML_MOST_ROWS)
        append_candidate (html, tuning, c);
  }
  assay_html_end_table (html);
  assay_html_say_rest (html, MIN (n, ASSAY_HTML_MOST_ROWS), n, "rows", "results.json");
}

void
assay_html_settings (GString *html, const AssayResults *results)
{

  assay_html_begin_section (html, "settings", "Settings");
  g_string_append (html, "<p>Every value that was used, defaults included.</p>\n");
  append_components (html, results->datasets, "Datasets", FALSE);
  append_components (html, results->defenses, "Defenses", FALSE);
  append_components (html, results->attacks, "Attacks", TRUE);
  append_components (html, results->utilities, "Utilities", FALSE);
  append_components (html, results->metrics, "Metrics", FALSE);
  append_tunings (html, results);
  assay_html_end_section (html);
}

/* ---- Citations ---- */

static void
append_citation (GString *html, const AssayResultComponent *component)
{
  if (component->work == NULL)
    return;
  g_string_append (html, "<li>");
  assay_html_name (html, component->work);
  if (component->place != NULL) {
    g_string_append (html, ", ");
    assay_html_name (html, component->place);
  }
  g_string_append (html, " <span class=\"soft\">(");
  assay_html_text (html, component->plugin);
  g_string_append (html, ")</span></li>\n");
}

void
assay_html_citations (GString *html, const AssayResults *results)
{
  const GPtrArray *const kinds[] = { results->datasets, results->defenses, results->attacks,
                                     results->utilities, results->metrics };
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  assay_html_begin_section (html, "cite", "How to cite");
  g_string_append (html, "<p>What was played here, and where it comes from; the files of the run "
                         "(<code>results.json</code>, <code>run.json</code>) say with what.</p>\n"
                         "<ul>\n");
  if (results->reference != NULL) {
    g_string_append (html, "<li>");
    assay_html_name (html, results->reference);
    g_string_append (html, " <span class=\"soft\">(the scenario)</span></li>\n");
  }
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (guint i = 0; i < kinds[k]->len; i++) {
      const AssayResultComponent *component = assay_result_component (kinds[k], i);

      if (g_hash_table_add (seen, (gpointer) component->plugin))
        append_citation (html, component);
    }
  g_string_append (html, "</ul>\n");
  assay_html_end_section (html);
}
