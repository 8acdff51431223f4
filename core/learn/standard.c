/* Columns of mean 0 and variance 1. */
#include "core/learn/standard.h"

#include <math.h>

#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/math/principal.h"

#define PANEL 256 /* rows */

/* Below this share of the mean, a deviation is rounding. */
#define MIN_DEVIATION 1e-6

typedef struct {
  AssayView rows;
  const double *mean;
  double *squares; /* panels x cols */
} Squaring;

static void
add_squares (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Squaring *job = data;
  const gsize first = panel * PANEL, end = MIN (first + PANEL, job->rows.rows);
  double *squares = job->squares + panel * job->rows.cols;

  for (gsize i = first; i < end; i++) {
    const float *row = assay_view_row (job->rows, i);

    for (gsize j = 0; j < job->rows.cols; j++) {
      const double centred = (double) row[j] - job->mean[j];

      squares[j] += centred * centred;
    }
  }
}

AssayStandard *
assay_standard_new (AssayView rows, GError **error)
{
  const gsize panels = assay_pieces (rows.rows, PANEL), cols = rows.cols;
  g_autoptr (AssayStandard) standard = g_new0 (AssayStandard, 1);
  g_autofree double *squares = assay_alloc (panels, cols * sizeof (double), "deviations", error);
  Squaring job = { rows, NULL, squares };

  standard->cols = cols;
  standard->mean = assay_alloc (cols, sizeof (double), "means", error);
  standard->factor = assay_alloc (cols, sizeof (double), "deviations", error);
  if (squares == NULL || standard->mean == NULL || standard->factor == NULL
      || !assay_principal_mean (rows, standard->mean, error))
    return NULL;
  job.mean = standard->mean;
  assay_parallel_for (panels, add_squares, &job);
  for (gsize j = 0; j < cols; j++) {
    double sum = 0, deviation;

    for (gsize p = 0; p < panels; p++)
      sum += squares[p * cols + j];
    deviation = sqrt (sum / (double) rows.rows);
    standard->factor[j]
        = deviation > MIN_DEVIATION * fabs (standard->mean[j]) && deviation > 0 ? 1 / deviation : 0;
  }
  return g_steal_pointer (&standard);
}

ASSAY_FREE_FUNC (AssayStandard, assay_standard_free, g_free (self->mean), g_free (self->factor))

typedef struct {
  const AssayStandard *standard;
  AssayView rows;
  AssayMatrix *scaled;
} Scaling;

static void
scale_panel (gsize panel, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Scaling *job = data;
  const gsize first = panel * PANEL, end = MIN (first + PANEL, job->rows.rows);

  for (gsize i = first; i < end; i++) {
    const float *row = assay_view_row (job->rows, i);
    float *scaled = assay_matrix_row (job->scaled, i);

    for (gsize j = 0; j < job->rows.cols; j++)
      scaled[j] = (float) (((double) row[j] - job->standard->mean[j]) * job->standard->factor[j]);
  }
}

AssayMatrix *
assay_standard_apply (const AssayStandard *standard, AssayView rows, GError **error)
{
  Scaling job = { standard, rows, assay_matrix_new (rows.rows, rows.cols, error) };

  g_return_val_if_fail (rows.cols == standard->cols, NULL);
  if (job.scaled != NULL)
    assay_parallel_for (assay_pieces (rows.rows, PANEL), scale_panel, &job);
  return job.scaled;
}
