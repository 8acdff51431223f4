/* The ROC curve of the game member on logarithmic axes (Carlini et al. 2022, "Membership Inference
 * Attacks From First Principles", section III and figure 1): an attack that tells few members with
 * certainty shows at the left, where an area does not. */
#include <math.h>

#include "report/plots/curve-maker.h"

/* The measures that are its points, and the rates of false positives that they are of. */
static const struct {
  const char *measure;
  double rate;
} points[] = {
  { "member-true-positives-at-0-1-percent", 0.001 }, { "member-true-positives-at-1-percent", 0.01 },
  { "member-true-positives-at-3-percent", 0.03 },    { "member-true-positives-at-10-percent", 0.1 },
  { "member-true-positives-at-30-percent", 0.3 },
};

static AssayCurve *
roc_new (const AssayCurveMaker *maker, const AssayCurveMeasured *measured)
{
  AssayCurve *curve = assay_curve_new (maker, ASSAY_CURVE_SWEEP);

  curve->x = (AssayCurveAxis){ .name = g_strdup ("false positives"),
                               .unit = g_strdup ("share of other records"),
                               .direction = g_strdup (""),
                               .is_share = TRUE };
  curve->y = assay_curve_axis (measured);
  g_free (curve->y.name);
  curve->y.name = g_strdup ("true positives");
  curve->title = g_strdup ("Who tells members (ROC): by chance both rates are equal");
  return curve;
}

static char *
name_line (const AssayCurveMaker *maker, const AssayResultCell *cell)
{
  GString *name = g_string_new (NULL);

  g_string_append_printf (name, "%s, %s", cell->defense->name, cell->attack_or_utility->name);
  if (maker->results->datasets->len > 1)
    g_string_append_printf (name, ", %s", cell->dataset->name);
  return g_string_free (name, FALSE);
}

static void
add_points (const AssayCurveMaker *maker, const AssayCurveMeasured *measured, double rate,
            AssayCurve *curve, GHashTable *by_name)
{
  ASSAY_FOR_EACH (const AssayResultCell, cell, maker->results->pooled) {
    const AssayMeasurement *measurement = assay_curve_measurement (cell, measured);
    g_autofree char *name = NULL;
    AssayCurvePoint point = { .x = { .value = rate, .lower = NAN, .upper = NAN },
                              .setting = rate,
                              .is_doubtful = cell->status != ASSAY_RESULT_OK };

    if (measurement == NULL)
      continue;
    point.y = assay_curve_value (cell, measurement);
    if (!isfinite (point.y.value))
      continue;
    name = name_line (maker, cell);
    g_array_append_val (assay_curve_line (curve, by_name, name, "false positives")->points, point);
  }
}

static gboolean
has_positive (const AssayCurve *curve)
{
  ASSAY_FOR_EACH (const AssayCurveLine, line, curve->lines) {
    ASSAY_FOR_EACH_IN (const AssayCurvePoint, point, line->points) {
      if (point->y.value > 0)
        return TRUE;
    }
  }
  return FALSE;
}

void
assay_curve_add_roc (AssayCurveMaker *maker)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  AssayCurve *curve = NULL;
  guint n_curves;

  ASSAY_FOR_EACH (const AssayResultComponent, component, maker->results->metrics) {
    for (guint i = 0; i < component->measures->len; i++)
      for (guint p = 0; p < G_N_ELEMENTS (points); p++) {
        const AssayCurveMeasured measured = { component, component->measures->pdata[i], 0 };

        if (!g_str_equal (measured.measure->name, points[p].measure))
          continue;
        if (curve == NULL)
          curve = roc_new (maker, &measured);
        add_points (maker, &measured, points[p].rate, curve, by_name);
      }
  }
  if (curve == NULL)
    return;
  n_curves = maker->curves->len;
  assay_curve_finish (maker, curve, "roc-of-members");
  /* What the figure is for is at its low end; a rate of 0 has no place there. */
  if (maker->curves->len > n_curves)
    curve->y.is_log = has_positive (curve);
}
