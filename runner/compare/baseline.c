/* Comparing a run with an earlier one. */
#include "runner/compare/baseline.h"

#include <math.h>

#include "config.h"
#include "core/base/text.h"
#include "core/stats/bound-test.h"
#include "core/stats/paired-test.h"
#include "runner/compare/compare-test.h"
#include "runner/compare/twins.h"
#include "runner/judge/describe.h"
#include "runner/judge/pool.h"
#include "runner/plan/loaded.h"
#include "runner/store/manifest.h"
#include "runner/store/outcomes.h"
#include "runner/store/records.h"

ASSAY_FREE_FUNC (AssayBaseline, assay_baseline_free, g_free (self->run), g_free (self->folder),
                 g_free (self->less), g_array_unref (self->comparisons),
                 g_ptr_array_unref (self->changes), g_ptr_array_unref (self->left_out))

/* ---- The earlier run ---- */

typedef struct {
  char *folder;
  AssayStore *store;
  const AssayPlan *plan; /* ours where the two are the same */
  AssayPlan *own;        /* or NULL */
} Earlier;

ASSAY_LOCAL_CLEAR (Earlier, earlier_clear, g_free (self->folder),
                   assay_drop (self->store, assay_store_close), assay_plan_free (self->own))

/* The plan without the contact sheets, which change nothing that is compared, and without the
 * builds of loaded defenses and attacks. */
static char *
comparable (const char *canonical)
{
  static const char *const omitted[] = { "pictures ", "loaded defense ", "loaded attack " };
  g_auto (GStrv) lines = g_strsplit (canonical, "\n", -1);
  GString *text = g_string_new (NULL);

  for (guint i = 0; lines[i] != NULL; i++) {
    gboolean is_in = TRUE;

    for (guint k = 0; k < G_N_ELEMENTS (omitted); k++)
      is_in &= !g_str_has_prefix (lines[i], omitted[k]);
    if (is_in)
      g_string_append_printf (text, "%s\n", lines[i]);
  }
  return g_string_free (text, FALSE);
}

/* Outcomes are stored by their place in the plan: where it is not ours it is made again, and must
 * be read as it was then. */
static gboolean
load_plan (Earlier *earlier, const AssayPlan *plan, GError **error)
{
  g_autofree char *ours = comparable (plan->canonical);
  g_autofree char *text = NULL;
  g_autofree char *version = NULL;
  g_autofree char *theirs = NULL;
  g_autofree char *again = NULL;
  g_autofree char *difference = NULL;

  if (!assay_store_get (earlier->store, ASSAY_META_PLAN_TEXT, &text, error)
      || !assay_store_get (earlier->store, ASSAY_META_VERSION, &version, error))
    return FALSE;
  theirs = comparable (text != NULL ? text : "");
  earlier->plan = plan;
  if (g_str_equal (theirs, ours))
    return TRUE;
  if (!assay_manifest_plan (earlier->store, &earlier->own, error))
    return assay_prefix (error, "baseline %s: ", earlier->folder);
  earlier->plan = earlier->own;
  again = comparable (earlier->own->canonical);
  if (g_str_equal (theirs, again))
    return TRUE;
  difference = assay_loaded_difference (theirs, again);
  if (difference != NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "baseline %s: %s, and what it measures may mean something else now; "
                       "expected a run with this build",
                       earlier->folder, difference);
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "baseline %s was made by Assay %s, and this is %s, which reads its "
                     "scenario otherwise; expected a run of this version",
                     earlier->folder, version != NULL ? version : "of an unknown version",
                     ASSAY_THIS_VERSION);
}

static gboolean
open_earlier (const AssayPlan *plan, const char *place, Earlier *ret_earlier, GError **error)
{
  char *folder
      = g_str_has_suffix (place, ASSAY_STORE_FILE) ? g_path_get_dirname (place) : g_strdup (place);
  g_autofree char *path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
  g_autofree char *state = NULL;

  ret_earlier->folder = folder;
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "baseline %s: expected the output folder of a finished run, with %s", place,
                       ASSAY_STORE_FILE);
  ret_earlier->store = assay_store_open (folder, FALSE, error);
  if (ret_earlier->store == NULL
      || !assay_store_get (ret_earlier->store, ASSAY_META_STATE, &state, error))
    return FALSE;
  if (g_strcmp0 (state, ASSAY_META_FINISHED) != 0)
    return assay_fail (error, ASSAY_ERROR_DATA, "baseline %s is an unfinished run", folder);
  return load_plan (ret_earlier, plan, error);
}

gboolean
assay_baseline_check (const AssayPlan *plan, const char *folder, GError **error)
{
  g_auto (Earlier) earlier = { 0 };
  g_autoptr (AssayTwins) twins = NULL;

  if (!open_earlier (plan, folder, &earlier, error))
    return FALSE;
  twins = assay_twins_new (plan, earlier.plan);
  return assay_twins_check_any (twins, earlier.folder, error);
}

/* Leaves dataset @index out unless its data are those of its twin. */
static gboolean
check_hash (AssayTwins *twins, AssayStore *old, guint index, const char *sha256, GError **error)
{
  const guint twin = g_array_index (twins->datasets, guint, index);
  g_autofree char *known = NULL;

  if (twin == ASSAY_NO_COMPONENT)
    return TRUE;
  if (!assay_store_dataset (old, twin, &known, error))
    return FALSE;
  if (g_strcmp0 (known, sha256) != 0)
    assay_twins_part_data (twins, index, known, sha256);
  return TRUE;
}

gboolean
assay_baseline_check_data (const AssayPlan *plan, const char *folder, guint index,
                           const char *sha256, GError **error)
{
  g_auto (Earlier) earlier = { 0 };
  g_autoptr (AssayTwins) twins = NULL;

  if (!open_earlier (plan, folder, &earlier, error))
    return FALSE;
  twins = assay_twins_new (plan, earlier.plan);
  return check_hash (twins, earlier.store, index, sha256, error)
         && assay_twins_check_any (twins, earlier.folder, error);
}

/* ---- Comparing ---- */

typedef struct {
  const AssayResults *results;
  AssayStore *store;
  AssayStore *old;
  AssayTwins *twins;
  const char *const *measures; /* NULL: the first of every series */
  AssayBaseline *baseline;
} Comparing;

/* One pooled cell and one of its metrics, then and now. */
typedef struct {
  const AssayResultCell *cell;
  gsize first; /* the plan's cell of trial 0 */
  gsize old_first;
  guint metric, old_metric;
  AssayPool before, after;
} Pools;

/* That the later sample leaks more, of other units than the earlier one. */
static gboolean
test_samples (const Pools *pools, const AssayMeasure *measure, AssayStreamKey stream,
              AssayPairedTest *ret_test)
{
  const AssayContest contest
      = { .measure = measure, .lower_is_better = measure->higher_is_worse, .stream = stream };
  g_autoptr (AssaySample) then = assay_pool_sample (&pools->before, measure);
  g_autoptr (AssaySample) now = assay_pool_sample (&pools->after, measure);

  if (then == NULL || now == NULL)
    return FALSE;
  if (measure->statistic == ASSAY_STATISTIC_EPSILON)
    *ret_test = assay_audit_test (&then->audit, &now->audit);
  else
    *ret_test = (AssayPairedTest){
      .difference = now->estimate - then->estimate,
      .n = now->n,
      .p_worse = assay_samples_apart (then, now, &contest),
      .method = "intervals-apart",
    };
  return TRUE;
}

/* The estimate of one run; NAN: none. */
static double
estimate_of (const AssayPool *pool, const AssayMeasure *measure)
{
  g_autoptr (AssaySample) sample = assay_pool_sample (pool, measure);

  return sample != NULL ? sample->estimate : NAN;
}

static const AssayResultComponent *
metric_of (const Comparing *comparing, const Pools *pools)
{
  return pools->cell->is_utility
             ? pools->cell->attack_or_utility
             : assay_result_component (comparing->results->metrics, pools->metric);
}

/* One series of one metric in one pooled cell. */
static void
compare_series (const Comparing *comparing, const Pools *pools, const AssayMeasure *measure)
{
  const AssayPlan *plan = comparing->twins->now;
  const AssayPool *before = &pools->before, *after = &pools->after;
  const AssayCell *first = assay_plan_cell (plan, pools->first);
  const GArray *old = before->series[measure->series], *new = after->series[measure->series];
  const gint64 *groups
      = after->groups->len > 0 ? (const gint64 *) (gconstpointer) after->groups->data : NULL;
  g_autofree char *upstream = g_strdup_printf (
      "%s%s", assay_plan_measuring (plan, first, pools->metric)->canonical, measure->name);
  const AssayStreamKey stream = assay_plan_stream (plan, first, "baseline", upstream);
  AssayComparison comparison = { .cell = pools->cell,
                                 .measure = assay_results_measure (comparing->results, measure),
                                 .metric = metric_of (comparing, pools) };
  gboolean is_tested
      = before->omitted[measure->series] == NULL && after->omitted[measure->series] == NULL;

  if (new->len == 0 && old->len == 0)
    return;
  if (is_tested
      && (!comparing->twins->is_paired || measure->statistic == ASSAY_STATISTIC_EPSILON
          || after->others->len > 0))
    is_tested = test_samples (pools, measure, stream, &comparison.test);
  else if (is_tested)
    comparison.test
        = assay_paired_test (measure, (const double *) (gconstpointer) old->data,
                             (const double *) (gconstpointer) new->data, groups, new->len, stream);
  if (!is_tested) {
    comparing->baseline->n_uncompared++;
    return;
  }
  comparison.before = estimate_of (before, measure);
  comparison.after = estimate_of (after, measure);
  g_array_append_val (comparing->baseline->comparisons, comparison);
}

/* The cells of all trials, or of those that both runs have the same secrets of. */
static GArray *
trials_of (const AssayTwins *twins, const AssayPlan *plan, gsize first)
{
  GArray *indices = assay_pool_trials (plan, first);

  if (twins->is_paired)
    g_array_set_size (indices, (guint) twins->trials);
  return indices;
}

/* Whether both runs measured the same trials: as many outcomes of other trials would be those of
 * other secrets. */
static gboolean
check_paired (const Comparing *comparing, const Pools *pools, guint n_series,
              gboolean *ret_is_paired, GError **error)
{
  const AssayTwins *twins = comparing->twins;
  g_autoptr (GArray) indices = trials_of (twins, twins->now, pools->first);
  g_autoptr (GArray) old = trials_of (twins, twins->then, pools->old_first);

  *ret_is_paired = TRUE;
  for (guint i = 0; twins->is_paired && i < indices->len; i++) {
    AssayOutcomes before = { 0 }, after = { 0 };
    const gboolean is_ok
        = assay_store_outcomes (comparing->old, g_array_index (old, gsize, i), pools->old_metric,
                                n_series, &before, error)
          && assay_store_outcomes (comparing->store, g_array_index (indices, gsize, i),
                                   pools->metric, n_series, &after, error);

    *ret_is_paired &= before.n == after.n;
    assay_outcomes_clear (&before);
    assay_outcomes_clear (&after);
    if (!is_ok)
      return FALSE;
  }
  return TRUE;
}

/* What chance gives gets neither better nor worse, unless it is asked for by name. */
static gboolean
is_asked (const Comparing *comparing, const AssayMeasure *measure)
{
  return comparing->measures != NULL ? g_strv_contains (comparing->measures, measure->name)
                                     : !measure->is_reference;
}

/* Several measures may summarise one series; it is compared once unless they are asked for. */
static void
compare_all_series (const Comparing *comparing, const Pools *pools, const AssayMeasuring *plugin,
                    gboolean is_paired)
{
  for (guint s = 0; s < plugin->n_series; s++)
    for (const AssayMeasure *m = plugin->measures; m->name != NULL; m++) {
      if (m->series != s || !is_asked (comparing, m))
        continue;
      comparing->baseline->n_uncompared += !is_paired;
      if (is_paired)
        compare_series (comparing, pools, m);
      if (comparing->measures == NULL)
        break;
    }
}

static gboolean
compare_metric (const Comparing *comparing, Pools *pools, GError **error)
{
  const AssayTwins *twins = comparing->twins;
  const AssayPlan *plan = twins->now;
  const AssayMeasuring *plugin
      = assay_plan_measuring (plan, assay_plan_cell (plan, pools->first), pools->metric)->measuring;
  g_autoptr (GArray) indices = trials_of (twins, plan, pools->first);
  g_autoptr (GArray) old = trials_of (twins, twins->then, pools->old_first);
  gboolean is_paired, is_ok;

  if (!check_paired (comparing, pools, plugin->n_series, &is_paired, error))
    return FALSE;
  is_ok = assay_pool_fill (&pools->before, twins->then, comparing->old, old, pools->old_metric,
                           error);
  is_ok = assay_pool_fill (&pools->after, plan, comparing->store, indices, pools->metric,
                           is_ok ? error : NULL)
          && is_ok;
  if (is_ok)
    compare_all_series (comparing, pools, plugin, is_paired);
  assay_pool_clear (&pools->before);
  assay_pool_clear (&pools->after);
  return is_ok;
}

static void
correct (AssayBaseline *baseline, double confidence)
{
  const guint n = baseline->comparisons->len;
  g_autofree double *p = g_new (double, n + 1);
  g_autofree double *adjusted = g_new (double, n + 1);

  for (guint i = 0; i < n; i++)
    p[i] = g_array_index (baseline->comparisons, AssayComparison, i).test.p_worse;
  assay_holm (p, n, adjusted);
  for (guint i = 0; i < n; i++) {
    AssayComparison *comparison = &g_array_index (baseline->comparisons, AssayComparison, i);

    comparison->adjusted = adjusted[i];
    comparison->is_worse = adjusted[i] < 1 - confidence;
    baseline->n_worse += comparison->is_worse;
    baseline->n_no_evidence
        += !comparison->is_worse && assay_result_lacks_control (comparison->cell);
  }
}

/* Cell @index of trial 0, whose outcomes are pooled in @cell. */
static gboolean
compare_cell (const Comparing *comparing, const AssayResultCell *cell, gsize index, GError **error)
{
  const AssayPlan *plan = comparing->twins->now;
  Pools pools = { .cell = cell, .first = index };

  if (!assay_twins_cell (comparing->twins, index, &pools.old_first))
    return TRUE;
  for (guint m = 0; m < assay_plan_n_measuring (plan, assay_plan_cell (plan, index)); m++) {
    pools.metric = m;
    pools.old_metric = assay_twins_measuring (comparing->twins, index, m);
    if (pools.old_metric != ASSAY_NO_COMPONENT && !compare_metric (comparing, &pools, error))
      return FALSE;
  }
  return TRUE;
}

/* @comparing lacks its baseline, which is made. */
static AssayBaseline *
compare_with (Comparing *comparing, const char *folder, GError **error)
{
  const AssayResults *results = comparing->results;
  AssayTwins *twins = comparing->twins;
  g_autoptr (AssayBaseline) baseline = NULL;
  guint pooled = 0;

  for (guint d = 0; d < results->datasets->len; d++)
    if (!check_hash (twins, comparing->old, d,
                     assay_result_component (results->datasets, d)->sha256, error))
      return NULL;
  if (!assay_twins_check_any (twins, folder, error)
      || !assay_twins_name_programs (twins, comparing->store, comparing->old, error))
    return NULL;
  baseline = g_new0 (AssayBaseline, 1);
  baseline->folder = g_strdup (folder);
  baseline->comparisons = g_array_new (FALSE, FALSE, sizeof (AssayComparison));
  baseline->n_lost = twins->n_lost;
  baseline->n_lost_metrics = twins->n_lost_metrics;
  baseline->less = g_strdup (twins->less);
  baseline->changes = g_ptr_array_ref (twins->changes);
  baseline->left_out = g_ptr_array_ref (twins->left_out);
  comparing->baseline = baseline;
  for (gsize i = 0; i < twins->now->cells->len; i++)
    if (assay_plan_cell (twins->now, i)->trial == 0
        && !compare_cell (comparing, results->pooled->pdata[pooled++], i, error))
      return NULL;
  correct (baseline, twins->now->confidence);
  return g_steal_pointer (&baseline);
}

AssayBaseline *
assay_baseline_compare (const AssayResults *results, const AssayPlan *plan, AssayStore *store,
                        const char *folder, GError **error)
{
  g_auto (Earlier) earlier = { 0 };
  g_autoptr (AssayTwins) twins = NULL;
  Comparing comparing = { .results = results, .store = store };

  if (!open_earlier (plan, folder, &earlier, error))
    return NULL;
  twins = assay_twins_new (plan, earlier.plan);
  comparing.old = earlier.store;
  comparing.twins = twins;
  return compare_with (&comparing, folder, error);
}

/* ---- Two finished runs ---- */

/* Adds what the run measures to @names, each once. */
static void
add_measures (const AssayPlan *plan, GPtrArray *names)
{
  const GPtrArray *const lists[] = { plan->metrics, plan->utilities };

  for (guint k = 0; k < G_N_ELEMENTS (lists); k++)
    for (guint i = 0; i < lists[k]->len; i++)
      for (const AssayMeasure *m = assay_plan_component (lists[k], i)->measuring->measures;
           m->name != NULL; m++)
        if (!assay_names_have (names, m->name))
          g_ptr_array_add (names, (gpointer) m->name);
}

gboolean
assay_baseline_check_measure (const AssaySavedRun *now, const AssaySavedRun *then,
                              const char *measure, GError **error)
{
  g_autoptr (GPtrArray) ours = g_ptr_array_new ();
  g_autoptr (GPtrArray) theirs = g_ptr_array_new ();
  g_autofree char *hint = NULL;
  gboolean is_ours, is_theirs;

  add_measures (now->plan, ours);
  add_measures (then->plan, theirs);
  is_ours = assay_names_have (ours, measure);
  is_theirs = assay_names_have (theirs, measure);
  if (is_ours && is_theirs)
    return TRUE;
  if (is_ours || is_theirs)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "measure '%s': %s does not have it", measure,
                       is_ours ? then->folder : now->folder);
  hint = assay_names_hint (ours, measure);
  return assay_fail (error, ASSAY_ERROR_PARAMETER, "measure '%s': no run has it%s", measure, hint);
}

AssayBaseline *
assay_baseline_compare_runs (const AssaySavedRun *now, const AssaySavedRun *then,
                             const char *const *measures, GError **error)
{
  g_autoptr (AssayTwins) twins = assay_twins_new (now->plan, then->plan);
  Comparing comparing = { .results = now->results,
                          .store = now->store,
                          .old = then->store,
                          .twins = twins,
                          .measures = measures };
  AssayBaseline *baseline;

  baseline = compare_with (&comparing, then->folder, error);
  if (baseline != NULL)
    baseline->run = g_strdup (now->folder);
  return baseline;
}
