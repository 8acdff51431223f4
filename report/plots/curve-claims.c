/* What claims say of the points of a curve: a bound that all of them share, or, where each defense
 * claims its own, one for each point. A bound stands in a curve only if one of the claim's
 * hypotheses is about a cell that is drawn there, measured by what the axis is of. */
#include <math.h>

#include "report/plots/curve-maker.h"

/* One claim, and what of it was found in a curve. */
typedef struct {
  const AssayResultClaim *claim;
  const AssayCurve *curve;
  gboolean is_x;
  GArray *points;      /* AssayCurvePoint whose value on the axis is the bound */
  gboolean is_level;   /* all of them have the same */
  gboolean is_of_axis; /* all values of the axis are of the claim's measure */
} Search;

static gboolean
is_of_measure (const Search *search, const AssayMeasurement *measurement)
{
  return measurement != NULL && measurement->measure == search->claim->measure
         && (search->claim->metric == NULL || measurement->metric == search->claim->metric);
}

/* Whether @hypothesis speaks of @cell, or, where one attack at each point stands for all, of
 * another attack on the same release. */
static gboolean
speaks_of (const Search *search, const AssayResultHypothesis *hypothesis,
           const AssayResultCell *cell)
{
  return hypothesis->cell == cell
         || (search->curve->has_most_only && !cell->is_utility
             && hypothesis->cell->defense == cell->defense
             && hypothesis->cell->dataset == cell->dataset);
}

static const AssayResultHypothesis *
find_hypothesis (const Search *search, const AssayCurveValue *value)
{
  if (value->cell == NULL || !is_of_measure (search, value->measurement))
    return NULL;
  ASSAY_FOR_EACH_IN (const AssayResultHypothesis, one, search->claim->hypotheses) {
    if (isfinite (one->bound) && speaks_of (search, one, value->cell))
      return one;
  }
  return NULL;
}

static void
look_at (Search *search, const AssayCurvePoint *point)
{
  const AssayCurveValue *value = search->is_x ? &point->x : &point->y;
  const AssayResultHypothesis *hypothesis = find_hypothesis (search, value);
  AssayCurvePoint at = *point;

  search->is_of_axis &= is_of_measure (search, value->measurement);
  if (hypothesis == NULL)
    return;
  *(search->is_x ? &at.x : &at.y)
      = (AssayCurveValue){ .value = hypothesis->bound, .lower = NAN, .upper = NAN };
  if (search->points->len > 0) {
    const AssayCurvePoint *first = &g_array_index (search->points, AssayCurvePoint, 0);

    search->is_level &= (search->is_x ? first->x.value : first->y.value) == hypothesis->bound;
  }
  g_array_append_val (search->points, at);
}

static gint
compare_places (gconstpointer a, gconstpointer b)
{
  const AssayCurvePoint *left = a, *right = b;

  if (left->setting != right->setting)
    return left->setting < right->setting ? -1 : 1;
  return (left->y.value > right->y.value) - (left->y.value < right->y.value);
}

/* One bound at each setting, in order; FALSE where two lines have different ones there, or none a
 * place. */
static gboolean
put_in_order (GArray *points)
{
  for (guint p = points->len; p > 0; p--)
    if (!isfinite (g_array_index (points, AssayCurvePoint, p - 1).setting))
      g_array_remove_index (points, p - 1);
  g_array_sort (points, compare_places);
  for (guint p = points->len; p > 1; p--) {
    const AssayCurvePoint *one = &g_array_index (points, AssayCurvePoint, p - 1);

    if (one->setting != (one - 1)->setting)
      continue;
    if (one->y.value != (one - 1)->y.value)
      return FALSE;
    g_array_remove_index (points, p - 1);
  }
  return points->len > 0;
}

/* What @claim bounds on one axis; NULL: nothing that can be drawn. */
static AssayCurveBound *
bound_of (const AssayResultClaim *claim, const AssayCurve *curve, gboolean is_x)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (AssayCurvePoint));
  Search search = { claim, curve, is_x, points, TRUE, TRUE };
  AssayCurveBound *bound;
  gboolean is_level;

  ASSAY_FOR_EACH (const AssayCurveLine, line, curve->lines) {
    ASSAY_FOR_EACH_IN (const AssayCurvePoint, point, line->points) {
      look_at (&search, point);
    }
  }
  if (points->len == 0)
    return NULL;
  is_level = search.is_level && search.is_of_axis;
  if (!is_level && (curve->kind != ASSAY_CURVE_SWEEP || is_x || !put_in_order (points)))
    return NULL;
  bound = g_new0 (AssayCurveBound, 1);
  bound->claim = g_strdup (claim->id);
  bound->is_x = is_x;
  bound->is_at_most = claim->is_at_most;
  if (is_level) {
    const AssayCurvePoint *first = &g_array_index (points, AssayCurvePoint, 0);

    bound->level = is_x ? first->x.value : first->y.value;
  } else {
    bound->level = NAN;
    bound->points = g_steal_pointer (&points);
  }
  return bound;
}

void
assay_curve_add_claims (AssayCurve *curve, const AssayResults *results)
{
  curve->bounds = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_curve_bound_free);
  ASSAY_FOR_EACH (const AssayResultClaim, claim, results->claims) {
    for (guint is_x = 0; is_x < 2; is_x++) {
      AssayCurveBound *bound = bound_of (claim, curve, is_x == 1);

      if (bound != NULL)
        g_ptr_array_add (curve->bounds, bound);
    }
  }
}
