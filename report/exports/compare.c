/* What a comparison of runs found: words, the table for a terminal, and CSV. */
#include "report/exports/compare.h"

#include <math.h>

#include "core/base/text.h"
#include "report/exports/csv-field.h"
#include "report/exports/exports.h"

/* More sentences than these nobody reads on a terminal. */
#define MAX_SENTENCES 12
#define GAP 2

/* ---- Words ---- */

static char *
with_settings (const char *name, const AssayResultSettings *settings)
{
  return *settings->line != '\0' ? g_strdup_printf ("%s %s", name, settings->line)
                                 : g_strdup (name);
}

char *
assay_compared_privacy_name (const AssayCompareAxis *axis)
{
  return with_settings (axis->privacy->name, axis->metric->settings);
}

char *
assay_compared_utility_name (const AssayCompareAxis *axis)
{
  return axis->utility != NULL
             ? g_strdup_printf ("%s by %s", axis->utility->name, axis->utility_by->name)
             : NULL;
}

char *
assay_compared_sentence (const AssayCompared *compared, const AssayCompareAxis *axis,
                         const AssayComparePair *pair)
{
  const char *better = assay_compared_point (axis, pair->better)->name;
  const char *worse = assay_compared_point (axis, pair->worse)->name;
  g_autofree char *margin = NULL;
  g_autofree char *within = NULL;

  if (axis->utility == NULL)
    return g_strdup_printf ("%s leaks less than %s, p = %.3g", better, worse, pair->adjusted);
  margin = assay_text_number (assay_compare_margin (compared, axis->utility));
  within = g_str_equal (margin, "0") ? g_strdup ("") : g_strdup_printf (" (to within %s)", margin);
  return g_strdup_printf ("%s is at least as useful%s and leaks less than %s, p = %.3g", better,
                          within, worse, pair->adjusted);
}

char *
assay_compared_open_sentence (const AssayCompareAxis *axis, const AssayComparePair *pair)
{
  return g_strdup_printf ("not separable at this n: %s and %s (p = %.3g, corrected %.3g)",
                          assay_compared_point (axis, pair->better)->name,
                          assay_compared_point (axis, pair->worse)->name, pair->p, pair->adjusted);
}

char *
assay_compared_no_order_sentence (const AssayCompareAxis *axis, guint n)
{
  if (axis->utility == NULL)
    return g_strdup_printf ("%u pair%s equal by estimates", n, n == 1 ? " is" : "s are");
  return g_strdup_printf ("%u pair%s no order by estimates: one leaks less, the other is more "
                          "useful, or they are equal",
                          n, n == 1 ? " has" : "s have");
}

static void
count_reason (GHashTable *counts, GPtrArray *order, const char *reason)
{
  const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, reason));

  if (n == 0)
    g_ptr_array_add (order, (gpointer) reason);
  g_hash_table_insert (counts, (gpointer) reason, GUINT_TO_POINTER (n + 1));
}

/* The same two points the other way round, which every pair has. */
static const AssayComparePair *
opposite_of (const AssayCompareAxis *axis, const AssayComparePair *pair)
{
  ASSAY_FOR_EACH_IN (const AssayComparePair, other, axis->pairs) {
    if (other->better == pair->worse && other->worse == pair->better)
      return other;
  }
  g_assert_not_reached ();
}

/* Whether the opposite pair says as much as @pair, and stands before it, or more. */
static gboolean
is_said_by_opposite (const AssayCompareAxis *axis, const AssayComparePair *pair)
{
  const AssayComparePair *other = opposite_of (axis, pair);

  if (pair->why_not != NULL)
    return pair->better > pair->worse && g_strcmp0 (other->why_not, pair->why_not) == 0;
  return other->leak_method != NULL || (other->why_not == NULL && pair->better > pair->worse);
}

void
assay_compared_rest (const AssayCompareAxis *axis, AssayComparedRest *ret_rest)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) order = g_ptr_array_new ();

  *ret_rest = (AssayComparedRest){ .open = g_ptr_array_new (),
                                   .reasons = g_ptr_array_new_with_free_func (g_free) };
  ASSAY_FOR_EACH_IN (const AssayComparePair, pair, axis->pairs) {
    if (pair->leak_method != NULL) {
      if (!pair->dominates)
        g_ptr_array_add (ret_rest->open, (gpointer) pair);
    } else if (!is_said_by_opposite (axis, pair)) {
      if (pair->why_not != NULL)
        count_reason (counts, order, pair->why_not);
      else
        ret_rest->n_trade_offs++;
    }
  }
  for (guint i = 0; i < order->len; i++) {
    const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (counts, order->pdata[i]));

    g_ptr_array_add (ret_rest->reasons,
                     g_strdup_printf ("%u pair%s not compared: %s", n, n == 1 ? " is" : "s are",
                                      (const char *) order->pdata[i]));
  }
}

ASSAY_CLEAR_FUNC (AssayComparedRest, assay_compared_rest_clear, g_ptr_array_unref (self->open),
                  g_ptr_array_unref (self->reasons))

/* ---- The table for a terminal ---- */

#define N_COLUMNS 6

/* Rows of N_COLUMNS texts each. */
typedef char *Text;

static GPtrArray *
make_rows (const AssayCompared *compared, const AssayCompareAxis *axis)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  const char *const head[] = { "",         "run",
                               "defense",  axis->privacy->name,
                               "taken by", axis->utility != NULL ? axis->utility->name : "",
                               NULL };

  g_ptr_array_add (rows, g_strdupv ((char **) head));
  ASSAY_FOR_EACH_IN (const AssayComparePoint, point, axis->points) {
    char *const row[]
        = { g_strdup (point->is_optimal ? "*" : ""),
            g_strdup (assay_compared_run (compared, point->run)->name),
            g_strdup (point->defense->name),
            assay_report_measurement (point->leak),
            g_strdup (point->attack->attack_or_utility->name),
            point->use != NULL ? assay_report_measurement (point->use) : g_strdup (""),
            NULL };

    g_ptr_array_add (rows, g_memdup2 (row, sizeof row));
  }
  return rows;
}

static void
append_rows (GString *text, const GPtrArray *rows)
{
  glong widths[N_COLUMNS] = { 0 };

  ASSAY_FOR_EACH (Text, row, rows) {
    for (guint c = 0; c < N_COLUMNS; c++)
      widths[c] = MAX (widths[c], g_utf8_strlen (row[c], -1));
  }
  ASSAY_FOR_EACH (Text, row, rows) {
    for (guint c = 0; c < N_COLUMNS; c++) {
      const glong padding = widths[c] - g_utf8_strlen (row[c], -1) + (c == 0 ? 1 : GAP);

      g_string_append_printf (text, "%s%*s", row[c], (int) padding, "");
    }
    while (text->len > 0 && text->str[text->len - 1] == ' ')
      g_string_truncate (text, text->len - 1);
    g_string_append_c (text, '\n');
  }
}

static void
append_open (GString *text, const AssayCompareAxis *axis, const AssayComparedRest *rest)
{
  for (guint i = 0; i < MIN (rest->open->len, MAX_SENTENCES); i++) {
    const AssayComparePair *pair = rest->open->pdata[i];

    g_autofree char *sentence = assay_compared_open_sentence (axis, pair);

    g_string_append_printf (text, "%s\n", sentence);
  }
  if (rest->open->len > MAX_SENTENCES)
    g_string_append_printf (text, "not separable at this n: %u more pairs\n",
                            rest->open->len - MAX_SENTENCES);
  if (rest->n_trade_offs > 0) {
    g_autofree char *sentence = assay_compared_no_order_sentence (axis, rest->n_trade_offs);

    g_string_append_printf (text, "%s\n", sentence);
  }
  for (guint i = 0; i < rest->reasons->len; i++)
    g_string_append_printf (text, "%s\n", (const char *) rest->reasons->pdata[i]);
}

static void
append_sentences (GString *text, const AssayCompared *compared, const AssayCompareAxis *axis)
{
  AssayComparedRest rest;
  guint n = 0;

  ASSAY_FOR_EACH_IN (const AssayComparePair, pair, axis->pairs) {
    g_autofree char *sentence = NULL;

    if (!pair->dominates || n++ >= MAX_SENTENCES)
      continue;
    sentence = assay_compared_sentence (compared, axis, pair);
    g_string_append_printf (text, "%s\n", sentence);
  }
  if (n > MAX_SENTENCES)
    g_string_append_printf (text, "... and so in %u more pairs\n", n - MAX_SENTENCES);
  assay_compared_rest (axis, &rest);
  append_open (text, axis, &rest);
  assay_compared_rest_clear (&rest);
}

static void
append_axis (GString *text, const AssayCompared *compared, const AssayCompareAxis *axis)
{
  g_autoptr (GPtrArray) rows = make_rows (compared, axis);
  g_autofree char *privacy = assay_compared_privacy_name (axis);
  g_autofree char *utility = assay_compared_utility_name (axis);
  const AssayResults *first = assay_compared_run (compared, 0)->results;

  g_string_append_printf (text, "\n%s (%s; %s)", privacy, axis->privacy->unit,
                          axis->privacy->direction);
  if (utility != NULL)
    g_string_append_printf (text, " and %s (%s; %s)", utility, axis->utility->unit,
                            axis->utility->direction);
  if (first->datasets->len > 1)
    g_string_append_printf (text, ", dataset %u", axis->dataset->index + 1);
  g_string_append_c (text, '\n');
  append_rows (text, rows);
  append_sentences (text, compared, axis);
}

/* Names of runs and settings are words of others. */
static char *
finish_plain (GString *text)
{
  char *plain = assay_text_plain_lines (text->str);

  g_string_free (text, TRUE);
  return plain;
}

char *
assay_compared_table (const AssayCompared *compared)
{
  const AssayResults *results = assay_compared_run (compared, 0)->results;
  GString *text = g_string_new (NULL);
  gboolean has_optimal = FALSE;

  g_string_append_printf (text, "%u runs: ", compared->runs->len);
  for (guint i = 0; i < compared->runs->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "",
                            assay_compared_run (compared, i)->name);
  g_string_append_printf (text, "\nseed %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " trial%s",
                          results->seed, results->trials, results->trials == 1 ? "" : "s");
  g_string_append (text, results->size);
  g_string_append_printf (text, ", %g %% intervals; p-values by Holm over %u pairs\n",
                          100 * results->confidence, compared->n_asked);
  ASSAY_FOR_EACH (const char, note, compared->notes) {
    g_autofree char *plain = assay_text_plain (note);

    g_string_append_printf (text, "%s\n", plain);
  }
  for (guint i = 0; i < compared->axes->len; i++) {
    append_axis (text, compared, compared->axes->pdata[i]);
    has_optimal |= ((const AssayCompareAxis *) compared->axes->pdata[i])->utility != NULL;
  }
  if (has_optimal)
    g_string_append (text,
                     "\n* whatever leaks less by the estimates is less useful, and whatever is "
                     "more useful leaks more\n");
  return finish_plain (text);
}

/* ---- CSV ---- */

static void
append_measurement (GString *text, const AssayMeasurement *measurement)
{
  const AssayInterval *interval = measurement != NULL ? &measurement->interval : NULL;

  assay_csv_number (text, interval != NULL ? interval->estimate : NAN);
  assay_csv_number (text, interval != NULL ? interval->lower : NAN);
  assay_csv_number (text, interval != NULL ? interval->upper : NAN);
  assay_csv_number (text, interval != NULL ? (double) interval->n : NAN);
  assay_csv_field (text, interval != NULL ? interval->method : "");
}

static void
append_axis_fields (GString *text, const AssayCompareAxis *axis)
{
  g_autofree char *privacy = assay_compared_privacy_name (axis);
  g_autofree char *utility = assay_compared_utility_name (axis);
  g_autofree char *dataset = with_settings (axis->dataset->plugin, axis->dataset->settings);

  assay_csv_field (text, dataset);
  assay_csv_field (text, privacy);
  assay_csv_field (text, utility != NULL ? utility : "");
}

static void
append_point (GString *text, const AssayCompared *compared, const AssayComparePoint *point)
{
  const AssayResultComponent *defense = point->defense;
  g_autofree char *settings = with_settings (defense->plugin, defense->settings);

  assay_csv_field (text, assay_compared_run (compared, point->run)->name);
  assay_csv_field (text, defense->label);
  assay_csv_field (text, settings);
  assay_csv_field (text, point->attack->attack_or_utility->name);
  assay_csv_field (text, point->attack->id);
  append_measurement (text, point->leak);
  assay_csv_field (text, point->utility != NULL ? point->utility->id : "");
  append_measurement (text, point->use);
  assay_csv_field (text, point->use == NULL ? "" : point->is_optimal ? "yes" : "no");
}

char *
assay_compared_csv (const AssayCompared *compared)
{
  GString *text = g_string_new (
      "dataset,privacy,utility,run,label,defense,attack,cell,privacy.estimate,privacy.lower,"
      "privacy.upper,privacy.n,privacy.method,utility.cell,utility.estimate,utility.lower,"
      "utility.upper,utility.n,utility.method,optimal\n");

  ASSAY_FOR_EACH (const AssayCompareAxis, axis, compared->axes) {
    for (guint j = 0; j < axis->points->len; j++) {
      append_axis_fields (text, axis);
      append_point (text, compared, assay_compared_point (axis, j));
      g_string_append_c (text, '\n');
    }
  }
  return g_string_free (text, FALSE);
}

static void
append_pair (GString *text, const AssayCompared *compared, const AssayCompareAxis *axis,
             const AssayComparePair *pair)
{
  const guint sides[] = { pair->better, pair->worse };

  append_axis_fields (text, axis);
  for (guint s = 0; s < 2; s++) {
    assay_csv_field (
        text, assay_compared_run (compared, assay_compared_point (axis, sides[s])->run)->name);
    assay_csv_field (text, assay_compared_point (axis, sides[s])->defense->name);
  }
  assay_csv_number (text, pair->p_leak);
  assay_csv_field (text, pair->leak_method != NULL ? pair->leak_method : "");
  assay_csv_number (text, pair->p_use);
  assay_csv_field (text, pair->use_method != NULL ? pair->use_method : "");
  assay_csv_number (text, pair->p);
  assay_csv_number (text, pair->adjusted);
  assay_csv_field (text, pair->dominates ? "yes" : "no");
  assay_csv_field (text, pair->why_not != NULL ? pair->why_not : "");
  g_string_append_c (text, '\n');
}

char *
assay_compared_pairs_csv (const AssayCompared *compared)
{
  GString *text = g_string_new (
      "dataset,privacy,utility,better.run,better,worse.run,worse,p_leak,leak.method,p_utility,"
      "utility.method,p_value,adjusted_p,dominates,not_compared\n");

  ASSAY_FOR_EACH (const AssayCompareAxis, axis, compared->axes) {
    for (guint j = 0; j < axis->pairs->len; j++)
      append_pair (text, compared, axis, assay_compared_pair (axis, j));
  }
  return g_string_free (text, FALSE);
}
