/* Perturbed gradients of a party (ra12): the density against quadrature and against the runs
 * themselves, suprema in closed form, messages against the rule written out, and refusals. */
#include "defenses/mechanisms/repeated-noise.h"
#include "tests/unit/mechanism-case.h"
#include "tests/unit/seeds.h"

/* ---- The density ---- */

/* By Simpson's rule, which needs no sorting and no tails. */
static double
naive_log_density (double deviation, double scale, const double *numbers, gsize n)
{
  const gsize parts = 400000;
  const double from = -12 * deviation, width = 24 * deviation / (double) parts;
  double sum = 0;

  for (gsize i = 0; i <= parts; i++) {
    const double b = from + width * (double) i;
    const double weight = i == 0 || i == parts ? 1 : i % 2 == 1 ? 4 : 2;
    double value = exp (-b * b / (2 * deviation * deviation)) / (deviation * sqrt (2 * G_PI));

    for (gsize t = 0; t < n; t++)
      value *= exp (-fabs (numbers[t] - b) / scale) / (2 * scale);
    sum += weight * value;
  }
  return log (sum * width / 3);
}

Test (ra12, density_is_the_integral)
{
  static const double numbers[] = { 0.3, -2.5, 4, 4, -0.01, 7, -11 };
  static const RepeatedNoise noises[] = { { 1, 1 }, { 3, 0.5 }, { 0.4, 2 } };

  for (gsize k = 0; k < G_N_ELEMENTS (noises); k++)
    for (gsize n = 1; n <= G_N_ELEMENTS (numbers); n++) {
      double copy[G_N_ELEMENTS (numbers)];

      memcpy (copy, numbers, sizeof copy);
      assert_near (repeated_noise_log_density (&noises[k], copy, n),
                   naive_log_density (noises[k].deviation, noises[k].scale, numbers, n), 1e-6,
                   "noise %zu of %zu numbers", k, n);
    }
}

/* Far out, where no shape of an interval is left: n Laplace factors, and b drawn along. */
Test (ra12, density_in_the_tail)
{
  const RepeatedNoise both = { 2, 0.5 }, laplace = { 0, 0.5 };
  double near_numbers[] = { 1000, 1000, 1000 }, far_numbers[] = { 1001, 1001, 1001 };
  double sum[] = { -1, 2, 0.5 };
  const double step = repeated_noise_log_density (&both, near_numbers, 3)
                      - repeated_noise_log_density (&both, far_numbers, 3);

  assert_near (step, 3 / 0.5, 1e-9, "three numbers one further out");
  assert_near (repeated_noise_log_density (&laplace, sum, 3), -3.5 / 0.5 - 3 * log (1), 1e-12,
               "without a Gaussian");
}

/* ---- Suprema ---- */

/* The log-ratio of pair 0 beyond all that is likely, of every message. */
static double
supremum_of (const char *assignments, gsize cols)
{
  g_auto (Case) c = case_of ("ra12", assignments, cols);
  g_autofree float *first = g_new (float, c.n_inputs), *second = g_new (float, c.n_inputs);
  g_autofree float *output = g_new (float, c.n_outputs);

  case_pair (&c, 0, first, second);
  for (gsize i = 0; i < c.n_outputs; i++)
    output[i] = -1e5F;
  return case_log_ratio (&c, first, second, output);
}

/* |Delta|_1 epsilon / 2 a step, with |Delta|_1 = 2 sqrt (d): q against -q. */
Test (ra12, suprema)
{
  static const struct {
    const char *assignments;
    gsize cols;
    double expected;
  } cases[] = { { "epsilon=1 records=10", 1, 1 },
                { "epsilon=1 records=10", 2, 1.41421356 },
                { "epsilon=1 records=10 noise=gradient", 8, 2.82842712 },
                { "epsilon=0.2 records=10", 512, 4.5254834 },
                { "epsilon=0.5 records=10 steps=3 rate=1e-9", 8, 4.24264069 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_near (supremum_of (cases[i].assignments, cases[i].cols), cases[i].expected,
                 1e-5 * cases[i].expected, "case %zu", i);
}

/* ---- Runs ---- */

/* With next to no noise, and 1,000 rows h p but for one, w grows by rate h along p in each step
 * until h p has a margin above 1, half way: g is -h p, then 0. All 10 steps of either input, of
 * rate 0.81 and so with h = sqrt (2 / 8.1); p is (1, -1, 1, -1) / 2. */
Test (ra12, messages_follow_the_rule)
{
  g_auto (Case) c = case_of ("ra12", "epsilon=60 delta=0.9 penalty=0 steps=10 rate=0.81", 4);
  g_autofree float *inputs = g_new (float, 2 * c.n_inputs);

  case_pair (&c, 1, inputs, inputs + c.n_inputs);
  for (guint side = 0; side < 2; side++) {
    g_autofree float *sent = case_run (&c, "messages", inputs + side * c.n_inputs, 1);

    for (gsize t = 0; t < 10; t++)
      for (gsize j = 0; j < 4; j++) {
        const double along = t < 5 ? -0.248452 : 0;

        assert_near ((double) sent[t * 4 + j], j % 2 == 0 ? along : -along, 2.5e-3,
                     "side %u, step %zu, column %zu", side, t, j);
      }
  }
}

/* Longer rows are as those of length 1; the penalty pulls w back: rows (3, 4) become (.6, .8). */
Test (ra12, shortens_rows_and_penalises)
{
  static const float input[] = { 3, 4, 3, 4 };
  g_auto (Case) c
      = case_of ("ra12", "epsilon=60 delta=0.9 penalty=0.5 records=2 steps=2 rate=0.1", 2);
  double means[4] = { 0 };
  g_autofree float *sent = case_run (&c, "short", input, 40000);

  for (gsize i = 0; i < 40000; i++)
    for (gsize j = 0; j < 4; j++)
      means[j] += (double) sent[i * 4 + j] / 40000;
  /* w_2 = .1 (.6, .8), of which half is added to the gradient; noise has a deviation of .02. */
  assert_near (means[0], -0.6, 1e-3, "step 1");
  assert_near (means[1], -0.8, 1e-3, "step 1");
  assert_near (means[2], -0.6 + 0.5 * 0.06, 1e-3, "step 2");
  assert_near (means[3], -0.8 + 0.5 * 0.08, 1e-3, "step 2");
}

/* n g - n g0 of two steps: variance sigma^2 + 2 s^2 each, and sigma^2 in common. */
Test (ra12, noise_once_and_in_each_step)
{
  static const float input[] = { 0, 0 };
  const gsize runs = 100000;
  g_auto (Case) c = case_of ("ra12", "epsilon=2 delta=0.05 penalty=0 records=2 steps=2", 1);
  g_autofree float *sent = case_run (&c, "noise", input, runs);
  const double sigma2 = 2 * log (25), s2 = 1;
  double squares[2] = { 0, 0 }, product = 0;

  for (gsize i = 0; i < runs; i++) {
    const double a = 2 * (double) sent[2 * i], b = 2 * (double) sent[2 * i + 1];

    squares[0] += a * a / (double) runs;
    squares[1] += b * b / (double) runs;
    product += a * b / (double) runs;
  }
  for (gsize t = 0; t < 2; t++)
    assert_near (squares[t], sigma2 + 2 * s2, 0.25, "step %zu", t);
  assert_near (product, sigma2, 0.25, "in common");
}

/* The mean of exp (log-ratio) over runs on the second input is 1, whatever the pair: it is not as
 * soon as density and runs disagree. */
Test (ra12, density_is_that_of_the_runs)
{
  static const char *const cases[]
      = { "epsilon=0.7 records=3 steps=4 rate=3 penalty=0.1",
          "epsilon=0.7 records=3 steps=4 rate=3 penalty=0.1 noise=gradient" };
  const gsize runs = test_is_brief () ? 20000 : test_seeds (1) > 1 ? 200000 : 60000;

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++)
    for (guint index = 0; index < 3; index++) {
      g_auto (Case) c = case_of ("ra12", cases[k], 2);
      g_autofree float *first = g_new (float, c.n_inputs), *second = g_new (float, c.n_inputs);
      g_autofree float *outputs = NULL;
      double mean = 0, square = 0;

      case_pair (&c, index, first, second);
      outputs = case_run (&c, "ratio", second, runs);
      for (gsize i = 0; i < runs; i++) {
        const double ratio = exp (case_log_ratio (&c, first, second, outputs + i * c.n_outputs));

        mean += ratio / (double) runs;
        square += ratio * ratio / (double) runs;
      }
      cr_assert (square > 1.001, "%s, pair %u: nothing to see", cases[k], index);
      assert_near (mean, 1, 5 * sqrt (square / (double) runs), "%s, pair %u", cases[k], index);
    }
}

/* ---- The defense ---- */

Test (ra12, budgets)
{
  g_auto (Case) steps = case_of ("ra12", "epsilon=0.5 delta=0.01 steps=4", 2);
  g_auto (Case) whole = case_of ("ra12", "epsilon=0.5 delta=0.01 steps=4 accounting=run", 2);
  const AssayBudget added = steps.mechanism->budget (steps.settings->values, 2);
  const AssayBudget once = whole.mechanism->budget (whole.settings->values, 2);

  cr_assert (added.epsilon == 2 && added.delta == 0.04 && once.epsilon == 0.5
             && once.delta == 0.01);
}

Test (ra12, refuses_to_claim_nothing)
{
  g_auto (Case) c = case_of ("ra12", "delta=0.05 steps=20", 2);
  const AssayShape shape = { .cols = 2 };
  g_autoptr (GError) error = NULL;

  cr_assert (!c.defense->check (c.settings->values, &shape, &error));
  cr_assert_str_eq (error->message, "accounting = steps: 20 steps of delta = 0.05 claim nothing; "
                                    "expected less than 1 in all");
}

/* All secrets are rows of the party: with next to no noise, half of the mean of six rows. */
Test (ra12, releases_messages)
{
  static const float rows[] = { 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1 };
  g_auto (Case) c = case_of ("ra12", "epsilon=60 delta=0.9 steps=3 rate=1e-9", 2);
  const AssayDefenseContext context
      = { .settings = c.settings->values, .stream = assay_stream_key (8, 0, "defense", "") };
  g_autoptr (AssayRelease) release = assay_release_new (c.defense->produces, "ra12");
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (GError) error = NULL;
  const AssayArray *sent;

  cr_assert (c.defense->protect (&context, (AssayView){ 6, 2, 2, rows }, release, truth, &error));
  cr_assert (assay_release_check (release, &error), "%s", error != NULL ? error->message : "");
  sent = assay_arrays_get (&release->arrays, "statistics");
  cr_assert (sent->shape[0] == 1 && sent->shape[1] == 6);
  for (gsize i = 0; i < 6; i++)
    assert_near ((double) assay_array_view (sent).data[i], -0.5, 0.12, "number %zu", i);
}
