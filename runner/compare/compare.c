/* Defenses of several runs on common axes. */
#include "runner/compare/compare.h"

#include "core/base/each.h"
#include "core/base/text.h"
#include "runner/compare/compare-check.h"
#include "runner/compare/compare-pair.h"
#include "runner/compare/saved-run.h"
#include "runner/store/folder.h"

static ASSAY_CLEAR_FUNC (AssayComparePoint, point_clear, g_free (self->name),
                         assay_drop (self->attacks, g_ptr_array_unref))

static ASSAY_CLEAR_FUNC (AssayComparePair, pair_clear, g_free (self->why_not))

static ASSAY_FREE_FUNC (AssayCompareAxis, axis_free, g_array_unref (self->points),
                        g_array_unref (self->pairs))

ASSAY_FREE_FUNC (AssayCompared, assay_compared_free, g_array_unref (self->runs),
                 g_ptr_array_unref (self->names), g_ptr_array_unref (self->axes),
                 g_ptr_array_unref (self->notes))

/* What the making of a comparison knows beside its result. */
typedef struct {
  AssayCompared *compared;
  const GPtrArray *runs; /* AssaySavedRun */
} Maker;

static const AssayPlan *
plan_of (const Maker *maker, guint i)
{
  return ((const AssaySavedRun *) maker->runs->pdata[i])->plan;
}

static const AssayResults *
results_of (const AssayCompared *compared, guint i)
{
  return assay_compared_run (compared, i)->results;
}

static const char *
name_of (const AssayCompared *compared, guint i)
{
  return assay_compared_run (compared, i)->name;
}

/* ---- Names ---- */

/* The last part of each folder where that is enough to tell them apart, or all of it. */
static gboolean
add_runs (AssayCompared *compared, const GPtrArray *runs, GError **error)
{
  for (guint i = 0; i < runs->len; i++) {
    const AssaySavedRun *run = runs->pdata[i];
    AssayComparedRun plain = { NULL, run->folder, run->version, run->results };
    g_autofree char *own = assay_folder_canonical (run->folder);
    char *base = g_path_get_basename (own);

    for (guint j = 0; j < runs->len; j++) {
      g_autofree char *other
          = assay_folder_canonical (((const AssaySavedRun *) runs->pdata[j])->folder);
      g_autofree char *other_base = g_path_get_basename (other);

      if (j < i && g_str_equal (own, other)) {
        g_free (base);
        return assay_fail (error, ASSAY_ERROR_MISMATCH,
                           "%s appears twice; expected the folders of different runs", run->folder);
      }
      if (j != i && g_str_equal (base, other_base)) {
        g_free (base);
        base = g_strdup (run->folder);
        break;
      }
    }
    plain.name = base;
    g_ptr_array_add (compared->names, base);
    g_array_append_val (compared->runs, plain);
  }
  return TRUE;
}

static gboolean
has_defense (const AssayResults *results, const char *name)
{
  for (guint i = 0; i < results->defenses->len; i++)
    if (g_str_equal (assay_result_component (results->defenses, i)->name, name))
      return TRUE;
  return FALSE;
}

static char *
name_defense (const AssayCompared *compared, guint run, const char *name)
{
  for (guint r = 0; r < compared->runs->len; r++)
    if (r != run && has_defense (results_of (compared, r), name))
      return g_strdup_printf ("%s (run %s)", name, name_of (compared, run));
  return g_strdup (name);
}

/* ---- Points ---- */

static gboolean
is_on_point (const AssayResultCell *cell, const AssayCompareAxis *axis,
             const AssayComparePoint *point)
{
  return cell->dataset->index == axis->dataset->index && cell->defense == point->defense;
}

/* A cell that did not end well shows nothing. */
static gboolean
is_shown (AssayCompared *compared, guint run, const AssayResultCell *cell)
{
  if (cell->status == ASSAY_RESULT_OK)
    return TRUE;
  assay_names_take (compared->notes,
                    g_strdup_printf ("%s: %s against %s is left out: %s", name_of (compared, run),
                                     cell->attack_or_utility->name, cell->defense->name,
                                     *cell->message != '\0'
                                         ? cell->message
                                         : assay_result_status_name (cell->status)));
  return FALSE;
}

static gboolean
leaks_more (const AssayResultMeasure *measure, const AssayMeasurement *a, const AssayMeasurement *b)
{
  return measure->higher_is_worse ? a->interval.estimate > b->interval.estimate
                                  : a->interval.estimate < b->interval.estimate;
}

static void
find_leak (AssayCompared *compared, const AssayCompareAxis *axis,
           const AssayResultComponent *metric, AssayComparePoint *point)
{
  const GPtrArray *pooled = results_of (compared, point->run)->pooled;

  ASSAY_FOR_EACH (const AssayResultCell, cell, pooled) {
    const AssayMeasurement *leak;

    if (cell->is_utility || !is_on_point (cell, axis, point))
      continue;
    if (!is_shown (compared, point->run, cell)) {
      point->failed = cell;
      continue;
    }
    leak = assay_result_find_by (cell, axis->privacy, metric);
    if (leak == NULL)
      continue;
    if (assay_result_lacks_control (cell) || cell->lost_shape.n > 0
        || assay_result_short_reach (cell) != NULL)
      point->no_evidence = cell;
    g_ptr_array_add (point->attacks, (gpointer) cell);
    if (point->leak == NULL || leaks_more (axis->privacy, leak, point->leak)) {
      point->attack = cell;
      point->leak = leak;
    }
  }
}

static void
find_use (AssayCompared *compared, const AssayCompareAxis *axis,
          const AssayResultComponent *utility, AssayComparePoint *point)
{
  const GPtrArray *pooled = results_of (compared, point->run)->pooled;

  ASSAY_FOR_EACH (const AssayResultCell, cell, pooled) {
    if (!cell->is_utility || !is_on_point (cell, axis, point) || cell->attack_or_utility != utility
        || !is_shown (compared, point->run, cell))
      continue;
    point->utility = cell;
    point->use = assay_result_find_by (cell, axis->utility, utility);
  }
}

static void
add_points (const Maker *maker, AssayCompareAxis *axis, guint run)
{
  AssayCompared *compared = maker->compared;
  const AssayPlan *first = plan_of (maker, 0), *plan = plan_of (maker, run);
  const AssayResults *results = results_of (compared, run);
  const gint m = assay_compare_find_component (
      plan->metrics, assay_plan_component (first->metrics, axis->metric->index));
  const gint u
      = axis->utility != NULL ? assay_compare_find_component (
            plan->utilities, assay_plan_component (first->utilities, axis->utility_by->index))
                              : -1;

  for (guint d = 0; d < results->defenses->len; d++) {
    AssayComparePoint point = { .run = run,
                                .defense = assay_result_component (results->defenses, d),
                                .attacks = g_ptr_array_new () };

    find_leak (compared, axis, assay_result_component (results->metrics, (guint) m), &point);
    if (u >= 0)
      find_use (compared, axis, assay_result_component (results->utilities, (guint) u), &point);
    if (point.leak == NULL || (axis->utility != NULL && point.use == NULL)) {
      point_clear (&point);
      continue;
    }
    point.name = name_defense (compared, run, point.defense->name);
    g_array_append_val (axis->points, point);
  }
}

/* With one number there is nothing to trade off: sentences say what is shown to leak less. */
static void
mark_optimal (AssayCompareAxis *axis)
{
  if (axis->utility == NULL)
    return;
  ASSAY_FOR_EACH_IN (AssayComparePoint, point, axis->points) {
    point->is_optimal = TRUE;
    ASSAY_FOR_EACH_IN (const AssayComparePoint, other, axis->points) {
      const double leak = assay_compare_gain (axis->privacy, other->leak, point->leak);
      const double use = assay_compare_gain (axis->utility, other->use, point->use);

      if (leak >= 0 && use >= 0 && (leak > 0 || use > 0))
        point->is_optimal = FALSE;
    }
  }
}

/* ---- Axes ---- */

/* Keeps an axis, whose measures and components are set, if several runs stand on it. */
static void
add_axis (const Maker *maker, AssayCompareAxis one)
{
  AssayCompareAxis *axis = g_memdup2 (&one, sizeof one);
  guint n_runs = 0;

  axis->points = g_array_new (FALSE, FALSE, sizeof (AssayComparePoint));
  g_array_set_clear_func (axis->points, (GDestroyNotify) point_clear);
  axis->pairs = g_array_new (FALSE, FALSE, sizeof (AssayComparePair));
  g_array_set_clear_func (axis->pairs, (GDestroyNotify) pair_clear);
  for (guint r = 0; r < maker->runs->len; r++) {
    const guint before = axis->points->len;

    add_points (maker, axis, r);
    n_runs += axis->points->len > before;
  }
  if (n_runs < 2) { /* a metric that applies to the releases of one run alone */
    axis_free (axis);
    return;
  }
  mark_optimal (axis);
  g_ptr_array_add (maker->compared->axes, axis);
}

/* The metrics or utilities of the first run that all have; others are noted. */
static GPtrArray *
common_components (const Maker *maker, gboolean is_utility, GError **error)
{
  AssayCompared *compared = maker->compared;
  const AssayPlan *plan = plan_of (maker, 0);
  const GPtrArray *components = is_utility ? plan->utilities : plan->metrics;
  const AssayResults *results = results_of (compared, 0);
  g_autoptr (GPtrArray) common = g_ptr_array_new ();

  for (guint i = 0; i < components->len; i++) {
    const AssayComponent *component = assay_plan_component (components, i);
    gint lacks;

    if (!assay_compare_is_common (maker->runs, compared->names, component, is_utility, &lacks,
                                  error))
      return NULL;
    if (lacks < 0)
      g_ptr_array_add (common, (is_utility ? results->utilities : results->metrics)->pdata[i]);
    else
      assay_names_take (compared->notes,
                        g_strdup_printf ("%s %s is left out: %s does not have it",
                                         is_utility ? "utility" : "metric", component->label,
                                         name_of (compared, (guint) lacks)));
  }
  return g_steal_pointer (&common);
}

/* All axes of one measure of privacy: one for each measure of each utility, or one without. */
static void
add_privacy (const Maker *maker, AssayCompareAxis axis, const GPtrArray *utilities)
{
  if (utilities->len == 0)
    add_axis (maker, axis);
  for (guint u = 0; u < utilities->len; u++) {
    axis.utility_by = utilities->pdata[u];
    for (guint i = 0; i < axis.utility_by->measures->len; i++) {
      axis.utility = axis.utility_by->measures->pdata[i];
      if (axis.utility->is_headline && !axis.utility->is_reference)
        add_axis (maker, axis);
    }
  }
}

static gboolean
add_axes (const Maker *maker, GError **error)
{
  const GPtrArray *datasets = results_of (maker->compared, 0)->datasets;
  g_autoptr (GPtrArray) metrics = common_components (maker, FALSE, error);
  g_autoptr (GPtrArray) utilities = metrics != NULL ? common_components (maker, TRUE, error) : NULL;

  if (utilities == NULL)
    return FALSE;
  for (guint d = 0; d < datasets->len; d++)
    for (guint m = 0; m < metrics->len; m++) {
      AssayCompareAxis axis = { .dataset = datasets->pdata[d], .metric = metrics->pdata[m] };

      for (guint i = 0; i < axis.metric->measures->len; i++) {
        axis.privacy = axis.metric->measures->pdata[i];
        if (axis.privacy->is_headline && !axis.privacy->is_reference)
          add_privacy (maker, axis, utilities);
      }
    }
  return maker->compared->axes->len > 0
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "%s and %s cannot be compared: no measure of privacy applies to both",
                        name_of (maker->compared, 0), name_of (maker->compared, 1));
}

static void
note_versions (AssayCompared *compared)
{
  const char *first = assay_compared_run (compared, 0)->version;

  for (guint r = 1; r < compared->runs->len; r++) {
    const AssayComparedRun *run = assay_compared_run (compared, r);

    if (!g_str_equal (run->version, first))
      assay_names_take (compared->notes,
                        g_strdup_printf ("%s was made by Assay %s, %s by %s", name_of (compared, 0),
                                         first, run->name, run->version));
  }
}

AssayCompared *
assay_compare (const GPtrArray *runs, double margin, GError **error)
{
  g_autoptr (AssayCompared) compared = g_new0 (AssayCompared, 1);
  const Maker maker = { compared, runs };

  compared->runs = g_array_new (FALSE, FALSE, sizeof (AssayComparedRun));
  compared->names = g_ptr_array_new_with_free_func (g_free);
  compared->axes = g_ptr_array_new_with_free_func ((GDestroyNotify) axis_free);
  compared->notes = g_ptr_array_new_with_free_func (g_free);
  compared->margin = margin;
  if (!add_runs (compared, runs, error) || !assay_compare_check (runs, compared->names, error))
    return NULL;
  note_versions (compared);
  if (!add_axes (&maker, error) || !assay_compare_test_pairs (compared, runs, error))
    return NULL;
  return g_steal_pointer (&compared);
}
