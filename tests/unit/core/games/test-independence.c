/* Runs that are not independent are told from those that are, and their lag is named. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/games/independence.h"
#include "tests/reference/leaky-mechanisms.h"
#include "tests/unit/seeds.h"

#define SEEDS 8

/* ---- Mechanisms of our own ---- */

static gsize
count_large (const AssayEvent *event, const AssayOracle *oracle, AssayOutputs outputs, gsize count)
{
  gsize hits = 0;

  (void) event;
  (void) oracle;
  for (gsize i = 0; i < count; i++)
    hits += assay_output_at (outputs, i, 0) > 0.5;
  return hits;
}

/* The reason, which is to be freed, of one audit of so many runs. */
static char *
test_runs (const AssayMechanism *mechanism, guint64 runs, guint64 seed, gboolean *ret_own)
{
  const Known known = { 1, 0, 1, G_MAXUINT };
  const AssayOracle oracle
      = assay_oracle (mechanism, &known, 1, assay_stream_key (seed, 0, "independence", ""), -1);
  const AssayEvent event = { .runs = runs, .count = count_large };
  g_autoptr (AssayRunLog) log = assay_run_log_new (runs);
  g_autoptr (GError) error = NULL;
  AssayAudit audit, plain;
  char *why = NULL;

  cr_assert (assay_distinguish_logged (&oracle, &event, log, &audit, &error), "%s",
             error != NULL ? error->message : "");
  if (mechanism->batches == NULL) {
    cr_assert (assay_distinguish (&oracle, &event, &plain, NULL));
    cr_assert (plain.hits == audit.hits && plain.mistakes == audit.mistakes,
               "the log changes counts");
  }
  cr_assert (assay_independence_test (&oracle, &event, log, &why, ret_own, &error), "%s",
             error != NULL ? error->message : "");
  return why;
}

static void
check_named (const AssayMechanism *mechanism, guint64 runs, const char *lag)
{
  for (guint64 seed = 0; seed < SEEDS; seed++) {
    gboolean is_own;
    g_autofree char *why = test_runs (mechanism, runs, seed, &is_own);

    cr_assert (why != NULL && strstr (why, lag) != NULL, "seed %d: %s", (int) seed, why);
  }
}

Test (independence, constant_and_counter_seeds)
{
  check_named (&dependent_constant, 20000, "(lag 1024)");
  check_named (&dependent_counter, 20000, "(lag 1024)");
  /* Within one panel there is no lag to see. */
  check_named (&dependent_constant, 1000, "(lag: one start)");
  check_named (&dependent_counter, 1000, "(lag: one start)");
}

Test (independence, noise_that_repeats)
{
  check_named (&dependent_repeated, 20000, "(lag 500)");
  check_named (&dependent_repeated, 1000, "(lag 500)");
}

Test (independence, independent_runs_are_left_alone)
{
  TEST_OF_CHANCE ();

  static const AssayMechanism *const honest[]
      = { &known_bit,  &known_laplace, &known_rare,   &known_nan,
          &known_slip, &leaky_rare,    &leaky_digits, &leaky_generator };

  for (gsize m = 0; m < G_N_ELEMENTS (honest); m++)
    for (guint64 seed = 0; seed < SEEDS; seed++)
      for (guint64 runs = 100; runs <= 10000; runs *= 10) {
        gboolean is_own;
        g_autofree char *why = test_runs (honest[m], runs, seed, &is_own);

        cr_assert (why == NULL && !is_own, "mechanism %zu, seed %d, %d runs: %s", m, (int) seed,
                   (int) runs, why);
      }
}

/* ---- Programs ---- */

typedef enum { GOOD, OWN, SET_AT_START, PER_START, CORRELATED, PERIOD, SAME_FIRST } Habit;

static Habit habit;
static guint32 starts;

static guint
count_pairs (gconstpointer settings)
{
  (void) settings;
  return 1;
}

static gboolean
load_pair (gconstpointer settings, guint index, gsize n_inputs, float *ret_first, float *ret_second,
           GError **error)
{
  (void) settings;
  (void) index;
  (void) n_inputs;
  (void) error;
  *ret_first = 1;
  *ret_second = 0;
  return TRUE;
}

static gsize
batch_runs (gconstpointer settings)
{
  (void) settings;
  return 4096;
}

static gboolean
run_many (gconstpointer settings, AssayStream *stream, AssayInput input, gsize count,
          double *ret_outputs, GError **error)
{
  AssayStream own = assay_stream ((AssayStreamKey){ { 5, 6 } }, 0);
  double before = 0, noise[500];

  (void) settings;
  (void) error;
  starts++;
  if (habit == OWN)
    own = assay_stream ((AssayStreamKey){ { starts, 8 } }, 0);
  for (gsize i = 0; i < count; i++) {
    AssayStream *from = habit == OWN || habit == SET_AT_START ? &own : stream;
    double value = habit == PER_START && i > 0 ? before : assay_stream_laplace (from);

    if (habit == CORRELATED)
      value = 0.5 * before + 0.5 * value;
    if (habit == PERIOD && i < 500)
      noise[i] = value;
    if (habit == PERIOD)
      value = noise[i % 500];
    if (habit == SAME_FIRST && i == 0)
      value = 0.25;
    before = value;
    ret_outputs[i] = (double) *input.numbers + value;
  }
  return TRUE;
}

static const AssayBatches batches = { .count_pairs = count_pairs,
                                      .load_pair = load_pair,
                                      .batch_runs = batch_runs,
                                      .run_many = run_many };
static const AssayMechanism program
    = { .budget = known_budget, .size = known_size, .batches = &batches };

Test (independence, programs)
{
  static const struct {
    Habit habit;
    const char *says; /* NULL: nothing */
    gboolean is_own;
  } cases[] = {
    { GOOD, NULL, FALSE },
    { OWN, NULL, TRUE },
    { SET_AT_START, "(lag", FALSE },
    { PER_START, "(lag", FALSE },
    { CORRELATED, "(lag 1)", FALSE },
    { PERIOD, "(lag 500)", FALSE },
    { SAME_FIRST, "the first runs of ", FALSE },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    for (guint64 runs = 3000; runs <= 30000; runs *= 10) {
      g_autofree char *why = NULL;
      gboolean is_own;

      habit = cases[c].habit;
      why = test_runs (&program, runs, 1, &is_own);
      if (cases[c].says == NULL)
        cr_assert (why == NULL && is_own == cases[c].is_own, "case %zu: %s", c, why);
      else
        cr_assert (why != NULL && strstr (why, cases[c].says) != NULL, "case %zu: %s", c, why);
    }
}
