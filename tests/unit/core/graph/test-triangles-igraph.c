/* Triangles at each edge, against igraph (python3-igraph), where it is installed. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "core/graph/edge-list.h"
#include "core/graph/triangles.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-graph.h"

/* Debian's, which python3-igraph is made for, whatever python3 comes first. */
#define PYTHON "/usr/bin/python3"

/* Of the edge list a line "lower higher triangles" an edge. */
static const char script[]
    = "import sys, igraph\n"
      "links = [tuple(map(int, line.split())) for line in open(sys.argv[1])]\n"
      "graph = igraph.Graph(edges=links).simplify()\n"
      "neighbours = [set(graph.neighbors(v)) for v in range(graph.vcount())]\n"
      "count = {edge.tuple: 0 for edge in graph.es}\n"
      "for triangle in graph.list_triangles():\n"
      "    a, b, c = sorted(triangle)\n"
      "    for pair in ((a, b), (a, c), (b, c)):\n"
      "        count[pair] += 1\n"
      "for pair in sorted(count):\n"
      "    print(*pair, count[pair])\n";

/* What the script prints, or NULL where there is no igraph. */
static char *
ask_igraph (const char *path)
{
  const char *arguments[] = { PYTHON, "-c", script, path, NULL };
  const char *trial[] = { PYTHON, "-c", "import igraph", NULL };
  char *output = NULL;
  int status;

  if (!g_spawn_sync (NULL, (char **) trial, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDERR_TO_DEV_NULL,
                     NULL, NULL, NULL, NULL, &status, NULL)
      || status != 0)
    return NULL;
  cr_assert (g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                           &output, NULL, &status, NULL));
  cr_assert_eq (status, 0, "igraph could not read %s", path);
  return output;
}

static char *
print_counts (const AssayGraph *graph)
{
  g_autofree guint32 *counts = g_new (guint32, assay_graph_slots (graph));
  GString *text = g_string_new (NULL);
  guint64 total;

  cr_assert (assay_graph_triangles (graph, counts, &total, NULL));
  for (gsize i = 0; i < graph->n; i++)
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++)
      if (graph->ends[s] > i)
        g_string_append_printf (text, "%zu %u %u\n", i, graph->ends[s], counts[s]);
  return g_string_free (text, FALSE);
}

Test (triangles, are_those_of_igraph)
{
  AssayStream stream = assay_stream (assay_stream_key (23, 0, "igraph", ""), 0);
  const gsize n = 300;
  g_autofree guint8 *matrix = naive_graph_draw (n, 0.1, &stream);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *folder = fixture_folder (), *path = NULL, *expected = NULL, *found = NULL;
  g_autoptr (AssayEdgeList) list = NULL;

  /* Every node is there, so that ids are numbers; each edge in both directions. */
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      if (matrix[i * n + j] || i == j)
        g_string_append_printf (text, "%zu %zu\n", i, j);
  path = fixture_write (folder, "graph.txt", text->str);
  expected = ask_igraph (path);
  list = assay_edge_list_read (path, NULL);
  fixture_remove (folder);
  if (expected == NULL)
    cr_skip_test ("igraph is not installed (Debian's python3-igraph)");
  found = print_counts (list->graph);
  cr_assert_str_eq (found, expected);
}
