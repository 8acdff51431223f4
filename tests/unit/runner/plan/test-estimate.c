/* Memory and work that a plan foretells: what further releases add to them. */
#include "core/data/npy.h"
#include "runner/plan/planner.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

enum { SECRETS = 20, TRIALS = 3, COLS = 8, MEMBERS = 3, DICTIONARY = 64, DATABASE = 200 };

static char *folder;

static void
write_npy (const char *name, gsize rows)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (AssayArray) array = assay_array_take_matrix (fixture_normal (rows, COLS, rows));

  cr_assert (assay_npy_write (path, array, NULL));
}

static void
set_up (void)
{
  folder = fixture_folder ();
  write_npy ("private.npy", 100);
  write_npy ("public.npy", 30);
  write_npy ("database.npy", DATABASE);
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

typedef struct {
  double memory, work;
} Estimate;

static Estimate
estimate (const char *parts)
{
  const AssayPlanOptions options = { 0 };
  g_autofree char *text = g_strconcat (HEAD, parts, NULL);
  g_autofree char *path = fixture_write (folder, "a.scenario", text);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPlan) plan = assay_plan_new (path, &options, &error);

  cr_assert (plan != NULL, "%s", error != NULL ? error->message : "");
  return (Estimate){ (double) plan->memory, plan->work };
}

static Estimate
of_repeats (const char *repeats)
{
  g_autofree char *parts
      = g_strconcat (SETS "[attack m]\nplugin = majority\ngrants = repeats\n", repeats, NULL);

  return estimate (parts);
}

/* Memory of the attack grows with its repeats too, by what its scan of as many more rows needs; at
 * least the sets, n x m numbers of 8 bytes, stand in every further release. Work: to look for the
 * nearest of 64 entries, 2 n d k operations a trial and release; k-means of the database is done
 * once, however many releases there are. */
Test (estimate, further_releases_count)
{
  const Estimate few = of_repeats ("repeats = 2\n"), many = of_repeats ("repeats = 1002\n");
  const Estimate listed = of_repeats ("repeats = 2; 1002\n");
  const double of_release = 2.0 * SECRETS * COLS * DICTIONARY;
  const double of_k_means = 2.0 * 5 * DATABASE * COLS * DICTIONARY;

  cr_expect (many.memory - few.memory >= 1000 * SECRETS * MEMBERS * 8, "%g",
             many.memory - few.memory);
  cr_expect (many.memory - few.memory < 1000 * SECRETS * 2000, "%g", many.memory - few.memory);
  assert_near (many.work - few.work, TRIALS * 1000 * of_release, 1e-3, "work");
  /* Releases are shared by attacks: the most that one wants are made. */
  assert_near (listed.memory, many.memory, 0, "memory of the most");
  cr_expect (listed.work - many.work < TRIALS * 2 * of_release);
  cr_expect (few.work >= of_k_means + TRIALS * 3 * of_release);
  cr_expect (few.work < 2 * of_k_means + TRIALS * 3 * of_release, "%g", few.work);
}

/* What is not granted is not made. */
Test (estimate, without_the_grant_there_are_none)
{
  static const char *const attacks[] = { "[attack a]\nplugin = set-guess\n",
                                         "[attack a]\nplugin = set-guess\ngrants = repeats\n" };
  const Estimate without = estimate (SETS "[attack a]\nplugin = set-guess\n");
  const Estimate beside = estimate (SETS "[attack a]\nplugin = set-guess\n"
                                         "[attack m]\nplugin = majority\ngrants = repeats\n"
                                         "repeats = 10\n");

  for (gsize i = 0; i < G_N_ELEMENTS (attacks); i++) {
    g_autofree char *parts = g_strconcat (SETS, attacks[i], NULL);
    const Estimate found = estimate (parts);

    assert_near (found.memory, without.memory, 0, "memory %zu", i);
    assert_near (found.work, without.work, 0, "work %zu", i);
  }
  cr_expect (beside.work - without.work >= TRIALS * 10 * 2.0 * SECRETS * COLS * DICTIONARY);
}
