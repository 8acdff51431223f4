/* Edge lists: text files with two whole numbers a line, the ids of the nodes that it links (SNAP,
 * https://snap.stanford.edu/data). */
#pragma once

#include "core/graph/graph.h"

/* Node i has the id that is i-th in order, among all ids of the file, also those that have nothing
 * but a loop. */
typedef struct {
  AssayGraph *graph;
  gint64 *ids;
  AssayLinkCounts counts;
} AssayEdgeList;

/* Numbers are at least 0, and spaces, tabs or a comma are between them; empty lines, and those that
 * begin with # or %, are passed over. ASSAY_ERROR_DATA with the line where it is not so, and for a
 * file without any link. */
AssayEdgeList *assay_edge_list_read (const char *path, GError **error);
ASSAY_DECLARE_FREE (AssayEdgeList, assay_edge_list_free)

/* The numbers of such a file, of which each line has two: int64, in their order. @what: what both
 * of a line are, for messages ("a node and its class"). */
GArray *assay_number_pairs_read (const char *path, const char *what, GError **error);

/* What was in the file beside simple edges, for people: "642 loops left out, 3 repeated links taken
 * once, 15 of 60 edges in one direction alone". */
char *assay_edge_list_describe (const AssayEdgeList *list);
