#include "tests/reference/naive-graph.h"

#include <math.h>

guint8 *
naive_graph_draw (gsize n, double p, AssayStream *stream)
{
  guint8 *matrix = g_new0 (guint8, n * n);

  for (gsize i = 0; i < n; i++)
    for (gsize j = i + 1; j < n; j++)
      matrix[i * n + j] = matrix[j * n + i] = assay_stream_uniform (stream) < p;
  return matrix;
}

AssayGraph *
naive_graph_rows (gsize n, const guint8 *matrix)
{
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (AssayLink));

  for (gsize i = 0; i < n; i++)
    for (gsize j = i + 1; j < n; j++)
      if (matrix[i * n + j])
        g_array_append_vals (links, &((AssayLink){ (guint32) j, (guint32) i }), 1);
  return assay_graph_new (n, (const AssayLink *) (gconstpointer) links->data, links->len, NULL,
                          NULL);
}

guint8 *
naive_graph_matrix (const AssayGraph *graph)
{
  guint8 *matrix = g_new0 (guint8, graph->n * graph->n);

  for (gsize i = 0; i < graph->n; i++)
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++)
      matrix[i * graph->n + graph->ends[s]]++;
  return matrix;
}

gsize
naive_graph_common (gsize n, const guint8 *matrix, gsize i, gsize j)
{
  gsize common = 0;

  for (gsize k = 0; k < n; k++)
    common += matrix[i * n + k] && matrix[j * n + k];
  return common;
}

static gsize
degree (gsize n, const guint8 *matrix, gsize i)
{
  return naive_graph_common (n, matrix, i, i);
}

/* The outputs of SplitMix64 that are seeded with the pair. */
static guint64
hash (guint64 low, guint64 high)
{
  guint64 z = (low << 32 | high) + 0x9E3779B97F4A7C15u;

  z ^= z >> 30;
  z *= 0xBF58476D1CE4E5B9u;
  z ^= z >> 27;
  z *= 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/* By rank alone: 1 where the pair comes before the other, -1 the other way, 0 for neither. */
static int
compare (gsize n, const guint8 *matrix, const AssayClipping *clipping, const gsize pair[2],
         const gsize other[2])
{
  double values[2] = { 0 };

  for (guint k = 0; k < 2; k++) {
    const gsize i = k == 0 ? pair[0] : other[0], j = k == 0 ? pair[1] : other[1];

    if (clipping->rank == ASSAY_RANK_COSINE)
      values[k] = clipping->likeness (clipping->data, i, j);
    else if (clipping->rank == ASSAY_RANK_NEIGHBOURS)
      values[k] = round (1e12 * (double) naive_graph_common (n, matrix, i, j)
                         / sqrt ((double) (degree (n, matrix, i) * degree (n, matrix, j))));
  }
  if (clipping->rank == ASSAY_RANK_HASH) {
    const guint64 a = hash (MIN (pair[0], pair[1]), MAX (pair[0], pair[1]));
    const guint64 b = hash (MIN (other[0], other[1]), MAX (other[0], other[1]));

    return a < b ? 1 : a > b ? -1 : 0;
  }
  return values[0] > values[1] ? 1 : values[0] < values[1] ? -1 : 0;
}

/* Whether @i has fewer than `bound` neighbours that it prefers to @j. */
static gboolean
lists (gsize n, const guint8 *matrix, const AssayClipping *clipping, gsize i, gsize j)
{
  gsize before = 0;

  for (gsize k = 0; k < n; k++)
    if (matrix[i * n + k] && k != j) {
      const int order = clipping->rank == ASSAY_RANK_NUMBER
                            ? (k > j ? 1 : -1)
                            : compare (n, matrix, clipping, (gsize[]){ i, k }, (gsize[]){ i, j });

      before += order > 0 || (order == 0 && k < j);
    }
  return before < clipping->bound;
}

static gboolean
comes_before (gsize n, const guint8 *matrix, const AssayClipping *clipping, const gsize pair[2],
              const gsize other[2])
{
  int order;

  if (clipping->rank == ASSAY_RANK_NUMBER)
    return pair[1] > other[1] || (pair[1] == other[1] && pair[0] > other[0]);
  order = compare (n, matrix, clipping, pair, other);
  return order > 0
         || (order == 0 && (pair[0] < other[0] || (pair[0] == other[0] && pair[1] < other[1])));
}

/* Of the edges in @inout_left the first, which is taken out. */
static gboolean
take_first (gsize n, const guint8 *matrix, const AssayClipping *clipping, guint8 *inout_left,
            gsize ret_pair[2])
{
  gboolean has_one = FALSE;

  for (gsize i = 0; i < n; i++)
    for (gsize j = i + 1; j < n; j++)
      if (inout_left[i * n + j]
          && (!has_one || comes_before (n, matrix, clipping, (gsize[]){ i, j }, ret_pair))) {
        has_one = TRUE;
        ret_pair[0] = i;
        ret_pair[1] = j;
      }
  if (has_one)
    inout_left[ret_pair[0] * n + ret_pair[1]] = 0;
  return has_one;
}

guint8 *
naive_graph_clip (gsize n, const guint8 *matrix, const AssayClipping *clipping)
{
  guint8 *kept = g_new0 (guint8, n * n);
  g_autofree guint8 *left = g_new0 (guint8, n * n);
  gsize pair[2];

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++) {
      const gboolean first = matrix[i * n + j] && lists (n, matrix, clipping, i, j);
      const gboolean second = matrix[i * n + j] && lists (n, matrix, clipping, j, i);

      kept[i * n + j] = clipping->pruning == ASSAY_PRUNE_MUTUAL ? first && second : first || second;
    }
  if (clipping->pruning != ASSAY_PRUNE_GREEDY)
    return kept;
  for (gsize i = 0; i < n * n; i++) {
    left[i] = kept[i];
    kept[i] = 0;
  }
  while (take_first (n, matrix, clipping, left, pair))
    if (degree (n, kept, pair[0]) < clipping->bound && degree (n, kept, pair[1]) < clipping->bound)
      kept[pair[0] * n + pair[1]] = kept[pair[1] * n + pair[0]] = 1;
  return kept;
}
