/* Motifs of pairs of nodes. */
#include "core/graph/motifs.h"

#include <string.h>

#include "core/data/matrix.h"

const char *const assay_motifs[] = { "triangles", "codegree", NULL };

double
assay_motif_of_pair (const AssayGraph *graph, AssayMotif motif, double edge, gsize i, gsize j)
{
  const gboolean is_edge = assay_graph_find (graph, i, j) != ASSAY_GRAPH_NONE;

  if (!is_edge && motif == ASSAY_MOTIF_TRIANGLES)
    return 0;
  return (double) assay_graph_common (graph, i, j) + (is_edge ? edge : 0);
}

/* Paths of two edges from @i, of each node at their end. */
static void
add_paths (const AssayGraph *graph, gsize i, guint32 *inout_paths)
{
  for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++) {
    const gsize middle = graph->ends[s];

    for (gsize t = graph->starts[middle]; t < graph->starts[middle + 1]; t++)
      inout_paths[graph->ends[t]]++;
  }
}

void
assay_motif_fill_row (const AssayGraph *graph, AssayMotif motif, double edge, gsize i,
                      guint32 *paths, double *ret_values)
{
  memset (paths, 0, graph->n * sizeof *paths);
  add_paths (graph, i, paths);
  for (gsize j = i + 1; j < graph->n; j++)
    ret_values[j - i - 1] = motif == ASSAY_MOTIF_CODEGREE ? paths[j] : 0;
  for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++) {
    const gsize j = graph->ends[s];

    if (j > i)
      ret_values[j - i - 1] = paths[j] + edge;
  }
}

gboolean
assay_motif_largest_codegree (const AssayGraph *graph, gsize *ret_largest, GError **error)
{
  g_autofree guint32 *paths = assay_alloc (MAX (graph->n, 1), sizeof (guint32), "nodes", error);
  guint32 largest = 0;

  if (paths == NULL)
    return FALSE;
  for (gsize i = 0; i < graph->n; i++) {
    memset (paths, 0, graph->n * sizeof *paths);
    add_paths (graph, i, paths);
    for (gsize j = i + 1; j < graph->n; j++)
      largest = MAX (largest, paths[j]);
  }
  *ret_largest = largest;
  return TRUE;
}
