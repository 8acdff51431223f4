/* A run that was made before: the plan again without the scenario's file and without data. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/data/npy.h"
#include "runner/compare/saved-run.h"
#include "runner/plan/planner.h"
#include "runner/store/folder.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (saved_run, .init = set_up, .fini = tear_down);

#define SCENARIO                                                                                   \
  "[scenario]\ntitle = \"Quotes\" and 'others' \\\\ \xc3\xa4\nseed = 3\n"                          \
  "[dataset]\nplugin = vectors\nprivate = private.npy\nsecrets = 5\n"                              \
  "[defense noisy]\nplugin = additive-noise\nshare = 0.1; 0.3\n"                                   \
  "[attack verbatim]\nplugin = verbatim\n"                                                         \
  "[claim hidden]\nmeasure = recovery-rate\nattack = verbatim\nat-most = 0.1\n"

static AssayPlan *
make_plan (void)
{
  static const char *const assignments[] = { "defense noisy.share=0.2;0.7", NULL };
  const AssayPlanOptions options = { .assignments = assignments,
                                     .has_seed = TRUE,
                                     .seed = G_MAXINT64,
                                     .has_trials = TRUE,
                                     .trials = 3 };
  g_autofree char *scenario = fixture_write (folder, "a.scenario", SCENARIO);
  g_autofree char *data = g_build_filename (folder, "private.npy", NULL);
  g_autoptr (AssayArray) array = assay_array_take_matrix (fixture_normal (40, 8, 1));
  g_autoptr (GError) error = NULL;
  AssayPlan *plan;

  cr_assert (assay_npy_write (data, array, NULL));
  plan = assay_plan_new (scenario, &options, &error);
  cr_assert (plan != NULL, "%s", error != NULL ? error->message : "");
  return plan;
}

static void
remove_sources (void)
{
  g_autofree char *scenario = g_build_filename (folder, "a.scenario", NULL);
  g_autofree char *data = g_build_filename (folder, "private.npy", NULL);

  cr_assert (g_unlink (scenario) == 0 && g_unlink (data) == 0);
}

/* A run's folder in which no cell is done. */
static char *
begin_run (const AssayPlan *plan)
{
  char *place = g_build_filename (folder, "out", NULL);
  g_autoptr (GError) error = NULL;
  AssayFolder run = { 0 };

  cr_assert (assay_folder_open (plan, place, FALSE, &run, &error), "%s",
             error != NULL ? error->message : "");
  assay_folder_clear (&run);
  return place;
}

/* The memory that the machine would need is no matter of a report. */
Test (saved_run, plan_again_without_file_and_data)
{
  g_autoptr (AssayPlan) plan = make_plan ();
  g_autofree char *place = begin_run (plan);
  g_autoptr (AssaySavedRun) run = NULL;
  g_autoptr (GError) error = NULL;

  remove_sources ();
  run = assay_saved_run_open (place, TRUE, &error);
  cr_assert (run != NULL, "%s", error != NULL ? error->message : "");
  cr_assert_str_eq (run->plan->canonical, plan->canonical);
  cr_assert_str_eq (run->plan->sha256, plan->sha256);
  cr_assert_str_eq (run->plan->scenario_sha256, plan->scenario_sha256);
  cr_assert_str_eq (run->plan->title, "\"Quotes\" and 'others' \\ \xc3\xa4");
  cr_assert_str_eq (run->plan->scenario, plan->scenario);
  cr_assert (run->plan->seed == G_MAXINT64 && run->plan->trials == 3 && run->plan->is_changed);
  cr_assert (run->plan->cells->len == 6 && run->plan->claims->len == 1);
  cr_assert (run->plan->probes[0].n_secrets == 40 && run->plan->probes[0].cols == 8);
  cr_assert (run->results->n_missing == 6 && !run->is_finished);
  cr_assert (run->times.started_us == 0 && run->times.threads == 0);
}

Test (saved_run, every_field_of_a_probe)
{
  g_autoptr (AssayPlan) plan = make_plan ();
  g_autofree char *place = NULL;
  g_autoptr (AssaySavedRun) run = NULL;
  const AssayProbe probe
      = { .n_secrets = 41,
          .n_public = 2,
          .n_database = 3,
          .n_test = 4,
          .n_groups = 5,
          .n_classes = 6,
          .cols = 7,
          .holdings = 8 | 64,
          .geometry
          = { .height = 9, .width = 10, .channels = 11, .black = -1.0 / 3, .white = 1e300 },
          .is_estimate = TRUE,
          .memory = G_MAXUINT64 };
  const AssayProbe *found;

  plan->probes[0] = probe;
  place = begin_run (plan);
  run = assay_saved_run_open (place, TRUE, NULL);
  cr_assert (run != NULL);
  found = &run->plan->probes[0];
  cr_assert (found->n_secrets == 41 && found->n_public == 2 && found->n_database == 3);
  cr_assert (found->n_test == 4 && found->n_groups == 5 && found->n_classes == 6);
  cr_assert (found->cols == 7 && found->holdings == (8 | 64) && found->is_estimate);
  cr_assert (found->geometry.height == 9 && found->geometry.width == 10);
  cr_assert (found->geometry.channels == 11 && found->memory == G_MAXUINT64);
  assert_near (found->geometry.black, -1.0 / 3, 0, "black");
  assert_near (found->geometry.white, 1e300, 0, "white");
}

Test (saved_run, times)
{
  g_autoptr (AssayPlan) plan = make_plan ();
  g_autofree char *place = begin_run (plan);
  g_autoptr (AssayStore) store = assay_store_open (place, TRUE, NULL);
  const AssayRunTimes times = { 7, 1700000000123456, 1700000000999999 };
  g_autoptr (AssaySavedRun) run = NULL;

  cr_assert (assay_manifest_set_times (store, &times, NULL));
  run = assay_saved_run_open (place, TRUE, NULL);
  cr_assert (run != NULL && run->times.threads == 7);
  cr_assert (run->times.started_us == 1700000000123456 && run->times.ended_us == 1700000000999999);
}

/* Readers share the folder; one who writes has it alone. */
Test (saved_run, locks)
{
  g_autoptr (AssayPlan) plan = make_plan ();
  g_autofree char *place = begin_run (plan);
  g_autoptr (AssaySavedRun) one = assay_saved_run_open (place, TRUE, NULL);
  g_autoptr (AssaySavedRun) two = assay_saved_run_open (place, TRUE, NULL);
  g_autoptr (AssaySavedRun) writer = NULL;
  GError *error = NULL;
  g_autofree char *why = NULL;

  cr_assert (one != NULL && two != NULL);
  cr_assert (assay_saved_run_open (place, FALSE, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_SCENARIO,
                               "output folder @/out is in use by another process; expected it to "
                               "end first, or --out with another folder",
                               folder, &why),
             "%s", why);
  g_clear_pointer (&one, assay_saved_run_close);
  g_clear_pointer (&two, assay_saved_run_close);
  writer = assay_saved_run_open (place, FALSE, NULL);
  cr_assert (writer != NULL);
  cr_assert (assay_saved_run_open (place, TRUE, NULL) == NULL);
}
