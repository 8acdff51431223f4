/* Exact nearest rows through FAISS, against sorting all distances. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/search/knn.h"

/* Row i is a copy of row i % @distinct. */
static AssayMatrix *
make_matrix (gsize rows, gsize cols, gsize distinct, guint64 trial)
{
  const AssayStreamKey key = assay_stream_key (31, trial, "data", "");
  AssayMatrix *matrix = assay_matrix_new (rows, cols, NULL);

  for (gsize i = 0; i < rows; i++) {
    AssayStream stream = assay_stream (key, i % distinct);

    for (gsize j = 0; j < cols; j++)
      assay_matrix_row (matrix, i)[j] = (float) assay_stream_normal (&stream);
  }
  return matrix;
}

typedef struct {
  float distance;
  gsize row;
} Pair;

static int
compare_pairs (const void *a, const void *b)
{
  const Pair *x = a;
  const Pair *y = b;

  if (x->distance != y->distance)
    return x->distance < y->distance ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

/* Exactly the rows and distances that sorting gives: knn.c promises no less. */
static void
check_query (AssayView base, AssayView queries, const AssayNearest *nearest, gsize query)
{
  g_autofree Pair *pairs = g_new (Pair, base.rows);

  for (gsize i = 0; i < base.rows; i++) {
    double sum = 0;

    for (gsize j = 0; j < base.cols; j++)
      sum += pow (
          (double) assay_view_row (queries, query)[j] - (double) assay_view_row (base, i)[j], 2);
    pairs[i] = (Pair){ .distance = (float) sqrt (sum), .row = i };
  }
  qsort (pairs, base.rows, sizeof (Pair), compare_pairs);
  for (gsize i = 0; i < nearest->k; i++)
    cr_assert (nearest->rows[query * nearest->k + i] == pairs[i].row
                   && nearest->distances[query * nearest->k + i] == pairs[i].distance,
               "%zu x %zu, k %zu, query %zu, place %zu: row %zu at %g instead of row %zu at %g",
               base.rows, base.cols, nearest->k, query, i, nearest->rows[query * nearest->k + i],
               (double) nearest->distances[query * nearest->k + i], pairs[i].row,
               (double) pairs[i].distance);
}

static void
check_search (AssayView base, AssayView queries, gsize k)
{
  g_autoptr (AssayNearest) one = NULL;

  assay_parallel_set_threads (1);
  one = assay_knn_search (base, queries, k, NULL);
  cr_assert (one != NULL && one->n == queries.rows && one->k == k);
  for (gsize i = 0; i < queries.rows; i++)
    check_query (base, queries, one, i);
  for (guint threads = 2; threads <= 3; threads++) {
    g_autoptr (AssayNearest) more = NULL;

    assay_parallel_set_threads (threads);
    more = assay_knn_search (base, queries, k, NULL);
    cr_assert (memcmp (one->rows, more->rows, queries.rows * k * sizeof (gsize)) == 0
                   && memcmp (one->distances, more->distances, queries.rows * k * sizeof (float))
                          == 0,
               "%zu x %zu, k %zu: %u threads", base.rows, base.cols, k, threads);
  }
}

Test (knn, finds_what_sorting_finds)
{
  static const struct {
    gsize rows, cols, queries, k;
  } cases[] = {
    { 1, 1, 1, 1 },      { 10, 7, 3, 10 },      { 500, 128, 70, 1 }, { 1500, 128, 130, 10 },
    { 3000, 3, 65, 40 }, { 700, 200, 64, 130 }, { 600, 33, 5, 600 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AssayMatrix) base = make_matrix (cases[i].rows, cases[i].cols, cases[i].rows, 0);
    g_autoptr (AssayMatrix) queries
        = make_matrix (cases[i].queries, cases[i].cols, cases[i].queries, 1);

    check_search (assay_matrix_view (base), assay_matrix_view (queries), cases[i].k);
  }
}

/* Queries that are rows, each of which stands many times in the base: distances of 0 exactly, in
 * row order, also where many more than k are equally near. */
Test (knn, copies_are_at_zero_and_in_row_order)
{
  g_autoptr (AssayMatrix) base = make_matrix (2000, 64, 7, 0);
  g_autoptr (AssayMatrix) queries = make_matrix (70, 64, 7, 0);
  g_autoptr (AssayNearest) nearest = NULL;

  check_search (assay_matrix_view (base), assay_matrix_view (queries), 5);
  nearest = assay_knn_search (assay_matrix_view (base), assay_matrix_view (queries), 5, NULL);
  for (gsize i = 0; i < 70; i++)
    for (gsize j = 0; j < 5; j++)
      cr_assert (nearest->distances[i * 5 + j] == 0 && nearest->rows[i * 5 + j] == i % 7 + 7 * j,
                 "query %zu, place %zu", i, j);
}

/* Far from the origin float32 cannot tell near rows apart: FAISS alone gets these wrong. */
Test (knn, is_exact_where_float_is_not)
{
  g_autoptr (AssayMatrix) base = make_matrix (1000, 16, 1000, 0);
  g_autoptr (AssayMatrix) queries = make_matrix (40, 16, 40, 1);

  for (gsize i = 0; i < 1000 * 16; i++)
    base->data[i] += 3000;
  for (gsize i = 0; i < 40 * 16; i++)
    queries->data[i] += 3000;
  check_search (assay_matrix_view (base), assay_matrix_view (queries), 3);
}

Test (knn, rows_may_have_gaps)
{
  g_autoptr (AssayMatrix) base = make_matrix (5000, 20, 5000, 0);
  g_autoptr (AssayMatrix) queries = make_matrix (10, 20, 10, 1);
  const AssayView base_part = { .rows = 5000, .cols = 12, .stride = 20, .data = base->data + 3 };
  const AssayView query_part = { .rows = 10, .cols = 12, .stride = 20, .data = queries->data + 8 };

  check_search (base_part, query_part, 9);
}

Test (knn, no_queries)
{
  g_autoptr (AssayMatrix) base = make_matrix (5, 4, 5, 0);
  g_autoptr (AssayMatrix) queries = make_matrix (0, 4, 1, 0);
  g_autoptr (AssayNearest) nearest
      = assay_knn_search (assay_matrix_view (base), assay_matrix_view (queries), 2, NULL);

  cr_assert (nearest != NULL && nearest->n == 0 && nearest->k == 2);
}

static void
check_error (AssayView base, AssayView queries, gsize k, gint code, const char *message)
{
  g_autoptr (GError) error = NULL;

  cr_assert (assay_knn_search (base, queries, k, &error) == NULL, "%s", message);
  cr_assert (g_error_matches (error, ASSAY_ERROR, code), "%s", error->message);
  cr_assert (strstr (error->message, message) != NULL, "%s", error->message);
}

Test (knn, errors)
{
  g_autoptr (AssayMatrix) base = make_matrix (300, 4, 300, 0);
  g_autoptr (AssayMatrix) queries = make_matrix (100, 4, 100, 1);
  const AssayView b = assay_matrix_view (base);
  const AssayView q = assay_matrix_view (queries);
  AssayView other = q;

  check_error (b, q, 0, ASSAY_ERROR_MISMATCH, "nearest 0 of 300");
  check_error (b, q, 301, ASSAY_ERROR_MISMATCH, "nearest 301 of 300");
  other.cols = 3;
  check_error (b, other, 1, ASSAY_ERROR_MISMATCH, "expected queries of 4 columns, found 3");
  queries->data[4 * 70] = 1e30f; /* squares overflow */
  queries->data[4 * 90] = -1e30f;
  check_error (b, q, 1, ASSAY_ERROR_NUMERIC, "query 70: distances are too large");
  queries->data[4 * 70 + 1] = NAN;
  check_error (b, q, 1, ASSAY_ERROR_NUMERIC, "queries: row 70, column 1");
  base->data[4 * 2 + 3] = INFINITY;
  check_error (b, q, 1, ASSAY_ERROR_NUMERIC, "base: row 2, column 3");
}
