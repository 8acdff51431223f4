/* Private parts of mixtures, and image-recovery against them. */
#include <criterion/criterion.h>
#include <math.h>

#include "metrics/images/private-parts.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

extern const AssayMetric assay_metric_image_recovery;

enum { N = 5, SIDE = 14, D = SIDE * SIDE };

/* Three mixtures of five secrets, at 1/4 and 3/4, 1/2 and 1/2, 1 and 0 among themselves. */
Test (private_parts, are_what_is_compared)
{
  static const gint64 of[] = { 0, 1, 2, 3, 4, 0 };
  static const float shares[] = { 0.1f, 0.3f, 0.6f, 0.2f, 0.2f, 0.6f, 0.5f, 0, 0.5f };
  static const double first[] = { 0.25, 0.5, 1 };
  const gsize tall[] = { 3, 2 }, wide[] = { 3, 3 }, narrow[] = { 3, 1 };
  g_autoptr (AssayMatrix) secrets = fixture_normal (N, D, 1);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (AssayMatrix) parts = NULL;
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_metric_image_recovery.plugin, "of=private-part sign=free");
  const AssayMetricContext context = { .settings = settings->values };
  AssayOutcomes outcomes = { 0 };
  g_autoptr (GError) error = NULL;
  g_autofree char *why = NULL;

  truth->geometry
      = (AssayGeometry){ .height = SIDE, .width = SIDE, .channels = 1, .black = -4, .white = 4 };
  cr_assert (metric_private_parts (truth, assay_matrix_view (secrets), &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "the truth has no sources; of = private-part expects sources and "
                               "coefficients, which defenses that mix images tell",
                               NULL, &why),
             "%s", why);
  assay_arrays_take (&truth->arrays, "sources",
                     assay_array_take (ASSAY_INT64, 2, tall, g_memdup2 (of, sizeof of)));
  assay_arrays_take (&truth->arrays, "coefficients",
                     assay_array_take (ASSAY_FLOAT32, 2, wide, g_memdup2 (shares, sizeof shares)));
  parts = metric_private_parts (truth, assay_matrix_view (secrets), NULL);
  for (gsize i = 0; i < 3; i++)
    for (gsize a = 0; a < D; a++)
      assert_near (parts->data[i * D + a],
                   first[i] * secrets->data[(gsize) of[2 * i] * D + a]
                       + (1 - first[i]) * secrets->data[(gsize) of[2 * i + 1] * D + a],
                   1e-6, "mixture %zu", i);
  /* Their negatives are what they are, under sign = free. */
  for (gsize i = 0; i < 3 * D; i++)
    parts->data[i] = -parts->data[i];
  assay_arrays_take (&guess->arrays, "estimates",
                     assay_array_take_matrix (g_steal_pointer (&parts)));
  assay_arrays_take (
      &truth->arrays, "secrets",
      assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (secrets), NULL)));
  cr_assert (assay_metric_image_recovery.measure (&context, truth, guess, &outcomes, &error), "%s",
             error != NULL ? error->message : "");
  cr_assert (outcomes.n == 3);
  for (gsize i = 0; i < 3; i++)
    assert_near (outcomes.series[3][i], 1, 1e-9, "correlation of %zu", i);
  assay_outcomes_clear (&outcomes);
  assay_arrays_take (&truth->arrays, "coefficients",
                     assay_array_take (ASSAY_FLOAT32, 2, narrow, g_memdup2 (shares, 12)));
  cr_assert (metric_private_parts (truth, assay_matrix_view (secrets), &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "sources are int64 3 x 2 and coefficients float32 3 x 1; expected "
                               "int64 N x s and float32 N x k with s from 1 to k",
                               NULL, &why),
             "%s", why);
}
