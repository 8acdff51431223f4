/* Searches by every score, against scores computed one by one in double and sorted. */
#include <criterion/criterion.h>
#include <float.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/search/scan.h"
#include "core/search/search.h"
#include "tests/unit/process-memory.h"

enum { PRODUCT, SQUARED, L2, SUBSPACE, HAMMING, N_MEASURES };

static const char *const names[] = { "product", "squared", "L2", "subspace", "Hamming" };

#define DIMENSION 2 /* of subspaces: along the first columns */

typedef struct {
  gsize n, n_rows, cols, k;
  AssayType type;
  AssayScale scale;
  gsize distinct; /* row i is a copy of row i % distinct */
  gsize nan_row;  /* every so many rows there is one with NaN; 0: none (float32 only) */
} Case;

/* Panels are of 512 rows, tiles of 64, blocks of 512 queries: sizes on both sides of these. */
static const Case cases[] = {
  { 1, 1, 3, 1, ASSAY_UINT8, ASSAY_SCALE_NONE, 1, 0 },
  { 3, 511, 16, 511, ASSAY_UINT8, ASSAY_SCALE_NONE, 511, 0 },
  { 5, 513, 8, 20, ASSAY_FLOAT32, ASSAY_SCALE_NONE, 40, 0 },
  { 600, 1100, 32, 9, ASSAY_UINT8, ASSAY_SCALE_NONE, 1100, 0 },
  { 3, 1025, 19, 40, ASSAY_UINT8, ASSAY_SCALE_NONE, 600, 0 },
  { 3, 577, 40, 577, ASSAY_UINT8, ASSAY_SCALE_NONE, 500, 0 },
  { 2, 530, 512, 30, ASSAY_UINT8, ASSAY_SCALE_NONE, 530, 0 },
  { 2, 3000, 4, 1000, ASSAY_UINT8, ASSAY_SCALE_NONE, 5, 0 },
  { 40, 1537, 128, 30, ASSAY_UINT8, ASSAY_SCALE_UNIT, 1537, 0 },
  { 7, 700, 65, 700, ASSAY_FLOAT32, ASSAY_SCALE_UNIT, 300, 0 },
  { 4, 900, 8, 900, ASSAY_FLOAT32, ASSAY_SCALE_NONE, 900, 7 },
  { 2, 200, 3000, 3, ASSAY_UINT8, ASSAY_SCALE_UNIT, 200, 0 },
};

/* A database in a mapped file, and queries of small whole numbers: without scaling, products of
 * both are exact in float. */
typedef struct {
  AssayRows *rows;
  float *values;
  AssayMatrix *queries;
  AssayCodes *codes; /* the same as bytes */
  char *path;
} Problem;

static char *
describe (const Case *c, guint measure)
{
  return g_strdup_printf ("%s, %zu queries, %zu rows of %zu %s, k %zu, scale %u", names[measure],
                          c->n, c->n_rows, c->cols, assay_type_name (c->type), c->k, c->scale);
}

static gboolean
is_nan_row (const Case *c, gsize row)
{
  return c->nan_row > 0 && row % c->nan_row == c->nan_row - 1;
}

static void
write_value (const Case *c, guint8 *to, gsize row, gsize col, guint8 value)
{
  const float number = is_nan_row (c, row) && col == 0 ? NAN : (float) value;

  if (c->type == ASSAY_UINT8)
    to[col] = value;
  else
    memcpy (to + col * sizeof number, &number, sizeof number);
}

/* Rows lie three bytes apart, in segments of 100. */
static AssayRows *
map_rows (const Case *c, char **ret_path)
{
  const gsize stride = c->cols * assay_type_size (c->type) + 3;
  g_autofree guint8 *block = g_malloc0 (c->n_rows * stride);
  const AssayStreamKey key = assay_stream_key (7, 0, "data", "");
  g_autoptr (GMappedFile) file = NULL;
  g_autoptr (GBytes) bytes = NULL;
  AssayRows *rows = assay_rows_new (c->cols);
  const int handle = g_file_open_tmp ("assay-search-XXXXXX", ret_path, NULL);

  cr_assert (handle >= 0);
  close (handle);
  for (gsize i = 0; i < c->n_rows; i++) {
    AssayStream stream = assay_stream (key, i % c->distinct);

    for (gsize j = 0; j < c->cols; j++)
      write_value (c, block + i * stride, i, j, (guint8) assay_stream_below (&stream, 60));
  }
  cr_assert (
      g_file_set_contents (*ret_path, (const char *) block, (gssize) (c->n_rows * stride), NULL));
  file = g_mapped_file_new (*ret_path, FALSE, NULL);
  bytes = g_mapped_file_get_bytes (file);
  for (gsize first = 0; first < c->n_rows; first += 100)
    assay_rows_append (rows, bytes,
                       (const guint8 *) g_bytes_get_data (bytes, NULL) + first * stride, c->type,
                       stride, MIN (100, c->n_rows - first));
  return rows;
}

static Problem
make_problem (const Case *c)
{
  const AssayStreamKey key = assay_stream_key (8, 0, "data", "");
  g_autoptr (AssayArray) packed = NULL;
  guint8 *bytes = g_malloc (c->n * c->cols);
  Problem problem = { .queries = assay_matrix_new (c->n, c->cols, NULL) };

  problem.rows = map_rows (c, &problem.path);
  problem.values = g_new (float, c->n_rows * c->cols);
  assay_rows_read (problem.rows, 0, c->n_rows, c->scale, problem.values);
  for (gsize i = 0; i < c->n; i++) {
    AssayStream stream = assay_stream (key, i);

    for (gsize j = 0; j < c->cols; j++) {
      bytes[i * c->cols + j] = (guint8) assay_stream_below (&stream, 60);
      /* Signs, and lengths like those of the rows. */
      assay_matrix_row (problem.queries, i)[j]
          = ((float) bytes[i * c->cols + j] - 30)
            / (c->scale == ASSAY_SCALE_UNIT ? 30 * sqrtf ((float) c->cols) : 1);
    }
  }
  packed = assay_array_take (ASSAY_UINT8, 2, (const gsize[]){ c->n, c->cols }, bytes);
  problem.codes = assay_codes_new (packed, c->cols * 8, NULL);
  return problem;
}

static void
clear_problem (Problem *problem)
{
  g_unlink (problem->path);
  g_free (problem->path);
  assay_rows_unref (problem->rows);
  g_free (problem->values);
  assay_matrix_free (problem->queries);
  assay_codes_free (problem->codes);
}

static gboolean
fits (const Case *c, guint measure)
{
  if (measure == HAMMING)
    return c->type == ASSAY_UINT8 && c->scale == ASSAY_SCALE_NONE
           && c->cols * 8 <= ASSAY_CODE_MAX_BITS;
  return measure != SUBSPACE || c->cols > DIMENSION;
}

static AssayNearest *
search (const Case *c, const Problem *problem, guint measure, guint threads)
{
  const AssaySearchSet set = { .rows = problem->rows, .scale = c->scale };
  const AssayView queries = assay_matrix_view (problem->queries);
  const gsize m = measure == SUBSPACE ? DIMENSION : 0;
  g_autofree float *basis = g_new0 (float, c->n *m * c->cols + 1);
  const AssaySubspaces subspaces = { .count = c->n,
                                     .dimension = m,
                                     .cols = c->cols,
                                     .translation = problem->queries->data,
                                     .basis = m > 0 ? basis : NULL };
  g_autoptr (GError) error = NULL;
  AssayNearest *found = NULL;

  for (gsize i = 0; i < c->n * m; i++)
    basis[i * c->cols + i % m] = 1;
  assay_parallel_set_threads (threads);
  if (measure == PRODUCT)
    found = assay_search_products (ASSAY_SEARCH_PRODUCT, queries, &set, c->k, &error);
  else if (measure == SQUARED)
    found = assay_search_products (ASSAY_SEARCH_SQUARED_PRODUCT, queries, &set, c->k, &error);
  else if (measure == HAMMING)
    found = assay_search_codes (problem->codes, &set, c->k, &error);
  else
    found = assay_scan_subspaces (&subspaces, problem->rows, c->scale, c->k, &error);
  cr_assert (found != NULL, "%s", error != NULL ? error->message : "");
  return found;
}

/* Smaller is better, whatever the measure; rows that are not finite are last. */
static double
cost_of (const Case *c, const Problem *problem, guint measure, gsize query, gsize row)
{
  const float *q = problem->queries->data + query * c->cols;
  const float *w = problem->values + row * c->cols;
  double product = 0, square = 0, bits = 0;

  for (gsize j = 0; j < c->cols; j++) {
    product += (double) q[j] * (double) w[j];
    if (measure != SUBSPACE || j >= DIMENSION)
      square += ((double) q[j] - (double) w[j]) * ((double) q[j] - (double) w[j]);
    if (measure == HAMMING)
      bits += __builtin_popcount (
          (guint) w[j]
          ^ ((const guint8 *) (problem->codes->data + query * problem->codes->words))[j]);
  }
  if (measure == HAMMING)
    return bits;
  if (is_nan_row (c, row))
    return INFINITY;
  return measure == PRODUCT ? -product : measure == SQUARED ? -product * product : square;
}

typedef struct {
  double cost;
  gsize row;
} Costed;

static int
compare_costed (gconstpointer a, gconstpointer b)
{
  const Costed *x = a, *y = b;

  return x->cost != y->cost ? (x->cost > y->cost ? 1 : -1) : (x->row > y->row) - (x->row < y->row);
}

/* Numbers that are exact stand in exactly the order of the reference. Others are off by rounding:
 * sums of d products of numbers up to 1, and the clamp of distances (core/search/scan.c). */
static void
check_query (const Case *c, const Problem *problem, guint measure, const AssayNearest *found,
             gsize query)
{
  g_autofree char *what = describe (c, measure);
  g_autofree Costed *all = g_new (Costed, c->n_rows);
  const gboolean is_exact = c->scale == ASSAY_SCALE_NONE && measure != L2 && measure != SUBSPACE;
  const double margin = is_exact                       ? 0
                        : c->scale == ASSAY_SCALE_UNIT ? 16 * sqrt ((double) c->cols) * FLT_EPSILON
                                                       : 16 * sqrt ((double) c->cols) * FLT_EPSILON
                                                             * 3600 * 4 * (double) c->cols;
  const gsize *rows = found->rows + query * c->k;
  const float *scores = found->distances + query * c->k;

  for (gsize i = 0; i < c->n_rows; i++)
    all[i] = (Costed){ cost_of (c, problem, measure, query, i), i };
  qsort (all, c->n_rows, sizeof *all, compare_costed);
  for (gsize i = 0; i < c->k; i++) {
    const double score = (double) scores[i];
    const double cost = measure == PRODUCT || measure == SQUARED ? -score
                        : measure == HAMMING                     ? score
                                                                 : score * score;
    const double own = cost_of (c, problem, measure, query, rows[i]);

    if (is_exact)
      cr_assert (rows[i] == all[i].row, "%s: query %zu, place %zu: row %zu, not %zu", what, query,
                 i, rows[i], all[i].row);
    if (isinf (own)) {
      cr_assert (isinf (cost) && cost > 0 && isinf (all[i].cost), "%s: query %zu, place %zu: %g",
                 what, query, i, cost);
      continue;
    }
    cr_assert (fabs (cost - own) <= margin + 1e-6 * fabs (own) * (c->scale == ASSAY_SCALE_NONE),
               "%s: query %zu, row %zu: %.9g instead of %.9g", what, query, rows[i], cost, own);
    cr_assert (fabs (cost - all[i].cost)
                   <= margin + 1e-6 * fabs (own) * (c->scale == ASSAY_SCALE_NONE),
               "%s: query %zu, place %zu: %.9g, not %.9g", what, query, i, cost, all[i].cost);
    if (i > 0 && scores[i] == scores[i - 1])
      cr_assert (rows[i] > rows[i - 1], "%s: query %zu, place %zu is out of order", what, query, i);
  }
}

Test (search, finds_what_sorting_finds)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    Problem problem = make_problem (&cases[i]);

    for (guint measure = 0; measure < N_MEASURES; measure++) {
      g_autoptr (AssayNearest) one = NULL, three = NULL;
      g_autofree char *what = describe (&cases[i], measure);
      const gsize places = cases[i].n * cases[i].k;

      if (!fits (&cases[i], measure))
        continue;
      one = search (&cases[i], &problem, measure, 1);
      three = search (&cases[i], &problem, measure, 3);
      cr_assert (one->n == cases[i].n && one->k == cases[i].k, "%s", what);
      for (gsize q = 0; q < cases[i].n; q += q < 8 ? 1 : 97)
        check_query (&cases[i], &problem, measure, one, q);
      cr_assert (memcmp (one->rows, three->rows, places * sizeof (gsize)) == 0
                     && memcmp (one->distances, three->distances, places * sizeof (float)) == 0,
                 "%s: threads", what);
    }
    clear_problem (&problem);
  }
}

/* ---- Shapes ---- */

#define SHAPED_ROWS 2000

/* Of a row x its number, and 1; and an offset: the score of query (a, b) is a row + b - row / 2. */
static gboolean
make_line (AssayView panel, gsize first, gpointer data, gpointer ret_features, float *ret_offsets,
           GError **error)
{
  const gsize *failing = data;
  float *features = ret_features;

  for (gsize i = 0; i < panel.rows; i++) {
    if (failing != NULL && first + i >= *failing)
      return assay_fail (error, ASSAY_ERROR_DATA, "panel of row %zu", first);
    features[2 * i] = assay_view_row (panel, i)[0];
    features[2 * i + 1] = 1;
    ret_offsets[i] = -(float) (first + i) / 2;
  }
  return TRUE;
}

static AssayRows *
numbered_rows (void)
{
  AssayMatrix *matrix = assay_matrix_new (SHAPED_ROWS, 1, NULL);

  for (gsize i = 0; i < SHAPED_ROWS; i++)
    matrix->data[i] = (float) i;
  return assay_rows_take_matrix (matrix);
}

Test (search, compares_what_is_made_of_rows)
{
  g_autoptr (AssayRows) rows = numbered_rows ();
  const AssaySearchSet set = { .rows = rows, .shape = make_line };
  static const float queries[] = { 1, 3, 0.25f, 5, 0.5f, -7 };
  g_autoptr (AssayNearest) found = assay_search_products (
      ASSAY_SEARCH_PRODUCT, (AssayView){ 3, 2, 2, queries }, &set, SHAPED_ROWS, NULL);

  for (gsize i = 0; i < SHAPED_ROWS; i++) {
    cr_assert (found->rows[i] == SHAPED_ROWS - 1 - i
                   && found->distances[i] == (float) (SHAPED_ROWS - 1 - i) / 2 + 3,
               "place %zu: row %zu", i, found->rows[i]);
    cr_assert (found->rows[SHAPED_ROWS + i] == i, "place %zu of the second", i);
    cr_assert (found->rows[2 * SHAPED_ROWS + i] == i && found->distances[2 * SHAPED_ROWS + i] == -7,
               "place %zu of the third: ties", i);
  }
}

Test (search, the_first_panel_that_fails_is_reported)
{
  g_autoptr (AssayRows) rows = numbered_rows ();
  gsize failing = 600;
  const AssaySearchSet set = { .rows = rows, .shape = make_line, .data = &failing };
  static const float query[] = { 1, 1 };

  for (guint trial = 0; trial < 40; trial++) {
    g_autoptr (GError) error = NULL;

    assay_parallel_set_threads (1 + trial % 3);
    cr_assert (
        assay_search_products (ASSAY_SEARCH_PRODUCT, (AssayView){ 1, 2, 2, query }, &set, 5, &error)
        == NULL);
    cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_DATA)
                   && g_str_equal (error->message, "panel of row 512"),
               "%u threads: %s", 1 + trial % 3, error != NULL ? error->message : "");
  }
}

/* ---- Errors ---- */

static void
check_refused (const AssayNearest *found, GError **error, gint code, const char *part)
{
  cr_assert (found == NULL && g_error_matches (*error, ASSAY_ERROR, code)
                 && strstr ((*error)->message, part) != NULL,
             "%s, not %s", *error != NULL ? (*error)->message : "no error", part);
  g_clear_error (error);
}

Test (search, wrong_sizes_are_refused)
{
  g_autoptr (AssayRows) rows = numbered_rows ();
  const AssaySearchSet set = { .rows = rows };
  static const float query[] = { 1, 1 };
  const AssayView wide = { 1, 2, 2, query }, right = { 1, 1, 1, query };
  guint64 word = 0;
  const AssayCodes long_code = { 1, 9, 1, &word }, code = { 1, 8, 1, &word };
  GError *error = NULL;

  check_refused (assay_search_products (ASSAY_SEARCH_PRODUCT, wide, &set, 1, &error), &error,
                 ASSAY_ERROR_MISMATCH, "expected rows of 2 columns, found 1");
  check_refused (assay_search_products (ASSAY_SEARCH_PRODUCT, right, &set, 0, &error), &error,
                 ASSAY_ERROR_MISMATCH, "the nearest 0 of 2000 rows");
  check_refused (assay_search_products (ASSAY_SEARCH_PRODUCT, right, &set, 2001, &error), &error,
                 ASSAY_ERROR_MISMATCH, "the nearest 2001 of 2000 rows");
  check_refused (assay_search_codes (&long_code, &set, 1, &error), &error, ASSAY_ERROR_MISMATCH,
                 "expected codes of 2 bytes, found 1");
  check_refused (assay_search_codes (&code, &set, 1, &error), &error, ASSAY_ERROR_DATA,
                 "row 256, column 0: 256, expected a byte");
}

/* ---- Memory ---- */

/* A million rows that share their bytes would be 488 MiB of floats. */
Test (search, memory_does_not_grow_with_the_set)
{
  enum { ROWS = 1000000, COLS = 128, QUERIES = 40, K = 10 };
  static const guint8 row[COLS] = { 1, 2, 3 };
  g_autoptr (GBytes) bytes = g_bytes_new_static (row, sizeof row);
  g_autoptr (AssayRows) rows = assay_rows_new (COLS);
  const AssaySearchSet set = { .rows = rows };
  g_autoptr (AssayMatrix) queries = assay_matrix_new (QUERIES, COLS, NULL);
  g_autoptr (AssayNearest) found = NULL;
  gint64 before, held;

  if (IS_ADDRESS_SANITIZED)
    return;
  for (gsize i = 0; i < QUERIES; i++)
    assay_matrix_row (queries, i)[i] = 1;
  assay_rows_append (rows, bytes, row, ASSAY_UINT8, 0, ROWS);
  assay_parallel_set_threads (2);
  before = memory_before ();
  found = assay_search_products (ASSAY_SEARCH_PRODUCT, assay_matrix_view (queries), &set, K, NULL);
  held = memory_since (before);
  cr_assert (found->distances[0] == 1 && found->distances[K] == 2 && found->distances[2 * K] == 3);
  cr_assert (found->rows[K - 1] == K - 1);
  cr_assert (held < 32 << 20, "%" G_GINT64_FORMAT " bytes", held);
}
