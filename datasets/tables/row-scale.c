#include "datasets/tables/row-scale.h"

#include <math.h>

#include "core/base/error.h"
#include "core/math/column-units.h"

/* Rows that are looked at together: 2 MB of SIFT. */
#define PANEL 4096
#define OUTWEIGHS 0.9 /* of the variance: distances are, in practice, those in this column */

const char *const row_scale_names[] = { "none", "root", "columns", NULL };

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
row_scale_check (RowScale scale, AssayRowFiles *const *roles, const char *const *names,
                 guint n_roles, GError **error)
{
  for (guint r = 0; scale == ROW_SCALE_ROOT && r < n_roles; r++)
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

static AssayRows *
make_columns (const AssayRows *rows, const float *units, GError **error)
{
  g_autoptr (AssayMatrix) stored = assay_rows_matrix (rows, ASSAY_SCALE_NONE, error);
  AssayMatrix *matrix = stored != NULL
                            ? assay_columns_divide (assay_matrix_view (stored), units, error)
                            : NULL;

  return matrix != NULL ? assay_rows_take_matrix (matrix) : NULL;
}

gboolean
row_scale_take (RowScale scale, AssayRowFiles **roles, guint n_roles, guint measured,
                float **ret_units, GError **error)
{
  g_autofree float *units = NULL;

  if (scale == ROW_SCALE_COLUMNS) {
    units = assay_column_units (roles[measured]->rows, error);
    if (units == NULL)
      return FALSE;
  }
  for (guint r = 0; scale != ROW_SCALE_NONE && r < n_roles; r++) {
    AssayRows *rows = NULL;

    if (roles[r] == NULL)
      continue;
    rows = units != NULL ? make_columns (roles[r]->rows, units, error)
                         : make_roots (roles[r]->rows, error);
    if (rows == NULL)
      return FALSE;
    assay_rows_unref (roles[r]->rows);
    roles[r]->rows = rows;
  }
  *ret_units = g_steal_pointer (&units);
  return TRUE;
}

gboolean
row_scale_remark (const AssayRowFiles *rows, char *ret_remark, gsize size, GError **error)
{
  static const char seen[] = "of the variance of all rows: attacks and measures compare rows by "
                             "distances, and these see little else; expected scale = columns in "
                             "[dataset], or columns in one unit";
  const gsize d = assay_rows_cols (rows->rows);
  AssayColumnSpread spread;

  if (!assay_column_spread (rows->rows, &spread, error))
    return FALSE;
  if (spread.share > OUTWEIGHS && d > 1)
    g_snprintf (ret_remark, size, "column %zu has %.1f %% %s", spread.widest + 1,
                100 * spread.share, seen);
  else if (spread.n_large > 0)
    g_snprintf (ret_remark, size, "%zu of %zu columns (column %zu is one) have %.1f %% %s",
                spread.n_large, d, spread.widest + 1, 100 * spread.large_share, seen);
  return TRUE;
}
