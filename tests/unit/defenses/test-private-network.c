/* private-network and what reads its releases: what an image can do at most, how much noise there
 * is, what is learned with and without it, whether it was trained on, and what is refused. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/data/kinds/network.h"
#include "core/network/classifier/released-network.h"
#include "core/plugin/registry.h"
#include "core/stats/renyi-privacy.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/assert-stops.h"

extern const AssayDefense assay_defense_private_network;

enum { SIDE = 8, COLS = SIDE * SIDE, N = 64 };

static const AssayGeometry geometry
    = { .height = SIDE, .width = SIDE, .channels = 1, .black = 0, .white = 1 };

/* Stripes of two pixels that run down (class 0) or across (class 1) and begin anywhere. */
static AssayMatrix *
make_images (guint64 trial, gint64 *ret_labels)
{
  AssayMatrix *images = assay_matrix_new (N, COLS, NULL);

  for (gsize i = 0; i < N; i++) {
    AssayStream stream = assay_stream (assay_stream_key (7, trial, "private network", ""), i);
    const gsize phase = assay_stream_below (&stream, 4);

    ret_labels[i] = (gint64) (i % 2);
    for (gsize at = 0; at < COLS; at++)
      assay_matrix_row (images, i)[at]
          = (float) (((i % 2 == 0 ? at % SIDE : at / SIDE) + phase) / 2 % 2)
            + (float) assay_stream_normal (&stream) / 8;
  }
  return images;
}

/* What training makes of the first @n images; NULL with @error. */
static AssayRelease *
train_on (gsize n, const char *assignments, const AssayGeometry *of, GError **error)
{
  g_autofree char *all = g_strdup_printf ("width=8 %s", assignments);
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_private_network.plugin, all);
  gint64 labels[N];
  g_autoptr (AssayMatrix) images = make_images (0, labels);
  const AssayDefenseContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (1, 0, "release", ""),
                                        .common_stream = assay_stream_key (1, 0, "common", ""),
                                        .labels = labels,
                                        .n_classes = 2,
                                        .geometry = *of };
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_NETWORK, "test");
  g_autoptr (AssayTruth) truth = assay_truth_new ();

  if (!assay_defense_private_network.protect (
          &context, assay_view_rows (assay_matrix_view (images), 0, n), release, truth, error))
    return NULL;
  cr_assert (assay_release_check (release, NULL));
  return g_steal_pointer (&release);
}

static AssayRelease *
train_well (gsize n, const char *assignments)
{
  AssayRelease *release = train_on (n, assignments, &geometry, NULL);

  cr_assert_not_null (release);
  return release;
}

static AssayView
weights_of (const AssayRelease *release)
{
  return assay_array_view (assay_arrays_get (&release->arrays, "weights"));
}

static double
distance (const AssayRelease *a, const AssayRelease *b)
{
  double square = 0;

  for (gsize k = 0; k < weights_of (a).cols; k++)
    square += pow ((double) (weights_of (a).data[k] - weights_of (b).data[k]), 2);
  return sqrt (square);
}

/* One round of sums as they are, at C = 0.05: images differ by a gradient of that length, whatever
 * they show. */
Test (private_network, an_image_counts_for_its_clipped_gradient)
{
  const char *settings = "noise=no rate=1 batch=1 rounds=1 learning_rate=1 clip=0.05";
  g_autoptr (AssayRelease) with = train_well (8, settings), without = train_well (7, settings);

  assert_near (distance (with, without), 0.05, 1e-4, "a clipped gradient");
}

/* One round in which no image takes part: all weights that a release has move by z C / batch. */
Test (private_network, noise_is_that_of_the_accountant)
{
  const AssaySampledGaussian mechanism = { .rate = 1e-6, .rounds = 1 };
  const double z = assay_sampled_gaussian_noise (&mechanism, 2, 1e-7);
  g_autoptr (AssayRelease) noisy
      = train_well (N, "epsilon=2 delta=1e-7 rate=1e-6 rounds=1 batch=4 clip=3 learning_rate=1");
  g_autoptr (AssayRelease) plain
      = train_well (N, "noise=no rate=1e-6 rounds=1 batch=4 clip=3 learning_rate=1");
  const gsize n = weights_of (noisy).cols;
  gsize n_same = 0;

  for (gsize k = 0; k < n; k++)
    n_same += weights_of (noisy).data[k] == weights_of (plain).data[k];
  cr_assert_eq (n_same, 0u, "%zu weights have no noise", n_same);
  assert_near (distance (noisy, plain) / sqrt ((double) n), z * 3 / 4, 0.02 * z * 3 / 4,
               "deviation");
}

static gsize
count_right (const AssayRelease *release)
{
  gint64 labels[N];
  g_autoptr (AssayMatrix) images = make_images (1, labels);
  g_auto (AssayReleasedNetwork) network = { 0 };
  float shares[N][2];
  gsize right = 0;

  cr_assert (assay_released_network_open (release, &network, NULL));
  cr_assert (
      assay_released_network_predict (&network, assay_matrix_view (images), shares[0], NULL));
  for (gsize i = 0; i < N; i++)
    right += (shares[i][1] > shares[i][0]) == (labels[i] == 1);
  return right;
}

/* No single pixel says which way stripes run: other images are known by what was learned, and under
 * an epsilon of 0.01 nothing is. */
Test (private_network, learns_what_epsilon_lets_it)
{
  g_autoptr (AssayRelease) plain
      = train_well (N, "noise=no rate=0.5 batch=32 rounds=30 learning_rate=0.1");
  g_autoptr (AssayRelease) private
      = train_well (N, "epsilon=0.01 rate=0.5 batch=32 rounds=30 learning_rate=0.1");

  cr_assert_gt (count_right (plain), 58u, "%zu of %d", count_right (plain), N);
  cr_assert_lt (count_right (private), 48u, "%zu of %d", count_right (private), N);
}

static gboolean
train_anew (G_GNUC_UNUSED gpointer data, GError **error)
{
  g_autoptr (AssayRelease) release = train_on (N, "rounds=12 rate=1e-6", &geometry, error);

  return release != NULL;
}

Test (private_network, every_round_asks_whether_to_stop)
{
  assert_stops (train_anew, NULL, 12, 12 + 100);
}

Test (private_network, is_refused)
{
  const AssayShape rows = { .cols = 6, .n_classes = 2 };
  const AssayShape images = { .cols = COLS, .n_classes = 2, .geometry = geometry };
  const AssayGeometry own_scales = { .height = SIDE, .width = SIDE, .channels = 1 };
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_private_network.plugin, "width=12");
  g_autoptr (AssaySettings) fitting
      = fixture_settings (&assay_defense_private_network.plugin, "width=8");
  GError *error = NULL;

  cr_assert (assay_defense_private_network.check (fitting->values, &images, NULL));
  cr_assert_not (assay_defense_private_network.check (fitting->values, &rows, &error));
  cr_assert_str_eq (error->message,
                    "a convolutional network looks at images; expected a dataset of images, such "
                    "as cifar, or the defense private-classifier");
  g_clear_error (&error);
  cr_assert_not (assay_defense_private_network.check (settings->values, &images, &error));
  cr_assert_str_eq (error->message, "width = 12: expected a multiple of 8");
  g_clear_error (&error);
  cr_assert_null (train_on (N, "rounds=1", &own_scales, &error));
  cr_assert_str_eq (error->message,
                    "which numbers show black and white is not known; expected images scaled alike "
                    "(scale = unit or dataset), since levels that are measured on an image would "
                    "have to be told");
  g_clear_error (&error);
}

/* ---- Releases of others ---- */

static void
assert_refused (AssayRelease *release, const char *message)
{
  g_auto (AssayReleasedNetwork) network = { 0 };
  g_autoptr (GError) error = NULL;

  cr_assert_not (assay_released_network_open (release, &network, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_MISMATCH)
             || g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_PARAMETER));
  cr_assert_str_eq (error->message, message);
}

Test (released_network, is_what_it_says)
{
  g_autoptr (AssayRelease) release = train_well (4, "rounds=1");
  g_autoptr (AssayRelease) silent = assay_release_new (ASSAY_RELEASE_NETWORK, "test");
  AssayMatrix *weights = assay_matrix_new (1, 5, NULL), *two = assay_matrix_new (2, 5, NULL);
  g_autoptr (GError) error = NULL;

  cr_assert_eq (assay_release_cols (release), (gsize) COLS);
  assay_arrays_take_matrix (&silent->arrays, "weights", &weights);
  assert_refused (silent, "the release does not say what its network is; expected the parameter "
                          "'height'");
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, classes, 3);
  assert_refused (release,
                  "weights has 19618 numbers; expected the 19651 of a network of 8 filters "
                  "and 1 blocks a stage for 3 classes of images of 8 x 8 pixels and 1 "
                  "channel");
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, classes, 2);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, filters, 12);
  assert_refused (release, "width = 12: expected a multiple of 8");
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, filters, 8);
  ASSAY_SET_PARAMETER (release, AssayNetworkParameters, white, 0);
  assert_refused (release,
                  "black and white are both 0; expected the numbers of an image that show so");
  assay_arrays_take_matrix (&silent->arrays, "weights", &two);
  cr_assert_not (assay_release_check (silent, &error));
  cr_assert_str_eq (error->message,
                    "weights has 2 rows; expected 1, of the network that all secrets trained");
}
