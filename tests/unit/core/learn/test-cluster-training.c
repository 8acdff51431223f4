/* Passes of k-means against an obvious second implementation. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/learn/cluster-training.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

enum { ROWS = 40, COLS = 3, CLUSTERS = 4 };

/* Rows about the corners of a square, and centroids that are off. */
typedef struct {
  AssayMatrix *rows;
  gsize chosen[ROWS];
  double centroids[CLUSTERS * COLS];
} Problem;

static void
problem_clear (Problem *problem)
{
  assay_matrix_free (problem->rows);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Problem, problem_clear)

static Problem
problem_new (void)
{
  Problem problem = { .rows = fixture_normal (ROWS, COLS, 3) };

  for (gsize i = 0; i < ROWS; i++) {
    problem.rows->data[i * COLS] += i % 2 == 0 ? 2 : -2;
    problem.rows->data[i * COLS + 1] += i % 4 < 2 ? 2 : -2;
    problem.chosen[i] = (7 * i + 3) % ROWS;
  }
  for (gsize c = 0; c < CLUSTERS; c++) {
    problem.centroids[c * COLS] = c % 2 == 0 ? 1 : -1;
    problem.centroids[c * COLS + 1] = c < 2 ? 1 : -1;
    problem.centroids[c * COLS + 2] = 0.25;
  }
  return problem;
}

static gsize
naive_nearest (const double *centroids, const float *row)
{
  gsize best = 0;
  double least = INFINITY;

  for (gsize c = 0; c < CLUSTERS; c++) {
    double square = 0;

    for (gsize j = 0; j < COLS; j++)
      square += pow (centroids[c * COLS + j] - (double) row[j], 2);
    if (square < least) {
      least = square;
      best = c;
    }
  }
  return best;
}

/* Means of the samples so far, made anew for each batch; then the least of the penalised objective,
 * found by a search over the line in each coordinate. */
static void
naive_pass (const Problem *problem, gsize batch, double penalty, double mix, double *ret_centroids)
{
  gsize given[ROWS];

  memcpy (ret_centroids, problem->centroids, sizeof problem->centroids);
  for (gsize first = 0; first < ROWS; first += batch) {
    const gsize end = MIN (first + batch, ROWS);

    for (gsize i = first; i < end; i++)
      given[i]
          = naive_nearest (ret_centroids, problem->rows->data + problem->chosen[i] * COLS);
    for (gsize c = 0; c < CLUSTERS; c++)
      for (gsize j = 0; j < COLS; j++) {
        double sum = 0, count = 0;

        for (gsize i = 0; i < end; i++)
          if (given[i] == c) {
            sum += (double) problem->rows->data[problem->chosen[i] * COLS + j];
            count++;
          }
        if (count > 0)
          ret_centroids[c * COLS + j] = sum / count;
      }
  }
  for (gsize k = 0; k < CLUSTERS * COLS && penalty > 0; k++) {
    const double mean = ret_centroids[k];
    double low = -10, high = 10;

    for (guint round = 0; round < 200; round++) { /* the objective is convex */
      double at[2], value[2];

      for (guint s = 0; s < 2; s++) {
        at[s] = low + (high - low) * (1 + s) / 3;
        value[s] = pow (mean - at[s], 2) / 2
                   + penalty * (mix * fabs (at[s]) + (1 - mix) / 2 * at[s] * at[s]);
      }
      if (value[0] < value[1])
        high = at[1];
      else
        low = at[0];
    }
    ret_centroids[k] = (low + high) / 2;
  }
}

/* Batches of one, of seven and of all; the search ends within 1e-7 of the least value's place. */
Test (cluster_training, a_pass_by_definition)
{
  static const gsize batches[] = { 1, 7, 0 };
  static const double penalties[] = { 0, 0.5, 3 }, mixes[] = { 1, 0.5, 1 };

  for (guint b = 0; b < 3; b++)
    for (guint p = 0; p < 3; p++) {
      g_auto (Problem) problem = problem_new ();
      const AssayLinearTraining how = { .classes = CLUSTERS,
                                        .cols = COLS,
                                        .penalty = penalties[p],
                                        .mix = mixes[p] };
      const AssayLinearSamples samples
          = { assay_matrix_view (problem.rows), NULL, problem.chosen, ROWS };
      double expected[CLUSTERS * COLS];

      naive_pass (&problem, batches[b] == 0 ? ROWS : batches[b], penalties[p], mixes[p], expected);
      assay_cluster_pass (&how, &samples, batches[b], problem.centroids);
      for (gsize k = 0; k < CLUSTERS * COLS; k++)
        assert_near (problem.centroids[k], expected[k], penalties[p] > 0 ? 1e-6 : 1e-12,
                     "batch %zu, penalty %g, number %zu", batches[b], penalties[p], k);
    }
}

/* A centroid that is nearest to no sample stays where it is, but for the penalty. */
Test (cluster_training, a_centroid_without_samples)
{
  g_auto (Problem) problem = problem_new ();
  const AssayLinearTraining how
      = { .classes = CLUSTERS, .cols = COLS, .penalty = 0.5, .mix = 1 };
  const AssayLinearSamples samples
      = { assay_matrix_view (problem.rows), NULL, problem.chosen, ROWS };

  problem.centroids[0] = 1000;
  assay_cluster_pass (&how, &samples, 1, problem.centroids);
  assert_near (problem.centroids[0], 999.5, 1e-12, "far away");
  assert_near (problem.centroids[2], 0, 0, "0.25 below the threshold");
}
