/* The table for a terminal: one block per headline measure, defenses down, attacks across. */
#include <math.h>
#include <string.h>

#include "core/base/free.h"
#include "core/base/text.h"
#include "report/exports/exports.h"
#include "report/exports/grid.h"

#define GAP 2

static char *
format_number (double value, gboolean is_share)
{
  if (!isfinite (value) || fabs (value) >= G_MAXDOUBLE)
    return g_strdup ("?");
  if (is_share) /* without the sign of a nothing that was rounded */
    return g_strdup_printf ("%.1f", fabs (value) < 0.0005 ? fabs (value) * 100 : 100 * value);
  /* Ranks and counts in thousands are read as whole numbers. */
  return fabs (value) >= 1000 && fabs (value) < 1e7 ? g_strdup_printf ("%.0f", value)
                                                    : g_strdup_printf ("%.3g", value);
}

char *
assay_report_value (const AssayResultMeasure *measure, double value)
{
  g_autofree char *number = format_number (value, measure->is_share);

  return g_strconcat (number, measure->is_share ? " %" : "", NULL);
}

char *
assay_report_measurement (const AssayMeasurement *measurement)
{
  const AssayInterval *interval = &measurement->interval;
  const gboolean is_share = measurement->measure->is_share;
  g_autofree char *estimate = format_number (interval->estimate, is_share);
  g_autofree char *lower = format_number (interval->lower, is_share);
  g_autofree char *upper = format_number (interval->upper, is_share);

  if (measurement->measure->is_epsilon)
    return g_strdup_printf ("> %s", lower);
  return g_strdup_printf ("%s%s [%s, %s]", estimate, is_share ? " %" : "", lower, upper);
}

/* With a mark where the cell did not end well; of a cell without the measure, why. */
static char *
format_measurement (const AssayResultCell *cell, const AssayMeasurement *measurement)
{
  g_autofree char *text = measurement != NULL ? assay_report_measurement (measurement) : NULL;

  if (text == NULL)
    return g_strdup (cell != NULL && assay_result_failed (cell) ? "error" : "-");
  return g_strconcat (text, cell->status == ASSAY_RESULT_OK ? "" : " !", NULL);
}

static void
append_padded (GString *text, const char *value, gsize width)
{
  const gsize length = (gsize) g_utf8_strlen (value, -1);

  g_string_append (text, value);
  for (gsize i = length; i < width; i++)
    g_string_append_c (text, ' ');
}

/* One block: texts, with a name per row and per column. */
typedef struct {
  const GPtrArray *rows, *columns; /* char *, names */
  char **texts;                    /* rows x columns */
  gsize name_width, *widths;
} Block;

static gsize
column_width (const Block *block, guint column)
{
  gsize width = (gsize) g_utf8_strlen (block->columns->pdata[column], -1);

  for (guint r = 0; r < block->rows->len; r++)
    width = MAX (width, (gsize) g_utf8_strlen (block->texts[r * block->columns->len + column], -1));
  return width;
}

static void
append_row (GString *text, const Block *block, guint first, guint end, const char *name,
            char *const *values)
{
  g_string_append (text, "  ");
  append_padded (text, name, block->name_width);
  for (guint c = first; c < end; c++) {
    g_string_append_printf (text, "%*s", GAP, "");
    append_padded (text, values[c], block->widths[c]);
  }
  while (text->len > 0 && text->str[text->len - 1] == ' ')
    g_string_truncate (text, text->len - 1);
  g_string_append_c (text, '\n');
}

/* Columns that do not fit beside each other go below, under the block's name. */
static void
append_block (GString *text, const char *name, Block *block, guint width)
{
  const guint n = block->columns->len;
  g_autofree gsize *widths = block->widths = g_new (gsize, n);

  for (guint c = 0; c < n; c++)
    widths[c] = column_width (block, c);
  for (guint r = 0; r < block->rows->len; r++)
    block->name_width = MAX (block->name_width, (gsize) g_utf8_strlen (block->rows->pdata[r], -1));
  for (guint first = 0, end; first < n; first = end) {
    gsize used = 2 + block->name_width + GAP + widths[first];

    for (end = first + 1; end < n && used + GAP + widths[end] <= width; end++)
      used += GAP + widths[end];
    if (first > 0)
      g_string_append_printf (text, "\n%s, further columns\n", name);
    append_row (text, block, first, end, "", (char **) block->columns->pdata);
    for (guint r = 0; r < block->rows->len; r++)
      append_row (text, block, first, end, block->rows->pdata[r], block->texts + r * n);
  }
}

/* The estimate of every cell that has the measure, where all read the same; NULL: they differ. */
static char *
common_estimate (const AssayGrid *grid, const AssayResultMeasure *measure,
                 const AssayResultComponent *by)
{
  const guint n = grid->columns.names->len;
  g_autofree char *common = NULL;

  for (guint i = 0; i < grid->rows.names->len * n; i++) {
    const AssayResultCell *cell = assay_grid_cell (grid, i / n, i % n);
    const AssayMeasurement *one
        = cell != NULL ? assay_result_find_by (cell, measure, by) : NULL;
    g_autofree char *text
        = one != NULL ? assay_report_value (measure, one->interval.estimate) : NULL;

    if (text != NULL && common != NULL && !g_str_equal (text, common))
      return NULL;
    if (common == NULL)
      common = g_steal_pointer (&text);
  }
  return g_steal_pointer (&common);
}

/* One measure of @metric, or of a utility with whatever settings, which has cells of its own. */
static void
append_measure (GString *text, const AssayResults *results, const AssayResultComponent *metric,
                gboolean is_utility, const AssayResultMeasure *measure, guint width)
{
  const AssayResultComponent *by = is_utility ? NULL : metric;
  const char *settings = is_utility ? "" : metric->settings->line;
  AssayGrid grid = assay_grid_new (results, by, measure, ",");
  const guint n_rows = grid.rows.names->len, n = grid.columns.names->len;
  g_auto (GStrv) texts = g_new0 (char *, (gsize) n_rows *n + 1);
  Block block = { grid.rows.names, grid.columns.names, texts, 0, NULL };

  for (guint i = 0; i < n_rows * n; i++) {
    const AssayResultCell *cell = assay_grid_cell (&grid, i / n, i % n);

    texts[i]
        = format_measurement (cell, cell != NULL ? assay_result_find_by (cell, measure, by) : NULL);
  }
  if (n_rows > 0) {
    g_autofree char *name
        = g_strconcat (measure->name, *settings != '\0' ? " " : "", settings, NULL);
    /* Chance is mostly the same in all cells, and no table. */
    g_autofree char *common
        = measure->is_reference ? common_estimate (&grid, measure, by) : NULL;

    g_string_append_printf (text, "\n%s (%s; %s)", name, measure->unit, measure->direction);
    if (common != NULL) {
      g_string_append_printf (text, ": %s\n", common);
    } else {
      g_string_append_c (text, '\n');
      append_block (text, name, &block, width);
    }
  }
  assay_grid_clear (&grid);
}

/* " neighbours=100 averaged=3": what was chosen of "neighbours=100;1000 averaged=3;10". */
static void
append_chosen (GString *text, const AssayResultComponent *attack)
{
  g_auto (GStrv) keys = g_strsplit (attack->tuned, " ", -1);

  for (guint k = 0; keys[k] != NULL; k++) {
    *strchrnul (keys[k], '=') = '\0';
    g_string_append_printf (text, " %s=%s", keys[k],
                            assay_result_setting (attack->settings, keys[k]));
  }
}

/* A title comes from a file, a message from a program: nothing of it may steer the terminal. */
static void
append_plain (GString *text, const char *title)
{
  g_autofree char *plain = assay_text_plain (title);

  g_string_append (text, plain);
}

static void
append_line_about (GString *text, const char *attack, const char *defense, const char *message)
{
  g_string_append_printf (text, "\n%s against %s: ", attack, defense);
  append_plain (text, message);
  g_string_append_c (text, '\n');
}

/* How attacks came to their guesses, and what they expect of them; of several trials the first. */
static void
append_said (GString *text, const AssayResults *results)
{
  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    if (cell->status == ASSAY_RESULT_OK && *cell->message != '\0')
      append_line_about (text, cell->attack_or_utility->name, cell->defense->name, cell->message);
  }
}

/* The same message of several cells is one paragraph: who it is said of, and in which trial or in
 * how many. */
typedef struct {
  const AssayResultBad *first; /* its status, and the message */
  GArray *cells;               /* const AssayResultBad *, those of a pair beside each other */
} Said;

ASSAY_LOCAL_FREE (Said, said_free, g_array_unref (self->cells))

static gboolean
is_of_one_pair (const AssayResultBad *bad, const AssayResultBad *other)
{
  return g_str_equal (bad->attack_or_utility->label, other->attack_or_utility->label)
         && g_str_equal (bad->defense->label, other->defense->label);
}

static void
add_said (GPtrArray *all, const AssayResultBad *bad)
{
  Said *said = NULL;
  guint place;

  ASSAY_FOR_EACH (Said, one, all) {
    if (one->first->status == bad->status && g_str_equal (one->first->message, bad->message))
      said = one;
  }
  if (said == NULL) {
    said = g_new0 (Said, 1);
    said->first = bad;
    said->cells = g_array_new (FALSE, FALSE, sizeof bad);
    g_ptr_array_add (all, said);
  }
  for (place = said->cells->len; place > 0; place--)
    if (is_of_one_pair (g_array_index (said->cells, const AssayResultBad *, place - 1), bad))
      break;
  g_array_insert_val (said->cells, place > 0 ? place : said->cells->len, bad);
}

/* Settings of an attack or defense among those that vary: its name without its label. */
static const char *
settings_of (const AssayResultComponent *component)
{
  const gsize length = strlen (component->label);

  return g_str_has_prefix (component->name, component->label) && component->name[length] == ' '
             ? component->name + length + 1
             : "";
}

#define MAX_VALUES 12

/* " (dimension=2; dimension=4)": with which settings it happened, each once. */
static void
append_values (GString *text, const Said *said, guint first, guint n, gboolean is_defense)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();

  for (guint i = first; i < first + n; i++) {
    const AssayResultBad *bad = g_array_index (said->cells, const AssayResultBad *, i);
    const char *value = settings_of (is_defense ? bad->defense : bad->attack_or_utility);

    if (*value != '\0' && !g_ptr_array_find_with_equal_func (values, value, g_str_equal, NULL))
      g_ptr_array_add (values, (char *) value);
  }
  for (guint i = 0; i < MIN (values->len, MAX_VALUES); i++)
    g_string_append_printf (text, "%s%s", i == 0 ? " (" : "; ", (const char *) values->pdata[i]);
  if (values->len > MAX_VALUES)
    g_string_append_printf (text, " and %u more", values->len - MAX_VALUES);
  g_string_append (text, values->len > 0 ? ")" : "");
}

static void
append_said_of (GString *text, const Said *said)
{
  const char *between = "";
  guint n;

  for (guint i = 0; i < said->cells->len; i += n) {
    const AssayResultBad *bad = g_array_index (said->cells, const AssayResultBad *, i);

    for (n = 1; i + n < said->cells->len; n++)
      if (!is_of_one_pair (bad, g_array_index (said->cells, const AssayResultBad *, i + n)))
        break;
    g_string_append_printf (text, "%s%s", between, bad->attack_or_utility->label);
    append_values (text, said, i, n, FALSE);
    g_string_append_printf (text, " against %s", bad->defense->label);
    append_values (text, said, i, n, TRUE);
    g_string_append (text, ", ");
    if (n == 1)
      g_string_append_printf (text, "trial %u", bad->trial);
    else
      g_string_append_printf (text, "%u trials", n);
    between = "; ";
  }
}

char *
assay_report_failures (const AssayResults *results)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) said_free);
  GString *text = g_string_new (NULL);

  ASSAY_FOR_EACH_IN (const AssayResultBad, bad, results->bad)
    add_said (all, bad);
  ASSAY_FOR_EACH (const Said, said, all) {
    const char *status = assay_result_status_name (said->first->status);

    if (said->cells->len == 1) {
      g_string_append_printf (text, "\n%s: ", status);
      append_said_of (text, said);
      g_string_append (text, ": ");
      append_plain (text, said->first->message);
      g_string_append_c (text, '\n');
      continue;
    }
    g_string_append_printf (text, "\n%s in %u cells: ", status, said->cells->len);
    append_plain (text, said->first->message);
    g_string_append (text, "\n  ");
    append_said_of (text, said);
    g_string_append_c (text, '\n');
  }
  return g_string_free (text, FALSE);
}

/* What tuning chose, and what did not go well. */
static void
append_notes (GString *text, const AssayResults *results)
{
  g_autofree char *failures = assay_report_failures (results);

  for (guint i = 0; i < results->tunings->len; i++) {
    const AssayResultTuning *tuning = &g_array_index (results->tunings, AssayResultTuning, i);

    g_string_append_printf (text, "%s%s tuned against %s:", i == 0 ? "\n" : "",
                            tuning->attack->label, tuning->defense->name);
    append_chosen (text, tuning->attack);
    g_string_append_c (text, '\n');
  }
  ASSAY_FOR_EACH_IN (const AssayResultUnits, units, results->units) {
    if (units->says != NULL)
      g_string_append_printf (text, "\n%s: %s\n", units->dataset->plugin, units->says);
  }
  for (guint i = 0; i < results->skipped->len; i++) {
    const AssaySkip *skip = &g_array_index (results->skipped, AssaySkip, i);

    g_string_append_printf (text, "%sskipped: %s against %s: %s\n", i == 0 ? "\n" : "",
                            skip->attack, skip->defense, skip->reason);
  }
  append_said (text, results);
  g_string_append (text, failures);
  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    ASSAY_FOR_EACH (const char, why, cell->omitted)
      append_line_about (text, cell->attack_or_utility->label, cell->defense->label, why);
  }
}

/* The secret, or the event that tells a pair of inputs apart, and how it is seen again. */
static void
append_witness (GString *text, const AssayResults *results, const AssayResultClaim *result)
{
  const AssayResultWitness *witness = &result->witness;
  g_autofree char *replay = assay_report_replay (results, result, results->replay_with);

  g_string_append (text, "  witness: ");
  if (witness->audit != NULL) {
    append_plain (text, witness->audit->says);
    g_string_append (text, ", in");
  } else {
    g_string_append_printf (text, "secret %" G_GUINT64_FORMAT " of", witness->secret);
  }
  g_string_append_printf (text, " cell %s (trial %" G_GINT64_FORMAT "); again: ", witness->cell,
                          witness->trial);
  append_plain (text, replay);
  g_string_append_c (text, '\n');
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
    if (result->attackers.says != NULL)
      g_string_append_printf (text, "  %s\n", result->attackers.says);
    if (result->witness.is_set)
      append_witness (text, results, result);
  }
}

/* Takes @paragraph, which stands by itself, or is "". */
static void
append_paragraph (GString *text, char *paragraph)
{
  if (*paragraph != '\0')
    g_string_append_printf (text, "\n%s", paragraph);
  g_free (paragraph);
}

static void
append_headlines (GString *text, const AssayResults *results, const AssayResultComponent *metric,
                  gboolean is_utility, guint width)
{
  g_autoptr (GPtrArray) headlines = assay_grid_headlines (metric->measures);

  ASSAY_FOR_EACH (const AssayResultMeasure, measure, headlines)
    append_measure (text, results, metric, is_utility, measure, width);
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
  g_string_append_printf (text, ", %g %% intervals", 100 * results->confidence);
  if (results->serial > 1)
    g_string_append_printf (text, ", run %" G_GUINT64_FORMAT " of this scenario with these data",
                            results->serial);
  g_string_append_c (text, '\n');
  for (guint i = 0; i < results->metrics->len; i++)
    append_headlines (text, results, assay_result_component (results->metrics, i), FALSE, width);
  append_utilities (text, results, width);
  append_notes (text, results);
  append_claims (text, results);
  append_paragraph (text, assay_report_unrepeated (results));
  append_paragraph (text, assay_report_seal (results));
  append_paragraph (text, assay_report_warnings (results));
  if (results->mutants != NULL)
    append_paragraph (text, assay_report_mutants_short (results->mutants));
  return g_string_free (text, FALSE);
}
