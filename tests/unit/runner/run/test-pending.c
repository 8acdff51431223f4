/* The order and the part of the time that cells have where time is short. */
#include <criterion/criterion.h>

#include "runner/plan/planner.h"
#include "runner/run/pending.h"
#include "tests/reference/fixtures.h"

/* The claim is about the second defense, and the attack with fewest runs is not the first. */
#define SCENARIO                                                                                   \
  "[scenario]\ntitle = T\n"                                                                        \
  "[dataset]\nplugin = vectors\nprivate = private.npy\npublic = public.npy\nsecrets = 20\n"       \
  "[defense first]\nplugin = gaussian\n[defense second]\nplugin = gaussian\nepsilon = 2\n"        \
  "[attack many]\nplugin = learned-inversion\ngrants = public; mechanism\nmechanism_runs = 9\n"   \
  "[attack few]\nplugin = learned-inversion\ngrants = public; mechanism\nmechanism_runs = 2\n"    \
  "[attack none]\nplugin = verbatim\n"                                                            \
  "[claim c]\nmeasure = recovery-rate\ndefense = second\nat-most = 0.5\n"

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
  fixture_write_normal (folder, "private.npy", 100, 4, 1);
  fixture_write_normal (folder, "public.npy", 100, 4, 1);
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (pending, .init = set_up, .fini = tear_down);

Test (pending, what_is_claimed_and_cheap_comes_first)
{
  static const char *const expected[]
      = { "none second", "few second", "many second", "none first", "few first", "many first" };
  g_autofree char *path = fixture_write (folder, "a.scenario", SCENARIO);
  const AssayPlanOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPlan) plan = assay_plan_new (path, &options, &error);
  g_autoptr (GArray) pending = g_array_new (FALSE, FALSE, sizeof (gsize));

  cr_assert (plan != NULL, "%s", error != NULL ? error->message : "");
  cr_assert_eq (plan->cells->len, G_N_ELEMENTS (expected));
  for (gsize i = 0; i < plan->cells->len; i++)
    g_array_append_val (pending, i);
  assay_run_order_for_time (plan, pending);
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++) {
    const AssayCell *cell = assay_plan_cell (plan, g_array_index (pending, gsize, i));
    g_autofree char *name = g_strconcat (assay_plan_attack (plan, cell)->label, " ",
                                         assay_plan_defense (plan, cell)->label, NULL);

    cr_assert_str_eq (name, expected[i], "place %zu", i);
  }
}

/* To what the clock moves in between. */
Test (pending, part_of_the_time)
{
  static const struct {
    gint64 seconds; /* to the deadline */
    gsize left;
    gint64 part; /* 0: all */
  } cases[] = { { 40, 2, 20 }, { 39, 3, 13 }, { 40, 4, 10 }, { 40, 100, 10 }, { 40, 1, 0 },
                { 40, 0, 0 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const gint64 before = g_get_monotonic_time ();
    const gint64 end
        = assay_run_end_of_part (before + cases[c].seconds * G_USEC_PER_SEC, cases[c].left);
    const gint64 after = g_get_monotonic_time ();

    if (cases[c].part == 0)
      cr_assert_eq (end, 0, "case %zu", c);
    else
      cr_assert (end >= before + cases[c].part * G_USEC_PER_SEC
                     && end <= after + cases[c].part * G_USEC_PER_SEC,
                 "case %zu", c);
  }
  cr_assert_eq (assay_run_end_of_part (0, 5), 0);
}
