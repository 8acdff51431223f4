/* A run that was made before. */
#include "runner/compare/saved-run.h"

#include <unistd.h>

#include "config.h"
#include "runner/judge/load.h"
#include "runner/plan/loaded.h"
#include "runner/store/folder.h"

/* FALSE, and why the plan is not the one that was run. */
static gboolean
fail_other_plan (const AssaySavedRun *run, GError **error)
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

/* FALSE; what looks damaged may be what another version wrote. */
static gboolean
blame_version (const AssaySavedRun *run, GError **error)
{
  if (g_str_equal (run->version, ASSAY_THIS_VERSION))
    return assay_prefix (error, "%s: ", run->folder);
  return assay_prefix (error,
                       "%s: the run was made by Assay %s, and this is %s, which reads it "
                       "otherwise; expected the same version, or the scenario run again with "
                       "--out in another folder: ",
                       run->folder, run->version, ASSAY_THIS_VERSION);
}

/* The plan again, which must be the one that was run: another version of the program may read the
 * same scenario otherwise, and outcomes are stored by their place in the plan. */
static gboolean
load_plan (AssaySavedRun *run, GError **error)
{
  g_autofree char *sha256 = NULL;

  if (!assay_store_get (run->store, ASSAY_META_PLAN, &sha256, error))
    return FALSE;
  if (sha256 == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: the run was ended before it began; expected 'assay run' first",
                       run->folder);
  if (!assay_manifest_plan (run->store, &run->plan, error))
    return blame_version (run, error);
  return g_str_equal (run->plan->sha256, sha256) || fail_other_plan (run, error);
}

static gboolean
load_about (AssaySavedRun *run, GError **error)
{
  g_autofree char *state = NULL;

  if (!assay_store_get (run->store, ASSAY_META_STATE, &state, error)
      || !assay_store_get (run->store, ASSAY_META_VERSION, &run->version, error)
      || !assay_manifest_times (run->store, &run->times, error))
    return FALSE;
  if (run->version == NULL)
    run->version = g_strdup ("of an unknown version");
  run->is_finished = g_strcmp0 (state, ASSAY_META_FINISHED) == 0;
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

AssaySavedRun *
assay_saved_run_open (const char *folder, gboolean to_read, GError **error)
{
  g_autoptr (AssaySavedRun) run = g_new0 (AssaySavedRun, 1);

  run->folder = g_strdup (folder);
  if (!check_folder (folder, error) || !assay_folder_hold (folder, to_read, &run->lock, error))
    return NULL;
  run->store = assay_store_open (folder, FALSE, error);
  if (run->store == NULL || !load_about (run, error) || !load_plan (run, error))
    return NULL;
  run->results = assay_results_load (run->plan, run->store, error);
  return run->results != NULL || blame_version (run, error) ? g_steal_pointer (&run) : NULL;
}

void
assay_saved_run_close (AssaySavedRun *run)
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
