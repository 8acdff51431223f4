/* Defenses of several runs on common axes. */
#include "runner/judge/compare.h"

#include "runner/judge/compare-check.h"
#include "runner/judge/compare-pair.h"
#include "runner/store/folder.h"

static void
point_clear (gpointer data)
{
  AssayComparePoint *point = data;

  g_free (point->name);
  g_clear_pointer (&point->attacks, g_ptr_array_unref);
}

static void
pair_clear (gpointer data)
{
  g_free (((AssayComparePair *) data)->why_not);
}

static void
axis_free (AssayCompareAxis *axis)
{
  g_array_unref (axis->points);
  g_array_unref (axis->pairs);
  g_free (axis);
}

void
assay_compared_free (AssayCompared *compared)
{
  if (compared == NULL)
    return;
  g_ptr_array_unref (compared->names);
  g_ptr_array_unref (compared->axes);
  g_ptr_array_unref (compared->notes);
  g_free (compared);
}

double
assay_compare_margin (const AssayCompared *compared, const AssayMeasure *measure)
{
  return measure->low > -G_MAXDOUBLE && measure->high < G_MAXDOUBLE
             ? compared->margin * (measure->high - measure->low)
             : 0;
}

static const AssayKeptRun *
run_of (const AssayCompared *compared, guint i)
{
  return compared->runs->pdata[i];
}

static void
note (AssayCompared *compared, char *taken)
{
  if (g_ptr_array_find_with_equal_func (compared->notes, taken, g_str_equal, NULL))
    g_free (taken);
  else
    g_ptr_array_add (compared->notes, taken);
}

/* ---- Names ---- */

/* The last part of each folder where that is enough to tell them apart, or all of it. */
static gboolean
name_runs (AssayCompared *compared, GError **error)
{
  for (guint i = 0; i < compared->runs->len; i++) {
    const char *folder = run_of (compared, i)->folder;
    g_autofree char *own = assay_folder_canonical (folder);
    char *base = g_path_get_basename (own);

    for (guint j = 0; j < compared->runs->len; j++) {
      g_autofree char *other = assay_folder_canonical (run_of (compared, j)->folder);
      g_autofree char *other_base = g_path_get_basename (other);

      if (j < i && g_str_equal (own, other)) {
        g_free (base);
        return assay_fail (error, ASSAY_ERROR_MISMATCH,
                           "%s stands twice; expected the folders of different runs", folder);
      }
      if (j != i && g_str_equal (base, other_base)) {
        g_free (base);
        base = g_strdup (folder);
        break;
      }
    }
    g_ptr_array_add (compared->names, base);
  }
  return TRUE;
}

static gboolean
has_defense (const AssayPlan *plan, const char *name)
{
  for (guint i = 0; i < plan->defenses->len; i++)
    if (g_str_equal (assay_plan_part (plan->defenses, i)->name, name))
      return TRUE;
  return FALSE;
}

static char *
name_defense (const AssayCompared *compared, guint run, guint defense)
{
  const char *name = assay_plan_part (run_of (compared, run)->plan->defenses, defense)->name;

  for (guint r = 0; r < compared->runs->len; r++)
    if (r != run && has_defense (run_of (compared, r)->plan, name))
      return g_strdup_printf ("%s of %s", name, (const char *) compared->names->pdata[run]);
  return g_strdup (name);
}

/* ---- Points ---- */

static const AssayMeasurement *
find_measurement (const AssayResultCell *cell, const AssayMeasure *measure,
                  const AssaySettings *settings)
{
  for (guint i = 0; i < cell->measurements->len; i++) {
    const AssayMeasurement *one = &g_array_index (cell->measurements, AssayMeasurement, i);

    if (one->measure == measure && one->settings == settings)
      return one;
  }
  return NULL;
}

static gboolean
is_on_point (const AssayResultCell *cell, guint dataset, guint defense)
{
  return cell->dataset.index == dataset && cell->defense.index == defense;
}

/* A cell that did not end well shows nothing. */
static gboolean
is_shown (AssayCompared *compared, guint run, const AssayResultCell *cell)
{
  if (cell->status == ASSAY_CELL_OK)
    return TRUE;
  note (compared, g_strdup_printf ("%s: %s against %s is left out: %s",
                                   (const char *) compared->names->pdata[run], cell->player.name,
                                   cell->defense.name,
                                   *cell->message != '\0' ? cell->message
                                                          : assay_cell_status_name (cell->status)));
  return FALSE;
}

static gboolean
leaks_more (const AssayMeasure *measure, const AssayMeasurement *a, const AssayMeasurement *b)
{
  return measure->higher_is_worse ? a->interval.estimate > b->interval.estimate
                                  : a->interval.estimate < b->interval.estimate;
}

static void
find_leak (AssayCompared *compared, const AssayCompareAxis *axis, const AssaySettings *settings,
           AssayComparePoint *point)
{
  const GPtrArray *pooled = run_of (compared, point->run)->results->pooled;

  for (guint i = 0; i < pooled->len; i++) {
    const AssayResultCell *cell = pooled->pdata[i];
    const AssayMeasurement *leak;

    if (cell->is_utility || !is_on_point (cell, axis->dataset, point->defense))
      continue;
    if (!is_shown (compared, point->run, cell)) {
      point->failed = cell;
      continue;
    }
    leak = find_measurement (cell, axis->privacy, settings);
    if (leak == NULL)
      continue;
    if (assay_result_lacks_control (run_of (compared, point->run)->plan, cell)
        || assay_result_short_reach (cell) != NULL)
      point->silent = cell;
    g_ptr_array_add (point->attacks, (gpointer) cell);
    if (point->leak == NULL || leaks_more (axis->privacy, leak, point->leak)) {
      point->attack = cell;
      point->leak = leak;
    }
  }
}

static void
find_use (AssayCompared *compared, const AssayCompareAxis *axis, const AssaySettings *settings,
          AssayComparePoint *point)
{
  const GPtrArray *pooled = run_of (compared, point->run)->results->pooled;

  for (guint i = 0; i < pooled->len; i++) {
    const AssayResultCell *cell = pooled->pdata[i];

    if (!cell->is_utility || !is_on_point (cell, axis->dataset, point->defense)
        || cell->player.settings != settings || !is_shown (compared, point->run, cell))
      continue;
    point->utility = cell;
    point->use = find_measurement (cell, axis->utility, settings);
  }
}

static void
add_points (AssayCompared *compared, AssayCompareAxis *axis, guint run, const AssayPart *metric)
{
  const AssayPlan *plan = run_of (compared, run)->plan;
  const gint m = assay_compare_find_part (plan->metrics, metric);
  const gint u
      = axis->utility != NULL ? assay_compare_find_part (plan->utilities, axis->utility_part) : -1;

  for (guint d = 0; d < plan->defenses->len; d++) {
    AssayComparePoint point = { .run = run, .defense = d, .attacks = g_ptr_array_new () };

    find_leak (compared, axis, assay_plan_part (plan->metrics, (guint) m)->settings, &point);
    if (u >= 0)
      find_use (compared, axis, assay_plan_part (plan->utilities, (guint) u)->settings, &point);
    if (point.leak == NULL || (axis->utility != NULL && point.use == NULL)) {
      point_clear (&point);
      continue;
    }
    point.name = name_defense (compared, run, d);
    g_array_append_val (axis->points, point);
  }
}

double
assay_compare_gain (const AssayMeasure *measure, const AssayMeasurement *a,
                    const AssayMeasurement *b)
{
  const double difference = a->interval.estimate - b->interval.estimate;

  return measure->higher_is_worse ? -difference : difference;
}

static void
mark_optimal (AssayCompareAxis *axis)
{
  for (guint i = 0; i < axis->points->len; i++) {
    AssayComparePoint *point = &g_array_index (axis->points, AssayComparePoint, i);

    point->is_optimal = TRUE;
    for (guint j = 0; j < axis->points->len; j++) {
      const AssayComparePoint *other = &g_array_index (axis->points, AssayComparePoint, j);
      const double leak = assay_compare_gain (axis->privacy, other->leak, point->leak);
      const double use
          = axis->utility != NULL ? assay_compare_gain (axis->utility, other->use, point->use) : 0;

      if (leak >= 0 && use >= 0 && (leak > 0 || use > 0))
        point->is_optimal = FALSE;
    }
  }
}

/* ---- Axes ---- */

static void
add_axis (AssayCompared *compared, guint dataset, const AssayPart *metric,
          const AssayMeasure *privacy, const AssayPart *utility_part, const AssayMeasure *utility)
{
  AssayCompareAxis *axis = g_new0 (AssayCompareAxis, 1);
  guint n_runs = 0;

  axis->dataset = dataset;
  axis->privacy = privacy;
  axis->privacy_settings = metric->settings;
  axis->privacy_says = assay_measure_direction ((const AssayMetric *) metric->plugin, privacy);
  axis->utility = utility;
  axis->utility_part = utility_part;
  if (utility != NULL)
    axis->utility_says
        = assay_measure_direction ((const AssayMetric *) utility_part->plugin, utility);
  axis->points = g_array_new (FALSE, FALSE, sizeof (AssayComparePoint));
  g_array_set_clear_func (axis->points, point_clear);
  axis->pairs = g_array_new (FALSE, FALSE, sizeof (AssayComparePair));
  g_array_set_clear_func (axis->pairs, pair_clear);
  for (guint r = 0; r < compared->runs->len; r++) {
    const guint before = axis->points->len;

    add_points (compared, axis, r, metric);
    n_runs += axis->points->len > before;
  }
  if (n_runs < 2) { /* a metric that applies to the releases of one run alone */
    axis_free (axis);
    return;
  }
  mark_optimal (axis);
  g_ptr_array_add (compared->axes, axis);
}

/* The parts of the first run that all have; others are noted. */
static GPtrArray *
common_parts (AssayCompared *compared, gboolean is_utility, GError **error)
{
  const AssayPlan *plan = run_of (compared, 0)->plan;
  const GPtrArray *parts = is_utility ? plan->utilities : plan->metrics;
  g_autoptr (GPtrArray) common = g_ptr_array_new ();

  for (guint i = 0; i < parts->len; i++) {
    AssayPart *part = parts->pdata[i];
    gboolean is_common;
    guint lacks;

    if (!assay_compare_is_common (compared->runs, compared->names, part, is_utility, &is_common,
                                  &lacks, error))
      return NULL;
    if (is_common)
      g_ptr_array_add (common, part);
    else
      note (compared, g_strdup_printf ("%s %s is left out: %s does not have it",
                                       is_utility ? "utility" : "metric", part->label,
                                       (const char *) compared->names->pdata[lacks]));
  }
  return g_steal_pointer (&common);
}

/* All axes of one measure of privacy: one for each measure of each utility, or one without. */
static void
add_privacy (AssayCompared *compared, guint dataset, const AssayPart *metric,
             const AssayMeasure *privacy, const GPtrArray *utilities)
{
  if (utilities->len == 0)
    add_axis (compared, dataset, metric, privacy, NULL, NULL);
  for (guint u = 0; u < utilities->len; u++) {
    const AssayPart *part = utilities->pdata[u];

    for (const AssayMeasure *use = ((const AssayMetric *) part->plugin)->measures;
         use->name != NULL; use++)
      if (use->is_headline)
        add_axis (compared, dataset, metric, privacy, part, use);
  }
}

static gboolean
add_axes (AssayCompared *compared, GError **error)
{
  g_autoptr (GPtrArray) metrics = common_parts (compared, FALSE, error);
  g_autoptr (GPtrArray) utilities = metrics != NULL ? common_parts (compared, TRUE, error) : NULL;

  if (utilities == NULL)
    return FALSE;
  for (guint d = 0; d < run_of (compared, 0)->plan->datasets->len; d++)
    for (guint m = 0; m < metrics->len; m++) {
      const AssayPart *metric = metrics->pdata[m];

      for (const AssayMeasure *one = ((const AssayMetric *) metric->plugin)->measures;
           one->name != NULL; one++)
        if (one->is_headline)
          add_privacy (compared, d, metric, one, utilities);
    }
  return compared->axes->len > 0
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "%s and %s cannot be compared: no measure of privacy applies to both",
                        (const char *) compared->names->pdata[0],
                        (const char *) compared->names->pdata[1]);
}

static void
note_versions (AssayCompared *compared)
{
  const char *first = run_of (compared, 0)->version;

  for (guint r = 1; r < compared->runs->len; r++)
    if (!g_str_equal (run_of (compared, r)->version, first))
      note (compared, g_strdup_printf ("%s was made by Assay %s, %s by %s",
                                       (const char *) compared->names->pdata[0], first,
                                       (const char *) compared->names->pdata[r],
                                       run_of (compared, r)->version));
}

AssayCompared *
assay_compare (const GPtrArray *runs, double margin, GError **error)
{
  g_autoptr (AssayCompared) compared = g_new0 (AssayCompared, 1);

  compared->runs = runs;
  compared->names = g_ptr_array_new_with_free_func (g_free);
  compared->axes = g_ptr_array_new_with_free_func ((GDestroyNotify) axis_free);
  compared->notes = g_ptr_array_new_with_free_func (g_free);
  compared->margin = margin;
  compared->confidence = run_of (compared, 0)->plan->confidence;
  if (!name_runs (compared, error) || !assay_compare_check (runs, compared->names, error))
    return NULL;
  note_versions (compared);
  if (!add_axes (compared, error) || !assay_compare_test_pairs (compared, error))
    return NULL;
  return g_steal_pointer (&compared);
}
