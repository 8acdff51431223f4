/* results.csv: the pooled table (RFC 4180). */
#include <math.h>
#include <string.h>

#include "core/base/text.h"
#include "report/exports/csv-field.h"
#include "report/exports/exports.h"

/* What a spreadsheet would take for a formula, in letters of either width: a name that a scenario
 * gave. @value is plain, and its tabs and line ends are blanks. */
static gboolean
is_formula (const char *value)
{
  static const gunichar begins[] = { '=', '+', '-', '@', 0xFF1D, 0xFF0B, 0xFF0D, 0xFF20 };
  double number;

  value += strspn (value, " ");
  if (*value == '\0' || value[1] == '\0' || assay_text_to_double (value, &number))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (begins); i++)
    if (g_utf8_get_char (value) == begins[i])
      return TRUE;
  return FALSE;
}

void
assay_csv_field (GString *text, const char *value)
{
  g_autofree char *plain = assay_text_plain (value);

  value = plain;
  if (text->len > 0 && text->str[text->len - 1] != '\n')
    g_string_append_c (text, ',');
  if (is_formula (value))
    g_string_append_c (text, '\'');
  if (strpbrk (value, ",\"") == NULL) {
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
    if (!assay_names_have (names, settings->all[i].name))
      g_ptr_array_add (names, (gpointer) settings->all[i].name);
}

/* @settings NULL: the cell has no such component, and its fields stay empty. */
static void
append_settings (GString *text, const GPtrArray *names, const AssayResultSettings *settings)
{
  for (guint i = 0; i < names->len; i++) {
    const char *value = assay_result_setting (settings, names->pdata[i]);

    assay_csv_field (text, value != NULL ? value : "");
  }
}

/* What has columns for its settings; of all but the first and the last a row says the label too. */
typedef enum { DATASET, DEFENSE, ATTACK, UTILITY, METRIC, N_ROLES } Role;

static const char *const roles[] = { "dataset", "defense", "attack", "utility", "metric" };

static gboolean
has_label (Role role)
{
  return role != DATASET && role != METRIC;
}

static void
collect_columns (const AssayResults *results, GPtrArray **columns)
{
  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    collect (columns[DATASET], cell->dataset->settings);
    collect (columns[DEFENSE], cell->defense->settings);
    collect (columns[cell->is_utility ? UTILITY : ATTACK], cell->attack_or_utility->settings);
    /* What assesses a cell is its utility, whose settings stand there. */
    for (guint m = 0; m < cell->measurements->len && !cell->is_utility; m++)
      collect (columns[METRIC], assay_result_measurement (cell, m)->metric->settings);
  }
}

static void
append_names (GString *text, Role role, const GPtrArray *names)
{
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *name = g_strdup_printf ("%s.%s", roles[role], (const char *) names->pdata[i]);

    assay_csv_field (text, name);
  }
}

static void
append_header (GString *text, GPtrArray *const *columns)
{
  g_string_append (text, "id,status");
  for (Role role = DATASET; role < METRIC; role++) {
    if (has_label (role))
      g_string_append_printf (text, ",%s.label", roles[role]);
    assay_csv_field (text, roles[role]);
    append_names (text, role, columns[role]);
  }
  g_string_append (text, ",measure,estimate,lower,upper,confidence,n,groups,method,unit");
  append_names (text, METRIC, columns[METRIC]);
  g_string_append_c (text, '\n');
}

static void
append_row (GString *text, GPtrArray *const *columns, const AssayResultCell *cell,
            const AssayMeasurement *measurement)
{
  const AssayInterval *interval = &measurement->interval;
  const AssayResultComponent *const components[]
      = { cell->dataset, cell->defense, cell->is_utility ? NULL : cell->attack_or_utility,
          cell->is_utility ? cell->attack_or_utility : NULL };

  assay_csv_field (text, cell->id);
  assay_csv_field (text, assay_result_status_name (cell->status));
  for (Role role = DATASET; role < METRIC; role++) {
    const AssayResultComponent *component = components[role];

    if (has_label (role))
      assay_csv_field (text, component != NULL ? component->label : "");
    assay_csv_field (text, component != NULL ? component->plugin : "");
    append_settings (text, columns[role], component != NULL ? component->settings : NULL);
  }
  assay_csv_field (text, measurement->measure->name);
  assay_csv_number (text, interval->estimate);
  assay_csv_number (text, interval->lower);
  assay_csv_number (text, interval->upper);
  assay_csv_number (text, measurement->confidence);
  assay_csv_number (text, (double) interval->n);
  assay_csv_number (text, (double) interval->n_groups);
  assay_csv_field (text, interval->method);
  assay_csv_field (text, measurement->measure->unit);
  append_settings (text, columns[METRIC], cell->is_utility ? NULL : measurement->metric->settings);
  g_string_append_c (text, '\n');
}

char *
assay_report_csv (const AssayResults *results)
{
  GPtrArray *columns[N_ROLES];
  GString *text = g_string_new (NULL);

  for (Role role = DATASET; role < N_ROLES; role++)
    columns[role] = g_ptr_array_new ();
  collect_columns (results, columns);
  append_header (text, columns);
  ASSAY_FOR_EACH (const AssayResultCell, cell, results->pooled) {
    ASSAY_FOR_EACH_IN (const AssayMeasurement, measurement, cell->measurements)
      append_row (text, columns, cell, measurement);
  }
  for (Role role = DATASET; role < N_ROLES; role++)
    g_ptr_array_unref (columns[role]);
  return g_string_free (text, FALSE);
}
