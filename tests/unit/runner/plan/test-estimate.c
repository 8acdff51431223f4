/* Memory that a plan foretells: what further releases add to it. */
#include "runner/plan/planner.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

enum { SECRETS = 20, COLS = 8, MEMBERS = 3, DATABASE = 200 };

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
  fixture_write_normal (folder, "private.npy", 100, COLS, 100);
  fixture_write_normal (folder, "public.npy", 30, COLS, 30);
  fixture_write_normal (folder, "database.npy", DATABASE, COLS, DATABASE);
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (estimate, .init = set_up, .fini = tear_down);

#define HEAD                                                                                       \
  "[scenario]\ntrials = 3\n[dataset]\nplugin = vectors\nprivate = private.npy\n"                   \
  "public = public.npy\ndatabase = database.npy\nsecrets = 20\n"
#define SETS                                                                                       \
  "[defense sets]\nplugin = ldp-feat\ndictionary = 64\nmembers = 3\nepsilon = 3\n"                 \
  "iterations = 5\n"

/* Bytes. */
static double
estimate (const char *parts)
{
  const AssayPlanOptions options = { 0 };
  g_autofree char *text = g_strconcat (HEAD, parts, NULL);
  g_autofree char *path = fixture_write (folder, "a.scenario", text);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPlan) plan = assay_plan_new (path, &options, &error);

  cr_assert (plan != NULL, "%s", error != NULL ? error->message : "");
  return (double) plan->memory;
}

static double
of_repeats (const char *repeats)
{
  g_autofree char *parts
      = g_strconcat (SETS "[attack m]\nplugin = majority\ngrants = repeats\n", repeats, NULL);

  return estimate (parts);
}

/* Memory of the attack grows with its repeats too, by what its scan of as many more rows needs; at
 * least the sets, n x m numbers of 8 bytes, stand in every further release. */
Test (estimate, further_releases_count)
{
  const double few = of_repeats ("repeats = 2\n"), many = of_repeats ("repeats = 1002\n");
  const double listed = of_repeats ("repeats = 2; 1002\n");

  cr_expect (many - few >= 1000 * SECRETS * MEMBERS * 8, "%g", many - few);
  cr_expect (many - few < 1000 * SECRETS * 2000, "%g", many - few);
  /* Releases are shared by attacks: the most that one wants are made. */
  assert_near (listed, many, 0, "memory of the most");
}

/* What is not granted is not made. */
Test (estimate, without_the_grant_there_are_none)
{
  static const char *const attacks[] = { "[attack a]\nplugin = set-guess\n",
                                         "[attack a]\nplugin = set-guess\ngrants = repeats\n" };
  const double without = estimate (SETS "[attack a]\nplugin = set-guess\n");
  const double beside = estimate (SETS "[attack a]\nplugin = set-guess\n"
                                       "[attack m]\nplugin = majority\ngrants = repeats\n"
                                       "repeats = 10\n");

  for (gsize i = 0; i < G_N_ELEMENTS (attacks); i++) {
    g_autofree char *parts = g_strconcat (SETS, attacks[i], NULL);

    assert_near (estimate (parts), without, 0, "memory %zu", i);
  }
  cr_expect (beside - without >= 10 * SECRETS * MEMBERS * 8);
}
