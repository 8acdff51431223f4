/* Metrics of recovered pictures against naive forms, and the assignment that they rest on. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/math/image-quality.h"
#include "metrics/images/assignment.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-image-quality.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/metrics/measurement.h"

extern const AssayMetric assay_metric_image_recovery;

/* ---- Assignment ---- */

/* The least sum over all ways to give rows from @row on columns of their own. */
static double
least_sum (const double *costs, gsize n, gsize m, gsize row, guint taken)
{
  double least = INFINITY;

  if (row == n)
    return 0;
  for (gsize j = 0; j < m; j++)
    if (!(taken >> j & 1))
      least = MIN (least, costs[row * m + j] + least_sum (costs, n, m, row + 1, taken | 1u << j));
  return least;
}

Test (assignment, sum_is_the_least_of_all)
{
  for (gsize n = 1; n <= 6; n++)
    for (gsize m = n; m <= 7; m++)
      for (guint64 trial = 0; trial < 20; trial++) {
        AssayStream stream = assay_stream (assay_stream_key (trial, 0, "costs", ""), n * 8 + m);
        double costs[42], sum = 0;
        gsize columns[6];
        guint taken = 0;

        /* Whole numbers, so that many ways cost the same. */
        for (gsize i = 0; i < n * m; i++)
          costs[i] = (double) assay_stream_below (&stream, 12) - 6;
        cr_assert (metric_assign (costs, n, m, columns, NULL));
        for (gsize i = 0; i < n; i++) {
          cr_assert (columns[i] < m && !(taken >> columns[i] & 1), "%zu x %zu", n, m);
          taken |= 1u << columns[i];
          sum += costs[i * m + columns[i]];
        }
        assert_near (sum, least_sum (costs, n, m, 0, 0), 1e-12, "%zu x %zu", n, m);
      }
}

/* ---- Pictures ---- */

enum { SIDE = 14, PICTURES = 5, D = SIDE * SIDE };

static const AssayImageShape shape = { SIDE, SIDE, 1 };

static Measurement
make_pictures (const AssayMatrix *secrets, const AssayMatrix *estimates, double black, double white)
{
  Measurement measured = measurement_new ();

  measured.truth->geometry = (AssayGeometry){
    .height = SIDE, .width = SIDE, .channels = 1, .black = black, .white = white
  };
  assay_arrays_take (
      &measured.truth->arrays, "secrets",
      assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (secrets), NULL)));
  assay_arrays_take (
      &measured.guess->arrays, "estimates",
      assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (estimates), NULL)));
  return measured;
}

/* SSIM of two pictures as they are shown: @black is 0. */
static double
shown_ssim (double range, double black, const float *a, const float *b)
{
  float from_a[D], from_b[D];

  for (gsize j = 0; j < D; j++) {
    from_a[j] = (float) ((double) a[j] - black);
    from_b[j] = (float) ((double) b[j] - black);
  }
  return naive_ssim (shape, range, from_a, from_b);
}

static double
naive_correlation (const float *a, const float *b)
{
  double of_a = 0, of_b = 0, of_both = 0, mean_a = 0, mean_b = 0;

  for (gsize j = 0; j < D; j++) {
    mean_a += (double) a[j] / D;
    mean_b += (double) b[j] / D;
    of_a += (double) a[j] * a[j];
    of_b += (double) b[j] * b[j];
    of_both += (double) a[j] * b[j];
  }
  return (of_both - D * mean_a * mean_b)
         / sqrt ((of_a - D * mean_a * mean_a) * (of_b - D * mean_b * mean_b));
}

/* Secret i plus noise of deviation i / 2: from perfect to poor. */
Test (image_recovery, outcomes_are_those_of_the_definitions)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (PICTURES, D, 1);
  g_autoptr (AssayMatrix) estimates = fixture_normal (PICTURES, D, 2);
  g_auto (Measurement) measured = { 0 };
  gsize n_above = 0;

  for (gsize i = 0; i < PICTURES * D; i++)
    estimates->data[i] = secrets->data[i] + 0.5f * (float) (i / D) * estimates->data[i];
  measured = make_pictures (secrets, estimates, -2, 3);
  measurement_take (&assay_metric_image_recovery, "", &measured);
  cr_assert (measured.outcomes.n == PICTURES);
  for (gsize i = 0; i < PICTURES; i++) {
    const float *a = assay_matrix_row (secrets, i), *b = assay_matrix_row (estimates, i);
    const double correlation = naive_correlation (a, b);
    double mae = 0, mse = 0;

    for (gsize j = 0; j < D; j++) {
      mae += fabs ((double) a[j] - b[j]) / D;
      mse += ((double) a[j] - b[j]) * ((double) a[j] - b[j]) / D;
    }
    assert_near (measurement_series (&assay_metric_image_recovery, "image-mae", &measured)[i],
                 mae / 5, 1e-12, "MAE of %zu", i);
    assert_near (measurement_series (&assay_metric_image_recovery, "image-psnr", &measured)[i],
                 i == 0 ? 100 : 10 * log10 (25 / mse), 1e-9, "PSNR of %zu", i);
    assert_near (measurement_series (&assay_metric_image_recovery, "image-ssim", &measured)[i],
                 shown_ssim (5, -2, a, b), 1e-9, "SSIM of %zu", i);
    assert_near (
        measurement_series (&assay_metric_image_recovery, "image-correlation", &measured)[i],
        correlation, 1e-9, "correlation of %zu", i);
    assert_near (measurement_series (&assay_metric_image_recovery, "image-correlation-above-80",
                                     &measured)[i],
                 correlation > 0.8, 0, "share of %zu", i);
    assert_near (measurement_series (&assay_metric_image_recovery, "image-correlation-above-50",
                                     &measured)[i],
                 correlation > 0.5, 0, "share of %zu", i);
    n_above += correlation > 0.8;
  }
  cr_assert (n_above > 0 && n_above < PICTURES, "the test has cases on both sides");
}

/* Negated, in another order, and among strangers: found again where that is allowed. */
Test (image_recovery, order_and_sign_are_found)
{
  static const gsize order[] = { 3, 0, 4, 1, 2 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (PICTURES, D, 1);
  g_autoptr (AssayMatrix) estimates = fixture_normal (PICTURES + 3, D, 3);
  g_auto (Measurement) measured = { 0 };

  for (gsize i = 0; i < PICTURES; i++)
    for (gsize j = 0; j < D; j++)
      assay_matrix_row (estimates, order[i] + 2)[j]
          = (i % 2 == 0 ? -1.0f : 1.0f) * assay_matrix_row (secrets, i)[j];
  measured = make_pictures (secrets, estimates, 0, 0);
  measurement_take (&assay_metric_image_recovery, "matching=best sign=free", &measured);
  for (gsize i = 0; i < PICTURES; i++) {
    assert_near (measured.outcomes.series[0][i], 0, 0, "MAE of %zu", i);
    assert_near (measured.outcomes.series[2][i], 1, 0, "SSIM of %zu", i);
    assert_near (measured.outcomes.series[3][i], 1, 1e-12, "correlation of %zu", i);
  }
  /* With known signs the negated ones are somewhere else. */
  measurement_take (&assay_metric_image_recovery, "matching=best", &measured);
  for (gsize i = 0; i < PICTURES; i++)
    cr_assert ((measured.outcomes.series[3][i] > 0.9) == (i % 2 == 1), "secret %zu: %g", i,
               measured.outcomes.series[3][i]);
  /* More estimates than secrets: auto matches them as best does. */
  measurement_take (&assay_metric_image_recovery, "", &measured);
  for (gsize i = 0; i < PICTURES; i++)
    cr_assert ((measured.outcomes.series[3][i] > 0.9) == (i % 2 == 1), "secret %zu", i);
  measurement_refused (
      &assay_metric_image_recovery, "matching=order", &measured, ASSAY_ERROR_MISMATCH,
      "estimates are 8 x 196, but the secrets are 5 x 196; with matching = best their number "
      "may differ");
  measured.truth->geometry.height = 0;
  measurement_refused (&assay_metric_image_recovery, "", &measured, ASSAY_ERROR_MISMATCH,
                       "the truth does not say what images the secrets are; expected its geometry");
}

/* What matching alone makes of pictures is stated by the same matching to other images. Of n
 * secrets of D independent pixels and n estimates that know nothing, both correlations are the same
 * but for chance. Their difference of means has a deviation of at most sqrt (2 / (n D)), as matched
 * ones scatter less than those that are not. */
Test (image_recovery, chance_is_that_of_other_images)
{
  enum { N = 60, TEST = 150 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, D, 1);
  g_autoptr (AssayMatrix) ignorant = fixture_normal (N, D, 2);
  g_autoptr (AssayMatrix) reversed = fixture_normal (N, D, 1);
  const AssayDataset beside = { .test = fixture_normal_rows (TEST, D, 3) };
  const AssayMatrix *const estimates[] = { ignorant, reversed };

  for (gsize i = 0; i < N; i++)
    memcpy (assay_matrix_row (reversed, N - 1 - i), assay_matrix_row (secrets, i),
            D * sizeof (float));
  for (gsize e = 0; e < 2; e++) {
    g_auto (Measurement) measured = make_pictures (secrets, estimates[e], -4, 4);
    double mean = 0, chance = 0, ssim = 0, ssim_chance = 0;

    measured.dataset = &beside;
    measurement_take (&assay_metric_image_recovery, "matching=best", &measured);
    cr_assert (measured.outcomes.n == N);
    for (gsize i = 0; i < N; i++) {
      mean += measurement_series (&assay_metric_image_recovery, "image-correlation", &measured)[i]
              / N;
      chance += measurement_series (&assay_metric_image_recovery, "image-correlation-chance",
                                    &measured)[i]
                / N;
      ssim += measurement_series (&assay_metric_image_recovery, "image-ssim", &measured)[i] / N;
      ssim_chance
          += measurement_series (&assay_metric_image_recovery, "image-ssim-chance", &measured)[i]
             / N;
    }
    /* Of 60 correlations of deviation 1 / sqrt (D) the best is near 0.16, an assigned one lower. */
    cr_assert (chance > 1.2 / sqrt (D), "matching lifts chance above 0: %g", chance);
    if (e == 0)
      assert_near (mean, chance, 5 * sqrt (2.0 / (N * D)), "what is random");
    else
      cr_assert (mean > 1 - 1e-6 && chance < 0.2, "%g, chance %g", mean, chance);
    assert_near (ssim, e == 0 ? ssim_chance : 1, e == 0 ? 0.03 : 1e-12, "SSIM");
    cr_assert (ssim_chance < 0.3, "%g", ssim_chance);
  }
  assay_rows_unref (beside.test);
}

/* Against a naive form: in order, the drawn images are test images, all different, and where these
 * are too few, public ones; where all are, the series are left out with the reason. */
Test (image_recovery, other_images)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (PICTURES, D, 1);
  g_autoptr (AssayMatrix) estimates = fixture_normal (PICTURES, D, 2);
  g_autoptr (AssayMatrix) others = fixture_normal (PICTURES + 2, D, 3);
  g_auto (Measurement) measured = make_pictures (secrets, estimates, -4, 4);
  AssayDataset beside
      = { .test = fixture_normal_rows (PICTURES - 1, D, 4), .public_rows = fixture_rows (others) };
  gboolean is_drawn[PICTURES + 2] = { FALSE };

  measured.dataset = &beside;
  measurement_take (&assay_metric_image_recovery, "", &measured);
  for (gsize i = 0; i < PICTURES; i++) {
    const double found = measurement_series (&assay_metric_image_recovery,
                                             "image-correlation-chance", &measured)[i];
    gsize from = 0;

    while (from < others->rows
           && fabs (naive_correlation (assay_matrix_row (others, from),
                                       assay_matrix_row (estimates, i))
                    - found)
                  > 1e-9)
      from++;
    cr_assert (from < others->rows && !is_drawn[from], "picture %zu", i);
    is_drawn[from] = TRUE;
    assert_near (
        measurement_series (&assay_metric_image_recovery, "image-ssim-chance", &measured)[i],
        shown_ssim (8, -4, assay_matrix_row (others, from), assay_matrix_row (estimates, i)), 1e-9,
        "picture %zu", i);
  }
  assay_rows_unref (beside.public_rows);
  beside.public_rows = NULL;
  measurement_take (&assay_metric_image_recovery, "", &measured);
  measured.dataset = NULL;
  assay_rows_unref (beside.test);
  cr_assert (measured.outcomes.n == PICTURES && measured.outcomes.series[6] != NULL);
  for (gsize s = 7; s < 10; s++) {
    cr_assert (measured.outcomes.series[s] == NULL);
    cr_assert_str_eq (measured.outcomes.omitted[s],
                      "there are 4 test and 0 public images to compare with; expected as many of "
                      "one kind as secrets, 5");
  }
}

/* Fewer estimates than secrets: the others have a grey picture, and nothing to show. */
Test (image_recovery, secrets_may_be_left_over)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (PICTURES, D, 1);
  g_autoptr (AssayMatrix) estimates
      = assay_matrix_copy (assay_view_rows (assay_matrix_view (secrets), 1, 2), NULL);
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_metric_image_recovery.plugin, "matching=best");
  const AssayMetricContext context = { .settings = settings->values };
  g_auto (Measurement) measured = make_pictures (secrets, estimates, -4, 6);

  measurement_take (&assay_metric_image_recovery, "matching=best", &measured);
  for (gsize i = 0; i < PICTURES; i++) {
    g_auto (AssayPictures) pictures = { NULL, NULL };
    const AssayPhoto *original, *recovered;
    const float *secret = assay_matrix_row (secrets, i);
    double mae = 0;

    for (gsize j = 0; j < D; j++)
      mae += fabs (secret[j] - 1.0) / D / 10;
    assert_near (measured.outcomes.series[0][i], i == 1 || i == 2 ? 0 : mae, 1e-12, "MAE of %zu",
                 i);
    cr_assert (assay_metric_image_recovery.show (&context, measured.truth, measured.guess, i,
                                                 &pictures, NULL));
    original = pictures.original;
    recovered = pictures.recovered;
    cr_assert ((recovered != NULL) == (i == 1 || i == 2));
    cr_assert (original->width == SIDE && original->height == SIDE && original->channels == 1);
    for (gsize j = 0; j < D; j++) {
      assert_near (original->data[j], 25.5 * (secret[j] + 4), 1e-4, "pixel %zu of %zu", j, i);
      cr_assert (recovered == NULL || recovered->data[j] == original->data[j]);
    }
  }
}

/* The picture of secret 1 is that of secret 2 with noise, that of secret 3 noise alone; a negated
 * picture of secret 4's neighbour counts where signs are free. */
Test (image_recovery, pictures_of_another_secret_are_told)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (PICTURES, D, 1);
  g_autoptr (AssayMatrix) estimates = fixture_normal (PICTURES, D, 2);
  g_auto (Measurement) measured = { 0 };
  const double *another;

  for (gsize j = 0; j < D; j++) {
    estimates->data[j] = secrets->data[j];
    estimates->data[D + j] = secrets->data[2 * D + j] + 0.2f * estimates->data[D + j];
    estimates->data[2 * D + j] = secrets->data[2 * D + j];
    estimates->data[4 * D + j] = -secrets->data[D + j];
  }
  measured = make_pictures (secrets, estimates, -4, 4);
  for (int is_free = 0; is_free < 2; is_free++) {
    measurement_take (&assay_metric_image_recovery,
                      is_free ? "matching=order sign=free" : "matching=order", &measured);
    another = measurement_series (&assay_metric_image_recovery, "image-shows-another", &measured);
    for (gsize i = 0; i < PICTURES; i++)
      cr_assert (another[i] == (i == 1 || (is_free && i == 4)), "secret %zu, free %d: %g", i,
                 is_free, another[i]);
  }
}
