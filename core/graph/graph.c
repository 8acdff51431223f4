/* Links are sorted as numbers: the lower end, the higher end, the direction. */
#include "core/graph/graph.h"

#include <stdlib.h>

#include "core/base/each.h"
#include "core/base/vectors.h"
#include "core/data/matrix.h"

static inline guint64
key_of (AssayLink link)
{
  const guint64 low = MIN (link.from, link.to), high = MAX (link.from, link.to);

  return low << 32 | high << 1 | (link.from > link.to);
}

static inline AssayLink
edge_of (guint64 key)
{
  return (AssayLink){ (guint32) (key >> 32), (guint32) ((key & G_MAXUINT32) >> 1) };
}

/* Leaves one key of each edge, in order, and returns how many there are. */
static gsize
unite (guint64 *inout_keys, gsize count, AssayLinkCounts *inout_counts)
{
  gsize n_edges = 0, directions = 0;

  for (gsize i = 0; i < count; i++) {
    const guint64 key = inout_keys[i];

    if (i > 0 && key == inout_keys[i - 1]) {
      inout_counts->repeats++;
      continue;
    }
    directions++;
    if (n_edges > 0 && inout_keys[n_edges - 1] >> 1 == key >> 1)
      continue;
    /* Behind what is still to be read, or at it. */
    inout_keys[n_edges++] = key;
  }
  inout_counts->one_way = 2 * n_edges - directions;
  return n_edges;
}

static AssayGraph *
new_rows (gsize n, gsize n_edges, GError **error)
{
  g_autoptr (AssayGraph) graph = g_new0 (AssayGraph, 1);

  graph->n = n;
  graph->starts = assay_alloc (n + 1, sizeof (gsize), "rows of a graph", error);
  graph->ends = graph->starts != NULL
                    ? assay_alloc (MAX (2 * n_edges, 1), sizeof (guint32), "edges", error)
                    : NULL;
  if (graph->ends == NULL)
    return NULL;
  return g_steal_pointer (&graph);
}

/* Edges come by their lower end, then their higher one: first all that a node has to lower ones are
 * put into its row, then those to higher ones, so that rows rise. */
static AssayGraph *
from_keys (gsize n, const guint64 *keys, gsize n_edges, GError **error)
{
  AssayGraph *graph = new_rows (n, n_edges, error);
  g_autofree gsize *next = NULL;

  if (graph == NULL)
    return NULL;
  for (gsize e = 0; e < n_edges; e++) {
    graph->starts[edge_of (keys[e]).from + 1]++;
    graph->starts[edge_of (keys[e]).to + 1]++;
  }
  for (gsize i = 0; i < n; i++)
    graph->starts[i + 1] += graph->starts[i];
  next = g_memdup2 (graph->starts, (n + 1) * sizeof (gsize));
  for (gsize e = 0; e < n_edges; e++)
    graph->ends[next[edge_of (keys[e]).to]++] = edge_of (keys[e]).from;
  for (gsize e = 0; e < n_edges; e++)
    graph->ends[next[edge_of (keys[e]).from]++] = edge_of (keys[e]).to;
  return graph;
}

AssayGraph *
assay_graph_new (gsize n, const AssayLink *links, gsize count, AssayLinkCounts *ret_counts,
                 GError **error)
{
  g_autofree guint64 *keys = NULL;
  AssayLinkCounts counts = { 0 };
  gsize kept = 0, n_edges;
  AssayGraph *graph;

  g_return_val_if_fail (n <= ASSAY_GRAPH_MAX_NODES, NULL);
  keys = assay_alloc (MAX (count, 1), sizeof (guint64), "links", error);
  if (keys == NULL)
    return NULL;
  for (gsize i = 0; i < count; i++) {
    g_return_val_if_fail (links[i].from < n && links[i].to < n, NULL);
    if (links[i].from != links[i].to)
      keys[kept++] = key_of (links[i]);
  }
  counts.loops = count - kept;
  qsort (keys, kept, sizeof *keys, assay_compare_uint64s);
  n_edges = unite (keys, kept, &counts);
  graph = from_keys (n, keys, n_edges, error);
  if (graph != NULL && ret_counts != NULL)
    *ret_counts = counts;
  return graph;
}

AssayGraph *
assay_graph_complete (gsize n, GError **error)
{
  g_autofree AssayLink *links
      = assay_alloc (MAX (assay_pair_count (n), 1), sizeof (AssayLink), "pairs", error);

  if (links == NULL)
    return NULL;
  for (guint32 i = 0; i < n; i++)
    for (guint32 j = i + 1; j < n; j++)
      links[assay_pair_number (n, i, j)] = (AssayLink){ i, j };
  return assay_graph_new (n, links, assay_pair_count (n), NULL, error);
}

AssayGraph *
assay_graph_subset (const AssayGraph *graph, const guint8 *keep, GError **error)
{
  gsize kept = 0;
  AssayGraph *subset;

  for (gsize s = 0; s < assay_graph_slots (graph); s++)
    kept += keep[s] != 0;
  subset = new_rows (graph->n, kept / 2, error);
  if (subset == NULL)
    return NULL;
  kept = 0;
  for (gsize i = 0; i < graph->n; i++) {
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++)
      if (keep[s])
        subset->ends[kept++] = graph->ends[s];
    subset->starts[i + 1] = kept;
  }
  return subset;
}

ASSAY_FREE_FUNC (AssayGraph, assay_graph_free, g_free (self->starts), g_free (self->ends))

gsize
assay_graph_find (const AssayGraph *graph, gsize a, gsize b)
{
  gsize low = graph->starts[a], high = graph->starts[a + 1];

  ASSAY_BISECT (gsize, edge, low, high, graph->ends[edge] < b)
  return low < graph->starts[a + 1] && graph->ends[low] == b ? low : ASSAY_GRAPH_NONE;
}

gsize
assay_graph_common (const AssayGraph *graph, gsize a, gsize b)
{
  gsize s = graph->starts[a], t = graph->starts[b], common = 0;

  while (s < graph->starts[a + 1] && t < graph->starts[b + 1]) {
    const guint32 first = graph->ends[s], second = graph->ends[t];

    common += first == second;
    s += first <= second;
    t += second <= first;
  }
  return common;
}

/* Rows come in order, and so do the entries of the rows that they point to. */
void
assay_graph_twins (const AssayGraph *graph, gsize *ret_twins)
{
  g_autofree gsize *next = g_memdup2 (graph->starts, (graph->n + 1) * sizeof (gsize));

  for (gsize i = 0; i < graph->n; i++)
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++)
      ret_twins[s] = next[graph->ends[s]]++;
}
