/* The points of a comparison of runs as curves. */
#include "report/plots/compare-curves.h"

#include <math.h>

#include "report/plots/curve-maker.h"

static AssayCurveAxis
axis_of (const AssayResultComponent *component, const AssayResultMeasure *measure,
         gboolean is_utility)
{
  const AssayCurveMeasured measured = { component, measure, is_utility ? component->index + 1 : 0 };

  return assay_curve_axis (&measured);
}

/* @varied: of each run, what varies among its defenses. */
static void
add_point (AssayCurve *curve, GHashTable *by_name, const AssayCompared *compared,
           const GPtrArray *varied, const AssayComparePoint *one)
{
  const AssayComparedRun *run = assay_compared_run (compared, one->run);
  const AssayVaried *group
      = ((const GPtrArray *) varied->pdata[one->run])->pdata[one->defense->index];
  const AssayResultSetting *setting = assay_varied_longest (group, run->results->defenses);
  const char *swept = setting != NULL ? setting->name : NULL;
  g_autofree char *defense = assay_varied_name (group, one->defense, swept);
  g_autofree char *name = g_strdup_printf ("%s: %s", run->name, defense);
  const AssayCurvePoint point
      = { .x = assay_curve_value (one->attack, one->leak),
          .y = assay_curve_value (one->utility, one->use),
          .setting = setting != NULL ? assay_varied_value (one->defense, setting) : NAN };

  curve->has_most_only |= one->attacks->len > 1;
  g_array_append_val (assay_curve_line (curve, by_name, name, swept)->points, point);
}

static void
add_curve (AssayCurveMaker *maker, const AssayCompared *compared, const GPtrArray *varied,
           const AssayCompareAxis *axis)
{
  AssayCurve *curve = assay_curve_new (maker, ASSAY_CURVE_TRADE_OFF);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *name = g_strjoin ("-vs-", axis->privacy->name, axis->utility->name, NULL);

  curve->x = axis_of (axis->metric, axis->privacy, FALSE);
  curve->y = axis_of (axis->utility_by, axis->utility, TRUE);
  if (maker->results->datasets->len > 1)
    curve->dataset = g_strdup (axis->dataset->name);
  curve->title = g_strdup_printf ("%s against %s", curve->x.name, curve->y.name);
  for (guint i = 0; i < axis->points->len; i++)
    add_point (curve, by_name, compared, varied, assay_compared_point (axis, i));
  assay_curve_finish (maker, curve, name);
}

GPtrArray *
assay_compare_curves (const AssayCompared *compared)
{
  g_autoptr (GHashTable) slugs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) varied
      = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  AssayCurveMaker maker
      = { .results = assay_compared_run (compared, 0)->results,
          .curves = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_curve_free),
          .slugs = slugs };

  for (guint r = 0; r < compared->runs->len; r++)
    g_ptr_array_add (varied,
                     assay_varied_new (assay_compared_run (compared, r)->results->defenses));
  ASSAY_FOR_EACH (const AssayCompareAxis, axis, compared->axes) {
    if (axis->utility != NULL)
      add_curve (&maker, compared, varied, axis);
  }
  return maker.curves;
}
