/* The run store, and what a run that was interrupted or killed leaves in it. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "core/base/error.h"
#include "runner/plan/planner.h"
#include "runner/run/run.h"
#include "runner/store/outcomes.h"
#include "runner/store/store.h"
#include "tests/reference/fixtures.h"

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

TestSuite (store, .init = set_up, .fini = tear_down);

static AssayStore *
open_store (gboolean create)
{
  GError *error = NULL;
  AssayStore *store = assay_store_open (folder, create, &error);

  cr_assert (store != NULL, "%s", error->message);
  return store;
}

/* ---- Round trips ---- */

Test (store, texts)
{
  g_autoptr (AssayStore) store = open_store (TRUE);
  g_autofree char *value = NULL;

  cr_assert (assay_store_get (store, "a", &value, NULL) && value == NULL);
  cr_assert (assay_store_set (store, "a", "it's \"1\"\n\xc3\xa9", NULL));
  cr_assert (assay_store_set (store, "b", "", NULL));
  cr_assert (assay_store_set (store, "a", "two", NULL));
  g_clear_pointer (&store, assay_store_close);
  store = open_store (FALSE);
  cr_assert (assay_store_get (store, "a", &value, NULL));
  cr_assert_str_eq (value, "two");
  g_clear_pointer (&value, g_free);
  cr_assert (assay_store_get (store, "b", &value, NULL));
  cr_assert_str_eq (value, "");
}

/* Numbers come back to the bit, also where a decimal form would not. */
Test (store, outcomes_groups_and_tuning)
{
  static double first[] = { 0.1, -0.0, 5e-324, 1.7976931348623157e308, 1.0 / 3 };
  static double second[] = { 1, 0, 1, 1, 0 };
  static double third[] = { 7 };
  static const gint64 groups[] = { G_MAXINT64, G_MININT64, 0 };
  const AssayOutcomes outcomes[]
      = { { .n = 5, .series = { first, second } }, { .n = 0 }, { .n = 1, .series = { third } } };
  const AssayCellRecord record = { .status = ASSAY_CELL_OK, .message = NULL, .seconds = 0.25 };
  g_autoptr (AssayStore) store = open_store (TRUE);
  g_autofree gint64 *found_groups = NULL;
  g_autofree double *estimates = NULL;
  AssayOutcomes found;
  gboolean is_crashed = TRUE;
  const AssayCell tuned = { .defense = 1, .attack = 2 }, other = { .defense = 2, .attack = 1 };
  const AssayTuning made = { .chosen = 1, .n = 5, .estimates = (double *) first };
  AssayTuning tuning;
  gsize n;

  cr_assert (assay_store_begin_cell (store, 4, &is_crashed, NULL) && !is_crashed);
  cr_assert (
      assay_store_finish_cell (store, 4, &record, &(AssayMeasured){ outcomes, 3, NULL }, NULL));
  cr_assert (assay_store_set_groups (store, 1, 2, groups, 3, NULL));
  cr_assert (assay_store_set_tuning (store, &tuned, &made, NULL));
  g_clear_pointer (&store, assay_store_close);
  store = open_store (FALSE);

  cr_assert (assay_store_outcomes (store, 4, 0, 2, &found, NULL) && found.n == 5);
  cr_assert (memcmp (found.series[0], first, sizeof first) == 0);
  cr_assert (memcmp (found.series[1], second, sizeof second) == 0);
  assay_outcomes_clear (&found);
  cr_assert (assay_store_outcomes (store, 4, 1, 2, &found, NULL) && found.n == 0);
  assay_outcomes_clear (&found);
  cr_assert (assay_store_outcomes (store, 4, 2, 1, &found, NULL) && found.n == 1);
  cr_assert (found.series[0][0] == 7);
  assay_outcomes_clear (&found);
  cr_assert (assay_store_outcomes (store, 5, 0, 2, &found, NULL) && found.n == 0);
  cr_assert (assay_store_groups (store, 1, 2, &found_groups, &n, NULL) && n == 3);
  cr_assert (memcmp (found_groups, groups, sizeof groups) == 0);
  g_clear_pointer (&found_groups, g_free);
  cr_assert (assay_store_groups (store, 2, 1, &found_groups, &n, NULL) && found_groups == NULL);
  cr_assert (assay_store_tuning (store, &tuned, &tuning, NULL));
  estimates = tuning.estimates;
  cr_assert (tuning.chosen == 1 && tuning.n == 5
             && memcmp (estimates, first, sizeof first) == 0);
  cr_assert (assay_store_tuning (store, &other, &tuning, NULL) && tuning.estimates == NULL);
}

/* ---- Cells ---- */

static void
check_cell (AssayStore *store, gsize index, AssayCellStatus status, const char *message)
{
  AssayCellRecord record;

  cr_assert (assay_store_cell (store, index, &record, NULL));
  cr_assert (record.status == status && g_strcmp0 (record.message, message) == 0,
             "cell %zu: %d '%s'", index, record.status, record.message);
  g_free (record.message);
}

static gboolean
begin (AssayStore *store, gsize index)
{
  gboolean is_crashed = FALSE;

  cr_assert (assay_store_begin_cell (store, index, &is_crashed, NULL));
  return is_crashed;
}

Test (store, a_cell_begun_twice_is_crashed_the_third_time)
{
  g_autoptr (AssayStore) store = open_store (TRUE);
  gsize done = 9;

  check_cell (store, 3, ASSAY_CELL_PENDING, NULL);
  for (guint i = 0; i < 2; i++) {
    cr_assert (!begin (store, 3), "%u", i);
    check_cell (store, 3, ASSAY_CELL_PENDING, NULL);
    g_clear_pointer (&store, assay_store_close);
    store = open_store (TRUE);
  }
  cr_assert (assay_store_count_done (store, &done, NULL) && done == 0);
  cr_assert (!begin (store, 4), "cells are counted apart");
  cr_assert (begin (store, 3));
  check_cell (store, 3, ASSAY_CELL_CRASHED, "the process ended twice while this cell ran");
  check_cell (store, 4, ASSAY_CELL_PENDING, NULL);
  cr_assert (assay_store_count_done (store, &done, NULL) && done == 1);
}

Test (store, finished_cells_stay_and_forgotten_ones_begin_afresh)
{
  const AssayCellRecord failed = { ASSAY_CELL_ERROR, (char *) "no such luck", 1.5 };
  const AssayCellRecord lost = { ASSAY_CELL_CONTROL_FAILED, NULL, 0 };
  g_autoptr (AssayStore) store = open_store (TRUE);
  AssayCellRecord record;
  gsize done;

  begin (store, 0);
  cr_assert (assay_store_finish_cell (store, 0, &failed, NULL, NULL));
  begin (store, 1);
  cr_assert (assay_store_finish_cell (store, 1, &lost, NULL, NULL));
  check_cell (store, 0, ASSAY_CELL_ERROR, "no such luck");
  check_cell (store, 1, ASSAY_CELL_CONTROL_FAILED, NULL);
  cr_assert (assay_store_cell (store, 0, &record, NULL) && record.seconds == 1.5);
  g_free (record.message);
  cr_assert (assay_store_count_done (store, &done, NULL) && done == 2);
  for (guint i = 0; i < 5; i++) {
    cr_assert (!begin (store, 2), "begun and forgotten %u times", i);
    cr_assert (assay_store_forget_cell (store, 2, NULL));
  }
  cr_assert (assay_store_forget_cell (store, 0, NULL));
  check_cell (store, 0, ASSAY_CELL_ERROR, "no such luck");
}

/* Cut before a character that the limit of 64 KiB would have halved. */
Test (store, a_message_has_an_end)
{
  g_autoptr (GString) text = g_string_new ("x");
  g_autoptr (AssayStore) store = open_store (TRUE);
  AssayCellRecord record = { ASSAY_CELL_ERROR, NULL, 1 };
  g_autofree char *expected = NULL;

  while (text->len < 200001)
    g_string_append (text, "\303\251");
  record.message = text->str;
  begin (store, 0);
  cr_assert (assay_store_finish_cell (store, 0, &record, NULL, NULL));
  expected = g_strdup_printf ("%.65535s ... (cut: 200001 bytes)", text->str);
  check_cell (store, 0, ASSAY_CELL_ERROR, expected);
}

/* ---- Rows that no run writes ----
 *
 * Opening finds most of them (tests/cli/test_stores.py); these come in while the store is open. */

/* Runs @sql on the store's file as another program might. */
static void
change (const char *sql)
{
  g_autofree char *path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
  sqlite3 *database = NULL;

  cr_assert (sqlite3_open (path, &database) == SQLITE_OK);
  cr_assert (sqlite3_exec (database, sql, NULL, NULL, NULL) == SQLITE_OK, "%s", sql);
  sqlite3_close (database);
}

static void
check_damaged (gboolean is_ok, GError *error, const char *problem)
{
  cr_assert (!is_ok && error != NULL && error->code == ASSAY_ERROR_DATA, "%s", problem);
  cr_assert (strstr (error->message, problem) != NULL, "'%s' says nothing of '%s'", error->message,
             problem);
  g_error_free (error);
}

Test (store, rows_that_do_not_fit_are_damage)
{
  g_autoptr (AssayStore) store = open_store (TRUE);
  AssayCellRecord record = { .status = ASSAY_CELL_OK };
  AssayOutcomes outcomes = { .n = 77 };
  AssayTuning tuning = { .chosen = 77, .n = 77, .estimates = (double *) (gpointer) folder };
  GError *error = NULL;
  gboolean is_ok;

  change ("INSERT INTO cells VALUES (0, 1, 9, 'm', 0), (1, 1, -1, NULL, 0);"
          /* As many, one fewer; half a number; an infinity. */
          "INSERT INTO outcomes VALUES (0, 0, 0, zeroblob (16)), (0, 0, 1, zeroblob (8)),"
          " (1, 0, 0, zeroblob (12)), (2, 0, 0, x'000000000000f07f');"
          "INSERT INTO tunings VALUES (0, 0, 0, 2, zeroblob (16)), (0, 0, 1, -1, zeroblob (16));");
  for (gsize cell = 0; cell < 2; cell++, error = NULL) {
    is_ok = assay_store_cell (store, cell, &record, &error);
    check_damaged (is_ok, error, "a cell has a status that there is not");
    cr_assert (record.status == ASSAY_CELL_OK && record.message == NULL);
  }
  is_ok = assay_store_outcomes (store, 0, 0, 2, &outcomes, &error);
  check_damaged (is_ok, error, "outcomes of one metric are not as many as each other");
  error = NULL;
  is_ok = assay_store_outcomes (store, 1, 0, 1, &outcomes, &error);
  check_damaged (is_ok, error, "numbers are cut short");
  error = NULL;
  is_ok = assay_store_outcomes (store, 2, 0, 1, &outcomes, &error);
  check_damaged (is_ok, error, "an outcome is no finite number");
  cr_assert (outcomes.n == 77);
  error = NULL;
  for (guint attack = 0; attack < 2; attack++, error = NULL) {
    const AssayCell cell = { .attack = attack };

    is_ok = assay_store_tuning (store, &cell, &tuning, &error);
    check_damaged (is_ok, error, "tuning chose what it did not try");
  }
  cr_assert (tuning.chosen == 77 && tuning.n == 77 && (gpointer) tuning.estimates == folder);
}

/* ---- What is no store ---- */

static void
check_open_error (gboolean create, gint code, const char *message)
{
  g_autofree char *path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
  g_autoptr (AssayStore) store = NULL;
  g_autofree char *why = NULL;
  GError *error = NULL;

  store = assay_store_open (folder, create, &error);
  cr_assert (store == NULL, "%s", message);
  cr_assert (fixture_error_is (&error, code, message, path, &why), "%s", why);
}

static void
execute (const char *sql)
{
  g_autofree char *path = g_build_filename (folder, ASSAY_STORE_FILE, NULL);
  sqlite3 *database = NULL;

  cr_assert (sqlite3_open (path, &database) == SQLITE_OK);
  cr_assert (sqlite3_exec (database, sql, NULL, NULL, NULL) == SQLITE_OK, "%s", sql);
  sqlite3_close (database);
}

Test (store, a_newer_version_is_refused)
{
  assay_store_close (open_store (TRUE));
  execute ("PRAGMA user_version = 2");
  check_open_error (TRUE, ASSAY_ERROR_DATA,
                    "@: made by a newer version of Assay (store 2, this one reads 1); expected "
                    "that version, or a new run in another folder");
}

Test (store, another_program_s_database_is_refused)
{
  execute ("CREATE TABLE t (x)");
  check_open_error (TRUE, ASSAY_ERROR_DATA, "@: is not a run store");
  check_open_error (FALSE, ASSAY_ERROR_DATA, "@: is not a run store");
}

Test (store, nothing_and_nonsense_are_refused)
{
  g_autofree char *path = NULL;

  check_open_error (FALSE, ASSAY_ERROR_IO, "@: unable to open database file");
  path = fixture_write (folder, ASSAY_STORE_FILE,
                        "this is a text of more than a hundred bytes, which SQLite cannot take for "
                        "the header of one of its databases");
  check_open_error (TRUE, ASSAY_ERROR_DATA,
                    "@: the run store is damaged (file is not a database); expected a new run, "
                    "with --out in another folder");
}

/* ---- Runs ---- */

static AssayPlan *
make_plan (void)
{
  static const char text[]
      = "[scenario]\ntrials = 2\n[dataset]\nplugin = vectors\nprivate = private.npy\n"
        "database = database.npy\nsecrets = 6\n[defense lifting]\nplugin = affine-lifting\n"
        "dimension = 2; 4\n[attack verbatim]\nplugin = verbatim\n[attack database]\n"
        "plugin = database\ngrants = database\naveraged = 3\ntune.neighbours = 40; 80\n"
        "tune_measure = recovery-rate\n";
  g_autofree char *path = fixture_write (folder, "a.scenario", text);
  const AssayPlanOptions options = { 0 };
  GError *error = NULL;
  AssayPlan *plan;

  fixture_write_normal (folder, "private.npy", 30, 8, 1);
  fixture_write_normal (folder, "database.npy", 100, 8, 2);
  plan = assay_plan_new (path, &options, &error);
  cr_assert (plan != NULL, "%s", error->message);
  return plan;
}

static gboolean
count_down (gpointer data)
{
  return (*(gint *) data)-- == 0;
}

/* Runs until @cells more cells are done. */
static AssayRunEnd
run_for (const AssayPlan *plan, AssayStore *store, gint cells)
{
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);
  const AssayRunCallbacks callbacks = { .is_cancelled = count_down, .data = &cells };
  AssayRunEnd end = ASSAY_RUN_INTERRUPTED;
  GError *error = NULL;

  cr_assert (assay_run (plan, workspace, store, &callbacks, &end, &error), "%s",
             error != NULL ? error->message : "");
  return end;
}

/* Every outcome of every cell, and what tuning chose, as one text. */
static char *
describe (const AssayPlan *plan, AssayStore *store)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);
    g_autofree double *estimates = NULL;
    AssayCellRecord record;
    AssayTuning tuning;

    cr_assert (assay_store_cell (store, i, &record, NULL));
    g_string_append_printf (text, "cell %zu: %d %s\n", i, record.status, record.message);
    g_free (record.message);
    cr_assert (assay_store_tuning (store, cell, &tuning, NULL));
    estimates = tuning.estimates;
    for (guint e = 0; e < tuning.n; e++)
      g_string_append_printf (text, "tried %u: %a, chosen %u\n", e, estimates[e], tuning.chosen);
    for (guint m = 0; m < plan->metrics->len; m++) {
      const AssayMetric *metric
          = (const AssayMetric *) assay_plan_component (plan->metrics, m)->plugin;
      AssayOutcomes outcomes;

      cr_assert (assay_store_outcomes (store, i, m, metric->n_series, &outcomes, NULL));
      for (guint s = 0; s < metric->n_series; s++)
        for (gsize u = 0; u < outcomes.n; u++)
          g_string_append_printf (text, "%s %u %zu %a\n", metric->id, s, u, outcomes.series[s][u]);
      assay_outcomes_clear (&outcomes);
    }
  }
  return g_string_free (text, FALSE);
}

/* Interrupted after every possible number of cells, and once more in between, a run ends in the
 * same numbers. */
Test (store, a_resumed_run_ends_in_the_same_numbers)
{
  g_autoptr (AssayPlan) plan = make_plan ();
  const gint n = (gint) plan->cells->len;
  g_autofree char *undisturbed = NULL;

  cr_assert (n == 8, "%d cells", n);
  for (gint stop = n; stop >= 0; stop--) {
    g_autofree char *place = g_strdup_printf ("%s/run-%d", folder, stop);
    g_autoptr (AssayStore) store = NULL;
    g_autofree char *found = NULL;
    gsize done = 99;

    g_mkdir (place, 0700);
    store = assay_store_open (place, TRUE, NULL);
    cr_assert ((run_for (plan, store, stop) == ASSAY_RUN_FINISHED) == (stop == n), "%d", stop);
    cr_assert (assay_store_count_done (store, &done, NULL) && done == (gsize) stop, "%d: %zu", stop,
               done);
    if (stop < n)
      begin (store, (gsize) stop); /* as a killed process leaves it */
    g_clear_pointer (&store, assay_store_close);
    store = assay_store_open (place, TRUE, NULL);
    run_for (plan, store, 1);
    cr_assert (run_for (plan, store, n + 1) == ASSAY_RUN_FINISHED, "%d", stop);
    found = describe (plan, store);
    if (undisturbed == NULL)
      undisturbed = g_steal_pointer (&found);
    else
      cr_assert_str_eq (found, undisturbed, "stopped after %d", stop);
  }
  cr_assert (strstr (undisturbed, "recovery-rate 0 5 0x") != NULL);
  cr_assert (strstr (undisturbed, "adversarial-found 0 5 0x") != NULL);
  cr_assert (strstr (undisturbed, "tried 1: 0x") != NULL);
  cr_assert (strstr (undisturbed, "cell 7: 1 ") != NULL, "%s", undisturbed);
}

/* A cell that killed the process twice is passed over, and the others are run. */
Test (store, a_crashed_cell_is_passed_over)
{
  g_autoptr (AssayPlan) plan = make_plan ();
  g_autoptr (AssayStore) store = open_store (TRUE);

  begin (store, 1);
  begin (store, 1);
  cr_assert (run_for (plan, store, 100) == ASSAY_RUN_FINISHED);
  check_cell (store, 0, ASSAY_CELL_OK, NULL);
  check_cell (store, 1, ASSAY_CELL_CRASHED, "the process ended twice while this cell ran");
  check_cell (store, 2, ASSAY_CELL_OK, NULL);
}

/* Data that changed between two processes of one run. */
Test (store, changed_data_end_the_run)
{
  g_autoptr (AssayPlan) plan = make_plan ();
  g_autoptr (AssayStore) store = open_store (TRUE);
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);
  const AssayRunCallbacks callbacks = { 0 };
  AssayRunEnd end;
  g_autoptr (GError) error = NULL;

  run_for (plan, store, 1);
  fixture_write_normal (folder, "private.npy", 30, 8, 3);
  cr_assert (!assay_run (plan, workspace, store, &callbacks, &end, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA), "%s", error->message);
  cr_assert (
      g_str_has_prefix (error->message, "the data of the run changed since it began (sha256 "),
      "%s", error->message);
}
