/* Features of mixtures and public images, and what they are made by. */
#include "attacks/mixtures/mixture-space.h"

#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

#define BLOCK 128 /* rows of a product */
#define PANEL 512 /* reference rows that are read at a time to learn from them */

/* ---- Features ---- */

typedef struct {
  const MixtureSpace *space;
  AssayMatrix *rows;
  AssayMatrix *whitened;
  gboolean is_reference;
} Features;

static void
shape_row (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Features *job = data;
  const MixtureOptions *options = &job->space->options;
  const gsize cols = job->rows->cols;
  float *row = assay_matrix_row (job->rows, index);
  double sum = 0;

  for (gsize j = 0; j < cols && options->form != MIXTURE_PLAIN; j++)
    row[j] = options->form == MIXTURE_SQUARE ? row[j] * row[j] : fabsf (row[j]);
  for (gsize j = 0; j < cols && options->level; j++)
    sum += row[j];
  for (gsize j = 0; j < cols && options->level; j++)
    row[j] = (float) (row[j] - sum / (double) cols);
}

/* Mixtures of images have the mean of images, as their coefficients sum to 1; absolute values and
 * squares of mixtures have a smaller one. */
static void
centre_row (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Features *job = data;
  const float *mean = job->space->mean;
  const gsize cols = job->rows->cols;
  float *row = assay_matrix_row (job->rows, index);
  const double length = assay_dot (mean, mean, cols);
  const gboolean is_fitted
      = !job->is_reference && job->space->options.form != MIXTURE_PLAIN && length > 0;
  const double amount = is_fitted ? assay_dot (row, mean, cols) / length : 1;

  for (gsize j = 0; j < cols; j++)
    row[j] = (float) (row[j] - amount * mean[j]);
}

/* To unit length in the metric of P; rows of zeros stay. */
static void
scale_row (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Features *job = data;
  const gsize cols = job->rows->cols;
  float *row = assay_matrix_row (job->rows, index);
  float *whitened = job->whitened != NULL ? assay_matrix_row (job->whitened, index) : NULL;
  const double square = assay_dot (row, whitened != NULL ? whitened : row, cols);

  if (square <= 0)
    return;
  for (gsize j = 0; j < cols; j++) {
    row[j] = (float) (row[j] / sqrt (square));
    if (whitened != NULL)
      whitened[j] = (float) (whitened[j] / sqrt (square));
  }
}

/* ---- Learning ---- */

/* Sums of columns, row by row: the same however the rows are cut. */
static void
add_rows (const AssayMatrix *rows, double *inout_sum)
{
  for (gsize i = 0; i < rows->rows; i++)
    for (gsize j = 0; j < rows->cols; j++)
      inout_sum[j] += rows->data[i * rows->cols + j];
}

static gboolean
set_mean (const double *sum, gsize n, MixtureSpace *space, GError **error)
{
  space->mean = assay_alloc (space->cols, sizeof (float), "mean image", error);
  for (gsize j = 0; space->mean != NULL && j < space->cols; j++)
    space->mean[j] = (float) (sum[j] / (double) n);
  return space->mean != NULL;
}

static gboolean
learn_mean (const AssayMatrix *rows, MixtureSpace *space, GError **error)
{
  g_autofree double *sum = assay_alloc (rows->cols, sizeof (double), "mean image", error);

  if (sum == NULL)
    return FALSE;
  add_rows (rows, sum);
  return set_mean (sum, rows->rows, space, error);
}

typedef struct {
  const AssayMatrix *rows;
  float *products; /* cols x cols */
} Covariance;

static void
multiply_columns (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Covariance *job = data;
  const gsize cols = job->rows->cols, first = index * BLOCK, count = MIN (BLOCK, cols - first);

  assay_linalg_product (
      ASSAY_TN, (AssayView){ job->rows->rows, count, cols, job->rows->data + first },
      assay_view_of (job->rows->data, job->rows->rows, cols), job->products + first * cols, cols);
}

/* P = ((1 - h) C + h tr (C) / d I)^-1, in units in which the mean variance is 1. */
static gboolean
learn_inverse (const AssayMatrix *rows, MixtureSpace *space, GError **error)
{
  const gsize cols = rows->cols;
  const double h = space->options.shrinkage;
  g_autofree double *matrix = assay_alloc (cols, cols * sizeof (double), "covariance", error);
  g_autofree double *right = assay_alloc (cols, cols * sizeof (double), "covariance", error);
  double trace = 0;
  Covariance job = { .rows = rows };

  space->inverse = assay_alloc (cols, cols * sizeof (float), "covariance", error);
  if (matrix == NULL || right == NULL || space->inverse == NULL)
    return FALSE;
  job.products = space->inverse;
  assay_parallel_for ((cols + BLOCK - 1) / BLOCK, multiply_columns, &job);
  for (gsize i = 0; i < cols; i++)
    trace += (double) space->inverse[i * cols + i] / (double) cols;
  if (!(trace > 0))
    return assay_fail (error, ASSAY_ERROR_NUMERIC,
                       "whiten: the images to learn the covariance from are all alike");
  for (gsize i = 0; i < cols * cols; i++)
    matrix[i] = (1 - h) * space->inverse[i] / trace;
  for (gsize i = 0; i < cols; i++) {
    matrix[i * cols + i] += h;
    right[i * cols + i] = 1;
  }
  if (!assay_linalg_solve_spd (cols, cols, matrix, right, error))
    return assay_prefix (error, "whiten: covariance of %zu images of %zu numbers, shrinkage = %g: ",
                         rows->rows, cols, h);
  for (gsize i = 0; i < cols * cols; i++)
    space->inverse[i] = (float) right[i];
  return TRUE;
}

ASSAY_CLEAR_FUNC (MixtureSpace, mixture_space_clear, assay_drop (self->mean, g_free),
                  assay_drop (self->inverse, g_free))

gboolean
mixture_space_learn (const MixtureOptions *options, AssayMatrix *inout_reference,
                     MixtureSpace *ret_space, GError **error)
{
  g_auto (MixtureSpace) space = { .options = *options, .cols = inout_reference->cols };
  Features job = { .space = &space, .rows = inout_reference, .is_reference = TRUE };

  assay_parallel_for (inout_reference->rows, shape_row, &job);
  if (options->centre) {
    if (!learn_mean (inout_reference, &space, error))
      return FALSE;
    assay_parallel_for (inout_reference->rows, centre_row, &job);
  }
  if (options->whiten && !learn_inverse (inout_reference, &space, error))
    return FALSE;
  *ret_space = space;
  space = (MixtureSpace){ 0 };
  return TRUE;
}

void
mixture_space_enter (const MixtureSpace *space, AssayMatrix *inout_rows)
{
  Features job = { .space = space, .rows = inout_rows };

  assay_parallel_for (inout_rows->rows, shape_row, &job);
  if (space->mean != NULL)
    assay_parallel_for (inout_rows->rows, centre_row, &job);
}

gboolean
mixture_space_whiten (const MixtureSpace *space, AssayMatrix *inout_rows,
                      AssayMatrix **ret_whitened, GError **error)
{
  g_autoptr (AssayMatrix) whitened = NULL;
  Features job = { .space = space, .rows = inout_rows };

  if (space->inverse != NULL) {
    /* P is symmetric: its rows are its columns. */
    const AssayView inverse = { space->cols, space->cols, space->cols, space->inverse };

    whitened = assay_matrix_new (inout_rows->rows, inout_rows->cols, error);
    if (whitened == NULL)
      return FALSE;
    assay_linalg_product_in_parallel (ASSAY_NT, assay_matrix_view (inout_rows), inverse,
                                      whitened->data);
    job.whitened = whitened;
  }
  if (space->options.unit)
    assay_parallel_for (inout_rows->rows, scale_row, &job);
  *ret_whitened = g_steal_pointer (&whitened);
  return TRUE;
}

/* ---- Reference rows that are not held ---- */

typedef struct {
  MixtureSpace *space;
  double *sum;
} Averaging;

static gboolean
average_panel (AssayView panel, G_GNUC_UNUSED gsize first, gpointer data, GError **error)
{
  const Averaging *averaging = data;
  g_autoptr (AssayMatrix) rows = assay_matrix_copy (panel, error);
  Features job = { .space = averaging->space, .rows = rows, .is_reference = TRUE };

  if (rows == NULL)
    return FALSE;
  assay_parallel_for (rows->rows, shape_row, &job);
  add_rows (rows, averaging->sum);
  return TRUE;
}

gboolean
mixture_space_stream (const MixtureOptions *options, const AssayRows *rows, AssayScale scale,
                      MixtureSpace *ret_space, GError **error)
{
  g_autofree double *sum = NULL;
  Averaging averaging = { .space = ret_space };

  g_return_val_if_fail (!options->whiten, FALSE);
  *ret_space = (MixtureSpace){ .options = *options, .cols = assay_rows_cols (rows) };
  if (!options->centre)
    return TRUE;
  sum = assay_alloc (ret_space->cols, sizeof (double), "mean image", error);
  averaging.sum = sum;
  return sum != NULL
         && assay_rows_for_each_panel (rows, PANEL, scale, average_panel, &averaging, error)
         && set_mean (sum, assay_rows_count (rows), ret_space, error);
}

gboolean
mixture_space_shape (AssayView panel, G_GNUC_UNUSED gsize first, gpointer data,
                     gpointer ret_features, G_GNUC_UNUSED float *ret_offsets,
                     G_GNUC_UNUSED GError **error)
{
  const MixtureSpace *space = data;
  AssayMatrix rows = { .rows = panel.rows, .cols = panel.cols, .data = ret_features };
  Features job = { .space = space, .rows = &rows, .is_reference = TRUE };

  memcpy (rows.data, panel.data, panel.rows * panel.cols * sizeof (float));
  for (gsize i = 0; i < rows.rows; i++) {
    shape_row (i, 0, &job);
    if (space->mean != NULL)
      centre_row (i, 0, &job);
    if (space->options.unit)
      scale_row (i, 0, &job);
  }
  return TRUE;
}
