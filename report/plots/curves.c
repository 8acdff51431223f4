/* Curves: what can be read from their points. */
#include "report/plots/curves.h"

#include <math.h>
#include <string.h>

/* ---- Freeing ---- */

static ASSAY_CLEAR_FUNC (AssayCurveAxis, axis_clear, g_free (self->name), g_free (self->unit),
                         g_free (self->direction))

ASSAY_FREE_FUNC (AssayCurveLine, assay_curve_line_free, g_free (self->name), g_free (self->swept),
                 g_array_unref (self->points))

ASSAY_FREE_FUNC (AssayCurveBound, assay_curve_bound_free, g_free (self->claim),
                 assay_drop (self->points, g_array_unref))

ASSAY_FREE_FUNC (AssayCurve, assay_curve_free, g_free (self->name), g_free (self->title),
                 g_free (self->dataset), axis_clear (&self->x), axis_clear (&self->y),
                 g_ptr_array_unref (self->lines), assay_drop (self->bounds, g_ptr_array_unref))

/* ---- Scales ---- */

static gboolean
are_powers_of_two (const double *values, gsize n)
{
  int exponent;

  for (gsize i = 0; i < n; i++)
    if (frexp (values[i], &exponent) != 0.5)
      return FALSE;
  return TRUE;
}

gboolean
assay_curve_is_geometric (const double *values, gsize n)
{
  double least_step = INFINITY, most_step = 0, least_factor = INFINITY, most_factor = 0;
  gsize n_distinct = 0;
  g_autofree double *sorted = g_new (double, MAX (n, 1));

  for (gsize i = 0; i < n; i++) {
    gsize place = 0;

    while (place < n_distinct && sorted[place] < values[i])
      place++;
    if (!(values[i] > 0))
      return FALSE;
    if (place < n_distinct && sorted[place] == values[i])
      continue;
    memmove (sorted + place + 1, sorted + place, (n_distinct - place) * sizeof *sorted);
    sorted[place] = values[i];
    n_distinct++;
  }
  if (n_distinct < 3)
    return n_distinct == 2 && sorted[1] >= 10 * sorted[0];
  for (gsize i = 1; i < n_distinct; i++) {
    const double step = sorted[i] - sorted[i - 1];
    const double factor = log (sorted[i] / sorted[i - 1]);

    least_step = MIN (least_step, step);
    most_step = MAX (most_step, step);
    least_factor = MIN (least_factor, factor);
    most_factor = MAX (most_factor, factor);
  }
  return (sorted[n_distinct - 1] >= 5 * sorted[0] || are_powers_of_two (sorted, n_distinct))
         && most_factor / least_factor < most_step / least_step;
}

/* ---- Pareto-optimal points ---- */

/* How good a point is: higher is better in both. */
typedef struct {
  double privacy;
  double utility;
  AssayCurvePoint *point;
} Merit;

/* The most private first; of equals the most useful. */
static gint
compare_merits (gconstpointer a, gconstpointer b)
{
  const Merit *left = a;
  const Merit *right = b;

  if (left->privacy != right->privacy)
    return left->privacy > right->privacy ? -1 : 1;
  return (right->utility > left->utility) - (right->utility < left->utility);
}

static GArray *
collect_merits (const AssayCurve *curve)
{
  GArray *merits = g_array_new (FALSE, FALSE, sizeof (Merit));

  ASSAY_FOR_EACH (const AssayCurveLine, line, curve->lines) {
    ASSAY_FOR_EACH_IN (AssayCurvePoint, point, line->points) {
      const Merit merit
          = { .privacy = curve->x.measure->higher_is_worse ? -point->x.value : point->x.value,
              .utility = curve->y.measure->higher_is_worse ? -point->y.value : point->y.value,
              .point = point };

      point->is_optimal = FALSE;
      if (isfinite (merit.privacy) && isfinite (merit.utility) && !point->is_doubtful)
        g_array_append_val (merits, merit);
    }
  }
  return merits;
}

/* From the most private on, a point is optimal where it is more useful than all that are more
 * private, and as useful as any that is as private. */
void
assay_curve_mark_optimal (AssayCurve *curve)
{
  g_autoptr (GArray) merits = collect_merits (curve);
  double most = -INFINITY;

  g_array_sort (merits, compare_merits);
  for (guint first = 0, end; first < merits->len; first = end) {
    const Merit *best = &g_array_index (merits, Merit, first);

    for (end = first; end < merits->len; end++) {
      const Merit *merit = &g_array_index (merits, Merit, end);

      if (merit->privacy != best->privacy)
        break;
      merit->point->is_optimal = merit->utility == best->utility && best->utility > most;
    }
    most = MAX (most, best->utility);
  }
}

/* ---- Words ---- */

static gboolean
has_doubtful (const AssayCurve *curve)
{
  ASSAY_FOR_EACH (const AssayCurveLine, line, curve->lines) {
    for (guint p = 0; p < line->points->len; p++)
      if (g_array_index (line->points, AssayCurvePoint, p).is_doubtful)
        return TRUE;
  }
  return FALSE;
}

static double
confidence_of (const AssayCurve *curve)
{
  const AssayCurveLine *line = curve->lines->pdata[0];

  return g_array_index (line->points, AssayCurvePoint, 0).y.measurement->confidence;
}

static gboolean
is_bound (const AssayCurveAxis *axis)
{
  return axis->measure != NULL && axis->measure->is_epsilon;
}

char *
assay_curve_note (const AssayCurve *curve)
{
  GString *note = g_string_new (NULL);

  if (!is_bound (&curve->y))
    g_string_append_printf (note, "Bars and bands are %g %% intervals, each by itself.",
                            100 * confidence_of (curve));
  if (is_bound (&curve->x) || is_bound (&curve->y))
    g_string_append_printf (note,
                            "%sAn audited epsilon is a certified lower bound, at %g %%: what is "
                            "true may be larger.",
                            note->len > 0 ? " " : "", 100 * confidence_of (curve));
  if (curve->has_most_only)
    g_string_append (note, " Of several attacks the one that leaks most at a point is drawn; its "
                           "interval does not allow for the choice.");
  if (curve->bounds != NULL && curve->bounds->len > 0)
    g_string_append (note, " Grey dots: what claims allow.");
  if (curve->kind == ASSAY_CURVE_TRADE_OFF)
    g_string_append (note,
                     " Rings: Pareto-optimal, by point estimates alone: intervals that overlap "
                     "may leave the order open.");
  if (has_doubtful (curve))
    g_string_append (note, " Crosses: a control failed or a trial ended in an error, so that a "
                           "small leak there shows nothing.");
  if (curve->lines->len > ASSAY_CURVE_MAX_LINES)
    g_string_append_printf (note, " %d of %u lines are drawn%s; the data has all.",
                            ASSAY_CURVE_MAX_LINES, curve->lines->len,
                            curve->kind == ASSAY_CURVE_TRADE_OFF
                                ? ", those with Pareto-optimal points before others"
                                : ", those along a setting before levels");
  if (curve->is_unfinished)
    g_string_append (note, " The run is not finished: cells that have not been run are not drawn.");
  return g_string_free (note, FALSE);
}
