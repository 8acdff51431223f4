/* What of a released item stays the same under another key. */
#include "attacks/adaptive/cross-views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vectors.h"
#include "core/data/kinds/item-numbers.h"
#include "core/math/principal.h"

#define AXES 32   /* at most */
#define LEVELS 14 /* of the sorted numbers */

const char *const cross_view_names[] = { "numbers", "axes", "shape", "best", NULL };

static gboolean
centre (AssayMatrix *rows, GError **error)
{
  g_autofree double *mean = assay_alloc (rows->cols, sizeof (double), "means", error);

  if (mean == NULL || !assay_principal_mean (assay_matrix_view (rows), mean, error))
    return FALSE;
  for (gsize i = 0; i < rows->rows; i++)
    for (gsize j = 0; j < rows->cols; j++)
      assay_matrix_row (rows, i)[j] = (float) ((double) assay_matrix_row (rows, i)[j] - mean[j]);
  return TRUE;
}

static AssayMatrix *
along_axes (const AssayMatrix *items, GError **error)
{
  const gsize count = MIN (AXES, items->cols);
  g_autoptr (AssayPrincipal) principal
      = assay_principal_new (assay_matrix_view (items), count, error);
  AssayMatrix *sizes
      = principal != NULL ? assay_principal_project (principal, assay_matrix_view (items), error)
                          : NULL;

  for (gsize i = 0; sizes != NULL && i < sizes->rows * sizes->cols; i++)
    sizes->data[i] = fabsf (sizes->data[i]);
  return sizes;
}

static AssayMatrix *
shapes_of (const AssayMatrix *items, GError **error)
{
  const gsize p = items->cols;
  AssayMatrix *shapes = assay_matrix_new (items->rows, 2 + LEVELS, error);
  g_autofree float *sorted = assay_alloc (p, sizeof (float), "sorted numbers", error);

  if (sorted == NULL)
    g_clear_pointer (&shapes, assay_matrix_free);
  for (gsize i = 0; shapes != NULL && i < items->rows; i++) {
    float *shape = assay_matrix_row (shapes, i);
    double square = 0, sum = 0;

    memcpy (sorted, items->data + i * p, p * sizeof (float));
    qsort (sorted, p, sizeof *sorted, assay_compare_floats);
    for (gsize j = 0; j < p; j++) {
      square += (double) sorted[j] * (double) sorted[j];
      sum += (double) sorted[j];
    }
    shape[0] = (float) sqrt (square);
    shape[1] = (float) (sum / (double) p);
    for (gsize l = 0; l < LEVELS; l++)
      shape[2 + l] = sorted[l * (p - 1) / (LEVELS - 1)];
  }
  return shapes;
}

AssayMatrix *
cross_view (CrossView view, const AssayRelease *release, GError **error)
{
  g_autoptr (AssayMatrix) items = assay_item_numbers (release, (AssayView){ 0 }, error);
  AssayMatrix *seen;

  if (items == NULL || (view != CROSS_SHAPE && !centre (items, error)))
    return NULL;
  if (view == CROSS_NUMBERS)
    return g_steal_pointer (&items);
  seen = view == CROSS_AXES ? along_axes (items, error) : shapes_of (items, error);
  if (seen != NULL && !centre (seen, error))
    g_clear_pointer (&seen, assay_matrix_free);
  return seen;
}
