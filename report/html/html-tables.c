/* The numbers of report.html: headline measures as grids, and every pooled measurement as a table.
 *
 * A table of many rows stands in the page twice: its first rows as they are, for readers without
 * the script, and all rows as numbers and places in a list of words, from which the script makes
 * one page of rows at a time. 10,000 cells are then a few megabytes, and open at once. */
#include <math.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "report/exports/grid.h"
#include "report/html/html-page.h"
#include "report/html/html-parts.h"

/* Rows of measurements; of more than these only headlines are kept. */
#define MAX_DATA_ROWS 40000
/* A larger grid is no overview. */
#define MAX_GRID_ROWS 80
#define MAX_GRID_COLUMNS 24

/* ---- Grids ---- */

static void
append_grid_cell (AssayHtml *html, const AssayResultCell *cell, const AssayResultComponent *metric,
                  const AssayResultMeasure *measure)
{
  const AssayMeasurement *one = cell != NULL ? assay_result_find_by (cell, measure, metric) : NULL;

  assay_html_open (html, "td.m");
  if (one != NULL)
    assay_html_interval (html, NULL, measure, &one->interval);
  else
    assay_html_text (html, NULL,
                     cell != NULL && assay_result_failed (cell) ? "error" : "\u2013");
  if (one != NULL && cell->status != ASSAY_RESULT_OK)
    assay_html_say (html, NULL, " *%s*", assay_result_status_name (cell->status));
  assay_html_close (html, "td");
}

static void
append_grid (AssayHtml *html, const AssayGrid *grid, const AssayResultComponent *metric,
             const AssayResultMeasure *measure)
{
  g_autoptr (GPtrArray) heads = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (heads, g_strdup ("defense"));
  for (guint c = 0; c < grid->columns.names->len; c++)
    g_ptr_array_add (heads, g_strconcat ("#", grid->columns.names->pdata[c], NULL));
  g_ptr_array_add (heads, NULL);
  assay_html_open_table (html, NULL, measure->name, (const char *const *) heads->pdata);
  for (guint r = 0; r < grid->rows.names->len; r++) {
    assay_html_open_row (html, FALSE);
    assay_html_name (html, "td", grid->rows.names->pdata[r]);
    for (guint c = 0; c < grid->columns.names->len; c++)
      append_grid_cell (html, assay_grid_cell (grid, r, c), metric, measure);
    assay_html_close (html, "tr");
  }
  assay_html_close_table (html, NULL, NULL);
}

/* One measure of one metric with its settings, or (NULL) of a utility with whatever settings. */
static void
append_measure (AssayHtml *html, const AssayResults *results, const AssayResultComponent *metric,
                const AssayResultMeasure *measure)
{
  AssayGrid grid = assay_grid_new (results, metric, measure, ", ");
  const guint n_rows = grid.rows.names->len, n_columns = grid.columns.names->len;

  if (n_rows > 0) {
    assay_html_say (html, "h3", "`%s %s`", measure->name,
                    metric != NULL ? metric->settings->line : "");
    assay_html_say (html, "p.soft", "%s (%s; %s).", measure->help, measure->unit,
                    measure->direction);
  }
  if (n_rows > MAX_GRID_ROWS || n_columns > MAX_GRID_COLUMNS) {
    assay_html_say (html, "p",
                    "%u rows by %u columns are too many to see at once: "
                    "<a href=\"#pooled\">every number</a> can be searched and sorted.",
                    n_rows, n_columns);
  } else if (n_rows > 0) {
    append_grid (html, &grid, metric, measure);
  }
  assay_grid_clear (&grid);
}

/* @metric NULL: the measures are of a utility with whatever settings. */
static void
append_headlines (AssayHtml *html, const AssayResults *results, const AssayResultComponent *metric,
                  const GPtrArray *measures)
{
  g_autoptr (GPtrArray) headlines = assay_grid_headlines (measures);

  ASSAY_FOR_EACH (const AssayResultMeasure, measure, headlines)
    append_measure (html, results, metric, measure);
}

void
assay_html_grids (AssayHtml *html, const AssayResults *results)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  assay_html_open_section (html, "headlines", "Headline numbers");
  ASSAY_FOR_EACH (const AssayResultComponent, metric, results->metrics) {
    append_headlines (html, results, metric, metric->measures);
  }
  ASSAY_FOR_EACH (const AssayResultComponent, utility, results->utilities) {
    if (g_hash_table_add (seen, (gpointer) utility->plugin))
      append_headlines (html, results, NULL, utility->measures);
  }
  assay_html_close (html, "section");
}

/* ---- Every measurement ---- */

/* What one row says: texts, then numbers, then texts. */
typedef struct {
  const char *texts[4];
  double numbers[4];
  const char *more[3];
} Row;

static Row
row_of (const AssayResultCell *cell, const AssayMeasurement *one, const char *measure)
{
  const AssayInterval *interval = &one->interval;

  return (Row){ { *cell->dataset->name != '\0' ? cell->dataset->name : cell->dataset->plugin,
                  cell->defense->name, cell->attack_or_utility->name, measure },
                { interval->estimate, interval->lower, interval->upper, (double) interval->n },
                { one->measure->unit, interval->method, assay_result_status_name (cell->status) } };
}

/* Whole numbers as they are. */
static char *
shown (double value)
{
  return fabs (value) < 1e15 && value == floor (value) ? g_strdup_printf ("%.0f", value)
                                                       : assay_html_plain (value);
}

static void
append_row (AssayHtml *html, const Row *row)
{
  if (!assay_html_open_row (html, FALSE))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (row->texts); i++)
    assay_html_name (html, "td", row->texts[i]);
  for (guint i = 0; i < G_N_ELEMENTS (row->numbers); i++)
    assay_html_number_as (html, "td.n", row->numbers[i], shown (row->numbers[i]));
  for (guint i = 0; i < G_N_ELEMENTS (row->more); i++)
    assay_html_text (html, "td", row->more[i]);
  assay_html_close (html, "tr");
}

static void
append_data_row (GString *rows, AssayNames *words, const Row *row)
{
  g_string_append (rows, rows->len > 0 ? ",\n[" : "[");
  for (guint i = 0; i < G_N_ELEMENTS (row->texts); i++)
    g_string_append_printf (rows, "%u,", assay_names_place (words, row->texts[i]));
  for (guint i = 0; i < G_N_ELEMENTS (row->numbers); i++) {
    g_autofree char *number = shown (row->numbers[i]);

    g_string_append_printf (rows, "%s,", *number != '?' ? number : "null");
  }
  for (guint i = 0; i < G_N_ELEMENTS (row->more); i++)
    g_string_append_printf (rows, "%s%u", i > 0 ? "," : "",
                            assay_names_place (words, row->more[i]));
  g_string_append_c (rows, ']');
}

/* JSON within an element that knows no escapes: nothing in it may look like a tag. */
static void
append_data (AssayHtml *html, const char *rows, const AssayNames *words)
{
  g_autofree char *array = g_strdup_printf ("[%s]", rows);
  AssayJson *json = assay_json_new ();
  g_autofree char *finished = NULL;
  g_autoptr (GString) text = NULL;

  json->is_compact = TRUE;
  assay_json_write (json, "{words [");
  for (guint i = 0; i < words->names->len; i++) {
    g_autofree char *valid = g_utf8_make_valid (words->names->pdata[i], -1);

    assay_json_string (json, valid);
  }
  assay_json_write (json, "] rows");
  assay_json_raw (json, array);
  assay_json_end_object (json);
  finished = assay_json_finish (json);
  text = g_string_new (finished);
  g_string_replace (text, "<", "\\u003c", 0);
  assay_html_say (html, NULL, "<script type=\"application/json\" id=\"measurements-data\">");
  assay_html_raw (html, text->str);
  assay_html_close (html, "script");
}

/* "recovery-rate tau=0.3"; the settings of a utility stand in its own name. */
static char *
name_measure (const AssayResultCell *cell, const AssayMeasurement *one)
{
  return g_strchomp (g_strdup_printf ("%s %s", one->measure->name,
                                      cell->is_utility ? "" : one->metric->settings->line));
}

/* Rows as they are into the table, and as data into @rows. Returns how many there are, more than
 * MAX_DATA_ROWS perhaps. */
static gsize
append_rows (AssayHtml *html, const AssayResults *results, gboolean is_all, GString *rows,
             AssayNames *words)
{
  gsize n = 0;

  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    ASSAY_FOR_EACH_IN (const AssayMeasurement, one, cell->measurements) {
      g_autofree char *name = name_measure (cell, one);
      const Row row = row_of (cell, one, name);

      if ((!is_all && !one->measure->is_headline) || n++ >= MAX_DATA_ROWS)
        continue;
      append_row (html, &row);
      append_data_row (rows, words, &row);
    }
  }
  return n;
}

static void
append_measurements (AssayHtml *html, const AssayResults *results, gboolean is_all)
{
  g_autoptr (GString) rows = g_string_new (NULL);
  AssayNames words = assay_names_new ();
  gsize n, kept;
  g_autofree char *held = NULL;

  assay_html_open_table (html, "measurements", "Every pooled measurement",
                         ASSAY_HTML_HEADS ("dataset", "defense", "attack or utility", "measure",
                                           "#estimate", "#lower", "#upper", "#n", "unit", "method",
                                           "status"));
  n = append_rows (html, results, is_all, rows, &words);
  kept = MIN (n, MAX_DATA_ROWS);
  held = assay_text_count (kept);
  assay_html_close_table (html, NULL, NULL);
  if (kept > ASSAY_HTML_MAX_ROWS) {
    assay_html_say (html, "p.soft.without-script",
                    "Without its script this page shows the first %d of %s rows.",
                    ASSAY_HTML_MAX_ROWS, held);
    append_data (html, rows->str, &words);
  }
  assay_html_say_rest (html, kept, n, "rows", "results.csv");
  assay_names_clear (&words);
}

void
assay_html_pooled (AssayHtml *html, const AssayResults *results)
{
  gsize n = 0;
  g_autofree char *all = NULL;

  for (guint i = 0; i < results->pooled->len; i++)
    n += ((const AssayResultCell *) results->pooled->pdata[i])->measurements->len;
  all = assay_text_count (n);
  assay_html_open_section (html, "pooled", "Every number");
  assay_html_say (html, "p",
                  "Pooled over trials: %s measurements, to four significant digits. `results.csv` "
                  "and `results.json` have them exactly, with every setting.%s",
                  all,
                  n <= MAX_DATA_ROWS ? ""
                                     : " These are too many for one page: only headline measures "
                                       "stand here, and the rest there.");
  append_measurements (html, results, n <= MAX_DATA_ROWS);
  assay_html_close (html, "section");
}
