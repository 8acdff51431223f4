
#include "core/data/kinds/graph.h"
#include "core/graph/likeness.h"
#include "core/learn/k-means.h"
#include "core/stats/gaussian-privacy.h"
#include "defenses/graphs/block-release.h"
#include "defenses/graphs/complete-rows.h"
#include "defenses/graphs/dmp-descent.h"

#define ROUNDS 50
#define STARTS 3

const char *const block_edges[] = { "no", "yes", "clusters", NULL };

/* Clusters alone are public, and released as they are. */
static gboolean
is_noisy (const BlockCounts *settings)
{
  return settings->noise && settings->edges != BLOCK_CLUSTERS;
}

double
block_deviation (const BlockCounts *settings, double epsilon)
{
  return 1 / assay_gaussian_distance (epsilon, settings->delta);
}

/* ---- Blocks ---- */

gsize
block_of (gsize k, gsize a, gsize b)
{
  const gsize low = MIN (a, b), high = MAX (a, b);

  return low * (2 * k - low + 1) / 2 + high - low;
}

static gsize
count_blocks (gsize k)
{
  return k * (k + 1) / 2;
}

static gsize *
cluster (const AssayDefenseContext *context, AssayView items, gsize k, GError **error)
{
  g_autoptr (AssayMatrix) rows
      = assay_likeness_rows (items, context->first_cols, ASSAY_SIMILARITY_JOINT, error);
  AssayStream stream = assay_stream (context->common_stream, G_MAXUINT64);
  gsize *labels = rows != NULL ? assay_alloc (items.rows, sizeof (gsize), "clusters", error) : NULL;

  if (labels != NULL)
    assay_k_means (&(AssayKMeans){ .rows = rows->data,
                                   .n = items.rows,
                                   .d = items.cols,
                                   .k = k,
                                   .rounds = ROUNDS,
                                   .starts = STARTS },
                   &stream, labels, NULL);
  return labels;
}

/* ---- The release ---- */

typedef struct {
  gsize n, k;
  const gsize *labels;
  double *weights; /* of each block */
} Blocks;

static void
count_edges (const BlockCounts *settings, const AssayArray *edges, Blocks *blocks)
{
  for (gsize e = 0; settings->edges == BLOCK_EDGES && e < edges->shape[0]; e++) {
    const gint64 *ends = assay_array_int64 (edges) + 2 * e;

    blocks->weights[block_of (blocks->k, blocks->labels[ends[0]], blocks->labels[ends[1]])]++;
  }
  for (gsize i = 0; settings->edges == BLOCK_CLUSTERS && i < blocks->n; i++)
    for (gsize j = i + 1; j < blocks->n; j++)
      if (blocks->labels[i] == blocks->labels[j])
        blocks->weights[block_of (blocks->k, blocks->labels[i], blocks->labels[j])]++;
}

/* Numbers of edges become weights. */
static void
weigh (const BlockCounts *settings, Blocks *blocks, AssayStream *stream)
{
  const gsize count = count_blocks (blocks->k);
  g_autofree gsize *sizes = g_new0 (gsize, blocks->k);
  double mean = 0;
  gsize n_blocks = 0;

  for (gsize i = 0; i < blocks->n; i++)
    sizes[blocks->labels[i]]++;
  for (gsize b = 0; is_noisy (settings) && b < count; b++)
    blocks->weights[b]
        += block_deviation (settings, settings->epsilon) * assay_stream_normal (stream);
  for (gsize a = 0; a < blocks->k; a++)
    for (gsize b = a; b < blocks->k; b++) {
      const gsize pairs = a == b ? assay_pair_count (sizes[a]) : sizes[a] * sizes[b];
      double *weight = &blocks->weights[block_of (blocks->k, a, b)];

      *weight = pairs > 0 ? MAX (*weight, 0) / (double) pairs : 0;
      mean += *weight;
      n_blocks += pairs > 0;
    }
  mean /= (double) MAX (n_blocks, 1);
  for (gsize b = 0; mean > 0 && b < count; b++)
    blocks->weights[b] /= mean;
}

static gboolean
release_blocks (const Blocks *blocks, AssayRelease *ret_release, GError **error)
{
  const gsize n = blocks->n;
  GraphRows rows;

  if (!graph_rows_complete (n, &rows, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < n; j++)
      if (i != j)
        rows.weights[graph_rows_slot (n, i, j)]
            = (float) blocks->weights[block_of (blocks->k, blocks->labels[i], blocks->labels[j])];
  dmp_log_normalise (rows.weights, n * (n - 1));
  graph_rows_take (&rows, ret_release);
  return TRUE;
}

gboolean
block_release_make (const BlockCounts *settings, const AssayDefenseContext *context,
                    AssayView items, AssayRelease *ret_release, GError **error)
{
  const gsize n = items.rows, k = MIN ((gsize) settings->clusters, n);
  AssayStream stream = assay_stream (context->stream, 0);
  g_autofree gsize *labels = NULL;
  g_autofree double *weights = g_new0 (double, count_blocks (k));
  Blocks blocks = { .n = n, .k = k, .weights = weights };

  if (context->edges == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a dataset with a private graph between the secrets (such as "
                       "interactions)");
  labels = cluster (context, items, k, error);
  if (labels == NULL)
    return FALSE;
  blocks.labels = labels;
  count_edges (settings, context->edges, &blocks);
  weigh (settings, &blocks, &stream);
  ASSAY_SET_PARAMETER (ret_release, AssayGraphParameters, bound, 0);
  ASSAY_SET_PARAMETER (ret_release, AssayGraphParameters, rounds, 1);
  ASSAY_SET_PARAMETER (ret_release, AssayGraphParameters, scale,
                       is_noisy (settings) ? block_deviation (settings, settings->epsilon) : 0);
  return release_blocks (&blocks, ret_release, error);
}
