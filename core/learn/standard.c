/* Columns of mean 0 and variance 1. */
#include "core/learn/standard.h"

#include <math.h>

#include "core/base/parallel.h"
#include "core/math/principal.h"

#define PANEL 256 /* rows */

/* Below this share of the mean, a deviation is rounding. */
#define MIN_DEVIATION 1e-6

AssayStandard *
assay_standard_new (AssayView rows, GError **error)
{
  g_autoptr (AssayStandard) standard = g_new0 (AssayStandard, 1);

  standard->cols = rows.cols;
  standard->mean = assay_alloc (rows.cols, sizeof (double), "means", error);
  standard->factor = assay_alloc (rows.cols, sizeof (double), "deviations", error);
  if (standard->mean == NULL || standard->factor == NULL
      || !assay_principal_mean (rows, standard->mean, error)
      || !assay_column_means (rows, standard->mean, PANEL, standard->factor, error))
    return NULL;
  for (gsize j = 0; j < rows.cols; j++) {
    const double deviation = sqrt (standard->factor[j]);

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
