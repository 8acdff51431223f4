/* Which curves results have: their axes, and what there is to draw. */
#include "report/plots/curve-maker.h"

#include <math.h>

#define MAX_SLUG 100

/* ---- Values ---- */

static double
known (double value)
{
  return isfinite (value) && fabs (value) < G_MAXDOUBLE ? value : NAN;
}

/* An audited epsilon is its lower bound: nothing is known above it. */
AssayCurveValue
assay_curve_value (const AssayResultCell *cell, const AssayMeasurement *measurement)
{
  const AssayInterval *interval = &measurement->interval;
  const gboolean is_bound = measurement->measure->is_epsilon;
  const AssayCurveValue value = { .value = known (is_bound ? interval->lower : interval->estimate),
                                  .lower = known (interval->lower),
                                  .upper = known (interval->upper),
                                  .cell = cell,
                                  .measurement = measurement };

  return value;
}

const AssayMeasurement *
assay_curve_measurement (const AssayResultCell *cell, const AssayCurveMeasured *measured)
{
  const gboolean is_utility = measured->end > 0;

  if (cell->is_utility != is_utility
      || (is_utility
          && (cell->attack_or_utility->index < measured->component->index
              || cell->attack_or_utility->index >= measured->end)))
    return NULL;
  ASSAY_FOR_EACH_IN (const AssayMeasurement, measurement, cell->measurements) {
    if ((is_utility || measurement->metric == measured->component)
        && g_str_equal (measurement->measure->name, measured->measure->name))
      return measurement;
  }
  return NULL;
}

gboolean
assay_curve_leaks_more (const AssayResultMeasure *measure, double value, double than)
{
  return measure->higher_is_worse ? value > than : value < than;
}

/* ---- Axes ---- */

static char *
measured_name (const AssayCurveMeasured *measured)
{
  const char *name = measured->measure->name;
  const char *settings = measured->component->settings->line;

  if (measured->end > 0) {
    const gboolean is_one = measured->end == measured->component->index + 1;
    const char *own = is_one ? measured->component->name : measured->component->label;

    return g_str_equal (own, name) ? g_strdup (name) : g_strdup_printf ("%s (%s)", name, own);
  }
  return *settings != '\0' ? g_strdup_printf ("%s %s", name, settings) : g_strdup (name);
}

AssayCurveAxis
assay_curve_axis (const AssayCurveMeasured *measured)
{
  const AssayResultMeasure *measure = measured->measure;
  const gboolean is_utility = measured->end > 0;
  char *direction
      = measure->is_reference
            ? g_strdup ("for comparison")
            : g_strdup_printf ("%s is more %s", measure->higher_is_worse ? "lower" : "higher",
                               is_utility && !measure->is_leak ? "useful" : "private");
  const AssayCurveAxis axis = { .name = measured_name (measured),
                                .unit = g_strdup (measure->unit),
                                .direction = direction,
                                .measure = measure,
                                .is_share = measure->is_share };

  return axis;
}

/* All values of one coordinate, bounds left out. */
static GArray *
collect_values (const AssayCurve *curve, gboolean is_x)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));

  ASSAY_FOR_EACH (const AssayCurveLine, line, curve->lines) {
    ASSAY_FOR_EACH_IN (const AssayCurvePoint, point, line->points) {
      const double value = is_x ? point->x.value : point->y.value;

      if (isfinite (value))
        g_array_append_val (values, value);
    }
  }
  return values;
}

/* A measure gets a logarithmic axis where its values span two decades and none is 0. */
static void
choose_scale (const AssayCurve *curve, gboolean is_x, AssayCurveAxis *inout_axis)
{
  g_autoptr (GArray) values = collect_values (curve, is_x);
  double least = INFINITY, most = 0;

  for (guint i = 0; i < values->len; i++) {
    least = MIN (least, g_array_index (values, double, i));
    most = MAX (most, g_array_index (values, double, i));
  }
  inout_axis->is_log = inout_axis->measure != NULL
                           ? least > 0 && most >= 100 * least
                           : assay_curve_is_geometric ((const double *) values->data, values->len);
}

/* ---- Lines ---- */

AssayCurve *
assay_curve_new (const AssayCurveMaker *maker, AssayCurveKind kind)
{
  AssayCurve *curve = g_new0 (AssayCurve, 1);

  curve->kind = kind;
  curve->lines = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_curve_line_free);
  curve->is_unfinished = maker->results->n_missing > 0;
  return curve;
}

AssayCurveLine *
assay_curve_line (AssayCurve *curve, GHashTable *by_name, const char *name, const char *swept)
{
  AssayCurveLine *line = g_hash_table_lookup (by_name, name);

  if (line != NULL)
    return line;
  line = g_new0 (AssayCurveLine, 1);
  line->name = g_strdup (name);
  line->swept = g_strdup (swept);
  line->points = g_array_new (FALSE, FALSE, sizeof (AssayCurvePoint));
  g_ptr_array_add (curve->lines, line);
  g_hash_table_insert (by_name, line->name, line);
  return line;
}

static gint
compare_settings (gconstpointer a, gconstpointer b)
{
  const double left = ((const AssayCurvePoint *) a)->setting;
  const double right = ((const AssayCurvePoint *) b)->setting;

  return (left > right) - (left < right);
}

static char *
take_slug (AssayCurveMaker *maker, const char *text)
{
  char *slug = assay_curve_slug (text, MAX_SLUG);

  for (guint i = 2; g_hash_table_contains (maker->slugs, slug); i++) {
    g_autofree char *base = assay_curve_slug (text, MAX_SLUG);

    g_free (slug);
    slug = g_strdup_printf ("%s-%u", base, i);
  }
  g_hash_table_add (maker->slugs, g_strdup (slug));
  return slug;
}

static gboolean
has_optimal (const AssayCurveLine *line)
{
  for (guint p = 0; p < line->points->len; p++)
    if (g_array_index (line->points, AssayCurvePoint, p).is_optimal)
      return TRUE;
  return FALSE;
}

/* Whether @line is one of those that a curve of @kind is for: with Pareto-optimal points, or along
 * the setting, beside which levels are there to compare. */
static gboolean
matters (const AssayCurveLine *line, AssayCurveKind kind)
{
  return kind == ASSAY_CURVE_TRADE_OFF ? has_optimal (line) : line->swept != NULL;
}

/* Of more lines than can be drawn, those that matter most. */
static void
put_what_matters_first (AssayCurve *curve)
{
  guint n_first = 0;

  for (guint l = 0; l < curve->lines->len && curve->lines->len > ASSAY_CURVE_MAX_LINES; l++)
    if (matters (curve->lines->pdata[l], curve->kind)) {
      g_ptr_array_insert (curve->lines, (gint) n_first++,
                          g_ptr_array_steal_index (curve->lines, l));
    }
}

void
assay_curve_finish (AssayCurveMaker *maker, AssayCurve *curve, const char *name)
{
  guint n_points = 0, longest = 0;

  ASSAY_FOR_EACH (AssayCurveLine, line, curve->lines) {
    g_array_sort (line->points, compare_settings);
    n_points += line->points->len;
    if (line->swept != NULL)
      longest = MAX (longest, line->points->len);
  }
  if (n_points < 2 || (curve->kind == ASSAY_CURVE_SWEEP && longest < 2)) {
    assay_curve_free (curve);
    return;
  }
  choose_scale (curve, TRUE, &curve->x);
  choose_scale (curve, FALSE, &curve->y);
  if (curve->kind == ASSAY_CURVE_TRADE_OFF)
    assay_curve_mark_optimal (curve);
  put_what_matters_first (curve);
  if (curve->dataset != NULL) {
    char *longer = g_strdup_printf ("%s, %s", curve->title, curve->dataset);

    g_free (curve->title);
    curve->title = longer;
  }
  curve->name = take_slug (maker, name);
  g_ptr_array_add (maker->curves, curve);
}

/* ---- All of them ---- */

static void
append_headlines (GArray *headlines, const AssayResultComponent *component, guint end)
{
  for (guint i = 0; i < component->measures->len; i++) {
    const AssayCurveMeasured measured = { component, component->measures->pdata[i], end };

    if (measured.measure->is_headline)
      g_array_append_val (headlines, measured);
  }
}

static GArray *
privacy_headlines (const AssayResults *results)
{
  GArray *headlines = g_array_new (FALSE, FALSE, sizeof (AssayCurveMeasured));

  for (guint i = 0; i < results->metrics->len; i++)
    append_headlines (headlines, assay_result_component (results->metrics, i), 0);
  return headlines;
}

/* Every setting of a utility by itself, or all of one label as one. */
static GArray *
utility_headlines (const AssayCurveMaker *maker, gboolean by_label)
{
  GArray *headlines = g_array_new (FALSE, FALSE, sizeof (AssayCurveMeasured));
  const GPtrArray *varied = maker->varied[ASSAY_CURVE_OVER_UTILITY];

  for (guint i = 0; i < varied->len; i++) {
    const AssayVaried *group = varied->pdata[i];

    if (!by_label || group->first == i)
      append_headlines (headlines, assay_result_component (maker->results->utilities, i),
                        by_label ? group->end : i + 1);
  }
  return headlines;
}

GPtrArray *
assay_curves_new (const AssayResults *results)
{
  AssayCurveMaker maker
      = { .results = results,
          .components
          = { results->defenses, results->attacks, results->utilities, results->datasets },
          .curves = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_curve_free),
          .slugs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL) };
  g_autoptr (GArray) privacy = privacy_headlines (results);
  g_autoptr (GArray) utilities = NULL;
  g_autoptr (GArray) labels = NULL;

  for (guint r = 0; r < ASSAY_CURVE_N_OVER; r++)
    maker.varied[r] = assay_varied_new (maker.components[r]);
  utilities = utility_headlines (&maker, FALSE);
  labels = utility_headlines (&maker, TRUE);
  for (guint i = 0; i < privacy->len; i++)
    assay_curve_add_trade_offs (&maker, &g_array_index (privacy, AssayCurveMeasured, i), utilities);
  for (guint r = 0; r < ASSAY_CURVE_N_OVER; r++) {
    for (guint i = 0; i < privacy->len && r != ASSAY_CURVE_OVER_UTILITY; i++)
      assay_curve_add_sweeps (&maker, &g_array_index (privacy, AssayCurveMeasured, i),
                              (AssayCurveRole) r);
    for (guint i = 0; i < labels->len && r != ASSAY_CURVE_OVER_ATTACK; i++)
      assay_curve_add_sweeps (&maker, &g_array_index (labels, AssayCurveMeasured, i),
                              (AssayCurveRole) r);
  }
  assay_curve_add_metric_sweeps (&maker);
  assay_curve_add_rates (&maker);
  for (guint i = 0; i < maker.curves->len; i++)
    assay_curve_add_claims (maker.curves->pdata[i], results);
  for (guint r = 0; r < ASSAY_CURVE_N_OVER; r++)
    g_ptr_array_unref (maker.varied[r]);
  g_hash_table_unref (maker.slugs);
  return maker.curves;
}
