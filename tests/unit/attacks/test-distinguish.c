/* The distinguishing game and the attack `distinguish`, on mechanisms whose epsilon is known. */
#include <criterion/criterion.h>
#include <math.h>

#include "attacks/mechanisms/distinguish-control.h"
#include "attacks/mechanisms/event-score.h"
#include "core/base/interrupt.h"
#include "core/base/parallel.h"
#include "core/stats/epsilon.h"
#include "tests/reference/known-mechanisms.h"
#include "tests/reference/naive-interval.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/audit-play.h"
#include "tests/unit/seeds.h"

/* The bound holds (at a level that one in 10^6 tests breaks) and reaches @share of the truth. */
static void
check_bound (const AuditOutcome *outcome, double epsilon, double share, const char *what)
{
  const double lower = assay_epsilon_lower (&outcome->audit, 0.05);

  cr_assert (lower >= share * epsilon, "%s: %g of %g by %s", what, lower, epsilon, outcome->says);
  cr_assert (assay_epsilon_lower (&outcome->audit, 1e-6) <= epsilon, "%s: %g above %g", what, lower,
             epsilon);
}

/* ---- Known epsilons ---- */

Test (distinguish, scores_reach_known_epsilons)
{
  TEST_OF_CHANCE ();

  static const struct {
    const AssayMechanism *mechanism;
    gsize outputs;
    const char *score;
  } cases[] = {
    { &known_bit, 1, "likelihood" },       { &known_bit, 1, "auto" },
    { &known_bit_unknown, 3, "auto" },     { &known_bit_unknown, 1, "patterns" },
    { &known_bit_unknown, 3, "patterns" }, { &known_bit_unknown, 3, "classifier" },
    { &known_laplace, 1, "likelihood" },   { &known_laplace_unknown, 1, "classifier" },
    { &known_middle, 1, "classifier" },    { &known_subset, 8, "likelihood" },
  };

  const guint runs = test_seeds (1) > 1 ? 1000000 : 300000;

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++)
    for (double epsilon = 1; epsilon <= 4; epsilon += 1.5) {
      const Known known = { epsilon, 0, cases[c].outputs, G_MAXUINT };
      g_autofree char *text = g_strdup_printf ("runs=%u score=%s", runs, cases[c].score);
      g_autofree char *what = g_strdup_printf ("case %zu, epsilon %g", c, epsilon);
      const AuditOutcome outcome = audit_play (cases[c].mechanism, &known, text, c);

      cr_assert (outcome.audit.runs == runs && outcome.pair == 0);
      check_bound (&outcome, epsilon, 0.95, what);
    }
}

Test (distinguish, auto_takes_what_fits)
{
  static const struct {
    const AssayMechanism *mechanism;
    const char *says;
  } cases[] = { { &known_bit, "log-likelihood ratio" },
                { &known_laplace, "log-likelihood ratio" },
                { &known_bit_unknown, "log ratio of how often" },
                { &known_laplace_unknown, "score of the classifier" } };
  const Known known = { 2, 0, 1, G_MAXUINT };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const AuditOutcome outcome
        = audit_play (cases[c].mechanism, &known, "runs=5000 training=4000", 1);

    cr_assert (g_str_has_prefix (outcome.says, cases[c].says), "%s", outcome.says);
    cr_assert (g_str_has_suffix (outcome.says, ", pair 0"), "%s", outcome.says);
    cr_assert (outcome.trained_on == 8000);
  }
}

static guint asked;

static gboolean
is_interrupted (void)
{
  return asked++ >= 3;
}

/* Learning ends with the score that is under way, and what could not be learned any more is not
 * passed over as if it promised nothing. */
Test (distinguish, learning_ends_upon_an_interrupt)
{
  const Known known = { 2, 0, 1, G_MAXUINT };
  AuditOutcome outcome;
  g_autoptr (GError) error = NULL;

  assay_interrupt_set_check (is_interrupted);
  cr_assert_not (audit_try (&known_laplace_unknown, &known, "runs=5000 training=4000", 1, &outcome,
                            &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED), "%s", error->message);
}

/* The columns of xor say nothing one by one. */
Test (distinguish, patterns_are_whole_rows)
{
  const Known known = { 2, 0, 2, G_MAXUINT };
  const AuditOutcome outcome = audit_play (&known_xor, &known, "runs=100000 training=10000", 1);

  cr_assert (g_str_has_prefix (outcome.says, "log ratio of how often"), "%s", outcome.says);
  check_bound (&outcome, 2, 0.95, "xor");
}

/* 15 runs in 1000 have a value of their own: few enough to be counted, but new ones would come in
 * every test. */
Test (distinguish, rows_that_were_never_seen_are_not_patterns)
{
  const Known known = { 2, 0, 1, G_MAXUINT };
  const AuditOutcome outcome = audit_play (&known_rare, &known, "runs=100000 training=20000", 1);

  cr_assert (g_str_has_prefix (outcome.says, "score of the classifier"), "%s", outcome.says);
  check_bound (&outcome, 2, 0.95, "rare");
}

Test (distinguish, keys_order_numbers_and_hashes_tell_rows_apart)
{
  static const double ascending[]
      = { -INFINITY, -1e300, -1,          -1e-40,      -5e-324, -0.0,     0,  5e-324,
          2e-308,    1,      1 + 0x1p-52, 1 + 0x1p-23, 3e38,    INFINITY, NAN };
  const gsize n = G_N_ELEMENTS (ascending);

  for (gsize i = 0; i < n; i++) {
    const guint64 key = assay_output_key (ascending[i]);
    const double back = assay_output_value (key);

    cr_assert (i + 1 == n || key < assay_output_key (ascending[i + 1]), "%zu", i);
    cr_assert (i + 1 == n ? isnan (back) : memcmp (&back, &ascending[i], sizeof back) == 0, "%zu",
               i);
  }
  cr_assert (assay_output_key (-NAN) == assay_output_key (NAN));
  for (gsize i = 0; i < n * n; i++)
    for (gsize j = 0; j < i; j++) {
      const double rows[2][2]
          = { { ascending[i / n], ascending[i % n] }, { ascending[j / n], ascending[j % n] } };
      const AssayOutputs outputs = { rows, 2, TRUE };

      cr_assert (event_score_hash (outputs, 0) != event_score_hash (outputs, 1), "%zu and %zu", i,
                 j);
    }
}

/* Few and many, with digits that all keys share and with none. */
Test (distinguish, keys_are_sorted)
{
  for (gsize n = 0; n <= 5000; n = 3 * n + 1) {
    g_autofree guint64 *keys = g_new (guint64, n + 1);
    AssayStream stream = assay_stream (assay_stream_key (1, 0, "keys", ""), n);
    guint64 sum = 0, sorted_sum = 0;

    for (gsize i = 0; i < n; i++) {
      const guint64 high = assay_stream_u32 (&stream), low = assay_stream_u32 (&stream);

      keys[i] = n % 2 == 0 ? assay_output_key ((double) (float) assay_stream_normal (&stream))
                           : high << 32 | low;
      sum += keys[i];
    }
    event_sort_keys (keys, n);
    for (gsize i = 0; i < n; i++) {
      cr_assert (i == 0 || keys[i - 1] <= keys[i], "%zu of %zu", i, n);
      sorted_sum += keys[i];
    }
    cr_assert (sum == sorted_sum);
  }
}

/* 600 columns have no room for cells, and not all of them have room for a value. */
Test (distinguish, wide_outputs)
{
  static const gsize widths[] = { 40, 100, 600 };

  for (gsize w = 0; w < G_N_ELEMENTS (widths); w++) {
    const Known known = { 2, 0, widths[w], G_MAXUINT };
    const AuditOutcome outcome
        = audit_play (&known_bit_unknown, &known, "runs=20000 training=8000", 1);

    check_bound (&outcome, 2, 0.9, "wide");
  }
}

Test (distinguish, outputs_that_are_no_numbers)
{
  const Known known = { 1, 0, 1, G_MAXUINT };
  const AuditOutcome outcome = audit_play (&known_nan, &known, "runs=100000 training=20000", 1);

  check_bound (&outcome, 1, 0.95, "NaN");
}

/* ---- Nothing is claimed that is not there ---- */

/* Of many audits at level 0.05 of a mechanism with exactly @epsilon. */
static void
check_silence (const AssayMechanism *mechanism, double epsilon, double built_for, guint leaky_pair,
               const char *text)
{
  const guint64 seeds = test_seeds (1) > 1 ? 300 : 200;
  const Known known = { built_for, 0, 1, leaky_pair };
  guint64 wrong = 0, allowed = 0;

  for (guint64 seed = 0; seed < seeds; seed++) {
    const AuditOutcome outcome = audit_play (mechanism, &known, text, seed);

    wrong += assay_epsilon_lower (&outcome.audit, 0.05) > epsilon;
  }
  while (naive_binomial_at_least (allowed + 1, seeds, 0.05) > 1e-6)
    allowed++;
  cr_assert (wrong <= allowed, "%s: %g exceeded by %d of %d, %d allowed", text, epsilon,
             (int) wrong, (int) seeds, (int) allowed);
}

Test (distinguish, no_leak_is_not_found)
{
  TEST_OF_CHANCE ();

  check_silence (&known_bit_unknown, 0, 1, 7, "score=patterns runs=2000 training=1000");
  check_silence (&known_laplace_unknown, 0, 1, 7, "score=classifier runs=2000 training=1000");
  check_silence (&known_six_pairs, 0, 1, 7, "score=patterns runs=2000 training=1000");
}

Test (distinguish, exact_epsilon_is_not_exceeded)
{
  TEST_OF_CHANCE ();

  check_silence (&known_bit, 1, 1, G_MAXUINT, "score=likelihood runs=2000 training=1000");
  check_silence (&known_bit_unknown, 1, 1, G_MAXUINT, "score=patterns runs=2000 training=1000");
  check_silence (&known_laplace_unknown, 1, 1, G_MAXUINT,
                 "score=classifier runs=2000 training=1000");
  check_silence (&known_laplace_unknown, 1, 1, G_MAXUINT, "score=auto runs=2000 training=2000");
}

/* ---- Pairs ---- */

Test (distinguish, leaky_pair_among_proposals_is_found)
{
  static const char *const score_names[] = { "likelihood", "patterns", "classifier" };
  const Known known = { 1, 0, 1, 3 };

  for (gsize s = 0; s < 3; s++) {
    g_autofree char *text = g_strdup_printf ("runs=50000 training=12000 score=%s", score_names[s]);
    const AuditOutcome outcome = audit_play (&known_six_pairs, &known, text, 1);

    cr_assert (outcome.pair == 3, "%s: pair %u", text, outcome.pair);
    cr_assert (g_str_has_suffix (outcome.says, ", pair 3"), "%s", outcome.says);
    check_bound (&outcome, 1, 0.9, text);
    cr_assert (outcome.trained_on == 2 * (6 * 2000 + 12000), "%d", (int) outcome.trained_on);
  }
}

Test (distinguish, search_goes_beyond_proposals)
{
  const Known known = { 1, 0, 1, 0 };
  const AuditOutcome proposed
      = audit_play (&known_hidden_pair, &known, "runs=50000 training=20000", 1);
  const AuditOutcome searched
      = audit_play (&known_hidden_pair, &known, "runs=50000 training=20000 candidates=60", 1);

  cr_assert (proposed.pair == 0);
  cr_assert (assay_epsilon_lower (&proposed.audit, 1e-6) == 0);
  cr_assert (searched.pair > 0 && searched.pair < 60);
  check_bound (&searched, 1, 0.9, "search");
  /* 60 pairs share 20000, but each is given 1000. */
  cr_assert (searched.trained_on == 2 * (60 * 1000 + 20000), "%d", (int) searched.trained_on);
}

/* ---- Delta ---- */

/* At its own delta it has epsilon 1; at 0 an output that only one input gives has no bound but what
 * the number of runs can show: ln (0.0485 / (ln 40 / 100000)) or so. */
Test (distinguish, delta_under_audit)
{
  const Known known = { 1, 0.05, 1, G_MAXUINT };
  const AuditOutcome claimed = audit_play (&known_slip, &known, "runs=100000 training=50000", 1);
  const AuditOutcome same
      = audit_play (&known_slip, &known, "runs=100000 training=50000 delta=0.05", 1);
  const AuditOutcome pure
      = audit_play (&known_slip, &known, "runs=100000 training=50000 delta=0", 1);

  cr_assert (claimed.audit.delta == 0.05 && same.audit.delta == 0.05 && pure.audit.delta == 0);
  check_bound (&claimed, 1, 0.95, "claimed");
  check_bound (&same, 1, 0.95, "0.05");
  assert_near (assay_epsilon_lower (&pure.audit, 0.05), log (0.0485 / (log (40) / 1e5)), 0.05,
               "delta 0");
}

Test (distinguish, delta_is_read_with_care)
{
  static const struct {
    const char *text;
    double delta; /* NAN: refused */
  } cases[] = { { "claimed", -1 }, { "0", 0 },        { "1e-6", 1e-6 }, { "0.25", 0.25 },
                { "1", NAN },      { "-0.1", NAN },   { "nan", NAN },   { "0.5x", NAN },
                { "", NAN },       { "Claimed", NAN } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autoptr (AssaySettings) settings = audit_settings ("runs=100");
    const AssayShape shape = { 0 };
    g_autoptr (GError) error = NULL;

    if (!assay_settings_set (settings, "delta", cases[c].text, NULL)) {
      cr_assert (isnan (cases[c].delta), "%s", cases[c].text);
      continue;
    }
    cr_assert (audit_auditor ()->check (settings->values, &shape, &error)
                   == !isnan (cases[c].delta),
               "%s", cases[c].text);
    if (isnan (cases[c].delta))
      cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_PARAMETER), "%s", error->message);
    else
      cr_assert (audit_auditor ()->delta (settings->values) == cases[c].delta, "%s", cases[c].text);
  }
}

/* ---- Runs ---- */

Test (distinguish, threads_change_no_bit)
{
  TEST_OF_RESULTS ();

  static const char *const score_names[] = { "likelihood", "patterns", "classifier" };
  const Known known = { 1, 0, 1, 3 };

  for (gsize s = 0; s < 3; s++) {
    g_autofree char *text = g_strdup_printf ("runs=150001 training=9000 score=%s", score_names[s]);
    AuditOutcome outcomes[3];

    for (guint t = 0; t < 3; t++) {
      assay_parallel_set_threads (t + 1);
      outcomes[t] = audit_play (&known_six_pairs, &known, text, 5);
      cr_assert_str_eq (outcomes[t].says, outcomes[0].says);
      cr_assert (outcomes[t].audit.hits == outcomes[0].audit.hits
                     && outcomes[t].audit.mistakes == outcomes[0].audit.mistakes,
                 "%s, %u threads", text, t + 1);
    }
  }
}

/* Which items of its stream a mechanism was run with, and how many runs each gave. */
static GHashTable *seen_items;
static GMutex seen_lock;
static guint64 seen_runs;

static void
run_recorded (gconstpointer settings, gsize cols, AssayStream *stream, const float *input,
              gsize count, float *ret_outputs)
{
  guint64 *item = g_memdup2 (&stream->item, sizeof stream->item);

  g_mutex_lock (&seen_lock);
  cr_assert (g_hash_table_add (seen_items, item), "one stream for two panels");
  seen_runs += count;
  g_mutex_unlock (&seen_lock);
  known_run_bit (settings, cols, stream, input, count, ret_outputs);
}

/* Every panel of every step has an item of its own, so no run is looked at twice, in training or in
 * the test; and there are as many runs as was said, also where they are no whole panels. */
Test (distinguish, no_run_is_used_twice)
{
  static const AssayMechanism recorded = { .budget = known_budget,
                                           .size = known_size,
                                           .n_proposed = 3,
                                           .pair = known_pair,
                                           .run = run_recorded };
  static const char *const texts[]
      = { "runs=1500 training=3333 score=patterns", "runs=1024 training=1000 score=patterns",
          "runs=100 training=2048 candidates=5 score=classifier" };

  for (gsize t = 0; t < G_N_ELEMENTS (texts); t++) {
    const Known known = { 1, 0, 1, 2 };
    AuditOutcome outcome;

    seen_items = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
    seen_runs = 0;
    outcome = audit_play (&recorded, &known, texts[t], 1);
    cr_assert (seen_runs == outcome.trained_on + 2 * outcome.audit.runs, "%s: %d runs", texts[t],
               (int) seen_runs);
    cr_assert (outcome.audit.hits <= outcome.audit.runs
               && outcome.audit.mistakes <= outcome.audit.runs);
    g_hash_table_destroy (seen_items);
  }
}

/* The counts are those of the event in fresh runs: of a bit at epsilon ln 3 a normal deviate of
 * less than 5 around 3/4 and 1/4 (one in 10^6), whatever the number of runs. */
Test (distinguish, counts_are_shares_of_runs)
{
  static const guint64 sizes[] = { 100, 1023, 1025, 70000, 200000 };
  const Known known = { log (3), 0, 1, G_MAXUINT };

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++) {
    g_autofree char *text = g_strdup_printf ("runs=%d training=5000", (int) sizes[s]);
    const AuditOutcome outcome = audit_play (&known_bit, &known, text, 1);
    const double n = (double) sizes[s], tolerance = 5 * sqrt (n * 3 / 16) + 1;

    assert_near ((double) outcome.audit.hits, 0.75 * n, tolerance, "hits of %g", n);
    assert_near ((double) outcome.audit.mistakes, 0.25 * n, tolerance, "mistakes of %g", n);
  }
}

/* ---- Control and errors ---- */

Test (distinguish, control_is_won_by_every_score)
{
  static const char *const score_names[]
      = { "auto",    "likelihood", "patterns", "classifier", "trees",
          "repeats", "tails",      "digits",   "order",      "finite" };

  for (gsize s = 0; s < G_N_ELEMENTS (score_names); s++) {
    g_autofree char *text
        = g_strdup_printf ("runs=100 training=1000 delta=0.5 score=%s", score_names[s]);
    g_autoptr (AssaySettings) settings = audit_settings (text);
    const AssayAuditContext context
        = { .settings = settings->values, .stream = assay_stream_key (1, 0, "control", text) };
    AssayControlOutcome outcome = { 0 };
    g_autoptr (GError) error = NULL;

    cr_assert (audit_auditor ()->control.play (audit_auditor (), &context, &outcome, &error), "%s",
               text);
    cr_assert (outcome.is_won && outcome.share >= 0.9 && outcome.share < 1.1 && outcome.n == 20000,
               "%s: %g", text, outcome.share);
  }
}

static gsize
count_all (const AssayEvent *event, const AssayOracle *oracle, AssayOutputs outputs, gsize count)
{
  (void) event;
  (void) oracle;
  (void) outputs;
  return count;
}

/* Whatever the mechanism puts out is in its event. */
static AssayEvent *
choose_all (const AssayAuditContext *context, const AssayOracle *oracle, GError **error)
{
  AssayEvent *event = g_new0 (AssayEvent, 1);

  (void) context;
  (void) oracle;
  (void) error;
  *event = (AssayEvent){ .runs = 20000, .count = count_all };
  return event;
}

Test (distinguish, control_is_lost_by_an_attack_that_learns_nothing)
{
  const AssayAuditor blind = { .choose_event = choose_all,
                               .control = { .at_least = audit_auditor ()->control.at_least } };
  const AssayAuditContext context = { .stream = assay_stream_key (1, 0, "control", "") };
  AssayControlOutcome outcome = { 0 };

  cr_assert (distinguish_control_play (&blind, &context, 1, &outcome, NULL));
  cr_assert (!outcome.is_won && outcome.share == 0);
}

Test (distinguish, scores_that_cannot_be_had)
{
  static const struct {
    const AssayMechanism *mechanism;
    const char *score, *message;
    AssayErrorCode code;
  } cases[] = {
    { &known_bit_unknown, "likelihood",
      "score = likelihood: the defense does not offer the density of its outputs; expected auto, "
      "or a score that is learned",
      ASSAY_ERROR_MISMATCH },
    { &known_laplace_unknown, "patterns",
      "score = patterns: pair 0 puts out too many different values in 1000 training runs; expected "
      "at most one in 50 runs",
      ASSAY_ERROR_MISMATCH },
    { &known_broken_ratio, "auto", "the log-likelihood ratio of training run 999 is not a number",
      ASSAY_ERROR_NUMERIC },
  };
  const Known known = { 1, 0, 1, G_MAXUINT };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    g_autofree char *text = g_strdup_printf ("runs=100 training=1000 score=%s", cases[c].score);
    g_autoptr (GError) error = NULL;
    AuditOutcome outcome;

    cr_assert_not (audit_try (cases[c].mechanism, &known, text, 1, &outcome, &error));
    cr_assert (g_error_matches (error, ASSAY_ERROR, (gint) cases[c].code), "case %zu", c);
    cr_assert_str_eq (error->message, cases[c].message);
  }
}
