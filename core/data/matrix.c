/* Row-major float32 matrices. */
#include "core/data/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/error.h"

#define ALIGNMENT 64
/* Blocks from LARGE on are of huge pages where the system has them: fewer faults, and rows of
 * different blocks do not wait for the translation of their addresses. */
#define HUGE_PAGE ((gsize) 2 << 20)
#define LARGE (2 * HUGE_PAGE)

gpointer
assay_alloc (gsize count, gsize size, const char *what, GError **error)
{
  gsize bytes;
  gpointer block = NULL;

  if (!g_size_checked_mul (&bytes, count, size) || bytes > G_MAXSSIZE - HUGE_PAGE
      || posix_memalign (&block, bytes < LARGE ? ALIGNMENT : HUGE_PAGE, MAX (bytes, 1)) != 0)
    return assay_fail_null (error, ASSAY_ERROR_MEMORY, "%s: no memory for %zu x %zu bytes", what,
                            count, size);
  if (bytes >= LARGE)
    madvise (block, bytes, MADV_HUGEPAGE);
  memset (block, 0, MAX (bytes, 1));
  return block;
}

AssayMatrix *
assay_matrix_new (gsize rows, gsize cols, GError **error)
{
  gsize count;
  float *data;
  AssayMatrix *matrix;

  if (!g_size_checked_mul (&count, rows, cols))
    count = G_MAXSIZE;
  data = assay_alloc (count, sizeof (float), "matrix", error);
  if (data == NULL)
    return NULL;
  matrix = g_new (AssayMatrix, 1);
  *matrix = (AssayMatrix){ .rows = rows, .cols = cols, .data = data };
  return matrix;
}

AssayMatrix *
assay_matrix_copy (AssayView view, GError **error)
{
  AssayMatrix *matrix = assay_matrix_new (view.rows, view.cols, error);

  if (matrix != NULL)
    for (gsize i = 0; i < view.rows; i++)
      memcpy (assay_matrix_row (matrix, i), assay_view_row (view, i), view.cols * sizeof (float));
  return matrix;
}

ASSAY_FREE_FUNC (AssayMatrix, assay_matrix_free, g_free (self->data))

AssayView
assay_matrix_view (const AssayMatrix *matrix)
{
  return (AssayView){
    .rows = matrix->rows, .cols = matrix->cols, .stride = matrix->cols, .data = matrix->data
  };
}

AssayView
assay_view_rows (AssayView view, gsize first, gsize count)
{
  g_return_val_if_fail (first <= view.rows && count <= view.rows - first, ((AssayView){ 0 }));
  view.data += first * view.stride;
  view.rows = count;
  return view;
}

gboolean
assay_view_check_finite (AssayView view, const char *what, GError **error)
{
  for (gsize i = 0; i < view.rows; i++) {
    const float *row = assay_view_row (view, i);

    for (gsize j = 0; j < view.cols; j++)
      if (!isfinite (row[j]))
        return assay_fail (error, ASSAY_ERROR_NUMERIC,
                           "%s: row %zu, column %zu is not a finite number", what, i, j);
  }
  return TRUE;
}

gboolean
assay_view_check_shares (AssayView shares, GError **error)
{
  double sum = 0;

  if (!assay_view_check_finite (shares, "shares of classes", error))
    return FALSE;
  for (gsize i = 0; i < shares.rows; i++)
    for (gsize c = 0; c < shares.cols; c++) {
      const double share = (double) assay_view_row (shares, i)[c];

      if (share < 0)
        return assay_fail (error, ASSAY_ERROR_DATA,
                           "row %zu gives class %zu the share %g; expected no negative ones", i, c,
                           share);
      sum += share;
    }
  return sum > 0
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "no row has a share of any class; expected a positive one at least");
}
