/* Which point of a comparison is shown to be better than which. */
#include "runner/compare/compare-pair.h"

#include "core/base/each.h"
#include "core/stats/bound-test.h"
#include "runner/compare/compare-check.h"
#include "runner/compare/compare-test.h"
#include "runner/compare/saved-run.h"
#include "runner/store/manifest.h"

/* What the making of a comparison knows beside its result. */
typedef struct {
  AssayCompared *compared;
  const GPtrArray *runs; /* AssaySavedRun */
  GPtrArray *firsts;    /* of each run: GArray of gsize, the plan's cell of each pooled one */
  GHashTable *evidence; /* "run first metric": AssayEvidence */
} Maker;

static const AssaySavedRun *
run_of (const Maker *maker, guint i)
{
  return maker->runs->pdata[i];
}

/* The evidence of a cell for one metric, borrowed. */
static const AssayEvidence *
evidence_of (Maker *maker, guint run, const AssayResultCell *cell, guint metric, GError **error)
{
  const AssaySavedRun *kept = run_of (maker, run);
  const GArray *firsts = maker->firsts->pdata[run];
  guint place = 0;
  gsize first;
  char *key;
  AssayEvidence *evidence;

  while (kept->results->pooled->pdata[place] != cell)
    place++;
  first = g_array_index (firsts, gsize, place);
  key = g_strdup_printf ("%u %" G_GSIZE_FORMAT " %u", run, first, metric);
  evidence = g_hash_table_lookup (maker->evidence, key);
  if (evidence == NULL) {
    evidence = assay_evidence_new (kept, first, metric, error);
    if (evidence != NULL)
      g_hash_table_insert (maker->evidence, g_steal_pointer (&key), evidence);
  }
  g_free (key);
  return evidence;
}

static AssayStreamKey
stream_of (const AssayCompared *compared, const AssayResultCell *a, const AssayResultCell *b,
           const char *measure)
{
  g_autofree char *upstream = g_strdup_printf ("%s\n%s\n%s", a->id, b->id, measure);

  return assay_stream_key (assay_compared_run (compared, 0)->results->seed, 0, "compare", upstream);
}

/* What @measure is in the plan, by which it was measured as number @index of @components. */
static const AssayMeasure *
measure_of (const GPtrArray *components, guint index, const AssayResultMeasure *measure)
{
  const AssayMeasure *found = assay_plan_component (components, index)->measuring->measures;

  while (!g_str_equal (found->name, measure->name))
    found++;
  return found;
}

/* That the largest leak of @b is below the largest of @a: some attack takes more from @a than every
 * attack takes from @b. All of the latter must be shown, so that their largest p-value counts; for
 * the choice among the former it is multiplied by their number. */
static gboolean
test_leak (Maker *maker, const AssayCompareAxis *axis, const AssayComparePoint *b,
           const AssayComparePoint *a, AssayComparePair *pair, GError **error)
{
  AssayCompared *compared = maker->compared;
  const GPtrArray *better = b->attacks, *worse = a->attacks;
  const guint m = b->leak->metric->index;
  const guint n = a->leak->metric->index;
  const AssayMeasure *privacy
      = measure_of (run_of (maker, 0)->plan->metrics, axis->metric->index, axis->privacy);

  for (guint i = 0; i < worse->len; i++) {
    const AssayEvidence *theirs = evidence_of (maker, a->run, worse->pdata[i], n, error);
    const char *method = NULL;
    double largest = 0;

    /* The smallest is looked for: what is larger already need not be finished. */
    for (guint j = 0;
         theirs != NULL && j < better->len && (i == 0 || largest * worse->len < pair->p_leak);
         j++) {
      const AssayEvidence *ours = evidence_of (maker, b->run, better->pdata[j], m, error);
      const char *by;
      double p;

      if (ours == NULL)
        return FALSE;
      p = assay_evidence_test (
          ours, theirs,
          &(AssayContest){ .measure = privacy,
                           .lower_is_better = privacy->higher_is_worse,
                           .stream = stream_of (compared, better->pdata[j], worse->pdata[i],
                                                axis->privacy->name) },
          &by);
      method = p >= largest ? by : method;
      largest = MAX (largest, p);
    }
    if (theirs == NULL)
      return FALSE;
    if (i == 0 || largest * worse->len < pair->p_leak) {
      pair->p_leak = MIN (1, largest * worse->len);
      pair->leak_method = method;
    }
  }
  return TRUE;
}

static gboolean
test_use (Maker *maker, const AssayCompareAxis *axis, const AssayComparePoint *b,
          const AssayComparePoint *a, AssayComparePair *pair, GError **error)
{
  const AssayEvidence *ours, *theirs;
  const AssayMeasure *utility;

  if (axis->utility == NULL) {
    pair->p_use = 0;
    return TRUE;
  }
  ours = evidence_of (maker, b->run, b->utility, 0, error);
  theirs = ours != NULL ? evidence_of (maker, a->run, a->utility, 0, error) : NULL;
  if (theirs == NULL)
    return FALSE;
  utility = measure_of (run_of (maker, 0)->plan->utilities, axis->utility_by->index, axis->utility);
  pair->p_use = assay_evidence_test (
      ours, theirs,
      &(AssayContest){
          .measure = utility,
          .lower_is_better = utility->higher_is_worse,
          .margin = assay_compare_margin (maker->compared, axis->utility),
          .stream = stream_of (maker->compared, b->utility, a->utility, axis->utility->name) },
      &pair->use_method);
  return TRUE;
}

/* One program that was edited between two runs is two defenses. */
static gboolean
is_same_defense (const AssayResultComponent *a, const AssayResultComponent *b)
{
  g_autofree char *difference = assay_programs_difference (a->programs, b->programs);

  return difference == NULL && g_str_equal (a->plugin, b->plugin)
         && g_str_equal (a->settings->line, b->settings->line);
}

/* Why nothing can be said of "@b is better than @a", or NULL. */
static char *
why_not (const Maker *maker, const AssayCompareAxis *axis, const AssayComparePoint *b,
         const AssayComparePoint *a)
{
  if (is_same_defense (b->defense, a->defense))
    return g_strdup ("they are the same defense with the same settings");
  if (b->failed != NULL)
    return g_strdup_printf ("attack %s against %s did not end well, and might take more",
                            b->failed->attack_or_utility->name, b->name);
  if (b->no_evidence != NULL && assay_result_short_reach (b->no_evidence) != NULL)
    return g_strdup_printf ("attack %s against %s looked at a part only of what it was given (%s), "
                            "and might take more",
                            b->no_evidence->attack_or_utility->name, b->name,
                            assay_result_short_reach (b->no_evidence)->measure->name);
  if (b->no_evidence != NULL && b->no_evidence->lost_shape.n > 0)
    return g_strdup_printf ("attack %s against %s lost its control of the same shape, and might "
                            "take more",
                            b->no_evidence->attack_or_utility->name, b->name);
  if (b->no_evidence != NULL)
    return g_strdup_printf ("guess %s against %s is external: it has no control, and its "
                            "maker could have found more",
                            b->no_evidence->attack_or_utility->name, b->name);
  if (axis->privacy->is_epsilon)
    return g_strdup ("epsilon is bounded from below alone, which shows no difference");
  return assay_compare_lacks_attack (maker->runs, maker->compared->names, b->run, b->defense->index,
                                     a->run, a->defense->index);
}

/* Where an estimate is on the wrong side there is nothing to test: its p-value counts as 1. */
static gboolean
is_likely (const AssayCompared *compared, const AssayCompareAxis *axis, const AssayComparePoint *b,
           const AssayComparePoint *a)
{
  return assay_compare_gain (axis->privacy, b->leak, a->leak) > 0
         && (axis->utility == NULL
             || assay_compare_gain (axis->utility, b->use, a->use)
                    >= -assay_compare_margin (compared, axis->utility));
}

static gboolean
add_pair (Maker *maker, AssayCompareAxis *axis, guint better, guint worse, GError **error)
{
  AssayCompared *compared = maker->compared;
  const AssayComparePoint *b = &g_array_index (axis->points, AssayComparePoint, better);
  const AssayComparePoint *a = &g_array_index (axis->points, AssayComparePoint, worse);
  AssayComparePair pair = { .better = better,
                            .worse = worse,
                            .p_leak = 1,
                            .p_use = 1,
                            .p = 1,
                            .adjusted = 1,
                            .why_not = why_not (maker, axis, b, a) };
  gboolean is_ok = TRUE;

  if (pair.why_not == NULL && is_likely (compared, axis, b, a))
    is_ok
        = test_leak (maker, axis, b, a, &pair, error) && test_use (maker, axis, b, a, &pair, error);
  pair.p = MAX (pair.p_leak, pair.p_use);
  g_array_append_val (axis->pairs, pair);
  return is_ok;
}

static gboolean
is_unprotected (const AssayComparePoint *point)
{
  return g_str_equal (point->defense->plugin, "none");
}

static gboolean
has_unprotected (const AssayCompareAxis *axis, guint run)
{
  ASSAY_FOR_EACH_IN (const AssayComparePoint, point, axis->points) {
    if (point->run == run && is_unprotected (point))
      return TRUE;
  }
  return FALSE;
}

/* Points of different runs. What is unprotected in both is a reference of each: how the defenses of
 * a run compare with that of the other says nothing new, and would cost p-values. */
static gboolean
is_pair (const AssayCompareAxis *axis, const AssayComparePoint *b, const AssayComparePoint *a)
{
  return b->run != a->run
         && !((is_unprotected (b) || is_unprotected (a)) && has_unprotected (axis, b->run)
              && has_unprotected (axis, a->run));
}

static gboolean
add_pairs (Maker *maker, AssayCompareAxis *axis, GError **error)
{
  for (guint i = 0; i < axis->points->len; i++)
    for (guint j = 0; j < axis->points->len; j++)
      if (is_pair (axis, assay_compared_point (axis, i), assay_compared_point (axis, j))
          && !add_pair (maker, axis, i, j, error))
        return FALSE;
  return TRUE;
}

static void
correct (AssayCompared *compared)
{
  g_autoptr (GArray) p = g_array_new (FALSE, FALSE, sizeof (double));
  g_autofree double *adjusted = NULL;
  guint next = 0;

  ASSAY_FOR_EACH (const AssayCompareAxis, axis, compared->axes) {
    ASSAY_FOR_EACH_IN (const AssayComparePair, pair, axis->pairs) {
      if (pair->why_not == NULL)
        g_array_append_val (p, pair->p);
    }
  }
  compared->n_asked = p->len;
  adjusted = g_new (double, p->len + 1);
  assay_holm ((const double *) (gconstpointer) p->data, p->len, adjusted);
  ASSAY_FOR_EACH (const AssayCompareAxis, axis, compared->axes) {
    ASSAY_FOR_EACH_IN (AssayComparePair, pair, axis->pairs) {
      if (pair->why_not != NULL)
        continue;
      pair->adjusted = adjusted[next++];
      pair->dominates = pair->adjusted < 1 - assay_compared_run (compared, 0)->results->confidence;
    }
  }
}

/* Pooled results stand in the order of the plan's cells of trial 0. */
static GArray *
first_cells (const AssayPlan *plan)
{
  GArray *firsts = g_array_new (FALSE, FALSE, sizeof (gsize));

  for (gsize i = 0; i < plan->cells->len; i++)
    if (assay_plan_cell (plan, i)->trial == 0)
      g_array_append_val (firsts, i);
  return firsts;
}

gboolean
assay_compare_test_pairs (AssayCompared *compared, const GPtrArray *runs, GError **error)
{
  g_autoptr (GPtrArray) firsts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (GHashTable) evidence = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                           (GDestroyNotify) assay_evidence_free);
  Maker maker = { compared, runs, firsts, evidence };

  for (guint r = 0; r < runs->len; r++)
    g_ptr_array_add (firsts, first_cells (run_of (&maker, r)->plan));
  for (guint i = 0; i < compared->axes->len; i++)
    if (!add_pairs (&maker, compared->axes->pdata[i], error))
      return FALSE;
  correct (compared);
  return TRUE;
}
