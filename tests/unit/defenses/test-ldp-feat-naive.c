/* LDP-FEAT on all descriptors: how often a set holds its secret, in domains that can be counted and
 * in one that cannot. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"

extern const AssayDefense assay_defense_ldp_feat_naive;

#define ALPHA 1e-6
#define DEVIATIONS 4.9 /* that a normal number exceeds with a chance of ALPHA, either way */

static gboolean
protect (const char *assignments, const AssayMatrix *secrets, AssayRelease **ret_release,
         AssayTruth **ret_truth, GError **error)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_ldp_feat_naive.plugin, assignments);

  return fixture_protect (&assay_defense_ldp_feat_naive, settings,
                          assay_stream_key (7, 0, "defense", "test"), assay_matrix_view (secrets),
                          NULL, ret_release, ret_truth, error);
}

/* @n rows of @cols integers below @levels, all of them alike. */
static AssayMatrix *
same_rows (gsize n, gsize cols, gsize levels)
{
  AssayMatrix *rows = assay_matrix_new (n, cols, NULL);

  for (gsize i = 0; i < n * cols; i++)
    rows->data[i] = (float) ((i % cols + 1) % levels);
  return rows;
}

/* Two columns of two bits: 16 descriptors, of which each set of 3 holds the secret as often as
 * equation 5 says, at any place alike, and the 15 others alike; members are distinct. */
Test (ldp_feat_naive, a_small_domain_is_counted)
{
  enum { N = 6000, M = 3, K = 16 };
  static const double epsilons[] = { 0, 1.5, 5 };
  g_autoptr (AssayMatrix) secrets = same_rows (N, 2, 4);
  const gsize own = 1 * 4 + 2;

  for (gsize e = 0; e < G_N_ELEMENTS (epsilons); e++) {
    const double p = M * exp (epsilons[e]) / (M * exp (epsilons[e]) + K - M);
    g_autofree char *text = g_strdup_printf ("bits=2 members=3 epsilon=%g", epsilons[e]);
    g_autoptr (AssayRelease) release = NULL;
    g_autoptr (AssayTruth) truth = NULL;
    gsize places[M] = { 0 }, others[K] = { 0 }, n_in = 0;
    AssayView entries;

    cr_assert (protect (text, secrets, &release, &truth, NULL));
    entries = assay_array_view (assay_arrays_get (&release->arrays, "dictionary"));
    for (gsize i = 0; i < N; i++) {
      gsize seen[M];

      for (gsize j = 0; j < M; j++) {
        const gint64 entry
            = assay_array_int64 (assay_arrays_get (&release->arrays, "sets"))[i * M + j];
        const float *row = assay_view_row (entries, (gsize) entry);

        seen[j] = (gsize) row[0] * 4 + (gsize) row[1];
        for (gsize k = 0; k < j; k++)
          cr_assert_neq (seen[j], seen[k], "set %zu", i);
        n_in += seen[j] == own;
        places[j] += seen[j] == own;
        others[seen[j]] += seen[j] != own;
      }
    }
    others[own] = others[K - 1];
    assert_near ((double) n_in / N, p, DEVIATIONS * sqrt (p * (1 - p) / N), "%s", text);
    cr_assert (sample_chi_square (places, M) < sample_chi_square_bound (M, ALPHA), "%s", text);
    cr_assert (sample_chi_square (others, K - 1) < sample_chi_square_bound (K - 1, ALPHA), "%s",
               text);
  }
}

/* 2^1024 descriptors: by the closed form the odds are m exp (epsilon) / 2^1024. */
Test (ldp_feat_naive, sift_is_never_released)
{
  enum { N = 400, D = 128, M = 2 };
  const double even = 1024 * G_LN2 - log (M);
  const double offsets[] = { -690, -1, 0, 1, 20 };
  g_autoptr (AssayMatrix) secrets = same_rows (N, D, 256);

  for (gsize e = 0; e < G_N_ELEMENTS (offsets); e++) {
    const double p = 1 / (1 + exp (-offsets[e]));
    g_autofree char *text = g_strdup_printf ("epsilon=%.17g", even + offsets[e]);
    g_autoptr (AssayRelease) release = NULL;
    g_autoptr (AssayTruth) truth = NULL;
    AssayView entries;
    gsize n_in = 0;

    cr_assert (protect (text, secrets, &release, &truth, NULL));
    entries = assay_array_view (assay_arrays_get (&release->arrays, "dictionary"));
    for (gsize i = 0; i < N * M; i++)
      n_in += memcmp (assay_view_row (entries, i), secrets->data, D * sizeof (float)) == 0;
    assert_near ((double) n_in / N, p, DEVIATIONS * sqrt (p * (1 - p) / N) + 1e-6, "%s", text);
  }
}

Test (ldp_feat_naive, what_is_no_descriptor)
{
  g_autoptr (AssayMatrix) secrets = same_rows (3, 2, 4);
  const AssayShape shape = { .cols = 2 };
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_ldp_feat_naive.plugin, "bits=1 members=4");
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayTruth) truth = NULL;
  GError *error = NULL;
  g_autofree char *why = NULL;

  secrets->data[3] = -0.5F;
  cr_assert (!protect ("bits=2", secrets, &release, &truth, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA,
                               "defense ldp-feat-naive: secret 1, column 1: -0.5 is no descriptor "
                               "of 2 bits, expected 0 to 3; set bits, or scale the data",
                               NULL, &why),
             "%s", why);
  cr_assert (!assay_defense_ldp_feat_naive.check (settings->values, &shape, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "members = 4: expected less than the 4 descriptors of 2 columns of "
                               "1 bits",
                               NULL, &why),
             "%s", why);
}
