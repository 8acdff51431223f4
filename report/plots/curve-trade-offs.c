/* Trade-offs: a measure of privacy against one of utility. */
#include <math.h>

#include "report/plots/curve-maker.h"

/* Of dataset @dataset by defense: the cell in which the attack that leaks most was measured, and
 * whether it had to be chosen. */
static const AssayResultCell **
find_most (const AssayCurveMaker *maker, const AssayCurveMeasured *privacy, guint dataset,
           gboolean *ret_is_chosen)
{
  const GPtrArray *pooled = maker->results->pooled;
  const AssayResultCell **most = g_new0 (const AssayResultCell *, maker->results->defenses->len);

  *ret_is_chosen = FALSE;
  ASSAY_FOR_EACH (const AssayResultCell, cell, pooled) {
    const AssayMeasurement *measurement = assay_curve_measurement (cell, privacy);
    const AssayResultCell **best = &most[cell->defense->index];

    if (measurement == NULL || cell->dataset->index != dataset
        || !isfinite (assay_curve_value (cell, measurement).value))
      continue;
    *ret_is_chosen |= *best != NULL;
    if (*best == NULL
        || assay_curve_leaks_more (
            privacy->measure, assay_curve_value (cell, measurement).value,
            assay_curve_value (*best, assay_curve_measurement (*best, privacy)).value))
      *best = cell;
  }
  return most;
}

static void
add_trade_off_point (const AssayCurveMaker *maker, AssayCurve *curve, GHashTable *by_name,
                     const AssayCurveValue *x, const AssayCurveValue *y)
{
  const guint index = x->cell->defense->index;
  const AssayResultComponent *defense = assay_result_component (maker->results->defenses, index);
  const AssayVaried *group = maker->varied[ASSAY_CURVE_OVER_DEFENSE]->pdata[index];
  const AssayResultSetting *setting = assay_varied_longest (group, maker->results->defenses);
  const char *swept = setting != NULL ? setting->name : NULL;
  g_autofree char *name = assay_varied_name (group, defense, swept);
  AssayCurveLine *line = assay_curve_line (curve, by_name, name, swept);
  const AssayCurvePoint point
      = { .x = *x,
          .y = *y,
          .setting = setting != NULL ? assay_varied_value (defense, setting) : NAN,
          .is_doubtful = x->cell->status != ASSAY_RESULT_OK || y->cell->status != ASSAY_RESULT_OK };

  g_array_append_val (line->points, point);
}

/* "recovery-rate-vs-matching-precision", and what differs where there are several of them. */
static char *
trade_off_name (const AssayCurve *curve, const AssayCurveMeasured *privacy,
                const AssayCurveMeasured *utility)
{
  const gboolean is_one = g_str_equal (utility->component->name, utility->component->label);

  return g_strjoin ("-", privacy->measure->name, "vs", utility->measure->name,
                    is_one ? "" : utility->component->name,
                    curve->dataset != NULL ? curve->dataset : "", NULL);
}

static void
add_trade_off (AssayCurveMaker *maker, const AssayCurveMeasured *privacy,
               const AssayCurveMeasured *utility, guint dataset, const AssayResultCell *const *most,
               gboolean is_chosen)
{
  const GPtrArray *pooled = maker->results->pooled;
  AssayCurve *curve = assay_curve_new (maker, ASSAY_CURVE_TRADE_OFF);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree char *name = NULL;

  curve->x = assay_curve_axis (privacy);
  curve->y = assay_curve_axis (utility);
  curve->has_most_only = is_chosen;
  if (maker->results->datasets->len > 1)
    curve->dataset
        = assay_varied_name (maker->varied[ASSAY_CURVE_OVER_DATASET]->pdata[dataset],
                             assay_result_component (maker->results->datasets, dataset), NULL);
  curve->title = g_strdup_printf ("%s against %s", curve->x.name, curve->y.name);
  ASSAY_FOR_EACH (const AssayResultCell, cell, pooled) {
    const AssayMeasurement *measurement = assay_curve_measurement (cell, utility);
    const AssayResultCell *attacked = most[cell->defense->index];
    AssayCurveValue x, y;

    if (measurement == NULL || attacked == NULL || cell->dataset->index != dataset)
      continue;
    x = assay_curve_value (attacked, assay_curve_measurement (attacked, privacy));
    y = assay_curve_value (cell, measurement);
    if (isfinite (y.value))
      add_trade_off_point (maker, curve, by_name, &x, &y);
  }
  name = trade_off_name (curve, privacy, utility);
  assay_curve_finish (maker, curve, name);
}

void
assay_curve_add_trade_offs (AssayCurveMaker *maker, const AssayCurveMeasured *privacy,
                            const GArray *utilities)
{
  if (privacy->measure->is_reference)
    return;
  for (guint d = 0; d < maker->results->datasets->len; d++) {
    gboolean is_chosen;
    g_autofree const AssayResultCell **most = find_most (maker, privacy, d, &is_chosen);

    ASSAY_FOR_EACH_IN (const AssayCurveMeasured, utility, utilities)
      if (!utility->measure->is_reference)
        add_trade_off (maker, privacy, utility, d, most, is_chosen);
  }
}
