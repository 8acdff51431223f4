/* The residual network of classification: classes that only neighbours of pixels tell, and what is
 * refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/plugin/utility.h"
#include "metrics/learning/image-network.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

extern const AssayUtility assay_utility_classification;

enum { SIDE = 8, PIXELS = SIDE * SIDE, CHANNELS = 2, COLS = PIXELS * CHANNELS, N = 96 };

static const AssayGeometry geometry
    = { .height = SIDE, .width = SIDE, .channels = CHANNELS, .white = 1 };

static AssayStreamKey
key_of (guint64 trial)
{
  return assay_stream_key (7, trial, "image network", "");
}

/* Stripes of two pixels that run down (class 0) or across (class 1), begin anywhere, and stand in
 * the second of two interleaved channels; the first has them the other way. No pixel by itself
 * says which is which. */
static void
draw_images (guint64 trial, AssayMatrix **ret_images, AssayMatrix **ret_shares)
{
  *ret_images = assay_matrix_new (N, COLS, NULL);
  *ret_shares = assay_matrix_new (N, 2, NULL);
  for (gsize i = 0; i < N; i++) {
    AssayStream stream = assay_stream (key_of (trial), i);
    const gsize phase = assay_stream_below (&stream, 4);

    assay_matrix_row (*ret_shares, i)[i % 2] = 1;
    for (gsize at = 0; at < PIXELS; at++) {
      const gsize across = (at / SIDE + phase) / 2 % 2, down = (at % SIDE + phase) / 2 % 2;
      float *pixel = assay_matrix_row (*ret_images, i) + at * CHANNELS;

      pixel[0] = (float) (i % 2 == 0 ? across : down) * 2 - 1;
      pixel[1] = (float) (i % 2 == 0 ? down : across) * 2 - 1;
      for (gsize c = 0; c < CHANNELS; c++)
        pixel[c] += (float) assay_stream_normal (&stream) / 2;
    }
  }
}

static const ImageNetwork settings = {
  .width = 8,
  .blocks = 1,
  .stride = 1,
  .shift = 2,
  .is_mirrored = TRUE,
  .training
  = { .descent = ASSAY_DESCENT_SGD, .epochs = 5, .batch = 8, .rate = 0.05, .momentum = 0.9 }
};

static AssayTape *
train (guint64 trial)
{
  g_autoptr (AssayMatrix) images = NULL, shares = NULL;
  g_autoptr (GError) error = NULL;
  AssayTapeReport report;
  AssayTape *tape;

  draw_images (trial, &images, &shares);
  tape = image_network_train (
      &settings,
      &(ImageNetworkRows){ &geometry, 1, assay_matrix_view (images), assay_matrix_view (shares) },
      key_of (trial), &report, &error);
  cr_assert_not_null (tape, "%s", error != NULL ? error->message : "");
  return tape;
}

Test (image_network, knows_the_way_of_stripes)
{
  g_autoptr (AssayTape) tape = train (0), again = NULL;
  g_autoptr (AssayMatrix) images = NULL, shares = NULL;
  g_autofree float *found = g_new (float, N * 2);
  gsize right = 0;

  draw_images (1, &images, &shares);
  cr_assert (image_network_predict (
      tape, &(ImageNetworkRows){ &geometry, 1, assay_matrix_view (images), { 0 } }, found, NULL));
  for (gsize i = 0; i < N; i++)
    right += found[2 * i + i % 2] > 0.5F;
  cr_assert_geq (right, N - 2, "%zu of %d", right, N);
  /* The same to the bit on three threads. */
  assay_parallel_set_threads (3);
  again = train (0);
  cr_assert (memcmp (tape->parameters, again->parameters, tape->n_parameters * sizeof (float))
             == 0);
}

/* The first step does not begin with opinions that would have to be unlearned. */
Test (image_network, begins_with_equal_shares)
{
  g_autoptr (AssayMatrix) images = NULL, shares = NULL;
  g_autofree float *found = g_new (float, N * 2);
  g_autoptr (AssayTape) tape = NULL;
  ImageNetwork unmoved = settings;
  AssayTapeReport report;

  unmoved.training.rate = 1e-9;
  draw_images (0, &images, &shares);
  tape = image_network_train (
      &unmoved,
      &(ImageNetworkRows){ &geometry, 1, assay_matrix_view (images), assay_matrix_view (shares) },
      key_of (0), &report, NULL);
  cr_assert (tape != NULL
             && image_network_predict (
                 tape, &(ImageNetworkRows){ &geometry, 1, assay_matrix_view (images), { 0 } },
                 found, NULL));
  for (gsize i = 0; i < N * 2; i++)
    assert_near ((double) found[i], 0.5, 1e-6, "share %zu", i);
}

/* Decay alone multiplies weights by -9 a step: what is kept is of the last epoch before. */
Test (image_network, keeps_what_it_was_before_it_diverged)
{
  g_autoptr (AssayMatrix) images = NULL, shares = NULL;
  g_autoptr (AssayTape) tape = NULL;
  g_autoptr (GError) error = NULL;
  ImageNetwork unstable = settings;
  AssayTapeReport report = { 0 };

  unstable.training = (AssayTapeTraining){
    .descent = ASSAY_DESCENT_SGD, .epochs = 100, .batch = N / 2, .rate = 1, .decay = 10
  };
  draw_images (0, &images, &shares);
  tape = image_network_train (
      &unstable,
      &(ImageNetworkRows){ &geometry, 1, assay_matrix_view (images), assay_matrix_view (shares) },
      key_of (0), &report, &error);
  cr_assert (tape != NULL, "%s", error != NULL ? error->message : "");
  cr_assert (report.has_diverged && report.epochs >= 1, "%zu epochs", report.epochs);
  for (gsize i = 0; i < tape->n_parameters; i++)
    cr_assert (isfinite (tape->parameters[i]), "parameter %zu", i);
}

static void
assert_refused (const char *assignments, const AssayShape *shape, const char *message)
{
  g_autoptr (AssaySettings) values
      = fixture_settings (&assay_utility_classification.plugin, assignments);
  g_autoptr (GError) error = NULL;

  cr_assert_not (assay_utility_classification.check (values->values, shape, &error));
  cr_assert_str_eq (error->message, message);
}

Test (image_network, is_refused)
{
  const AssayShape rows = { .cols = 6, .n_classes = 2 };
  const AssayShape images = { .cols = COLS, .n_classes = 2, .geometry = geometry };
  g_autoptr (AssaySettings) values
      = fixture_settings (&assay_utility_classification.plugin, "model=residual");

  cr_assert (assay_utility_classification.check (values->values, &images, NULL));
  assert_refused ("model=residual", &rows,
                  "model = residual looks at images; expected a dataset of images, such as cifar, "
                  "or another model");
  assert_refused ("model=residual width=12", &images, "width = 12: expected a multiple of 8");
}

/* Wider networks take more, and images that are halved at once a quarter, of as many weights. */
Test (image_network, says_what_it_takes)
{
  ImageNetwork wide = settings;
  const AssayTapeSize narrow = image_network_size (&settings, &geometry, 1, 10);
  AssayTapeSize size;

  wide.stride = 2;
  size = image_network_size (&wide, &geometry, 1, 10);
  cr_assert_eq (size.parameters, narrow.parameters);
  cr_assert_lt (size.layers, narrow.layers / 2);
  wide = settings;
  wide.width = 32;
  size = image_network_size (&wide, &geometry, 1, 10);
  cr_assert_gt (assay_tape_size_bytes (&narrow), (guint64) 100000);
  cr_assert_gt (assay_tape_size_bytes (&size), 4 * assay_tape_size_bytes (&narrow));
}
