/* Generated images: classes, streams, and how hard they are for a linear classifier. */
#include <math.h>

#include "core/base/parallel.h"
#include "core/math/linalg.h"
#include "tests/unit/image-data.h"

/* ---- Classifiers ---- */

typedef struct {
  AssayMatrix *x; /* n x d */
  const gint64 *labels;
} Part;

/* The share of @scores (n x 10) whose largest is at the label. */
static double
accuracy_of (const float *scores, const Part *part)
{
  gsize n_right = 0;

  for (gsize i = 0; i < part->x->rows; i++) {
    const float *row = scores + i * 10;
    gint64 best = 0;

    for (gint64 c = 1; c < 10; c++)
      best = row[c] > row[best] ? c : best;
    n_right += best == part->labels[i];
  }
  return (double) n_right / (double) part->x->rows;
}

/* Ridge regression on one-hot labels, pixels having mean 0: (X'X + penalty I) W = X'Y. */
static double
ridge_accuracy (const Part *train, const Part *test, double penalty)
{
  const gsize n = train->x->rows, d = train->x->cols;
  g_autofree float *gram = g_new (float, d *d);
  g_autofree double *matrix = g_new (double, d *d);
  g_autofree double *right = g_new0 (double, d * 10);
  g_autofree float *weights = g_new (float, d * 10);
  g_autofree float *scores = g_new (float, test->x->rows * 10);

  assay_linalg_product (ASSAY_TN, assay_view_of (train->x->data, n, d),
                        assay_view_of (train->x->data, n, d), gram, d);
  for (gsize i = 0; i < d * d; i++)
    matrix[i] = (double) gram[i] + (i % (d + 1) == 0 ? penalty : 0);
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < d; j++)
      right[j * 10 + (gsize) train->labels[i]] += (double) assay_matrix_row (train->x, i)[j];
  cr_assert (assay_linalg_solve_spd (d, 10, matrix, right, NULL));
  for (gsize i = 0; i < d * 10; i++)
    weights[i] = (float) right[i];
  assay_linalg_product (ASSAY_NN, assay_view_of (test->x->data, test->x->rows, d),
                        assay_view_of (weights, d, 10), scores, 10);
  return accuracy_of (scores, test);
}

/* One hidden layer of ReLUs, softmax, plain gradient descent with momentum on batches of 50. */
#define HIDDEN 200
#define BATCH 50

typedef struct {
  gsize d;
  float *w, *v; /* d x HIDDEN, HIDDEN x 10 */
  float *dw, *dv;
} Network;

static void
forward (const Network *net, const float *x, gsize n, float *hidden, float *scores)
{
  assay_linalg_product (ASSAY_NN, assay_view_of (x, n, net->d),
                        assay_view_of (net->w, net->d, HIDDEN), hidden, HIDDEN);
  for (gsize i = 0; i < n * HIDDEN; i++)
    hidden[i] = MAX (hidden[i], 0.0f);
  assay_linalg_product (ASSAY_NN, assay_view_of (hidden, n, HIDDEN),
                        assay_view_of (net->v, HIDDEN, 10), scores, 10);
}

static void
move (float *weights, float *speed, const float *gradient, gsize n, float rate)
{
  for (gsize i = 0; i < n; i++) {
    speed[i] = 0.9f * speed[i] - rate * (gradient[i] + 1e-3f * BATCH * weights[i]);
    weights[i] += speed[i];
  }
}

static void
train_batch (Network *net, const float *x, const gint64 *labels, float rate)
{
  static float hidden[BATCH * HIDDEN], scores[BATCH * 10], back[BATCH * HIDDEN];
  g_autofree float *dw = g_new (float, net->d *HIDDEN);
  static float dv[HIDDEN * 10];

  forward (net, x, BATCH, hidden, scores);
  for (gsize i = 0; i < BATCH; i++) {
    float *row = scores + i * 10, sum = 0;

    for (gsize c = 0; c < 10; c++)
      sum += row[c] = expf (row[c]);
    for (gsize c = 0; c < 10; c++)
      row[c] = row[c] / sum - (labels[i] == (gint64) c ? 1.0f : 0.0f);
  }
  assay_linalg_product (ASSAY_TN, assay_view_of (hidden, BATCH, HIDDEN),
                        assay_view_of (scores, BATCH, 10), dv, 10);
  assay_linalg_product (ASSAY_NT, assay_view_of (scores, BATCH, 10),
                        assay_view_of (net->v, HIDDEN, 10), back, HIDDEN);
  for (gsize i = 0; i < BATCH * HIDDEN; i++)
    back[i] = hidden[i] > 0 ? back[i] : 0;
  assay_linalg_product (ASSAY_TN, assay_view_of (x, BATCH, net->d),
                        assay_view_of (back, BATCH, HIDDEN), dw, HIDDEN);
  move (net->w, net->dw, dw, net->d * HIDDEN, rate);
  move (net->v, net->dv, dv, HIDDEN * 10, rate);
}

static double
network_accuracy (const Part *train, const Part *test, guint epochs)
{
  const gsize n = train->x->rows, d = train->x->cols;
  AssayStream stream = assay_stream (assay_stream_key (1, 0, "test", "network"), 0);
  Network net = { .d = d,
                  .w = g_new (float, d *HIDDEN),
                  .v = g_new (float, HIDDEN * 10),
                  .dw = g_new0 (float, d *HIDDEN),
                  .dv = g_new0 (float, HIDDEN * 10) };
  g_autofree gsize *order = g_new (gsize, n);
  g_autofree float *x = g_new (float, BATCH *d);
  g_autofree float *hidden = g_new (float, test->x->rows *HIDDEN);
  g_autofree float *scores = g_new (float, test->x->rows * 10);

  for (gsize i = 0; i < d * HIDDEN; i++)
    net.w[i] = (float) (assay_stream_normal (&stream) * sqrt (2.0 / (double) d));
  for (gsize i = 0; i < HIDDEN * 10; i++)
    net.v[i] = (float) (assay_stream_normal (&stream) * sqrt (1.0 / HIDDEN));
  for (guint epoch = 0; epoch < epochs; epoch++) {
    assay_stream_permutation (&stream, n, order);
    for (gsize b = 0; b + BATCH <= n; b += BATCH) {
      gint64 labels[BATCH];

      for (gsize i = 0; i < BATCH; i++) {
        memcpy (x + i * d, assay_matrix_row (train->x, order[b + i]), d * sizeof (float));
        labels[i] = train->labels[order[b + i]];
      }
      train_batch (&net, x, labels, 0.01f / BATCH * (epoch < epochs * 2 / 3 ? 1.0f : 0.1f));
    }
  }
  forward (&net, test->x->data, test->x->rows, hidden, scores);
  g_free (net.w);
  g_free (net.v);
  g_free (net.dw);
  g_free (net.dv);
  return accuracy_of (scores, test);
}

/* On 4,000 images of 20 x 20 pixels the ridge was right for 0.49 of 2,000 others at its best
 * penalty, the network for 0.83. A rate of 2,000 images lies within sqrt (ln (2 / alpha) / 4000) =
 * 0.06 of its expectation for alpha = 1e-6 (Hoeffding): the bounds are that far from what was
 * measured and still 0.2 apart. */
Test (shapes, a_linear_classifier_is_well_below_a_small_network)
{
  static const double penalties[] = { 500, 2500, 12500 };
  AssayDataset dataset;
  Part train, test;
  double linear = 0, network;

  open_images ("shapes", NULL,
               "channels=1 size=20 private_images=4000 test_images=2000 public_images=0", 1,
               &dataset);
  train = (Part){ read_rows (dataset.secrets), assay_array_int64 (dataset.secret_data.labels) };
  test = (Part){ read_rows (dataset.test), assay_array_int64 (dataset.test_data.labels) };
  for (gsize i = 0; i < G_N_ELEMENTS (penalties); i++)
    linear = MAX (linear, ridge_accuracy (&train, &test, penalties[i]));
  network = network_accuracy (&train, &test, 12);
  cr_assert (linear > 0.42 && linear < 0.56, "ridge: %g", linear);
  cr_assert (network > 0.77 && network < 0.9, "network: %g", network);
  assay_matrix_free (train.x);
  assay_matrix_free (test.x);
  assay_dataset_clear (&dataset);
}

/* ---- Images ---- */

/* Without anything that varies but the stroke, the digits differ where they should: the eight has
 * ink on the left of its upper half, the three has none. */
Test (shapes, digits_are_drawn_where_they_should_be)
{
  AssayDataset dataset;
  g_autoptr (AssayMatrix) images = NULL;
  double left[10] = { 0 };

  open_images ("shapes", NULL,
               "channels=1 size=32 private_images=400 test_images=0 public_images=0 shift=0 "
               "rotation=0 smallest=1 inverted=0 clutter=0 noise=0 scale=unit",
               1, &dataset);
  cr_assert_null (dataset.test);
  cr_assert_null (dataset.public_rows);
  images = read_rows (dataset.secrets);
  for (gsize i = 0; i < images->rows; i++) {
    const float *row = assay_matrix_row (images, i);
    double ground = 0, most = -1;

    /* Brightest of the left at the height of the eight's upper loop, over the image's rim. */
    for (gsize x = 0; x < 32; x++)
      ground += ((double) row[x] + (double) row[31 * 32 + x]) / 64;
    for (gsize y = 8; y < 13; y++)
      for (gsize x = 9; x < 14; x++)
        most = MAX (most, (double) row[y * 32 + x] - ground);
    left[i % 10] += most / 40;
  }
  cr_assert (left[8] > 0.17 && left[0] > 0.17 && left[3] < 0.12 && left[7] < 0.12,
             "0: %g, 3: %g, 7: %g, 8: %g", left[0], left[3], left[7], left[8]);
  assay_dataset_clear (&dataset);
}

/* Image i shows digit i mod 10: classes differ by one image at most. */
Test (shapes, classes_are_balanced)
{
  AssayDataset dataset;
  gsize counts[10] = { 0 };

  open_images ("shapes", NULL, "private_images=1234 test_images=77 public_images=40 size=8", 1,
               &dataset);
  for (gsize i = 0; i < 1234; i++)
    counts[assay_array_int64 (dataset.secret_data.labels)[i]]++;
  for (gsize c = 0; c < 10; c++)
    cr_assert_eq (counts[c], c < 4 ? 124 : 123, "class %zu", c);
  cr_assert_eq (dataset.test_data.labels->shape[0], 77);
  cr_assert_eq (dataset.n_classes, 10);
  cr_assert_null (dataset.public_data.labels);
  assay_dataset_clear (&dataset);
}

/* Neither threads nor the other counts change an image; the seed does. */
Test (shapes, images_depend_on_seed_and_number_alone)
{
  static const char settings[] = "private_images=90 test_images=20 public_images=12 scale=unit";
  static const char others[] = "private_images=50 test_images=5 public_images=30 scale=unit";
  AssayDataset one, three, fewer, other;

  assay_parallel_set_threads (1);
  open_images ("shapes", NULL, settings, 1, &one);
  assay_parallel_set_threads (3);
  open_images ("shapes", NULL, settings, 1, &three);
  cr_assert_str_eq (one.sha256, three.sha256);
  cr_assert_str_eq (assay_rows_sha256 (one.secrets), assay_rows_sha256 (three.secrets));
  cr_assert_str_eq (assay_rows_sha256 (one.public_rows), assay_rows_sha256 (three.public_rows));
  open_images ("shapes", NULL, others, 1, &fewer);
  open_images ("shapes", NULL, settings, 2, &other);
  cr_assert_str_neq (one.sha256, other.sha256);
  {
    g_autoptr (AssayMatrix) all = read_rows (one.secrets), some = read_rows (fewer.secrets);
    g_autoptr (AssayMatrix) leaves = read_rows (one.public_rows);
    g_autoptr (AssayMatrix) more = read_rows (fewer.public_rows);
    g_autoptr (AssayMatrix) test = read_rows (one.test), changed = read_rows (other.secrets);
    const gsize bytes = all->cols * sizeof (float);

    cr_assert_arr_eq (all->data, some->data, 50 * bytes);
    cr_assert_arr_eq (leaves->data, more->data, 12 * bytes);
    cr_assert (memcmp (all->data, changed->data, bytes) != 0);
    cr_assert (memcmp (all->data, test->data, bytes) != 0);
  }
  assay_dataset_clear (&one);
  assay_dataset_clear (&three);
  assay_dataset_clear (&fewer);
  assay_dataset_clear (&other);
}

/* ---- Scales, which all image datasets share ---- */

/* Every channel of the secrets has mean 0 and standard deviation 1 to the rounding of floats, and
 * test images are scaled by the same numbers: undone by black and white of one channel, they are
 * the bytes of scale = unit. */
Test (shapes, scale_dataset)
{
  AssayDataset unit, dataset;

  open_images ("shapes", NULL, "channels=1 private_images=300 public_images=0 scale=unit", 1,
               &unit);
  open_images ("shapes", NULL, "channels=1 private_images=300 public_images=0 scale=dataset", 1,
               &dataset);
  cr_assert_str_eq (unit.sha256, dataset.sha256);
  cr_assert (unit.geometry.black == 0 && unit.geometry.white == 1);
  {
    g_autoptr (AssayMatrix) bytes = read_rows (unit.test), scaled = read_rows (dataset.test);
    g_autoptr (AssayMatrix) secrets = read_rows (dataset.secrets);
    const double black = dataset.geometry.black, white = dataset.geometry.white;
    const gsize n = secrets->rows * secrets->cols;
    double sum = 0, squares = 0;

    for (gsize i = 0; i < n; i++) {
      sum += (double) secrets->data[i];
      squares += (double) secrets->data[i] * (double) secrets->data[i];
    }
    assert_near (sum / (double) n, 0, 1e-6, "mean");
    assert_near (squares / (double) n, 1, 1e-5, "variance");
    for (gsize i = 0; i < bytes->rows * bytes->cols; i++)
      assert_near (((double) scaled->data[i] - black) / (white - black), (double) bytes->data[i],
                   1e-6, "pixel %zu", i);
  }
  assay_dataset_clear (&unit);
  assay_dataset_clear (&dataset);
}

Test (shapes, scale_dataset_by_channel)
{
  AssayDataset dataset;

  open_images ("shapes", NULL, "size=16 private_images=200 public_images=0", 1, &dataset);
  {
    g_autoptr (AssayMatrix) secrets = read_rows (dataset.secrets);
    const gsize n = secrets->rows * 16 * 16;

    for (gsize c = 0; c < 3; c++) {
      double sum = 0, squares = 0;

      for (gsize i = 0; i < n; i++) {
        const double x = (double) secrets->data[3 * i + c];

        sum += x;
        squares += x * x;
      }
      assert_near (sum / (double) n, 0, 1e-6, "mean of channel %zu", c);
      assert_near (squares / (double) n, 1, 1e-5, "variance of channel %zu", c);
    }
  }
  assay_dataset_clear (&dataset);
}

/* Zero mean and unit norm of every image of every role: 192 floats of at most 1, each rounded to
 * 2^-24 of itself. */
Test (shapes, scale_vector)
{
  AssayDataset dataset;

  open_images ("shapes", NULL,
               "size=8 private_images=500 test_images=60 public_images=40 scale=vector", 1,
               &dataset);
  cr_assert (dataset.geometry.black == dataset.geometry.white);
  {
    const AssayRows *const roles[] = { dataset.secrets, dataset.test, dataset.public_rows };

    for (gsize r = 0; r < 3; r++) {
      g_autoptr (AssayMatrix) rows = read_rows (roles[r]);

      for (gsize i = 0; i < rows->rows; i++) {
        double sum = 0, squares = 0;

        for (gsize j = 0; j < rows->cols; j++) {
          const double x = (double) assay_matrix_row (rows, i)[j];

          sum += x;
          squares += x * x;
        }
        assert_near (sum, 0, 192 * 0x1p-24, "sum of image %zu of role %zu", i, r);
        assert_near (squares, 1, 4 * 0x1p-24, "norm of image %zu of role %zu", i, r);
      }
    }
  }
  assay_dataset_clear (&dataset);
}
