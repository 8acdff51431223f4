/* Mean, covariance and principal components. */
#include "core/math/principal.h"

#include <string.h>

#include "core/base/parallel.h"
#include "core/math/linalg.h"

#define MEAN_PANEL (gsize) 4096 /* rows that are summed in one piece */
#define PANEL (gsize) 512       /* rows that are centred and multiplied at once */
#define BLOCK (gsize) 64        /* rows of the covariance that are one piece of work */

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

/* ---- Components ---- */

static gsize
rank_of (const double *values, gsize count)
{
  gsize rank = 0;

  while (rank < count && values[rank] > 0 && values[rank] > MIN_VARIANCE * values[0])
    rank++;
  return rank;
}

AssayPrincipal *
assay_principal_new (AssayView rows, gsize count, GError **error)
{
  const gsize cols = rows.cols;
  g_autoptr (AssayPrincipal) principal = g_new0 (AssayPrincipal, 1);
  g_autofree double *covariance = assay_alloc (cols, cols * sizeof (double), "covariance", error);

  g_return_val_if_fail (count >= 1 && count <= cols, NULL);
  principal->count = count;
  principal->cols = cols;
  principal->mean = assay_alloc (cols, sizeof (double), "mean", error);
  principal->values = assay_alloc (count, sizeof (double), "components", error);
  principal->vectors = assay_alloc (count, cols * sizeof (double), "components", error);
  if (covariance == NULL || principal->mean == NULL || principal->values == NULL
      || principal->vectors == NULL || !assay_principal_mean (rows, principal->mean, error)
      || !fill_covariance (rows, principal->mean, covariance, error)
      || !assay_linalg_symmetric_eigen (cols, count, covariance, principal->values,
                                        principal->vectors, error))
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
