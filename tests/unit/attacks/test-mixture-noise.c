/* The noise of a release, found in it, and what mixture-inversion does about it. */
#include <criterion/criterion.h>
#include <math.h>

#include "attacks/inversion/mixture-noise.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/instahide.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/inversion-sizes.h"

static void
add_noise (AssayMatrix *rows, double deviation)
{
  AssayStream stream = assay_stream (assay_stream_key (3, 0, "noise", "test"), 0);

  for (gsize i = 0; i < rows->rows * rows->cols; i++)
    rows->data[i] = (float) fabs (rows->data[i] + deviation * assay_stream_normal (&stream));
}

static double
estimate (AssayView magnitudes, const AssayGeometry *geometry, AssayView publics)
{
  const WhiteningShares shares = { .k = 4, .max_coefficient = 0.65 };
  const WhiteningMoments moments = whitening_moments (&shares);
  g_auto (Whitening) squared = { 0 };

  cr_assert (whitening_learn (publics, WHITENING_SQUARED, &moments, &squared, NULL));
  return mixture_noise_estimate (magnitudes, geometry, &squared);
}

/* Within a tenth of the deviation, and nothing where there is none, also where the public images
 * are rougher or smoother than the private ones. */
Test (mixture_noise, is_found_in_the_release)
{
  static const double deviations[] = { 0, 0.15, 0.3, 0.5 };
  const AssayGeometry geometry = { .height = sizes.side, .width = sizes.side, .channels = 1 };

  for (gsize i = 0; i < G_N_ELEMENTS (deviations); i++) {
    g_autoptr (InstaHide) made = instahide_new (&sizes);
    double found;

    add_noise (made->mixtures, deviations[i]);
    found = sqrt (estimate (assay_matrix_view (made->mixtures), &geometry,
                            assay_matrix_view (made->publics)));
    assert_near (found, deviations[i], MAX (0.1 * deviations[i], 0.06), "deviation %g",
                 deviations[i]);
  }
}

/* Numbers that are independent of their neighbours anyhow show no noise. */
Test (mixture_noise, is_not_found_in_images_that_are_noise)
{
  const AssayGeometry geometry = { .height = 16, .width = 16, .channels = 1 };
  g_autoptr (AssayMatrix) publics = fixture_normal (400, 256, 1);
  g_autoptr (AssayMatrix) mixtures = fixture_normal (400, 256, 2);

  cr_assert_eq (estimate (assay_matrix_view (mixtures), &geometry, assay_matrix_view (publics)), 0);
}
