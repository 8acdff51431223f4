/* Graphs as arrays of their edges. */
#include "core/graph/edge-array.h"

#include "core/base/error.h"

/* A node that was not chosen. */
#define NOWHERE G_MAXUINT32

AssayArray *
assay_edge_array_new (const AssayGraph *graph, GError **error)
{
  const gsize shape[] = { assay_graph_edges (graph), 2 };
  gint64 *edges = assay_alloc (MAX (shape[0], 1), 2 * sizeof (gint64), "edges", error);
  gsize filled = 0;

  if (edges == NULL)
    return NULL;
  for (gsize i = 0; i < graph->n; i++)
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++)
      if (graph->ends[s] > i) {
        edges[filled++] = (gint64) i;
        edges[filled++] = graph->ends[s];
      }
  return assay_array_take (ASSAY_INT64, 2, shape, edges);
}

static gboolean
is_node (gint64 number, gsize n)
{
  return number >= 0 && (guint64) number < n;
}

AssayGraph *
assay_edge_array_graph (gsize n, const AssayArray *edges, GError **error)
{
  const gsize count = edges->shape[0];
  const gint64 *ends = assay_array_int64 (edges);
  g_autofree AssayLink *links = assay_alloc (MAX (count, 1), sizeof (AssayLink), "edges", error);

  if (links == NULL)
    return NULL;
  for (gsize e = 0; e < count; e++) {
    if (!is_node (ends[2 * e], n) || !is_node (ends[2 * e + 1], n)
        || ends[2 * e] == ends[2 * e + 1])
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "edge %zu joins %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                              "; expected two different nodes from 0 to %zu",
                              e, ends[2 * e], ends[2 * e + 1], n - 1);
    links[e] = (AssayLink){ (guint32) ends[2 * e], (guint32) ends[2 * e + 1] };
  }
  return assay_graph_new (n, links, count, NULL, error);
}

AssayArray *
assay_edge_array_among (const AssayArray *edges, gsize n, const gsize *chosen, gsize count,
                        GError **error)
{
  const gint64 *ends = assay_array_int64 (edges);
  g_autofree guint32 *places = assay_alloc (MAX (n, 1), sizeof (guint32), "nodes", error);
  g_autofree AssayLink *links
      = places != NULL ? assay_alloc (MAX (edges->shape[0], 1), sizeof (AssayLink), "edges", error)
                       : NULL;
  g_autoptr (AssayGraph) graph = NULL;
  gsize kept = 0;

  if (links == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++)
    places[i] = NOWHERE;
  for (gsize i = 0; i < count; i++)
    places[chosen[i]] = (guint32) i;
  for (gsize e = 0; e < edges->shape[0]; e++) {
    const AssayLink link = { places[ends[2 * e]], places[ends[2 * e + 1]] };

    if (link.from != NOWHERE && link.to != NOWHERE)
      links[kept++] = link;
  }
  graph = assay_graph_new (count, links, kept, NULL, error);
  return graph != NULL ? assay_edge_array_new (graph, error) : NULL;
}
