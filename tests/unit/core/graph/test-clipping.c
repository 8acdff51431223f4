/* Clipped graphs, against the definition on full matrices. */
#include <criterion/criterion.h>

#include "core/graph/clipping.h"
#include "tests/reference/naive-graph.h"

/* Of few values, so that there are ties; 0 with either sign. */
static double
likeness (gconstpointer data, gsize i, gsize j)
{
  const double value = (double) ((i * j + *(const gsize *) data) % 7) - 3;

  return value == 0 && i % 2 == 0 ? -value : value;
}

static double
symmetric (gconstpointer data, gsize i, gsize j)
{
  return likeness (data, MIN (i, j), MAX (i, j));
}

static void
check_graph (gsize n, const guint8 *matrix, const AssayClipping *clipping, const char *name)
{
  g_autoptr (AssayGraph) graph = naive_graph_rows (n, matrix);
  g_autoptr (AssayGraph) clipped = assay_graph_clip (graph, clipping, NULL);
  g_autofree guint8 *found = naive_graph_matrix (clipped);
  g_autofree guint8 *expected = naive_graph_clip (n, matrix, clipping);

  for (gsize i = 0; i < n * n; i++)
    cr_assert_eq (found[i], expected[i], "%s: pair %zu, %zu of %zu", name, i / n, i % n, n);
  for (gsize i = 0; clipping->pruning != ASSAY_PRUNE_NONE && i < n; i++)
    cr_assert_leq (assay_graph_degree (clipped, i), clipping->bound, "%s", name);
}

Test (clipping, is_that_of_the_definition)
{
  for (guint64 item = 0; item < 40; item++)
    for (guint rank = 0; assay_ranks[rank] != NULL; rank++)
      for (guint pruning = 0; assay_prunings[pruning] != NULL; pruning++) {
        AssayStream stream = assay_stream (assay_stream_key (22, 0, "clipping", ""), item);
        const gsize n = 2 + assay_stream_below (&stream, 24), shift = item;
        g_autofree guint8 *matrix = naive_graph_draw (n, assay_stream_uniform (&stream), &stream);
        const AssayClipping clipping = { .rank = rank,
                                         .pruning = pruning,
                                         .bound = 1 + assay_stream_below (&stream, 8),
                                         .likeness = symmetric,
                                         .data = &shift };
        g_autofree char *name
            = g_strdup_printf ("%s, %s", assay_ranks[rank], assay_prunings[pruning]);

        check_graph (n, matrix, &clipping, name);
      }
}

/* A graph within the bound stays as it is. */
Test (clipping, leaves_what_is_within_the_bound)
{
  AssayStream stream = assay_stream (assay_stream_key (22, 0, "clipping", ""), 1);
  g_autofree guint8 *matrix = naive_graph_draw (9, 0.5, &stream);
  g_autoptr (AssayGraph) graph = naive_graph_rows (9, matrix);

  for (guint pruning = 0; assay_prunings[pruning] != NULL; pruning++) {
    const AssayClipping clipping = { .rank = ASSAY_RANK_HASH, .pruning = pruning, .bound = 8 };
    g_autoptr (AssayGraph) clipped = assay_graph_clip (graph, &clipping, NULL);

    cr_assert_eq (assay_graph_edges (clipped), assay_graph_edges (graph));
  }
}
