/* Mean, covariance and principal components.
 *
 * With X (n x d) the centred rows, the inner products XX' = U diag (e) U' and the covariance
 * X'X / n have the same eigenvalues, e / n of the latter, but for zeros, and the component of e is
 * X'u / sqrt (e). Of fewer rows than columns that is the smaller problem by far: 200 images of
 * 3,072 numbers take a thousandth of the time.
 *
 * The smaller e is, the less X'u is orthogonal to the components before it, by rounding of e_1 / e.
 * Each is therefore made orthogonal to those (classical Gram-Schmidt, twice: Giraud, Langou,
 * Rozloznik and van den Eshof 2005, "Rounding error analysis of the classical Gram-Schmidt
 * orthogonalization process"). Beyond the rank the unit vector of which they have least stands in
 * the place of X'u. */
#include "core/math/principal.h"

#include <math.h>
#include <string.h>

#include "core/base/interrupt.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define MEAN_PANEL (gsize) 4096 /* rows that are summed in one piece */
#define PANEL (gsize) 512       /* rows that are centred and multiplied at once */
#define BLOCK (gsize) 64        /* rows of the covariance that are one piece of work */
#define WIDTH (gsize) 512       /* columns of components that are one */

#define GRAM_SCHMIDT_PASSES 2

/* Variances below this share of the largest are rounding: of rows in float32, whose linear
 * dependences hold to 6e-8, the variance that is left over is about the square of that. */
#define MIN_VARIANCE 1e-12

/* ---- Mean ---- */

typedef struct {
  AssayView rows;
  const double *from; /* of the squares that are summed; NULL: the values themselves */
  gsize panel;
  double *sums; /* panels x d */
} Summing;

static void
sum_panel (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Summing *job = data;
  const gsize first = panel * job->panel, end = MIN (first + job->panel, job->rows.rows);
  double *sums = job->sums + panel * job->rows.cols;

  for (gsize i = first; i < end; i++) {
    const float *row = assay_view_row (job->rows, i);

    for (gsize j = 0; job->from == NULL && j < job->rows.cols; j++)
      sums[j] += (double) row[j];
    for (gsize j = 0; job->from != NULL && j < job->rows.cols; j++) {
      const double apart = (double) row[j] - job->from[j];

      sums[j] += apart * apart;
    }
  }
}

gboolean
assay_column_means (AssayView rows, const double *from, gsize panel, double *ret_mean,
                    GError **error)
{
  const gsize panels = assay_pieces (rows.rows, panel);
  g_autofree double *sums = assay_alloc (panels, rows.cols * sizeof (double), "mean", error);
  Summing job = { rows, from, panel, sums };

  g_return_val_if_fail (rows.rows >= 1, FALSE);
  if (sums == NULL)
    return FALSE;
  assay_parallel_for (panels, sum_panel, &job);
  for (gsize j = 0; j < rows.cols; j++) {
    double sum = 0;

    for (gsize p = 0; p < panels; p++)
      sum += sums[p * rows.cols + j];
    ret_mean[j] = sum / (double) rows.rows;
  }
  return TRUE;
}

gboolean
assay_principal_mean (AssayView rows, double *ret_mean, GError **error)
{
  return assay_column_means (rows, NULL, MEAN_PANEL, ret_mean, error);
}

/* ---- Covariance ---- */

typedef struct {
  AssayView rows;
  const double *mean;
  double *panels; /* a worker: PANEL x d of centred rows, BLOCK x d of products */
  double *covariance;
} Multiplying;

static gsize
worker_numbers (gsize cols)
{
  return (PANEL + BLOCK) * cols;
}

/* The rows [first, first + count) of the covariance up to the diagonal's end: of each panel of rows
 * the columns before that end are centred and multiplied. The longest pieces come first, so that
 * no thread is left with one of them at the end. */
static void
multiply_block (gsize index, guint worker, gpointer data)
{
  const Multiplying *job = data;
  const gsize cols = job->rows.cols, blocks = assay_pieces (cols, BLOCK);
  const gsize first = (blocks - 1 - index) * BLOCK, count = MIN (BLOCK, cols - first);
  const gsize width = first + count;
  double *centred = job->panels + worker * worker_numbers (cols);
  double *products = centred + PANEL * cols;
  const double scale = 1 / (double) job->rows.rows;

  for (gsize start = 0; start < job->rows.rows; start += PANEL) {
    const gsize n = MIN (PANEL, job->rows.rows - start);

    for (gsize i = 0; i < n; i++) {
      const float *row = assay_view_row (job->rows, start + i);

      for (gsize j = 0; j < width; j++)
        centred[i * width + j] = (double) row[j] - job->mean[j];
    }
    assay_linalg_product_double (ASSAY_TN, (AssayViewDouble){ n, count, width, centred + first },
                                 assay_view_of_doubles (centred, n, width), products, width);
    for (gsize i = 0; i < count; i++)
      for (gsize j = 0; j <= first + i; j++)
        job->covariance[(first + i) * cols + j] += products[i * width + j] * scale;
  }
}

/* Covariance of the rows about their @mean; d x d, symmetric. */
static gboolean
fill_covariance (AssayView rows, const double *mean, double *ret_covariance, GError **error)
{
  const gsize cols = rows.cols;
  g_autofree double *panels = assay_alloc (
      assay_parallel_threads (), worker_numbers (cols) * sizeof (double), "covariance", error);
  Multiplying job = { rows, mean, panels, ret_covariance };

  if (panels == NULL)
    return FALSE;
  memset (ret_covariance, 0, cols * cols * sizeof (double));
  assay_parallel_for (assay_pieces (cols, BLOCK), multiply_block, &job);
  for (gsize i = 0; i < cols; i++)
    for (gsize j = i + 1; j < cols; j++)
      ret_covariance[i * cols + j] = ret_covariance[j * cols + i];
  return TRUE;
}

/* ---- Inner products of few rows ---- */

static double *
centre (AssayView rows, const double *mean, GError **error)
{
  double *centred = assay_alloc (rows.rows, rows.cols * sizeof (double), "rows", error);

  for (gsize i = 0; centred != NULL && i < rows.rows; i++) {
    const float *row = assay_view_row (rows, i);

    for (gsize j = 0; j < rows.cols; j++)
      centred[i * rows.cols + j] = (double) row[j] - mean[j];
  }
  return centred;
}

typedef struct {
  AssayViewDouble centred;
  double *products; /* n x n */
} Products;

/* The rows of a block up to the diagonal's end. */
static void
multiply_rows (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Products *job = data;
  const gsize n = job->centred.rows, cols = job->centred.cols;
  const gsize first = index * BLOCK, count = MIN (BLOCK, n - first);

  assay_linalg_product_double (
      ASSAY_NT, assay_view_of_doubles (job->centred.data + first * cols, count, cols),
      assay_view_of_doubles (job->centred.data, first + count, cols), job->products + first * n, n);
}

/* ---- Components ---- */

static gsize
rank_of (const double *values, gsize count)
{
  gsize rank = 0;

  while (rank < count && values[rank] > 0 && values[rank] > MIN_VARIANCE * values[0])
    rank++;
  return rank;
}

typedef struct {
  AssayViewDouble centred;
  AssayViewDouble turned; /* U', rank x n */
  double *vectors;        /* rank x d */
} Combining;

static void
combine_columns (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Combining *job = data;
  const gsize cols = job->centred.cols, first = index * WIDTH;
  const AssayViewDouble part = { .rows = job->centred.rows,
                                 .cols = MIN (WIDTH, cols - first),
                                 .stride = cols,
                                 .data = job->centred.data + first };

  assay_linalg_product_double (ASSAY_NN, job->turned, part, job->vectors + first, cols);
}

/* The unit vector of which the @count @vectors have least. @sums: room for @cols numbers. */
static void
put_unseen_axis (const double *vectors, gsize count, gsize cols, double *sums, double *ret_vector)
{
  gsize least = 0;

  memset (sums, 0, cols * sizeof *sums);
  for (gsize i = 0; i < count; i++)
    for (gsize j = 0; j < cols; j++)
      sums[j] += vectors[i * cols + j] * vectors[i * cols + j];
  for (gsize j = 1; j < cols; j++)
    if (sums[j] < sums[least])
      least = j;
  memset (ret_vector, 0, cols * sizeof *ret_vector);
  ret_vector[least] = 1;
}

static void
divide_by_length (double *vector, gsize cols)
{
  const double length = sqrt (assay_dot_double (vector, vector, cols));

  for (gsize j = 0; j < cols; j++)
    vector[j] /= length;
}

/* Row @number of @vectors, orthogonal to those before it and of length 1. @room: cols numbers, and
 * one for each vector. */
static void
orthonormalise (double *vectors, gsize number, gsize cols, double *room)
{
  double *vector = vectors + number * cols, *shares = room + cols;
  const AssayViewDouble before = assay_view_of_doubles (vectors, number, cols);

  divide_by_length (vector, cols);
  for (guint pass = 0; pass < GRAM_SCHMIDT_PASSES && number > 0; pass++) {
    assay_linalg_product_double (ASSAY_NT, assay_view_of_doubles (vector, 1, cols), before, shares,
                                 number);
    assay_linalg_product_double (ASSAY_NN, assay_view_of_doubles (shares, 1, number), before, room,
                                 cols);
    for (gsize j = 0; j < cols; j++)
      vector[j] -= room[j];
    divide_by_length (vector, cols);
  }
  assay_turn_up (vector, cols);
}

static gboolean
fill_vectors (AssayViewDouble centred, const double *turned, AssayPrincipal *principal,
              GError **error)
{
  const gsize cols = centred.cols, count = principal->count;
  const gsize rank = rank_of (principal->values, count);
  g_autofree double *room = assay_alloc (cols + count, sizeof (double), "components", error);
  Combining job = { centred, assay_view_of_doubles (turned, rank, centred.rows),
                    principal->vectors };

  if (room == NULL)
    return FALSE;
  if (rank > 0)
    assay_parallel_for (assay_pieces (cols, WIDTH), combine_columns, &job);
  for (gsize i = 0; i < count; i++) {
    if (i >= rank)
      put_unseen_axis (principal->vectors, i, cols, room, principal->vectors + i * cols);
    orthonormalise (principal->vectors, i, cols, room);
  }
  return TRUE;
}

static gboolean
find_by_rows (AssayView rows, AssayPrincipal *principal, GError **error)
{
  const gsize n = rows.rows, count = principal->count;
  g_autofree double *centred = centre (rows, principal->mean, error);
  g_autofree double *products = assay_alloc (n, n * sizeof (double), "inner products", error);
  g_autofree double *turned = assay_alloc (count, n * sizeof (double), "components", error);
  Products job = { assay_view_of_doubles (centred, n, rows.cols), products };

  g_return_val_if_fail (count <= n && n <= rows.cols, FALSE);
  if (centred == NULL || products == NULL || turned == NULL)
    return FALSE;
  assay_parallel_for (assay_pieces (n, BLOCK), multiply_rows, &job);
  if (!assay_linalg_symmetric_eigen (n, count, products, principal->values, turned, error))
    return FALSE;
  for (gsize i = 0; i < count; i++)
    principal->values[i] /= (double) n;
  return fill_vectors (job.centred, turned, principal, error);
}

/* By the covariance, d x d. */
static gboolean
find_by_columns (AssayView rows, AssayPrincipal *principal, GError **error)
{
  const gsize cols = rows.cols;
  g_autofree double *covariance = assay_alloc (cols, cols * sizeof (double), "covariance", error);

  return covariance != NULL && fill_covariance (rows, principal->mean, covariance, error)
         && assay_interrupt_goes_on (error)
         && assay_linalg_symmetric_eigen (cols, principal->count, covariance, principal->values,
                                          principal->vectors, error);
}

AssayPrincipal *
assay_principal_new (AssayView rows, gsize count, GError **error)
{
  const gsize cols = rows.cols;
  g_autoptr (AssayPrincipal) principal = g_new0 (AssayPrincipal, 1);

  g_return_val_if_fail (count >= 1 && count <= cols, NULL);
  principal->count = count;
  principal->cols = cols;
  principal->mean = assay_alloc (cols, sizeof (double), "mean", error);
  principal->values = assay_alloc (count, sizeof (double), "components", error);
  principal->vectors = assay_alloc (count, cols * sizeof (double), "components", error);
  if (principal->mean == NULL || principal->values == NULL || principal->vectors == NULL
      || !assay_principal_mean (rows, principal->mean, error)
      || !(rows.rows < cols && count <= rows.rows ? find_by_rows (rows, principal, error)
                                                  : find_by_columns (rows, principal, error)))
    return NULL;
  principal->rank = rank_of (principal->values, count);
  return g_steal_pointer (&principal);
}

ASSAY_FREE_FUNC (AssayPrincipal, assay_principal_free, g_free (self->mean), g_free (self->values),
                 g_free (self->vectors))

/* ---- Rows in their components ---- */

typedef struct {
  const AssayPrincipal *principal;
  AssayView rows;
  float *basis;   /* k x d */
  float *centred; /* a worker: PANEL x d */
  float *projected;
} Projecting;

static void
project_panel (gsize panel, guint worker, gpointer data)
{
  const Projecting *job = data;
  const gsize cols = job->rows.cols, count = job->principal->count;
  const gsize first = panel * PANEL, n = MIN (PANEL, job->rows.rows - first);
  float *centred = job->centred + worker * PANEL * cols;

  for (gsize i = 0; i < n; i++) {
    const float *row = assay_view_row (job->rows, first + i);

    for (gsize j = 0; j < cols; j++)
      centred[i * cols + j] = (float) ((double) row[j] - job->principal->mean[j]);
  }
  assay_linalg_product (ASSAY_NT, assay_view_of (centred, n, cols),
                        assay_view_of (job->basis, count, cols), job->projected + first * count,
                        count);
}

AssayMatrix *
assay_principal_project (const AssayPrincipal *principal, AssayView rows, GError **error)
{
  const gsize cols = principal->cols, count = principal->count;
  g_autoptr (AssayMatrix) projected = assay_matrix_new (rows.rows, count, error);
  g_autofree float *basis = assay_alloc (count, cols * sizeof (float), "components", error);
  g_autofree float *centred
      = assay_alloc (assay_parallel_threads (), PANEL * cols * sizeof (float), "rows", error);
  Projecting job = { principal, rows, basis, centred, NULL };

  g_return_val_if_fail (rows.cols == cols, NULL);
  if (projected == NULL || basis == NULL || centred == NULL)
    return NULL;
  job.projected = projected->data;
  for (gsize i = 0; i < count * cols; i++)
    basis[i] = (float) principal->vectors[i];
  assay_parallel_for (assay_pieces (rows.rows, PANEL), project_panel, &job);
  return g_steal_pointer (&projected);
}

guint64
assay_principal_memory (gsize cols, gsize count)
{
  const guint64 d = cols;

  /* The eigenproblem works on a copy. */
  return (2 * d * d + d * count + (guint64) assay_parallel_threads () * worker_numbers (cols))
         * sizeof (double);
}
