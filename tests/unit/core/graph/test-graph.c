/* Graphs as compressed rows, edge lists, triangles and motifs, against full matrices. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/graph/clipping.h"
#include "core/graph/edge-list.h"
#include "core/graph/motifs.h"
#include "core/graph/triangles.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-graph.h"

static AssayStream
stream_of (guint64 item)
{
  return assay_stream (assay_stream_key (21, 0, "graphs", ""), item);
}

/* Loops, repeated links and single directions, by hand. */
Test (graph, links_become_simple)
{
  static const AssayLink links[]
      = { { 2, 1 }, { 1, 2 }, { 2, 1 }, { 0, 0 }, { 3, 1 }, { 3, 1 }, { 3, 1 }, { 4, 4 } };
  static const gsize starts[] = { 0, 0, 2, 3, 4, 4 };
  static const guint32 ends[] = { 2, 3, 1, 1 };
  AssayLinkCounts counts;
  g_autoptr (AssayGraph) graph = assay_graph_new (5, links, G_N_ELEMENTS (links), &counts, NULL);

  cr_assert_eq (counts.loops, 2);
  cr_assert_eq (counts.repeats, 3);
  cr_assert_eq (counts.one_way, 1);
  cr_assert_eq (assay_graph_edges (graph), 2);
  cr_assert_arr_eq (graph->starts, starts, sizeof starts);
  cr_assert_arr_eq (graph->ends, ends, sizeof ends);
  cr_assert_eq (assay_graph_find (graph, 1, 3), 1);
  cr_assert_eq (assay_graph_find (graph, 0, 3), ASSAY_GRAPH_NONE);
}

Test (graph, pairs_are_numbered_in_order)
{
  gsize number = 0;

  for (gsize i = 0; i < 7; i++)
    for (gsize j = i + 1; j < 7; j++)
      cr_assert_eq (assay_pair_number (7, i, j), number++);
  cr_assert_eq (assay_pair_count (7), number);
}

/* The motif of all pairs. */
static void
fill_motifs (const AssayGraph *graph, AssayMotif motif, double edge, double *ret_values)
{
  g_autofree guint32 *paths = g_new (guint32, MAX (graph->n, 1));

  for (gsize i = 0; i < graph->n; i++)
    assay_motif_fill_row (graph, motif, edge, i, paths,
                          ret_values + assay_pair_number (graph->n, i, i + 1));
}

static void
check_counts (gsize n, const guint8 *matrix, const AssayGraph *graph)
{
  g_autofree guint32 *counts = g_new (guint32, assay_graph_slots (graph) + 1);
  g_autofree double *triangles = g_new (double, assay_pair_count (n) + 1);
  g_autofree double *paths = g_new (double, assay_pair_count (n) + 1);
  guint64 total, sum = 0;
  gsize largest, expected = 0;

  cr_assert (assay_graph_triangles (graph, counts, &total, NULL));
  cr_assert (assay_motif_largest_codegree (graph, &largest, NULL));
  fill_motifs (graph, ASSAY_MOTIF_TRIANGLES, 0.5, triangles);
  fill_motifs (graph, ASSAY_MOTIF_CODEGREE, 0, paths);
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++) {
      const gsize slot = assay_graph_find (graph, i, j), pair = assay_pair_number (n, i, j);
      const gsize common = naive_graph_common (n, matrix, i, j);
      const gboolean is_edge = matrix[i * n + j];

      cr_assert_eq (is_edge, slot != ASSAY_GRAPH_NONE);
      if (is_edge)
        cr_assert_eq (counts[slot], common, "%zu, %zu: %u of %zu", i, j, counts[slot], common);
      sum += is_edge ? common : 0;
      if (j <= i)
        continue;
      expected = MAX (expected, common);
      cr_assert_eq (assay_graph_common (graph, i, j), common);
      cr_assert_eq (paths[pair], (double) common);
      cr_assert_eq (triangles[pair], is_edge ? (double) common + 0.5 : 0);
      cr_assert_eq (assay_motif_of_pair (graph, ASSAY_MOTIF_TRIANGLES, 0.5, i, j), triangles[pair]);
      cr_assert_eq (assay_motif_of_pair (graph, ASSAY_MOTIF_CODEGREE, 0, j, i), paths[pair]);
    }
  cr_assert_eq (largest, expected);
  cr_assert_eq (6 * total, sum);
}

Test (graph, triangles_and_paths_are_those_of_full_matrices)
{
  for (guint64 item = 0; item < 60; item++) {
    AssayStream stream = stream_of (item);
    const gsize n = assay_stream_below (&stream, 30);
    g_autofree guint8 *matrix = naive_graph_draw (n, assay_stream_uniform (&stream), &stream);
    g_autoptr (AssayGraph) graph = naive_graph_rows (n, matrix);
    g_autofree guint8 *back = naive_graph_matrix (graph);

    if (n > 0)
      cr_assert_arr_eq (back, matrix, n * n);
    check_counts (n, matrix, graph);
  }
}

/* ---- Edge lists ---- */

Test (edge_list, nodes_are_numbered_by_id)
{
  static const char text[] = "# a comment\n7 30\n\n  30\t7\r\n% another\n9,9\n100 7\n7 100\n7 100";
  static const gint64 ids[] = { 7, 9, 30, 100 };
  g_autofree char *folder = fixture_folder ();
  g_autofree char *path = fixture_write (folder, "a.txt", text);
  g_autoptr (AssayEdgeList) list = assay_edge_list_read (path, NULL);
  g_autofree char *says = assay_edge_list_describe (list);

  cr_assert_eq (list->graph->n, 4);
  cr_assert_arr_eq (list->ids, ids, sizeof ids);
  cr_assert_eq (assay_graph_edges (list->graph), 2);
  cr_assert_neq (assay_graph_find (list->graph, 0, 2), ASSAY_GRAPH_NONE);
  cr_assert_neq (assay_graph_find (list->graph, 3, 0), ASSAY_GRAPH_NONE);
  cr_assert_str_eq (says, "1 loop left out, 1 repeated link taken once, 0 of 2 edges in one "
                          "direction alone");
  fixture_remove (folder);
}

Test (edge_list, bad_lines_are_named)
{
  static const struct {
    const char *text, *message;
  } cases[] = {
    { "", "@/a.txt: has no numbers; expected in each line two, the ids of two nodes" },
    { "# nothing\n\n", "@/a.txt: has no numbers; expected in each line two, the ids of two nodes" },
    { "1 2\n3\n",
      "@/a.txt: line 2: expected two whole numbers of 0 or more, the ids of two nodes" },
    { "1 -2\n", "@/a.txt: line 1: expected two whole numbers of 0 or more, the ids of two nodes" },
    { "1 2.5\n", "@/a.txt: line 1: expected two whole numbers of 0 or more, the ids of two nodes" },
    { "\n1 2 3\n", "@/a.txt: line 2: has more than two columns; expected the ids of two nodes and "
                   "nothing else" },
    { "1 9223372036854775808\n", "@/a.txt: line 1: an id is too large; expected one below 2^63" },
    { "1 99999999999999999999999\n",
      "@/a.txt: line 1: an id is too large; expected one below 2^63" },
  };
  g_autofree char *folder = fixture_folder ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = fixture_write (folder, "a.txt", cases[i].text), *why = NULL;
    g_autoptr (GError) error = NULL;

    cr_assert_null (assay_edge_list_read (path, &error));
    cr_assert (fixture_error_is (&error, ASSAY_ERROR_DATA, cases[i].message, folder, &why), "%s",
               why);
  }
  fixture_remove (folder);
}

/* ---- Real graphs ---- */

static AssayEdgeList *
read_real (const char *name)
{
  const char *source = g_getenv ("ASSAY_SOURCE"), *data = g_getenv ("ASSAY_DATA");
  g_autofree char *beside
      = g_build_filename (source != NULL ? source : ".", "..", "shared", "data", NULL);
  g_autofree char *path = g_build_filename (data != NULL ? data : beside, "graphs", name, NULL);
  g_autoptr (GError) error = NULL;
  AssayEdgeList *list;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    cr_skip_test ("no graphs: %s is missing (ASSAY_DATA names the folder of data)", path);
  list = assay_edge_list_read (path, &error);
  cr_assert_not_null (list, "%s", error != NULL ? error->message : "");
  return list;
}

/* What their makers say of them (SNAP; Zachary 1977). */
Test (edge_list, real_graphs_are_those_published)
{
  static const struct {
    const char *name;
    gsize nodes, edges, largest, loops;
    guint64 triangles;
  } cases[] = { { "karate.txt", 34, 78, 17, 0, 45 },
                { "email_eu_core.txt", 1005, 16064, 345, 642, 105461 },
                { "ca_grqc.txt", 5241, 14484, 81, 0, 48260 },
                { "ego_facebook.txt", 4039, 88234, 1045, 0, 1612010 } };

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++) {
    g_autoptr (AssayEdgeList) list = read_real (cases[k].name);
    g_autofree guint32 *counts = g_new (guint32, assay_graph_slots (list->graph));
    gsize largest = 0;
    guint64 total;

    cr_assert (assay_graph_triangles (list->graph, counts, &total, NULL));
    for (gsize i = 0; i < list->graph->n; i++)
      largest = MAX (largest, assay_graph_degree (list->graph, i));
    cr_assert_eq (list->graph->n, cases[k].nodes);
    cr_assert_eq (assay_graph_edges (list->graph), cases[k].edges);
    cr_assert_eq (list->counts.loops, cases[k].loops);
    cr_assert_eq (largest, cases[k].largest);
    cr_assert_eq (total, cases[k].triangles);
  }
}

/* One edge of real e-mail turns 13 edges of the graph that is clipped by a rank that depends on it,
 * and moves the triangles by more than any edge can under a public rank. */
Test (clipping, private_rank_of_a_real_graph)
{
  static const AssayClipping clipping
      = { .rank = ASSAY_RANK_NEIGHBOURS, .pruning = ASSAY_PRUNE_MUTUAL, .bound = 20 };
  g_autoptr (AssayEdgeList) list = read_real ("email_eu_core.txt");
  const gsize pairs = assay_pair_count (list->graph->n);
  g_autofree guint8 *keep = g_malloc (assay_graph_slots (list->graph));
  g_autofree double *motifs = g_new (double, 2 * pairs);
  gsize turned = 0;
  double square = 0;

  memset (keep, 1, assay_graph_slots (list->graph));
  for (guint side = 0; side < 2; side++) {
    g_autoptr (AssayGraph) graph = assay_graph_subset (list->graph, keep, NULL);
    g_autoptr (AssayGraph) clipped = assay_graph_clip (graph, &clipping, NULL);

    /* 0.5 on top of a whole number, where there is an edge. */
    fill_motifs (clipped, ASSAY_MOTIF_TRIANGLES, 0.5, motifs + side * pairs);
    keep[assay_graph_find (list->graph, 150, 388)] = 0;
    keep[assay_graph_find (list->graph, 388, 150)] = 0;
  }
  for (gsize k = 0; k < pairs; k++) {
    const double gap = floor (motifs[k]) - floor (motifs[pairs + k]);

    turned += (motifs[k] > 0) != (motifs[pairs + k] > 0);
    square += gap * gap;
  }
  cr_assert_eq (turned, 13);
  cr_assert_float_eq (sqrt (square), 42.4, 0.05);
  cr_assert_gt (sqrt (square), sqrt (59.0 * 19));
}
