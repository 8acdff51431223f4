/* How far attacks, or defenses of one usefulness, are apart on the very same secrets: paired
 * differences between the cells of a finished run, image by image, for the tables of docs.
 *
 *   attack-differences SCENARIO RUN-FOLDER MEASURE[,MEASURE] [DEFENSE/ATTACK]
 *
 * The unit is the group (photograph) where secrets come in groups, with the mean of its secrets,
 * and the metric's own unit where it has one. Of every two attacks on one release, and of every
 * attack and the reference DEFENSE/ATTACK (labels), the mean difference is printed with the t
 * interval of the run's confidence over units; an interval without 0 has a star. Where the measure
 * is a utility's, utilities stand in place of attacks: the reference is then DEFENSE/UTILITY.
 *
 * Two measures are of the same thing by two metrics, as photograph-ssim of patches and
 * reconstruction-ssim of what a network paints: the first is of the attack before the minus, or of
 * the reference, and the second of the one behind it. What has not the same units is no pair, and
 * is named on stderr. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#include "runner/judge/pool.h"
#include "runner/plan/planner.h"
#include "runner/store/folder.h"

typedef struct {
  const AssayPlan *plan;
  AssayStore *store;
  char **measures; /* one, or two */
} Run;

typedef struct {
  gint64 group; /* or its number, where units have no groups */
  double value;
} Unit;

static int
compare_numbers (gconstpointer a, gconstpointer b, G_GNUC_UNUSED gpointer data)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/* The units of one cell: their means by group number, ascending; empty: not measured. */
static GArray *
units_of_pool (const AssayPool *pool, guint series)
{
  const double *values = (const double *) (gconstpointer) pool->series[series]->data;
  const gint64 *groups = (const gint64 *) (gconstpointer) pool->groups->data;
  const gsize n = pool->series[series]->len;
  g_autoptr (GTree) sums = g_tree_new_full (compare_numbers, NULL, g_free, g_free);
  GArray *units = g_array_new (FALSE, FALSE, sizeof (Unit));

  for (gsize i = 0; i < n; i++) {
    const gint64 group = pool->groups->len > 0 ? groups[i] : (gint64) i;
    double *sum = g_tree_lookup (sums, &group);

    if (sum == NULL) {
      sum = g_new0 (double, 2);
      g_tree_insert (sums, g_memdup2 (&group, sizeof group), sum);
    }
    sum[0] += values[i];
    sum[1]++;
  }
  for (GTreeNode *node = g_tree_node_first (sums); node != NULL; node = g_tree_node_next (node)) {
    const double *sum = g_tree_node_value (node);
    const Unit unit = { *(const gint64 *) g_tree_node_key (node), sum[0] / sum[1] };

    g_array_append_val (units, unit);
  }
  return units;
}

/* What @name is of cell @index and its other trials. NULL with an error. */
static GArray *
units_of_cell (const Run *run, gsize index, const char *name, GError **error)
{
  const AssayCell *cell = assay_plan_cell (run->plan, index);
  g_autoptr (GArray) indices = assay_pool_trials (run->plan, index);

  for (guint m = 0; m < assay_plan_n_measuring (run->plan, cell); m++) {
    const AssayMeasuring *metric
        = assay_measuring_of (assay_plan_measuring (run->plan, cell, m)->plugin);

    for (const AssayMeasure *measure = metric->measures; measure->name != NULL; measure++) {
      AssayPool pool;
      GArray *units = NULL;
      gboolean is_ok;

      if (!g_str_equal (measure->name, name))
        continue;
      is_ok = assay_pool_fill (&pool, run->plan, run->store, indices, m, error);
      if (is_ok)
        units = units_of_pool (&pool, measure->series);
      assay_pool_clear (&pool);
      return units;
    }
  }
  return g_array_new (FALSE, FALSE, sizeof (Unit));
}

static gboolean
are_paired (const GArray *a, const GArray *b)
{
  gboolean are_equal = a->len == b->len && a->len > 1;

  for (guint i = 0; are_equal && i < a->len; i++)
    are_equal = g_array_index (a, Unit, i).group == g_array_index (b, Unit, i).group;
  return are_equal;
}

static void
print_difference (const Run *run, const char *name, const GArray *a, const GArray *b)
{
  const guint n = a->len;
  double mean = 0, square = 0, half;

  if (a->len == 0 || b->len == 0)
    return;
  if (!are_paired (a, b)) {
    fprintf (stderr, "%s: not compared, as %u units and %u are no pairs\n", name, a->len, b->len);
    return;
  }
  for (guint i = 0; i < n; i++)
    mean += (g_array_index (a, Unit, i).value - g_array_index (b, Unit, i).value) / n;
  for (guint i = 0; i < n; i++)
    square += pow (g_array_index (a, Unit, i).value - g_array_index (b, Unit, i).value - mean, 2);
  half = qt (0.5 + run->plan->confidence / 2, n - 1, TRUE, FALSE) * sqrt (square / (n - 1) / n);
  printf ("%s: %+.4f [%+.4f, %+.4f], n = %u%s\n", name, mean, mean - half, mean + half, n,
          fabs (mean) > half ? " *" : "");
}

/* Units by the measure @name of the cells of trial 0, which become the keys of @cells. */
static GPtrArray *
load (const Run *run, const char *name, GArray *cells, GError **error)
{
  g_autoptr (GPtrArray) units
      = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  guint n_units = 0;

  g_array_set_size (cells, 0);
  for (gsize i = 0; i < run->plan->cells->len; i++) {
    GArray *own;

    if (assay_plan_cell (run->plan, i)->trial != 0)
      continue;
    own = units_of_cell (run, i, name, error);
    if (own == NULL)
      return NULL;
    g_array_append_val (cells, i);
    g_ptr_array_add (units, own);
    n_units += own->len;
  }
  if (n_units == 0) {
    assay_fail (error, ASSAY_ERROR_PARAMETER,
                "%s: no attack or utility of this run is measured by it", name);
    return NULL;
  }
  return g_steal_pointer (&units);
}

static gboolean
is_reference (const Run *run, const AssayCell *cell, const char *reference)
{
  g_autofree char *name
      = g_strdup_printf ("%s/%s", assay_plan_component (run->plan->defenses, cell->defense)->label,
                         assay_plan_attack_or_utility (run->plan, cell)->label);

  return reference != NULL && g_str_equal (name, reference);
}

static const char *
attack_of (const Run *run, const AssayCell *cell)
{
  return assay_plan_attack_or_utility (run->plan, cell)->name;
}

/* What stands before the numbers; NULL: the two cells are not compared. */
static char *
name_of_pair (const Run *run, const GArray *cells, guint i, guint j, const char *reference)
{
  const AssayCell *a = assay_plan_cell (run->plan, g_array_index (cells, gsize, i));
  const AssayCell *b = assay_plan_cell (run->plan, g_array_index (cells, gsize, j));
  const AssayComponent *defense = assay_plan_component (run->plan->defenses, b->defense);
  const gboolean is_one_release = a->dataset == b->dataset && a->defense == b->defense;
  const char *before = is_one_release ? attack_of (run, a) : reference;

  if (is_one_release ? run->measures[1] == NULL && i >= j : !is_reference (run, a, reference))
    return NULL;
  if (run->measures[1] == NULL)
    return g_strdup_printf ("%s | %s - %s", defense->name, before, attack_of (run, b));
  return g_strdup_printf ("%s | %s of %s - %s of %s", defense->name, run->measures[0], before,
                          run->measures[1], attack_of (run, b));
}

static gboolean
print_all (const Run *run, const char *reference, GError **error)
{
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (gsize));
  const char *other = run->measures[1] != NULL ? run->measures[1] : run->measures[0];
  g_autoptr (GPtrArray) first = load (run, run->measures[0], cells, error);
  g_autoptr (GPtrArray) second = first != NULL ? load (run, other, cells, error) : NULL;

  if (second == NULL)
    return FALSE;
  for (guint i = 0; i < cells->len; i++)
    for (guint j = 0; j < cells->len; j++) {
      g_autofree char *name = name_of_pair (run, cells, i, j, reference);

      if (name != NULL)
        print_difference (run, name, first->pdata[i], second->pdata[j]);
    }
  return TRUE;
}

int
main (int argc, char **argv)
{
  const AssayPlanOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPlan) plan = NULL;
  g_autoptr (AssayStore) store = NULL;
  g_auto (GStrv) measures = argc > 3 ? g_strsplit (argv[3], ",", -1) : NULL;
  Run run;

  if (argc < 4 || argc > 5 || g_strv_length (measures) < 1 || g_strv_length (measures) > 2) {
    fprintf (stderr, "usage: %s SCENARIO RUN-FOLDER MEASURE[,MEASURE] [DEFENSE/ATTACK]\n", argv[0]);
    return 2;
  }
  plan = assay_plan_new (argv[1], &options, &error);
  if (plan != NULL && assay_folder_check (plan, argv[2], TRUE, &error))
    store = assay_store_open (argv[2], FALSE, &error);
  run = (Run){ .plan = plan, .store = store, .measures = measures };
  if (store == NULL || !print_all (&run, argc == 5 ? argv[4] : NULL, &error)) {
    fprintf (stderr, "%s: %s\n", argv[0], error->message);
    return 2;
  }
  return 0;
}
