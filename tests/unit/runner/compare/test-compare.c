/* Is one defense better than another: p-values by closed forms, and where nothing can be shown. */
#include <glib/gstdio.h>

#include "core/data/npy.h"
#include "runner/compare/compare-test.h"
#include "runner/plan/planner.h"
#include "runner/store/outcomes.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-interval.h"
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

TestSuite (compare, .init = set_up, .fini = tear_down);

#define SCENARIO                                                                                   \
  "[scenario]\ntrials = 2\n[dataset]\nplugin = vectors\nprivate = private.npy\nsecrets = 5\n"      \
  "[defense plain]\nplugin = none\n[attack verbatim]\nplugin = verbatim\n"                         \
  "[metric recovery-rate]\n"

enum { MOST = 400 };

/* The measure that the tests judge: its statistic and range are set as each needs them. */
static AssayMeasure
measure_of (AssayStatistic statistic, double low, double high)
{
  return (AssayMeasure){ .name = "share", .statistic = statistic, .low = low, .high = high,
                         .unit = "", .higher_is_worse = TRUE };
}

static AssaySavedRun
make_run (const char *name)
{
  const AssayPlanOptions options = { 0 };
  g_autofree char *place = g_build_filename (folder, name, NULL);
  g_autofree char *scenario = fixture_write (folder, "a.scenario", SCENARIO);
  g_autofree char *data = g_build_filename (folder, "private.npy", NULL);
  g_autoptr (AssayArray) array = assay_array_take_matrix (fixture_normal (40, 8, 1));
  g_autoptr (GError) error = NULL;
  AssaySavedRun run = { 0 };

  cr_assert (assay_npy_write (data, array, NULL));
  run.plan = assay_plan_new (scenario, &options, &error);
  cr_assert (run.plan != NULL, "%s", error != NULL ? error->message : "");
  g_mkdir (place, 0777);
  run.store = assay_store_open (place, TRUE, NULL);
  return run;
}

/* The evidence of a run of two trials that saw @values in equal halves (n is even). */
static AssayEvidence *
make_evidence (const char *name, double *values, gsize n)
{
  AssaySavedRun run = make_run (name);
  AssayEvidence *evidence;

  for (gsize t = 0; t < 2; t++) {
    const AssayCellRecord record
        = { .status = ASSAY_CELL_OK, .message = (char *) "", .seconds = 1 };
    AssayOutcomes outcomes[16] = { 0 };
    gboolean is_crashed = FALSE;

    outcomes[0] = (AssayOutcomes){ .n = n / 2, .series = { values + t * (n / 2) } };
    cr_assert (assay_store_begin_cell (run.store, t, &is_crashed, NULL));
    cr_assert (assay_store_finish_cell (run.store, t, &record,
                                        &(AssayMeasured){ outcomes, 1, NULL }, NULL));
  }
  evidence = assay_evidence_new (&run, 0, 0, NULL);
  cr_assert (evidence != NULL);
  assay_store_close (run.store);
  assay_plan_free (run.plan);
  return evidence;
}

/* 1 for the first @n_ones of @n units. */
static void
fill_ones (double *values, gsize n, gsize n_ones)
{
  for (gsize i = 0; i < n; i++)
    values[i] = i < n_ones;
}

static double
test_of (const AssayEvidence *better, const AssayEvidence *worse, const AssayMeasure *measure,
         double margin, const char *method)
{
  const AssayContest contest = { .measure = measure,
                                 .lower_is_better = measure->higher_is_worse,
                                 .margin = margin,
                                 .stream = assay_stream_key (1, 0, "test-compare", "") };
  const char *found;
  const double p = assay_evidence_test (better, worse, &contest, &found);

  cr_assert_str_eq (found, method);
  return p;
}

/* 30 units recovered in one run, 9 of them and 2 others in the other: of 23 that changed 21 for the
 * better. */
Test (compare, paired_rates)
{
  const AssayMeasure rate = measure_of (ASSAY_STATISTIC_RATE, 0, 1);
  double ours[MOST], theirs[MOST];
  g_autoptr (AssayEvidence) better = NULL;
  g_autoptr (AssayEvidence) worse = NULL;

  fill_ones (ours, 60, 9);
  ours[40] = ours[41] = 1;
  fill_ones (theirs, 60, 30);
  better = make_evidence ("b", ours, 60);
  worse = make_evidence ("a", theirs, 60);
  assert_near (test_of (better, worse, &rate, 0, "mcnemar"), naive_binomial_at_least (21, 23, 0.5),
               1e-15, "McNemar");
  assert_near (test_of (worse, better, &rate, 0, "mcnemar"), naive_binomial_at_least (2, 23, 0.5),
               1e-12, "the other way round");
}

/* Where n units do the same in both, a difference may be among those that the sample lacks. Of z =
 * 1/2 for all and 0 for one more of weight W ~ Beta (1, n), Gaffke's p is P (W >= margin) =
 * (1 - margin)^n: for 0.01, n = 299 are the first that show it at 0.05. */
Test (compare, as_good_to_within_a_margin)
{
  const AssayMeasure rate = measure_of (ASSAY_STATISTIC_RATE, 0, 1);
  double values[MOST];
  static const gsize sizes[] = { 20, 100, 300 };
  static const char *const names[] = { "20", "100", "300" };

  fill_ones (values, MOST, 7);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    g_autofree char *other = g_strconcat (names[i], "-too", NULL);
    g_autoptr (AssayEvidence) one = make_evidence (names[i], values, sizes[i]);
    g_autoptr (AssayEvidence) two = make_evidence (other, values, sizes[i]);
    const double p = test_of (one, two, &rate, 0.01, "gaffke-paired");

    assert_near (p, pow (0.99, (double) sizes[i]), 1e-6, "n = %" G_GSIZE_FORMAT, sizes[i]);
    cr_assert ((p < 0.05) == (sizes[i] >= 299));
    cr_assert (test_of (one, two, &rate, 0, "mcnemar") == 1);
  }
}

/* A range that is not from 0 to 1: the margin is in the measure's own unit. */
Test (compare, margin_in_the_unit_of_the_measure)
{
  const AssayMeasure mean = measure_of (ASSAY_STATISTIC_MEAN, -1, 3);
  double values[MOST];
  g_autoptr (AssayEvidence) one = NULL;
  g_autoptr (AssayEvidence) two = NULL;

  for (gsize i = 0; i < 50; i++)
    values[i] = (double) (i % 5) - 1;
  one = make_evidence ("a", values, 50);
  two = make_evidence ("b", values, 50);
  assert_near (test_of (one, two, &mean, 0.4, "gaffke-paired"), pow (0.9, 50), 1e-6, "0.4 of 4");
}

/* Every unit is better off by the whole range: 2^-n, the chance of so many equal signs. */
Test (compare, all_units_better)
{
  const AssayMeasure mean = measure_of (ASSAY_STATISTIC_MEAN, 0, 1);
  double ours[MOST], theirs[MOST];
  g_autoptr (AssayEvidence) better = NULL;
  g_autoptr (AssayEvidence) worse = NULL;

  fill_ones (ours, 24, 0);
  fill_ones (theirs, 24, 24);
  better = make_evidence ("b", ours, 24);
  worse = make_evidence ("a", theirs, 24);
  assert_near (test_of (better, worse, &mean, 0, "paired-bootstrap-2000"), pow (0.5, 24), 1e-12,
               "2^-24");
  cr_assert (test_of (worse, better, &mean, 0, "paired-bootstrap-2000") > 0.999);
}

/* Other numbers of units are other units. The p-value is the a at which the two Clopper-Pearson
 * bounds, each at a / 2, meet. */
Test (compare, intervals_apart)
{
  const AssayMeasure rate = measure_of (ASSAY_STATISTIC_RATE, 0, 1);
  double ours[MOST], theirs[MOST];
  g_autoptr (AssayEvidence) better = NULL;
  g_autoptr (AssayEvidence) worse = NULL;
  double low = 1e-12, high = 0.5, p;

  fill_ones (ours, 40, 4);
  fill_ones (theirs, 50, 20);
  better = make_evidence ("b", ours, 40);
  worse = make_evidence ("a", theirs, 50);
  p = test_of (better, worse, &rate, 0, "intervals-apart");
  while (high > low * 1.000001) {
    const double a = sqrt (low * high);

    if (naive_binomial_upper (4, 40, a / 2) < naive_binomial_lower (20, 50, a / 2))
      high = a;
    else
      low = a;
  }
  assert_near (p, high, 2e-4 * high, "the level at which the bounds meet");
  cr_assert (p > 0.001 && p < 0.05);
  cr_assert (test_of (worse, better, &rate, 0, "intervals-apart") == 1);
  /* With a margin: apart by less than it is as good. */
  cr_assert (test_of (worse, better, &rate, 0.9, "intervals-apart") < 1e-3);
}

/* The difference of two medians is not the mean of differences, though the units are the same. */
Test (compare, quantiles_by_their_intervals)
{
  const AssayMeasure median = measure_of (ASSAY_STATISTIC_MEDIAN, 0, G_MAXDOUBLE);
  double ours[MOST], theirs[MOST];
  g_autoptr (AssayEvidence) better = NULL;
  g_autoptr (AssayEvidence) worse = NULL;
  double p;

  for (gsize i = 0; i < 40; i++) {
    ours[i] = (double) i;
    theirs[i] = 100 + (double) i;
  }
  better = make_evidence ("b", ours, 40);
  worse = make_evidence ("a", theirs, 40);
  p = test_of (better, worse, &median, 0, "intervals-apart");
  /* Order statistics end a finite interval on both sides until a / 2 is below 2^-40. */
  cr_assert (p <= 1e-11, "%g", p);
  cr_assert (test_of (better, better, &median, 0, "intervals-apart") == 1);
}

/* What is more useful is higher, or as the measure says. */
Test (compare, direction)
{
  AssayMeasure mean = measure_of (ASSAY_STATISTIC_MEAN, 0, 1);
  double ours[MOST], theirs[MOST];
  g_autoptr (AssayEvidence) more = NULL;
  g_autoptr (AssayEvidence) less = NULL;

  mean.higher_is_worse = FALSE;
  fill_ones (ours, 30, 30);
  fill_ones (theirs, 30, 0);
  more = make_evidence ("b", ours, 30);
  less = make_evidence ("a", theirs, 30);
  assert_near (test_of (more, less, &mean, 0, "paired-bootstrap-2000"), pow (0.5, 30), 1e-12,
               "higher");
}

Test (compare, epsilon_shows_nothing)
{
  const AssayMeasure epsilon = measure_of (ASSAY_STATISTIC_EPSILON, 0, G_MAXDOUBLE);
  double values[MOST];
  g_autoptr (AssayEvidence) one = NULL;

  fill_ones (values, 10, 5);
  one = make_evidence ("a", values, 10);
  cr_assert (test_of (one, one, &epsilon, 0, "none") == 1);
}
