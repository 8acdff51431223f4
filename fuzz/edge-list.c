/* Fuzz target: edge lists. What is read is a simple graph, and every link is accounted for. */
#include "core/graph/edge-list.h"
#include "fuzz/fuzz.h"

#include <string.h>

static void
check_rows (const AssayGraph *graph)
{
  for (gsize i = 0; i < graph->n; i++)
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++) {
      const guint32 j = graph->ends[s];

      FUZZ_REQUIRE (j < graph->n && j != i);
      FUZZ_REQUIRE (s == graph->starts[i] || graph->ends[s - 1] < j);
      FUZZ_REQUIRE (assay_graph_find (graph, j, i) != ASSAY_GRAPH_NONE);
    }
}

/* The same lines as pairs: each is a loop, a repeated link, or one direction of an edge. */
static void
check_pairs (const GArray *pairs, const AssayEdgeList *list)
{
  const AssayLinkCounts *counts = &list->counts;
  g_autofree char *text = assay_edge_list_describe (list);

  FUZZ_REQUIRE (pairs != NULL && strlen (text) > 0);
  FUZZ_REQUIRE (pairs->len / 2
                == counts->loops + counts->repeats
                       + 2 * assay_graph_edges (list->graph) - counts->one_way);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (AssayEdgeList) list = NULL;
  g_autoptr (GArray) pairs = NULL;
  g_autoptr (GError) error = NULL, other = NULL;

  fuzz_files_add ("edges", data, size);
  list = assay_edge_list_read ("edges", &error);
  pairs = assay_number_pairs_read ("edges", "two numbers", &other);
  fuzz_files_forget ();
  fuzz_check_outcome (list != NULL, error);
  fuzz_check_outcome (pairs != NULL, other);
  if (list == NULL)
    return 0;
  check_pairs (pairs, list);
  FUZZ_REQUIRE (list->counts.one_way <= assay_graph_edges (list->graph));
  for (gsize i = 1; i < list->graph->n; i++)
    FUZZ_REQUIRE (list->ids[i - 1] < list->ids[i]);
  check_rows (list->graph);
  return 0;
}
