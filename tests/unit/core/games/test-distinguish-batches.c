/* The distinguishing game with mechanisms of other programs: batches, failure and cancelling. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/games/distinguish.h"
#include "core/games/single-runs.h"
#include "tests/reference/known-mechanisms.h"
#include "tests/unit/assert-near.h"

#define BATCH (3 * ASSAY_PANEL_RUNS)

/* What the mechanism was asked for. */
static struct {
  guint calls, fails_at, cancels_at; /* 0: never */
  guint64 runs;
  gsize largest;
  GHashTable *items;
} seen;

static guint
count_pairs (gconstpointer settings)
{
  (void) settings;
  return 2;
}

static gboolean
check_pairs (gconstpointer settings, GError **error)
{
  (void) settings;
  (void) error;
  return TRUE;
}

static gboolean
load_pair (gconstpointer settings, guint index, gsize n_inputs, float *ret_first, float *ret_second,
           GError **error)
{
  (void) settings;
  cr_assert (n_inputs == 1);
  if (index >= 2)
    return assay_fail (error, ASSAY_ERROR_DATA, "no pair %u", index);
  *ret_first = index == 0 ? 1 : 0;
  *ret_second = index == 0 ? 0 : 1;
  return TRUE;
}

static gsize
batch_runs (gconstpointer settings)
{
  (void) settings;
  return BATCH;
}

static gboolean
run_many (gconstpointer settings, AssayStream *stream, AssayInput input, gsize count,
          double *ret_outputs, GError **error)
{
  g_autofree float *bits = g_new (float, count);

  cr_assert (input.count == 1);
  seen.calls++;
  seen.runs += count;
  seen.largest = MAX (seen.largest, count);
  cr_assert (g_hash_table_add (seen.items, g_memdup2 (&stream->item, sizeof stream->item)),
             "one stream for two batches");
  if (seen.calls == seen.fails_at)
    return assay_fail (error, ASSAY_ERROR_DATA, "out of budget");
  known_run_bit (settings, 1, stream, input.numbers, count, bits);
  for (gsize i = 0; i < count; i++)
    ret_outputs[i] = (double) bits[i];
  return TRUE;
}

#define RUNS(...) ((AssayTrainingRuns){ __VA_ARGS__ })

static gboolean
is_cancelled (gpointer data)
{
  (void) data;
  return seen.cancels_at > 0 && seen.calls >= seen.cancels_at;
}

static const AssayBatches batches = { .count_pairs = count_pairs,
                                      .check_pairs = check_pairs,
                                      .load_pair = load_pair,
                                      .batch_runs = batch_runs,
                                      .run_many = run_many };
static const AssayMechanism program
    = { .budget = known_budget, .size = known_size, .batches = &batches };

static gsize
count_ones (const AssayEvent *event, const AssayOracle *oracle, AssayOutputs outputs, gsize count)
{
  gsize hits = 0;

  (void) event;
  cr_assert (oracle->n_outputs == 1 && count > 0 && count <= ASSAY_PANEL_RUNS);
  for (gsize i = 0; i < count; i++)
    hits += assay_output_at (outputs, i, 0) == 1;
  return hits;
}

static const Known known = { 1, 0, 1, G_MAXUINT };

static AssayOracle
begin (guint fails_at, guint cancels_at)
{
  AssayOracle oracle
      = assay_oracle (&program, &known, 1, assay_stream_key (1, 0, "batches", ""), -1);

  g_clear_pointer (&seen.items, g_hash_table_destroy);
  memset (&seen, 0, sizeof seen);
  seen.items = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  seen.fails_at = fails_at;
  seen.cancels_at = cancels_at;
  oracle.is_cancelled = is_cancelled;
  return oracle;
}

/* Few calls, no run too many, streams that no batch shares; and counts that are those of the event:
 * of a bit at epsilon 1 within 5 deviations, and on either side. */
Test (distinguish_batches, counts_are_those_of_all_batches)
{
  static const guint64 sizes[] = { 1, 1024, BATCH, BATCH + 1, 10 * BATCH + 1500 };
  const double p = 1 / (1 + exp (-1));

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint pair = 0; pair < 2; pair++) {
      const AssayOracle oracle = begin (0, 0);
      const AssayEvent event = { .pair = pair, .runs = sizes[s], .count = count_ones };
      const double n = (double) sizes[s], wide = 5 * sqrt (n * p * (1 - p)) + 1;
      AssayAudit audit, again;

      cr_assert (oracle.n_proposed == 2);
      cr_assert (assay_distinguish (&oracle, &event, &audit, NULL));
      cr_assert (seen.calls == 2 * ((sizes[s] + BATCH - 1) / BATCH)
                     && seen.runs == (gsize) BATCH * seen.calls && seen.largest == BATCH,
                 "%u calls", seen.calls);
      cr_assert (audit.runs == sizes[s]);
      assert_near ((double) audit.hits, n * (pair == 0 ? p : 1 - p), wide, "hits of %g", n);
      assert_near ((double) audit.mistakes, n * (pair == 0 ? 1 - p : p), wide, "mistakes of %g", n);
      begin (0, 0);
      assay_parallel_set_threads (3);
      cr_assert (assay_distinguish (&oracle, &event, &again, NULL));
      assay_parallel_set_threads (0);
      cr_assert (again.hits == audit.hits && again.mistakes == audit.mistakes);
    }
}

/* The same request gives the same runs; another place in the training runs others. */
Test (distinguish_batches, training_repeats)
{
  enum { COUNT = 2 * BATCH + 7 };
  g_autofree double *first = g_new (double, COUNT);
  g_autofree double *again = g_new (double, COUNT);
  g_autofree double *later = g_new (double, COUNT);
  AssayOracle oracle = begin (0, 0);

  cr_assert (assay_oracle_train (&oracle, RUNS (0, ASSAY_SIDE_FIRST, 0, COUNT), first, NULL));
  cr_assert (seen.calls == 3 && seen.runs == 3 * BATCH);
  /* From where the whole of the first request ends: no stream twice. */
  cr_assert (
      assay_oracle_train (&oracle, RUNS (0, ASSAY_SIDE_FIRST, 7 * ASSAY_PANEL_RUNS, COUNT),
                                 later, NULL));
  begin (0, 0);
  cr_assert (assay_oracle_train (&oracle, RUNS (0, ASSAY_SIDE_FIRST, 0, COUNT), again, NULL));
  cr_assert (memcmp (first, again, COUNT * sizeof (double)) == 0);
  cr_assert (memcmp (first, later, COUNT * sizeof (double)) != 0);
}

/* A mechanism is asked for as many runs to learn from as to test on, so that it cannot tell them
 * apart: a batch, or the most that any purpose needs. The runs that are wanted are the same. */
Test (distinguish_batches, every_batch_is_of_one_size)
{
  static const gsize mosts[] = { 0, BATCH + 1, 1500 };
  g_autofree double *few = g_new (double, 100);
  g_autofree double *many = g_new (double, BATCH);

  for (gsize m = 0; m < G_N_ELEMENTS (mosts); m++) {
    const gsize expected = mosts[m] == 1500 ? 1500 : BATCH;
    AssayOracle oracle = begin (0, 0);
    const AssayEvent event = { .pair = 0, .runs = 1100, .count = count_ones };
    AssayAudit audit;

    oracle.most_runs = mosts[m];
    cr_assert (assay_oracle_train (&oracle, RUNS (0, ASSAY_SIDE_FIRST, 0, 100), few, NULL));
    cr_assert (seen.runs == expected, "%zu runs", seen.runs);
    cr_assert (assay_distinguish (&oracle, &event, &audit, NULL));
    cr_assert (seen.calls == 3 && seen.runs == 3 * expected && audit.runs == 1100, "%zu runs",
               seen.runs);
    begin (0, 0);
    cr_assert (assay_oracle_train (&oracle, RUNS (0, ASSAY_SIDE_FIRST, 0, expected), many, NULL));
    cr_assert (memcmp (few, many, 100 * sizeof (double)) == 0);
  }
}

/* Nothing is counted of a game that failed or was ended, and no further batch is asked for. */
Test (distinguish_batches, failure_and_cancelling)
{
  static const struct {
    guint fails_at, cancels_at, pair, calls;
    AssayErrorCode code;
    const char *message;
  } cases[] = {
    { 3, 0, 1, 3, ASSAY_ERROR_DATA,
      "test runs 3073 to 4100 on the first input of pair 1: out of budget" },
    { 4, 0, 1, 4, ASSAY_ERROR_DATA,
      "test runs 3073 to 4100 on the second input of pair 1: out of budget" },
    { 0, 3, 0, 3, ASSAY_ERROR_CANCELLED, "interrupted" },
    { 0, 0, 2, 0, ASSAY_ERROR_DATA, "no pair 2" },
  };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const AssayOracle oracle = begin (cases[c].fails_at, cases[c].cancels_at);
    const AssayEvent event = { .pair = cases[c].pair, .runs = 4100, .count = count_ones };
    g_autoptr (GError) error = NULL;
    AssayAudit audit = { .runs = 77 };

    cr_assert_not (assay_distinguish (&oracle, &event, &audit, &error));
    cr_assert (g_error_matches (error, ASSAY_ERROR, (gint) cases[c].code), "case %zu", c);
    cr_assert_str_eq (error->message, cases[c].message);
    cr_assert (audit.runs == 77 && seen.calls == cases[c].calls, "case %zu: %u calls", c,
               seen.calls);
  }
}

Test (distinguish_batches, training_fails_with_the_program)
{
  g_autofree double *outputs = g_new (double, 2 * BATCH);
  g_autoptr (GError) error = NULL;
  AssayOracle oracle = begin (2, 0);

  cr_assert_not (
      assay_oracle_train (&oracle, RUNS (0, ASSAY_SIDE_SECOND, 1024, 2 * BATCH), outputs, &error));
  cr_assert_str_eq (error->message,
                    "training runs 4097 to 7168 on the second input of pair 0: out of budget");
  g_clear_error (&error);
  oracle = begin (0, 1);
  cr_assert_not (
      assay_oracle_train (&oracle, RUNS (0, ASSAY_SIDE_FIRST, 0, 2 * BATCH), outputs, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED) && seen.calls == 1);
}

/* ---- Programs that fail ---- */

static double failing[2]; /* chance of a run, on the inputs 0 and 1 */

static gboolean
run_failing (gconstpointer settings, AssayStream *stream, AssayInput input, gsize count,
             double *ret_outputs, GError **error)
{
  (void) settings;
  for (gsize i = 0; i < count; i++) {
    ret_outputs[i] = 0.5;
    if (assay_stream_uniform (stream) < failing[*input.numbers > 0.5f])
      return assay_fail (error, ASSAY_ERROR_DATA, "it failed");
  }
  return TRUE;
}

static gsize
count_failed (const AssayEvent *event, const AssayOracle *oracle, AssayOutputs outputs, gsize count)
{
  gsize failed = 0;

  (void) event;
  (void) oracle;
  for (gsize i = 0; i < count; i++)
    failed += assay_output_is_failed (assay_output_at (outputs, i, 0));
  return failed;
}

/* Batches fail, single runs as often as they do; all of them: there is nothing to tell. */
Test (distinguish_batches, failures_are_outputs_of_single_runs)
{
  static const AssayBatches fails = { .count_pairs = count_pairs,
                                      .check_pairs = check_pairs,
                                      .load_pair = load_pair,
                                      .batch_runs = batch_runs,
                                      .run_many = run_failing };
  static const AssayMechanism mechanism
      = { .budget = known_budget, .size = known_size, .batches = &fails };
  static const double chances[][2] = { { 0, 1 }, { 0.3, 0.3 }, { 0, 0.4 } };
  guint failed_pair = G_MAXUINT;
  AssayOracle oracle
      = assay_oracle (&mechanism, &known, 1, assay_stream_key (1, 0, "failures", ""), -1);
  AssayOracle single;
  GError *error = NULL;

  oracle.failed_pair = &failed_pair;
  for (gsize c = 0; c < G_N_ELEMENTS (chances); c++) {
    AssayEvent event = { .pair = 1, .count = count_failed };
    g_autofree double *outputs = g_new (double, BATCH);
    AssayAudit audit, again;

    memcpy (failing, chances[c], sizeof failing);
    cr_assert_not (
        assay_oracle_train (&oracle, RUNS (1, ASSAY_SIDE_SECOND, 0, BATCH), outputs, &error));
    cr_assert (failed_pair == 1);
    g_clear_error (&error);
    cr_assert (assay_single_runs (&oracle, failed_pair, FALSE, &single, NULL), "%zu", c);
    event.runs = single.single_runs;
    cr_assert (assay_distinguish (&single, &event, &audit, NULL));
    cr_assert (assay_distinguish (&single, &event, &again, NULL));
    cr_assert (audit.hits == again.hits && audit.mistakes == again.mistakes);
    assert_near ((double) audit.hits / (double) event.runs, chances[c][0], 0.2, "%zu", c);
    assert_near ((double) audit.mistakes / (double) event.runs, chances[c][1], 0.2, "%zu", c);
  }
  failing[0] = failing[1] = 1;
  cr_assert_not (assay_single_runs (&oracle, 1, FALSE, &single, NULL));
  cr_assert (assay_single_runs (&oracle, 1, TRUE, &single, NULL) == FALSE);
}

/* The attack learns that it fails; no failure is a NaN that a program puts out. */
Test (distinguish_batches, failing_is_no_number)
{
  cr_assert (isnan (assay_output_failed ()) && !assay_output_is_failed (NAN));
  cr_assert (assay_output_key (assay_output_failed ()) > assay_output_key (NAN));
  cr_assert (
      assay_output_is_failed (assay_output_value (assay_output_key (assay_output_failed ()))));
}
