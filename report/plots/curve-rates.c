/* Curves whose points are measures of one metric, each of a rate or a rank of its own.
 *
 * The ROC curve of the game member, on logarithmic axes (Carlini et al. 2022, "Membership Inference
 * Attacks From First Principles", section III and figure 1): an attack that tells few members with
 * certainty shows at the left, where an area does not. By chance both rates are equal.
 *
 * The cumulative match characteristic of the game link (ISO/IEC 19795-1, Biometric performance
 * testing and reporting): the share of released items of which a record of theirs is among the
 * first so many that an attack names, beside chance. */
#include <math.h>

#include "report/plots/curve-maker.h"

#define MOST_POINTS 5

typedef struct {
  const char *measure;
  const char *chance; /* the measure of what chance gives there; NULL: none */
  double x;
} Point;

typedef struct {
  const char *name, *title;
  const char *x_name, *x_unit, *y_name;
  gboolean is_share;   /* the numbers of x are */
  gboolean is_low_end; /* what the plot is for is at its low end, so that its y is logarithmic */
  gboolean is_level;   /* by chance y is x */
  Point points[MOST_POINTS];
} Rates;

static const Rates all_rates[] = {
  { .name = "roc-of-members",
    .title = "Who tells members (ROC)",
    .x_name = "false positives",
    .x_unit = "share of other records",
    .y_name = "true positives",
    .is_share = TRUE,
    .is_low_end = TRUE,
    .is_level = TRUE,
    .points = { { "member-true-positives-at-0-1-percent", NULL, 0.001 },
                { "member-true-positives-at-1-percent", NULL, 0.01 },
                { "member-true-positives-at-3-percent", NULL, 0.03 },
                { "member-true-positives-at-10-percent", NULL, 0.1 },
                { "member-true-positives-at-30-percent", NULL, 0.3 } } },
  { .name = "cmc-of-links",
    .title = "Who links items to records (CMC)",
    .x_name = "rank",
    .x_unit = "first candidates",
    .y_name = "items of which one is right",
    .points = { { "partner-cmc-at-1", "partner-cmc-chance-at-1", 1 },
                { "partner-cmc-at-3", "partner-cmc-chance-at-3", 3 },
                { "partner-cmc-at-10", "partner-cmc-chance-at-10", 10 },
                { "partner-cmc-at-30", "partner-cmc-chance-at-30", 30 },
                { "partner-cmc-at-100", "partner-cmc-chance-at-100", 100 } } },
};

/* One curve as it is made. */
typedef struct {
  const AssayCurveMaker *maker;
  const Rates *rates;
  GHashTable *by_name;
  AssayCurve *curve; /* NULL: no point yet */
} Making;

static AssayCurve *
curve_new (const Making *making, const AssayCurveMeasured *measured)
{
  AssayCurve *curve = assay_curve_new (making->maker, ASSAY_CURVE_SWEEP);

  curve->x = (AssayCurveAxis){ .name = g_strdup (making->rates->x_name),
                               .unit = g_strdup (making->rates->x_unit),
                               .direction = g_strdup (""),
                               .is_share = making->rates->is_share };
  curve->y = assay_curve_axis (measured);
  g_free (curve->y.name);
  curve->y.name = g_strdup (making->rates->y_name);
  curve->title = g_strdup (making->rates->title);
  return curve;
}

/* "defense, attack", and the dataset where there are several; that of chance is the same for all
 * of a dataset. */
static char *
name_line (const AssayCurveMaker *maker, const AssayResultCell *cell, gboolean is_chance)
{
  GString *name = g_string_new (is_chance ? "by chance" : NULL);

  if (!is_chance)
    g_string_append_printf (name, "%s, %s", cell->defense->name, cell->attack_or_utility->name);
  if (maker->results->datasets->len > 1)
    g_string_append_printf (name, ", %s", cell->dataset->name);
  return g_string_free (name, FALSE);
}

static gboolean
has_point (const AssayCurveLine *line, double setting)
{
  ASSAY_FOR_EACH_IN (const AssayCurvePoint, point, line->points) {
    if (point->setting == setting)
      return TRUE;
  }
  return FALSE;
}

/* Points at @x, one for each cell. */
static void
add_points (Making *making, const AssayCurveMeasured *measured, double x, gboolean is_chance)
{
  ASSAY_FOR_EACH (const AssayResultCell, cell, making->maker->results->pooled) {
    const AssayMeasurement *measurement = assay_curve_measurement (cell, measured);
    g_autofree char *name = NULL;
    AssayCurveLine *line;
    AssayCurvePoint point = { .x = { .value = x, .lower = NAN, .upper = NAN },
                              .setting = x,
                              .is_doubtful = cell->status != ASSAY_RESULT_OK };

    if (measurement == NULL)
      continue;
    point.y = assay_curve_value (cell, measurement);
    if (!isfinite (point.y.value))
      continue;
    if (making->curve == NULL)
      making->curve = curve_new (making, measured);
    name = name_line (making->maker, cell, is_chance);
    line = assay_curve_line (making->curve, making->by_name, name, making->rates->x_name);
    if (!is_chance || !has_point (line, x))
      g_array_append_val (line->points, point);
  }
}

static void
add_measure (Making *making, const AssayCurveMeasured *measured, gboolean is_chance)
{
  for (guint p = 0; p < MOST_POINTS; p++) {
    const Point *point = &making->rates->points[p];

    if (g_strcmp0 (measured->measure->name, is_chance ? point->chance : point->measure) == 0)
      add_points (making, measured, point->x, is_chance);
  }
}

/* Chance needs no measure where it is known: both rates are equal. */
static void
add_equal_rates (AssayCurve *curve, GHashTable *by_name, const char *swept)
{
  const guint n_lines = curve->lines->len;

  for (guint l = 0; l < n_lines; l++) {
    const AssayCurveLine *measured = curve->lines->pdata[l];

    for (guint p = 0; p < measured->points->len; p++) {
      AssayCurvePoint point = g_array_index (measured->points, AssayCurvePoint, p);
      AssayCurveLine *line = assay_curve_line (curve, by_name, "by chance", swept);

      point.is_doubtful = FALSE;
      point.y = (AssayCurveValue){ point.x.value, NAN, NAN, .cell = point.y.cell };
      if (!has_point (line, point.setting))
        g_array_append_val (line->points, point);
    }
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

static void
add_curve (AssayCurveMaker *maker, const Rates *rates)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);
  Making making = { maker, rates, by_name, NULL };
  const guint n_curves = maker->curves->len;

  /* Chance last, under what it is compared with. */
  for (guint is_chance = 0; is_chance < 2; is_chance++)
    ASSAY_FOR_EACH (const AssayResultComponent, component, maker->results->metrics) {
      for (guint i = 0; i < component->measures->len; i++) {
        const AssayCurveMeasured measured = { component, component->measures->pdata[i], 0 };

        add_measure (&making, &measured, is_chance == 1);
      }
    }
  if (making.curve == NULL)
    return;
  if (rates->is_level)
    add_equal_rates (making.curve, by_name, rates->x_name);
  assay_curve_finish (maker, making.curve, rates->name);
  if (maker->curves->len == n_curves)
    return;
  /* A rate of 0 has no place on a logarithmic axis. */
  making.curve->y.is_log = rates->is_low_end && has_positive (making.curve);
}

void
assay_curve_add_rates (AssayCurveMaker *maker)
{
  for (gsize i = 0; i < G_N_ELEMENTS (all_rates); i++)
    add_curve (maker, &all_rates[i]);
}
