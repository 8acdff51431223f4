/* Which of the secrets that a run draws are independent units. */
#include "runner/run/units.h"

#define MAX_PUBLIC 1000

static AssayMatrix *
gather (AssayRows *rows, const gsize *index, gsize count, GError **error)
{
  AssayMatrix *matrix = assay_matrix_new (count, assay_rows_cols (rows), error);

  if (matrix != NULL)
    assay_rows_gather (rows, index, count, ASSAY_SCALE_NONE, matrix->data);
  return matrix;
}

/* Public rows from all over the set; NULL in @ret_some: there are none with so many columns. */
static gboolean
gather_public (const AssayDataset *open, AssayMatrix **ret_some, GError **error)
{
  const gsize all = open->public_rows != NULL ? assay_rows_count (open->public_rows) : 0;
  const gsize count = MIN (all, MAX_PUBLIC);
  g_autofree gsize *index = g_new (gsize, count + 1);

  *ret_some = NULL;
  if (count == 0 || assay_rows_cols (open->public_rows) != assay_rows_cols (open->secrets))
    return TRUE;
  for (gsize i = 0; i < count; i++)
    index[i] = i * (all / count);
  *ret_some = gather (open->public_rows, index, count, error);
  return *ret_some != NULL;
}

AssayUnits *
assay_run_find_units (const AssayPlan *plan, guint dataset, const AssayDataset *open,
                      const AssayOrder *order, GError **error)
{
  const AssayCell cell = { .dataset = dataset };
  const gsize n = order->starts[plan->trials];
  g_autofree gint64 *groups = open->groups != NULL ? g_new (gint64, n) : NULL;
  g_autoptr (AssayMatrix) rows = gather (open->secrets, order->rows, n, error);
  AssayMatrix *like = NULL;

  if (rows == NULL || !gather_public (open, &like, error))
    return NULL;
  for (gsize i = 0; groups != NULL && i < n; i++)
    groups[i] = open->groups[order->rows[i]];
  return assay_units_find (g_steal_pointer (&rows), groups, like,
                           assay_plan_stream (plan, &cell, "units", NULL));
}
