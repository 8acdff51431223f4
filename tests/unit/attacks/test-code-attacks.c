/* Attacks on codes, against closed forms. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/codes/released-codes.h"
#include "core/games/control.h"
#include "core/plugin/registry.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

#define SECRETS 400
#define COLS 12
#define BITS 48

static const AssayAttack *
find_attack (const char *id)
{
  return (const AssayAttack *) assay_registry_find (ASSAY_PLUGIN_ATTACK, id, NULL);
}

/* Codes of normal rows, and @repeats further releases of them; every bit is turned with probability
 * @beta in each. */
typedef struct {
  AssayControlCase made;
  GPtrArray *repeats;
} Case;

static void
turn_bits (AssayRelease *release, const AssayArray *codes, double beta, AssayStream *stream)
{
  guint8 *bytes = g_memdup2 (codes->data, assay_array_count (codes));

  for (gsize i = 0; i < codes->shape[0]; i++)
    for (gsize j = 0; j < BITS; j++)
      if (assay_stream_uniform (stream) < beta)
        bytes[i * codes->shape[1] + j / 8] ^= (guint8) (1 << (j % 8));
  assay_arrays_take (&release->arrays, "codes",
                     assay_array_take (ASSAY_UINT8, 2, codes->shape, bytes));
}

static void
make_case (Case *ret_case, double beta, gsize repeats)
{
  AssayStream stream = assay_stream (assay_stream_key (3, 0, "case", ""), 0);
  const AssayArray *codes;
  g_autoptr (GError) error = NULL;

  memset (ret_case, 0, sizeof *ret_case);
  cr_assert (released_codes_control (SECRETS, COLS, BITS, assay_stream_key (5, 0, "case", ""),
                                     &ret_case->made, &error),
             "%s", error != NULL ? error->message : "");
  codes = assay_arrays_get (&ret_case->made.truth->arrays, "codes");
  turn_bits (ret_case->made.release, codes, beta, &stream);
  ret_case->repeats = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_release_free);
  for (gsize r = 0; r < repeats; r++) {
    AssayRelease *release = assay_release_new (ASSAY_RELEASE_CODES, "case");

    release->bits = BITS;
    turn_bits (release, codes, beta, &stream);
    g_ptr_array_add (ret_case->repeats, release);
  }
}

static void
clear_case (Case *c)
{
  assay_control_case_clear (&c->made);
  g_ptr_array_unref (c->repeats);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, clear_case)

static AssayGuess *
run (const char *id, const char *assignments, const Case *c, guint grants, AssayRows *public_rows,
     GError **error)
{
  const AssayAttack *attack = find_attack (id);
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, assignments);
  const AssayKnowledge knowledge = { .public_rows = public_rows };
  const AssayGranted granted = {
    .grants = grants, .release = c->made.release, .knowledge = &knowledge, .repeats = c->repeats
  };
  AssayGuess *guess = NULL;

  assay_step_attack (attack, settings, assay_stream_key (1, 0, "attack", ""), &granted, &guess,
                     error);
  return guess;
}

static double
measure_bits (const Case *c, const AssayGuess *guess, guint series)
{
  const AssayMetric *metric
      = (const AssayMetric *) assay_registry_find (ASSAY_PLUGIN_METRIC, "bit-recovery", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (&metric->plugin, "");
  AssayOutcomes outcomes = { 0 };
  double sum = 0;

  cr_assert (assay_metric_applies (metric, NULL, c->made.release, c->made.truth, guess));
  cr_assert (assay_step_measure (
      metric, &(AssayMetricContext){ .settings = settings->values, .release = c->made.release },
      c->made.truth, guess, &outcomes, NULL));
  for (gsize i = 0; i < outcomes.n; i++)
    sum += outcomes.series[series][i] / (double) outcomes.n;
  assay_outcomes_clear (&outcomes);
  return sum;
}

/* P (Bin (n, 1 - beta) > n / 2) for odd n. */
static double
majority_is_right (guint n, double beta)
{
  double sum = 0;

  for (guint k = n / 2 + 1; k <= n; k++)
    sum += exp (lgamma (n + 1.0) - lgamma (k + 1.0) - lgamma (n - k + 1.0) + k * log (1 - beta)
                + (n - k) * log (beta));
  return sum;
}

/* Six standard deviations of 19,200 independent bits. */
static double
tolerance (double p)
{
  return 6 * sqrt (p * (1 - p) / (SECRETS * BITS)) + 1e-9;
}

Test (code_majority, bits_are_right_as_often_as_a_binomial_says)
{
  static const double betas[] = { 0.1, 0.3, 0.45 };

  for (guint b = 0; b < G_N_ELEMENTS (betas); b++)
    for (guint repeats = 0; repeats <= 8; repeats += 4) {
      g_auto (Case) c = { 0 };
      g_autoptr (AssayGuess) guess = NULL;
      const double expected = majority_is_right (repeats + 1, betas[b]);

      make_case (&c, betas[b], repeats);
      guess = run ("code-majority",
                   repeats == 8   ? "repeats=8"
                   : repeats == 4 ? ""
                                  : "repeats=0",
                   &c, ASSAY_GRANT_REPEATS, NULL, NULL);
      assert_near (measure_bits (&c, guess, 0), expected, tolerance (expected), "%g, %u", betas[b],
                   repeats);
    }
}

/* An even number of releases: half of the ties are as the first release has them. */
Test (code_majority, ties_go_to_the_release_under_attack)
{
  g_auto (Case) c = { 0 };
  g_autoptr (AssayGuess) guess = NULL;

  make_case (&c, 0.2, 1);
  guess = run ("code-majority", "repeats=1", &c, ASSAY_GRANT_REPEATS, NULL, NULL);
  assert_near (measure_bits (&c, guess, 0), 0.8, tolerance (0.8), "two releases");
}

Test (code_majority, repeats_that_are_not_granted_are_not_seen)
{
  g_auto (Case) c = { 0 };
  g_autoptr (AssayGuess) guess = NULL;

  make_case (&c, 0.3, 8);
  guess = run ("code-majority", "repeats=8", &c, 0, NULL, NULL);
  assert_near (measure_bits (&c, guess, 0), 0.7, tolerance (0.7), "one release");
}

Test (code_majority, repeats_are_codes_of_as_many_secrets_and_bits)
{
  for (guint kind = 0; kind < 2; kind++) {
    g_auto (Case) c = { 0 };
    g_autoptr (AssayGuess) guess = NULL;
    g_autoptr (GError) error = NULL;
    AssayRelease *second;

    make_case (&c, 0.1, 4);
    second = c.repeats->pdata[1];
    second->bits = kind == 0 ? BITS - 8 : BITS;
    assay_arrays_take (&second->arrays, "codes",
                       assay_array_take (ASSAY_UINT8, 2,
                                         (const gsize[]){ SECRETS - kind, second->bits / 8 },
                                         g_malloc0 (SECRETS * BITS / 8)));
    guess = run ("code-majority", "", &c, ASSAY_GRANT_REPEATS, NULL, &error);
    cr_assert_null (guess);
    cr_assert_str_eq (error->message,
                      kind == 0 ? "attack code-majority: repeat 2: expected 400 codes of 48 bits, "
                                  "as the release has, found 400 of 40"
                                : "attack code-majority: repeat 2: expected 400 codes of 48 bits, "
                                  "as the release has, found 399 of 48");
  }
}

/* Bits that fill no byte are not counted, and codes of more bits are not read beyond their end. */
Test (bit_recovery, is_told_the_bits_by_the_release)
{
  const AssayMetric *metric
      = (const AssayMetric *) assay_registry_find (ASSAY_PLUGIN_METRIC, "bit-recovery", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (&metric->plugin, "");
  g_auto (Case) c = { 0 };
  g_autoptr (AssayGuess) guess = NULL;
  g_autoptr (GError) error = NULL;
  AssayOutcomes outcomes = { 0 };

  make_case (&c, 0.3, 0);
  guess = run ("code-majority", "repeats=0", &c, 0, NULL, NULL);
  cr_assert (!assay_metric_applies (metric, NULL, NULL, c.made.truth, guess));
  c.made.release->bits = BITS + 1;
  cr_assert (!assay_step_measure (
      metric, &(AssayMetricContext){ .settings = settings->values, .release = c.made.release },
      c.made.truth, guess, &outcomes, &error));
  cr_assert_str_eq (error->message,
                    "metric bit-recovery: codes of the secrets have 6 bytes; expected 7, for the "
                    "49 bits of those that were released");
  c.made.release->bits = BITS - 7;
  cr_assert (assay_step_measure (
      metric, &(AssayMetricContext){ .settings = settings->values, .release = c.made.release },
      c.made.truth, guess, &outcomes, NULL));
  for (gsize i = 0; i < outcomes.n; i++) {
    const double right = outcomes.series[0][i] * (BITS - 7);

    cr_assert_float_eq (right, round (right), 1e-9);
  }
  assay_outcomes_clear (&outcomes);
}

Test (code_majority, bits_flipped_more_often_than_not_are_turned_back)
{
  g_auto (Case) c = { 0 };
  g_autoptr (AssayGuess) guess = NULL;
  const double expected = majority_is_right (5, 0.2);

  make_case (&c, 0.8, 4);
  guess = run ("code-majority", "flip_probability=0.8", &c, ASSAY_GRANT_REPEATS, NULL, NULL);
  assert_near (measure_bits (&c, guess, 0), expected, tolerance (expected), "turned");
  cr_assert_gt (measure_bits (&c, guess, 1), 0.01, "0.942^48 of codes are right in every bit");
}

/* ---- Linkage ---- */

/* Secrets with a little noise, among them decoys. */
static AssayRows *
make_candidates (const Case *c, gsize decoys, double noise)
{
  const AssayView secrets = assay_array_view (assay_arrays_get (&c->made.truth->arrays, "secrets"));
  AssayMatrix *rows = assay_matrix_new (SECRETS + decoys, COLS, NULL);
  AssayStream stream = assay_stream (assay_stream_key (8, 0, "candidates", ""), 0);

  for (gsize i = 0; i < rows->rows; i++)
    for (gsize j = 0; j < COLS; j++)
      assay_matrix_row (rows, i)[j]
          = (float) (i < SECRETS ? (double) assay_view_row (secrets, i)[j]
                                       + noise * assay_stream_normal (&stream)
                                 : assay_stream_normal (&stream));
  return assay_rows_take_matrix (rows);
}

static double
first_is_right (const AssayGuess *guess)
{
  const AssayArray *candidates = assay_arrays_get (&guess->arrays, "candidates");
  gsize right = 0;

  for (gsize i = 0; i < SECRETS; i++)
    right += assay_array_int64 (candidates)[i * candidates->shape[1]] == (gint64) i;
  return (double) right / SECRETS;
}

#define LINKAGE_GRANTS (ASSAY_GRANT_PUBLIC | ASSAY_GRANT_HASH_FUNCTION)

/* The order is that of Hamming distances, and of equals by place: against a plain count. */
Test (code_linkage, ranks_by_hamming_distance)
{
  g_auto (Case) c = { 0 };
  g_autoptr (AssayGuess) guess = NULL;
  g_autoptr (AssayRows) candidates = NULL;
  g_autoptr (AssayHashFunction) function = NULL;
  g_autoptr (AssayMatrix) rows = NULL;
  g_autoptr (AssayArray) codes = NULL;
  const AssayArray *released, *ranked;

  make_case (&c, 0.2, 0);
  candidates = make_candidates (&c, 200, 0.1);
  guess = run ("code-linkage", "score=hamming candidates=600 flips=known", &c, LINKAGE_GRANTS,
               candidates, NULL);
  function = assay_hash_function_from (c.made.release, NULL);
  rows = assay_rows_matrix (candidates, ASSAY_SCALE_NONE, NULL);
  codes = assay_hash_function_codes (function, assay_matrix_view (rows), NULL);
  released = assay_arrays_get (&c.made.release->arrays, "codes");
  ranked = assay_arrays_get (&guess->arrays, "candidates");
  cr_assert (ranked->shape[0] == SECRETS && ranked->shape[1] == 600);
  for (gsize i = 0; i < SECRETS; i++) {
    gint64 last = -1;
    guint last_distance = 0;

    for (gsize k = 0; k < 600; k++) {
      const gint64 row = assay_array_int64 (ranked)[i * 600 + k];
      guint distance = 0;

      for (gsize j = 0; j < BITS; j++)
        distance += assay_code_bit (released->data + i * 6, j)
                    != assay_code_bit (codes->data + (gsize) row * 6, j);
      cr_assert (distance > last_distance || (distance == last_distance && row > last),
                 "code %" G_GSIZE_FORMAT ", place %" G_GSIZE_FORMAT, i, k);
      last = row;
      last_distance = distance;
    }
  }
}

/* Margins help: a bit near its threshold says little. */
Test (code_linkage, margins_help)
{
  g_auto (Case) c = { 0 };
  g_autoptr (AssayRows) candidates = NULL;
  g_autoptr (AssayGuess) hamming = NULL;
  g_autoptr (AssayGuess) likely = NULL;

  make_case (&c, 0.05, 0);
  candidates = make_candidates (&c, 1600, 0.6);
  hamming = run ("code-linkage", "score=hamming", &c, LINKAGE_GRANTS, candidates, NULL);
  likely = run ("code-linkage", "flips=known flip_probability=0.05 noise=0.6", &c, LINKAGE_GRANTS,
                candidates, NULL);
  cr_assert_gt (first_is_right (likely), first_is_right (hamming));
  cr_assert_gt (first_is_right (hamming), 0.02, "40 times chance");
}

/* Flipping with 0.9 is negation and flipping with 0.1. */
Test (code_linkage, negated_codes_are_noticed)
{
  g_auto (Case) straight = { 0 };
  g_auto (Case) negated = { 0 };
  g_autoptr (AssayRows) candidates = NULL;
  g_autoptr (AssayGuess) first = NULL;
  g_autoptr (AssayGuess) second = NULL;
  g_autoptr (AssayGuess) blind = NULL;

  make_case (&straight, 0.1, 0);
  make_case (&negated, 0.9, 0);
  candidates = make_candidates (&straight, 600, 0.1);
  first = run ("code-linkage", "", &straight, LINKAGE_GRANTS, candidates, NULL);
  second = run ("code-linkage", "", &negated, LINKAGE_GRANTS, candidates, NULL);
  blind = run ("code-linkage", "flips=known", &negated, LINKAGE_GRANTS, candidates, NULL);
  cr_assert_gt (first_is_right (first), 0.9);
  assert_near (first_is_right (second), first_is_right (first), 0.05, "negated");
  cr_assert_lt (first_is_right (blind), 0.05);
}

Test (code_linkage, needs_the_hash_function)
{
  g_auto (Case) c = { 0 };
  g_autoptr (AssayRows) candidates = NULL;
  g_autoptr (GError) error = NULL;

  make_case (&c, 0.1, 0);
  candidates = make_candidates (&c, 0, 0);
  cr_assert_null (run ("code-linkage", "", &c, ASSAY_GRANT_PUBLIC, candidates, &error));
  cr_assert_str_eq (error->message,
                    "attack 'code-linkage' needs 'hash-function', which was not granted");
}

/* Where secrets were of unit length when they were hashed, so are candidates. */
Test (code_linkage, candidates_are_scaled_as_secrets_were)
{
  g_auto (Case) c = { 0 };
  g_autoptr (AssayRows) candidates = NULL;
  g_autoptr (AssayRows) longer = NULL;
  g_autoptr (AssayGuess) first = NULL;
  g_autoptr (AssayGuess) second = NULL;
  AssayMatrix *rows;

  make_case (&c, 0.1, 0);
  c.made.release->is_unit_norm = TRUE;
  candidates = make_candidates (&c, 100, 0.1);
  rows = assay_matrix_new (assay_rows_count (candidates), COLS, NULL);
  assay_rows_read (candidates, 0, rows->rows, ASSAY_SCALE_NONE, rows->data);
  for (gsize i = 0; i < rows->rows * COLS; i++)
    rows->data[i] *= 8;
  longer = assay_rows_take_matrix (rows);
  first = run ("code-linkage", "", &c, LINKAGE_GRANTS, candidates, NULL);
  second = run ("code-linkage", "", &c, LINKAGE_GRANTS, longer, NULL);
  cr_assert_arr_eq (assay_arrays_get (&first->arrays, "candidates")->data,
                    assay_arrays_get (&second->arrays, "candidates")->data,
                    SECRETS * 100 * sizeof (gint64));
}

/* ---- Inversion ---- */

static double
median_error (const Case *c, const AssayGuess *guess)
{
  const AssayView secrets = assay_array_view (assay_arrays_get (&c->made.truth->arrays, "secrets"));
  const AssayView estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  double sum = 0;

  for (gsize i = 0; i < SECRETS; i++) {
    double gap = 0, length = 0;

    for (gsize j = 0; j < COLS; j++) {
      gap += pow (
          (double) assay_view_row (secrets, i)[j] - (double) assay_view_row (estimates, i)[j], 2);
      length += pow ((double) assay_view_row (secrets, i)[j], 2);
    }
    sum += gap / length / SECRETS;
  }
  return sum;
}

/* The estimate is the best linear one: against the same from the secrets themselves by plain normal
 * equations (no attack can have it), mean squared errors are within sampling of each other. White
 * features: P^+ comes close without any public row. */
Test (code_inversion, comes_close_to_the_best_linear_estimate)
{
  g_auto (Case) c = { 0 };
  g_autoptr (AssayRows) others = NULL;
  g_autoptr (AssayGuess) learned = NULL;
  g_autoptr (AssayGuess) assumed = NULL;
  g_autoptr (AssayGuess) own = NULL;
  AssayMatrix *secrets;

  make_case (&c, 0, 0);
  others = fixture_normal_rows (20000, COLS, 4);
  learned = run ("code-inversion", "", &c, LINKAGE_GRANTS, others, NULL);
  assumed = run ("code-inversion", "ridge=0.000001", &c, ASSAY_GRANT_HASH_FUNCTION, NULL, NULL);
  secrets = assay_matrix_copy (
      assay_array_view (assay_arrays_get (&c.made.truth->arrays, "secrets")), NULL);
  g_clear_pointer (&others, assay_rows_unref);
  others = assay_rows_take_matrix (secrets);
  own = run ("code-inversion", "ridge=0.000001", &c, LINKAGE_GRANTS, others, NULL);
  cr_assert_lt (median_error (&c, own), 0.25);
  cr_assert_lt (median_error (&c, learned), 1.25 * median_error (&c, own));
  cr_assert_lt (median_error (&c, assumed), 1);
  cr_assert_gt (median_error (&c, assumed), median_error (&c, own));
}

/* Flips are known: the estimate shrinks, and turned bits are turned back. */
Test (code_inversion, knows_flips)
{
  g_auto (Case) few = { 0 };
  g_auto (Case) many = { 0 };
  g_autoptr (AssayRows) others = fixture_normal_rows (20000, COLS, 4);
  g_autoptr (AssayGuess) told = NULL;
  g_autoptr (AssayGuess) untold = NULL;
  g_autoptr (AssayGuess) turned = NULL;
  g_autoptr (AssayGuess) averaged = NULL;

  make_case (&few, 0.2, 8);
  make_case (&many, 0.8, 0);
  told = run ("code-inversion", "flip_probability=0.2", &few, LINKAGE_GRANTS, others, NULL);
  untold = run ("code-inversion", "", &few, LINKAGE_GRANTS, others, NULL);
  turned = run ("code-inversion", "flip_probability=0.8", &many, LINKAGE_GRANTS, others, NULL);
  averaged = run ("code-inversion", "flip_probability=0.2 repeats=8", &few,
                  LINKAGE_GRANTS | ASSAY_GRANT_REPEATS, others, NULL);
  cr_assert_lt (median_error (&few, told), median_error (&few, untold));
  assert_near (median_error (&many, turned), median_error (&few, told), 0.05, "turned");
  cr_assert_lt (median_error (&few, averaged), 0.8 * median_error (&few, told));
}

/* Every attack wins its control with any of its choices. */
Test (code_attacks, controls_are_won)
{
  static const char *const cases[][2] = {
    { "code-majority", "" },
    { "code-majority", "repeats=0" },
    { "code-majority", "flip_probability=0.9" },
    { "code-linkage", "" },
    { "code-linkage", "score=hamming" },
    { "code-linkage", "flips=known flip_probability=0.9" },
    { "code-linkage", "score=hamming flips=known" },
    { "code-inversion", "" },
    { "code-inversion", "flip_probability=1" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint64 seed = 0; seed < 10; seed++) {
      const AssayAttack *attack = find_attack (cases[i][0]);
      g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, cases[i][1]);
      g_autoptr (GError) error = NULL;
      AssayControlOutcome outcome = { 0 };

      cr_assert (assay_control_run (attack, settings, seed, &outcome, &error), "%s %s: %s",
                 cases[i][0], cases[i][1], error != NULL ? error->message : "");
      cr_assert (outcome.is_won, "%s %s, seed %u: %g", cases[i][0], cases[i][1], (guint) seed,
                 outcome.share);
    }
}
