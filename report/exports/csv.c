/* results.csv: the pooled table (RFC 4180). */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "report/exports/csv-field.h"
#include "report/exports/exports.h"

void
assay_csv_field (GString *text, const char *value)
{
  if (text->len > 0 && text->str[text->len - 1] != '\n')
    g_string_append_c (text, ',');
  if (strpbrk (value, ",\"\r\n") == NULL) {
    g_string_append (text, value);
    return;
  }
  g_string_append_c (text, '"');
  for (; *value != '\0'; value++) {
    if (*value == '"')
      g_string_append_c (text, '"');
    g_string_append_c (text, *value);
  }
  g_string_append_c (text, '"');
}

void
assay_csv_number (GString *text, double value)
{
  const gboolean is_known = isfinite (value) && fabs (value) < G_MAXDOUBLE; /* or no bound */
  g_autofree char *number = is_known ? assay_text_number (value) : g_strdup ("");

  assay_csv_field (text, number);
}

/* The names of all settings of one role, in order of first appearance. */
static void
collect (GPtrArray *names, const AssayResultSettings *settings)
{
  for (gsize i = 0; i < settings->n; i++)
    if (!g_ptr_array_find_with_equal_func (names, settings->all[i].name, g_str_equal, NULL))
      g_ptr_array_add (names, (gpointer) settings->all[i].name);
}

/* @settings NULL: the cell has no such component, and its fields stay empty. */
static void
append_settings (GString *text, const GPtrArray *names, const AssayResultSettings *settings)
{
  for (guint i = 0; i < names->len; i++) {
    const char *value = "";

    for (gsize s = 0; settings != NULL && s < settings->n; s++)
      if (g_str_equal (settings->all[s].name, names->pdata[i]))
        value = settings->all[s].value;
    assay_csv_field (text, value);
  }
}

typedef struct {
  GPtrArray *dataset, *defense, *attack, *utility, *metric;
} Columns;

static void
collect_columns (const AssayResults *results, Columns *columns)
{
  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    collect (columns->dataset, cell->dataset->settings);
    collect (columns->defense, cell->defense->settings);
    collect (cell->is_utility ? columns->utility : columns->attack,
             cell->attack_or_utility->settings);
    /* What assesses a cell is its utility, whose settings stand there. */
    for (guint m = 0; m < cell->measurements->len && !cell->is_utility; m++)
      collect (columns->metric, assay_result_measurement (cell, m)->metric->settings);
  }
}

static void
append_names (GString *text, const char *role, const GPtrArray *names)
{
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *name = g_strdup_printf ("%s.%s", role, (const char *) names->pdata[i]);

    assay_csv_field (text, name);
  }
}

static void
append_header (GString *text, const Columns *columns)
{
  static const char *const own[] = { "metric", "estimate", "lower", "upper", "confidence",
                                     "n", "groups", "method", "unit", NULL };

  assay_csv_field (text, "id");
  assay_csv_field (text, "status");
  assay_csv_field (text, "dataset");
  append_names (text, "dataset", columns->dataset);
  assay_csv_field (text, "defense.label");
  assay_csv_field (text, "defense");
  append_names (text, "defense", columns->defense);
  assay_csv_field (text, "attack.label");
  assay_csv_field (text, "attack");
  append_names (text, "attack", columns->attack);
  assay_csv_field (text, "utility.label");
  assay_csv_field (text, "utility");
  append_names (text, "utility", columns->utility);
  for (guint i = 0; own[i] != NULL; i++)
    assay_csv_field (text, own[i]);
  append_names (text, "metric", columns->metric);
  g_string_append_c (text, '\n');
}

static void
append_component (GString *text, const AssayResultComponent *component, const GPtrArray *names,
                  gboolean has_label)
{
  if (has_label)
    assay_csv_field (text, component != NULL ? component->label : "");
  assay_csv_field (text, component != NULL ? component->plugin : "");
  append_settings (text, names, component != NULL ? component->settings : NULL);
}

static void
append_row (GString *text, const Columns *columns, const AssayResultCell *cell,
            const AssayMeasurement *measurement)
{
  const AssayInterval *interval = &measurement->interval;

  assay_csv_field (text, cell->id);
  assay_csv_field (text, assay_result_status_name (cell->status));
  append_component (text, cell->dataset, columns->dataset, FALSE);
  append_component (text, cell->defense, columns->defense, TRUE);
  append_component (text, cell->is_utility ? NULL : cell->attack_or_utility, columns->attack, TRUE);
  append_component (text, cell->is_utility ? cell->attack_or_utility : NULL, columns->utility,
                    TRUE);
  assay_csv_field (text, measurement->measure->name);
  assay_csv_number (text, interval->estimate);
  assay_csv_number (text, interval->lower);
  assay_csv_number (text, interval->upper);
  assay_csv_number (text, measurement->confidence);
  assay_csv_number (text, (double) interval->n);
  assay_csv_number (text, (double) interval->n_groups);
  assay_csv_field (text, interval->method);
  assay_csv_field (text, measurement->measure->unit);
  append_settings (text, columns->metric, cell->is_utility ? NULL : measurement->metric->settings);
  g_string_append_c (text, '\n');
}

char *
assay_report_csv (const AssayResults *results)
{
  Columns columns = { g_ptr_array_new (), g_ptr_array_new (), g_ptr_array_new (),
                      g_ptr_array_new (), g_ptr_array_new () };
  GString *text = g_string_new (NULL);

  collect_columns (results, &columns);
  append_header (text, &columns);
  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    for (guint m = 0; m < cell->measurements->len; m++)
      append_row (text, &columns, cell, assay_result_measurement (cell, m));
  }
  g_ptr_array_unref (columns.dataset);
  g_ptr_array_unref (columns.defense);
  g_ptr_array_unref (columns.attack);
  g_ptr_array_unref (columns.utility);
  g_ptr_array_unref (columns.metric);
  return g_string_free (text, FALSE);
}
