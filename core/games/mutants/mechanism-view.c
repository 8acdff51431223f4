/* What can be seen of a mechanism by running it. */
#include "core/games/mutants/mechanism-view.h"

#include <math.h>

#include "core/base/vectors.h"
#include "core/plugin/oracle.h"

#define LOOKED_AT ASSAY_PANEL_RUNS
/* Of so many outputs a discrete column has at most a quarter as many values. */
#define MANY_VALUES (LOOKED_AT / 4)
#define RARE 0.995

ASSAY_FREE_FUNC (AssayMechanismView, assay_mechanism_view_free, g_free (self->first),
                 g_free (self->second), g_free (self->spread), g_free (self->reach))

gboolean
assay_mechanism_view_run (const AssayMechanismView *view, AssayStream *stream, const float *input,
                          gsize count, double *ret_outputs, GError **error)
{
  const AssayMechanism *mechanism = view->mechanism;
  const gsize n = count * view->n_outputs;
  g_autofree float *singles = NULL;

  if (mechanism->batches != NULL)
    return mechanism->batches->run_many (
        view->settings, stream, (AssayInput){ input, view->n_inputs }, count, ret_outputs, error);
  if (mechanism->doubles != NULL) {
    mechanism->doubles->run (view->settings, view->cols, stream, input, count, ret_outputs);
    return TRUE;
  }
  singles = assay_alloc (n, sizeof (float), "outputs", error);
  if (singles == NULL)
    return FALSE;
  mechanism->run (view->settings, view->cols, stream, input, count, singles);
  for (gsize i = 0; i < n; i++)
    ret_outputs[i] = singles[i];
  return TRUE;
}

static gboolean
load_pair (AssayMechanismView *view, GError **error)
{
  const AssayMechanism *mechanism = view->mechanism;
  AssayStream stream = assay_stream (assay_stream_key (0, 0, "mutant", "pair"), 0);

  view->first = g_new0 (float, view->n_inputs + 1);
  view->second = g_new0 (float, view->n_inputs + 1);
  if (mechanism->batches == NULL)
    mechanism->pair (view->settings, view->cols, 0, &stream, view->first, view->second);
  else if (!mechanism->batches->load_pair (view->settings, 0, view->n_inputs, view->first,
                                           view->second, error))
    return FALSE;
  view->low = G_MAXDOUBLE;
  view->high = -G_MAXDOUBLE;
  for (gsize i = 0; i < 2 * view->n_inputs; i++) {
    const double value = i < view->n_inputs ? view->first[i] : view->second[i - view->n_inputs];

    if (isfinite (value)) {
      view->low = MIN (view->low, value);
      view->high = MAX (view->high, value);
    }
  }
  return TRUE;
}

/* Column @c of @count outputs, ascending; what is not finite counts as 0. */
static void
sort_column (const AssayMechanismView *view, const double *outputs, gsize count, gsize c,
             double *ret_sorted)
{
  for (gsize i = 0; i < count; i++) {
    const double value = outputs[i * view->n_outputs + c];

    ret_sorted[i] = isfinite (value) ? value : 0;
  }
  qsort (ret_sorted, count, sizeof *ret_sorted, assay_compare_doubles);
}

static gsize
count_values (const double *sorted)
{
  gsize n = 1;

  for (gsize i = 1; i < LOOKED_AT; i++)
    n += sorted[i] != sorted[i - 1];
  return n;
}

/* The median and the next value above it, or below where there is none. */
static void
find_edge (AssayMechanismView *view, const double *sorted)
{
  const double edge = sorted[LOOKED_AT / 2];
  gsize above = LOOKED_AT / 2, below = LOOKED_AT / 2;

  while (above + 1 < LOOKED_AT && sorted[above] == edge)
    above++;
  while (below > 0 && sorted[below] == edge)
    below--;
  view->edge = edge;
  view->beyond = sorted[above] != edge ? sorted[above] : sorted[below];
}

static void
look_at_column (AssayMechanismView *view, const double *outputs, gsize c)
{
  g_autofree double *sorted = g_new (double, LOOKED_AT);
  double median;
  gsize n;

  sort_column (view, outputs, LOOKED_AT, c, sorted);
  median = sorted[LOOKED_AT / 2];
  n = count_values (sorted);
  view->largest = MAX (view->largest, MAX (fabs (sorted[0]), fabs (sorted[LOOKED_AT - 1])));
  if (c == 0)
    view->has_numbers = n > MANY_VALUES;
  if (n > 1 && n <= MANY_VALUES && view->discrete_column == view->n_outputs) {
    view->discrete_column = c;
    find_edge (view, sorted);
  }
  for (gsize i = 0; i < LOOKED_AT; i++) {
    sorted[i] = fabs (sorted[i] - median);
    view->spread[c] += sorted[i] / LOOKED_AT;
  }
  qsort (sorted, LOOKED_AT, sizeof *sorted, assay_compare_doubles);
  view->reach[c] = sorted[(gsize) (RARE * LOOKED_AT)];
  if (!(view->spread[c] > 0))
    view->spread[c] = 1;
}

static gboolean
look (AssayMechanismView *view, GError **error)
{
  AssayStream stream = assay_stream (assay_stream_key (0, 0, "mutant", "look"), 0);
  g_autofree double *outputs
      = assay_alloc (LOOKED_AT, view->n_outputs * sizeof (double), "outputs", error);

  if (outputs == NULL
      || !assay_mechanism_view_run (view, &stream, view->first, LOOKED_AT, outputs, error))
    return FALSE;
  view->spread = g_new0 (double, view->n_outputs);
  view->reach = g_new0 (double, view->n_outputs);
  view->discrete_column = view->n_outputs;
  for (gsize c = 0; c < view->n_outputs; c++)
    look_at_column (view, outputs, c);
  return TRUE;
}

AssayMechanismView *
assay_mechanism_view_new (const AssayMechanism *mechanism, gconstpointer settings, gsize cols,
                          GError **error)
{
  g_autoptr (AssayMechanismView) view = g_new0 (AssayMechanismView, 1);

  view->mechanism = mechanism;
  view->settings = settings;
  view->cols = cols;
  view->is_double = mechanism->batches != NULL || mechanism->doubles != NULL;
  mechanism->size (settings, cols, &view->n_inputs, &view->n_outputs);
  return load_pair (view, error) && look (view, error) ? g_steal_pointer (&view) : NULL;
}

gboolean
assay_mechanism_view_centre (const AssayMechanismView *view, const float *input, double *ret_centre,
                             GError **error)
{
  AssayStream stream = assay_stream (assay_stream_key (0, 0, "mutant", "centre"), 0);
  g_autofree double *sorted = g_new (double, LOOKED_AT);
  g_autofree double *outputs
      = assay_alloc (LOOKED_AT, view->n_outputs * sizeof (double), "outputs", error);

  if (outputs == NULL
      || !assay_mechanism_view_run (view, &stream, input, LOOKED_AT, outputs, error))
    return FALSE;
  for (gsize c = 0; c < view->n_outputs; c++) {
    sort_column (view, outputs, LOOKED_AT, c, sorted);
    ret_centre[c] = (sorted[LOOKED_AT / 2] + sorted[LOOKED_AT / 2 - 1]) / 2;
  }
  return TRUE;
}

/* A number that is not there (the rows of an absent record) counts as one below all others. */
static double
number_of (const AssayMechanismView *view, float value)
{
  return isfinite (value) ? value : view->low - 1;
}

gboolean
assay_mechanism_view_is_second (const AssayMechanismView *view, const float *input)
{
  double sum = 0;

  for (gsize i = 0; i < view->n_inputs; i++) {
    const double first = number_of (view, view->first[i]);
    const double second = number_of (view, view->second[i]);

    sum += (number_of (view, input[i]) - (first + second) / 2) * (second - first);
  }
  return sum > 0;
}
