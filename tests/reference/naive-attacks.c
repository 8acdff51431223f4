/* The attacks on affine lifting, word by word. */
#include "tests/reference/naive-attacks.h"

#include <math.h>
#include <stdlib.h>

#include "tests/reference/naive-scan.h"

typedef struct {
  gsize row;
  double distance; /* from D */
  double score;
} Candidate;

void
naive_guess_clear (NaiveGuess *guess)
{
  g_clear_pointer (&guess->estimate, g_free);
  g_clear_pointer (&guess->adversarial, g_free);
}

static int
by_distance (const void *a, const void *b)
{
  const Candidate *x = a, *y = b;

  return (x->distance > y->distance) - (x->distance < y->distance);
}

static int
by_score (const void *a, const void *b)
{
  const Candidate *x = a, *y = b;

  return (x->score < y->score) - (x->score > y->score);
}

static Candidate *
rank_rows (const AssaySubspaces *subspaces, gsize index, const float *rows, gsize count)
{
  Candidate *candidates = g_new0 (Candidate, count);

  for (gsize i = 0; i < count; i++)
    candidates[i] = (Candidate){
      .row = i, .distance = naive_scan_distance (subspaces, index, rows + i * subspaces->cols)
    };
  qsort (candidates, count, sizeof (Candidate), by_distance);
  return candidates;
}

void
naive_project (const AssaySubspaces *subspaces, gsize index, double *inout_x)
{
  const gsize d = subspaces->cols, m = subspaces->dimension;
  const float *t = subspaces->translation + index * d;
  g_autofree double *sum = g_new (double, d);

  for (gsize j = 0; j < d; j++)
    sum[j] = t[j];
  for (gsize i = 0; i < m; i++) {
    const float *b = subspaces->basis + (index * m + i) * d;
    double product = 0;

    for (gsize j = 0; j < d; j++)
      product += b[j] * (inout_x[j] - t[j]);
    for (gsize j = 0; j < d; j++)
      sum[j] += product * b[j];
  }
  for (gsize j = 0; j < d; j++)
    inout_x[j] = sum[j];
}

static double
row_distance (const float *a, const float *b, gsize d)
{
  double sum = 0;

  for (gsize j = 0; j < d; j++)
    sum += ((double) a[j] - b[j]) * ((double) a[j] - b[j]);
  return sqrt (sum);
}

NaiveGuess
naive_nearest_attack (const AssaySubspaces *subspaces, gsize index, const float *rows, gsize count,
                      gboolean is_projected)
{
  const gsize d = subspaces->cols;
  g_autofree Candidate *candidates = rank_rows (subspaces, index, rows, count);
  NaiveGuess guess = { .estimate = g_new (double, d), .margin = INFINITY };

  for (gsize j = 0; j < d; j++)
    guess.estimate[j] = rows[candidates[0].row * d + j];
  if (is_projected)
    naive_project (subspaces, index, guess.estimate);
  if (count > 1)
    guess.margin = candidates[1].distance - candidates[0].distance;
  return guess;
}

NaiveGuess
naive_database_attack (const AssaySubspaces *subspaces, gsize index, const float *rows, gsize count,
                       const NaiveDatabase *settings)
{
  const gsize d = subspaces->cols, n_adversarial = settings->n_adversarial;
  g_autofree Candidate *all = rank_rows (subspaces, index, rows, count);
  Candidate *v = all + n_adversarial;
  const gsize n_v = MIN (n_adversarial > 0 ? settings->neighbours : settings->averaged,
                         count - n_adversarial);
  const gsize n_u = MIN (settings->averaged, n_v);
  NaiveGuess guess = { .estimate = g_new0 (double, d),
                       .adversarial = g_new0 (gsize, n_adversarial + 1),
                       .n_adversarial = n_adversarial,
                       .margin = INFINITY };
  double weights = 0;

  for (gsize i = 0; i < n_adversarial; i++)
    guess.adversarial[i] = all[i].row;
  if (n_adversarial > 0)
    guess.margin = v[0].distance - all[n_adversarial - 1].distance;
  if (n_adversarial + n_v < count)
    guess.margin = MIN (guess.margin, v[n_v].distance - v[n_v - 1].distance);
  if (n_adversarial > 0) {
    for (gsize i = 0; i < n_v; i++) {
      v[i].score = INFINITY;
      for (gsize a = 0; a < n_adversarial; a++)
        v[i].score = MIN (v[i].score, row_distance (rows + v[i].row * d, rows + all[a].row * d, d));
      if (settings->is_ratio)
        v[i].score /= v[i].distance;
    }
    qsort (v, n_v, sizeof (Candidate), by_score);
    if (n_u < n_v)
      guess.margin = MIN (guess.margin, v[n_u - 1].score - v[n_u].score);
  }
  for (gsize i = 0; i < n_u; i++) {
    const double weight = 1 / v[i].distance;

    weights += weight;
    for (gsize j = 0; j < d; j++)
      guess.estimate[j] += weight * rows[v[i].row * d + j];
  }
  for (gsize j = 0; j < d; j++)
    guess.estimate[j] /= weights;
  naive_project (subspaces, index, guess.estimate);
  return guess;
}
