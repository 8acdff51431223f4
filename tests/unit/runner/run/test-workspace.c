/* What the runner hands to an attack that is granted repeats: further releases of the same secrets,
 * each with randomness of its own. */
#include <criterion/criterion.h>
#include <string.h>

#include "runner/plan/planner.h"
#include "runner/run/workspace.h"
#include "tests/reference/fixtures.h"

enum { PRIVATE = 60, SECRETS = 20, COLS = 8, MEMBERS = 3 };

#define SCENARIO                                                                                   \
  "[scenario]\ntitle = T\nseed = 3\ntrials = 2\n"                                                  \
  "[dataset]\nplugin = vectors\nprivate = private.npy\ndatabase = database.npy\nsecrets = 20\n"    \
  "tune_secrets = 20\n"                                                                            \
  "[defense sets]\nplugin = ldp-feat\ndictionary = 64\nmembers = 3\nepsilon = 3; 4\n"              \
  "[attack majority]\nplugin = majority\ngrants = repeats\nrepeats = 2; 5\n"                       \
  "[attack once]\nplugin = set-guess\ngrants = repeats\n"                                          \
  "[attack tuned]\nplugin = set-guess\ntune.rule = first; centroid\n"                              \
  "tune_measure = recovery-rate\n"

/* Attacks of each release, in the order of the cells, and how many repeats they want. */
enum { ATTACKS = 4 };
static const guint wanted[ATTACKS] = { 2, 5, 0, 0 };

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
  fixture_write_normal (folder, "private.npy", PRIVATE, COLS, PRIVATE);
  fixture_write_normal (folder, "database.npy", 100, COLS, 100);
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (workspace, .init = set_up, .fini = tear_down);

static AssayPlan *
make_plan (void)
{
  g_autofree char *path = fixture_write (folder, "a.scenario", SCENARIO);
  const AssayPlanOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  AssayPlan *plan = assay_plan_new (path, &options, &error);

  cr_assert (plan != NULL, "%s", error != NULL ? error->message : "");
  return plan;
}

/* The sets that the attack of a cell sees: of the attacked release, then of each repeat. */
static GPtrArray *
sets_seen (const AssayPlan *plan, AssayWorkspace *workspace, gsize number, gboolean is_tuning)
{
  const AssayCell *cell = assay_plan_cell (plan, number);
  const AssayComponent *component = assay_plan_component (plan->attacks, cell->attack);
  GPtrArray *sets = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_array_free);
  AssayGranted granted;
  AssayJob job;

  cr_assert (
      (is_tuning ? assay_workspace_tuning : assay_workspace_cell) (workspace, cell, &job, NULL)
      && assay_workspace_grant (workspace, cell, component->settings, is_tuning, &granted, NULL));
  g_ptr_array_add (sets, assay_array_copy (assay_arrays_get (&job.release->arrays, "sets")));
  for (guint r = 0; r < granted.repeats->len; r++) {
    const AssayRelease *repeat = granted.repeats->pdata[r];

    cr_assert (assay_arrays_get (&repeat->arrays, "dictionary")->data
                   == assay_arrays_get (&job.release->arrays, "dictionary")->data
               && g_str_equal (repeat->settings, job.release->settings));
    g_ptr_array_add (sets, assay_array_copy (assay_arrays_get (&repeat->arrays, "sets")));
  }
  return sets;
}

static gboolean
is_equal (const AssayArray *a, const AssayArray *b)
{
  return memcmp (a->data, b->data, SECRETS * MEMBERS * sizeof (gint64)) == 0;
}

/* Secrets of which some entry stands in every one of the sets. */
static guint
count_shared (const GPtrArray *sets)
{
  guint shared = 0;

  for (gsize i = 0; i < SECRETS; i++) {
    guint counts[64] = { 0 };
    gboolean is_shared = FALSE;

    for (guint r = 0; r < sets->len; r++)
      for (gsize j = 0; j < MEMBERS; j++)
        is_shared |= ++counts[assay_array_int64 (sets->pdata[r])[i * MEMBERS + j]] == sets->len;
    shared += is_shared ? 1 : 0;
  }
  return shared;
}

static void
check_distinct (const GPtrArray *sets)
{
  for (guint r = 0; r < sets->len; r++)
    for (guint s = 0; s < r; s++)
      cr_assert (!is_equal (sets->pdata[r], sets->pdata[s]), "releases %u and %u are one", r, s);
}

/* Every cell and tuning: as many as the attack's settings want, none of them the attacked one. */
Test (workspace, repeats_are_distinct_and_reproducible)
{
  g_autoptr (AssayPlan) plan = make_plan ();
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);

  cr_assert (plan->cells->len == 4 * ATTACKS);
  for (gsize i = 0; i < plan->cells->len; i++)
    for (int is_tuning = 0; is_tuning < 2; is_tuning++) {
      GPtrArray *sets = sets_seen (plan, workspace, i, is_tuning);

      cr_assert (sets->len == 1 + wanted[i % ATTACKS], "cell %zu has %u", i, sets->len - 1);
      check_distinct (sets);
      g_ptr_array_add (all, sets);
    }
  /* The same from the last cell to the first, in a workspace of its own: repeats depend neither on
   * the order of the cells nor on how many an attack before wanted. */
  g_clear_pointer (&workspace, assay_workspace_free);
  workspace = assay_workspace_new (plan);
  for (gsize i = all->len; i-- > 0;) {
    const GPtrArray *before = all->pdata[i];
    g_autoptr (GPtrArray) sets = sets_seen (plan, workspace, i / 2, i % 2);

    cr_assert (sets->len == before->len);
    for (guint r = 0; r < sets->len; r++)
      cr_assert (is_equal (sets->pdata[r], before->pdata[r]), "cell %zu, release %u", i / 2, r);
  }
}

/* Attacks on one release are given the same repeats, the fewer being the first of the more; trials,
 * defenses and tuning have others. */
Test (workspace, repeats_belong_to_a_release)
{
  g_autoptr (AssayPlan) plan = make_plan ();
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);

  for (gsize i = 0; i < plan->cells->len; i += ATTACKS) {
    g_autoptr (GPtrArray) few = sets_seen (plan, workspace, i, FALSE);
    g_autoptr (GPtrArray) many = sets_seen (plan, workspace, i + 1, FALSE);
    g_autoptr (GPtrArray) tuning = sets_seen (plan, workspace, i + 1, TRUE);
    g_autoptr (GPtrArray) others
        = sets_seen (plan, workspace, (i + ATTACKS + 1) % plan->cells->len, FALSE);

    for (guint r = 0; r < few->len; r++)
      cr_assert (is_equal (few->pdata[r], many->pdata[r]));
    for (guint r = 0; r < many->len; r++)
      cr_assert (!is_equal (many->pdata[r], tuning->pdata[r])
                 && !is_equal (many->pdata[r], others->pdata[r]));
  }
}

/* At epsilon = 40 every set holds its secret's entry, so that repeats of one secret share it; those
 * of others would share an entry of all three sets of three in 20 x 3 x (3 / 64)^2, an eighth of a
 * secret, by chance. */
Test (workspace, repeats_are_of_the_same_secrets)
{
  g_autoptr (AssayPlan) plan = NULL;
  g_autoptr (AssayWorkspace) workspace = NULL;
  g_autofree char *path = fixture_write (folder, "a.scenario", SCENARIO);
  const char *const assignments[] = { "defense sets.epsilon=40", NULL };
  const AssayPlanOptions options = { .assignments = assignments };
  g_autoptr (GError) error = NULL;

  plan = assay_plan_new (path, &options, &error);
  cr_assert (plan != NULL, "%s", error != NULL ? error->message : "");
  workspace = assay_workspace_new (plan);
  for (int is_tuning = 0; is_tuning < 2; is_tuning++)
    for (gsize i = 0; i < plan->cells->len; i++) {
      g_autoptr (GPtrArray) sets = sets_seen (plan, workspace, i, is_tuning);

      cr_assert (count_shared (sets) == SECRETS, "cell %zu: %u", i, count_shared (sets));
    }
}

/* Who is not granted repeats gets none, whatever the attack wants. */
Test (workspace, repeats_that_are_not_granted_are_not_given)
{
  g_autoptr (AssayPlan) plan = make_plan ();
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);

  for (guint i = 0; i < ATTACKS; i++) {
    AssayComponent *component = plan->attacks->pdata[i];

    component->grants &= ~(guint) ASSAY_GRANT_REPEATS;
  }
  for (gsize i = 0; i < plan->cells->len; i++) {
    g_autoptr (GPtrArray) sets = sets_seen (plan, workspace, i, FALSE);

    cr_assert (sets->len == 1, "cell %zu has %u repeats", i, sets->len - 1);
  }
}
