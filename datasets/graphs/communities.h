/* Communities of the nodes of a graph, and items for them. */
#pragma once

#include "core/graph/edge-list.h"

typedef struct {
  gint64 *of_node; /* of each node of the graph, numbered from 0 by rising id */
  gsize count;
} GraphCommunities;

void graph_communities_clear (GraphCommunities *communities);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (GraphCommunities, graph_communities_clear)

/* A file with the id of a node and that of its community in each line. ASSAY_ERROR_DATA for nodes
 * that the graph does not have, that stand there twice, or that are missing. */
gboolean graph_communities_read (const char *path, const AssayEdgeList *list,
                                 GraphCommunities *ret_communities, GError **error);

/* An item for each of @n nodes, so that communities are of one class: by falling size (of equal
 * ones the lower number first) each takes the class with the most items that are left (the lower
 * one of equals), and its nodes in order the next of them. @labels are the classes of @n_items
 * items. ASSAY_ERROR_DATA where a community is larger than what is left of any class. */
gsize *graph_communities_assign (const GraphCommunities *communities, gsize n, const gint64 *labels,
                                 gsize n_items, gsize n_classes, GError **error);
