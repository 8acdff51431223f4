/* The baseline of private graphs that clips nothing: items are clustered by their features, which
 * are public, and what is released are the numbers of edges inside each cluster and between each
 * two, with Gaussian noise.
 *
 * An edge more or less is in one of these numbers, so that their sensitivity is 1 whatever the
 * degrees, and noise of deviation 1 / mu has epsilon at delta (Balle and Wang 2018; mu as
 * gaussian-privacy.h says). A pair of items then weighs as much as its number says: clamped at 0,
 * divided by how many pairs there are of these clusters, and by the mean of that over all; and W^
 * = ln (1 + w), divided by the largest, as dmp-graph has it. All of this is done to noisy numbers.
 *
 * Clusters are those of k-means on columns of mean 0 and deviation 1, which draws what all releases
 * of the same items share. An audit plays four items in two clusters of two: what other clusters
 * release is the same with the edge and without it. */
#include <math.h>

#include "core/data/kinds/graph.h"
#include "core/graph/edge-array.h"
#include "core/learn/k-means.h"
#include "core/plugin/plugin.h"
#include "core/stats/gaussian-privacy.h"
#include "defenses/graphs/complete-rows.h"
#include "defenses/graphs/dmp-descent.h"

typedef struct {
  double epsilon;
  double delta;
  gint64 clusters;
  bool noise;
  bool edges;
} BlockCounts;

#define ROUNDS 50
#define STARTS 3

enum { AUDITED_NODES = 4, AUDITED_PAIRS = 6, AUDITED_BLOCKS = 3 };

static double
deviation (const BlockCounts *settings, double epsilon)
{
  return 1 / assay_gaussian_distance (epsilon, settings->delta);
}

/* ---- Blocks ---- */

/* The block of two clusters of @k: (0, 0), (0, 1), .. (0, k - 1), (1, 1), .. */
static gsize
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

/* Columns of mean 0 and deviation 1; what is constant is 0. */
static AssayMatrix *
standardise (AssayView items, GError **error)
{
  AssayMatrix *rows = assay_matrix_copy (items, error);
  const double n = (double) items.rows;

  for (gsize j = 0; rows != NULL && j < items.cols; j++) {
    double mean = 0, square = 0;

    for (gsize i = 0; i < items.rows; i++)
      mean += (double) assay_matrix_row (rows, i)[j] / n;
    for (gsize i = 0; i < items.rows; i++)
      square += pow ((double) assay_matrix_row (rows, i)[j] - mean, 2) / n;
    for (gsize i = 0; i < items.rows; i++) {
      float *value = assay_matrix_row (rows, i) + j;

      *value = square > 0 ? (float) (((double) *value - mean) / sqrt (square)) : 0;
    }
  }
  return rows;
}

static gsize *
cluster (const AssayDefenseContext *context, AssayView items, gsize k, GError **error)
{
  g_autoptr (AssayMatrix) rows = standardise (items, error);
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
  for (gsize b = 0; settings->noise && b < count; b++)
    blocks->weights[b] += deviation (settings, settings->epsilon) * assay_stream_normal (stream);
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

static gboolean
protect (const AssayDefenseContext *context, AssayView items, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const BlockCounts *settings = context->settings;
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
  for (gsize e = 0; settings->edges && e < context->edges->shape[0]; e++) {
    const gint64 *ends = assay_array_int64 (context->edges) + 2 * e;

    weights[block_of (k, labels[ends[0]], labels[ends[1]])]++;
  }
  weigh (settings, &blocks, &stream);
  ASSAY_SET_PARAMETER (ret_release, AssayGraphParameters, bound, 0);
  ASSAY_SET_PARAMETER (ret_release, AssayGraphParameters, rounds, 1);
  ASSAY_SET_PARAMETER (ret_release, AssayGraphParameters, scale,
                       settings->noise ? deviation (settings, settings->epsilon) : 0);
  return release_blocks (&blocks, ret_release, error);
}

/* ---- The mechanism: six pairs of four items, in clusters {0, 1} and {2, 3} ---- */

static AssayBudget
budget (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const BlockCounts *settings = data;

  return (AssayBudget){ .epsilon = settings->epsilon, .delta = settings->delta };
}

static gboolean
is_claimed (gconstpointer data)
{
  const BlockCounts *settings = data;

  return settings->noise && settings->edges;
}

static void
size (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols, gsize *ret_inputs,
      gsize *ret_outputs)
{
  *ret_inputs = AUDITED_PAIRS;
  *ret_outputs = AUDITED_BLOCKS;
}

/* An edge inside a cluster of a graph without others, and one between clusters of a whole graph. */
static void
pair (G_GNUC_UNUSED gconstpointer settings, G_GNUC_UNUSED gsize cols, guint index,
      AssayStream *stream, float *ret_first, float *ret_second)
{
  const gsize changed = index == 0   ? assay_pair_number (AUDITED_NODES, 0, 1)
                        : index == 1 ? assay_pair_number (AUDITED_NODES, 0, 2)
                                     : assay_stream_below (stream, AUDITED_PAIRS);

  for (gsize p = 0; p < AUDITED_PAIRS; p++)
    ret_first[p] = index == 0 ? 0 : index == 1 ? 1 : (float) (assay_stream_u32 (stream) & 1);
  ret_first[changed] = 1;
  for (gsize p = 0; p < AUDITED_PAIRS; p++)
    ret_second[p] = p == changed ? 0 : ret_first[p];
}

static void
count_edges (const float *input, float *ret_counts)
{
  static const gsize clusters[AUDITED_NODES] = { 0, 0, 1, 1 };

  for (gsize b = 0; b < AUDITED_BLOCKS; b++)
    ret_counts[b] = 0;
  for (gsize i = 0; i < AUDITED_NODES; i++)
    for (gsize j = i + 1; j < AUDITED_NODES; j++)
      ret_counts[block_of (2, clusters[i], clusters[j])]
          += input[assay_pair_number (AUDITED_NODES, i, j)];
}

static void
run (gconstpointer data, G_GNUC_UNUSED gsize cols, AssayStream *stream, const float *input,
     gsize count, float *ret_outputs)
{
  const BlockCounts *settings = data;
  const double sigma = deviation (settings, settings->epsilon);
  float counts[AUDITED_BLOCKS];

  count_edges (input, counts);
  for (gsize i = 0; i < count * AUDITED_BLOCKS; i++)
    ret_outputs[i] = counts[i % AUDITED_BLOCKS] + (float) (sigma * assay_stream_normal (stream));
}

static void
log_ratio (gconstpointer data, G_GNUC_UNUSED gsize cols, AssayInputPair pair, const float *outputs,
           gsize count, double *ret_scores)
{
  const BlockCounts *settings = data;
  const double variance = pow (deviation (settings, settings->epsilon), 2);
  float first[AUDITED_BLOCKS], second[AUDITED_BLOCKS];

  count_edges (pair.first, first);
  count_edges (pair.second, second);
  for (gsize i = 0; i < count; i++) {
    double sum = 0;

    for (gsize b = 0; b < AUDITED_BLOCKS; b++) {
      const double gap = (double) first[b] - (double) second[b];
      const double middle = ((double) first[b] + (double) second[b]) / 2;

      sum += gap * ((double) outputs[i * AUDITED_BLOCKS + b] - middle);
    }
    ret_scores[i] = sum / variance;
  }
}

static void
tight_event (gconstpointer data, G_GNUC_UNUSED gsize cols, double epsilon, double *ret_first,
             double *ret_second)
{
  const BlockCounts *settings = data;
  const double m = 1 / deviation (settings, epsilon);

  assay_gaussian_event_logs (m, epsilon, ret_first, ret_second);
  *ret_first = exp (*ret_first);
  *ret_second = exp (*ret_second);
}

static const AssayMechanism mechanism = {
  .neighbours = "one edge of the graph more or less",
  .is_claimed = is_claimed,
  .budget = budget,
  .has_own_inputs = TRUE,
  .size = size,
  .n_proposed = 2,
  .pair = pair,
  .run = run,
  .log_ratio = log_ratio,
  .tight_event = tight_event,
};

/* ---- Descriptor ---- */

static guint64
memory (G_GNUC_UNUSED gconstpointer settings, const AssayShape *shape)
{
  return 12 * (guint64) shape->n_secrets * shape->n_secrets
         + 16 * (guint64) shape->n_secrets * shape->cols;
}

static const AssayParam parameters[] = {
  ASSAY_PARAM_REAL (BlockCounts, epsilon, 2, 1e-4, 60, "nats", "Privacy budget of one edge"),
  ASSAY_PARAM_REAL (BlockCounts, delta, 1e-5, 1e-30, 0.999999, "",
                    "Probability mass for which epsilon need not hold"),
  ASSAY_PARAM_INT (BlockCounts, clusters, 50, 1, 2000, "", "Clusters of the items"),
  ASSAY_PARAM_BOOL (BlockCounts, noise, TRUE,
                    "Whether there is noise; without it nothing is claimed"),
  ASSAY_PARAM_BOOL (BlockCounts, edges, TRUE,
                    "Whether edges are counted; the control without them releases noise alone"),
  ASSAY_PARAM_END
};

ASSAY_DEFENSE (block_counts, "block-counts",
  .summary = "Release noisy numbers of edges between clusters of public features",
  .reference = { "Assay; Balle and Wang 2018, Improving the Gaussian Mechanism for Differential "
                 "Privacy",
                 "a baseline; theorem 8" },
  ASSAY_SETTINGS (BlockCounts, parameters),
  .memory = memory,
  .produces = ASSAY_RELEASE_GRAPH,
  .claim = "(epsilon, delta)-differential privacy of the graph, between graphs with one edge more "
           "or less",
  .mechanism = &mechanism,
  .protect = protect);
