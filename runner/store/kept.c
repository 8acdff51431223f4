/* What a run keeps of where it came from.
 *
 * One text in the store, so that it is always whole: a GVariant in its own text form, which is read
 * back with its types checked and prints doubles exactly. Paths and assignments are byte strings:
 * file names need not be UTF-8.
 */
#include "runner/store/kept.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "runner/judge/load.h"
#include "runner/plan/loaded.h"
#include "runner/plan/planner.h"
#include "runner/store/folder.h"

#define META_SCENARIO "scenario"
#define META_TIMES "times"

/* AssayProbe, in the order of its fields. */
#define PROBE_TYPE "(tttttttu(tttdd)bt)"
/* Path, text, assignments, seed, trials, probes. */
#define SCENARIO_TYPE "(aysaaytta" PROBE_TYPE ")"

/* ---- Writing ---- */

static GVariant *
new_probe (const AssayProbe *probe)
{
  const AssayGeometry *shape = &probe->geometry;

  return g_variant_new (PROBE_TYPE, (guint64) probe->n_secrets, (guint64) probe->n_public,
                        (guint64) probe->n_database, (guint64) probe->n_test,
                        (guint64) probe->n_groups, (guint64) probe->n_classes,
                        (guint64) probe->cols, probe->holdings, (guint64) shape->height,
                        (guint64) shape->width, (guint64) shape->channels, shape->black,
                        shape->white, probe->is_estimate, probe->memory);
}

static char *
describe (const AssayPlan *plan)
{
  g_autoptr (GVariant) all = NULL;
  GVariantBuilder assignments, probes;

  g_variant_builder_init (&assignments, G_VARIANT_TYPE ("aay"));
  for (guint i = 0; plan->assignments != NULL && plan->assignments[i] != NULL; i++)
    g_variant_builder_add (&assignments, "^ay", plan->assignments[i]);
  g_variant_builder_init (&probes, G_VARIANT_TYPE ("a" PROBE_TYPE));
  for (guint i = 0; i < plan->datasets->len; i++)
    g_variant_builder_add_value (&probes, new_probe (&plan->probes[i]));
  all = g_variant_ref_sink (g_variant_new ("(^aysaaytta" PROBE_TYPE ")", plan->scenario, plan->text,
                                           &assignments, plan->seed, plan->trials, &probes));
  return g_variant_print (all, TRUE);
}

gboolean
assay_kept_store (const AssayPlan *plan, AssayStore *store, GError **error)
{
  g_autofree char *text = describe (plan);
  g_autofree char *known = NULL;

  if (!assay_store_get (store, META_SCENARIO, &known, error))
    return FALSE;
  return g_strcmp0 (known, text) == 0 || assay_store_set (store, META_SCENARIO, text, error);
}

gboolean
assay_kept_set_times (AssayStore *store, const AssayKeptTimes *times, GError **error)
{
  g_autofree char *text = g_strdup_printf ("%u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
                                           times->threads, times->started_us, times->ended_us);

  return assay_store_set (store, META_TIMES, text, error);
}

/* ---- Reading ---- */

static void
read_probe (GVariant *from, AssayProbe *ret_probe)
{
  guint64 sizes[7], height, width, channels, memory;
  AssayProbe probe = { 0 };

  g_variant_get (from, PROBE_TYPE, &sizes[0], &sizes[1], &sizes[2], &sizes[3], &sizes[4],
                 &sizes[5], &sizes[6], &probe.holdings, &height, &width, &channels,
                 &probe.geometry.black, &probe.geometry.white, &probe.is_estimate, &memory);
  probe.n_secrets = sizes[0];
  probe.n_public = sizes[1];
  probe.n_database = sizes[2];
  probe.n_test = sizes[3];
  probe.n_groups = sizes[4];
  probe.n_classes = sizes[5];
  probe.cols = sizes[6];
  probe.geometry.height = height;
  probe.geometry.width = width;
  probe.geometry.channels = channels;
  probe.memory = memory;
  *ret_probe = probe;
}

static AssayPlan *
plan_again (GVariant *kept, GError **error)
{
  g_autoptr (GVariant) probes = g_variant_get_child_value (kept, 5);
  g_autoptr (GVariant) path = g_variant_get_child_value (kept, 0);
  g_autoptr (GVariant) given = g_variant_get_child_value (kept, 2);
  g_autofree const char **assignments = g_variant_get_bytestring_array (given, NULL);
  const guint n = (guint) g_variant_n_children (probes);
  g_autofree AssayProbe *all = g_new0 (AssayProbe, n + 1);
  AssayPlanOptions options = {
    .assignments = assignments, .has_seed = TRUE, .has_trials = TRUE, .probes = all, .n_probes = n
  };

  g_variant_get_child (kept, 1, "&s", &options.text);
  g_variant_get_child (kept, 3, "t", &options.seed);
  g_variant_get_child (kept, 4, "t", &options.trials);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GVariant) one = g_variant_get_child_value (probes, i);

    read_probe (one, &all[i]);
  }
  return assay_plan_new (g_variant_get_bytestring (path), &options, error);
}

/* FALSE, and why the plan is not the one that was run. */
static gboolean
fail_other_plan (const AssayKeptRun *run, GError **error)
{
  g_autofree char *text = NULL;
  g_autofree char *difference = NULL;

  if (!assay_store_get (run->store, ASSAY_META_PLAN_TEXT, &text, error))
    return FALSE;
  difference = text != NULL ? assay_loaded_difference (text, run->plan->canonical) : NULL;
  if (difference != NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: %s; expected the one of the run", run->folder,
                       difference);
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "%s: the run was made by Assay %s, and this is %s, which reads the scenario "
                     "otherwise; expected the same version",
                     run->folder, run->version, ASSAY_THIS_VERSION);
}

/* The plan again, which must be the one that was run: another version of the program may read the
 * same scenario otherwise, and outcomes are stored by their place in the plan. */
static gboolean
load_plan (AssayKeptRun *run, GError **error)
{
  g_autofree char *text = NULL;
  g_autofree char *sha256 = NULL;
  g_autoptr (GVariant) kept = NULL;

  if (!assay_store_get (run->store, META_SCENARIO, &text, error)
      || !assay_store_get (run->store, ASSAY_META_PLAN, &sha256, error))
    return FALSE;
  if (sha256 == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: the run was ended before it began; expected 'assay run' first",
                       run->folder);
  if (text == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: the run was made by Assay %s, which kept no scenario in it; expected "
                       "'assay run SCENARIO --out %s --resume' first",
                       run->folder, run->version, run->folder);
  kept = g_variant_parse (G_VARIANT_TYPE (SCENARIO_TYPE), text, NULL, NULL, NULL);
  if (kept == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: the scenario kept in %s is damaged",
                       run->folder, ASSAY_STORE_FILE);
  run->plan = plan_again (kept, error);
  if (run->plan == NULL) {
    g_prefix_error (error, "%s: ", run->folder);
    return FALSE;
  }
  return g_str_equal (run->plan->sha256, sha256) || fail_other_plan (run, error);
}

/* A run of an earlier version kept no times. */
static gboolean
load_about (AssayKeptRun *run, GError **error)
{
  g_autofree char *state = NULL;
  g_autofree char *times = NULL;

  if (!assay_store_get (run->store, ASSAY_META_STATE, &state, error)
      || !assay_store_get (run->store, ASSAY_META_VERSION, &run->version, error)
      || !assay_store_get (run->store, META_TIMES, &times, error))
    return FALSE;
  if (run->version == NULL)
    run->version = g_strdup ("of an unknown version");
  run->is_finished = g_strcmp0 (state, ASSAY_META_FINISHED) == 0;
  if (times == NULL
      || sscanf (times, "%u %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, &run->times.threads,
                 &run->times.started_us, &run->times.ended_us)
             != 3)
    run->times = (AssayKeptTimes){ 0 };
  return TRUE;
}

static gboolean
check_folder (const char *folder, GError **error)
{
  g_autofree char *path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);

  if (!g_file_test (folder, G_FILE_TEST_IS_DIR))
    return assay_fail (error, ASSAY_ERROR_DATA, "%s: expected the output folder of a run", folder);
  return g_file_test (path, G_FILE_TEST_IS_REGULAR)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%s: holds no run; expected the output folder of a run, with %s", folder,
                        ASSAY_STORE_FILE);
}

AssayKeptRun *
assay_kept_run_open (const char *folder, gboolean to_read, GError **error)
{
  g_autoptr (AssayKeptRun) run = g_new0 (AssayKeptRun, 1);

  run->folder = g_strdup (folder);
  if (!check_folder (folder, error) || !assay_folder_hold (folder, to_read, &run->lock, error))
    return NULL;
  run->store = assay_store_open (folder, FALSE, error);
  if (run->store == NULL || !load_about (run, error) || !load_plan (run, error))
    return NULL;
  run->results = assay_results_load (run->plan, run->store, error);
  if (run->results == NULL) {
    g_prefix_error (error, "%s: ", folder);
    return NULL;
  }
  return g_steal_pointer (&run);
}

void
assay_kept_run_close (AssayKeptRun *run)
{
  if (run == NULL)
    return;
  assay_results_free (run->results);
  assay_store_close (run->store);
  assay_plan_free (run->plan);
  if (run->lock > 0)
    close (run->lock);
  g_free (run->folder);
  g_free (run->version);
  g_free (run);
}
