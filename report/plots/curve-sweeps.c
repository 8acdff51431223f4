/* Sweeps: a measure over one setting that is swept. */
#include <math.h>
#include <string.h>

#include "report/plots/curve-maker.h"

/* What is drawn: one measure over one setting of one role. */
typedef struct {
  const AssayCurveMeasured *measured;
  AssayCurveRole role;
  const char *setting;
  const char *also; /* behind the names of lines; NULL: nothing */
  gboolean has_most_only;
  gboolean names_dataset; /* lines say which; as the two below */
  gboolean names_defense;
  gboolean names_attack;
} Sweep;

/* The component @index of @role, but for the setting that is swept. */
static void
append_name (GString *name, const AssayCurveMaker *maker, const Sweep *sweep, AssayCurveRole role,
             guint index)
{
  g_autofree char *own = assay_varied_name (maker->varied[role]->pdata[index],
                                            assay_result_component (maker->components[role], index),
                                            sweep->role == role ? sweep->setting : NULL);

  g_string_append_printf (name, "%s%s", name->len > 0 ? ", " : "", own);
}

static char *
sweep_line_name (const AssayCurveMaker *maker, const Sweep *sweep, const AssayResultCell *cell)
{
  GString *name = g_string_new (NULL);

  if (sweep->names_defense)
    append_name (name, maker, sweep, ASSAY_CURVE_OVER_DEFENSE, cell->defense->index);
  if (sweep->names_attack)
    append_name (name, maker, sweep,
                 cell->is_utility ? ASSAY_CURVE_OVER_UTILITY : ASSAY_CURVE_OVER_ATTACK,
                 cell->attack_or_utility->index);
  if (sweep->names_dataset)
    append_name (name, maker, sweep, ASSAY_CURVE_OVER_DATASET, cell->dataset->index);
  if (sweep->also != NULL)
    g_string_append_printf (name, " (%s)", sweep->also);
  return g_string_free (name, FALSE);
}

/* With one attack at each point, it has to leak more than what stands there. */
static void
add_sweep_point (AssayCurveLine *line, const AssayCurvePoint *point, const Sweep *sweep)
{
  for (guint p = 0; sweep->has_most_only && p < line->points->len; p++) {
    AssayCurvePoint *there = &g_array_index (line->points, AssayCurvePoint, p);

    if (there->setting != point->setting && !(isnan (there->setting) && isnan (point->setting)))
      continue;
    if (assay_curve_leaks_more (sweep->measured->measure, point->y.value, there->y.value))
      *there = *point;
    return;
  }
  g_array_append_val (line->points, *point);
}

/* Whether all numbers that vary in @other vary in @group too. */
static gboolean
varies_in_all (const AssayVaried *group, const AssayVaried *other)
{
  ASSAY_FOR_EACH (const AssayResultSetting, setting, other->varying) {
    if (setting->type == ASSAY_RESULT_NUMBER && assay_varied_find (group, setting->name) == NULL)
      return FALSE;
  }
  return TRUE;
}

/* Whether @group, of whose label the setting is not swept, is a level to compare the others with:
 * it sweeps nothing, or what those that do sweep the setting sweep as well. */
static gboolean
is_level (const AssayCurveMaker *maker, const Sweep *sweep, const AssayVaried *group)
{
  const GPtrArray *varied = maker->varied[sweep->role];

  for (guint i = 0; i < varied->len; i++) {
    const AssayVaried *other = varied->pdata[i];

    if (other->first == i && assay_varied_find (other, sweep->setting) != NULL
        && varies_in_all (other, group))
      return TRUE;
  }
  return FALSE;
}

static void
add_sweep_cell (const AssayCurveMaker *maker, AssayCurve *curve, GHashTable *by_name,
                const Sweep *sweep, const AssayResultCell *cell)
{
  const guint indices[] = { cell->defense->index, cell->attack_or_utility->index,
                            cell->attack_or_utility->index, cell->dataset->index };
  const guint index = indices[sweep->role];
  const AssayMeasurement *measurement = assay_curve_measurement (cell, sweep->measured);
  const AssayVaried *group;
  const AssayResultSetting *setting;
  AssayCurvePoint point = { .is_doubtful = cell->status != ASSAY_RESULT_OK };
  g_autofree char *name = NULL;

  if (measurement == NULL)
    return;
  point.y = assay_curve_value (cell, measurement);
  group = maker->varied[sweep->role]->pdata[index];
  setting = assay_varied_find (group, sweep->setting);
  if (!isfinite (point.y.value) || (setting == NULL && !is_level (maker, sweep, group)))
    return;
  point.setting = setting != NULL ? assay_varied_value (
                      assay_result_component (maker->components[sweep->role], index), setting)
                                  : NAN;
  point.x = (AssayCurveValue){ .value = point.setting, .lower = NAN, .upper = NAN };
  name = sweep_line_name (maker, sweep, cell);
  add_sweep_point (assay_curve_line (curve, by_name, name, setting != NULL ? setting->name : NULL),
                   &point, sweep);
}

/* The word that @reference has in place of one of @name, or beside its words: "floor" of edge-floor
 * beside edge-auc, "chance" of image-ssim-chance beside image-ssim. NULL: they differ in more. */
static char *
word_of (const char *name, const char *reference)
{
  g_auto (GStrv) own = g_strsplit (name, "-", -1);
  g_auto (GStrv) others = g_strsplit (reference, "-", -1);
  const guint n = g_strv_length (own), m = g_strv_length (others);
  guint first = 0, last = 0;

  while (first < MIN (n, m) && g_str_equal (own[first], others[first]))
    first++;
  while (last < MIN (n, m) - first && g_str_equal (own[n - last - 1], others[m - last - 1]))
    last++;
  return m - first - last == 1 && n - first - last <= 1 ? g_strdup (others[first]) : NULL;
}

/* What @reference is compared with, and the word for it: the first headline of its component that
 * is called alike. NULL: none is. */
static const AssayResultMeasure *
subject_of (const AssayResultComponent *component, const AssayResultMeasure *reference,
            char **ret_word)
{
  if (!reference->is_reference)
    return NULL;
  ASSAY_FOR_EACH (const AssayResultMeasure, measure, component->measures) {
    char *word = measure->is_headline && !measure->is_reference
                         && measure->is_share == reference->is_share
                     ? word_of (measure->name, reference->name)
                     : NULL;

    if (word != NULL) {
      *ret_word = word;
      return measure;
    }
  }
  return NULL;
}

/* Lines for comparison with those of the sweep. */
static void
add_references (const AssayCurveMaker *maker, AssayCurve *curve, GHashTable *by_name,
                const Sweep *sweep)
{
  ASSAY_FOR_EACH (const AssayResultMeasure, reference, sweep->measured->component->measures) {
    AssayCurveMeasured measured = *sweep->measured;
    Sweep one = *sweep;
    g_autofree char *word = NULL;

    if (sweep->has_most_only
        || subject_of (measured.component, reference, &word) != measured.measure)
      continue;
    one.also = word;
    measured.measure = reference;
    one.measured = &measured;
    ASSAY_FOR_EACH (const AssayResultCell, cell, maker->results->pooled)
      add_sweep_cell (maker, curve, by_name, &one, cell);
  }
}

/* Whether @measured is drawn beside another measure. */
static gboolean
is_beside_another (const AssayCurveMeasured *measured)
{
  g_autofree char *word = NULL;

  return subject_of (measured->component, measured->measure, &word) != NULL;
}

static AssayCurve *
make_sweep (const AssayCurveMaker *maker, const Sweep *sweep)
{
  const GPtrArray *pooled = maker->results->pooled;
  AssayCurve *curve = assay_curve_new (maker, ASSAY_CURVE_SWEEP);
  g_autoptr (GHashTable) by_name = g_hash_table_new (g_str_hash, g_str_equal);

  curve->x.name = g_strdup (sweep->setting);
  curve->x.unit = g_strdup ("");
  curve->x.direction = g_strdup ("");
  curve->y = assay_curve_axis (sweep->measured);
  curve->has_most_only = sweep->has_most_only;
  curve->title = g_strdup_printf (
      "%s over %s%s", curve->y.name,
      g_str_equal (sweep->setting, sweep->measured->measure->name) ? "the setting " : "",
      sweep->setting);
  for (guint i = 0; i < pooled->len; i++)
    add_sweep_cell (maker, curve, by_name, sweep, pooled->pdata[i]);
  add_references (maker, curve, by_name, sweep);
  return curve;
}

/* Whether the cells that have the measure differ in what @names, a member of Sweep, would say. */
static gboolean
count_names (const AssayCurveMaker *maker, const Sweep *sweep, gboolean *inout_names)
{
  const GPtrArray *pooled = maker->results->pooled;
  g_autofree char *first = NULL;
  gboolean differs = FALSE;

  *inout_names = TRUE;
  for (guint i = 0; i < pooled->len && !differs; i++) {
    g_autofree char *name = NULL;

    if (assay_curve_measurement (pooled->pdata[i], sweep->measured) == NULL)
      continue;
    name = sweep_line_name (maker, sweep, pooled->pdata[i]);
    differs = first != NULL && !g_str_equal (first, name);
    if (first == NULL)
      first = g_steal_pointer (&name);
  }
  *inout_names = FALSE;
  return differs;
}

static void
add_sweep (AssayCurveMaker *maker, const AssayCurveMeasured *measured, AssayCurveRole role,
           const AssayResultSetting *setting)
{
  Sweep sweep = { .measured = measured, .role = role, .setting = setting->name };
  gboolean has_datasets, has_defenses, has_attacks;
  g_autofree char *name = NULL;
  AssayCurve *curve;

  has_datasets = count_names (maker, &sweep, &sweep.names_dataset);
  has_defenses = count_names (maker, &sweep, &sweep.names_defense);
  has_attacks = count_names (maker, &sweep, &sweep.names_attack);
  sweep.names_dataset = has_datasets;
  sweep.names_attack = has_attacks;
  sweep.names_defense = has_defenses || (!has_datasets && !has_attacks);
  curve = make_sweep (maker, &sweep);
  if (curve->lines->len > ASSAY_CURVE_MAX_LINES && has_attacks && role != ASSAY_CURVE_OVER_ATTACK
      && measured->end == 0) {
    assay_curve_free (curve);
    sweep.has_most_only = TRUE;
    sweep.names_attack = FALSE;
    sweep.names_defense = TRUE;
    curve = make_sweep (maker, &sweep);
  }
  if (curve->x.unit[0] == '\0' && setting->unit != NULL) {
    g_free (curve->x.unit);
    curve->x.unit = g_strdup (setting->unit);
  }
  name = g_strdup_printf ("%s-over-%s", measured->measure->name, setting->name);
  assay_curve_finish (maker, curve, name);
}

void
assay_curve_add_sweeps (AssayCurveMaker *maker, const AssayCurveMeasured *measured,
                        AssayCurveRole role)
{
  const GPtrArray *varied = maker->varied[role];
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < varied->len && !is_beside_another (measured); i++) {
    const AssayVaried *group = varied->pdata[i];

    for (guint v = 0; group->first == i && v < group->varying->len; v++) {
      const AssayResultSetting *setting = group->varying->pdata[v];

      if (setting->type == ASSAY_RESULT_NUMBER
          && g_hash_table_add (names, (gpointer) setting->name))
        add_sweep (maker, measured, role, setting);
    }
  }
}
