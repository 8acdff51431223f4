/* Outcomes of several trials as one sample: rows that every trial tests stay one unit each. */
#include <glib/gstdio.h>

#include "core/stats/interval.h"
#include "runner/judge/pool.h"
#include "runner/plan/planner.h"
#include "runner/store/outcomes.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

enum { ROWS = 400, TRIALS = 4 };

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

TestSuite (pool, .init = set_up, .fini = tear_down);

#define SCENARIO                                                                                   \
  "[dataset]\nplugin = shapes\nsize = 8\nprivate_images = 100\ntest_images = 400\n"                \
  "public_images = 0\nsecrets = 20\n[defense plain]\nplugin = none\n"                              \
  "[utility classification]\nhidden = 4\n[scenario]\ntrials = 4\n"

typedef struct {
  AssayPlan *plan;
  AssayStore *store;
} Run;

static void
run_clear (Run *run)
{
  g_clear_pointer (&run->store, assay_store_close);
  g_clear_pointer (&run->plan, assay_plan_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

/* Of every row the same in all trials, but where @flips is set: then of every fourth row the
 * opposite in odd trials. */
static double
outcome (gsize row, gsize trial, gboolean flips)
{
  const gboolean is_right = row % 5 < 3;

  return flips && row % 4 == 0 && trial % 2 == 1 ? !is_right : is_right;
}

static Run
open_run (const char *scenario)
{
  const AssayPlanOptions options = { 0 };
  g_autofree char *path = fixture_write (folder, "a.scenario", scenario);
  g_autofree char *own = g_build_filename (folder, "run.sqlite", NULL);
  g_autoptr (GError) error = NULL;
  Run run = { 0 };

  g_unlink (own);
  run.plan = assay_plan_new (path, &options, &error);
  cr_assert (run.plan != NULL, "%s", error != NULL ? error->message : "");
  cr_assert (run.plan->cells->len == TRIALS);
  run.store = assay_store_open (folder, TRUE, NULL);
  return run;
}

static void
finish_trial (const Run *run, gsize trial, const AssayOutcomes *outcomes)
{
  const AssayCellRecord record = { .status = outcomes->n > 0 ? ASSAY_CELL_OK : ASSAY_CELL_ERROR,
                                   .message = (char *) "",
                                   .seconds = 1 };
  gboolean is_crashed = FALSE;

  cr_assert (assay_store_begin_cell (run->store, trial, &is_crashed, NULL));
  cr_assert (assay_store_finish_cell (run->store, trial, &record,
                                      &(AssayMeasured){ outcomes, 1, NULL }, NULL));
}

/* A store in which the first @n_good trials ended well. */
static Run
make_run (gsize n_good, gboolean flips)
{
  Run run = open_run (SCENARIO);

  for (gsize t = 0; t < TRIALS; t++) {
    double right[ROWS], loss[ROWS];
    const AssayOutcomes outcomes = { .n = t < n_good ? ROWS : 0, .series = { right, loss } };

    for (gsize i = 0; i < ROWS; i++) {
      right[i] = outcome (i, t, flips);
      loss[i] = (double) (i % 7) + (double) t;
    }
    finish_trial (&run, t, &outcomes);
  }
  return run;
}

/* Lookups of codes, whose last series names the query; trials take secrets as @order says. */
static Run
make_lookups (const char *order, gsize n_good)
{
  g_autofree char *scenario
      = g_strdup_printf ("[dataset]\nplugin = gaussian-classes\nsecrets = 20\norder = %s\n"
                         "[defense lsh]\nplugin = lsh\nbits = 8\n[utility lookup]\n"
                         "plugin = pr-curve\n[scenario]\ntrials = 4\n",
                         order);
  Run run = open_run (scenario);

  for (gsize t = 0; t < TRIALS; t++) {
    double right[ROWS], zero[ROWS] = { 0 }, query[ROWS];
    const AssayOutcomes outcomes
        = { .n = t < n_good ? ROWS : 0, .series = { right, zero, zero, zero, zero, query } };

    for (gsize i = 0; i < ROWS; i++) {
      right[i] = outcome (i, t, TRUE);
      query[i] = (double) i;
    }
    finish_trial (&run, t, &outcomes);
  }
  return run;
}

static AssaySample *
sample_of (const Run *run, const char *name)
{
  const AssayCell *first = assay_plan_cell (run->plan, 0);
  const AssayMeasuring *metric
      = assay_measuring_of (assay_plan_measuring (run->plan, first, 0)->plugin);
  const AssayMeasure *measure = metric->measures;
  g_autoptr (GArray) indices = assay_pool_trials (run->plan, 0);
  AssaySample *sample;
  AssayPool pool;

  while (!g_str_equal (measure->name, name))
    measure++;
  cr_assert (assay_pool_fill (&pool, run->plan, run->store, indices, 0, NULL));
  sample = assay_pool_sample (&pool, measure);
  assay_pool_clear (&pool);
  return sample;
}

static AssayInterval
interval_of (const AssaySample *sample)
{
  return assay_sample_interval (sample, 0.95, assay_stream_key (3, 0, "test-pool", ""));
}

/* Four trials that say the same of 400 rows know no more of other rows than one does: 0.6 with a
 * deviation of sqrt (0.6 * 0.4 / 400) = 0.0245 and an interval 3.92 times as wide, 0.096, where
 * 1,600 rows would have 0.048. The bootstrap's ends scatter by a few hundredths of that. */
Test (pool, rows_of_all_trials_are_units)
{
  g_auto (Run) run = make_run (TRIALS, FALSE);
  g_autoptr (AssaySample) sample = sample_of (&run, "accuracy");
  g_autoptr (AssaySample) loss = sample_of (&run, "cross-entropy");
  const AssayInterval interval = interval_of (sample);

  cr_assert (sample->n == TRIALS * ROWS && sample->n_groups == ROWS);
  cr_assert (sample->n_others == TRIALS && assay_sample_n_independent (sample) == TRIALS);
  cr_assert (sample->method == ASSAY_SAMPLE_CROSSED);
  assert_near (interval.estimate, 0.6, 1e-12, "accuracy");
  assert_near (interval.upper - interval.lower, 0.096, 0.012, "width");
  /* The mean of i % 7 over 400 rows, 1197 / 400, and of the trials' 0 to 3. */
  cr_assert (loss->n_groups == ROWS);
  assert_near (loss->estimate, 1197 / 400.0 + 1.5, 1e-12, "loss");
}

/* Rows of which trials disagree have means between: 300 rows of variance 0.24, 100 of 0. And odd
 * trials are worse than even ones, which rows alone do not know. */
Test (pool, rows_of_which_trials_disagree)
{
  g_auto (Run) run = make_run (TRIALS, TRUE);
  g_autoptr (AssaySample) sample = sample_of (&run, "accuracy");
  const AssayInterval interval = interval_of (sample);
  double mean = 0, square = 0, of_rows, of_trials = 0;

  for (gsize i = 0; i < ROWS; i++) {
    double of_row = 0;

    for (gsize t = 0; t < TRIALS; t++)
      of_row += outcome (i, t, TRUE) / TRIALS;
    mean += of_row / ROWS;
    square += of_row * of_row / ROWS;
  }
  assert_near (interval.estimate, mean, 1e-12, "accuracy");
  of_rows = (square - mean * mean) / ROWS;
  for (gsize t = 0; t < TRIALS; t++) {
    double of_trial = -mean;

    for (gsize i = 0; i < ROWS; i++)
      of_trial += outcome (i, t, TRUE) / ROWS;
    of_trials += of_trial * of_trial / (TRIALS - 1) / TRIALS;
  }
  /* More than rows alone, and no more than both. */
  cr_assert (interval.upper - interval.lower > 1.05 * 3.92 * sqrt (of_rows), "%g, rows alone %g",
             interval.upper - interval.lower, 3.92 * sqrt (of_rows));
  cr_assert (interval.upper - interval.lower < 4.2 * sqrt (of_rows + of_trials), "width");
  cr_assert (of_trials > 0.3 * of_rows, "%g and %g", of_rows, of_trials);
}

/* One trial that ended well: independent rows, the exact interval of a binomial of 400. */
Test (pool, one_trial_is_binomial)
{
  g_auto (Run) run = make_run (1, FALSE);
  g_autoptr (AssaySample) sample = sample_of (&run, "accuracy");

  cr_assert (sample->n == ROWS && sample->n_groups == 0);
  cr_assert (sample->method == ASSAY_SAMPLE_BINOMIAL);
  assert_near (interval_of (sample).upper - interval_of (sample).lower, 0.0975, 0.002, "width");
}

Test (pool, no_trial_is_no_sample)
{
  g_auto (Run) run = make_run (0, FALSE);

  cr_assert (sample_of (&run, "accuracy") == NULL);
}

/* Trials of other secrets tell of other queries alone; those of the same secrets also of what the
 * defense drew, of which odd trials have the worse half: their intervals are wider. One such trial
 * says nothing of that. */
Test (pool, trials_of_the_same_secrets)
{
  g_auto (Run) others = make_lookups ("random", TRIALS);
  g_autoptr (AssaySample) of_others = sample_of (&others, "precision-at-radius");
  g_auto (Run) same = make_lookups ("same", TRIALS);
  g_autoptr (AssaySample) of_same = sample_of (&same, "precision-at-radius");
  g_auto (Run) one = make_lookups ("same", 1);
  g_autoptr (AssaySample) of_one = sample_of (&one, "precision-at-radius");
  const AssayInterval narrow = interval_of (of_others), wide = interval_of (of_same);

  cr_assert (of_others->n_groups == ROWS && of_others->n_others == 0);
  cr_assert (of_same->n_groups == ROWS && of_same->n_others == TRIALS);
  cr_assert (of_same->method == ASSAY_SAMPLE_CROSSED);
  cr_assert (of_one->n_others == 0);
  assert_near (narrow.estimate, wide.estimate, 1e-12, "estimate");
  cr_assert (wide.upper - wide.lower > 1.05 * (narrow.upper - narrow.lower), "%g and %g",
             wide.upper - wide.lower, narrow.upper - narrow.lower);
}
