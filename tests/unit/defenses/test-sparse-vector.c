/* Sparse vector, right and broken: how often outputs come against closed forms and numeric
 * integrals with the papers' noise, and what that says about epsilon.
 *
 * Shares of n runs are compared within Bernstein's bound at 1e-9 a comparison. */
#include <criterion/criterion.h>
#include <math.h>

#include "tests/unit/assert-near.h"
#include "tests/unit/defenses/query-answers.h"

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
      const double p_below = query_laplace_cdf (reference->threshold + rho - answers[j], scale);
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

/* All 27 rows of three symbols. */
Test (sparse_vector, sparse_vector_has_the_noise_of_the_paper)
{
  enum { COLS = 3, RUNS = 200000 };
  static const float answers[COLS] = { 2, 4, 3 };

  for (gsize v = 0; v < G_N_ELEMENTS (variants); v++)
    for (gsize cutoff = 1; cutoff <= 2; cutoff++) {
      const Reference reference = { &variants[v], 0.8, 3, cutoff };
      g_autofree char *assignments = g_strdup_printf (
          "variant=%s epsilon=0.8 threshold=3 cutoff=%zu", variants[v].name, cutoff);
      g_autofree float *outputs = query_run ("sparse-vector", assignments, answers, COLS, RUNS);
      double total = 0;

      for (gsize k = 0; k < 27; k++) {
        const float symbols[COLS]
            = { (float) (k % 3) - 1, (float) (k / 3 % 3) - 1, (float) (k / 9) - 1 };
        const double p = probability (&reference, answers, symbols, COLS);

        assert_near (query_share (outputs, symbols, COLS, RUNS), p, query_slack (p, RUNS) + 2e-4,
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
Test (sparse_vector, sparse_vector_of_one_query_has_a_closed_form)
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
    g_autofree float *outputs = query_run ("sparse-vector", assignments, &answer, 1, RUNS);

    assert_near (query_share (outputs, &above, 1, RUNS), expected, query_slack (expected, RUNS),
                 "%s", assignments);
  }
}

/* Roth's notes at epsilon = 1 and cutoff 2: two queries of answer 0 that are below T = 1, and a
 * third that is released and is at most t. Over rho with scale 2, of noise with scale 4. */
Test (sparse_vector, sparse_vector_releases_values)
{
  enum { COLS = 4, RUNS = 400000, STEPS = 40000 };
  static const float answers[COLS] = { 0, 0, 1, 9 };
  static const double limits[] = { -2, 0, 1, 3, 50 };
  g_autofree float *outputs
      = query_run ("sparse-vector", "variant=values-released cutoff=2", answers, COLS, RUNS);

  for (gsize i = 0; i < G_N_ELEMENTS (limits); i++) {
    double expected = 0;
    gsize count = 0;

    for (gint s = -STEPS; s <= STEPS; s++) {
      const double rho = s * 1e-3, from = 1 + rho;

      if (from < limits[i])
        expected += exp (-fabs (rho) / 2) / 4 * 1e-3 * pow (query_laplace_cdf (from, 4), 2)
                    * (query_laplace_cdf (limits[i] - 1, 4) - query_laplace_cdf (from - 1, 4));
    }
    for (gsize r = 0; r < RUNS; r++) {
      const float *row = outputs + r * COLS;

      count += row[0] == -1000 && row[1] == -1000 && row[2] > -1000 && (double) row[2] <= limits[i];
    }
    assert_near ((double) count / RUNS, expected, query_slack (expected, RUNS) + 1e-4, "%g",
                 limits[i]);
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
Test (sparse_vector, no_query_noise_makes_outputs_impossible)
{
  enum { COLS = 10, RUNS = 200000 };
  const float half[COLS] = { 1, 1, 1, 1, 1, 0, 0, 0, 0, 0 };
  const double p = (1 - exp (-0.5)) / 2;
  g_autofree float *on_first = NULL;
  g_autofree float *on_second = NULL;
  float first[COLS], second[COLS];

  query_propose ("sparse-vector", "variant=no-query-noise", COLS, 0, first, second);
  on_first = query_run ("sparse-vector", "variant=no-query-noise", first, COLS, RUNS);
  on_second = query_run ("sparse-vector", "variant=no-query-noise", second, COLS, RUNS);
  assert_near (query_share (on_first, half, COLS, RUNS), p, query_slack (p, RUNS), "possible");
  cr_assert (query_share (on_second, half, COLS, RUNS) == 0);
}

/* The largest ln ratio over where the first query above stands, of pair 0, with 10 queries and a
 * cutoff of 1: at most epsilon for the right one; for the unscaled one above it and at most the
 * paper's (1 + 6 c) / 4; without a cutoff from the one row that tells most. */
Test (sparse_vector, sparse_vector_leaks_what_is_said)
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

    query_propose ("sparse-vector", assignments, COLS, 0, first, second);
    outputs = query_run ("sparse-vector", assignments, second, COLS, RUNS);
    for (gsize place = 0; place <= COLS; place++) {
      float symbols[COLS];
      double p, q;

      for (gsize j = 0; j < COLS; j++)
        symbols[j] = variant->has_cutoff ? (j < place ? 0 : j == place ? 1 : -1) : j < place;
      p = probability (&reference, first, symbols, COLS);
      q = probability (&reference, second, symbols, COLS);
      assert_near (query_share (outputs, symbols, COLS, RUNS), q, query_slack (q, RUNS) + 1e-6,
                   "%s: %zu", assignments, place);
      largest = MAX (largest, fabs (log (p / q)));
    }
    cr_assert (largest >= cases[i].least && largest <= cases[i].most + 1e-6, "%s: %g", assignments,
               largest);
  }
}
