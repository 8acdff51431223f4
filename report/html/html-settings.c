/* Every setting of a run, what tuning chose, and where the methods come from. */
#include "core/base/text.h"
#include "core/data/grant.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"

/* "variant = hybrid, dimension = 4": defaults too. */
static void
append_settings (GString *html, const AssaySettings *settings)
{
  gboolean is_first = TRUE;

  for (const AssayParam *param = settings->table; param != NULL && param->name != NULL; param++) {
    g_autofree char *value = assay_settings_get (settings, param);

    if (!is_first)
      g_string_append (html, ", ");
    assay_html_text (html, param->name);
    g_string_append (html, "&nbsp;= ");
    assay_html_name (html, value);
    is_first = FALSE;
  }
  if (is_first)
    g_string_append (html, "\u2013");
}

static void
append_part (GString *html, const AssayPart *part, gboolean is_attack)
{
  g_string_append (html, "<tr><td>");
  assay_html_name (html, assay_html_part_name (part));
  g_string_append (html, "</td><td>");
  assay_html_text (html, part->plugin->id);
  g_string_append (html, "</td><td>");
  append_settings (html, part->settings);
  if (part->tuned_keys != NULL) {
    g_string_append (html, "; tuned: ");
    assay_html_text (html, part->tuned_keys);
  }
  if (is_attack) {
    g_autofree char *grants = assay_grants_describe (part->grants);

    g_string_append (html, "</td><td>");
    assay_html_text (html, *grants != '\0' ? grants : "nothing");
  }
  g_string_append (html, "</td></tr>\n");
}

static void
append_parts (GString *html, const GPtrArray *parts, const char *heading, gboolean is_attack)
{
  const guint shown = MIN (parts->len, ASSAY_HTML_MOST_ROWS);

  if (parts->len == 0)
    return;
  assay_html_element (html, "h3", heading);
  assay_html_begin_table (html, NULL, heading,
                          is_attack ? "name|plugin|settings|knows beside the release"
                                    : "name|plugin|settings");
  for (guint i = 0; i < shown; i++)
    append_part (html, assay_plan_part (parts, i), is_attack);
  assay_html_end_table (html);
  assay_html_say_rest (html, shown, parts->len, "rows", "results.json");
}

static void
append_candidate (GString *html, const AssayResultTuning *tuning, guint candidate)
{
  g_autofree char *shown = assay_html_plain (tuning->estimates[candidate]);
  const gboolean is_chosen = candidate == tuning->chosen;

  g_string_append (html, is_chosen ? "<tr class=\"best\"><td>" : "<tr><td>");
  assay_html_name (html, tuning->attack.label);
  g_string_append (html, "</td><td>");
  assay_html_name (html, tuning->defense.name);
  g_string_append (html, "</td><td>");
  append_settings (html, tuning->candidates->pdata[candidate]);
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
                          results->plan->tune_secrets);
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
  const AssayPlan *plan = results->plan;

  assay_html_begin_section (html, "settings", "Settings");
  g_string_append (html, "<p>Every value that was used, defaults included.</p>\n");
  append_parts (html, plan->datasets, "Datasets", FALSE);
  append_parts (html, plan->defenses, "Defenses", FALSE);
  append_parts (html, plan->attacks, "Attacks", TRUE);
  append_parts (html, plan->utilities, "Utilities", FALSE);
  append_parts (html, plan->metrics, "Metrics", FALSE);
  append_tunings (html, results);
  assay_html_end_section (html);
}

/* ---- Citations ---- */

static void
append_citation (GString *html, const AssayPlugin *plugin)
{
  if (plugin->reference.work == NULL)
    return;
  g_string_append (html, "<li>");
  assay_html_name (html, plugin->reference.work);
  if (plugin->reference.place != NULL) {
    g_string_append (html, ", ");
    assay_html_name (html, plugin->reference.place);
  }
  g_string_append (html, " <span class=\"soft\">(");
  assay_html_text (html, plugin->id);
  g_string_append (html, ")</span></li>\n");
}

void
assay_html_citations (GString *html, const AssayResults *results)
{
  const AssayPlan *plan = results->plan;
  const GPtrArray *const kinds[]
      = { plan->datasets, plan->defenses, plan->attacks, plan->utilities, plan->metrics };
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  assay_html_begin_section (html, "cite", "How to cite");
  g_string_append (html, "<p>What was played here, and where it comes from; the files of the run "
                         "(<code>results.json</code>, <code>run.json</code>) say with what.</p>\n"
                         "<ul>\n");
  if (plan->reference != NULL) {
    g_string_append (html, "<li>");
    assay_html_name (html, plan->reference);
    g_string_append (html, " <span class=\"soft\">(the scenario)</span></li>\n");
  }
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (guint i = 0; i < kinds[k]->len; i++) {
      const AssayPlugin *plugin = assay_plan_part (kinds[k], i)->plugin;

      if (g_hash_table_add (seen, (gpointer) plugin))
        append_citation (html, plugin);
    }
  g_string_append (html, "</ul>\n");
  assay_html_end_section (html);
}
