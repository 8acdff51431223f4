/* Communities of the nodes of a graph. */
#include "datasets/graphs/communities.h"

#include <stdlib.h>

#include "core/base/error.h"
#include "core/base/free.h"
#include "core/base/vectors.h"

#define NOBODY -1

ASSAY_CLEAR_FUNC (GraphCommunities, graph_communities_clear, assay_drop (self->of_node, g_free))

/* Ids of communities become their ranks. */
static void
number_communities (GraphCommunities *communities, gsize n)
{
  g_autofree gint64 *ids = g_memdup2 (communities->of_node, n * sizeof (gint64));
  gsize count = 0;

  qsort (ids, n, sizeof *ids, assay_compare_int64s);
  for (gsize i = 0; i < n; i++)
    if (i == 0 || ids[i] != ids[count - 1])
      ids[count++] = ids[i];
  for (gsize i = 0; i < n; i++)
    communities->of_node[i]
        = (gint64 *) bsearch (&communities->of_node[i], ids, count, sizeof *ids,
                              assay_compare_int64s)
          - ids;
  communities->count = count;
}

static gboolean
take_pairs (const GArray *pairs, const AssayEdgeList *list, gint64 *of_node, GError **error)
{
  const gint64 *numbers = (const gint64 *) (gconstpointer) pairs->data;
  const gsize n = list->graph->n;

  for (gsize i = 0; i < n; i++)
    of_node[i] = NOBODY;
  for (guint k = 0; k < pairs->len; k += 2) {
    const gint64 *id = bsearch (&numbers[k], list->ids, n, sizeof (gint64), assay_compare_int64s);

    if (id == NULL)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "node %" G_GINT64_FORMAT " is not in the list of edges", numbers[k]);
    if (of_node[id - list->ids] != NOBODY)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "node %" G_GINT64_FORMAT " stands there twice; expected one community of "
                         "each",
                         numbers[k]);
    of_node[id - list->ids] = numbers[k + 1];
  }
  for (gsize i = 0; i < n; i++)
    if (of_node[i] == NOBODY)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "node %" G_GINT64_FORMAT " is missing; expected the community of each of "
                         "%zu nodes",
                         list->ids[i], n);
  return TRUE;
}

gboolean
graph_communities_read (const char *path, const AssayEdgeList *list,
                        GraphCommunities *ret_communities, GError **error)
{
  g_autoptr (GArray) pairs = assay_number_pairs_read (path, "a node and its community", error);
  g_auto (GraphCommunities) communities = { 0 };

  if (pairs == NULL)
    return FALSE;
  communities.of_node = g_new (gint64, list->graph->n);
  if (!take_pairs (pairs, list, communities.of_node, error))
    return assay_prefix (error, "%s: ", path);
  number_communities (&communities, list->graph->n);
  *ret_communities = communities;
  communities.of_node = NULL;
  return TRUE;
}

/* The largest of @sizes, the lowest of equal ones. */
static gsize
largest_of (const gsize *sizes, gsize count)
{
  gsize best = 0;

  for (gsize i = 1; i < count; i++)
    if (sizes[i] > sizes[best])
      best = i;
  return best;
}

gsize *
graph_communities_assign (const GraphCommunities *communities, gsize n, const gint64 *labels,
                          gsize n_items, gsize n_classes, GError **error)
{
  g_autofree gsize *sizes = g_new0 (gsize, communities->count + 1);
  g_autofree gsize *left = g_new0 (gsize, n_classes + 1);
  g_autofree gsize *next = g_new0 (gsize, n_classes + 1); /* where to look for an unused item */
  g_autofree gsize *items = g_new (gsize, MAX (n, 1));

  for (gsize i = 0; i < n; i++)
    sizes[communities->of_node[i]]++;
  for (gsize i = 0; i < n_items; i++)
    left[labels[i]]++;
  for (gsize round = 0; round < communities->count; round++) {
    const gsize community = largest_of (sizes, communities->count);
    const gsize class = largest_of (left, n_classes);

    if (left[class] < sizes[community])
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "a community has %zu nodes, and of no class are more than %zu items "
                              "left; expected an item for each node",
                              sizes[community], left[class]);
    left[class] -= sizes[community];
    sizes[community] = 0;
    for (gsize i = 0; i < n; i++)
      if (communities->of_node[i] == (gint64) community) {
        while (labels[next[class]] != (gint64) class)
          next[class]++;
        items[i] = next[class]++;
      }
  }
  return g_steal_pointer (&items);
}
