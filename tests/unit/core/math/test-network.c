/* Networks against differences of a naive loss, closed forms, and known best classifiers. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/math/network.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-network.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/assert-stops.h"

static AssayStreamKey
key_of (guint64 trial)
{
  return assay_stream_key (17, trial, "network", "");
}

static AssayNetwork *
network_of (const AssayNetworkShape *shape)
{
  return assay_network_new (shape, key_of (0), NULL);
}

static void
train_or_die (AssayNetwork *network, const AssayNetworkTraining *training,
              const AssayMatrix *inputs, const AssayMatrix *targets)
{
  g_autoptr (GError) error = NULL;

  cr_assert (assay_network_train (network, training, assay_matrix_view (inputs),
                                  assay_matrix_view (targets), key_of (1), &error),
             "%s", error != NULL ? error->message : "");
}

/* Shares that sum to something between 0 and 2. */
static AssayMatrix *
make_targets (gsize rows, gsize classes, guint64 trial)
{
  AssayMatrix *targets = fixture_normal (rows, classes, trial);

  for (gsize i = 0; i < rows * classes; i++)
    targets->data[i] = fminf (fabsf (targets->data[i]), 2.0f) / (float) classes;
  return targets;
}

/* ---- Steps ---- */

static const AssayNetworkShape shapes[] = {
  { 1, { 5, 3 } },            /* softmax regression */
  { 2, { 7, 6, 4 } },         /* narrower than any panel */
  { 3, { 6, 70, 9, 3 } },     /* a panel and a part of one */
  { 5, { 4, 8, 5, 6, 7, 2 } } /* as deep as it gets */
};

/* One step of rate 1 without momentum and decay is the gradient. Float32: sums of up to 150 terms
 * of size 1 over their number, and W - dW is rounded by 2^-24 of W, below 3: 5e-6 for all. */
Test (network, a_step_is_the_gradient)
{
  static const gsize sizes[] = { 1, 13, 150 }; /* of one shard, of three */
  const AssayNetworkTraining training = { .epochs = 1, .batch = 150, .learning_rate = 1 };

  for (gsize s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++) {
      const AssayNetworkShape *shape = &shapes[s];
      const gsize n = naive_network_size (shape);
      g_autoptr (AssayMatrix) inputs = fixture_normal (sizes[k], shape->widths[0], 2 * s);
      g_autoptr (AssayMatrix) targets
          = make_targets (sizes[k], shape->widths[shape->n_layers], 2 * s + 1);
      g_autoptr (AssayNetwork) network = network_of (shape);
      g_autofree double *before = g_new (double, n);
      g_autofree double *after = g_new (double, n);
      g_autofree double *gradient = g_new (double, n);

      /* The last layer begins at 0, where no gradient would reach those below; biases of 0 put a
       * unit that nothing reaches on the kink of its ReLU. */
      for (gsize i = 0; i < shape->widths[shape->n_layers - 1]; i++)
        network->weights[shape->n_layers - 1][i] = 0.25f * (float) ((i % 5) + 1);
      for (gsize l = 0; l < shape->n_layers; l++)
        for (gsize i = 0; i < shape->widths[l + 1]; i++)
          network->biases[l][i] = 0.3f - 0.17f * (float) (i % 4);
      naive_network_read (network, before);
      naive_network_gradient (shape, before, assay_matrix_view (inputs),
                              assay_matrix_view (targets), gradient);
      train_or_die (network, &training, inputs, targets);
      naive_network_read (network, after);
      for (gsize i = 0; i < n; i++)
        assert_near (before[i] - after[i], gradient[i], 5e-6, "shape %zu, %zu rows, parameter %zu",
                     s, sizes[k], i);
    }
}

/* V <- momentum V + dW + decay W, W <- W - rate V, rate = 0.4 (1 + cos (pi t / 4)) / 2; a batch
 * larger than the set is the set. Four steps of float32. */
Test (network, steps_have_momentum_decay_and_a_cosine)
{
  const AssayNetworkShape *shape = &shapes[1];
  const AssayNetworkTraining training
      = { .epochs = 4, .batch = 1000, .learning_rate = 0.4, .momentum = 0.7, .weight_decay = 0.3 };
  const gsize n = naive_network_size (shape);
  g_autoptr (AssayMatrix) inputs = fixture_normal (20, 7, 1);
  g_autoptr (AssayMatrix) targets = make_targets (20, 4, 2);
  g_autoptr (AssayNetwork) network = network_of (shape);
  g_autofree double *expected = g_new (double, n);
  g_autofree double *found = g_new (double, n);
  g_autofree double *gradient = g_new (double, n);
  g_autofree double *velocity = g_new0 (double, n);

  naive_network_read (network, expected);
  for (gsize t = 0; t < 4; t++) {
    naive_network_gradient (shape, expected, assay_matrix_view (inputs),
                            assay_matrix_view (targets), gradient);
    for (gsize i = 0; i < n; i++) {
      const gboolean is_bias = (i >= 42 && i < 48) || i >= 72; /* 7 x 6, 6, 6 x 4, 4 */

      velocity[i] = 0.7 * velocity[i] + gradient[i] + (is_bias ? 0 : 0.3 * expected[i]);
      expected[i] -= 0.4 * (1 + cos (G_PI * (double) t / 4)) / 2 * velocity[i];
    }
  }
  train_or_die (network, &training, inputs, targets);
  naive_network_read (network, found);
  for (gsize i = 0; i < n; i++)
    assert_near (found[i], expected[i], 5e-6, "parameter %zu", i);
}

/* ---- What is learnt ---- */

/* Shares given as targets by a known softmax regression, each row counting by another sum: the
 * least loss is where they are given back. The loss is convex, and 2,000 full steps go to its
 * bottom. */
Test (network, soft_labels_give_the_linear_map_back)
{
  static const double map[3][4]
      = { { 1, -0.5, 0.3, 0.2 }, { -0.7, 0.4, 0.1, -0.4 }, { 0, 1, -1, 0 } };
  const AssayNetworkShape shape = { 1, { 3, 3 } };
  const AssayNetworkTraining training
      = { .epochs = 2000, .batch = 100, .learning_rate = 0.5, .momentum = 0.9 };
  enum { N = 100 };
  g_autoptr (AssayMatrix) inputs = fixture_normal (N, 3, 5);
  g_autoptr (AssayMatrix) targets = assay_matrix_new (N, 3, NULL);
  g_autoptr (AssayNetwork) network = network_of (&shape);
  double shares[N][3];
  float found[N * 3];

  for (gsize i = 0; i < N; i++) {
    const float *x = assay_matrix_row (inputs, i);
    double sum = 0;

    for (gsize c = 0; c < 3; c++) {
      shares[i][c] = exp (map[c][3]);
      for (gsize j = 0; j < 3; j++)
        shares[i][c] *= exp (map[c][j] * (double) x[j]);
      sum += shares[i][c];
    }
    for (gsize c = 0; c < 3; c++) {
      shares[i][c] /= sum;
      assay_matrix_row (targets, i)[c] = (float) (shares[i][c] * (0.3 + 0.01 * (double) i));
    }
  }
  train_or_die (network, &training, inputs, targets);
  cr_assert (assay_network_predict (network, assay_matrix_view (inputs), found, NULL));
  for (gsize i = 0; i < N; i++)
    for (gsize c = 0; c < 3; c++)
      assert_near ((double) found[3 * i + c], shares[i][c], 1e-4, "row %zu, class %zu", i, c);
}

/* Without anything to tell rows apart, the least loss gives each class its share of the targets. */
Test (network, constant_inputs_give_the_shares_of_classes)
{
  const AssayNetworkShape one = { 1, { 4, 3 } }, two = { 2, { 4, 5, 3 } };
  const AssayNetworkTraining training
      = { .epochs = 600, .batch = 60, .learning_rate = 0.2, .momentum = 0.9 };
  g_autoptr (AssayMatrix) inputs = assay_matrix_new (60, 4, NULL);
  g_autoptr (AssayMatrix) targets = assay_matrix_new (60, 3, NULL);

  for (gsize i = 0; i < 60; i++)
    assay_matrix_row (targets, i)[i < 30 ? 0 : i < 50 ? 1 : 2] = 1;
  for (gsize level = 0; level < 2; level++) {
    g_autoptr (AssayNetwork) softmax = network_of (&one);
    g_autoptr (AssayNetwork) network = network_of (&two);
    float shares[2][60 * 3];

    for (gsize i = 0; i < 60 * 4; i++)
      inputs->data[i] = (float) level;
    train_or_die (softmax, &training, inputs, targets);
    train_or_die (network, &training, inputs, targets);
    cr_assert (assay_network_predict (softmax, assay_matrix_view (inputs), shares[0], NULL));
    cr_assert (assay_network_predict (network, assay_matrix_view (inputs), shares[1], NULL));
    for (gsize k = 0; k < 2; k++) {
      assert_near ((double) shares[k][0], 1.0 / 2, 1e-4, "level %zu, network %zu", level, k);
      assert_near ((double) shares[k][1], 1.0 / 3, 1e-4, "level %zu, network %zu", level, k);
      assert_near ((double) shares[k][2], 1.0 / 6, 1e-4, "level %zu, network %zu", level, k);
    }
  }
}

enum { ROWS = 20000 };

/* Rows around (+-a, +-b), standard normal in d columns, with one-hot targets: class 1 where the
 * first sign is positive, or where both are equal. */
static void
make_blobs (double a, double b, gsize d, guint64 trial, AssayMatrix **ret_inputs,
            AssayMatrix **ret_targets)
{
  AssayMatrix *inputs = fixture_normal (ROWS, d, trial);
  AssayMatrix *targets = assay_matrix_new (ROWS, 2, NULL);

  for (gsize i = 0; i < ROWS; i++) {
    const gboolean first = i % 2, second = (i / 2) % 2;
    const gsize label = (b > 0 ? first == second : first) ? 1 : 0;

    assay_matrix_row (inputs, i)[0] += (float) (first ? a : -a);
    assay_matrix_row (inputs, i)[1] += (float) (second ? b : -b);
    assay_matrix_row (targets, i)[label] = 1;
  }
  *ret_inputs = inputs;
  *ret_targets = targets;
}

static double
accuracy_of (const AssayNetwork *network, const AssayMatrix *inputs, const AssayMatrix *targets)
{
  g_autofree float *shares = g_new (float, 2 * inputs->rows);
  gsize n_right = 0;

  cr_assert (assay_network_predict (network, assay_matrix_view (inputs), shares, NULL));
  for (gsize i = 0; i < inputs->rows; i++)
    n_right += (shares[2 * i + 1] > shares[2 * i]) == (targets->data[2 * i + 1] > 0);
  return (double) n_right / (double) inputs->rows;
}

static double
learn_blobs (const AssayNetworkShape *shape, double a, double b)
{
  const AssayNetworkTraining training
      = { .epochs = 8, .batch = 128, .learning_rate = 0.05, .momentum = 0.9, .weight_decay = 1e-4 };
  g_autoptr (AssayMatrix) inputs = NULL, targets = NULL, test_inputs = NULL, test_targets = NULL;
  g_autoptr (AssayNetwork) network = network_of (shape);

  make_blobs (a, b, shape->widths[0], 1, &inputs, &targets);
  make_blobs (a, b, shape->widths[0], 2, &test_inputs, &test_targets);
  train_or_die (network, &training, inputs, targets);
  return accuracy_of (network, test_inputs, test_targets);
}

/* No classifier is right more often than Phi (a) of blobs at distance 2 a. A rate of 20,000 lies
 * within 5 sqrt (p (1 - p) / 20000) <= 0.013 of its expectation (chance 6e-7). What a fit of few
 * parameters loses is of order d / n = 0.0005; networks of a few hundred are given 0.01. */
Test (network, blobs_are_told_apart_as_well_as_can_be)
{
  const AssayNetworkShape softmax = { 1, { 6, 2 } }, network = { 2, { 6, 32, 2 } };
  const double best = 0.5 * erfc (-1 / sqrt (2)), within = 5 * sqrt (best * (1 - best) / ROWS);
  const double linear = learn_blobs (&softmax, 1, 0), hidden = learn_blobs (&network, 1, 0);

  cr_assert (linear > best - within - 0.001 && linear < best + within, "softmax: %g", linear);
  cr_assert (hidden > best - within - 0.01 && hidden < best + within, "network: %g", hidden);
}

/* Exclusive or: the best is p^2 + (1 - p)^2 with p = Phi (2); a line leaves one blob of four on the
 * wrong side at least. */
Test (network, layers_learn_what_a_line_cannot)
{
  const AssayNetworkShape softmax = { 1, { 2, 2 } }, network = { 3, { 2, 32, 32, 2 } };
  const double p = 0.5 * erfc (-2 / sqrt (2)), best = p * p + (1 - p) * (1 - p);
  const double within = 5 * sqrt (best * (1 - best) / ROWS);
  const double linear = learn_blobs (&softmax, 2, 2), hidden = learn_blobs (&network, 2, 2);

  cr_assert (linear < 0.78, "softmax: %g", linear);
  cr_assert (hidden > best - within - 0.01 && hidden < best + within, "network: %g", hidden);
}

/* ---- Threads ---- */

Test (network, threads_do_not_matter)
{
  const AssayNetworkShape shape = { 3, { 33, 150, 70, 5 } };
  const AssayNetworkTraining training
      = { .epochs = 2, .batch = 200, .learning_rate = 0.05, .momentum = 0.9, .weight_decay = 1e-3 };
  g_autoptr (AssayMatrix) inputs = fixture_normal (777, 33, 1);
  g_autoptr (AssayMatrix) targets = make_targets (777, 5, 2);
  const gsize n = naive_network_size (&shape);
  g_autofree double *first = g_new (double, n);
  g_autofree double *other = g_new (double, n);
  g_autofree float *first_shares = g_new (float, 777 * 5);
  g_autofree float *other_shares = g_new (float, 777 * 5);

  for (guint threads = 1; threads <= 3; threads++) {
    g_autoptr (AssayNetwork) network = NULL;

    assay_parallel_set_threads (threads);
    network = network_of (&shape);
    train_or_die (network, &training, inputs, targets);
    naive_network_read (network, threads == 1 ? first : other);
    cr_assert (assay_network_predict (network, assay_matrix_view (inputs),
                                      threads == 1 ? first_shares : other_shares, NULL));
    if (threads == 1)
      continue;
    cr_assert_arr_eq (first, other, n * sizeof *first, "%u threads", threads);
    cr_assert_arr_eq (first_shares, other_shares, 777 * 5 * sizeof (float), "%u threads", threads);
  }
}

/* ---- Divergence ---- */

/* Decay alone, at rate 1: W becomes -9 W in each of two steps an epoch, until products of the two
 * layers' weights are beyond float32, 2^128 or 1e38. */
Test (network, keeps_what_it_was_before_it_diverged)
{
  const AssayNetworkShape shape = { 2, { 4, 5, 2 } };
  AssayNetworkReport report = { 0 };
  AssayNetworkTraining training
      = { .epochs = 200, .batch = 8, .learning_rate = 1, .weight_decay = 10, .report = &report };
  g_autoptr (AssayMatrix) inputs = fixture_normal (16, 4, 1);
  g_autoptr (AssayMatrix) targets = make_targets (16, 2, 2);
  g_autoptr (AssayNetwork) network = network_of (&shape), untold = network_of (&shape);
  g_autofree char *expected = NULL;
  g_autoptr (GError) error = NULL;
  double largest = 0;

  cr_assert (assay_network_train (network, &training, assay_matrix_view (inputs),
                                  assay_matrix_view (targets), key_of (1), NULL));
  cr_assert (report.has_diverged && report.epochs > 2 && report.epochs < 30, "%zu epochs",
             report.epochs);
  cr_assert (isfinite (report.loss));
  for (gsize i = 0; i < 20; i++) {
    cr_assert (isfinite (network->weights[0][i]), "weight %zu", i);
    largest = MAX (largest, fabs ((double) network->weights[0][i]));
  }
  /* Those of the last epoch before, not those it began with: within two steps of 1e19. */
  cr_assert (largest > 1e15, "%g", largest);
  /* Who takes no report would not hear of it. */
  training.report = NULL;
  cr_assert_not (assay_network_train (untold, &training, assay_matrix_view (inputs),
                                      assay_matrix_view (targets), key_of (1), &error));
  expected = g_strdup_printf ("training diverged in epoch %zu at learning_rate = 1; expected a "
                              "smaller one, or smaller inputs",
                              report.epochs + 1);
  cr_assert_str_eq (error->message, expected);
}

/* With steps of nothing the loss is that of the weights, to the rounding of float32. */
Test (network, says_the_loss_of_its_rows)
{
  const AssayNetworkShape shape = { 2, { 4, 5, 3 } };
  AssayNetworkReport report = { 0 };
  const AssayNetworkTraining training
      = { .epochs = 2, .batch = 7, .learning_rate = 1e-12, .report = &report };
  g_autoptr (AssayMatrix) inputs = fixture_normal (20, 4, 1);
  g_autoptr (AssayMatrix) targets = make_targets (20, 3, 2);
  g_autoptr (AssayNetwork) network = network_of (&shape);
  double expected = 0;

  cr_assert (assay_network_train (network, &training, assay_matrix_view (inputs),
                                  assay_matrix_view (targets), key_of (1), NULL));
  for (gsize i = 0; i < 60; i++)
    expected += (double) targets->data[i] * log (3) / 20; /* the last layer begins with zeros */
  assert_near (report.loss, expected, 1e-6, "loss");
  cr_assert (report.epochs == 2 && !report.has_diverged);
}

/* ---- Ctrl-C ---- */

static gboolean
train_and_predict (gpointer data, GError **error)
{
  static const AssayNetworkShape shape = { 2, { 4, 70, 3 } };
  const AssayNetworkTraining training = { .epochs = 2, .batch = 100, .learning_rate = 0.01 };
  const AssayMatrix *const *both = data;
  const AssayView inputs = assay_matrix_view (both[0]), targets = assay_matrix_view (both[1]);
  g_autoptr (AssayNetwork) network = assay_network_new (&shape, key_of (0), error);
  g_autofree float *shares = g_new (float, 150 * 3);

  return network != NULL
         && assay_network_train (network, &training, inputs, targets, key_of (1), error)
         && assay_network_predict (network, inputs, shares, error);
}

/* Weights of 70 units; two epochs of batches with two shards and with one, and the panels of either
 * layer, two and one; predictions of three shards. */
Test (network, every_shard_and_panel_asks_whether_to_stop)
{
  g_autoptr (AssayMatrix) inputs = fixture_normal (150, 4, 1);
  g_autoptr (AssayMatrix) targets = make_targets (150, 3, 2);
  const guint asks = 70 + 2 * (2 + 1 + 2 * 3) + 3;

  assert_stops (train_and_predict, (AssayMatrix *[]){ inputs, targets }, asks, asks);
}

/* ---- Bad input ---- */

static void
assert_refused (const AssayNetworkShape *shape, double rate, const AssayMatrix *inputs,
                const AssayMatrix *targets, gint code, const char *message)
{
  const AssayNetworkTraining training = { .epochs = 40, .batch = 8, .learning_rate = rate };
  g_autoptr (AssayNetwork) network = network_of (shape);
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!assay_network_train (network, &training, assay_matrix_view (inputs),
                                   assay_matrix_view (targets), key_of (1), &error),
             "%s", message);
  cr_assert (fixture_error_is (&error, code, message, NULL, &why), "%s", why);
}

Test (network, refuses_what_it_cannot_learn_from)
{
  const AssayNetworkShape shape = { 2, { 3, 4, 2 } }, deep = { 4, { 3, 9, 9, 9, 2 } };
  g_autoptr (AssayMatrix) inputs = fixture_normal (9, 3, 1);
  g_autoptr (AssayMatrix) wide = fixture_normal (9, 5, 1);
  g_autoptr (AssayMatrix) nothing = assay_matrix_new (9, 2, NULL);
  g_autoptr (AssayMatrix) targets = make_targets (9, 2, 2);
  g_autoptr (AssayNetwork) network = network_of (&shape);
  g_autofree char *why = NULL;
  GError *error = NULL;
  float shares[18];

  assert_refused (&shape, 0.1, wide, targets, ASSAY_ERROR_MISMATCH,
                  "9 rows of 5 columns with 9 rows of 2 shares; expected one row of 2 shares for "
                  "each row of 3 columns, and a row at least");
  assert_refused (&shape, 0.1, inputs, nothing, ASSAY_ERROR_DATA,
                  "no row has a share of any class; expected a positive one at least");
  assay_matrix_row (nothing, 4)[1] = -0.5f;
  assert_refused (&shape, 0.1, inputs, nothing, ASSAY_ERROR_DATA,
                  "row 4 gives class 1 the share -0.5; expected no negative ones");
  assay_matrix_row (nothing, 4)[1] = NAN;
  assert_refused (&shape, 0.1, inputs, nothing, ASSAY_ERROR_NUMERIC,
                  "shares of classes: row 4, column 1 is not a finite number");
  assert_refused (
      &deep, 1e30, inputs, targets, ASSAY_ERROR_NUMERIC,
      "training diverged in epoch 1 at learning_rate = 1e+30; expected a smaller one, or "
      "smaller inputs");
  assay_matrix_row (inputs, 2)[0] = NAN;
  assert_refused (&shape, 0.1, inputs, targets, ASSAY_ERROR_NUMERIC,
                  "inputs: row 2, column 0 is not a finite number");
  cr_assert (!assay_network_predict (network, assay_matrix_view (inputs), shares, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_NUMERIC,
                               "inputs: row 2, column 0 is not a finite number", NULL, &why),
             "%s", why);
  cr_assert (!assay_network_predict (network, assay_matrix_view (wide), shares, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, "expected rows of 3 columns, found 5",
                               NULL, &why),
             "%s", why);
}
