/* Laplace and Gaussian noise: distributions, ratios, calibration by numeric integration; and what
 * all mechanisms promise as defenses. */
#include "tests/unit/mechanism-case.h"

enum { N = 200000 };

/* ---- Laplace ---- */

static double
laplace_cdf (double x)
{
  return x < 0 ? exp (x) / 2 : 1 - exp (-x) / 2;
}

static void
check_noise (const Case *c, const float *input, double scale, double (*cdf) (double x))
{
  g_autofree float *outputs = case_run (c, "noise", input, N);
  g_autofree double *column = g_new (double, N);

  for (gsize j = 0; j < c->cols; j++) {
    double distance;

    for (gsize i = 0; i < N; i++)
      column[i] = ((double) outputs[i * c->cols + j] - input[j]) / scale;
    distance = sample_ks_distance (column, N, cdf);
    cr_assert (distance < sample_ks_bound (N, ALPHA), "%s, column %zu: %g from its distribution",
               c->name, j, distance);
  }
}

Test (mechanisms, laplace_noise)
{
  static const float origin[] = { 0 }, row[] = { -1, 0.5f, 3 };
  g_auto (Case) plain = case_of ("laplace", "", 1);
  g_auto (Case) scaled = case_of ("laplace", "epsilon=0.5 sensitivity=3", 3);

  check_noise (&plain, origin, 1, laplace_cdf);
  check_noise (&scaled, row, 6, laplace_cdf);
}

/* Against the difference of distances, on rows that differ in every column. */
Test (mechanisms, laplace_ratio)
{
  g_auto (Case) c = case_of ("laplace", "epsilon=2 sensitivity=3", 3);
  const double scale = 1.5;

  for (guint index = 1; index <= 50; index++) {
    g_autofree float *outputs = NULL;
    float first[3], second[3];

    case_pair (&c, index, first, second);
    outputs = case_run (&c, "ratio", first, 200);
    for (gsize i = 0; i < 200; i++) {
      const float *y = outputs + i * 3;
      double expected = 0, found = case_log_ratio (&c, first, second, y);

      for (gsize j = 0; j < 3; j++)
        expected += (fabs ((double) y[j] - second[j]) - fabs ((double) y[j] - first[j])) / scale;
      assert_near (found, expected, 1e-13 * 50, "pair %u", index); /* of numbers below 50 */
      cr_assert (fabs (found) <= 2 + 1e-12, "pair %u: %g", index, found);
    }
  }
}

/* Half of the runs on either input lie beyond it and give one number, to the last bit. */
Test (mechanisms, laplace_ratio_saturates)
{
  static const char *const cases[]
      = { "", "epsilon=0.3 sensitivity=0.1", "epsilon=7 sensitivity=123.456" };
  static const float far[] = { 1e-30f, 1e-12f, 3e-9f, 1e10f, 3e38f };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Case) c = case_of ("laplace", cases[i], 1);
    const double epsilon = c.mechanism->budget (c.settings->values, 1).epsilon;
    float first, second;
    g_autofree float *outputs = NULL;
    double top;
    gsize at_top = 0;

    case_pair (&c, 0, &first, &second);
    top = case_log_ratio (&c, &first, &second, &first);
    /* Rare outputs, in which a difference of absolute values would lose digits. */
    for (gsize r = 0; r < G_N_ELEMENTS (far); r++) {
      const float beyond_first = first + far[r], beyond_second = second - far[r];

      cr_assert (case_log_ratio (&c, &first, &second, &beyond_first) == top
                     && case_log_ratio (&c, &first, &second, &beyond_second) == -top,
                 "%s: %g beyond", c.name, (double) far[r]);
    }
    outputs = case_run (&c, "atom", &first, N);
    cr_assert (top <= epsilon, "%s: %.17g", c.name, top);
    assert_near (top, epsilon, 2e-7 * epsilon, "%s: float32 below the sensitivity", c.name);
    cr_assert (case_log_ratio (&c, &first, &second, &second) == -top, "%s", c.name);
    for (gsize r = 0; r < N; r++) {
      const double ratio = case_log_ratio (&c, &first, &second, outputs + r);

      cr_assert ((outputs[r] >= first) == (ratio == top), "%s: %.9g gives %.17g", c.name,
                 (double) outputs[r], ratio);
      cr_assert ((outputs[r] <= second) == (ratio == -top), "%s: %.9g gives %.17g", c.name,
                 (double) outputs[r], ratio);
      at_top += ratio == top;
    }
    assert_share (at_top, N, 0.5, c.name, "runs beyond the first input");
  }
}

Test (mechanisms, laplace_tight_event)
{
  g_auto (Case) c = case_of ("laplace", "epsilon=1.5", 2);
  float inputs[2][2];
  double p[2];

  case_pair (&c, 0, inputs[0], inputs[1]);
  cr_assert (inputs[0][0] == 1 && inputs[1][0] == 0 && inputs[0][1] == 0 && inputs[1][1] == 0);
  c.mechanism->tight_event (c.settings->values, 2, 1.5, &p[0], &p[1]);
  assert_near (log (p[0] / p[1]), 1.5, 1e-12, "tight");
  for (guint side = 0; side < 2; side++) {
    g_autofree float *outputs = case_run (&c, side == 0 ? "first" : "second", inputs[side], N);
    gsize hits = 0;

    for (gsize i = 0; i < N; i++)
      hits += outputs[2 * i] >= 1;
    assert_share (hits, N, p[side], c.name, "column 0 at least 1");
  }
}

/* ---- Gaussian ---- */

/* From the slope of the ratio in the output, s / sigma^2. */
static double
sigma_of (const Case *c, double sensitivity)
{
  const float first = (float) sensitivity, second = 0, at[] = { 0, 1 };
  const double slope
      = case_log_ratio (c, &first, &second, &at[1]) - case_log_ratio (c, &first, &second, &at[0]);

  return sqrt ((double) first / slope);
}

static double
density (double z)
{
  return exp (-z * z / 2) / sqrt (2 * G_PI);
}

/* The integral of max (0, p (y) - exp (epsilon) p' (y)) over y / sigma, for inputs m apart:
 * Simpson's rule from where the integrand begins. The error, h^4 / 180 * width * 4th derivative, is
 * below 1e-9 of the integral at 20000 steps. */
static double
integrated_delta (double m, double epsilon)
{
  enum { STEPS = 20000 };
  const double start = epsilon / m + m / 2, width = MAX (start, m) + 12 - start + m;
  const double h = width / STEPS;
  double sum = 0;

  for (gsize i = 0; i <= STEPS; i++) {
    const double y = start + (double) i * h;
    const double value = density (y - m) - exp (epsilon) * density (y);

    sum += value * (i == 0 || i == STEPS ? 1 : i % 2 == 1 ? 4 : 2);
  }
  return sum * h / 3;
}

Test (mechanisms, gaussian_calibration_by_integration)
{
  static const double epsilons[] = { 1e-4, 0.01, 0.3, 1, 4, 20, 60 };
  static const double deltas[] = { 1e-12, 1e-5, 0.01, 0.5, 0.999 };
  static const double sensitivities[] = { 1, 0.25, 1024 };

  for (gsize i = 0; i < G_N_ELEMENTS (epsilons); i++)
    for (gsize j = 0; j < G_N_ELEMENTS (deltas); j++) {
      const double s = sensitivities[(i + j) % 3];
      g_autofree char *assignments
          = g_strdup_printf ("epsilon=%g delta=%g sensitivity=%g", epsilons[i], deltas[j], s);
      g_auto (Case) c = case_of ("gaussian", assignments, 1);
      const double m = s / sigma_of (&c, s);

      assert_near (integrated_delta (m, epsilons[i]), deltas[j], 1e-6 * deltas[j], "%s", c.name);
    }
}

/* sigma of the analytic calibration from its definition, by bisection in another language with erfc
 * (Python's math). */
Test (mechanisms, gaussian_calibration_has_known_values)
{
  static const struct {
    const char *assignments;
    double sigma;
  } cases[] = {
    { "epsilon=1 delta=1e-5", 3.730631634815947 },
    { "epsilon=0.1 delta=1e-5", 30.749566131977883 },
    { "epsilon=8 delta=1e-6", 0.6529353843582159 },
    { "calibration=classical epsilon=0.5 delta=1e-5",
      9.68961052521 }, /* sqrt (2 ln 125000) / 0.5 */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Case) c = case_of ("gaussian", cases[i].assignments, 1);

    assert_near (sigma_of (&c, 1), cases[i].sigma, 1e-10 * cases[i].sigma, "%s", c.name);
  }
}

/* The classical bound has less delta than it claims. */
Test (mechanisms, gaussian_classical_is_conservative)
{
  for (double epsilon = 0.1; epsilon < 1.05; epsilon += 0.3) {
    g_autofree char *assignments = g_strdup_printf ("calibration=classical epsilon=%g", epsilon);
    g_auto (Case) c = case_of ("gaussian", assignments, 1);

    cr_assert (integrated_delta (1 / sigma_of (&c, 1), epsilon) < 1e-5 / 2, "%s", c.name);
  }
}

Test (mechanisms, gaussian_noise)
{
  static const float row[] = { -1, 0.5f, 3 };
  g_auto (Case) c = case_of ("gaussian", "delta=0.01 sensitivity=2", 3);
  g_auto (Case) scalar = case_of ("gaussian", "delta=0.01 sensitivity=2", 1);

  check_noise (&c, row, sigma_of (&scalar, 2), sample_normal_cdf);
}

/* Against the logarithms of the two densities. */
Test (mechanisms, gaussian_ratio)
{
  g_auto (Case) c = case_of ("gaussian", "delta=0.01 sensitivity=2", 3);
  g_auto (Case) scalar = case_of ("gaussian", "delta=0.01 sensitivity=2", 1);
  const double sigma = sigma_of (&scalar, 2);

  for (guint index = 0; index <= 50; index++) {
    g_autofree float *outputs = NULL;
    float first[3], second[3];

    case_pair (&c, index, first, second);
    outputs = case_run (&c, "ratio", first, 200);
    for (gsize i = 0; i < 200; i++) {
      double expected = 0;

      for (gsize j = 0; j < 3; j++)
        expected += log (density (((double) outputs[i * 3 + j] - first[j]) / sigma))
                    - log (density (((double) outputs[i * 3 + j] - second[j]) / sigma));
      assert_near (case_log_ratio (&c, first, second, outputs + i * 3), expected, 1e-12, "pair %u",
                   index);
    }
  }
}

/* (P[y >= t | first] - delta) / P[y >= t | second] at its best over thresholds t, from sigma. */
static double
best_ratio (double m, double delta)
{
  double best = 0;

  for (double t = -5; t < 10; t += 1e-3)
    best = MAX (best, (sample_normal_cdf (m - t) - delta) / sample_normal_cdf (-t));
  return best;
}

Test (mechanisms, gaussian_tight_event)
{
  static const char *const cases[]
      = { "epsilon=1 delta=0.05", "epsilon=2.5 delta=0.01 sensitivity=4",
          "epsilon=1 delta=0.001 calibration=classical" };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Case) c = case_of ("gaussian", cases[i], 1);
    const AssayBudget budget = c.mechanism->budget (c.settings->values, 1);
    float inputs[2];
    double sigma, epsilon, threshold, p[2];

    case_pair (&c, 0, &inputs[0], &inputs[1]);
    sigma = sigma_of (&c, (double) inputs[0]);
    c.mechanism->tight_event (c.settings->values, 1, budget.epsilon, &p[0], &p[1]);
    epsilon = log ((p[0] - budget.delta) / p[1]);
    assert_near (epsilon, log (best_ratio ((double) inputs[0] / sigma, budget.delta)), 1e-5,
                 "%s: no threshold shows more", c.name);
    if (i < 2)
      assert_near (epsilon, budget.epsilon, 1e-9, "%s", c.name);
    else
      cr_assert (epsilon < 0.8 * budget.epsilon, "%s: %g", c.name, epsilon);
    threshold = epsilon * sigma * sigma / (double) inputs[0] + (double) inputs[0] / 2;
    for (guint side = 0; side < 2; side++) {
      g_autofree float *outputs = case_run (&c, side == 0 ? "first" : "second", &inputs[side], N);
      gsize hits = 0;

      for (gsize r = 0; r < N; r++)
        hits += (double) outputs[r] >= threshold;
      assert_share (hits, N, p[side], c.name, side == 0 ? "first" : "second");
    }
  }
}

/* ---- Neighbours of both ---- */

/* Never further apart than the sensitivity, and as far as float32 can say. */
Test (mechanisms, neighbours_of_rows_of_reals)
{
  static const char *const ids[] = { "laplace", "gaussian" };
  static const char *const sensitivities[] = { "1", "0.1", "0.7", "1000000.1" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (sensitivities); k++)
      for (guint index = 0; index < 300; index++) {
        g_autofree char *assignments = g_strdup_printf ("sensitivity=%s", sensitivities[k]);
        const double s = g_ascii_strtod (sensitivities[k], NULL);
        const gsize cols = 1 + index % 7;
        g_auto (Case) c = case_of (ids[i], assignments, cols);
        float first[7], second[7];
        double l1 = 0, l2 = 0, length;

        case_pair (&c, index, first, second);
        for (gsize j = 0; j < cols; j++) {
          l1 += fabs ((double) first[j] - second[j]);
          l2 += ((double) first[j] - second[j]) * ((double) first[j] - second[j]);
        }
        length = i == 0 ? l1 : sqrt (l2);
        cr_assert (length <= s && length >= s * (1 - 3e-7), "%s, pair %u: %.9g apart", c.name,
                   index, length);
      }
}

/* ---- As defenses ---- */

static AssayStreamKey
defense_key (void)
{
  return assay_stream_key (41, 0, "defense", "test-mechanisms");
}

static AssayRelease *
protect (const Case *c, const AssayMatrix *secrets, GError **error)
{
  AssayRelease *release = NULL;
  AssayTruth *truth = NULL;

  if (fixture_protect (c->defense, c->settings, defense_key (), assay_matrix_view (secrets), NULL,
                       &release, &truth, error))
    assay_truth_free (truth);
  return release;
}

/* What is released is what is audited: row i is one run on the stream of item i. */
Test (mechanisms, a_release_is_a_run_for_each_row)
{
  static const struct {
    const char *id, *assignments;
    gsize cols;
  } cases[] = { { "randomised-response", "", 3 },
                { "laplace", "", 3 },
                { "gaussian", "", 3 },
                { "unary-encoding", "values=2", 1 },
                { "omega-subset", "", 1 },
                { "omega-subset", "members=30 dictionary=40", 1 } };

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_auto (Case) c = case_of (cases[k].id, cases[k].assignments, cases[k].cols);
    g_autoptr (AssayMatrix) secrets = assay_matrix_new (20, c.cols, NULL);
    g_autofree float *output = g_new (float, c.n_outputs);
    g_autoptr (AssayRelease) release = NULL;
    g_autoptr (GError) error = NULL;
    gboolean is_sets;

    for (gsize i = 0; i < 20 * c.cols; i++)
      secrets->data[i] = (float) (i * i % 7 & 1);
    release = protect (&c, secrets, &error);
    cr_assert (release != NULL, "%s: %s", c.name, error != NULL ? error->message : "");
    is_sets = release->kind == ASSAY_RELEASE_VECTOR_SETS;
    for (gsize i = 0; i < 20; i++) {
      AssayStream stream = assay_stream (defense_key (), i);

      c.mechanism->run (c.settings->values, c.cols, &stream, assay_matrix_row (secrets, i), 1,
                        output);
      for (gsize j = 0; j < c.n_outputs; j++) {
        const AssayArray *array = assay_arrays_get (&release->arrays, is_sets ? "sets" : "vectors");
        const double found = is_sets ? (double) assay_array_int64 (array)[i * c.n_outputs + j]
                                     : (double) assay_view_row (assay_array_view (array), i)[j];

        cr_assert (found == (double) output[j], "%s: row %zu, column %zu", c.name, i, j);
      }
    }
    if (is_sets) {
      const AssayView dictionary
          = assay_array_view (assay_arrays_get (&release->arrays, "dictionary"));

      cr_assert (dictionary.cols == 1 && dictionary.rows == (k == 5 ? 40 : 200));
      for (gsize i = 0; i < dictionary.rows; i++)
        cr_assert (dictionary.data[i] == (float) i);
    }
  }
}

Test (mechanisms, secrets_that_do_not_fit)
{
  static const struct {
    const char *id, *assignments;
    gsize cols;
    float value; /* of secret 3 in the last column; all others are 0 */
    const char *message;
  } cases[] = {
    { "randomised-response", "", 2, 2,
      "secrets are bits: secret 3, column 1 is 2; expected a whole number from 0 to 1" },
    { "randomised-response", "", 1, 0.5f,
      "secrets are bits: secret 3, column 0 is 0.5; expected a whole number from 0 to 1" },
    { "omega-subset", "", 1, 200,
      "secret 3, column 0 is 200; expected a whole number from 0 to 199" },
    { "omega-subset", "", 1, -1,
      "secret 3, column 0 is -1; expected a whole number from 0 to 199" },
    { "omega-subset", "", 1, 1.5f,
      "secret 3, column 0 is 1.5; expected a whole number from 0 to 199" },
    { "omega-subset", "", 2, 0,
      "secrets have 2 columns; expected one, a whole number from 0 to 199" },
    { "unary-encoding", "", 1, 10,
      "secret 3, column 0 is 10; expected a whole number from 0 to 9" },
    { "unary-encoding", "", 3, 0,
      "secrets have 3 columns; expected one, a whole number from 0 to 9" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Case) c = case_of (cases[i].id, cases[i].assignments, cases[i].cols);
    g_autoptr (AssayMatrix) secrets = assay_matrix_new (5, c.cols, NULL);
    g_autofree char *expected = g_strdup_printf ("defense %s: %s", cases[i].id, cases[i].message);
    g_autofree char *why = NULL;
    GError *error = NULL;

    assay_matrix_row (secrets, 3)[c.cols - 1] = cases[i].value;
    cr_assert (protect (&c, secrets, &error) == NULL, "%s takes %g", c.name,
               (double) cases[i].value);
    cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA, expected, NULL, &why), "%s", why);
  }
}

Test (mechanisms, settings_that_contradict_each_other)
{
  static const struct {
    const char *id, *assignments, *message; /* NULL: none */
  } cases[] = {
    { "omega-subset", "dictionary=8 members=8", "members = 8: expected less than dictionary = 8" },
    { "omega-subset", "dictionary=8 members=7", NULL },
    { "gaussian", "epsilon=1.5 calibration=classical",
      "epsilon = 1.5: expected at most 1, because calibration = classical is proved for that "
      "alone; analytic has no such limit" },
    { "gaussian", "epsilon=1 calibration=classical", NULL },
    { "gaussian", "epsilon=1.5", NULL },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_auto (Case) c = case_of (cases[i].id, cases[i].assignments, 1);
    const AssayShape shape = { .cols = 1 };
    g_autofree char *why = NULL;
    GError *error = NULL;
    const gboolean is_good = c.defense->check (c.settings->values, &shape, &error);

    cr_assert (is_good == (cases[i].message == NULL), "%s", c.name);
    if (!is_good)
      cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER, cases[i].message, NULL, &why),
                 "%s", why);
  }
}

/* Every one says in words and numbers what it claims. */
Test (mechanisms, claims)
{
  static const char *const ids[]
      = { "randomised-response", "laplace", "gaussian", "omega-subset", "unary-encoding" };

  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++) {
    g_auto (Case) c = case_of (ids[i], "epsilon=0.75", 1);
    const AssayBudget budget = c.mechanism->budget (c.settings->values, 4);

    cr_assert (budget.epsilon == 0.75, "%s claims %g", c.name, budget.epsilon);
    cr_assert (budget.delta == (g_str_equal (ids[i], "gaussian") ? 1e-5 : 0), "%s", c.name);
    cr_assert (strstr (c.defense->claim, "differential privacy") != NULL
                   && strlen (c.mechanism->neighbours) > 3 && c.mechanism->n_proposed >= 1
                   && c.mechanism->canaries == NULL,
               "%s", c.name);
  }
}
