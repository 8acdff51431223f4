/* Exact nearest rows in L2, through FAISS's IndexFlatL2; and centres of rows, through its k-means.
 *
 * FAISS finds the candidates, in float32 and in squares, with ties in no particular order. A few
 * more than k are asked for, and their distances computed anew in double: identical rows are at 0
 * exactly, and equal distances stand in row order. Rows that FAISS did not return are, by its
 * account, no nearer than the last that it did; unless that is farther than the k-th by more than
 * its rounding, the query is asked again for more. So the result is exact, and depends neither on
 * threads nor on how FAISS cuts its work. */
#include "core/search/knn.h"

#include <faiss/c_api/Clustering_c.h>
#include <faiss/c_api/IndexFlat_c.h>
#include <faiss/c_api/Index_c.h>
#include <faiss/c_api/error_c.h>
#include <faiss/c_api/utils/distances_c.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"

#define PANEL 64         /* queries that are searched together */
#define FAISS_BLOCK 256  /* queries whose products FAISS holds, of 1,024 rows each */
#define COPIED_ROWS 4096 /* rows that are given to FAISS together, if they have gaps */

typedef struct {
  AssayView base;
  AssayView queries;
  FaissIndex *index;
  double longest; /* largest squared norm of the rows of @base */
  AssayNearest *nearest;
} Search;

/* FAISS allocates the products of a block of queries whole, however few are asked: 16 MB a call by
 * its own default of 4,096, which took longer than small searches do. */
static void
limit_blocks (void)
{
  static gsize is_done = 0;

  if (g_once_init_enter (&is_done)) {
    faiss_set_distance_compute_blas_query_bs (FAISS_BLOCK);
    g_once_init_leave (&is_done, 1);
  }
}

/* Sets @error to what FAISS says of its last failure. */
static gboolean
fail_as_faiss (GError **error)
{
  const char *message = faiss_get_last_error ();

  return assay_fail (error, ASSAY_ERROR_NUMERIC, "FAISS: %s",
                     message == NULL ? "unknown failure" : message);
}

/* How far FAISS's ||q||^2 + ||w||^2 - 2 q.w may be from the truth, for any row of the base: as
 * derived in scan.c, where a share g of both squares stands for each of the three terms (here 2 g
 * of both in all), and a quarter of the tolerance of a unit vector, squared, is g. */
static double
rounding (const Search *search, const float *query)
{
  const gsize cols = search->base.cols;
  const double tolerance = assay_scan_tolerance (cols, 0, 1);

  return tolerance * tolerance / 2 * (assay_squared_norm (query, cols) + search->longest);
}

/* What FAISS returned for a query, in its order. */
typedef struct {
  const idx_t *labels;
  const float *squares;
  gsize count;
} Returned;

/* The k nearest of them go to the result. FALSE in @ret_is_exact: rows that were not returned might
 * be among those. */
static gboolean
rank_candidates (const Search *search, gsize number, const Returned *returned,
                 AssayRanked *neighbours, gboolean *ret_is_exact, GError **error)
{
  const AssayView base = search->base;
  const gsize k = search->nearest->k, count = returned->count;
  const float *query = assay_view_row (search->queries, number);
  double farthest;

  for (gsize i = 0; i < count; i++) {
    if (returned->labels[i] < 0)
      return assay_fail (error, ASSAY_ERROR_NUMERIC,
                         "query %zu: distances are too large for float32", number);
    neighbours[i].place = (gsize) returned->labels[i];
    neighbours[i].value = (float) sqrt (
        assay_squared_distance (query, assay_view_row (base, neighbours[i].place), base.cols));
  }
  assay_rank (neighbours, count);
  for (gsize i = 0; i < k; i++) {
    search->nearest->rows[number * k + i] = neighbours[i].place;
    search->nearest->distances[number * k + i] = (float) neighbours[i].value;
  }
  farthest = neighbours[k - 1].value;
  *ret_is_exact = count == base.rows
                  || farthest * farthest * (1 + 4 * FLT_EPSILON) + rounding (search, query)
                         < (double) returned->squares[count - 1];
  return TRUE;
}

/* Searches @n queries, copied to @queries without gaps, for @count rows each. Those whose result is
 * not certain to be exact are searched again, alone and for more rows. */
static gboolean
search_queries (const Search *search, gsize first, gsize n, const float *queries, gsize count,
                GError **error)
{
  g_autofree idx_t *labels = assay_alloc (n * count, sizeof (idx_t), "nearest rows", error);
  g_autofree float *squares = NULL;
  g_autofree AssayRanked *neighbours = NULL;

  if (labels == NULL
      || (squares = assay_alloc (n * count, sizeof (float), "nearest rows", error)) == NULL
      || (neighbours = assay_alloc (count, sizeof (AssayRanked), "nearest rows", error)) == NULL)
    return FALSE;
  if (faiss_Index_search (search->index, (idx_t) n, queries, (idx_t) count, squares, labels) != OK)
    return fail_as_faiss (error);

  for (gsize i = 0; i < n; i++) {
    gboolean is_exact;

    if (!rank_candidates (search, first + i,
                          &(Returned){ labels + i * count, squares + i * count, count }, neighbours,
                          &is_exact, error))
      return FALSE;
    if (!is_exact
        && !search_queries (search, first + i, 1, queries + i * search->base.cols,
                            count > search->base.rows / 4 ? search->base.rows : 4 * count, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
search_panel (gsize panel, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Search *search = data;
  const gsize k = search->nearest->k;
  const gsize first = panel * PANEL;
  const gsize n = MIN (PANEL, search->queries.rows - first);
  const gsize spare = MIN (MAX (16, k / 8), search->base.rows - k);
  g_autoptr (AssayMatrix) queries
      = assay_matrix_copy (assay_view_rows (search->queries, first, n), error);

  return queries != NULL && search_queries (search, first, n, queries->data, k + spare, error);
}

/* Gives the rows of the base to FAISS, which keeps a copy. */
static gboolean
fill_index (Search *search, GError **error)
{
  const AssayView base = search->base;

  if (faiss_IndexFlatL2_new_with (&search->index, (idx_t) base.cols) != OK)
    return fail_as_faiss (error);
  if (base.stride == base.cols) {
    if (faiss_Index_add (search->index, (idx_t) base.rows, base.data) != OK)
      return fail_as_faiss (error);
  } else {
    for (gsize first = 0; first < base.rows; first += COPIED_ROWS) {
      const gsize count = MIN (COPIED_ROWS, base.rows - first);
      g_autoptr (AssayMatrix) part
          = assay_matrix_copy (assay_view_rows (base, first, count), error);

      if (part == NULL)
        return FALSE;
      if (faiss_Index_add (search->index, (idx_t) count, part->data) != OK)
        return fail_as_faiss (error);
    }
  }
  for (gsize i = 0; i < base.rows; i++)
    search->longest
        = MAX (search->longest, assay_squared_norm (assay_view_row (base, i), base.cols));
  return TRUE;
}

static gboolean
check_search (AssayView base, AssayView queries, gsize k, GError **error)
{
  if (queries.cols != base.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "expected queries of %zu columns, found %zu",
                       base.cols, queries.cols);
  if (base.cols == 0 || base.cols > INT_MAX || base.rows > G_MAXINT64)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "%zu x %zu values cannot be searched",
                       base.rows, base.cols);
  if (k == 0 || k > base.rows)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "the nearest %zu of %zu rows were asked for", k,
                       base.rows);
  return assay_view_check_finite (base, "base", error)
         && assay_view_check_finite (queries, "queries", error);
}

AssayNearest *
assay_knn_search (AssayView base, AssayView queries, gsize k, GError **error)
{
  Search search = { .base = base, .queries = queries };
  g_autoptr (AssayNearest) nearest = NULL;
  gboolean is_found;

  if (!check_search (base, queries, k, error))
    return NULL;
  limit_blocks ();
  nearest = assay_nearest_new (queries.rows, k, error);
  if (nearest == NULL)
    return NULL;
  search.nearest = nearest;
  is_found
      = fill_index (&search, error)
        && assay_parallel_try (assay_pieces (queries.rows, PANEL), search_panel, &search, error);
  faiss_IndexFlatL2_free (search.index);
  return is_found ? g_steal_pointer (&nearest) : NULL;
}

/* ---- Centres ---- */

typedef struct {
  AssayView rows;
  FaissClustering *clustering;
  FaissIndex *index;
  gboolean is_trained;
  GError **error;
} Training;

static void
train (G_GNUC_UNUSED gsize piece, G_GNUC_UNUSED guint worker, gpointer data)
{
  Training *training = data;

  training->is_trained = faiss_Clustering_train (training->clustering, (idx_t) training->rows.rows,
                                                 training->rows.data, training->index)
                         == OK;
  if (!training->is_trained)
    fail_as_faiss (training->error); /* what FAISS said is of this thread */
}

/* FAISS numbers a row -1 whose distances are not finite, and then writes where that points. */
static gboolean
check_training (AssayView rows, gsize count, GError **error)
{
  if (rows.cols == 0 || rows.cols > INT_MAX || rows.rows > INT_MAX || rows.stride != rows.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "%zu x %zu values cannot be clustered",
                       rows.rows, rows.cols);
  if (count == 0 || count > rows.rows)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "%zu centres of %zu rows were asked for", count,
                       rows.rows);
  if (!assay_view_check_finite (rows, "rows", error))
    return FALSE;
  for (gsize i = 0; i < rows.rows; i++)
    if (assay_squared_norm (assay_view_row (rows, i), rows.cols) > FLT_MAX / 16)
      return assay_fail (error, ASSAY_ERROR_NUMERIC, "row %zu: distances are too large for float32",
                         i);
  return TRUE;
}

AssayMatrix *
assay_knn_centres (AssayView rows, gsize count, guint iterations, GError **error)
{
  Training training = { .rows = rows, .error = error };
  FaissClusteringParameters parameters;
  g_autoptr (AssayMatrix) centres = NULL;

  if (!check_training (rows, count, error))
    return NULL;
  limit_blocks ();
  centres = assay_matrix_new (count, rows.cols, error);
  if (centres == NULL)
    return NULL;
  faiss_ClusteringParameters_init (&parameters);
  parameters.niter = (int) iterations;
  parameters.seed = 1;
  parameters.min_points_per_centroid = 1;       /* with fewer than 39 it prints a warning */
  parameters.max_points_per_centroid = INT_MAX; /* it would take a part of the rows */
  if (faiss_Clustering_new_with_params (&training.clustering, (int) rows.cols, (int) count,
                                        &parameters)
          == OK
      && faiss_IndexFlatL2_new_with (&training.index, (idx_t) rows.cols) == OK)
    assay_parallel_for (1, train, &training);
  else
    fail_as_faiss (error);
  if (training.is_trained) {
    float *values;
    gsize n_values;

    faiss_Clustering_centroids (training.clustering, &values, &n_values);
    memcpy (centres->data, values, MIN (n_values, count * rows.cols) * sizeof (float));
  }
  faiss_IndexFlatL2_free (training.index);
  faiss_Clustering_free (training.clustering);
  return training.is_trained ? g_steal_pointer (&centres) : NULL;
}
