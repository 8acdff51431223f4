/* The noisy histogram, right and broken: counts, the scale of the noise, neighbours, refusals. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

static const AssayDefense *
histogram (void)
{
  return (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, "noisy-histogram", NULL);
}

static AssayStream
stream_of (guint64 trial)
{
  return assay_stream (assay_stream_key (5, trial, "test-noisy-histogram", ""), 0);
}

static void
propose (const char *assignments, guint index, float *ret_first, float *ret_second)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&histogram ()->plugin, assignments);
  AssayStream stream = stream_of (2 + index);

  histogram ()->mechanism->pair (settings->values, 1, index, &stream, ret_first, ret_second);
}

/* Releases @rows (one column) and returns the statistics; NULL with @error. */
static float *
count_rows (const char *assignments, const float *values, gsize rows, gsize cols, gsize *ret_bins,
            GError **error)
{
  const AssayDefense *defense = histogram ();
  g_autoptr (AssaySettings) settings = fixture_settings (&defense->plugin, assignments);
  const AssayDefenseContext context
      = { .settings = settings->values, .stream = assay_stream_key (6, 0, "defense", "") };
  const AssayView secrets = { .rows = rows, .cols = cols, .stride = cols, .data = values };
  g_autoptr (AssayRelease) release = assay_release_new (defense->produces, defense->id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  const AssayArray *array;

  if (!defense->protect (&context, secrets, release, truth, error))
    return NULL;
  cr_assert (assay_release_check (release, error));
  array = assay_arrays_get (&release->arrays, "statistics");
  cr_assert (array->shape[0] == 1);
  *ret_bins = array->shape[1];
  return g_memdup2 (array->data, array->shape[1] * sizeof (float));
}

/* At epsilon = 60 noise of 0.5 has a probability of exp (-30). */
Test (noisy_histogram, counts)
{
  static const float values[] = { 3, 0, 3, 3, 4, 0, 3 };
  static const double expected[] = { 2, 0, 0, 4, 1 };
  gsize bins;
  g_autofree float *counts
      = count_rows ("bins=5 epsilon=60", values, G_N_ELEMENTS (values), 1, &bins, NULL);

  cr_assert (bins == 5);
  for (gsize j = 0; j < 5; j++) {
    assert_near (rint (counts[j]), expected[j], 0, "bin %zu", j);
    cr_assert ((double) counts[j] != expected[j], "bin %zu has no noise", j);
  }
}

/* The mean absolute value of Laplace noise is its scale, with a standard deviation of
 * scale / sqrt (n); 6 of them. Of no records at all there is nothing but noise. */
Test (noisy_histogram, noise_has_the_scale)
{
  static const struct {
    const char *assignments;
    double scale;
  } cases[] = { { "epsilon=0.25 bins=100000", 4 },
                { "epsilon=0.25 bins=100000 noise=inverted", 0.25 },
                { "epsilon=4 bins=100000 noise=inverted", 4 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    gsize bins;
    g_autofree float *counts = count_rows (cases[i].assignments, NULL, 0, 1, &bins, NULL);
    double sum = 0, size = 0;

    cr_assert (bins == 100000);
    for (gsize j = 0; j < bins; j++) {
      sum += counts[j];
      size += fabsf (counts[j]);
    }
    assert_near (size / 1e5, cases[i].scale, 6 * cases[i].scale / sqrt (1e5), "%s",
                 cases[i].assignments);
    assert_near (sum / 1e5, 0, 6 * M_SQRT2 * cases[i].scale / sqrt (1e5), "%s",
                 cases[i].assignments);
  }
}

/* Pair 0 at epsilon = 0.5, bin 0 at least 1: 1/2 and exp (-1 / b) / 2, within 6 standard deviations
 * of a share. */
Test (noisy_histogram, inverted_leaks_the_inverse)
{
  enum { BINS = 3, RUNS = 400000 };
  static const char *const cases[] = { "bins=3", "bins=3 noise=inverted" };
  static const double epsilons[] = { 0.5, 2 };

  for (gsize i = 0; i < 2; i++) {
    g_autoptr (AssaySettings) settings = fixture_settings (&histogram ()->plugin, cases[i]);
    g_autofree float *outputs = g_new (float, RUNS *BINS);
    float inputs[2][BINS];
    double shares[2];

    propose (cases[i], 0, inputs[0], inputs[1]);
    for (gsize side = 0; side < 2; side++) {
      const double expected = side == 0 ? 0.5 : exp (-epsilons[i]) / 2;
      AssayStream stream = stream_of (side);
      gsize count = 0;

      histogram ()->mechanism->run (settings->values, 1, &stream, inputs[side], RUNS, outputs);
      for (gsize r = 0; r < RUNS; r++)
        count += outputs[r * BINS] >= 1;
      shares[side] = (double) count / RUNS;
      assert_near (shares[side], expected, 6 * sqrt (expected * (1 - expected) / RUNS), "%s",
                   cases[i]);
    }
    assert_near (log (shares[0] / shares[1]), epsilons[i], 0.05, "%s", cases[i]);
  }
}

Test (noisy_histogram, pairs_differ_by_one_record)
{
  enum { BINS = 4 };
  gsize sides[2] = { 0, 0 }, bins[BINS] = { 0 };

  for (guint index = 0; index < 200; index++) {
    float first[BINS], second[BINS];
    double distance = 0;

    propose ("bins=4", index, first, second);
    for (gsize j = 0; j < BINS; j++) {
      cr_assert (first[j] >= 0 && second[j] >= 0);
      distance += fabsf (first[j] - second[j]);
      bins[j] += index > 0 && first[j] != second[j];
      sides[first[j] > second[j]] += index > 0 && first[j] != second[j];
    }
    cr_assert (distance == 1, "%u: %g", index, distance);
    cr_assert (index > 0 || first[0] - second[0] == 1);
  }
  for (gsize j = 0; j < BINS; j++) /* 199 / 4 and 199 / 2 within 5 standard deviations */
    assert_near ((double) bins[j], 199.0 / 4, 5 * 6.2, "bin %zu", j);
  assert_near ((double) sides[0], 199.0 / 2, 5 * 7.1, "sides");
}

static void
check_refused (const float *values, gsize rows, gsize cols, const char *message)
{
  g_autofree char *why = NULL;
  GError *error = NULL;
  gsize bins;

  cr_assert (count_rows ("", values, rows, cols, &bins, &error) == NULL, "%s", message);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA, message, NULL, &why), "%s", why);
}

Test (noisy_histogram, refuses_other_data)
{
  static const float large[] = { 9, 10 }, broken[] = { 1, 2.5f }, negative[] = { -1 };
  static const float none[] = { 3, 3, NAN };

  check_refused (large, 2, 1, "secret 1, column 0 is 10; expected a whole number from 0 to 9");
  check_refused (broken, 2, 1, "secret 1, column 0 is 2.5; expected a whole number from 0 to 9");
  check_refused (negative, 1, 1, "secret 0, column 0 is -1; expected a whole number from 0 to 9");
  check_refused (none, 3, 1, "secret 2, column 0 is nan; expected a whole number from 0 to 9");
  check_refused (large, 1, 2, "secrets have 2 columns; expected one, a whole number from 0 to 9");
}
