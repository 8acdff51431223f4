/* Comparing a run with an earlier one of the same plan. */
#include "runner/compare/baseline.h"

#include "core/stats/bound-test.h"
#include "core/stats/paired-test.h"
#include "runner/judge/describe.h"
#include "runner/judge/pool.h"
#include "runner/store/manifest.h"
#include "runner/store/outcomes.h"
#include "runner/store/records.h"

void
assay_baseline_free (AssayBaseline *baseline)
{
  if (baseline == NULL)
    return;
  g_free (baseline->folder);
  g_array_unref (baseline->comparisons);
  g_free (baseline);
}

/* ---- Is it a baseline of this plan? ---- */

/* The first line in which the two differ, each shown as "name=value" stands in the plan. */
static gboolean
fail_differs (const char *folder, const char *theirs, const char *ours, GError **error)
{
  g_auto (GStrv) before = g_strsplit (theirs, "\n", -1);
  g_auto (GStrv) now = g_strsplit (ours, "\n", -1);
  guint i = 0;

  while (before[i] != NULL && now[i] != NULL && g_str_equal (before[i], now[i]))
    i++;
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "baseline %s is of another scenario or of other settings: it has '%s' where "
                     "this run has '%s'",
                     folder, before[i] != NULL ? before[i] : "nothing",
                     now[i] != NULL ? now[i] : "nothing");
}

/* The plan without the contact sheets, which change nothing that is compared, and without the
 * builds of loaded defenses and attacks: whether a new one leaks more is what is asked. */
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

static gboolean
check_plan (const AssayPlan *plan, AssayStore *store, const char *folder, GError **error)
{
  g_autofree char *ours = comparable (plan->canonical);
  g_autofree char *theirs = NULL;
  g_autofree char *text = NULL;
  g_autofree char *state = NULL;

  if (!assay_store_get (store, ASSAY_META_PLAN_TEXT, &text, error)
      || !assay_store_get (store, ASSAY_META_STATE, &state, error))
    return FALSE;
  theirs = comparable (text != NULL ? text : "");
  if (!g_str_equal (theirs, ours))
    return fail_differs (folder, theirs, ours, error);
  return g_strcmp0 (state, ASSAY_META_FINISHED) == 0
         || assay_fail (error, ASSAY_ERROR_DATA, "baseline %s is an unfinished run", folder);
}

static AssayStore *
open_baseline (const AssayPlan *plan, const char *place, GError **error)
{
  g_autofree char *folder
      = g_str_has_suffix (place, ASSAY_STORE_FILE) ? g_path_get_dirname (place) : g_strdup (place);
  g_autofree char *path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
  g_autoptr (AssayStore) store = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    assay_fail (error, ASSAY_ERROR_DATA,
                "baseline %s: expected the output folder of a finished run, with %s", place,
                ASSAY_STORE_FILE);
    return NULL;
  }
  store = assay_store_open (folder, FALSE, error);
  if (store == NULL || !check_plan (plan, store, folder, error))
    return NULL;
  return g_steal_pointer (&store);
}

gboolean
assay_baseline_check (const AssayPlan *plan, const char *folder, GError **error)
{
  g_autoptr (AssayStore) store = open_baseline (plan, folder, error);

  return store != NULL;
}

static gboolean
check_hash (AssayStore *store, const char *folder, guint index, const char *sha256, GError **error)
{
  g_autofree char *known = NULL;

  if (!assay_store_dataset (store, index, &known, error))
    return FALSE;
  return g_strcmp0 (known, sha256) == 0
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "baseline %s was run on other data: sha256 %.12s, here %.12s", folder,
                        known != NULL ? known : "none", sha256);
}

gboolean
assay_baseline_check_data (const AssayPlan *plan, const char *folder, guint index,
                           const char *sha256, GError **error)
{
  g_autoptr (AssayStore) store = open_baseline (plan, folder, error);

  return store != NULL && check_hash (store, folder, index, sha256, error);
}

static gboolean
check_data (const AssayResults *results, AssayStore *store, const char *folder, GError **error)
{
  for (guint d = 0; d < results->datasets->len; d++)
    if (!check_hash (store, folder, d, assay_result_component (results->datasets, d)->sha256,
                     error))
      return FALSE;
  return TRUE;
}

/* ---- Comparing ---- */

typedef struct {
  const AssayResults *results;
  const AssayPlan *plan;
  AssayStore *store;
  AssayStore *old;
  AssayBaseline *baseline;
} Comparing;

/* One pooled cell and one of its metrics, then and now. */
typedef struct {
  const AssayResultCell *cell;
  gsize first; /* the plan's cell of trial 0 */
  guint metric;
  AssayPool before, after;
} Pools;

/* One series of one metric in one pooled cell. */
static void
compare_series (const Comparing *comparing, const Pools *pools, const AssayMeasure *measure)
{
  const AssayPlan *plan = comparing->plan;
  const AssayPool *before = &pools->before, *after = &pools->after;
  const AssayCell *first = assay_plan_cell (plan, pools->first);
  const GArray *old = before->series[measure->series], *new = after->series[measure->series];
  const gint64 *groups
      = after->groups->len > 0 ? (const gint64 *) (gconstpointer) after->groups->data : NULL;
  g_autofree char *upstream = g_strdup_printf (
      "%s%s", assay_plan_measuring (plan, first, pools->metric)->canonical, measure->name);
  AssayComparison comparison
      = { .cell = pools->cell, .measure = assay_results_measure (comparing->results, measure) };

  if (new->len == 0)
    return;
  if (before->omitted[measure->series] != NULL || after->omitted[measure->series] != NULL) {
    comparing->baseline->n_uncompared++;
    return;
  }
  if (measure->statistic == ASSAY_STATISTIC_EPSILON) {
    g_autoptr (AssaySample) then = assay_pool_sample (before, measure);
    g_autoptr (AssaySample) now = assay_pool_sample (after, measure);

    comparison.test = assay_audit_test (&then->audit, &now->audit);
    g_array_append_val (comparing->baseline->comparisons, comparison);
    return;
  }
  comparison.test = assay_paired_test (measure, (const double *) (gconstpointer) old->data,
                                       (const double *) (gconstpointer) new->data, groups, new->len,
                                       assay_plan_stream (plan, first, "baseline", upstream));
  g_array_append_val (comparing->baseline->comparisons, comparison);
}

/* Whether both runs measured the same trials: as many outcomes of other trials would be those of
 * other secrets. */
static gboolean
check_paired (const Comparing *comparing, const GArray *indices, guint metric, guint n_series,
              gboolean *ret_is_paired, GError **error)
{
  *ret_is_paired = TRUE;
  for (guint i = 0; i < indices->len; i++) {
    const gsize index = g_array_index (indices, gsize, i);
    AssayOutcomes before = { 0 }, after = { 0 };
    const gboolean is_ok
        = assay_store_outcomes (comparing->old, index, metric, n_series, &before, error)
          && assay_store_outcomes (comparing->store, index, metric, n_series, &after, error);

    *ret_is_paired &= before.n == after.n;
    assay_outcomes_clear (&before);
    assay_outcomes_clear (&after);
    if (!is_ok)
      return FALSE;
  }
  return TRUE;
}

static gboolean
compare_metric (const Comparing *comparing, const AssayResultCell *cell, gsize first, guint metric,
                GError **error)
{
  const AssayPlan *plan = comparing->plan;
  const AssayMeasuring *plugin
      = assay_plan_measuring (plan, assay_plan_cell (plan, first), metric)->measuring;
  g_autoptr (GArray) indices = assay_pool_trials (plan, first);
  Pools pools = { .cell = cell, .first = first, .metric = metric };
  gboolean is_paired, is_ok;

  if (!check_paired (comparing, indices, metric, plugin->n_series, &is_paired, error))
    return FALSE;
  is_ok = assay_pool_fill (&pools.before, plan, comparing->old, indices, metric, error);
  is_ok = assay_pool_fill (&pools.after, plan, comparing->store, indices, metric,
                           is_ok ? error : NULL)
          && is_ok;
  /* Several measures may summarise one series; it is compared once. */
  for (guint s = 0; is_ok && s < plugin->n_series; s++)
    for (const AssayMeasure *m = plugin->measures; m->name != NULL; m++)
      if (m->series == s) {
        comparing->baseline->n_uncompared += !is_paired;
        if (is_paired)
          compare_series (comparing, &pools, m);
        break;
      }
  assay_pool_clear (&pools.before);
  assay_pool_clear (&pools.after);
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
    baseline->n_silent += !comparison->is_worse && assay_result_lacks_control (comparison->cell);
  }
}

AssayBaseline *
assay_baseline_compare (const AssayResults *results, const AssayPlan *plan, AssayStore *store,
                        const char *folder, GError **error)
{
  g_autoptr (AssayStore) old = open_baseline (plan, folder, error);
  g_autoptr (AssayBaseline) baseline = NULL;
  Comparing comparing;
  guint pooled = 0;

  if (old == NULL || !check_data (results, old, folder, error))
    return NULL;
  baseline = g_new0 (AssayBaseline, 1);
  baseline->folder = g_strdup (folder);
  baseline->comparisons = g_array_new (FALSE, FALSE, sizeof (AssayComparison));
  comparing = (Comparing){ results, plan, store, old, baseline };
  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayResultCell *cell;

    if (assay_plan_cell (plan, i)->trial != 0)
      continue;
    cell = results->pooled->pdata[pooled++];
    for (guint m = 0; m < assay_plan_n_measuring (plan, assay_plan_cell (plan, i)); m++)
      if (!compare_metric (&comparing, cell, i, m, error))
        return NULL;
  }
  correct (baseline, plan->confidence);
  return g_steal_pointer (&baseline);
}
