/* What stands behind the numbers of report.html: pictures, controls, what was left out, versions
 * and hashes. */
#include "config.h"
#include "core/base/text.h"
#include "report/exports/exports.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"

/* Pictures beyond these, in bytes, stay beside the page. */
#define MOST_PICTURE (3 << 20)
#define MOST_PICTURES (8 << 20)

/* ---- Pictures ---- */

static void
append_legend (GString *html, const AssayResultSheet *sheet)
{
  g_string_append_printf (html,
                          "<figcaption>%" G_GSIZE_FORMAT " rows. Columns from left to right:\n"
                          "<ol>\n",
                          sheet->n_rows);
  for (guint c = 0; c < sheet->columns->len; c++) {
    g_string_append (html, "<li>");
    assay_html_name (html, ((const AssayResultColumn *) sheet->columns->pdata[c])->says);
    g_string_append (html, "</li>\n");
  }
  g_string_append (html, "</ol></figcaption>\n");
}

static void
append_picture (GString *html, const AssayResultSheet *sheet, GBytes *png, gsize *inout_left)
{
  gsize size;
  const guchar *data = g_bytes_get_data (png, &size);
  g_autofree char *base64 = NULL;

  if (size > MOST_PICTURE || size > *inout_left) {
    g_autofree char *bytes = assay_text_bytes (size);

    g_string_append_printf (html,
                            "<p>Its picture of %s is too large for this page: it stands beside "
                            "it, in <code>pictures/",
                            bytes);
    assay_html_text (html, sheet->name);
    g_string_append (html, ".png</code>.</p>\n");
    return;
  }
  *inout_left -= size;
  base64 = g_base64_encode (data, size);
  g_string_append (html, "<div class=\"wide\" role=\"region\" tabindex=\"0\" "
                         "aria-label=\"Pictures\"><img alt=\"Contact sheet ");
  assay_html_text (html, sheet->name);
  g_string_append_printf (html, "\" src=\"data:image/png;base64,%s\"></div>\n", base64);
}

gboolean
assay_html_sheets (GString *html, const AssayResults *results, GError **error)
{
  gsize left = MOST_PICTURES;

  if (results->sheets->len == 0)
    return TRUE;
  assay_html_begin_section (html, "pictures", "Pictures");
  for (guint i = 0; i < results->sheets->len; i++) {
    const AssayResultSheet *sheet = results->sheets->pdata[i];
    g_autoptr (GBytes) png = NULL;

    g_string_append (html, "<h3>");
    assay_html_name (html, sheet->name);
    g_string_append (html, "</h3>\n");
    if (sheet->columns->len == 0) {
      g_string_append (html, "<p>No cell has any.</p>\n");
      continue;
    }
    png = assay_report_sheet_png (sheet, results->title, error);
    if (png == NULL)
      return FALSE;
    g_string_append (html, "<figure class=\"pictures\">\n");
    append_picture (html, sheet, png, &left);
    append_legend (html, sheet);
    g_string_append (html, "</figure>\n");
  }
  assay_html_end_section (html);
  return TRUE;
}

/* ---- Controls ---- */

static void
append_control (GString *html, const AssayResultControl *control)
{
  g_autofree char *share = assay_html_plain (control->share);
  g_autofree char *at_least = assay_html_plain (control->at_least);

  g_string_append (html, "<tr><td>");
  assay_html_name (html, control->attack->name);
  g_string_append (html, "</td><td>");
  assay_html_text (html, control->says);
  g_string_append_printf (html, "</td><td>%s</td><td class=\"n\">",
                          control->is_won ? "won" : "<strong>lost</strong>");
  assay_html_number (html, control->share, share);
  g_string_append (html, "</td><td class=\"n\">");
  assay_html_number (html, control->at_least, at_least);
  g_string_append_printf (html, "</td><td class=\"n\">%" G_GUINT64_FORMAT "</td></tr>\n",
                          control->n);
}

void
assay_html_controls (GString *html, const AssayResults *results)
{
  const guint n = results->controls->len;
  const guint shown = MIN (n, ASSAY_HTML_MOST_ROWS);

  assay_html_begin_section (html, "controls", "Controls");
  g_string_append (html, "<p>Each attack first plays a case whose answer is known. One that loses "
                         "it decides no claim: that it finds nothing says nothing.</p>\n");
  if (n > 0) {
    assay_html_begin_table (html, NULL, "Controls", "attack|its case|outcome|#found|#needed|#n");
    for (guint i = 0; i < shown; i++)
      append_control (html, &g_array_index (results->controls, AssayResultControl, i));
    assay_html_end_table (html);
    assay_html_say_rest (html, shown, n, "controls", "results.json");
  } else {
    g_string_append (html, "<p>No attack was played.</p>\n");
  }
  assay_html_end_section (html);
}

/* ---- What is not there ---- */

static void
append_exception (GString *html, const char *what, const char *attack_or_utility,
                  const char *defense, const char *trial, const char *why)
{
  g_string_append (html, "<tr><td>");
  assay_html_text (html, what);
  g_string_append (html, "</td><td>");
  assay_html_name (html, attack_or_utility);
  g_string_append (html, "</td><td>");
  assay_html_name (html, defense);
  g_string_append_printf (html, "</td><td class=\"n\">%s</td><td>", trial);
  assay_html_name (html, why);
  g_string_append (html, "</td></tr>\n");
}

/* As many as fit into the table; returns how many there are. */
static gsize
append_exceptions (GString *html, const AssayResults *results)
{
  gsize n = 0;

  for (guint i = 0; i < results->skipped->len; i++) {
    const AssayResultSkip *skip = &g_array_index (results->skipped, AssayResultSkip, i);

    if (n++ < ASSAY_HTML_MOST_ROWS)
      append_exception (html, "skipped pair", skip->attack, skip->defense, "", skip->reason);
  }
  for (guint i = 0; i < results->bad->len; i++) {
    const AssayResultBad *bad = &g_array_index (results->bad, AssayResultBad, i);
    g_autofree char *trial = g_strdup_printf ("%u", bad->trial);

    if (n++ < ASSAY_HTML_MOST_ROWS)
      append_exception (html, assay_result_status_name (bad->status), bad->attack_or_utility->name,
                        bad->defense->name, trial, bad->message);
  }
  for (guint i = 0; i < results->pooled->len; i++) {
    const AssayResultCell *cell = results->pooled->pdata[i];

    for (guint m = 0; m < cell->left_out->len; m++)
      if (n++ < ASSAY_HTML_MOST_ROWS)
        append_exception (html, "measure left out", cell->attack_or_utility->name,
                          cell->defense->name, "", cell->left_out->pdata[m]);
  }
  return n;
}

void
assay_html_exceptions (GString *html, const AssayResults *results)
{
  GString *rows = g_string_new (NULL);
  const gsize n = append_exceptions (rows, results);

  assay_html_begin_section (html, "exceptions", "What was left out");
  if (n > 0) {
    assay_html_begin_table (html, NULL, "What was left out",
                            "what|attack or utility|defense|#trial|why");
    g_string_append (html, rows->str);
    assay_html_end_table (html);
    assay_html_say_rest (html, MIN (n, ASSAY_HTML_MOST_ROWS), n, "rows", "results.json");
  } else {
    g_string_append (html, "<p>Nothing: every pair was played, and every cell ended well.</p>\n");
  }
  g_string_free (rows, TRUE);
  assay_html_end_section (html);
}

/* ---- Versions and data ---- */

static void
append_term (GString *html, const char *term, const char *says)
{
  assay_html_element (html, "dt", term);
  g_string_append (html, "<dd><code>");
  assay_html_name (html, says);
  g_string_append (html, "</code></dd>\n");
}

static void
append_count (GString *html, const char *term, guint64 value)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);

  append_term (html, term, text);
}

static void
append_datasets (GString *html, const AssayResults *results)
{
  const GPtrArray *datasets = results->datasets;
  const guint shown = MIN (datasets->len, ASSAY_HTML_MOST_ROWS);

  assay_html_begin_table (html, NULL, "Datasets", "dataset|SHA-256 of what was drawn from");
  for (guint i = 0; i < shown; i++) {
    const AssayResultComponent *dataset = assay_result_component (datasets, i);

    g_string_append (html, "<tr><td>");
    assay_html_name (html, *dataset->name != '\0' ? dataset->name : dataset->plugin);
    g_string_append (html, "</td><td><code>");
    assay_html_text (html, dataset->sha256 != NULL ? dataset->sha256 : "not opened");
    g_string_append (html, "</code></td></tr>\n");
  }
  assay_html_end_table (html);
  assay_html_say_rest (html, shown, datasets->len, "datasets", "results.json");
}

static void
append_plugins (GString *html, const GArray *plugins)
{
  for (guint i = 0; i < plugins->len; i++) {
    const AssayResultPlugin *plugin = &g_array_index (plugins, AssayResultPlugin, i);
    g_autofree char *term = g_strdup_printf ("SHA-256 of the %s %s, which was not built in",
                                             plugin->type, plugin->id);

    append_term (html, term, plugin->sha256);
  }
}

void
assay_html_provenance (GString *html, const AssayResults *results)
{
  g_autofree char *file = g_path_get_basename (results->scenario);
  g_autofree char *confidence = assay_text_number (results->confidence);

  assay_html_begin_section (html, "provenance", "Versions and data");
  g_string_append (html, "<dl>\n");
  append_term (html, "Assay", ASSAY_VERSION " (" ASSAY_COMMIT ")");
  append_term (html, "scenario", file);
  append_term (html, "its SHA-256", results->scenario_sha256);
  append_term (html, "SHA-256 of the resolved plan", results->plan_sha256);
  append_plugins (html, results->plugins);
  append_count (html, "seed", results->seed);
  append_count (html, "trials", results->trials);
  if (results->secret_groups > 0)
    append_count (html, "groups of secrets a cell", results->secret_groups);
  else
    append_count (html, "secrets a cell", results->secrets);
  append_term (html, "confidence of intervals", confidence);
  append_count (html, "cells", results->n_planned);
  g_string_append (html, "</dl>\n");
  if (results->is_changed)
    g_string_append (html, "<p>Settings were changed by <code>--set</code>: the scenario's file "
                           "alone does not make this run, <a href=\"#settings\">Settings</a> "
                           "has what was used.</p>\n");
  append_datasets (html, results);
  g_string_append (html, "<p>Machine, versions of libraries, threads and times stand in "
                         "<code>run.json</code>: no number here depends on them.</p>\n");
  assay_html_end_section (html);
}
