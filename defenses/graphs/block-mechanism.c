/* Of the releases of block-counts: six pairs of four items, in clusters {0, 1} and {2, 3}. */
#include <math.h>

#include "core/graph/graph.h"
#include "core/plugin/callbacks.h"
#include "core/stats/gaussian-privacy.h"
#include "defenses/graphs/block-release.h"
#include "defenses/mechanisms/row-mechanism.h"

enum { AUDITED_NODES = 4, AUDITED_PAIRS = 6, AUDITED_BLOCKS = 3 };

ASSAY_OF_SETTINGS (gboolean, is_claimed, BlockCounts,
                   settings->noise && settings->edges == BLOCK_EDGES)

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
  const double sigma = block_deviation (settings, settings->epsilon);
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
  const double variance = pow (block_deviation (settings, settings->epsilon), 2);
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
  const double m = 1 / block_deviation (settings, epsilon);

  assay_gaussian_event_logs (m, epsilon, ret_first, ret_second);
  *ret_first = exp (*ret_first);
  *ret_second = exp (*ret_second);
}

const AssayMechanism block_mechanism = {
  .neighbours = "one edge of the graph more or less",
  .is_claimed = is_claimed,
  .budget = row_mechanism_budget_with_delta,
  .has_own_inputs = TRUE,
  .size = size,
  .n_proposed = 2,
  .pair = pair,
  .run = run,
  .log_ratio = log_ratio,
  .tight_event = tight_event,
};
