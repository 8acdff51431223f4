/* What stands behind the numbers of report.html: controls, what was left out, versions
 * and hashes. */
#include "config.h"
#include "core/base/text.h"
#include "report/exports/exports.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"

/* ---- Controls ---- */

static void
append_control (AssayHtml *html, const AssayResultControl *control)
{
  if (!assay_html_open_row (html, FALSE))
    return;
  assay_html_say (html, NULL,
                  control->is_won ? "<td>{%s}</td><td>%s</td><td>won</td>"
                                  : "<td>{%s}</td><td>%s</td><td>*lost*</td>",
                  control->attack->name, control->says);
  assay_html_number (html, "td.n", control->share);
  assay_html_number (html, "td.n", control->at_least);
  assay_html_say (html, NULL, "<td.n>%" G_GUINT64_FORMAT "</td></tr>", control->n);
}

void
assay_html_controls (AssayHtml *html, const AssayResults *results)
{
  assay_html_open_section (html, "controls", "Controls");
  assay_html_text (html, "p",
                   "Each attack first plays a case whose answer is known. One that loses it "
                   "decides no claim: that it finds nothing says nothing.");
  if (results->controls->len > 0) {
    assay_html_open_table (
        html, NULL, "Controls",
        ASSAY_HTML_HEADS ("attack", "its case", "outcome", "#found", "#needed", "#n"));
    for (guint i = 0; i < results->controls->len; i++)
      append_control (html, &g_array_index (results->controls, AssayResultControl, i));
    assay_html_close_table (html, "controls", "results.json");
  } else {
    assay_html_text (html, "p", "No attack was played.");
  }
  assay_html_close (html, "section");
}

/* ---- What cells say ---- */

void
assay_html_said (AssayHtml *html, const GPtrArray *said)
{
  assay_html_open_section (html, "said", "What cells say");
  assay_html_text (html, "p",
                   "How attacks came to their guesses, and what has to be known of releases and of "
                   "figures; of several trials what the first has to say.");
  assay_html_open_table (html, NULL, "What cells say",
                         ASSAY_HTML_HEADS ("attack or utility", "defense", "says"));
  ASSAY_FOR_EACH (const AssayReportSaid, one, said) {
    if (assay_html_open_row (html, FALSE))
      assay_html_say (html, NULL, "<td>{%s}</td><td>{%s}</td><td>{%s}</td></tr>", one->attacks->str,
                      one->defense, one->message);
  }
  assay_html_close_table (html, "messages", "results.json");
  assay_html_close (html, "section");
}

/* ---- What is not there ---- */

static gboolean
has_exceptions (const AssayResults *results)
{
  gsize n = results->skipped->len + results->bad->len;

  for (guint i = 0; i < results->pooled->len; i++)
    n += ((const AssayResultCell *) results->pooled->pdata[i])->omitted->len;
  return n > 0;
}

static void
append_exception (AssayHtml *html, const char *what, const char *attack_or_utility,
                  const char *defense, const char *trial, const char *why)
{
  if (assay_html_open_row (html, FALSE))
    assay_html_say (html, NULL,
                    "<td>%s</td><td>{%s}</td><td>{%s}</td><td.n>%s</td><td>{%s}</td></tr>", what,
                    attack_or_utility, defense, trial, why);
}

static void
append_exceptions (AssayHtml *html, const AssayResults *results)
{
  ASSAY_FOR_EACH_IN (const AssaySkip, skip, results->skipped) {
    append_exception (html, "skipped pair", skip->attack, skip->defense, "", skip->reason);
  }
  ASSAY_FOR_EACH_IN (const AssayResultBad, bad, results->bad) {
    g_autofree char *trial = g_strdup_printf ("%u", bad->trial);

    append_exception (html, assay_result_status_name (bad->status), bad->attack_or_utility->name,
                      bad->defense->name, trial, bad->message);
  }
  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    for (guint m = 0; m < cell->omitted->len; m++)
      append_exception (html, "measure left out", cell->attack_or_utility->name,
                        cell->defense->name, "", cell->omitted->pdata[m]);
  }
}

void
assay_html_exceptions (AssayHtml *html, const AssayResults *results)
{
  assay_html_open_section (html, "exceptions", "What was left out");
  if (has_exceptions (results)) {
    assay_html_open_table (
        html, NULL, "What was left out",
        ASSAY_HTML_HEADS ("what", "attack or utility", "defense", "#trial", "why"));
    append_exceptions (html, results);
    assay_html_close_table (html, "rows", "results.json");
  } else {
    assay_html_text (html, "p", "Nothing: every pair was played, and every cell ended well.");
  }
  assay_html_close (html, "section");
}

/* ---- Versions and data ---- */

static void
append_term (AssayHtml *html, const char *term, const char *says)
{
  assay_html_say (html, NULL, "<dt>%s</dt><dd>`{%s}`</dd>", term, says);
}

static void
append_count (AssayHtml *html, const char *term, guint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);

  append_term (html, term, text);
}

static void
append_warnings (AssayHtml *html, const AssayResults *results)
{
  g_autofree char *warnings = assay_report_warnings (results);
  g_auto (GStrv) lines = g_strsplit (warnings, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0')
      assay_html_text (html, "p", lines[i]);
}

static void
append_sealed_claims (AssayHtml *html, const AssayResults *results)
{
  g_auto (GStrv) lines = results->claims_text != NULL ? g_strsplit (results->claims_text, "\n", -1)
                                                      : NULL;

  for (guint i = 0; lines != NULL && lines[i] != NULL; i++)
    if (*lines[i] != '\0')
      append_term (html, i == 0 ? "what they said, a line each" : "", lines[i]);
}

static void
append_datasets (AssayHtml *html, const GPtrArray *datasets)
{
  assay_html_open_table (html, NULL, "Datasets",
                         ASSAY_HTML_HEADS ("dataset", "SHA-256 of what was drawn from"));
  ASSAY_FOR_EACH (const AssayResultComponent, dataset, datasets) {
    if (assay_html_open_row (html, FALSE))
      assay_html_say (html, NULL, "<td>{%s}</td><td>`%s`</td></tr>",
                      *dataset->name != '\0' ? dataset->name : dataset->plugin,
                      dataset->sha256 != NULL ? dataset->sha256 : "not opened");
  }
  assay_html_close_table (html, "datasets", "results.json");
}

static void
append_plugins (AssayHtml *html, const GArray *plugins)
{
  ASSAY_FOR_EACH_IN (const AssayLoaded, plugin, plugins) {
    g_autofree char *term = g_strdup_printf ("SHA-256 of the %s %s, which was not built in",
                                             plugin->type, plugin->id);

    append_term (html, term, plugin->sha256);
  }
}

void
assay_html_provenance (AssayHtml *html, const AssayResults *results)
{
  g_autofree char *file = g_path_get_basename (results->scenario);
  g_autofree char *confidence = assay_text_number (results->confidence);

  assay_html_open_section (html, "provenance", "Versions and data");
  assay_html_open (html, "dl");
  append_term (html, "Assay", ASSAY_VERSION " (" ASSAY_COMMIT ")");
  append_term (html, "scenario", file);
  append_term (html, "its SHA-256", results->scenario_sha256);
  append_term (html, "SHA-256 of the resolved plan", results->plan_sha256);
  append_term (html, "SHA-256 of the claims before the first cell",
               results->claims_sha256 != NULL ? results->claims_sha256 : "none");
  append_sealed_claims (html, results);
  append_count (html, "run of this scenario in its folder, number", results->serial);
  append_plugins (html, results->plugins);
  append_count (html, "seed", results->seed);
  append_count (html, "trials", results->trials);
  if (results->secret_groups > 0)
    append_count (html, "groups of secrets a cell", results->secret_groups);
  else
    append_count (html, "secrets a cell", results->secrets);
  append_term (html, "confidence of intervals", confidence);
  append_count (html, "cells", results->n_planned);
  assay_html_close (html, "dl");
  if (results->is_changed)
    assay_html_say (html, "p",
                    "Settings were changed by `--set`: the scenario's file alone does not make "
                    "this run, <a href=\"#settings\">Settings</a> has what was used.");
  append_datasets (html, results->datasets);
  append_warnings (html, results);
  assay_html_say (html, "p",
                  "Machine, versions of libraries, threads and times stand in `run.json`: no "
                  "number here depends on them.");
  assay_html_close (html, "section");
}
