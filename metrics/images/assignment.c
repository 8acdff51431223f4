/* Linear assignment, and rows that are matched by correlation. */
#include "metrics/images/assignment.h"

#include <math.h>

#include "core/base/parallel.h"
#include "core/data/arena.h"
#include "core/math/linalg.h"

#define BLOCK 256 /* rows whose correlations are one matrix product */

/* ---- Assignment ---- */

/* Columns are numbered from 1, and column 0 stands for the row that is being added. */
typedef struct {
  const double *costs;
  gsize n;
  gsize m;
  double *of_rows; /* dual prices: costs less both are never negative */
  double *of_columns;
  double *least; /* of a column: the shortest way to it */
  gsize *row_of; /* who has a column, plus 1; 0: nobody */
  gsize *before; /* the column before it on that way */
  guint8 *is_reached;
} Assignment;

/* Lengthens the tree of shortest ways by its nearest column, which is returned. */
static gsize
reach_next (const Assignment *state, gsize column)
{
  const gsize row = state->row_of[column] - 1;
  double nearest = INFINITY;
  gsize next = 0;

  state->is_reached[column] = 1;
  for (gsize j = 1; j <= state->m; j++) {
    double reduced;

    if (state->is_reached[j])
      continue;
    reduced = state->costs[row * state->m + j - 1] - state->of_rows[row] - state->of_columns[j];
    if (reduced < state->least[j]) {
      state->least[j] = reduced;
      state->before[j] = column;
    }
    if (state->least[j] < nearest) {
      nearest = state->least[j];
      next = j;
    }
  }
  for (gsize j = 0; j <= state->m; j++)
    if (state->is_reached[j]) {
      state->of_rows[state->row_of[j] - 1] += nearest;
      state->of_columns[j] -= nearest;
    } else {
      state->least[j] -= nearest;
    }
  return next;
}

static void
add_row (const Assignment *state, gsize row)
{
  gsize column = 0;

  state->row_of[0] = row + 1;
  for (gsize j = 0; j <= state->m; j++) {
    state->least[j] = INFINITY;
    state->is_reached[j] = 0;
  }
  do
    column = reach_next (state, column);
  while (state->row_of[column] != 0);
  for (; column != 0; column = state->before[column])
    state->row_of[column] = state->row_of[state->before[column]];
}

gboolean
metric_assign (const double *costs, gsize n, gsize m, gsize *ret_columns, GError **error)
{
  g_auto (AssayArena) arena = { 0 };
  double *of_rows = assay_arena_alloc (&arena, n, sizeof (double), "assignment", error);
  double *of_columns = assay_arena_alloc (&arena, m + 1, sizeof (double), "assignment", error);
  double *least = assay_arena_alloc (&arena, m + 1, sizeof (double), "assignment", error);
  gsize *row_of = assay_arena_alloc (&arena, m + 1, sizeof (gsize), "assignment", error);
  gsize *before = assay_arena_alloc (&arena, m + 1, sizeof (gsize), "assignment", error);
  guint8 *is_reached = assay_arena_alloc (&arena, m + 1, 1, "assignment", error);
  const Assignment state = { costs, n, m, of_rows, of_columns, least, row_of, before, is_reached };

  g_return_val_if_fail (n <= m, FALSE);
  if (arena.has_failed)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    add_row (&state, i);
  for (gsize j = 1; j <= m; j++)
    if (row_of[j] != 0)
      ret_columns[row_of[j] - 1] = j - 1;
  return TRUE;
}

/* ---- Correlation ---- */

/* Less its mean, to unit length; a constant row becomes one of zeros. */
static AssayMatrix *
standardise (AssayView rows, GError **error)
{
  AssayMatrix *result = assay_matrix_copy (rows, error);

  for (gsize i = 0; result != NULL && i < rows.rows; i++) {
    float *row = assay_matrix_row (result, i);
    double mean = 0, square = 0;

    for (gsize j = 0; j < rows.cols; j++)
      mean += row[j] / (double) rows.cols;
    for (gsize j = 0; j < rows.cols; j++)
      square += (row[j] - mean) * (row[j] - mean);
    for (gsize j = 0; j < rows.cols; j++)
      row[j] = square > 0 ? (float) ((row[j] - mean) / sqrt (square)) : 0;
  }
  return result;
}

typedef struct {
  AssayView a;
  AssayView b;
  float *products;
} Products;

static void
multiply (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Products *job = data;
  const gsize first = index * BLOCK, count = MIN (BLOCK, job->a.rows - first);

  assay_linalg_product (ASSAY_NT, assay_view_rows (job->a, first, count), job->b,
                        job->products + first * job->b.rows, job->b.rows);
}

/* Correlations of the rows of @a (n) and @b (m), n x m; NULL with ASSAY_ERROR_MEMORY. */
static float *
correlations (AssayView a, AssayView b, GError **error)
{
  g_autoptr (AssayMatrix) of_a = standardise (a, error);
  g_autoptr (AssayMatrix) of_b = of_a != NULL ? standardise (b, error) : NULL;
  g_autofree float *products = assay_alloc (a.rows, b.rows * sizeof (float), "correlations", error);
  Products job = { .products = products };

  if (of_b == NULL || products == NULL)
    return NULL;
  job.a = assay_matrix_view (of_a);
  job.b = assay_matrix_view (of_b);
  assay_parallel_for ((a.rows + BLOCK - 1) / BLOCK, multiply, &job);
  return g_steal_pointer (&products);
}

gboolean
metric_match (AssayView a, AssayView b, gboolean is_either_sign, gsize *ret_matches, GError **error)
{
  /* Columns beyond those of @b cost nothing, and stand for none. */
  const gsize n = a.rows, m = b.rows, columns = MAX (n, m);
  g_autofree float *products = correlations (a, b, error);
  g_autofree double *costs = assay_alloc (n, columns * sizeof (double), "correlations", error);

  if (products == NULL || costs == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < m; j++) {
      const double correlation = products[i * m + j];

      costs[i * columns + j] = is_either_sign ? -fabs (correlation) : -correlation;
    }
  if (!metric_assign (costs, n, columns, ret_matches, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (ret_matches[i] >= m)
      ret_matches[i] = METRIC_NO_MATCH;
  return TRUE;
}

gboolean
metric_largest_correlations (AssayView a, AssayView b, gboolean is_either_sign,
                             const gsize *matches, double *ret_largest, GError **error)
{
  const gsize m = b.rows;
  g_autofree float *products = correlations (a, b, error);

  if (products == NULL)
    return FALSE;
  for (gsize i = 0; i < a.rows; i++) {
    ret_largest[i] = 0;
    for (gsize j = 0; matches[i] != METRIC_NO_MATCH && j < a.rows; j++) {
      const double correlation = products[j * m + matches[i]];

      if (j != i)
        ret_largest[i] = MAX (ret_largest[i], is_either_sign ? fabs (correlation) : correlation);
    }
  }
  return TRUE;
}
