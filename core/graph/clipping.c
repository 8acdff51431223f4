/* A preference is a whole number for each slot, higher first, so that every rank is compared
 * exactly. */
#include "core/graph/clipping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/matrix.h"
#include "core/graph/triangles.h"

const char *const assay_prunings[] = { "mutual", "greedy", "none", NULL };
const char *const assay_ranks[] = { "cosine", "hash", "number", "neighbours", NULL };

/* An edge in the row of its end @from. */
typedef struct {
  guint64 key;
  guint32 from, to;
  gsize slot;
} Choice;

/* ---- Preferences ---- */

/* In the order of the values, of which -0 is 0. */
static guint64
key_of_double (double value)
{
  guint64 bits;

  value += 0.0;
  memcpy (&bits, &value, sizeof bits);
  return bits >> 63 ? ~bits : bits | (guint64) 1 << 63;
}

/* Steele, Lea and Flood 2014, "Fast Splittable Pseudorandom Number Generators". */
static guint64
splitmix64 (guint64 state)
{
  guint64 z = state + 0x9E3779B97F4A7C15u;

  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

guint64
assay_rank_hash (guint64 i, guint64 j)
{
  return splitmix64 (MIN (i, j) << 32 | MAX (i, j));
}

/* The common neighbours of an edge over the root of the product of degrees. */
static gboolean
fill_from_neighbours (const AssayGraph *graph, guint64 *ret_keys, GError **error)
{
  g_autofree guint32 *common
      = assay_alloc (MAX (assay_graph_slots (graph), 1), sizeof (guint32), "edges", error);
  guint64 total;

  if (common == NULL || !assay_graph_triangles (graph, common, &total, error))
    return FALSE;
  for (gsize i = 0; i < graph->n; i++)
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++) {
      const double product = (double) assay_graph_degree (graph, i)
                             * (double) assay_graph_degree (graph, graph->ends[s]);

      ret_keys[s] = (guint64) llrint (1e12 * common[s] / sqrt (product));
    }
  return TRUE;
}

static gboolean
fill_keys (const AssayGraph *graph, const AssayClipping *clipping, guint64 *ret_keys,
           GError **error)
{
  if (clipping->rank == ASSAY_RANK_NEIGHBOURS)
    return fill_from_neighbours (graph, ret_keys, error);
  for (gsize i = 0; i < graph->n; i++)
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++) {
      const guint32 j = graph->ends[s];

      ret_keys[s] = clipping->rank == ASSAY_RANK_HASH ? ~assay_rank_hash (i, j)
                    : clipping->rank == ASSAY_RANK_NUMBER
                        ? j
                        : key_of_double (clipping->likeness (clipping->data, i, j));
    }
  return TRUE;
}

static int
compare_choices (const void *a, const void *b)
{
  const Choice *first = a, *second = b;

  if (first->key != second->key)
    return first->key > second->key ? -1 : 1;
  if (first->from != second->from)
    return first->from < second->from ? -1 : 1;
  return (first->to > second->to) - (first->to < second->to);
}

/* ---- Lists ---- */

/* Marks the slots of the first `bound` in each row. */
static gboolean
list_preferred (const AssayGraph *graph, gsize bound, const guint64 *keys, guint8 *ret_listed,
                GError **error)
{
  gsize most = 0;
  g_autofree Choice *row = NULL;

  for (gsize i = 0; i < graph->n; i++)
    most = MAX (most, assay_graph_degree (graph, i));
  row = assay_alloc (MAX (most, 1), sizeof (Choice), "neighbours of a node", error);
  if (row == NULL)
    return FALSE;
  for (gsize i = 0; i < graph->n; i++) {
    const gsize start = graph->starts[i], degree = assay_graph_degree (graph, i);

    for (gsize k = 0; k < degree; k++)
      row[k] = (Choice){ keys[start + k], (guint32) i, graph->ends[start + k], start + k };
    if (degree > bound)
      qsort (row, degree, sizeof *row, compare_choices);
    for (gsize k = 0; k < MIN (degree, bound); k++)
      ret_listed[row[k].slot] = 1;
  }
  return TRUE;
}

/* ---- Pruning ---- */

/* Unmarks edges that are marked, so that no node has more than `bound`. */
static gboolean
prune_greedily (const AssayGraph *graph, const AssayClipping *clipping, const guint64 *keys,
                const gsize *twins, guint8 *inout_keep, GError **error)
{
  g_autofree Choice *edges
      = assay_alloc (MAX (assay_graph_edges (graph), 1), sizeof (Choice), "edges", error);
  g_autofree gsize *degrees
      = edges != NULL ? assay_alloc (MAX (graph->n, 1), sizeof (gsize), "nodes", error) : NULL;
  gsize count = 0;

  if (degrees == NULL)
    return FALSE;
  for (gsize i = 0; i < graph->n; i++)
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++) {
      const guint32 j = graph->ends[s];

      if (j > i && inout_keep[s])
        edges[count++]
            = (Choice){ clipping->rank == ASSAY_RANK_NUMBER ? (guint64) j << 32 | i : keys[s],
                        (guint32) i, j, s };
    }
  qsort (edges, count, sizeof *edges, compare_choices);
  for (gsize e = 0; e < count; e++) {
    gsize *from = &degrees[edges[e].from], *to = &degrees[edges[e].to];
    const gboolean has_room = *from < clipping->bound && *to < clipping->bound;

    inout_keep[edges[e].slot] = inout_keep[twins[edges[e].slot]] = (guint8) has_room;
    *from += has_room;
    *to += has_room;
  }
  return TRUE;
}

/* Both slots of an edge get the same mark. */
static void
unite (const gsize *twins, gsize slots, gboolean needs_both, guint8 *inout_marks)
{
  for (gsize s = 0; s < slots; s++)
    if (s < twins[s]) {
      const guint8 a = inout_marks[s], b = inout_marks[twins[s]];

      inout_marks[s] = inout_marks[twins[s]] = needs_both ? a & b : a | b;
    }
}

AssayGraph *
assay_graph_clip (const AssayGraph *graph, const AssayClipping *clipping, GError **error)
{
  const gsize slots = assay_graph_slots (graph), room = MAX (slots, 1);
  g_autofree guint64 *keys = assay_alloc (room, sizeof (guint64), "preferences", error);
  g_autofree gsize *twins
      = keys != NULL ? assay_alloc (room, sizeof (gsize), "edges", error) : NULL;
  g_autofree guint8 *keep = twins != NULL ? assay_alloc (room, 1, "edges", error) : NULL;

  if (keep == NULL || !fill_keys (graph, clipping, keys, error)
      || !list_preferred (graph, clipping->bound, keys, keep, error))
    return NULL;
  assay_graph_twins (graph, twins);
  unite (twins, slots, clipping->pruning == ASSAY_PRUNE_MUTUAL, keep);
  if (clipping->pruning == ASSAY_PRUNE_GREEDY
      && !prune_greedily (graph, clipping, keys, twins, keep, error))
    return NULL;
  return assay_graph_subset (graph, keep, error);
}
