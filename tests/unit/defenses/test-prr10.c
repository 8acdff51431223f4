/* Output perturbation of parties' models (prr10): the optimum, the supremum of the log-ratio
 * against closed forms, what runs do, and refusals. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

static const AssayDefense *
prr10 (void)
{
  return (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, "prr10", NULL);
}

static AssayStream
stream_of (guint64 trial)
{
  return assay_stream (assay_stream_key (7, trial, "test-prr10", ""), 0);
}

/* Runs have next to no noise with this. */
#define EXACT " epsilon=60 penalty=1000"

/* The log-ratio of pair @index at @far beyond every column of both means, with the sign of
 * @direction: with noise on coordinates its largest value is the supremum. */
static double
ratio_at (const char *assignments, gsize cols, guint index, double far, gboolean is_constant)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&prr10 ()->plugin, assignments);
  const AssayMechanism *mechanism = prr10 ()->mechanism;
  AssayStream stream = stream_of (index);
  gsize inputs, outputs;
  double score;

  mechanism->size (settings->values, cols, &inputs, &outputs);
  cr_assert (outputs == cols);
  g_autofree float *first = g_new (float, inputs), *second = g_new (float, inputs);
  g_autofree float *output = g_new (float, cols);

  mechanism->pair (settings->values, cols, index, &stream, first, second);
  for (gsize j = 0; j < cols; j++)
    output[j] = (float) (is_constant || j % 2 == 0 ? far : -far);
  mechanism->log_ratio (settings->values, cols, (AssayInputPair){ first, second }, output, 1,
                        &score);
  return score;
}

/* One party of one row z in one column: w solves w = slope (w z) z / lambda; for lambda = 1 and
 * z = +-1 it is +-0.4012 (Newton in Python), so that |Delta| / scale = 0.8025 epsilon / 2. */
Test (prr10, one_row)
{
  assert_near (ratio_at ("epsilon=1 penalty=1 users=1 records=1", 1, 0, 1e6, TRUE),
               0.401058137541547, 1e-5, "one row");
  assert_near (ratio_at ("epsilon=1 penalty=1 users=1 records=1", 1, 0, -1e6, TRUE),
               -0.401058137541547, 1e-5, "the other side");
}

/* 0.6388 is what the worst pair moves the model by, of 2 / (n lambda); the paper's bound is 1. Of
 * noise on coordinates the supremum of pair 0 grows as sqrt (d) / N and passes epsilon; of
 * spherical noise it stays below epsilon / N. */
Test (prr10, suprema)
{
  static const struct {
    const char *assignments;
    gsize cols;
    double expected, most;
  } cases[] = { { "epsilon=1 users=1", 8, 1.807, 2.83 },
                { "epsilon=1 users=5", 8, 0.3614, 0.566 },
                { "epsilon=0.2 users=5", 512, 0.578, 0.906 },
                { "epsilon=1 users=1 noise=spherical", 8, 0.6388, 1 },
                { "epsilon=1 users=5 noise=spherical", 8, 0.1278, 0.2 },
                { "epsilon=0.2 users=5 noise=spherical", 512, 0.02555, 0.04 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double supremum = ratio_at (cases[i].assignments, cases[i].cols, 0, 1e4, TRUE);

    assert_near (supremum, cases[i].expected, 2e-3 * cases[i].expected, "case %zu", i);
    /* No pair that is drawn goes beyond what the norm allows. */
    for (guint index = 1; index < 4; index++)
      cr_assert (fabs (ratio_at (cases[i].assignments, cases[i].cols, index, 1e4, FALSE))
                     <= cases[i].most,
                 "case %zu, pair %u", i, index);
  }
}

/* Lengths of noise: on coordinates the mean of |eta_j| is the scale, 2 / (n epsilon lambda); the
 * length of spherical noise is Gamma (d, scale), d scales on average. */
Test (prr10, noise_has_the_scale)
{
  static const char *const cases[] = { "users=1 records=2 epsilon=1 penalty=1",
                                       "users=1 records=2 epsilon=1 penalty=1 noise=spherical" };
  static const float input[8] = { 0 };
  const gsize runs = 20000, cols = 4;
  g_autofree float *outputs = g_new (float, runs *cols);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AssaySettings) settings = fixture_settings (&prr10 ()->plugin, cases[i]);
    AssayStream stream = stream_of (10 + i);
    double sum = 0;

    prr10 ()->mechanism->run (settings->values, cols, &stream, input, runs, outputs);
    for (gsize r = 0; r < runs; r++) {
      double length = 0;

      for (gsize j = 0; j < cols; j++) {
        const double value = (double) outputs[r * cols + j];

        length += i == 0 ? fabs (value) : value * value;
      }
      sum += i == 0 ? length : sqrt (length);
    }
    /* Either way a sum of 4 lengths of deviation 1; 6 standard errors. */
    assert_near (sum / (double) runs, 4, 6 * 2 / sqrt ((double) runs), "%s", cases[i]);
  }
}

static gboolean
protect_rows (const char *assignments, AssayView rows, float *ret_model, GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&prr10 ()->plugin, assignments);
  const AssayDefenseContext context
      = { .settings = settings->values, .stream = assay_stream_key (8, 0, "defense", "") };
  g_autoptr (AssayRelease) release = assay_release_new (prr10 ()->produces, prr10 ()->id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  const AssayArray *array;

  if (!prr10 ()->protect (&context, rows, release, truth, error))
    return FALSE;
  cr_assert (assay_release_check (release, error));
  array = assay_arrays_get (&release->arrays, "statistics");
  cr_assert (array->shape[0] == 1 && array->shape[1] == rows.cols);
  memcpy (ret_model, array->data, rows.cols * sizeof *ret_model);
  return TRUE;
}

/* With lambda = 1000 the model of a party is half of the mean of its rows over lambda, nearly: all
 * slopes are 1/2. Rows longer than 1 are shortened. Two parties of 5,000 equal rows each. */
Test (prr10, releases_the_mean_of_parties)
{
  const gsize rows = 10000;
  g_autofree float *values = g_new (float, rows * 2);
  float model[2];

  for (gsize i = 0; i < rows; i++) {
    values[2 * i] = i < rows / 2 ? 3 : 0.5F;
    values[2 * i + 1] = i < rows / 2 ? 4 : 0;
  }
  cr_assert (protect_rows ("users=2" EXACT, (AssayView){ rows, 2, 2, values }, model, NULL));
  assert_near ((double) model[0], (0.6 + 0.5) / 2 / 2000, 2e-6, "column 0");
  assert_near ((double) model[1], 0.8 / 2 / 2000, 2e-6, "column 1");
}

Test (prr10, refuses_parties_without_rows)
{
  static const float values[] = { 1, 0, 0, 1 };
  g_autoptr (GError) error = NULL;
  float model[2];

  cr_assert (!protect_rows ("users=3", (AssayView){ 2, 2, 2, values }, model, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA));
  cr_assert_str_eq (error->message, "2 secrets of 3 users; expected one each or more");
}
