/* The table for a terminal: one block per headline measure, defenses down, attacks across. */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "report/report.h"
#include "runner/plan/claim.h"

#define GAP 2

static char *
row_name (const AssayPlan *plan, const AssayResultCell *cell)
{
  if (plan->datasets->len == 1)
    return g_strdup (cell->defense.name);
  return g_strdup_printf ("%s,%s", cell->defense.name, cell->dataset.name);
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
    return g_strdup (cell != NULL && cell->status == ASSAY_CELL_ERROR ? "error" : "-");
  is_share = measurement->measure->high <= 1
             && g_str_has_prefix (measurement->measure->unit, "share");
  interval = &measurement->interval;
  if (measurement->measure->statistic == ASSAY_STATISTIC_EPSILON) {
    lower = format_number (interval->lower, FALSE);
    return g_strdup_printf ("> %s%s", lower, cell->status == ASSAY_CELL_OK ? "" : " !");
  }
  estimate = format_number (interval->estimate, is_share);
  lower = format_number (interval->lower, is_share);
  upper = format_number (interval->upper, is_share);
  return g_strdup_printf ("%s%s [%s, %s]%s", estimate, is_share ? " %" : "", lower, upper,
                          cell->status == ASSAY_CELL_OK ? "" : " !");
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

/* @settings: those of the measurement's metric; NULL: any. */
static const AssayMeasurement *
find_measurement (const AssayResultCell *cell, const AssaySettings *settings, const char *name)
{
  for (guint m = 0; m < cell->measurements->len; m++) {
    const AssayMeasurement *measurement = &g_array_index (cell->measurements, AssayMeasurement, m);

    if ((settings == NULL || measurement->settings == settings)
        && g_str_equal (measurement->measure->name, name))
      return measurement;
  }
  return NULL;
}

/* Fills the grid with one measure of the metric part with @settings, or (NULL) of a utility with
 * whatever settings, which has cells of its own; FALSE when no cell has it. */
static gboolean
fill_grid (const AssayResults *results, const AssaySettings *settings, const char *name,
           Grid *ret_grid)
{
  const AssayPlan *plan = results->plan;
  Names rows = names_new (), columns = names_new ();
  Grid grid = { g_ptr_array_ref (rows.names), g_ptr_array_ref (columns.names),
                g_ptr_array_new_with_free_func (g_free) };

  for (guint i = 0; i < results->pooled->len; i++) {
    const AssayResultCell *cell = results->pooled->pdata[i];

    if (find_measurement (cell, settings, name) == NULL)
      continue;
    names_add (&rows, row_name (plan, cell));
    names_add (&columns, g_strdup (cell->player.name));
  }
  g_ptr_array_set_size (grid.texts, (gint) (grid.rows->len * grid.columns->len));
  for (guint i = 0; i < results->pooled->len; i++) {
    const AssayResultCell *cell = results->pooled->pdata[i];
    g_autofree char *row_text = row_name (plan, cell);
    guint row, column;

    /* An attack or a defense for which the measure means nothing is left out. */
    if (!names_find (&rows, row_text, &row) || !names_find (&columns, cell->player.name, &column))
      continue;
    grid.texts->pdata[row * grid.columns->len + column]
        = format_measurement (cell, find_measurement (cell, settings, name));
  }
  names_clear (&rows);
  names_clear (&columns);
  *ret_grid = grid;
  return grid.rows->len > 0;
}

static void
append_measure (GString *text, const AssayResults *results, const AssayPart *part,
                const AssayMeasure *measure, guint width)
{
  const gboolean is_utility = ((const AssayMetric *) part->plugin)->assess != NULL;
  g_autofree char *settings
      = is_utility ? g_strdup ("") : assay_settings_canonical (part->settings);
  Grid grid;

  g_strdelimit (g_strchomp (settings), "\n", ' ');

  if (fill_grid (results, is_utility ? NULL : part->settings, measure->name, &grid)) {
    g_string_append_printf (text, "\n%s%s%s (%s; %s)\n", measure->name,
                            *settings != '\0' ? " " : "", settings, measure->unit,
                            assay_measure_direction ((const AssayMetric *) part->plugin, measure));
    append_grid (text, &grid, width);
  }
  g_ptr_array_unref (grid.rows);
  g_ptr_array_unref (grid.columns);
  g_ptr_array_unref (grid.texts);
}

/* What tuning chose, and what did not go well. */
static void
append_notes (GString *text, const AssayResults *results)
{
  const AssayPlan *plan = results->plan;

  for (guint i = 0; i < results->tunings->len; i++) {
    const AssayResultTuning *tuning = &g_array_index (results->tunings, AssayResultTuning, i);
    const AssayPart *attack = assay_plan_part (plan->attacks, tuning->attack.index);
    g_autofree char *chosen = NULL;
    g_auto (GStrv) keys = g_strsplit (attack->tuned_keys, " ", -1);
    GString *settings = g_string_new (NULL);

    for (guint k = 0; keys[k] != NULL; k++) {
      *strchrnul (keys[k], '=') = '\0';
      for (const AssayParam *param = tuning->attack.settings->table; param->name != NULL; param++)
        if (g_str_equal (param->name, keys[k])) {
          g_free (chosen);
          chosen = assay_settings_get (tuning->attack.settings, param);
          g_string_append_printf (settings, " %s=%s", keys[k], chosen);
        }
    }
    g_string_append_printf (text, "%s%s tuned against %s:%s\n", i == 0 ? "\n" : "",
                            tuning->attack.label, tuning->defense.name, settings->str);
    g_string_free (settings, TRUE);
  }
  for (guint i = 0; i < plan->skipped->len; i++) {
    const AssaySkip *skip = plan->skipped->pdata[i];

    g_string_append_printf (text, "%sskipped: %s against %s: %s\n", i == 0 ? "\n" : "",
                            skip->attack, skip->defense, skip->reason);
  }
  for (guint i = 0; i < results->bad->len; i++) {
    const AssayResultBad *bad = &g_array_index (results->bad, AssayResultBad, i);

    g_string_append_printf (text, "\n%s: %s against %s, trial %u: %s\n",
                            assay_cell_status_name (bad->status),
                            assay_plan_player (plan, bad->cell)->label,
                            assay_plan_part (plan->defenses, bad->cell->defense)->label,
                            bad->cell->trial, bad->message);
  }
  for (guint i = 0; i < results->pooled->len; i++) {
    const AssayResultCell *cell = results->pooled->pdata[i];

    for (guint m = 0; m < cell->left_out->len; m++)
      g_string_append_printf (text, "\n%s against %s: %s\n", cell->player.label,
                              cell->defense.label, (const char *) cell->left_out->pdata[m]);
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
                          witness->cell, witness->trial, result->claim->id);
}

/* The verdicts stand last, where a terminal shows them. */
static void
append_claims (GString *text, const AssayResults *results)
{
  for (guint i = 0; i < results->claims->len; i++) {
    const AssayResultClaim *result = results->claims->pdata[i];
    const AssayClaim *claim = result->claim;

    g_string_append_printf (text, "\n%s: claim %s", assay_verdict_name (result->verdict),
                            claim->id);
    if (claim->says != NULL) {
      g_string_append (text, " - ");
      append_plain (text, claim->says);
    }
    g_string_append_printf (text, "\n  %s\n", result->reason);
    if (result->witness.is_set && result->witness.audit != NULL)
      append_audit_witness (text, result);
    else if (result->witness.is_set)
      g_string_append_printf (text,
                              "  witness: secret %" G_GUINT64_FORMAT " of cell %s (trial %"
                              G_GINT64_FORMAT "); 'assay run SCENARIO --witness %s' replays it\n",
                              result->witness.secret, result->witness.cell, result->witness.trial,
                              claim->id);
  }
}

static void
append_headlines (GString *text, const AssayResults *results, const AssayPart *part, guint width)
{
  const AssayMetric *metric = (const AssayMetric *) part->plugin;

  for (const AssayMeasure *measure = metric->measures; measure->name != NULL; measure++)
    if (measure->is_headline)
      append_measure (text, results, part, measure, width);
}

/* Each plugin once: its settings stand side by side. */
static void
append_utilities (GString *text, const AssayResults *results, guint width)
{
  const GPtrArray *utilities = results->plan->utilities;

  for (guint i = 0; i < utilities->len; i++) {
    gboolean is_first = TRUE;

    for (guint j = 0; j < i; j++)
      is_first &= assay_plan_part (utilities, j)->plugin != assay_plan_part (utilities, i)->plugin;
    if (is_first)
      append_headlines (text, results, assay_plan_part (utilities, i), width);
  }
}

void
assay_report_append_size (GString *text, const AssayPlan *plan)
{
  if (!assay_plan_has_releases (plan))
    return;
  if (plan->secret_groups > 0)
    g_string_append_printf (text, " of %" G_GUINT64_FORMAT " group%s of secrets",
                            plan->secret_groups, plan->secret_groups == 1 ? "" : "s");
  else
    g_string_append_printf (text, " of %" G_GUINT64_FORMAT " secrets", plan->secrets);
}

char *
assay_report_table (const AssayResults *results, guint width)
{
  const AssayPlan *plan = results->plan;
  GString *text = g_string_new (NULL);

  append_plain (text, plan->title);
  g_string_append_printf (text, "\nseed %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " trial%s",
                          plan->seed, plan->trials, plan->trials == 1 ? "" : "s");
  assay_report_append_size (text, plan);
  g_string_append_printf (text, ", %g %% intervals\n", 100 * plan->confidence);
  for (guint i = 0; i < plan->metrics->len; i++)
    append_headlines (text, results, assay_plan_part (plan->metrics, i), width);
  append_utilities (text, results, width);
  append_notes (text, results);
  append_claims (text, results);
  return g_string_free (text, FALSE);
}
