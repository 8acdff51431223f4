/* RootSIFT. */
#include "datasets/tables/row-root.h"

#include <math.h>

#include "core/base/error.h"

/* Rows that are looked at together: 2 MB of SIFT. */
#define PANEL 4096

static gboolean
check_panel (AssayView panel, gsize first, G_GNUC_UNUSED gpointer data, GError **error)
{
  for (gsize i = 0; i < panel.rows; i++) {
    const float *row = assay_view_row (panel, i);

    for (gsize j = 0; j < panel.cols; j++)
      if (row[j] < 0)
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "scale = root: row %zu has %g in column %zu, and the root of numbers "
                           "below 0 is not defined",
                           first + i, (double) row[j], j);
  }
  return TRUE;
}

gboolean
row_root_check (AssayRowFiles *const *roles, const char *const *names, guint n_roles,
                GError **error)
{
  for (guint r = 0; r < n_roles; r++)
    if (roles[r] != NULL
        && !assay_rows_for_each_panel (roles[r]->rows, PANEL, ASSAY_SCALE_NONE, check_panel, NULL,
                                       error))
      return assay_prefix (error, "%s: ", names[r]);
  return TRUE;
}

static AssayRows *
make_roots (const AssayRows *rows, GError **error)
{
  AssayMatrix *matrix = assay_rows_matrix (rows, ASSAY_SCALE_NONE, error);

  for (gsize i = 0; matrix != NULL && i < matrix->rows; i++) {
    float *row = assay_matrix_row (matrix, i);
    double sum = 0;

    for (gsize j = 0; j < matrix->cols; j++)
      sum += row[j];
    for (gsize j = 0; sum > 0 && j < matrix->cols; j++)
      row[j] = (float) sqrt (row[j] / sum);
  }
  return matrix != NULL ? assay_rows_take_matrix (matrix) : NULL;
}

gboolean
row_root_take (AssayRowFiles **roles, guint n_roles, GError **error)
{
  for (guint r = 0; r < n_roles; r++) {
    AssayRows *rows = NULL;

    if (roles[r] == NULL)
      continue;
    rows = make_roots (roles[r]->rows, error);
    if (rows == NULL)
      return FALSE;
    assay_rows_unref (roles[r]->rows);
    roles[r]->rows = rows;
  }
  return TRUE;
}
