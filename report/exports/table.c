/* The table for a terminal: one block per headline measure, defenses down, attacks across. */
#include <math.h>
#include <string.h>

#include "report/exports/exports.h"

#define GAP 2

static char *
row_name (const AssayResults *results, const AssayResultCell *cell)
{
  if (results->datasets->len == 1)
    return g_strdup (cell->defense->name);
  return g_strdup_printf ("%s,%s", cell->defense->name, cell->dataset->name);
}

static char *
format_number (double value, gboolean is_share)
{
  if (!isfinite (value) || fabs (value) >= G_MAXDOUBLE)
    return g_strdup ("?");
  if (is_share)
    return g_strdup_printf ("%.1f", 100 * value);
  /* Ranks and counts in thousands are read as whole numbers. */
  return fabs (value) >= 1000 && fabs (value) < 1e7 ? g_strdup_printf ("%.0f", value)
                                                    : g_strdup_printf ("%.3g", value);
}

/* "71.3 % [68.2, 74.1]" or "0.142 [0.136, 0.15]". */
static char *
format_measurement (const AssayResultCell *cell, const AssayMeasurement *measurement)
{
  const AssayInterval *interval;
  g_autofree char *estimate = NULL;
  g_autofree char *lower = NULL;
  g_autofree char *upper = NULL;
  gboolean is_share;

  if (measurement == NULL)
    return g_strdup (cell != NULL && cell->status == ASSAY_RESULT_ERROR ? "error" : "-");
  is_share = measurement->measure->is_share;
  interval = &measurement->interval;
  if (measurement->measure->is_epsilon) {
    lower = format_number (interval->lower, FALSE);
    return g_strdup_printf ("> %s%s", lower, cell->status == ASSAY_RESULT_OK ? "" : " !");
  }
  estimate = format_number (interval->estimate, is_share);
  lower = format_number (interval->lower, is_share);
  upper = format_number (interval->upper, is_share);
  return g_strdup_printf ("%s%s [%s, %s]%s", estimate, is_share ? " %" : "", lower, upper,
                          cell->status == ASSAY_RESULT_OK ? "" : " !");
}

static void
append_padded (GString *text, const char *value, gsize width)
{
  const gsize length = (gsize) g_utf8_strlen (value, -1);

  g_string_append (text, value);
  for (gsize i = length; i < width; i++)
    g_string_append_c (text, ' ');
}

/* Names in their order, which may be thousands, and the place of each. */
typedef struct {
  GPtrArray *names;   /* char * */
  GHashTable *places; /* of the names above, to their number */
} Names;

static Names
names_new (void)
{
  return (Names){ g_ptr_array_new_with_free_func (g_free),
                  g_hash_table_new (g_str_hash, g_str_equal) };
}

static void
names_clear (Names *names)
{
  g_hash_table_unref (names->places);
  g_ptr_array_unref (names->names);
}

static void
names_add (Names *names, char *taken)
{
  if (g_hash_table_contains (names->places, taken)) {
    g_free (taken);
    return;
  }
  g_hash_table_insert (names->places, taken, GUINT_TO_POINTER (names->names->len));
  g_ptr_array_add (names->names, taken);
}

static gboolean
names_find (const Names *names, const char *name, guint *ret_place)
{
  gpointer place;

  if (!g_hash_table_lookup_extended (names->places, name, NULL, &place))
    return FALSE;
  *ret_place = GPOINTER_TO_UINT (place);
  return TRUE;
}

/* One block: a grid of texts with a name per row and per column. */
typedef struct {
  GPtrArray *rows;    /* char *, names */
  GPtrArray *columns; /* char *, names */
  GPtrArray *texts;   /* rows x columns, char * or NULL */
} Grid;

static gsize
column_width (const Grid *grid, guint column)
{
  gsize width = (gsize) g_utf8_strlen (grid->columns->pdata[column], -1);

  for (guint r = 0; r < grid->rows->len; r++) {
    const char *value = grid->texts->pdata[r * grid->columns->len + column];

    if (value != NULL)
      width = MAX (width, (gsize) g_utf8_strlen (value, -1));
  }
  return width;
}

static void
append_row (GString *text, const Grid *grid, guint first, guint end, gsize name_width,
            const gsize *widths, const char *name, guint row)
{
  g_string_append (text, "  ");
  append_padded (text, name, name_width);
  for (guint c = first; c < end; c++) {
    const char *value = row == G_MAXUINT ? grid->columns->pdata[c]
                                         : grid->texts->pdata[row * grid->columns->len + c];

    for (guint i = 0; i < GAP; i++)
      g_string_append_c (text, ' ');
    append_padded (text, value != NULL ? value : "-", widths[c]);
  }
  while (text->len > 0 && text->str[text->len - 1] == ' ')
    g_string_truncate (text, text->len - 1);
  g_string_append_c (text, '\n');
}

/* Columns that do not fit beside each other go below. */
static void
append_grid (GString *text, const Grid *grid, guint width)
{
  g_autofree gsize *widths = g_new (gsize, grid->columns->len);
  gsize name_width = 0;
  guint first = 0;

  for (guint c = 0; c < grid->columns->len; c++)
    widths[c] = column_width (grid, c);
  for (guint r = 0; r < grid->rows->len; r++)
    name_width = MAX (name_width, (gsize) g_utf8_strlen (grid->rows->pdata[r], -1));
  while (first < grid->columns->len) {
    gsize used = 2 + name_width + GAP + widths[first];
    guint end = first + 1;

    while (end < grid->columns->len && used + GAP + widths[end] <= width) {
      used += GAP + widths[end];
      end++;
    }
    append_row (text, grid, first, end, name_width, widths, "", G_MAXUINT);
    for (guint r = 0; r < grid->rows->len; r++)
      append_row (text, grid, first, end, name_width, widths, grid->rows->pdata[r], r);
    first = end;
  }
}

/* NULL for @metric: by any. */
static const AssayMeasurement *
find_measurement (const AssayResultCell *cell, const AssayResultComponent *metric, const char *name)
{
  ASSAY_FOR_EACH_IN (const AssayMeasurement, measurement, cell->measurements) {
    if ((metric == NULL || measurement->metric == metric)
        && g_str_equal (measurement->measure->name, name))
      return measurement;
  }
  return NULL;
}

/* Fills the grid with one measure of @metric, or (NULL) of a utility with whatever settings, which
 * has cells of its own; FALSE when no cell has it. */
static gboolean
fill_grid (const AssayResults *results, const AssayResultComponent *metric, const char *name,
           Grid *ret_grid)
{
  Names rows = names_new (), columns = names_new ();
  Grid grid = { g_ptr_array_ref (rows.names), g_ptr_array_ref (columns.names),
                g_ptr_array_new_with_free_func (g_free) };

  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    if (find_measurement (cell, metric, name) == NULL)
      continue;
    names_add (&rows, row_name (results, cell));
    names_add (&columns, g_strdup (cell->attack_or_utility->name));
  }
  g_ptr_array_set_size (grid.texts, (gint) (grid.rows->len * grid.columns->len));
  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    g_autofree char *row_text = row_name (results, cell);
    guint row, column;

    /* An attack or a defense for which the measure means nothing is left out. */
    if (!names_find (&rows, row_text, &row)
        || !names_find (&columns, cell->attack_or_utility->name, &column))
      continue;
    grid.texts->pdata[row * grid.columns->len + column]
        = format_measurement (cell, find_measurement (cell, metric, name));
  }
  names_clear (&rows);
  names_clear (&columns);
  *ret_grid = grid;
  return grid.rows->len > 0;
}

static void
append_measure (GString *text, const AssayResults *results, const AssayResultComponent *metric,
                gboolean is_utility, const AssayResultMeasure *measure, guint width)
{
  const char *settings = is_utility ? "" : metric->settings->line;
  Grid grid;

  if (fill_grid (results, is_utility ? NULL : metric, measure->name, &grid)) {
    g_string_append_printf (text, "\n%s%s%s (%s; %s)\n", measure->name,
                            *settings != '\0' ? " " : "", settings, measure->unit,
                            measure->direction);
    append_grid (text, &grid, width);
  }
  g_ptr_array_unref (grid.rows);
  g_ptr_array_unref (grid.columns);
  g_ptr_array_unref (grid.texts);
}

/* " neighbours=100 averaged=3": what was chosen of "neighbours=100;1000 averaged=3;10". */
static void
append_chosen (GString *text, const AssayResultComponent *attack)
{
  g_auto (GStrv) keys = g_strsplit (attack->tuned, " ", -1);

  for (guint k = 0; keys[k] != NULL; k++) {
    *strchrnul (keys[k], '=') = '\0';
    for (gsize i = 0; i < attack->settings->n; i++)
      if (g_str_equal (attack->settings->all[i].name, keys[k]))
        g_string_append_printf (text, " %s=%s", keys[k], attack->settings->all[i].value);
  }
}

/* What tuning chose, and what did not go well. */
static void
append_notes (GString *text, const AssayResults *results)
{

  for (guint i = 0; i < results->tunings->len; i++) {
    const AssayResultTuning *tuning = &g_array_index (results->tunings, AssayResultTuning, i);

    g_string_append_printf (text, "%s%s tuned against %s:", i == 0 ? "\n" : "",
                            tuning->attack->label, tuning->defense->name);
    append_chosen (text, tuning->attack);
    g_string_append_c (text, '\n');
  }
  for (guint i = 0; i < results->skipped->len; i++) {
    const AssayResultSkip *skip = &g_array_index (results->skipped, AssayResultSkip, i);

    g_string_append_printf (text, "%sskipped: %s against %s: %s\n", i == 0 ? "\n" : "",
                            skip->attack, skip->defense, skip->reason);
  }
  ASSAY_FOR_EACH_IN (const AssayResultBad, bad, results->bad) {
    g_string_append_printf (text, "\n%s: %s against %s, trial %u: %s\n",
                            assay_result_status_name (bad->status), bad->attack_or_utility->label,
                            bad->defense->label, bad->trial, bad->message);
  }
  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    for (guint m = 0; m < cell->omitted->len; m++)
      g_string_append_printf (text, "\n%s against %s: %s\n", cell->attack_or_utility->label,
                              cell->defense->label, (const char *) cell->omitted->pdata[m]);
  }
}

/* A title comes from a file: control characters would reach the terminal. */
static void
append_plain (GString *text, const char *title)
{
  for (; *title != '\0'; title = g_utf8_next_char (title)) {
    const gunichar c = g_utf8_get_char (title);

    g_string_append_unichar (text, g_unichar_iscntrl (c) ? ' ' : c);
  }
}

/* The pair of inputs and the event that tells them apart. */
static void
append_audit_witness (GString *text, const AssayResultClaim *result)
{
  const AssayResultWitness *witness = &result->witness;

  g_string_append (text, "  witness: ");
  append_plain (text, witness->audit->says);
  g_string_append_printf (text,
                          ", in cell %s (trial %" G_GINT64_FORMAT
                          "); 'assay run SCENARIO --witness %s' replays it\n",
                          witness->cell, witness->trial, result->id);
}

/* The verdicts stand last, where a terminal shows them. */
static void
append_claims (GString *text, const AssayResults *results)
{
  ASSAY_FOR_EACH (const AssayResultClaim, result, results->claims) {
    g_string_append_printf (text, "\n%s: claim %s", assay_verdict_name (result->verdict),
                            result->id);
    if (result->says != NULL) {
      g_string_append (text, " - ");
      append_plain (text, result->says);
    }
    g_string_append_printf (text, "\n  %s\n", result->reason);
    if (result->witness.is_set && result->witness.audit != NULL)
      append_audit_witness (text, result);
    else if (result->witness.is_set)
      g_string_append_printf (
          text,
          "  witness: secret %" G_GUINT64_FORMAT " of cell %s (trial %" G_GINT64_FORMAT
          "); 'assay run SCENARIO --witness %s' replays it\n",
          result->witness.secret, result->witness.cell, result->witness.trial, result->id);
  }
}

static void
append_headlines (GString *text, const AssayResults *results, const AssayResultComponent *metric,
                  gboolean is_utility, guint width)
{
  ASSAY_FOR_EACH (const AssayResultMeasure, measure, metric->measures) {
    if (measure->is_headline)
      append_measure (text, results, metric, is_utility, measure, width);
  }
}

/* Each plugin once: its settings stand side by side. */
static void
append_utilities (GString *text, const AssayResults *results, guint width)
{
  const GPtrArray *utilities = results->utilities;

  for (guint i = 0; i < utilities->len; i++) {
    const AssayResultComponent *utility = assay_result_component (utilities, i);
    gboolean is_first = TRUE;

    for (guint j = 0; j < i; j++)
      is_first &= !g_str_equal (assay_result_component (utilities, j)->plugin, utility->plugin);
    if (is_first)
      append_headlines (text, results, utility, TRUE, width);
  }
}

char *
assay_report_table (const AssayResults *results, guint width)
{
  GString *text = g_string_new (NULL);

  append_plain (text, results->title);
  g_string_append_printf (text, "\nseed %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " trial%s",
                          results->seed, results->trials, results->trials == 1 ? "" : "s");
  g_string_append (text, results->size);
  g_string_append_printf (text, ", %g %% intervals\n", 100 * results->confidence);
  for (guint i = 0; i < results->metrics->len; i++)
    append_headlines (text, results, assay_result_component (results->metrics, i), FALSE, width);
  append_utilities (text, results, width);
  append_notes (text, results);
  append_claims (text, results);
  return g_string_free (text, FALSE);
}
