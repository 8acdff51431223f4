/* Plans: secrets of trials and of tuning. */
#include <criterion/criterion.h>
#include <string.h>

#include "runner/plan/planner.h"
#include "runner/run/workspace.h"
#include "tests/reference/fixtures.h"

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
  fixture_write_normal (folder, "private.npy", 40, 8, 40);
  fixture_write_normal (folder, "public.npy", 30, 8, 30);
  fixture_write_normal (folder, "database.npy", 50, 8, 50);
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (plan_tuning, .init = set_up, .fini = tear_down);

#define HEAD                                                                                       \
  "[scenario]\ntitle = T\nseed = 3\ntrials = 2\n[dataset]\nplugin = vectors\n"                     \
  "private = private.npy\npublic = public.npy\ndatabase = database.npy\nsecrets = 5\n"
#define LIFTING "[defense lifting]\nplugin = affine-lifting\ndimension = 2; 4\n"
#define NONE "[defense plain]\nplugin = none\n"
#define VERBATIM "[attack verbatim]\nplugin = verbatim\n"
#define DATABASE "[attack db]\nplugin = database\ngrants = database\naveraged = 3\n"

static AssayPlan *
good_plan (const char *text, const char *assignment)
{
  g_autofree char *path = fixture_write (folder, "a.scenario", text);
  const char *const assignments[] = { assignment, NULL };
  const AssayPlanOptions options = { .assignments = assignments };
  GError *error = NULL;
  AssayPlan *plan = assay_plan_new (path, &options, &error);

  cr_assert (plan != NULL, "%s", error->message);
  return plan;
}

/* averaged <= neighbours: four of the nine corners fall away, the others keep their order. */
Test (plan_tuning, corners_that_contradict_themselves_are_dropped)
{
  g_autoptr (AssayPlan) plan
      = good_plan (HEAD LIFTING "[attack db]\nplugin = database\ngrants = database\n"
                                "tune.neighbours = 5; 10; 20\ntune.averaged = 20; 3; 10\n"
                                "tune_measure = recovery-rate\n",
                   NULL);
  const AssayComponent *component = assay_plan_component (plan->attacks, 0);
  g_autoptr (GString) found = g_string_new (NULL);

  for (guint i = 0; i < component->candidates->len; i++) {
    g_autofree char *text = assay_settings_canonical (component->candidates->pdata[i]);

    g_string_append (found, text);
  }
#define CORNER(v, u) "neighbours=" #v "\naveraged=" #u "\nadversarial=counted\nshow_near=no\n"
  cr_assert_str_eq (found->str, CORNER (5, 3) CORNER (10, 3) CORNER (10, 10) CORNER (20, 20)
                                    CORNER (20, 3) CORNER (20, 10));
  cr_assert_str_eq (component->tuned_keys, "neighbours=5;10;20 averaged=20;3;10");
  cr_assert (plan->tune_secrets == 5 && plan->attacks->len == 1 && plan->cells->len == 4);
}

/* The secrets of a job, each found once among the private rows of the file, counted in @taken. */
static void
count_taken (const AssayJob *job, gsize expected, guint *taken)
{
  g_autoptr (AssayMatrix) pool = fixture_normal (40, 8, 40);
  const AssayView secrets = assay_array_view (assay_arrays_get (&job->truth->arrays, "secrets"));

  cr_assert (secrets.rows == expected, "%zu", secrets.rows);
  for (gsize i = 0; i < secrets.rows; i++)
    for (gsize r = 0; r < 40; r++)
      taken[r]
          += memcmp (assay_view_row (secrets, i), assay_matrix_row (pool, r), 8 * sizeof (float))
             == 0;
}

/* No secret counts twice: trials and tuning take other rows, and every defense the same ones. */
Test (plan_tuning, trials_and_tuning_share_no_secret)
{
  g_autoptr (AssayPlan) plan = good_plan (
      HEAD NONE LIFTING DATABASE "tune.neighbours = 5; 10\ntune_measure = recovery-rate\n" VERBATIM,
      "dataset.tune_secrets=30");
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);
  guint taken[40] = { 0 };
  AssayJob job;

  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);

    if (!g_str_equal (assay_plan_component (plan->defenses, cell->defense)->label, "plain"))
      continue;
    cr_assert (assay_workspace_cell (workspace, cell, &job, NULL));
    count_taken (&job, 5, taken);
    if (cell->trial == 0) {
      cr_assert (assay_workspace_tuning (workspace, cell, &job, NULL));
      count_taken (&job, 30, taken);
    }
  }
  for (gsize r = 0; r < 40; r++)
    cr_assert (taken[r] == 1, "row %zu was taken %u times", r, taken[r]);
}

/* The 40 rows in @n_groups groups; row r is in group r mod @n_groups. */
static void
write_groups (guint n_groups)
{
  g_autoptr (GString) text = g_string_new ("image\n");
  g_autofree char *path = NULL;

  for (guint r = 0; r < 40; r++)
    g_string_append_printf (text, "photo%u\n", r % n_groups);
  path = fixture_write (folder, "groups.csv", text->str);
}

static const char in_groups[]
    = HEAD "groups = groups.csv:image\n" NONE LIFTING DATABASE
           "tune.neighbours = 5; 10\ntune_measure = recovery-rate\n" VERBATIM;

/* How often the trials take each row, and how often tuning does. */
static void
take_rows (const char *seed, guint64 tune_secrets, guint *measured, guint *tuned_on)
{
  g_autoptr (AssayPlan) plan = good_plan (in_groups, seed);
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);
  AssayJob job;

  cr_assert (plan->tune_secrets == tune_secrets);
  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);

    if (!g_str_equal (assay_plan_component (plan->defenses, cell->defense)->label, "plain"))
      continue;
    cr_assert (assay_workspace_cell (workspace, cell, &job, NULL));
    count_taken (&job, 5, measured);
    if (cell->trial == 0) {
      cr_assert (assay_workspace_tuning (workspace, cell, &job, NULL));
      count_taken (&job, tune_secrets, tuned_on);
    }
  }
}

/* 3 of 12 groups, of 3 or 4 rows each, are set apart. */
Test (plan_tuning, trials_and_tuning_share_no_group)
{
  write_groups (12);
  for (guint seed = 1; seed <= 20; seed++) {
    g_autofree char *few = g_strdup_printf ("scenario.seed=%u", seed);
    guint measured[40] = { 0 }, tuned_on[40] = { 0 };
    gboolean is_measured[12] = { FALSE }, is_tuned_on[12] = { FALSE };
    guint n = 0;

    take_rows (few, 5, measured, tuned_on);
    for (guint r = 0; r < 40; r++) {
      cr_assert (measured[r] + tuned_on[r] <= 1, "row %u counts twice", r);
      is_measured[r % 12] |= measured[r] > 0;
      is_tuned_on[r % 12] |= tuned_on[r] > 0;
    }
    for (guint g = 0; g < 12; g++) {
      cr_assert (!(is_measured[g] && is_tuned_on[g]), "seed %u: group %u", seed, g);
      n += is_tuned_on[g];
    }
    cr_assert (n >= 2, "5 secrets of at least 9 from %u groups", n);
  }
}

/* A quarter of the groups, rounded up, or as many as hold the secrets for tuning. */
Test (plan_tuning, a_quarter_of_the_groups_is_set_apart)
{
  static const struct {
    guint n_groups, tune_secrets, n_set_apart, n_left; /* equal groups */
  } cases[] = { { 10, 1, 3, 28 }, { 8, 1, 2, 30 },  { 5, 1, 2, 24 }, { 4, 1, 1, 30 },
                { 10, 13, 4, 24 }, { 8, 11, 3, 25 }, { 2, 1, 1, 20 }, { 1, 1, 1, 0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint extra = 0; extra < 2; extra++) {
      const guint n_secrets = cases[i].n_left / 2 + extra;
      g_autofree char *text = g_strdup_printf ("%stune_secrets = %u\n", HEAD,
                                               cases[i].tune_secrets);
      g_autofree char *all = g_strconcat (text, strstr (in_groups, "groups = "), NULL);
      g_autofree char *change = g_strdup_printf ("dataset.secrets=%u", MAX (n_secrets, 1));
      g_autofree char *message = NULL;
      g_autoptr (AssayPlan) plan = NULL;
      g_autoptr (AssayWorkspace) workspace = NULL;
      g_autofree char *why = NULL;
      GError *error = NULL;
      const char *ignored;

      write_groups (cases[i].n_groups);
      plan = good_plan (all, change);
      workspace = assay_workspace_new (plan);
      if (n_secrets > 0 && 2 * n_secrets <= cases[i].n_left) {
        cr_assert (assay_workspace_dataset (workspace, 0, &ignored, &error), "case %zu", i);
        continue;
      }
      message = g_strdup_printf (
          "%u of the groups that secrets come in are set apart for tuning, which leaves %u secrets "
          "of other groups, but %u are to be measured; expected fewer secrets, trials or "
          "tune_secrets",
          cases[i].n_set_apart, cases[i].n_left, 2 * MAX (n_secrets, 1));
      cr_assert (!assay_workspace_dataset (workspace, 0, &ignored, &error), "case %zu", i);
      cr_assert (fixture_error_is (&error, ASSAY_ERROR_SCENARIO, message, folder, &why), "%s", why);
    }
}
