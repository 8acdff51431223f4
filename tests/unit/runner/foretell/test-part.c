/* Small parts of a plan: the same cells, with less in each. */
#include <criterion/criterion.h>

#include "core/data/npy.h"
#include "runner/foretell/part.h"
#include "runner/plan/planner.h"
#include "tests/reference/fixtures.h"

static char *folder;

static void
set_up (void)
{
  g_autoptr (AssayArray) rows = assay_array_take_matrix (fixture_normal (200, 4, 1));
  g_autofree char *path = NULL;

  folder = fixture_folder ();
  path = g_build_filename (folder, "private.npy", NULL);
  cr_assert (assay_npy_write (path, rows, NULL));
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

TestSuite (part, .init = set_up, .fini = tear_down);

#define RELEASES                                                                                   \
  "[scenario]\nseed = 3\n[dataset]\nplugin = vectors\nprivate = private.npy\n%s\n"                 \
  "[defense plain]\nplugin = none\n[attack verbatim]\nplugin = verbatim\n"
#define AUDITS                                                                                     \
  "[scenario]\nseed = 3\n[dataset]\nplugin = values\nkind = whole\nvalues = 8\n"                   \
  "[defense subset]\nplugin = omega-subset\ndictionary = 8\nmembers = 2\n"                         \
  "[attack one]\nplugin = distinguish\nruns = %s\ntraining = 100000\n"

static AssayPlan *
plan_of (const char *text, char **assignments)
{
  const AssayPlanOptions options = { .assignments = (const char *const *) assignments };
  g_autofree char *path = fixture_write (folder, "a.scenario", text);
  g_autoptr (GError) error = NULL;
  AssayPlan *plan = assay_plan_new (path, &options, &error);

  cr_assert_not_null (plan, "%s", error != NULL ? error->message : "");
  return plan;
}

/* The assignments of a part, "; " between them; @ret_cell_share: of the last cell. */
static char *
part_of (const char *text, double share, double *ret_cell_share)
{
  g_autoptr (AssayPlan) plan = plan_of (text, NULL);
  g_auto (GStrv) assignments = assay_part_assignments (plan, share);
  g_autoptr (AssayPlan) part = plan_of (text, assignments);

  cr_assert_eq (part->cells->len, plan->cells->len);
  *ret_cell_share = assay_part_share (plan, part, assay_plan_cell (plan, plan->cells->len - 1));
  return g_strjoinv ("; ", assignments);
}

Test (part, secrets_are_fewer)
{
  g_autofree char *text = g_strdup_printf (RELEASES, "secrets = 100");
  g_autofree char *some = NULL;
  g_autofree char *least = NULL;
  double share;

  some = part_of (text, 0.25, &share);
  cr_assert_str_eq (some, "dataset.secrets=25");
  cr_assert_float_eq (share, 0.25, 1e-12);
  least = part_of (text, 0.001, &share);
  cr_assert_str_eq (least, "dataset.secrets=1");
  cr_assert_float_eq (share, 0.01, 1e-12, "the share is of what there is");
}

Test (part, audits_have_fewer_runs)
{
  g_autofree char *one = g_strdup_printf (AUDITS, "1000000");
  g_autofree char *two = g_strdup_printf (AUDITS, "100000; 1000000");
  g_autofree char *single = NULL;
  g_autofree char *swept = NULL;
  g_autofree char *too_small = NULL;
  double share;

  single = part_of (one, 1.0 / 64, &share);
  cr_assert_str_eq (single, "attack one.runs=15625; attack one.training=1563");
  cr_assert_float_eq (share, 1.0 / 64, 1e-12);
  swept = part_of (two, 0.25, &share);
  cr_assert_str_eq (swept, "attack one.runs=25000; 250000; attack one.training=25000");
  /* Both would be 1,000: they stay two cells. */
  too_small = part_of (two, 0.0001, &share);
  cr_assert_str_eq (too_small, "attack one.training=1000");
  cr_assert_float_eq (share, 1, 1e-12);
}
