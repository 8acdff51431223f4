/* Sparse vector and noisy max, right and broken: how often outputs come against closed forms and
 * numeric integrals with the papers' noise, and what that says about epsilon.
 *
 * Shares of n runs are compared within Bernstein's bound at 1e-9 a comparison. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/plugin/registry.h"
#include "defenses/mechanisms/query-pairs.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"

/* How far the share of @n runs may be from its expectation @p. */
static double
slack (double p, double n)
{
  const double lambda = log (2 / 1e-9);

  return sqrt (2 * p * (1 - p) * lambda / n) + 2 * lambda / (3 * n);
}

static const AssayDefense *
defense_of (const char *id)
{
  return (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, id, NULL);
}

static AssayStream
stream_of (guint64 trial)
{
  return assay_stream (assay_stream_key (5, trial, "test-broken-mechanisms", ""), 0);
}

/* Outputs of @n runs of a defense on @input. */
static float *
run (const char *id, const char *assignments, const float *input, gsize cols, gsize n)
{
  const AssayDefense *defense = defense_of (id);
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  AssayStream stream = stream_of (1);
  gsize n_inputs, n_outputs;
  float *outputs;

  defense->mechanism->size (settings->values, cols, &n_inputs, &n_outputs);
  outputs = g_new (float, n *n_outputs);
  defense->mechanism->run (settings->values, cols, &stream, input, n, outputs);
  return outputs;
}

static void
propose (const char *id, const char *assignments, gsize cols, guint index, float *ret_first,
         float *ret_second)
{
  const AssayDefense *defense = defense_of (id);
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  AssayStream stream = stream_of (2 + index);

  defense->mechanism->pair (settings->values, cols, index, &stream, ret_first, ret_second);
}

/* P (Laplace of scale @b <= x); the step function for b = 0. */
static double
laplace_cdf (double x, double b)
{
  if (b == 0)
    return x >= 0;
  return x < 0 ? exp (x / b) / 2 : 1 - exp (-x / b) / 2;
}

/* ---- Query pairs ---- */

static const QueryCategory in_order[QUERY_CATEGORIES] = { 0, 1, 2, 3, 4, 5, 6, 7 };

Test (broken_mechanisms, query_pairs_are_those_of_the_paper)
{
  static const float expected[QUERY_CATEGORIES][2][5] = {
    { { 1, 1, 1, 1, 1 }, { 2, 1, 1, 1, 1 } }, { { 1, 1, 1, 1, 1 }, { 0, 1, 1, 1, 1 } },
    { { 1, 1, 1, 1, 1 }, { 2, 0, 0, 0, 0 } }, { { 1, 1, 1, 1, 1 }, { 0, 2, 2, 2, 2 } },
    { { 1, 1, 1, 1, 1 }, { 0, 0, 0, 2, 2 } }, { { 1, 1, 1, 1, 1 }, { 2, 2, 2, 2, 2 } },
    { { 1, 1, 1, 1, 1 }, { 0, 0, 0, 0, 0 } }, { { 1, 1, 0, 0, 0 }, { 0, 0, 1, 1, 1 } },
  };

  for (guint i = 0; i < QUERY_CATEGORIES; i++) {
    float first[5], second[5];

    query_pairs_fill (in_order, 1, 5, i, NULL, first, second);
    cr_assert (memcmp (first, expected[i][0], sizeof first) == 0
                   && memcmp (second, expected[i][1], sizeof second) == 0,
               "category %u", i);
  }
}

/* For any number of queries, with the centre rounded; the random ones are not all the same. */
Test (broken_mechanisms, query_pairs_are_neighbours)
{
  static const double centres[] = { 1, 0.4, 999999.6 };

  for (gsize c = 0; c < G_N_ELEMENTS (centres); c++)
    for (gsize cols = 1; cols <= 9; cols++) {
      gsize n_up = 0, n_down = 0, n_kept = 0;

      for (guint index = 0; index < QUERY_CATEGORIES + 100; index++) {
        AssayStream stream = stream_of (index);
        float first[9], second[9];
        gsize n_apart = 0;

        query_pairs_fill (in_order, centres[c], cols, index, &stream, first, second);
        for (gsize j = 0; j < cols; j++) {
          const double step = (double) second[j] - (double) first[j];

          cr_assert (step == 0 || step == 1 || step == -1, "%zu queries, %u: %g", cols, index,
                     step);
          cr_assert (fabs (first[j] - rint (centres[c])) <= 2 && floorf (first[j]) == first[j]);
          n_apart += step != 0;
          n_up += index >= QUERY_CATEGORIES && step > 0;
          n_down += index >= QUERY_CATEGORIES && step < 0;
          n_kept += index >= QUERY_CATEGORIES && step == 0;
        }
        cr_assert (n_apart > 0, "%zu queries, %u: equal", cols, index);
      }
      cr_assert (n_up > 20 && n_down > 20 && (n_kept > 20 || cols == 1), "%zu, %zu, %zu", n_up,
                 n_down, n_kept);
    }
}

/* Every category is proposed once, whatever the settings; sparse vector moves them to T. */
Test (broken_mechanisms, every_category_is_proposed)
{
  static const char *const cases[][2] = {
    { "sparse-vector", "" },
    { "sparse-vector", "variant=values-released" },
    { "sparse-vector", "threshold=7" },
    { "noisy-max", "" },
    { "noisy-max", "releases=value" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const float shift = g_str_equal (cases[i][1], "threshold=7") ? 6 : 0;
    guint seen = 0;

    cr_assert (defense_of (cases[i][0])->mechanism->n_proposed == QUERY_CATEGORIES);
    for (guint index = 0; index < QUERY_CATEGORIES; index++) {
      float first[5], second[5];

      propose (cases[i][0], cases[i][1], 5, index, first, second);
      for (guint k = 0; k < QUERY_CATEGORIES; k++) {
        float x[5], y[5];

        query_pairs_fill (in_order, 1 + shift, 5, k, NULL, x, y);
        if (memcmp (first, x, sizeof x) == 0 && memcmp (second, y, sizeof y) == 0)
          seen |= 1u << k;
      }
    }
    cr_assert (seen == (1u << QUERY_CATEGORIES) - 1, "%s %s: %x", cases[i][0], cases[i][1], seen);
  }
}

/* ---- Sparse vector ---- */

typedef struct {
  const char *name;
  double rho, nu; /* scales times epsilon, at cutoff 1 */
  gboolean grows; /* nu with the cutoff */
  gboolean has_cutoff;
} Variant;

static const Variant variants[] = {
  { "standard", 2, 4, TRUE, TRUE },
  { "unscaled", 4, 4.0 / 3, FALSE, TRUE },
  { "no-query-noise", 2, 0, FALSE, FALSE },
  { "no-cutoff", 2, 2, FALSE, FALSE },
};

typedef struct {
  const Variant *variant;
  double epsilon, threshold;
  gsize cutoff;
} Reference;

/* The probability of @symbols: over rho, by the trapezoid rule with 10^5 steps over 40 scales. The
 * error is below 1e-6 for smooth integrands, and below a step times the largest density, 2e-4,
 * where nu = 0 makes jumps of them. */
static double
probability (const Reference *reference, const float *answers, const float *symbols, gsize cols)
{
  const Variant *v = reference->variant;
  const double b = v->rho / reference->epsilon;
  const double scale = v->nu / reference->epsilon * (v->grows ? (double) reference->cutoff : 1);
  const gint steps = 100000;
  const double width = 40 * b / steps;
  double sum = 0;

  for (gint s = -steps / 2; s <= steps / 2; s++) {
    const double rho = s * width;
    double product = exp (-fabs (rho) / b) / (2 * b) * width;
    gsize above = 0;

    for (gsize j = 0; j < cols && product > 0; j++) {
      const double p_below = laplace_cdf (reference->threshold + rho - answers[j], scale);
      const gboolean is_stopped = v->has_cutoff && above == reference->cutoff;

      if (is_stopped)
        product *= symbols[j] == -1;
      else
        product *= symbols[j] == 0 ? p_below : symbols[j] == 1 ? 1 - p_below : 0;
      above += symbols[j] == 1;
    }
    sum += product;
  }
  return sum;
}

static double
share_of (const float *outputs, const float *symbols, gsize cols, gsize n)
{
  gsize count = 0;

  for (gsize i = 0; i < n; i++)
    count += memcmp (outputs + i * cols, symbols, cols * sizeof (float)) == 0;
  return (double) count / (double) n;
}

/* All 27 rows of three symbols. */
Test (broken_mechanisms, sparse_vector_has_the_noise_of_the_paper)
{
  enum { COLS = 3, RUNS = 200000 };
  static const float answers[COLS] = { 2, 4, 3 };

  for (gsize v = 0; v < G_N_ELEMENTS (variants); v++)
    for (gsize cutoff = 1; cutoff <= 2; cutoff++) {
      const Reference reference = { &variants[v], 0.8, 3, cutoff };
      g_autofree char *assignments = g_strdup_printf (
          "variant=%s epsilon=0.8 threshold=3 cutoff=%zu", variants[v].name, cutoff);
      g_autofree float *outputs = run ("sparse-vector", assignments, answers, COLS, RUNS);
      double total = 0;

      for (gsize k = 0; k < 27; k++) {
        const float symbols[COLS]
            = { (float) (k % 3) - 1, (float) (k / 3 % 3) - 1, (float) (k / 9) - 1 };
        const double p = probability (&reference, answers, symbols, COLS);

        assert_near (share_of (outputs, symbols, COLS, RUNS), p, slack (p, RUNS) + 2e-4,
                     "%s: %g %g %g", assignments, (double) symbols[0], (double) symbols[1],
                     (double) symbols[2]);
        total += p;
      }
      assert_near (total, 1, 1e-3, "%s", assignments);
    }
}

/* One query that is @gap below the threshold reaches it with the upper tail of the sum of two
 * Laplace variables: (b^2 exp (-g / b) - c^2 exp (-g / c)) / (2 (b^2 - c^2)), or
 * exp (-g / b) (1 + g / (2 b)) / 2 where the scales are equal. */
Test (broken_mechanisms, sparse_vector_of_one_query_has_a_closed_form)
{
  enum { RUNS = 400000 };
  static const float answer = 3, above = 1;
  const double gap = 2;

  for (gsize v = 0; v < G_N_ELEMENTS (variants); v++) {
    const double b = variants[v].rho / 0.7, c = variants[v].nu / 0.7;
    const double expected = b == c ? exp (-gap / b) * (1 + gap / (2 * b)) / 2
                                   : (b * b * exp (-gap / b) - (c > 0 ? c * c * exp (-gap / c) : 0))
                                         / (2 * (b * b - c * c));
    g_autofree char *assignments
        = g_strdup_printf ("variant=%s epsilon=0.7 threshold=5", variants[v].name);
    g_autofree float *outputs = run ("sparse-vector", assignments, &answer, 1, RUNS);

    assert_near (share_of (outputs, &above, 1, RUNS), expected, slack (expected, RUNS), "%s",
                 assignments);
  }
}

/* Roth's notes at epsilon = 1 and cutoff 2: two queries of answer 0 that are below T = 1, and a
 * third that is released and is at most t. Over rho with scale 2, of noise with scale 4. */
Test (broken_mechanisms, sparse_vector_releases_values)
{
  enum { COLS = 4, RUNS = 400000, STEPS = 40000 };
  static const float answers[COLS] = { 0, 0, 1, 9 };
  static const double limits[] = { -2, 0, 1, 3, 50 };
  g_autofree float *outputs
      = run ("sparse-vector", "variant=values-released cutoff=2", answers, COLS, RUNS);

  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++) {
    double expected = 0;
    gsize count = 0;

    for (gint s = -STEPS; s <= STEPS; s++) {
      const double rho = s * 1e-3, from = 1 + rho;

      if (from < limits[i])
        expected += exp (-fabs (rho) / 2) / 4 * 1e-3 * pow (laplace_cdf (from, 4), 2)
                    * (laplace_cdf (limits[i] - 1, 4) - laplace_cdf (from - 1, 4));
    }
    for (gsize r = 0; r < RUNS; r++) {
      const float *row = outputs + r * COLS;

      count += row[0] == -1000 && row[1] == -1000 && row[2] > -1000 && (double) row[2] <= limits[i];
    }
    assert_near ((double) count / RUNS, expected, slack (expected, RUNS) + 1e-4, "%g", limits[i]);
  }
  /* After two values, and only then, nothing is looked at. */
  for (gsize r = 0; r < RUNS; r++) {
    gsize values = 0;

    for (gsize j = 0; j < COLS; j++) {
      const float output = outputs[r * COLS + j];

      cr_assert ((output == -2000) == (values == 2), "run %zu, query %zu", r, j);
      values += output > -1000;
    }
  }
}

/* Without noise on the queries, equal answers get equal symbols, and a larger one is never below
 * where a smaller one is above. The X shape: above above .. below below says 0 < T + rho <= 1. */
Test (broken_mechanisms, no_query_noise_makes_outputs_impossible)
{
  enum { COLS = 10, RUNS = 200000 };
  const float half[COLS] = { 1, 1, 1, 1, 1, 0, 0, 0, 0, 0 };
  const double p = (1 - exp (-0.5)) / 2;
  g_autofree float *on_first = NULL;
  g_autofree float *on_second = NULL;
  float first[COLS], second[COLS];

  propose ("sparse-vector", "variant=no-query-noise", COLS, 0, first, second);
  on_first = run ("sparse-vector", "variant=no-query-noise", first, COLS, RUNS);
  on_second = run ("sparse-vector", "variant=no-query-noise", second, COLS, RUNS);
  assert_near (share_of (on_first, half, COLS, RUNS), p, slack (p, RUNS), "possible");
  cr_assert (share_of (on_second, half, COLS, RUNS) == 0);
}

/* The largest ln ratio over where the first query above stands, of pair 0, with 10 queries and a
 * cutoff of 1: at most epsilon for the right one; for the unscaled one above it and at most the
 * paper's (1 + 6 c) / 4; without a cutoff from the one row that tells most. */
Test (broken_mechanisms, sparse_vector_leaks_what_is_said)
{
  enum { COLS = 10, RUNS = 400000 };
  static const struct {
    guint variant;
    double least, most;
  } cases[] = { { 0, 0.8, 1 }, { 1, 1.6, 1.75 }, { 3, 3.5, G_MAXDOUBLE } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const Variant *variant = &variants[cases[i].variant];
    const Reference reference = { variant, 1, 1, 1 };
    g_autofree char *assignments = g_strdup_printf ("variant=%s", variant->name);
    float first[COLS], second[COLS];
    g_autofree float *outputs = NULL;
    double largest = 0;

    propose ("sparse-vector", assignments, COLS, 0, first, second);
    outputs = run ("sparse-vector", assignments, second, COLS, RUNS);
    for (gsize place = 0; place <= COLS; place++) {
      float symbols[COLS];
      double p, q;

      for (gsize j = 0; j < COLS; j++)
        symbols[j] = variant->has_cutoff ? (j < place ? 0 : j == place ? 1 : -1) : j < place;
      p = probability (&reference, first, symbols, COLS);
      q = probability (&reference, second, symbols, COLS);
      assert_near (share_of (outputs, symbols, COLS, RUNS), q, slack (q, RUNS) + 1e-6, "%s: %zu",
                   assignments, place);
      largest = MAX (largest, fabs (log (p / q)));
    }
    cr_assert (largest >= cases[i].least && largest <= cases[i].most + 1e-6, "%s: %g", assignments,
               largest);
  }
}

/* ---- Noisy max ---- */

/* Two queries @gap apart, b = 2 / 0.6: the difference of two Laplace variables is above g > 0 with
 * probability exp (-g / b) (1 + g / (2 b)) / 2, of two exponential ones with exp (-g / b) / 2. */
Test (broken_mechanisms, noisy_max_index_of_two_queries)
{
  enum { RUNS = 400000 };
  static const char *const noises[] = { "laplace", "exponential" };
  static const float second = 1;
  const double b = 2 / 0.6;

  for (gsize i = 0; i < 2; i++)
    for (gint gap = 0; gap <= 3; gap++) {
      const float answers[2] = { 1 + (float) gap, 1 };
      const double p = exp (-gap / b) / 2 * (i == 0 ? 1 + gap / (2 * b) : 1);
      g_autofree char *assignments = g_strdup_printf ("epsilon=0.6 noise=%s", noises[i]);
      g_autofree float *outputs = run ("noisy-max", assignments, answers, 2, RUNS);

      assert_near (share_of (outputs, &second, 1, RUNS), p, slack (p, RUNS), "%s, gap %d",
                   noises[i], gap);
    }
}

/* P (max <= t) is the product of the distribution functions. */
static double
largest_laplace_cdf (double t)
{
  return laplace_cdf (t - 1, 2) * laplace_cdf (t + 1, 2) * laplace_cdf (t - 2.5, 2);
}

static double
largest_exponential_cdf (double t)
{
  return t <= 2.5 ? 0 : expm1 ((1 - t) / 2) * expm1 (-(t + 1) / 2) * -expm1 ((2.5 - t) / 2);
}

Test (broken_mechanisms, noisy_max_values_have_their_distribution)
{
  enum { RUNS = 100000 };
  static const float answers[3] = { 1, -1, 2.5f };
  static const char *const cases[] = { "releases=value", "releases=value noise=exponential" };

  for (gsize i = 0; i < 2; i++) {
    g_autofree float *outputs = run ("noisy-max", cases[i], answers, 3, RUNS);
    g_autofree double *values = g_new (double, RUNS);
    double distance;

    for (gsize r = 0; r < RUNS; r++)
      values[r] = outputs[r];
    distance
        = sample_ks_distance (values, RUNS, i == 0 ? largest_laplace_cdf : largest_exponential_cdf);
    cr_assert (distance <= sample_ks_bound (RUNS, 1e-9), "%s: %g", cases[i], distance);
  }
}

static double
share_up_to (const float *outputs, gsize n, float limit)
{
  gsize count = 0;

  for (gsize i = 0; i < n; i++)
    count += outputs[i] <= limit;
  return (double) count / (double) n;
}

/* Pair 0, n = 5 answers that all rise by 1. Laplace: with F (x) = exp (x / 2) / 2 below 0,
 * P (max <= 1) is 2^-5 and 2^-5 exp (-5 / 2): epsilon is 5 / 2 at least. Exponential: a maximum of
 * at most 2 comes with (1 - exp (-1 / 2))^5, and then never. */
Test (broken_mechanisms, noisy_max_values_are_not_private)
{
  enum { COLS = 5, RUNS = 400000 };
  float first[COLS], second[COLS];
  g_autofree float *a = NULL;
  g_autofree float *b = NULL;
  double p, q, seen_p, seen_q;

  propose ("noisy-max", "releases=value", COLS, 0, first, second);
  a = run ("noisy-max", "releases=value", first, COLS, RUNS);
  b = run ("noisy-max", "releases=value", second, COLS, RUNS);
  p = pow (0.5, 5);
  q = p * exp (-2.5);
  seen_p = share_up_to (a, RUNS, 1);
  seen_q = share_up_to (b, RUNS, 1);
  assert_near (seen_p, p, slack (p, RUNS), "first");
  assert_near (seen_q, q, slack (q, RUNS), "second");
  cr_assert (log ((seen_p - slack (p, RUNS)) / (seen_q + slack (q, RUNS))) > 2);

  g_clear_pointer (&a, g_free);
  g_clear_pointer (&b, g_free);
  a = run ("noisy-max", "releases=value noise=exponential", first, COLS, RUNS);
  b = run ("noisy-max", "releases=value noise=exponential", second, COLS, RUNS);
  p = pow (-expm1 (-0.5), 5);
  assert_near (share_up_to (a, RUNS, 2), p, slack (p, RUNS), "first");
  cr_assert (share_up_to (b, RUNS, 1.999999f) == 0);
}

/* Of the right ones no output of any pair tells more than epsilon. */
Test (broken_mechanisms, noisy_max_indices_are_private)
{
  enum { COLS = 5, RUNS = 200000 };
  static const char *const cases[] = { "", "noise=exponential" };
  gsize n_apart = 0;

  for (gsize i = 0; i < 2; i++)
    for (guint pair = 0; pair < QUERY_CATEGORIES; pair++) {
      float first[COLS], second[COLS];
      g_autofree float *a = NULL;
      g_autofree float *b = NULL;

      propose ("noisy-max", cases[i], COLS, pair, first, second);
      a = run ("noisy-max", cases[i], first, COLS, RUNS);
      b = run ("noisy-max", cases[i], second, COLS, RUNS);
      for (gsize j = 0; j < COLS; j++) {
        const float index = (float) j;
        const double p = share_of (a, &index, 1, RUNS), q = share_of (b, &index, 1, RUNS);
        const double loose = slack (p, RUNS) + M_E * slack (q, RUNS);

        cr_assert (p <= M_E * q + loose && q <= M_E * p + loose, "%s, pair %u: %g, %g", cases[i],
                   pair, p, q);
        n_apart += fabs (p - q) > loose;
      }
    }
  cr_assert (n_apart > 20, "%zu", n_apart); /* and they do tell something */
}

/* ---- Claims ---- */

/* Known to be broken or not, what is claimed is the setting. */
Test (broken_mechanisms, all_claim_epsilon)
{
  static const char *const cases[][2] = {
    { "sparse-vector", "epsilon=0.3" },
    { "sparse-vector", "epsilon=0.3 variant=no-query-noise" },
    { "noisy-max", "epsilon=0.3 releases=value" },
    { "noisy-histogram", "epsilon=0.3 noise=inverted" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const AssayDefense *defense = defense_of (cases[i][0]);
    g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, cases[i][1]);
    const AssayBudget budget = defense->mechanism->budget (settings->values, 4);

    cr_assert (budget.epsilon == 0.3 && budget.delta == 0 && defense->claim != NULL, "%s",
               defense->id);
  }
}

/* Rows of a query mechanism are released one by one as `run` gives them. (That values which are not
 * finite are refused before is a test of all defenses, in test-plugins.c.) */
Test (broken_mechanisms, protect_runs_on_each_row)
{
  static const char *const ids[] = { "sparse-vector", "noisy-max" };
  g_autoptr (AssayMatrix) secrets = fixture_normal (6, 4, 1);

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++) {
    const AssayDefense *defense = defense_of (ids[i]);
    g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, "");
    const AssayStreamKey key = assay_stream_key (7, 0, "defense", "");
    const AssayDefenseContext context
        = { .settings = settings->values, .stream = key, .mechanism = defense->mechanism };
    g_autoptr (AssayRelease) release = assay_release_new (defense->produces, defense->id);
    g_autoptr (AssayTruth) truth = assay_truth_new ();
    AssayView vectors;

    cr_assert (defense->protect (&context, assay_matrix_view (secrets), release, truth, NULL));
    vectors = assay_array_view (assay_arrays_get (&release->arrays, "vectors"));
    cr_assert (vectors.rows == 6 && vectors.cols == (i == 0 ? 4 : 1));
    for (gsize r = 0; r < 6; r++) {
      AssayStream stream = assay_stream (key, r);
      float expected[4];

      defense->mechanism->run (settings->values, 4, &stream, assay_matrix_row (secrets, r), 1,
                               expected);
      cr_assert (memcmp (expected, assay_view_row (vectors, r), vectors.cols * sizeof (float))
                 == 0);
    }
  }
}
