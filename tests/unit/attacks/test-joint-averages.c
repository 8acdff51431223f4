/* Joint least squares for all secrets of their mixtures: against closed forms of two secrets, and
 * from rough estimates to the secrets themselves. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/mixtures/joint-averages.h"
#include "attacks/mixtures/mixture-control.h"
#include "core/base/parallel.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

static AssayMatrix *
normal_images (gsize n, gsize cols, guint64 item)
{
  AssayStream stream = assay_stream (assay_stream_key (3, 0, "images", ""), item);
  AssayMatrix *images = assay_matrix_new (n, cols, NULL);

  for (gsize i = 0; i < n * cols; i++)
    images->data[i] = (float) assay_stream_normal (&stream);
  return images;
}

/* Of two images the share of the first is <y - x_2, x_1 - x_2> / |x_1 - x_2|^2, from 0 to 1. */
static double
naive_share (const float *y, const float *x, gsize d)
{
  double above = 0, below = 0;

  for (gsize j = 0; j < d; j++) {
    const double gap = (double) x[j] - x[d + j];

    above += ((double) y[j] - x[d + j]) * gap;
    below += gap * gap;
  }
  return CLAMP (above / below, 0, 1);
}

/* One round in closed form: shares as above, some of which are at their bounds, then X + (A'A + r
 * I)^-1 A' (Y - A X) with the inverse of a 2 x 2 matrix. */
Test (joint_averages, one_round_is_that_of_its_definition)
{
  enum { N = 40, D = 70 };
  g_autoptr (AssayMatrix) mixtures = normal_images (N, D, 0);
  g_autoptr (AssayMatrix) before = normal_images (2, D, 1);
  g_autoptr (AssayMatrix) after = NULL;
  double shares[N][2], a = 0, b = 0, c = 0, ridge, determinant;
  gsize n_bounded = 0;

  for (gsize t = 0; t < N; t++) /* shares around 1/2, one in three beyond 0 or 1 */
    for (gsize j = 0; j < D; j++)
      mixtures->data[t * D + j]
          += (float) ((double) t / 20 - 0.5) * (before->data[j] - before->data[D + j]);
  after = assay_matrix_copy (assay_matrix_view (before), NULL);
  cr_assert (joint_averages (assay_matrix_view (mixtures), 1, 0, 0, after, NULL));
  for (gsize t = 0; t < N; t++) {
    shares[t][0] = naive_share (mixtures->data + t * D, before->data, D);
    shares[t][1] = 1 - shares[t][0];
    n_bounded += shares[t][0] <= 0 || shares[t][1] <= 0;
    a += shares[t][0] * shares[t][0];
    b += shares[t][0] * shares[t][1];
    c += shares[t][1] * shares[t][1];
  }
  cr_assert (n_bounded >= 5 && n_bounded <= 35, "%zu", n_bounded);
  ridge = 0.02 * (a + c) / 2;
  determinant = (a + ridge) * (c + ridge) - b * b;
  for (gsize j = 0; j < D; j++) {
    double left[2] = { 0 };

    for (gsize t = 0; t < N; t++)
      for (gsize i = 0; i < 2; i++)
        left[i] += shares[t][i]
                   * (mixtures->data[t * D + j] - shares[t][0] * before->data[j]
                      - shares[t][1] * before->data[D + j]);
    assert_near (after->data[j],
                 before->data[j] + ((c + ridge) * left[0] - b * left[1]) / determinant, 2e-5,
                 "first, pixel %zu", j);
    assert_near (after->data[D + j],
                 before->data[D + j] + ((a + ridge) * left[1] - b * left[0]) / determinant, 2e-5,
                 "second, pixel %zu", j);
  }
}

/* Root mean square of estimates less secrets over that of the secrets. */
static double
error_of (const AssayMatrix *estimates, AssayView secrets)
{
  double gap = 0, length = 0;

  for (gsize i = 0; i < secrets.rows * secrets.cols; i++) {
    gap += pow ((double) estimates->data[i] - secrets.data[i], 2);
    length += pow (secrets.data[i], 2);
  }
  return sqrt (gap / length);
}

static AssayView
array_view (const AssayArrays *arrays, const char *name)
{
  return assay_array_view (assay_arrays_get (arrays, name));
}

/* 20 secrets in 240 mixtures of 3, from noise of half their deviation on each: off by 0.5. Many
 * simplices hold all mixtures, and without bounds the one that is reached is not the smallest.
 * With pixels that cannot be below 0 and often are close to it, it is that of the secrets. From the
 * truth, where Y = A X, nothing moves. */
Test (joint_averages, secrets_come_back)
{
  static const struct {
    gboolean is_positive;
    gsize rounds;
    double at_most;
  } cases[] = { { FALSE, 1, 0.45 }, { FALSE, 4, 0.3 }, { TRUE, 4, 0.3 }, { TRUE, 40, 0.1 } };

  for (gsize c = 0; c < G_N_ELEMENTS (cases); c++) {
    const MixtureControl control = { .n_secrets = 20,
                                     .side = 24,
                                     .n_sources = 3,
                                     .n_epochs = 12,
                                     .is_positive = cases[c].is_positive };
    const double white = cases[c].is_positive ? 100 : 0;
    g_autoptr (AssayMatrix) noise = normal_images (20, 576, 2);
    g_autoptr (AssayMatrix) estimates = NULL;
    g_autoptr (AssayMatrix) exact = NULL;
    AssayControlCase made = { 0 };
    AssayView mixtures, secrets;
    double error;

    cr_assert (mixture_control_make (&control, assay_stream_key (4, 0, "case", ""), &made, NULL));
    mixtures = array_view (&made.release->arrays, "images");
    secrets = array_view (&made.truth->arrays, "secrets");
    estimates = assay_matrix_copy (secrets, NULL);
    for (gsize i = 0; i < 20 * 576; i++)
      estimates->data[i] += 0.5f * noise->data[i] * (cases[c].is_positive ? 1.7f : 1);
    cr_assert (joint_averages (mixtures, cases[c].rounds, 0, white, estimates, NULL));
    error = error_of (estimates, secrets);
    cr_assert (error < cases[c].at_most, "case %zu: %g", c, error);
    exact = assay_matrix_copy (secrets, NULL);
    cr_assert (joint_averages (mixtures, 3, 0, white, exact, NULL));
    assert_near (error_of (exact, secrets), 0, 1e-3, "from the truth, case %zu", c);
    assay_control_case_clear (&made);
  }
}

/* Pixels stay between black and white; nothing is learned from images that are all alike. */
Test (joint_averages, bounds_and_images_that_are_alike)
{
  g_autoptr (AssayMatrix) mixtures = normal_images (30, 50, 5);
  g_autoptr (AssayMatrix) images = normal_images (6, 50, 6);
  g_autoptr (AssayMatrix) alike = assay_matrix_new (6, 50, NULL);
  gsize n_black = 0, n_white = 0;

  cr_assert (joint_averages (assay_matrix_view (mixtures), 2, -0.25, 0.5, images, NULL));
  for (gsize i = 0; i < 6 * 50; i++) {
    cr_assert (images->data[i] >= -0.25f && images->data[i] <= 0.5f);
    n_black += images->data[i] <= -0.25f;
    n_white += images->data[i] >= 0.5f;
  }
  cr_assert (n_black > 30 && n_white > 30, "%zu, %zu", n_black, n_white);
  for (gsize i = 0; i < 6 * 50; i++)
    alike->data[i] = 0.125f;
  cr_assert (joint_averages (assay_matrix_view (mixtures), 2, 0, 0, alike, NULL));
  for (gsize i = 0; i < 6 * 50; i++)
    assert_near (alike->data[i], 0.125, 0, "number %zu", i);
}

Test (joint_averages, any_number_of_threads)
{
  g_autoptr (AssayMatrix) mixtures = normal_images (300, 200, 7);
  g_autoptr (AssayMatrix) start = normal_images (9, 200, 8);
  g_autoptr (AssayMatrix) expected = assay_matrix_copy (assay_matrix_view (start), NULL);

  assay_parallel_set_threads (1);
  cr_assert (joint_averages (assay_matrix_view (mixtures), 3, 0, 0, expected, NULL));
  for (guint threads = 2; threads <= 5; threads++) {
    g_autoptr (AssayMatrix) found = assay_matrix_copy (assay_matrix_view (start), NULL);

    assay_parallel_set_threads (threads);
    cr_assert (joint_averages (assay_matrix_view (mixtures), 3, 0, 0, found, NULL));
    cr_assert (memcmp (found->data, expected->data, 9 * 200 * sizeof (float)) == 0, "%u threads",
               threads);
  }
}
