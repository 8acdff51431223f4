/* The scan of rows against subspaces: agreement with its definition, and its promises. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/rng.h"
#include "core/math/linalg.h"
#include "core/search/scan.h"
#include "tests/reference/naive-scan.h"
#include "tests/unit/process-memory.h"
#include "tests/unit/seeds.h"

/* Rows of bytes with four bytes of header each, as in a TEXMEX file, in segments of at most
 * @segment rows; and subspaces through rows number 0, 7, 14, ... of them. */
typedef struct {
  AssayRows *rows;
  AssayScale scale;
  AssaySubspaces subspaces;
  float *translation;
  float *basis;
  float *values; /* the rows, read */
} Problem;

typedef struct {
  gsize n, m, d;
  gsize n_rows;
  gsize segment;
  gsize k;
  AssayScale scale;
} Case;

static AssayRows *
make_rows (gsize count, gsize cols, gsize segment)
{
  const gsize stride = cols + 4;
  const AssayStreamKey key = assay_stream_key (11, 0, "data", "");
  AssayRows *rows = assay_rows_new (cols);
  guint8 *block = g_malloc (count * stride);
  g_autoptr (GBytes) bytes = g_bytes_new_take (block, count * stride);

  for (gsize i = 0; i < count; i++) {
    AssayStream stream = assay_stream (key, i);

    for (gsize j = 0; j < stride; j++)
      block[i * stride + j] = (guint8) assay_stream_below (&stream, 160);
  }
  for (gsize first = 0; first < count; first += segment)
    assay_rows_append (rows, bytes, block + first * stride + 4, ASSAY_UINT8, stride,
                       MIN (segment, count - first));
  return rows;
}

/* Subspace @index: row number 7 * @index plus a random point of a random span, far away. */
static void
make_subspace (Problem *problem, gsize index)
{
  const gsize m = problem->subspaces.dimension;
  const gsize d = problem->subspaces.cols;
  const gsize row = 7 * index % assay_rows_count (problem->rows);
  g_autofree double *basis = g_new (double, m *d + 1);
  AssayStream stream = assay_stream (assay_stream_key (12, 0, "defense", ""), index);
  float *translation = problem->translation + index * d;

  for (gsize i = 0; i < m * d; i++)
    basis[i] = assay_stream_normal (&stream);
  cr_assert (assay_linalg_orthonormalize (basis, m, d, NULL));
  assay_rows_gather (problem->rows, &row, 1, problem->scale, translation);
  for (gsize j = 0; j < m; j++) {
    const double far = problem->scale == ASSAY_SCALE_UNIT ? 4 : 2000;
    const double part = assay_stream_between (&stream, -far, far);

    for (gsize c = 0; c < d; c++) {
      translation[c] += (float) (part * basis[j * d + c]);
      problem->basis[(index * m + j) * d + c] = (float) basis[j * d + c];
    }
  }
}

static Problem
make_problem (const Case *c)
{
  Problem problem = { .rows = make_rows (c->n_rows, c->d, c->segment), .scale = c->scale };

  problem.translation = g_new0 (float, c->n * c->d);
  problem.basis = g_new0 (float, c->n * c->m * c->d + 1);
  problem.values = g_new0 (float, c->n_rows * c->d);
  problem.subspaces = (AssaySubspaces){ .count = c->n,
                                        .dimension = c->m,
                                        .cols = c->d,
                                        .translation = problem.translation,
                                        .basis = c->m > 0 ? problem.basis : NULL };
  assay_rows_read (problem.rows, 0, c->n_rows, c->scale, problem.values);
  for (gsize i = 0; i < c->n; i++)
    make_subspace (&problem, i);
  return problem;
}

static void
clear_problem (Problem *problem)
{
  assay_rows_unref (problem->rows);
  g_free (problem->translation);
  g_free (problem->basis);
  g_free (problem->values);
}

static char *
describe_case (const Case *c)
{
  return g_strdup_printf ("n %zu, m %zu, d %zu, rows %zu in segments of %zu, k %zu, scale %u", c->n,
                          c->m, c->d, c->n_rows, c->segment, c->k, c->scale);
}

static AssayNearest *
scan (const Problem *problem, gsize k, guint threads)
{
  g_autoptr (GError) error = NULL;
  AssayNearest *nearest;

  assay_parallel_set_threads (threads);
  nearest = assay_scan_subspaces (&problem->subspaces, problem->rows, problem->scale, k, &error);
  cr_assert (nearest != NULL, "%s", error == NULL ? "" : error->message);
  return nearest;
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  const double x = *(const double *) a;
  const double y = *(const double *) b;

  return (x > y) - (x < y);
}

/* The largest difference of squared distances that rounding explains, for rows no longer than
 * @length and a subspace at @offset from the origin: tolerance^2 is 4 share length^2, and rounding
 * share (3 length^2 + offset^2), as scan.c derives. */
static double
rounding (const Case *c, double length, double offset)
{
  const double unit = assay_scan_tolerance (c->d, c->m, 1);

  return unit * unit / 4 * (3 * length * length + offset * offset) + 2 * FLT_MIN;
}

/* Each distance is that of its row, the rows are distinct and in order, and the i-th distance is
 * the i-th of all rows: no row was overlooked. */
static void
check_against_reference (const Case *c, const Problem *problem, const AssayNearest *nearest,
                         gsize index)
{
  g_autofree char *what = describe_case (c);
  g_autofree float *origin = g_new0 (float, c->d);
  g_autofree gboolean *is_seen = g_new0 (gboolean, c->n_rows);
  g_autofree double *all
      = naive_scan_distances (&problem->subspaces, index, problem->values, c->n_rows);
  g_autofree double *sorted = g_memdup2 (all, c->n_rows * sizeof (double));
  const double offset = naive_scan_distance (&problem->subspaces, index, origin);
  const gsize *rows = nearest->rows + index * c->k;
  const float *distances = nearest->distances + index * c->k;
  double length = 0;
  double margin;

  for (gsize i = 0; i < c->n_rows; i++) {
    double square = 0;

    for (gsize j = 0; j < c->d; j++)
      square += (double) problem->values[i * c->d + j] * (double) problem->values[i * c->d + j];
    length = MAX (length, sqrt (square));
  }
  margin = rounding (c, length, offset);
  qsort (sorted, c->n_rows, sizeof (double), compare_doubles);
  for (gsize i = 0; i < c->k; i++) {
    const double square = (double) distances[i] * (double) distances[i];

    cr_assert (rows[i] < c->n_rows && !is_seen[rows[i]], "%s: subspace %zu, place %zu: row %zu",
               what, index, i, rows[i]);
    is_seen[rows[i]] = TRUE;
    cr_assert (distances[i] > 0 && fabs (square - all[rows[i]] * all[rows[i]]) <= margin,
               "%s: subspace %zu, row %zu: %g instead of %g", what, index, rows[i],
               (double) distances[i], all[rows[i]]);
    cr_assert (fabs (square - sorted[i] * sorted[i]) <= margin,
               "%s: subspace %zu, place %zu: %g instead of %g", what, index, i,
               (double) distances[i], sorted[i]);
    if (i > 0)
      cr_assert (distances[i] > distances[i - 1]
                     || (distances[i] == distances[i - 1] && rows[i] > rows[i - 1]),
                 "%s: subspace %zu, place %zu is out of order", what, index, i);
  }
}

/* Panels are of 512 rows and products of at most 512 stacked rows: sizes on both sides of that. */
static const Case cases[] = {
  { 1, 4, 128, 1, 1, 1, ASSAY_SCALE_UNIT },
  { 1, 0, 1, 513, 100, 513, ASSAY_SCALE_NONE },
  { 3, 1, 1, 40, 40, 7, ASSAY_SCALE_NONE },
  { 130, 4, 128, 1300, 1300, 10, ASSAY_SCALE_UNIT },
  { 102, 4, 128, 512, 512, 512, ASSAY_SCALE_NONE },
  { 103, 4, 128, 511, 50, 1, ASSAY_SCALE_NONE },
  { 31, 16, 128, 2000, 700, 100, ASSAY_SCALE_UNIT },
  { 16, 33, 200, 1025, 1000, 65, ASSAY_SCALE_UNIT },
  { 5, 1, 7, 3000, 1, 3000, ASSAY_SCALE_NONE },
  { 600, 0, 128, 700, 700, 66, ASSAY_SCALE_UNIT },
  { 4, 7, 7, 600, 600, 3, ASSAY_SCALE_NONE },
  { 2, 200, 200, 600, 600, 5, ASSAY_SCALE_UNIT },
  { 1, 511, 520, 530, 530, 20, ASSAY_SCALE_UNIT }, /* one subspace fills a product */
  { 2, 512, 520, 200, 200, 20, ASSAY_SCALE_UNIT }, /* and is wide */
  { 1, 700, 700, 150, 150, 150, ASSAY_SCALE_NONE },
  { 3, 2, 5000, 300, 300, 9, ASSAY_SCALE_UNIT }, /* smaller panels */
};

Test (scan, agrees_with_the_definition)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    Problem problem = make_problem (&cases[i]);
    g_autoptr (AssayNearest) nearest = scan (&problem, cases[i].k, 0);

    cr_assert (nearest->n == cases[i].n && nearest->k == cases[i].k);
    for (gsize j = 0; j < cases[i].n; j++)
      check_against_reference (&cases[i], &problem, nearest, j);
    clear_problem (&problem);
  }
}

Test (scan, does_not_depend_on_threads)
{
  TEST_OF_RESULTS ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const gsize count = cases[i].n * cases[i].k;
    g_autofree char *what = describe_case (&cases[i]);
    Problem problem = make_problem (&cases[i]);
    g_autoptr (AssayNearest) one = scan (&problem, cases[i].k, 1);

    for (guint threads = 2; threads <= 3; threads++) {
      g_autoptr (AssayNearest) more = scan (&problem, cases[i].k, threads);

      cr_assert (memcmp (one->rows, more->rows, count * sizeof (gsize)) == 0, "%s: %u threads",
                 what, threads);
      cr_assert (memcmp (one->distances, more->distances, count * sizeof (float)) == 0,
                 "%s: %u threads", what, threads);
    }
    clear_problem (&problem);
  }
}

/* So large a k that the subspaces do not all fit one pass: those about the cut are right too. */
Test (scan, batches_meet)
{
  const Case c = { 7000, 0, 7, 2500, 2500, 2000, ASSAY_SCALE_UNIT };
  Problem problem = make_problem (&c);
  g_autoptr (AssayNearest) nearest = scan (&problem, c.k, 0);
  const guint64 result = c.n * c.k * (sizeof (gsize) + sizeof (float));

  cr_assert (assay_scan_memory (c.n, c.m, c.d, c.k) - result < c.n * c.k * sizeof (guint64),
             "this case is scanned in one pass");
  for (gsize i = 0; i < c.n; i += 97)
    check_against_reference (&c, &problem, nearest, i);
  check_against_reference (&c, &problem, nearest, c.n - 1);
  clear_problem (&problem);
}

/* Copies of five rows: equal distances stand in row order, also where k cuts through them and
 * wherever in a panel the copies stand. */
Test (scan, ties_stand_in_row_order)
{
  enum { COLS = 16, ROWS = 2999, K = 1000 };
  g_autoptr (AssayMatrix) matrix = assay_matrix_new (ROWS, COLS, NULL);
  g_autoptr (AssayRows) rows = NULL;
  float point[COLS];
  float basis[COLS];
  const AssaySubspaces subspaces
      = { .count = 1, .dimension = 1, .cols = COLS, .translation = point, .basis = basis };

  for (gsize j = 0; j < COLS; j++) {
    point[j] = 0.3f * sqrtf ((float) j);
    basis[j] = 0.25f;
    for (gsize i = 0; i < ROWS; i++)
      matrix->data[i * COLS + j] = (float) (i % 5 + 1) * sqrtf ((float) j);
  }
  rows = assay_rows_take_matrix (g_steal_pointer (&matrix));
  for (guint threads = 1; threads <= 3; threads++) {
    g_autoptr (AssayNearest) nearest = NULL;

    assay_parallel_set_threads (threads);
    nearest = assay_scan_subspaces (&subspaces, rows, ASSAY_SCALE_NONE, K, NULL);
    for (gsize i = 0; i < K; i++)
      cr_assert (nearest->rows[i] == (i < 600 ? 5 * i : 5 * (i - 600) + 1), "place %zu: row %zu", i,
                 nearest->rows[i]);
  }
}

/* The rows from which subspaces were made lie in them: each comes first, at no more than the
 * tolerance, and the next row is told apart from it. */
Test (scan, rows_in_the_subspace_are_recognised)
{
  const Case c = { 200, 16, 128, 1400, 1400, 2, ASSAY_SCALE_UNIT };
  Problem problem = make_problem (&c);
  g_autoptr (AssayNearest) nearest = scan (&problem, c.k, 0);
  const double tolerance = assay_scan_tolerance (c.d, c.m, 1);

  for (gsize i = 0; i < c.n; i++) {
    cr_assert (nearest->rows[2 * i] == 7 * i, "subspace %zu: row %zu", i, nearest->rows[2 * i]);
    cr_assert (nearest->distances[2 * i] > 0 && nearest->distances[2 * i] <= tolerance);
    cr_assert (nearest->distances[2 * i + 1] > 10 * tolerance);
  }
  clear_problem (&problem);
}

Test (scan, zeros_are_not_at_distance_zero)
{
  g_autoptr (AssayMatrix) matrix = assay_matrix_new (3, 4, NULL);
  const float point[4] = { 0 };
  const AssaySubspaces subspaces = { .count = 1, .cols = 4, .translation = point };
  g_autoptr (AssayRows) rows = assay_rows_take_matrix (g_steal_pointer (&matrix));
  g_autoptr (AssayNearest) nearest
      = assay_scan_subspaces (&subspaces, rows, ASSAY_SCALE_UNIT, 3, NULL);

  for (gsize i = 0; i < 3; i++) {
    cr_assert (nearest->rows[i] == i);
    cr_assert (nearest->distances[i] > 0
               && nearest->distances[i] <= assay_scan_tolerance (4, 0, 0));
  }
}

Test (scan, rows_that_are_not_finite_come_last)
{
  g_autoptr (AssayMatrix) matrix = assay_matrix_new (1200, 8, NULL);
  const float point[8] = { 1 };
  const AssaySubspaces subspaces = { .count = 1, .cols = 8, .translation = point };
  g_autoptr (AssayRows) rows = NULL;
  g_autoptr (AssayNearest) nearest = NULL;

  for (gsize i = 0; i < matrix->rows; i++)
    for (gsize j = 0; j < 8; j++)
      matrix->data[i * 8 + j] = (float) (i + j);
  matrix->data[3 * 8 + 2] = NAN;
  matrix->data[600 * 8] = INFINITY;
  matrix->data[601 * 8] = -3e30f; /* its square is not finite */
  rows = assay_rows_take_matrix (g_steal_pointer (&matrix));
  nearest = assay_scan_subspaces (&subspaces, rows, ASSAY_SCALE_NONE, 1200, NULL);
  for (gsize i = 0; i < 1197; i++)
    cr_assert (isfinite (nearest->distances[i]), "place %zu", i);
  for (gsize i = 1; i < 1197; i++)
    cr_assert (nearest->distances[i] > nearest->distances[i - 1], "place %zu", i);
  cr_assert (nearest->rows[1197] == 3 && nearest->rows[1198] == 600 && nearest->rows[1199] == 601);
  for (gsize i = 1197; i < 1200; i++)
    cr_assert (isinf (nearest->distances[i]));
}

Test (scan, no_subspaces)
{
  const Case c = { 0, 4, 8, 10, 10, 3, ASSAY_SCALE_NONE };
  Problem problem = make_problem (&c);
  g_autoptr (AssayNearest) nearest = scan (&problem, 3, 0);

  cr_assert (nearest->n == 0 && nearest->k == 3);
  clear_problem (&problem);
}

static void
check_error (const AssaySubspaces *subspaces, const AssayRows *rows, gsize k, gint code,
             const char *message)
{
  g_autoptr (GError) error = NULL;

  cr_assert (assay_scan_subspaces (subspaces, rows, ASSAY_SCALE_NONE, k, &error) == NULL);
  cr_assert (g_error_matches (error, ASSAY_ERROR, code), "%s", error->message);
  cr_assert (strstr (error->message, message) != NULL, "%s", error->message);
}

Test (scan, errors)
{
  const Case c = { 2, 1, 8, 10, 10, 3, ASSAY_SCALE_NONE };
  Problem problem = make_problem (&c);
  AssaySubspaces other = problem.subspaces;
  g_autofree guint8 *one = g_malloc0 (8);
  g_autoptr (GBytes) bytes = g_bytes_new (one, 8);
  g_autoptr (AssayRows) many = assay_rows_new (8);

  check_error (&problem.subspaces, problem.rows, 0, ASSAY_ERROR_MISMATCH, "nearest 0 of 10");
  check_error (&problem.subspaces, problem.rows, 11, ASSAY_ERROR_MISMATCH, "nearest 11 of 10");
  other.cols = 7;
  check_error (&other, problem.rows, 1, ASSAY_ERROR_MISMATCH,
               "expected rows of 7 columns, found 8");
  /* Rows that share their bytes: many without memory. */
  assay_rows_append (many, bytes, g_bytes_get_data (bytes, NULL), ASSAY_UINT8, 0, G_MAXUINT32);
  other.cols = 8;
  other.count = 1000000;
  check_error (&other, many, G_MAXUINT32, ASSAY_ERROR_MEMORY, "this machine has");
  assay_rows_append (many, bytes, g_bytes_get_data (bytes, NULL), ASSAY_UINT8, 0, 1);
  check_error (&problem.subspaces, many, 1, ASSAY_ERROR_MISMATCH, "4294967296 rows");
  clear_problem (&problem);
}

static void
check_memory (const Case *c, guint threads)
{
  g_autofree char *what = describe_case (c);
  Problem problem = make_problem (c);
  const gint64 result = (gint64) (c->n * c->k * (sizeof (gsize) + sizeof (float)));
  gint64 foretold;
  gint64 before;
  gint64 held;
  g_autoptr (AssayNearest) nearest = NULL;

  before = memory_before ();
  nearest = scan (&problem, c->k, threads);
  held = memory_since (before);
  foretold = (gint64) assay_scan_memory (c->n, c->m, c->d, c->k);
  cr_assert (held - result < 256 << 20, "%s: %" G_GINT64_FORMAT " bytes", what, held - result);
  cr_assert (held <= foretold + (8 << 20),
             "%s: %" G_GINT64_FORMAT " bytes held, %" G_GINT64_FORMAT " foretold", what, held,
             foretold);
  clear_problem (&problem);
}

/* Wide subspaces, k as large as it gets; in the long tier, many candidates and many subspaces. */
Test (scan, memory_is_bounded, .timeout = 100)
{
  static const Case large[] = {
    { 3, 1500, 2000, 600, 600, 5, ASSAY_SCALE_NONE },
    { 4, 2, 16, 1000000, 1000000, 900000, ASSAY_SCALE_NONE },
    { 400, 4, 128, 200000, 200000, 1000, ASSAY_SCALE_UNIT },
    { 40000, 4, 128, 2000, 2000, 10, ASSAY_SCALE_UNIT },
  };

  if (IS_ADDRESS_SANITIZED)
    return;
  for (gsize i = 0; i < MIN (G_N_ELEMENTS (large), 2 * test_seeds (1)); i++) {
    if (test_seeds (1) > 1)
      check_memory (&large[i], 2);
    check_memory (&large[i], 64);
  }
}
