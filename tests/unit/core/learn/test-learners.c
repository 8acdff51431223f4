/* Learners against closed forms and obvious second implementations. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/learn/learner.h"
#include "core/learn/neighbours.h"
#include "core/learn/residual-network.h"
#include "core/learn/ridge.h"
#include "core/math/linalg.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/seeds.h"

static AssayStreamKey
key_of (guint64 seed)
{
  return assay_stream_key (seed, 0, "test", "");
}

/* y = x M + noise e for M (d x q), e ~ N (0, 1). */
static AssayMatrix *
linear (const AssayMatrix *inputs, const AssayMatrix *map, double noise, guint64 trial)
{
  AssayMatrix *outputs = fixture_normal (inputs->rows, map->cols, trial);

  for (gsize i = 0; i < inputs->rows; i++)
    for (gsize j = 0; j < map->cols; j++) {
      double sum = noise * (double) outputs->data[i * map->cols + j];

      for (gsize k = 0; k < inputs->cols; k++)
        sum += (double) inputs->data[i * inputs->cols + k] * (double) map->data[k * map->cols + j];
      outputs->data[i * map->cols + j] = (float) sum;
    }
  return outputs;
}

static double
mean_squared (const AssayMatrix *a, AssayView b)
{
  double sum = 0;

  for (gsize i = 0; i < b.rows; i++)
    for (gsize j = 0; j < b.cols; j++)
      sum += pow ((double) a->data[i * a->cols + j] - (double) assay_view_row (b, i)[j], 2);
  return sum / (double) b.rows;
}

/* ---- Ridge ---- */

/* (X'X + l I)^-1 X'Y with standardised X and centred Y, leaving out row @without, in double; the
 * squared error of that row. */
static double
left_out_by_hand (AssayView x, AssayView y, double l)
{
  const gsize n = x.rows, d = x.cols, q = y.cols;
  g_autofree double *gram = g_new (double, d *d);
  g_autofree double *right = g_new (double, d *q);
  double total = 0;

  for (gsize without = 0; without < n; without++) {
    double mean[64] = { 0 };

    /* The closed form leaves the row out of the means as well, and keeps the scales. */
    memset (gram, 0, d * d * sizeof (double));
    memset (right, 0, d * q * sizeof (double));
    for (gsize i = 0; i < n; i++)
      for (gsize j = 0; i != without && j < d + q; j++)
        mean[j] += (double) (j < d ? assay_view_row (x, i)[j] : assay_view_row (y, i)[j - d])
                   / (double) (n - 1);
    for (gsize i = 0; i < n; i++)
      for (gsize a = 0; i != without && a < d; a++) {
        const double value = (double) assay_view_row (x, i)[a] - mean[a];

        for (gsize b = 0; b < d; b++)
          gram[a * d + b] += value * ((double) assay_view_row (x, i)[b] - mean[b]);
        for (gsize b = 0; b < q; b++)
          right[a * q + b] += value * ((double) assay_view_row (y, i)[b] - mean[d + b]);
      }
    for (gsize a = 0; a < d; a++)
      gram[a * d + a] += l;
    cr_assert (assay_linalg_solve_spd (d, q, gram, right, NULL));
    for (gsize b = 0; b < q; b++) {
      double predicted = mean[d + b];

      for (gsize a = 0; a < d; a++)
        predicted += ((double) assay_view_row (x, without)[a] - mean[a]) * right[a * q + b];
      total += pow (predicted - (double) assay_view_row (y, without)[b], 2);
    }
  }
  return total / (double) n;
}

/* The error that ridge reports is that of leaving each row out, one after the other, and no penalty
 * of the grid has less. */
Test (learners, ridge_leaves_one_out_in_closed_form)
{
  g_autoptr (AssayMatrix) x = fixture_normal (40, 6, 1);
  g_autoptr (AssayMatrix) map = fixture_normal (6, 3, 100);
  g_autoptr (AssayMatrix) y = linear (x, map, 1.5, 200);
  g_autoptr (AssayRidge) ridge
      = assay_ridge_new (assay_matrix_view (x), assay_matrix_view (y), key_of (1), NULL);
  g_autoptr (AssayMatrix) scaled
      = assay_standard_apply (ridge->standard, assay_matrix_view (x), NULL);
  /* lambda is told by the mean eigenvalue of standardised X'X, which is n. */
  const double lambda = ridge->lambda * 40;
  const double by_hand
      = left_out_by_hand (assay_matrix_view (scaled), assay_matrix_view (y), lambda);

  cr_assert (!ridge->is_dual);
  cr_assert_float_eq (ridge->left_out, by_hand, 1e-3 * by_hand);
  for (guint i = 0; i < 2; i++) {
    const double other = left_out_by_hand (assay_matrix_view (scaled), assay_matrix_view (y),
                                           lambda * (i == 0 ? sqrt (10) : 1 / sqrt (10)));

    cr_assert_geq (other, by_hand * (1 - 1e-3));
  }
}

/* Of fewer rows than inputs, rows are interpolated. */
Test (learners, ridge_interpolates_fewer_rows_than_inputs)
{
  g_autoptr (AssayMatrix) x = fixture_normal (30, 50, 1);
  g_autoptr (AssayMatrix) map = fixture_normal (50, 4, 100);
  g_autoptr (AssayMatrix) y = linear (x, map, 0, 200);
  g_autoptr (AssayRidge) ridge
      = assay_ridge_new (assay_matrix_view (x), assay_matrix_view (y), key_of (1), NULL);
  g_autoptr (AssayMatrix) found = assay_ridge_predict (ridge, assay_matrix_view (x), NULL);
  double of_mean = 0;

  cr_assert (ridge->is_dual);
  for (gsize i = 0; i < 30 * 4; i++)
    of_mean += pow ((double) y->data[i], 2) / 30;
  cr_assert_lt (mean_squared (found, assay_matrix_view (y)), 0.5 * of_mean);
  /* Left out, a row is told worse than it is fitted. */
  cr_assert_gt (ridge->left_out, mean_squared (found, assay_matrix_view (y)));
}

/* y = R x + noise, R to half the columns: within 5 % of the best linear estimator, whose error is
 * tr (S - S R' (R S R' + t I)^-1 R S) for x ~ N (0, S). */
Test (learners, ridge_is_near_the_best_linear_estimator)
{
  enum { D = 16, K = 8, N = 4000, TESTED = 2000 };
  g_autoptr (AssayMatrix) x = fixture_normal (N + TESTED, D, 1);
  g_autoptr (AssayMatrix) map = fixture_normal (D, K, 100);
  g_autoptr (AssayMatrix) y = NULL;
  g_autoptr (AssayRidge) ridge = NULL;
  g_autoptr (AssayMatrix) found = NULL;
  double gram[K * K] = { 0 }, right[K * D], best = 0;

  for (gsize i = 0; i < x->rows; i++)
    for (gsize j = 0; j < D; j++)
      x->data[i * D + j] *= (float) (1 + (double) j / 4);
  y = linear (x, map, 0.1 * 4, 200);
  ridge = assay_ridge_new (assay_view_rows (assay_matrix_view (y), 0, N),
                           assay_view_rows (assay_matrix_view (x), 0, N), key_of (1), NULL);
  found = assay_ridge_predict (ridge, assay_view_rows (assay_matrix_view (y), N, TESTED), NULL);
  for (gsize a = 0; a < K; a++)
    for (gsize j = 0; j < D; j++) {
      const double s = pow (1 + (double) j / 4, 2);

      right[a * D + j] = s * (double) map->data[j * K + a];
      for (gsize b = 0; b < K; b++)
        gram[a * K + b] += s * (double) map->data[j * K + a] * (double) map->data[j * K + b];
    }
  for (gsize a = 0; a < K; a++)
    gram[a * K + a] += pow (0.4, 2);
  for (gsize j = 0; j < D; j++)
    best += pow (1 + (double) j / 4, 2);
  {
    double solved[K * D];

    memcpy (solved, right, sizeof solved);
    cr_assert (assay_linalg_solve_spd (K, D, gram, solved, NULL));
    for (gsize a = 0; a < K * D; a++)
      best -= right[a] * solved[a];
  }
  /* 2000 rows tell their mean squared error to 2 %. */
  cr_assert_float_eq (mean_squared (found, assay_view_rows (assay_matrix_view (x), N, TESTED)),
                      best, 0.05 * best);
}

Test (learners, many_outputs_choose_the_penalty_by_combinations)
{
  g_autoptr (AssayMatrix) x = fixture_normal (300, 20, 1);
  g_autoptr (AssayMatrix) map = fixture_normal (20, 100, 100);
  g_autoptr (AssayMatrix) y = linear (x, map, 3, 2000);
  g_autoptr (AssayRidge) ridge
      = assay_ridge_new (assay_matrix_view (x), assay_matrix_view (y), key_of (1), NULL);

  /* Noise of variance 9 in each of 100 outputs, and a little more for 20 coefficients of 300. */
  cr_assert_float_eq (ridge->left_out, 900 * (1 + 20.0 / 300), 0.05 * 900);
}

Test (learners, columns_that_do_not_vary_say_nothing)
{
  g_autoptr (AssayMatrix) x = fixture_normal (50, 4, 1);
  g_autoptr (AssayMatrix) y = fixture_normal (50, 2, 100);
  g_autoptr (AssayMatrix) other = fixture_normal (3, 4, 300);
  g_autoptr (AssayRidge) ridge = NULL;
  g_autoptr (AssayMatrix) found = NULL;

  for (gsize i = 0; i < 50 * 4; i++)
    x->data[i] = 7;
  ridge = assay_ridge_new (assay_matrix_view (x), assay_matrix_view (y), key_of (1), NULL);
  found = assay_ridge_predict (ridge, assay_matrix_view (other), NULL);
  for (gsize i = 0; i < 3; i++)
    for (gsize j = 0; j < 2; j++)
      cr_assert_float_eq ((double) found->data[i * 2 + j], ridge->offset[j], 1e-6);
}

Test (learners, numbers_that_are_not_finite_are_refused)
{
  g_autoptr (AssayMatrix) x = fixture_normal (50, 4, 1);
  g_autoptr (AssayMatrix) y = fixture_normal (50, 2, 100);
  g_autoptr (GError) error = NULL;

  x->data[9] = NAN;
  cr_assert_null (
      assay_ridge_new (assay_matrix_view (x), assay_matrix_view (y), key_of (1), &error));
  cr_assert (strstr (error->message, "inputs") != NULL, "%s", error->message);
}

/* ---- Neighbours ---- */

/* The output is the sign of the first input: one neighbour among many says it, a line does not. */
Test (learners, neighbours_average_the_nearest)
{
  g_autoptr (AssayMatrix) x = fixture_normal (60, 2, 1);
  g_autoptr (AssayMatrix) y = assay_matrix_new (60, 1, NULL);
  g_autoptr (AssayNeighbours) neighbours = NULL;
  g_autoptr (AssayMatrix) scaled = NULL;
  g_autoptr (AssayMatrix) found = NULL;

  for (gsize i = 0; i < 60; i++)
    y->data[i] = x->data[2 * i] > 0 ? 1 : -1;
  neighbours = assay_neighbours_new (assay_view_rows (assay_matrix_view (x), 0, 50),
                                     assay_view_rows (assay_matrix_view (y), 0, 50), NULL);
  scaled = assay_standard_apply (neighbours->standard, assay_matrix_view (x), NULL);
  found = assay_neighbours_predict (neighbours, assay_view_rows (assay_matrix_view (x), 50, 10),
                                    NULL);
  for (gsize i = 50; i < 60; i++) {
    gboolean is_used[50] = { FALSE };
    double sum = 0;

    for (gsize k = 0; k < neighbours->k; k++) {
      gsize nearest = 0;
      double least = INFINITY;

      for (gsize j = 0; j < 50; j++) {
        const double distance
            = pow ((double) scaled->data[2 * i] - (double) scaled->data[2 * j], 2)
              + pow ((double) scaled->data[2 * i + 1] - (double) scaled->data[2 * j + 1], 2);

        if (!is_used[j] && distance < least) {
          least = distance;
          nearest = j;
        }
      }
      is_used[nearest] = TRUE;
      sum += (double) y->data[nearest];
    }
    cr_assert_float_eq ((double) found->data[i - 50], sum / (double) neighbours->k, 1e-5);
  }
}

/* ---- The choice ---- */

static AssayLearner *
learn (AssayLearnerKind kind, const AssayMatrix *x, const AssayMatrix *y, const guint *parts,
       guint64 seed)
{
  const AssayExamples examples
      = { .inputs = assay_matrix_view (x), .outputs = assay_matrix_view (y), .parts = parts };
  g_autoptr (GError) error = NULL;
  AssayLearner *learner = assay_learner_new (kind, &examples, key_of (seed), &error);

  cr_assert (learner != NULL, "%s", error != NULL ? error->message : "");
  return learner;
}

Test (learners, ridge_is_taken_for_what_is_linear)
{
  g_autoptr (AssayMatrix) x = fixture_normal (500, 8, 1);
  g_autoptr (AssayMatrix) map = fixture_normal (8, 8, 1000);
  g_autoptr (AssayMatrix) y = linear (x, map, 0.1, 2000);
  g_autoptr (AssayLearner) learner = learn (ASSAY_LEARNER_BEST, x, y, NULL, 1);
  const AssayExpectation *expects = assay_learner_expects (learner);
  g_autofree char *says = assay_learner_describe (learner);

  cr_assert (expects->has_learned && expects->kind == ASSAY_LEARNER_RIDGE);
  /* 0.1 of lengths around 8. */
  cr_assert_lt (expects->error, 0.06);
  cr_assert_gt (expects->constant_error, 0.9);
  cr_assert_eq (expects->n_held, 100);
  cr_assert (g_str_has_prefix (says, "ridge, from 500 pairs: expected relative error 0.0"), "%s",
             says);
}

Test (learners, something_else_is_taken_for_what_is_not_linear)
{
  g_autoptr (AssayMatrix) x = fixture_normal (1500, 4, 1);
  g_autoptr (AssayMatrix) y = assay_matrix_new (1500, 4, NULL);
  g_autoptr (AssayLearner) learner = NULL;

  for (gsize i = 0; i < 1500 * 4; i++)
    y->data[i] = fabsf (x->data[i]);
  learner = learn (ASSAY_LEARNER_BEST, x, y, NULL, 1);
  cr_assert (assay_learner_expects (learner)->has_learned
             && assay_learner_expects (learner)->kind != ASSAY_LEARNER_RIDGE);
  cr_assert_gt (assay_learner_expects (learner)->explained, 0.6);
}

/* The network finds what ridge cannot, and gives what it was asked for. */
Test (learners, the_network_learns_what_is_left_over)
{
  g_autoptr (AssayMatrix) x = fixture_normal (2000, 3, 1);
  g_autoptr (AssayMatrix) y = assay_matrix_new (2000, 2, NULL);
  g_autoptr (AssayResidualNetwork) network = NULL;
  g_autoptr (AssayMatrix) found = NULL;

  for (gsize i = 0; i < 2000; i++) {
    y->data[2 * i] = 2 * x->data[3 * i] + x->data[3 * i + 1] * x->data[3 * i + 1];
    y->data[2 * i + 1] = 10 - x->data[3 * i + 2];
  }
  network = assay_residual_network_new (assay_view_rows (assay_matrix_view (x), 0, 1500),
                                        assay_view_rows (assay_matrix_view (y), 0, 1500),
                                        key_of (1), NULL);
  found = assay_residual_network_predict (network,
                                          assay_view_rows (assay_matrix_view (x), 1500, 500), NULL);
  /* Without the square, the error is its variance, 2. */
  cr_assert_lt (mean_squared (found, assay_view_rows (assay_matrix_view (y), 1500, 500)), 0.3, "%g",
                mean_squared (found, assay_view_rows (assay_matrix_view (y), 1500, 500)));
}

/* Of 200 seeds, independent outputs are taken for learned in no more than the level of z = 3 allows
 * (0.0013): two already have a chance of 3 %. And where nothing is learned the constant is said. */
Test (learners, independence_is_not_learned)
{
  guint n_learned = 0;

  for (guint64 seed = 0; seed < 200; seed++) {
    g_autoptr (AssayMatrix) x = fixture_normal (60, 5, 1000 * seed + 1);
    g_autoptr (AssayMatrix) y = fixture_normal (60, 4, 1000 * seed + 501);
    g_autoptr (AssayLearner) learner = learn (ASSAY_LEARNER_RIDGE, x, y, NULL, seed);
    g_autoptr (AssayMatrix) found = NULL;

    if (assay_learner_expects (learner)->has_learned) {
      n_learned++;
      continue;
    }
    found = assay_learner_predict (learner, assay_matrix_view (x), NULL);
    cr_assert_eq (memcmp (found->data, found->data + 4, 4 * sizeof (float)), 0);
  }
  cr_assert_leq (n_learned, 2, "%u", n_learned);
}

/* Each part has a map of its own: within a part it can be learned, and says nothing of others. */
Test (learners, parts_are_held_out_whole)
{
  enum { PARTS = 10, EACH = 40, COLS = 4 };
  g_autoptr (AssayMatrix) x = fixture_normal (PARTS * EACH, COLS, 1);
  g_autoptr (AssayMatrix) y = assay_matrix_new (PARTS * EACH, COLS, NULL);
  g_autofree guint *parts = g_new (guint, PARTS * EACH);
  g_autoptr (AssayLearner) learner = NULL;
  g_autofree char *says = NULL;

  for (guint p = 0; p < PARTS; p++) {
    g_autoptr (AssayMatrix) map = fixture_normal (COLS, COLS, 5000 + 10 * p);
    g_autoptr (AssayMatrix) rows
        = assay_matrix_copy (assay_view_rows (assay_matrix_view (x), p * EACH, EACH), NULL);
    g_autoptr (AssayMatrix) outputs = linear (rows, map, 0, 9000);

    memcpy (y->data + p * EACH * COLS, outputs->data, EACH * COLS * sizeof (float));
    for (gsize i = 0; i < EACH; i++)
      parts[p * EACH + i] = p;
  }
  learner = learn (ASSAY_LEARNER_BEST, x, y, parts, 1);
  says = assay_learner_describe (learner);
  cr_assert (!assay_learner_expects (learner)->has_learned, "%s", says);
  cr_assert_eq (assay_learner_expects (learner)->n_held, 2 * EACH);
  cr_assert (g_str_has_prefix (says, "learned nothing from 400 pairs: "), "%s", says);
}

Test (learners, the_same_on_any_number_of_threads)
{
  g_autoptr (AssayMatrix) x = fixture_normal (700, 40, 1);
  g_autoptr (AssayMatrix) y = fixture_normal (700, 50, 2000);
  AssayMatrix *found[2];

  TEST_OF_RESULTS ();
  for (gsize i = 0; i < 700 * 40; i++)
    y->data[i / 40 * 50 + i % 40] += fabsf (x->data[i]) + x->data[i];
  for (AssayLearnerKind kind = ASSAY_LEARNER_BEST; kind <= ASSAY_LEARNER_NETWORK; kind++) {
    for (guint t = 0; t < 2; t++) {
      g_autoptr (AssayLearner) learner = NULL;

      assay_parallel_set_threads (1 + 2 * t);
      learner = learn (kind, x, y, NULL, 1);
      found[t] = assay_learner_predict (learner, assay_matrix_view (x), NULL);
    }
    cr_assert_eq (memcmp (found[0]->data, found[1]->data, 700 * 50 * sizeof (float)), 0, "%s",
                  assay_learner_names[kind]);
    assay_matrix_free (found[0]);
    assay_matrix_free (found[1]);
  }
}

Test (learners, too_few_examples_are_refused)
{
  static const guint parts[5] = { 0 };
  g_autoptr (AssayMatrix) x = fixture_normal (5, 2, 1);
  AssayExamples examples = { .inputs = assay_view_rows (assay_matrix_view (x), 0, 3),
                             .outputs = assay_view_rows (assay_matrix_view (x), 0, 3) };
  g_autoptr (GError) error = NULL;

  cr_assert_null (assay_learner_new (ASSAY_LEARNER_BEST, &examples, key_of (1), &error));
  cr_assert_str_eq (error->message, "3 examples to learn from; expected 4 at least");
  g_clear_error (&error);
  examples = (AssayExamples){ assay_matrix_view (x), assay_matrix_view (x), parts };
  cr_assert_null (assay_learner_new (ASSAY_LEARNER_BEST, &examples, key_of (1), &error));
  cr_assert (strstr (error->message, "expected two releases at least") != NULL);
}
