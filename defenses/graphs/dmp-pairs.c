/* With D the bound, and S a set of D - 1 nodes:
 *
 *   displaced  S is joined to u, v, w and w'; u to w, v to w'; u prefers w least, and v w'. The
 *              edge u-v is in, and both w and w' are out; without it both are in. The squares of
 *              what changes are 3 (D - 1)^2 for u-v, u-w and v-w', and 1 for each of w-s and w'-s:
 *              (3 D - 1) (D - 1). From D = 4 on, as s has four neighbours.
 *   gained     the same with a set S of its own for u-w and for v-w', and none for u-v: 2 (D^2 - 1)
 *   edge       u-v with D - 1 common neighbours, within the bound with and without it: (D - 1)^2
 *              for itself and 1 for each of u-s and v-s, D^2 - 1. Where degrees are not bounded,
 *              u and v are joined to all others: c^2 + 2 c, c = n - 2
 *   path       under greedy pruning: x_0 .. x_L, any two in a row with h common neighbours, which
 *              come first; each x_k has room for one edge of the path. x_0-x_1 fills x_1, so that
 *              x_1-x_2 goes, x_2-x_3 stays, and so on; without it all L edges are the other way
 *              round: L (h^2 + 2 h)
 *   clique     under a rank that depends on the graph: c_1 .. c_D are joined to each other, to a
 *              and to d, so that each lists all but one of them. The rows of a and d are alike, and
 *              a has the lower number; the edge a-b makes its row longer, and all c_i prefer d.
 *              2 D edges of D - 1 triangles: 2 D (D - 1)^2
 *   spoke      u and v with D common neighbours x and no edge: no triangles, but the largest number
 *              of common neighbours, and with it noise of local sensitivity, changes with u-x */
#include "defenses/graphs/dmp-pairs.h"

#include <string.h>

typedef enum { DISPLACED, GAINED, EDGE, PATH, CLIQUE, SPOKE } Shape;

#define PATH_EDGES 20
/* Common neighbours, as multiples of the bound, where degrees are not bounded. */
#define UNBOUNDED 4

typedef struct {
  gsize n;
  gsize d;
  AssayRank rank;
  float *edges; /* of the first graph */
  gsize changed[2];
} Drawing;

/* ---- Which ---- */

AssayRank
dmp_pair_rank (const DmpGraph *settings)
{
  return settings->rank == ASSAY_RANK_COSINE ? ASSAY_RANK_NUMBER : (AssayRank) settings->rank;
}

static Shape
worst_shape (const DmpGraph *settings)
{
  if (settings->sensitivity == DMP_LOCAL)
    return SPOKE;
  if (settings->relation == DMP_EDGE_OF_CLIPPED || settings->pruning == ASSAY_PRUNE_NONE)
    return EDGE;
  if (settings->rank == ASSAY_RANK_NEIGHBOURS)
    return CLIQUE;
  if (settings->pruning == ASSAY_PRUNE_GREEDY && settings->bound >= 3
      && settings->rank != ASSAY_RANK_HASH)
    return PATH;
  return settings->bound >= 4 ? DISPLACED : GAINED;
}

/* h; a node of the path has two edges of it, of which one fits. */
static gsize
path_common (gsize d)
{
  return (d - 1) / 2;
}

/* With an even bound each node of the path has one neighbour more, for itself alone. */
static gsize
path_nodes (gsize d, gsize length)
{
  return length + 1 + length * path_common (d) + (d % 2 == 0 ? length + 1 : 0);
}

gsize
dmp_pair_least_nodes (const DmpGraph *settings)
{
  const gsize d = (gsize) settings->bound;

  switch (worst_shape (settings)) {
  case GAINED:
    return 2 * d + 2;
  case PATH:
    return MAX (path_nodes (d, 2), d + 3);
  case DISPLACED:
  case EDGE:
  case CLIQUE:
  case SPOKE:
    return d + 3;
  }
  g_return_val_if_reached (d + 3);
}

gsize
dmp_pair_nodes (const DmpGraph *settings)
{
  const gsize d = (gsize) settings->bound;

  if (settings->nodes > 0)
    return (gsize) settings->nodes;
  if (worst_shape (settings) == PATH)
    return MAX (path_nodes (d, PATH_EDGES), d + 3);
  if (settings->pruning == ASSAY_PRUNE_NONE && settings->relation == DMP_EDGE_OF_GRAPH)
    return UNBOUNDED * d + 2;
  return dmp_pair_least_nodes (settings);
}

/* ---- Drawing ---- */

static void
join (Drawing *drawing, gsize i, gsize j)
{
  drawing->edges[assay_pair_number (drawing->n, MIN (i, j), MAX (i, j))] = 1;
}

static void
join_changed (Drawing *drawing, gsize i, gsize j)
{
  join (drawing, i, j);
  drawing->changed[0] = MIN (i, j);
  drawing->changed[1] = MAX (i, j);
}

/* Whether @i prefers @a to @b by a rank that does not depend on the graph. */
static gboolean
prefers (const Drawing *drawing, gsize i, gsize a, gsize b)
{
  if (drawing->rank != ASSAY_RANK_HASH)
    return a > b;
  return assay_rank_hash (i, a) < assay_rank_hash (i, b);
}

/* What @i prefers least, without @other and @another (which may be @i). */
static gsize
least_preferred (const Drawing *drawing, gsize i, gsize other, gsize another)
{
  gsize least = G_MAXSIZE;

  for (gsize j = 0; j < drawing->n; j++)
    if (j != i && j != other && j != another
        && (least == G_MAXSIZE || prefers (drawing, i, least, j)))
      least = j;
  return least;
}

/* u, v, w and w', so that u prefers w least of all and v w', as far as they will be neighbours. */
static void
choose_ends (const Drawing *drawing, gsize ret_ends[4])
{
  for (gsize u = drawing->n; u-- > 0;)
    for (gsize v = 0; v < drawing->n; v++) {
      gsize w, other;

      if (v == u)
        continue;
      w = least_preferred (drawing, u, v, u);
      other = least_preferred (drawing, v, u, w);
      if (prefers (drawing, u, v, w) && prefers (drawing, v, u, other)) {
        memcpy (ret_ends, (gsize[]){ u, v, w, other }, 4 * sizeof *ret_ends);
        return;
      }
    }
  g_assert_not_reached ();
}

/* Without @is_shared, u and w have their S, and v and w' another one. */
static void
draw_displaced (Drawing *drawing, gboolean is_shared)
{
  gsize ends[4], drawn = 0;

  choose_ends (drawing, ends);
  for (gsize s = 0; s < drawing->n && drawn < (is_shared ? 1u : 2u) * (drawing->d - 1); s++) {
    const guint side = drawn < drawing->d - 1 ? 0 : 1;

    if (s == ends[0] || s == ends[1] || s == ends[2] || s == ends[3])
      continue;
    drawn++;
    join (drawing, ends[side], s);
    join (drawing, ends[side + 2], s);
    if (is_shared) {
      join (drawing, ends[1], s);
      join (drawing, ends[3], s);
    }
  }
  join (drawing, ends[0], ends[2]);
  join (drawing, ends[1], ends[3]);
  join_changed (drawing, ends[0], ends[1]);
}

/* Two nodes with @common neighbours; u is the last node, and v what it prefers most. */
static void
draw_hubs (Drawing *drawing, gsize common, gboolean is_spoke)
{
  const gsize u = drawing->n - 1;
  gsize v = 0, last = 0, drawn = 0;

  for (gsize j = 1; j < u; j++)
    if (prefers (drawing, u, j, v))
      v = j;
  for (gsize s = 0; s < u && drawn < common; s++)
    if (s != v) {
      join (drawing, u, s);
      join (drawing, v, s);
      last = s;
      drawn++;
    }
  join_changed (drawing, u, is_spoke ? last : v);
}

/* x_k is node L - k, and what comes first has higher numbers. */
static void
draw_path (Drawing *drawing)
{
  const gsize h = path_common (drawing->d);
  gsize length = 2, next;

  while (path_nodes (drawing->d, length + 1) <= drawing->n)
    length++;
  next = length + 1;
  for (gsize k = 0; k < length; k++) {
    for (gsize i = 0; i < h; i++, next++) {
      join (drawing, length - k, next);
      join (drawing, length - k - 1, next);
    }
    join (drawing, length - k, length - k - 1);
  }
  for (gsize k = 0; drawing->d % 2 == 0 && k <= length; k++)
    join (drawing, k, next++);
  join_changed (drawing, length, length - 1);
}

/* a is node 0, and d and b come after c_1 .. c_D. */
static void
draw_clique (Drawing *drawing)
{
  const gsize d = drawing->d;

  for (gsize i = 1; i <= d; i++) {
    join (drawing, 0, i);
    join (drawing, d + 1, i);
    for (gsize j = i + 1; j <= d; j++)
      join (drawing, i, j);
  }
  join_changed (drawing, 0, d + 2);
}

static void
draw_shape (Drawing *drawing, const DmpGraph *settings, Shape shape)
{
  const gboolean is_bounded
      = settings->pruning != ASSAY_PRUNE_NONE || settings->relation == DMP_EDGE_OF_CLIPPED;

  switch (shape) {
  case DISPLACED:
    draw_displaced (drawing, TRUE);
    return;
  case GAINED:
    draw_displaced (drawing, FALSE);
    return;
  case EDGE:
    draw_hubs (drawing, is_bounded ? drawing->d - 1 : drawing->n - 2, FALSE);
    return;
  case PATH:
    draw_path (drawing);
    return;
  case CLIQUE:
    draw_clique (drawing);
    return;
  case SPOKE:
    draw_hubs (drawing, drawing->d, TRUE);
    return;
  }
}

/* ---- Random ones ---- */

/* Of degrees within the bound where neighbours are clipped graphs. */
static void
draw_random (Drawing *drawing, const DmpGraph *settings, AssayStream *stream)
{
  const gsize n = drawing->n, pairs = assay_pair_count (n);
  const double p = assay_stream_uniform (stream);
  gsize i = assay_stream_below (stream, n - 1), j = i + 1 + assay_stream_below (stream, n - 1 - i);

  for (gsize k = 0; k < pairs; k++)
    drawing->edges[k] = assay_stream_uniform (stream) < p;
  drawing->edges[assay_pair_number (n, i, j)] = 1;
  if (settings->relation == DMP_EDGE_OF_CLIPPED) {
    const AssayClipping clipping
        = { .rank = drawing->rank, .pruning = ASSAY_PRUNE_MUTUAL, .bound = drawing->d };
    g_autoptr (AssayGraph) graph = dmp_pair_graph (n, drawing->edges);
    g_autoptr (AssayGraph) clipped = assay_graph_clip (graph, &clipping, NULL);

    for (gsize a = 0; a < n; a++)
      for (gsize b = a + 1; b < n; b++)
        drawing->edges[assay_pair_number (n, a, b)]
            = assay_graph_find (clipped, a, b) != ASSAY_GRAPH_NONE;
    /* The edge that is there or not is the first of those that are left, or the only one. */
    for (gsize a = n; a-- > 0;)
      if (assay_graph_degree (clipped, a) > 0) {
        i = a;
        j = clipped->ends[clipped->starts[a]];
      }
  }
  join_changed (drawing, i, j);
}

void
dmp_pair_fill (const DmpGraph *settings, guint index, AssayStream *stream, float *ret_first,
               float *ret_second)
{
  const gsize n = dmp_pair_nodes (settings), pairs = assay_pair_count (n);
  const Shape worst = worst_shape (settings);
  Drawing drawing = {
    .n = n, .d = (gsize) settings->bound, .rank = dmp_pair_rank (settings), .edges = ret_first
  };

  memset (ret_first, 0, pairs * sizeof *ret_first);
  if (index >= DMP_N_PROPOSED)
    draw_random (&drawing, settings, stream);
  else if (index == 0)
    draw_shape (&drawing, settings, worst);
  else
    draw_shape (&drawing, settings, worst == SPOKE ? EDGE : SPOKE);
  memcpy (ret_second, ret_first, pairs * sizeof *ret_first);
  ret_second[assay_pair_number (n, drawing.changed[0], drawing.changed[1])] = 0;
}

AssayGraph *
dmp_pair_graph (gsize n, const float *is_edge)
{
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (AssayLink));

  for (gsize i = 0; i < n; i++)
    for (gsize j = i + 1; j < n; j++)
      if (is_edge[assay_pair_number (n, i, j)] > 0.5f)
        g_array_append_vals (links, &((AssayLink){ (guint32) i, (guint32) j }), 1);
  return assay_graph_new (n, (const AssayLink *) (gconstpointer) links->data, links->len, NULL,
                          NULL);
}

gboolean
dmp_pair_check (const DmpGraph *settings, const AssayShape *shape, GError **error)
{
  const gsize least = dmp_pair_least_nodes (settings);

  if (settings->sensitivity == DMP_LOCAL && settings->statistic == ASSAY_MOTIF_CODEGREE)
    return assay_fail (
        error, ASSAY_ERROR_PARAMETER,
        "sensitivity = local: expected statistic = triangles, for which it is known");
  if (settings->nodes > 0 && (gsize) settings->nodes < least)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "nodes = %" G_GINT64_FORMAT ": expected at least %zu, which the pair that "
                       "leaks most needs with bound = %" G_GINT64_FORMAT ", or 0",
                       settings->nodes, least, settings->bound);
  if (dmp_pair_nodes (settings) > 5000)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "an audit with bound = %" G_GINT64_FORMAT " needs graphs of %zu nodes; "
                       "expected at most 5000: give fewer nodes, or a lower bound",
                       settings->bound, dmp_pair_nodes (settings));
  return shape->n_secrets != 1
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "secrets = 1: expected at least 2, which a graph can join");
}
