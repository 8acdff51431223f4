/* Every setting of a run, what tuning chose, and where the methods come from. */
#include "report/html/html-page.h"
#include "report/html/html-parts.h"

/* A dataset by its plugin and what varies: "scenes noise=3". */
void
assay_html_dataset (AssayHtml *html, const AssayResultComponent *dataset)
{
  assay_html_name (html, NULL, dataset->plugin);
  if (dataset->name != NULL && *dataset->name != '\0')
    assay_html_say (html, NULL, " {%s}", dataset->name);
}

/* "variant = hybrid, dimension = 4": defaults too. */
static void
append_settings (AssayHtml *html, const AssayResultSettings *settings)
{
  for (gsize i = 0; i < settings->n; i++)
    assay_html_say (html, NULL, "%s%s\u00a0= {%s}", i > 0 ? ", " : "", settings->all[i].name,
                    settings->all[i].value);
  if (settings->n == 0)
    assay_html_text (html, NULL, "\u2013");
}

static void
append_component (AssayHtml *html, const AssayResultComponent *component, gboolean is_attack)
{
  if (!assay_html_open_row (html, FALSE))
    return;
  assay_html_say (html, NULL, "<td>{%s}</td><td>%s</td><td>",
                  *component->name != '\0' ? component->name : component->plugin,
                  component->plugin);
  append_settings (html, component->settings);
  if (component->tuned != NULL)
    assay_html_say (html, NULL, "; tuned: %s", component->tuned);
  if (component->remark != NULL)
    assay_html_say (html, NULL, " <span.soft>(%s)</span>", component->remark);
  assay_html_close (html, "td");
  if (is_attack)
    assay_html_text (html, "td", *component->knows != '\0' ? component->knows : "nothing");
  assay_html_close (html, "tr");
}

static void
append_components (AssayHtml *html, const GPtrArray *components, const char *heading,
                   gboolean is_attack)
{
  if (components->len == 0)
    return;
  assay_html_text (html, "h3", heading);
  assay_html_open_table (html, NULL, heading,
                         ASSAY_HTML_HEADS ("name", "plugin", "settings",
                                           is_attack ? "knows beside the release" : NULL));
  for (guint i = 0; i < components->len; i++)
    append_component (html, assay_result_component (components, i), is_attack);
  assay_html_close_table (html, "rows", "results.json");
}

static void
append_candidate (AssayHtml *html, const AssayResultTuning *tuning, guint candidate)
{
  const gboolean is_chosen = candidate == tuning->attack->candidate;

  if (!assay_html_open_row (html, is_chosen))
    return;
  assay_html_say (html, NULL, "<td>{%s}</td><td>{%s}</td><td>", tuning->attack->label,
                  tuning->defense->name);
  append_settings (html, assay_result_component (tuning->candidates, candidate)->settings);
  assay_html_say (html, NULL, "</td><td>%s</td>", tuning->measure);
  assay_html_number (html, "td.n", tuning->estimates[candidate]);
  assay_html_say (html, NULL, "<td>%s</td></tr>", is_chosen ? "chosen" : "");
}

static void
append_tunings (AssayHtml *html, const AssayResults *results)
{
  if (results->tunings->len == 0)
    return;
  assay_html_text (html, "h3", "Tuning");
  assay_html_say (html, "p",
                  "Chosen on %" G_GUINT64_FORMAT " secrets that were set apart, and measured on "
                  "others.",
                  results->tune_secrets);
  assay_html_open_table (
      html, NULL, "Tuning",
      ASSAY_HTML_HEADS ("attack", "defense", "settings", "by the measure", "#estimate", "chosen"));
  ASSAY_FOR_EACH_IN (const AssayResultTuning, tuning, results->tunings) {
    for (guint c = 0; c < tuning->n_candidates; c++)
      append_candidate (html, tuning, c);
  }
  assay_html_close_table (html, "rows", "results.json");
}

void
assay_html_settings (AssayHtml *html, const AssayResults *results)
{
  assay_html_open_section (html, "settings", "Settings");
  assay_html_text (html, "p", "Every value that was used, defaults included.");
  append_components (html, results->datasets, "Datasets", FALSE);
  append_components (html, results->defenses, "Defenses", FALSE);
  append_components (html, results->attacks, "Attacks", TRUE);
  append_components (html, results->utilities, "Utilities", FALSE);
  append_components (html, results->metrics, "Metrics", FALSE);
  append_tunings (html, results);
  assay_html_close (html, "section");
}

/* ---- Citations ---- */

void
assay_html_citations (AssayHtml *html, const AssayResults *results)
{
  const GPtrArray *const kinds[] = { results->datasets, results->defenses, results->attacks,
                                     results->utilities, results->metrics };
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  assay_html_open_section (html, "cite", "How to cite");
  assay_html_say (html, "p",
                  "What was played here, and where it comes from; the files of the run "
                  "(`results.json`, `run.json`) say with what.");
  assay_html_open (html, "ul");
  if (results->reference != NULL)
    assay_html_say (html, "li", "{%s} <span.soft>(the scenario)</span>", results->reference);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    ASSAY_FOR_EACH (const AssayResultComponent, component, kinds[k]) {
      if (g_hash_table_add (seen, (gpointer) component->plugin) && component->work != NULL)
        assay_html_say (html, "li", "{%s}, {%s} <span.soft>(%s)</span>", component->work,
                        component->place, component->plugin);
    }
  assay_html_close (html, "ul");
  assay_html_close (html, "section");
}
