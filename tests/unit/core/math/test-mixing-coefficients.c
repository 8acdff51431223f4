/* The coefficients of mixtures against their distributions, and mixtures that are refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/math/mixture.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"

#define ALPHA 1e-6
#define DEVIATIONS 5.0 /* of a normal: exceeded with chance 6e-7 */

extern const AssayDefense assay_defense_mixup;
extern const AssayDefense assay_defense_instahide_inside;
extern const AssayDefense assay_defense_instahide_cross;

enum { DRAWS = 20000 };

/* @count draws of one coefficient, or of all k. */
static float *
draw (const AssayMixtureCoefficients *wanted, gsize count, guint64 trial)
{
  const AssayStreamKey key = assay_stream_key (9, trial, "coefficients", "");
  float *drawn = g_new (float, count * wanted->k);

  for (gsize i = 0; i < count; i++) {
    AssayStream stream = assay_stream (key, i);

    assay_mixture_coefficients_draw (wanted, &stream, drawn + i * wanted->k);
  }
  return drawn;
}

/* u / (u + v) of uniforms: v >= u (1 - x) / x. Cut to [0.35, 0.65], as the largest of two is at
 * most 0.65. */
static double
uniform_pair (double x)
{
  return x <= 0.5 ? x / (2 * (1 - x)) : 1 - (1 - x) / (2 * x);
}

static double
uniform_pair_cut (double x)
{
  const double low = uniform_pair (0.35), high = uniform_pair (0.65);

  return CLAMP ((uniform_pair (x) - low) / (high - low), 0, 1);
}

/* |y| / (|x| + |y|): the angle of (x, y) is uniform over the quadrant. */
static double
normal_pair (double x)
{
  return 2 / G_PI * atan2 (x, 1 - x);
}

static double
arcsine (double x)
{
  return 2 / G_PI * asin (sqrt (x));
}

static double
beta_1_3 (double x)
{
  return 1 - pow (1 - x, 3);
}

static double
beta_3_3 (double x)
{
  return x * x * x * (10 - 15 * x + 6 * x * x);
}

Test (mixing_coefficients, coefficients_have_their_distributions)
{
  static const struct {
    AssayMixtureCoefficients wanted;
    double (*cdf) (double x);
  } cases[] = {
    { { ASSAY_MIXTURE_UNIFORM, 1, 2, 1, 0, 0 }, uniform_pair },
    { { ASSAY_MIXTURE_UNIFORM, 1, 2, 0.65, 0, 0 }, uniform_pair_cut },
    { { ASSAY_MIXTURE_ABSOLUTE_NORMAL, 1, 2, 1, 0, 0 }, normal_pair },
    { { ASSAY_MIXTURE_DIRICHLET, 0.5, 2, 1, 0, 0 }, arcsine },
    { { ASSAY_MIXTURE_DIRICHLET, 1, 4, 1, 0, 0 }, beta_1_3 },
    { { ASSAY_MIXTURE_DIRICHLET, 3, 2, 1, 0, 0 }, beta_3_3 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gsize k = cases[i].wanted.k;
    g_autofree float *drawn = draw (&cases[i].wanted, DRAWS, i);
    double sample[DRAWS];

    for (gsize j = 0; j < DRAWS; j++)
      sample[j] = drawn[j * k + j % k];
    cr_assert (sample_ks_distance (sample, DRAWS, cases[i].cdf) < sample_ks_bound (DRAWS, ALPHA),
               "case %zu: %g", i, sample_ks_distance (sample, DRAWS, cases[i].cdf));
  }
}

/* Means are 1 / k whatever the bound; their deviation is at most that of a number in [0, c] of this
 * mean, sqrt ((c - 1 / k) / k). Sums are 1 within a rounding each. */
Test (mixing_coefficients, coefficients_share_one)
{
  for (guint distribution = ASSAY_MIXTURE_UNIFORM; distribution <= ASSAY_MIXTURE_DIRICHLET;
       distribution++)
    for (gsize k = 2; k <= 6; k++) {
      const AssayMixtureCoefficients wanted = { distribution, 1, k, 0.65, 0, 0 };
      const double share = 1 / (double) k;
      const double tolerance = DEVIATIONS * sqrt ((0.65 - share) * share / DRAWS);
      g_autofree float *drawn = draw (&wanted, DRAWS, 100);
      double mean[6] = { 0 };

      for (gsize i = 0; i < DRAWS; i++) {
        double sum = 0;

        for (gsize j = 0; j < k; j++) {
          const double coefficient = drawn[i * k + j];

          cr_assert (coefficient >= 0 && coefficient <= 0.65, "%g", coefficient);
          sum += coefficient;
          mean[j] += coefficient / DRAWS;
        }
        assert_near (sum, 1, (double) k * 0x1p-25, "draw %zu", i);
      }
      for (gsize j = 0; j < k; j++)
        assert_near (mean[j], share, tolerance, "coefficient %zu of %zu", j, k);
    }
}

/* Of uniform numbers with c1 = 0.65 and c2 = 0.3 an independent count has .265 at k = 4 and .204 at
 * k = 6; without c2 the mean is 1 / k. */
Test (mixing_coefficients, owners_have_their_mean_share)
{
  static const struct {
    AssayMixtureCoefficients wanted;
    double mean;
  } cases[] = {
    { { ASSAY_MIXTURE_UNIFORM, 1, 4, 0.65, 0.3, 0 }, 0.265 },
    { { ASSAY_MIXTURE_UNIFORM, 1, 6, 0.65, 0.3, 0 }, 0.204 },
    { { ASSAY_MIXTURE_DIRICHLET, 2, 4, 0.65, 0, 0 }, 0.25 },
    { { ASSAY_MIXTURE_FIXED, 1, 4, 1, 0, 0.4 }, 0.6 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const AssayMixtureCoefficients *wanted = &cases[i].wanted;
    g_autofree float *drawn = draw (wanted, DRAWS, 300 + i);
    double mean = 0;

    for (gsize j = 0; j < DRAWS; j++)
      mean += drawn[j * wanted->k] / (double) DRAWS;
    assert_near (assay_mixture_coefficients_mean (wanted), cases[i].mean, 0.002, "case %zu", i);
    assert_near (mean, cases[i].mean, DEVIATIONS * 0.2 / sqrt (DRAWS), "draws of case %zu", i);
  }
}

/* Every draw is the same, and demands that it does not meet are refused. */
Test (mixing_coefficients, fixed_coefficients_are_what_they_are)
{
  const AssayMixtureCoefficients wanted = { ASSAY_MIXTURE_FIXED, 1, 4, 0.8, 0.3, 0.3 };
  const AssayMixtureCoefficients refused = { ASSAY_MIXTURE_FIXED, 1, 4, 0.65, 0, 0.3 };
  g_autofree float *drawn = draw (&wanted, 10, 400);
  GError *error = NULL;

  for (gsize i = 0; i < 40; i++)
    assert_near (drawn[i], i % 4 == 0 ? 0.7 : 0.1, 1e-6, "number %zu", i);
  cr_assert (assay_mixture_coefficients_check (&wanted, NULL));
  cr_assert_not (assay_mixture_coefficients_check (&refused, &error));
  cr_assert_not_null (strstr (error->message, "coefficients = fixed"), "%s", error->message);
  g_clear_error (&error);
}

/* What is kept of free draws is distributed as what is drawn until it may be kept. */
Test (mixing_coefficients, rejection_is_exact)
{
  enum { K = 4 };

  for (guint distribution = ASSAY_MIXTURE_UNIFORM; distribution <= ASSAY_MIXTURE_DIRICHLET;
       distribution++) {
    const AssayMixtureCoefficients wanted = { distribution, 1, K, 0.5, 0.45, 0 };
    const AssayMixtureCoefficients any = { distribution, 1, K, 1, 0, 0 };
    g_autofree float *drawn = draw (&wanted, DRAWS, 200);
    g_autofree float *all = draw (&any, 4 * DRAWS, 201);
    g_autofree double *a = g_new (double, DRAWS);
    g_autofree double *b = g_new (double, 4 * DRAWS);

    for (gsize column = 0; column < K; column++) {
      gsize n_kept = 0;

      for (gsize i = 0; i < DRAWS; i++) {
        const float *own = drawn + i * K;

        cr_assert ((double) own[0] + own[1] >= 0.45);
        a[i] = own[column];
      }
      for (gsize i = 0; i < 4 * DRAWS; i++) {
        const float *own = all + i * K;

        if (MAX (MAX (own[0], own[1]), MAX (own[2], own[3])) <= 0.5f
            && (double) own[0] + own[1] >= 0.45)
          b[n_kept++] = own[column];
      }
      cr_assert (n_kept > DRAWS
                     && sample_ks_two (a, DRAWS, b, n_kept)
                            < sample_ks_two_bound (DRAWS, n_kept, ALPHA),
                 "distribution %u, coefficient %zu", distribution, column);
    }
  }
}

/* P (max <= c). Uniform: that k - 1 uniforms sum to 1 / c - 1 or more. Dirichlet with concentration
 * 1: sum_j (-1)^j C (k, j) (1 - j c)^(k - 1). The estimate counts to 100: its relative deviation is
 * below 1/10. */
Test (mixing_coefficients, acceptance_is_what_theory_says)
{
  static const struct {
    AssayMixtureCoefficients wanted;
    double acceptance;
  } cases[] = {
    { { ASSAY_MIXTURE_UNIFORM, 1, 2, 0.65, 0, 0 }, 2 - 1 / 0.65 },
    { { ASSAY_MIXTURE_UNIFORM, 1, 3, 0.5, 0, 0 }, 0.5 },
    { { ASSAY_MIXTURE_UNIFORM, 1, 4, 0.4, 0, 0 }, 0.5 },
    { { ASSAY_MIXTURE_UNIFORM, 1, 4, 0.3, 0, 0 }, 8.0 / 27 / 6 },
    { { ASSAY_MIXTURE_DIRICHLET, 1, 4, 0.4, 0, 0 }, 1 - 4 * 0.216 + 6 * 0.008 },
    { { ASSAY_MIXTURE_DIRICHLET, 1, 3, 1, 0.8, 0 },
      0.36 }, /* the third is at most 0.2: Beta (1, 2) */
    { { ASSAY_MIXTURE_UNIFORM, 1, 4, 0.24, 0, 0 }, 0 },
    { { ASSAY_MIXTURE_UNIFORM, 1, 4, 0.4, 0.81, 0 }, 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    assert_near (assay_mixture_coefficients_acceptance (&cases[i].wanted), cases[i].acceptance,
                 0.1 * DEVIATIONS * cases[i].acceptance, "case %zu", i);
}

/* ---- What is refused before anything is drawn ---- */

typedef struct {
  const AssayDefense *defense;
  const char *assignments;
  AssayShape shape;
  const char *message;
} Refused;

static const Refused refused[] = {
  { &assay_defense_mixup,
    "k=8",
    { .n_secrets = 5, .cols = 9 },
    "k = 8 puts 8 distinct secrets into an image: expected as many or more secrets, found 5" },
  { &assay_defense_instahide_cross,
    "k=6",
    { .n_secrets = 1, .cols = 9 },
    "k = 6 puts 2 distinct secrets into an image: expected as many or more secrets, found 1" },
  { &assay_defense_instahide_cross,
    "k=6",
    { .n_secrets = 5, .cols = 9, .n_public = 3 },
    "k = 6 puts 4 distinct public images into an image: expected as many or more public rows, "
    "found 3" },
  { &assay_defense_mixup,
    "k=6 variant=public-once",
    { .n_secrets = 1, .cols = 9, .n_public = 4 },
    "k = 6 puts 5 distinct public images into an image: expected as many or more public rows, "
    "found 4" },
  { &assay_defense_mixup,
    "variant=public-once epochs=2",
    { .n_secrets = 5 },
    "epochs = 2: expected 1, because variant = public-once releases each secret once" },
  { &assay_defense_instahide_inside,
    "k=4 max_coefficient=0.24",
    { 0 },
    "max_coefficient = 0.24: expected at least 1 / k = 0.25, because k = 4 coefficients sum to "
    "1" },
  { &assay_defense_instahide_cross,
    "max_coefficient=0.4 private_share=0.9",
    { 0 },
    "private_share = 0.9: expected at most 0.8, twice max_coefficient, because it is the sum of "
    "two coefficients" },
  { &assay_defense_instahide_inside,
    "max_coefficient=0.25",
    { 0 },
    "max_coefficient = 0.25: expected to be met by at least 0.001 of the draws of k = 4 "
    "coefficients (coefficients = uniform), because they are drawn until they meet it; about 0 "
    "do" },
  { &assay_defense_instahide_cross,
    "k=6 private_share=0.999 coefficients=dirichlet",
    { 0 },
    "max_coefficient = 0.65 and private_share = 0.999: expected to be met by at least 0.001 of "
    "the draws of k = 6 coefficients (coefficients = dirichlet), because they are drawn until "
    "they meet it; about 0 do" },
  { &assay_defense_instahide_cross,
    "crops=2",
    { .n_secrets = 5, .cols = 9 },
    "crops: expected a dataset of images, whose height and width are known" },
  { &assay_defense_instahide_cross,
    "flips=yes",
    { .n_secrets = 5, .cols = 9 },
    "flips: expected a dataset of images, whose height and width are known" },
  { &assay_defense_instahide_cross,
    "crops=3",
    { .n_secrets = 5, .cols = 12, .geometry = { .height = 4, .width = 3, .channels = 1 } },
    "crops = 3: expected less than the 3 pixels of an image's shorter side" },
};

Test (mixing_coefficients, refuses_what_cannot_be)
{
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++) {
    g_autoptr (AssaySettings) settings
        = fixture_settings (&refused[i].defense->plugin, refused[i].assignments);
    g_autofree char *why = NULL;
    GError *error = NULL;

    cr_assert (!refused[i].defense->check (settings->values, &refused[i].shape, &error), "%s",
               refused[i].message);
    cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER, refused[i].message, NULL, &why),
               "%s", why);
  }
}
