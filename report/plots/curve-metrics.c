/* Sweeps of a metric: what it says of the same guesses over a setting of its own, such as hits over
 * the number of candidates, or the bars of a histogram. */
#include <math.h>

#include "report/plots/curve-maker.h"

/* Two levels of one threshold are no curve. */
#define LEAST_VALUES 3

typedef struct {
  const AssayVaried *group; /* components of one label */
  const AssayResultMeasure *measure;
  const AssayResultSetting *setting; /* that is swept */
  GPtrArray *varied;                 /* of all metrics */
} MetricSweep;

static void
append_part (GString *name, const GPtrArray *components, const GPtrArray *varied, guint index,
             const char *except)
{
  g_autofree char *part = assay_varied_name (varied->pdata[index],
                                             assay_result_component (components, index), except);

  g_string_append_printf (name, "%s%s", name->len > 0 ? ", " : "", part);
}

/* What of a cell and the metric differs within the scenario. */
static char *
line_name (const AssayCurveMaker *maker, const MetricSweep *sweep, const AssayResultCell *cell,
           const AssayResultComponent *metric)
{
  const guint indices[] = { cell->defense->index, cell->attack_or_utility->index,
                            cell->attack_or_utility->index, cell->dataset->index };
  GString *name = g_string_new (NULL);

  for (guint r = 0; r < ASSAY_CURVE_N_OVER; r++)
    if (r != ASSAY_CURVE_OVER_UTILITY && maker->components[r]->len > 1)
      append_part (name, maker->components[r], maker->varied[r], indices[r], NULL);
  if (name->len == 0 || sweep->group->varying->len > 1)
    append_part (name, maker->results->metrics, sweep->varied, metric->index,
                 sweep->setting->name);
  return g_string_free (name, FALSE);
}

static void
add_cell (const AssayCurveMaker *maker, const MetricSweep *sweep, const AssayResultCell *cell,
          GHashTable *by_name, AssayCurve *curve)
{
  ASSAY_FOR_EACH_IN (const AssayMeasurement, measurement, cell->measurements) {
    const AssayResultComponent *metric = measurement->metric;
    AssayCurvePoint point = { .is_doubtful = cell->status != ASSAY_RESULT_OK };
    g_autofree char *name = NULL;

    if (metric->index < sweep->group->first || metric->index >= sweep->group->end
        || !g_str_equal (measurement->measure->name, sweep->measure->name))
      continue;
    point.y = assay_curve_value (cell, measurement);
    point.setting = assay_varied_value (metric, sweep->setting);
    point.x = (AssayCurveValue){ .value = point.setting, .lower = NAN, .upper = NAN };
    name = line_name (maker, sweep, cell, metric);
    if (isfinite (point.y.value))
      g_array_append_val (assay_curve_line (curve, by_name, name, sweep->setting->name)->points,
                          point);
  }
}

static gboolean
is_long (const AssayCurve *curve)
{
  ASSAY_FOR_EACH (const AssayCurveLine, line, curve->lines) {
    if (line->points->len >= LEAST_VALUES)
      return TRUE;
  }
  return FALSE;
}

static void
add_sweep (AssayCurveMaker *maker, const MetricSweep *sweep)
{
  const GPtrArray *metrics = maker->results->metrics;
  const AssayCurveMeasured measured
      = { assay_result_component (metrics, sweep->group->first), sweep->measure, 0 };
  AssayCurve *curve = assay_curve_new (maker, ASSAY_CURVE_SWEEP);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *name
      = g_strdup_printf ("%s-over-%s", sweep->measure->name, sweep->setting->name);

  curve->y = assay_curve_axis (&measured);
  g_free (curve->y.name); /* which names the settings of one */
  curve->y.name = g_strdup (sweep->measure->name);
  curve->x.name = g_strdup (sweep->setting->name);
  curve->x.unit = g_strdup (sweep->setting->unit != NULL ? sweep->setting->unit : "");
  curve->x.direction = g_strdup ("");
  curve->title = g_strdup_printf ("%s over %s", curve->y.name, curve->x.name);
  ASSAY_FOR_EACH (const AssayResultCell, cell, maker->results->pooled) {
    if (!cell->is_utility)
      add_cell (maker, sweep, cell, by_name, curve);
  }
  if (is_long (curve))
    assay_curve_finish (maker, curve, name);
  else
    assay_curve_free (curve);
}

/* What is only for comparison is drawn where the metric has nothing else. */
static gboolean
is_drawn (const AssayResultComponent *metric, const AssayResultMeasure *measure)
{
  if (!measure->is_headline || !measure->is_reference)
    return measure->is_headline;
  ASSAY_FOR_EACH (const AssayResultMeasure, other, metric->measures) {
    if (other->is_headline && !other->is_reference)
      return FALSE;
  }
  return TRUE;
}

void
assay_curve_add_metric_sweeps (AssayCurveMaker *maker)
{
  const GPtrArray *metrics = maker->results->metrics;
  g_autoptr (GPtrArray) varied = assay_varied_new (metrics);

  for (guint i = 0; i < varied->len; i++) {
    const AssayVaried *group = varied->pdata[i];
    MetricSweep sweep = { .group = group, .varied = varied };

    sweep.setting = group->first == i ? assay_varied_longest (group, metrics) : NULL;
    if (sweep.setting == NULL)
      continue;
    ASSAY_FOR_EACH (const AssayResultMeasure, measure,
                    assay_result_component (metrics, i)->measures) {
      sweep.measure = measure;
      if (is_drawn (assay_result_component (metrics, i), measure))
        add_sweep (maker, &sweep);
    }
  }
}
