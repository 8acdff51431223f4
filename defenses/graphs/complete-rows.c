#include "defenses/graphs/complete-rows.h"

gboolean
graph_rows_alloc (gsize n, gsize slots, GraphRows *ret_rows, GError **error)
{
  GraphRows rows = { .n = n };

  rows.indptr = assay_alloc (n + 1, sizeof (gint64), "rows of the graph", error);
  rows.indices
      = rows.indptr != NULL ? assay_alloc (MAX (slots, 1), sizeof (gint64), "pairs", error) : NULL;
  rows.weights = rows.indices != NULL
                     ? assay_alloc (MAX (slots, 1), sizeof (float), "weights", error)
                     : NULL;
  if (rows.weights == NULL) {
    graph_rows_clear (&rows);
    return FALSE;
  }
  *ret_rows = rows;
  return TRUE;
}

gboolean
graph_rows_complete (gsize n, GraphRows *ret_rows, GError **error)
{
  gsize s = 0;

  if (!graph_rows_alloc (n, n * (n - 1), ret_rows, error))
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    for (gsize j = 0; j < n; j++)
      if (j != i)
        ret_rows->indices[s++] = (gint64) j;
    ret_rows->indptr[i + 1] = (gint64) s;
  }
  return TRUE;
}

ASSAY_CLEAR_FUNC (GraphRows, graph_rows_clear, assay_drop (self->indptr, g_free),
                  assay_drop (self->indices, g_free), assay_drop (self->weights, g_free))

void
graph_rows_take (GraphRows *rows, AssayRelease *release)
{
  const gsize slots = (gsize) rows->indptr[rows->n];

  assay_arrays_take (
      &release->arrays, "indptr",
      assay_array_take (ASSAY_INT64, 1, &(gsize){ rows->n + 1 }, g_steal_pointer (&rows->indptr)));
  assay_arrays_take (&release->arrays, "indices",
                     assay_array_take (ASSAY_INT64, 1, &slots, g_steal_pointer (&rows->indices)));
  assay_arrays_take (&release->arrays, "weights",
                     assay_array_take (ASSAY_FLOAT32, 1, &slots, g_steal_pointer (&rows->weights)));
}
