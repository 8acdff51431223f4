/* The forward algorithm (Schank and Wagner 2005, "Finding, Counting and Listing all Triangles in
 * Large Graphs", section 4): each edge points from its end of lower degree, of equal ones the lower
 * number, to the other. A triangle is then found once, from its first node, and no node points to
 * more than the root of twice the edges. */
#include "core/graph/triangles.h"

#include <string.h>

#include "core/data/matrix.h"

/* The rows of edges that point away, each with the slot it comes from. */
typedef struct {
  gsize *starts;
  guint32 *ends;
  gsize *slots;
} Forward;

ASSAY_LOCAL_CLEAR (Forward, forward_clear, g_free (self->starts), g_free (self->ends),
                   g_free (self->slots))

static inline gboolean
points (const AssayGraph *graph, gsize from, gsize to)
{
  const gsize a = assay_graph_degree (graph, from), b = assay_graph_degree (graph, to);

  return a < b || (a == b && from < to);
}

static gboolean
forward_fill (const AssayGraph *graph, Forward *forward, GError **error)
{
  const gsize n_edges = assay_graph_edges (graph);
  gsize filled = 0;

  forward->starts = assay_alloc (graph->n + 1, sizeof (gsize), "rows of a graph", error);
  forward->ends = forward->starts != NULL
                      ? assay_alloc (MAX (n_edges, 1), sizeof (guint32), "edges", error)
                      : NULL;
  forward->slots = forward->ends != NULL
                       ? assay_alloc (MAX (n_edges, 1), sizeof (gsize), "edges", error)
                       : NULL;
  if (forward->slots == NULL)
    return FALSE;
  for (gsize i = 0; i < graph->n; i++) {
    forward->starts[i] = filled;
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++)
      if (points (graph, i, graph->ends[s])) {
        forward->ends[filled] = graph->ends[s];
        forward->slots[filled++] = s;
      }
  }
  forward->starts[graph->n] = filled;
  return TRUE;
}

/* Triangles whose first node is @i. @places: of each node where it stands in the row of @i, and
 * G_MAXUINT32 where it does not; as before on return. */
static guint64
count_from (const Forward *forward, gsize i, guint32 *places, guint32 *inout_counts)
{
  const gsize start = forward->starts[i], end = forward->starts[i + 1];
  guint64 total = 0;

  for (gsize f = start; f < end; f++)
    places[forward->ends[f]] = (guint32) (f - start);
  for (gsize f = start; f < end; f++) {
    const guint32 j = forward->ends[f];

    for (gsize g = forward->starts[j]; g < forward->starts[j + 1]; g++) {
      const guint32 place = places[forward->ends[g]];

      if (place == G_MAXUINT32)
        continue;
      total++;
      inout_counts[forward->slots[f]]++;
      inout_counts[forward->slots[g]]++;
      inout_counts[forward->slots[start + place]]++;
    }
  }
  for (gsize f = start; f < end; f++)
    places[forward->ends[f]] = G_MAXUINT32;
  return total;
}

gboolean
assay_graph_triangles (const AssayGraph *graph, guint32 *ret_counts, guint64 *ret_total,
                       GError **error)
{
  const gsize slots = assay_graph_slots (graph);
  g_auto (Forward) forward = { 0 };
  g_autofree guint32 *places = assay_alloc (MAX (graph->n, 1), sizeof (guint32), "nodes", error);
  g_autofree gsize *twins
      = places != NULL ? assay_alloc (MAX (slots, 1), sizeof (gsize), "edges", error) : NULL;
  guint64 total = 0;

  if (twins == NULL || !forward_fill (graph, &forward, error))
    return FALSE;
  memset (places, 0xff, graph->n * sizeof *places);
  memset (ret_counts, 0, slots * sizeof *ret_counts);
  for (gsize i = 0; i < graph->n; i++)
    total += count_from (&forward, i, places, ret_counts);
  /* Counted in one of the two slots each, the other one being 0. */
  assay_graph_twins (graph, twins);
  for (gsize f = 0; f < assay_graph_edges (graph); f++)
    ret_counts[twins[forward.slots[f]]] = ret_counts[forward.slots[f]];
  *ret_total = total;
  return TRUE;
}
