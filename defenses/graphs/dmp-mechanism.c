/* What is audited is what theorem 1 covers: the noisy gradients of all T rounds. With L = 1/2
 * ||W - tau||^2 + lambda ||W - A||^2 round t shows
 *   g_t = (1 + 2 lambda) W_t - q + sigma z_t,   q = tau + 2 lambda A,
 * and W_t follows from the rounds before it, so that all that they tell of q is the mean of
 * (1 + 2 lambda) W_t - g_t: q plus noise of deviation sigma / sqrt (T). A run puts that out.
 *
 * An input has the edges of a graph, 1 or 0 for each pair of nodes. With `audited = touched` there
 * follows what is looked at, the same in both inputs of a pair: how many columns an output has for
 * it, and for each the pair of nodes whose noisy motif it is (-1: none, and the column is 0). These
 * are the ones where the motifs of the two graphs differ. All others have one distribution on both
 * inputs, and are independent, so that nothing is lost without them.
 *
 * Further columns: with `sensitivity = local`, sigma, on which everybody who knows the settings can
 * see it. With `support = private`, a pair that is no edge of the clipped graph has exactly 0. */
#include "defenses/graphs/dmp-mechanism.h"

#include <math.h>

#include "core/base/each.h"
#include "core/base/vectorise.h"
#include "core/plugin/callbacks.h"
#include "core/stats/gaussian-privacy.h"
#include "defenses/graphs/dmp-noise.h"
#include "defenses/graphs/dmp-pairs.h"
#include "defenses/mechanisms/row-mechanism.h"

/* ---- Motifs of an input ---- */

AssayGraph *
dmp_audit_clip (const DmpGraph *settings, const AssayGraph *graph)
{
  const AssayClipping clipping = { .rank = dmp_pair_rank (settings),
                                   .pruning = (AssayPruning) settings->pruning,
                                   .bound = (gsize) settings->bound };

  return assay_graph_clip (graph, &clipping, NULL);
}

static gboolean
has_sigma (const DmpGraph *settings)
{
  return settings->sensitivity == DMP_LOCAL;
}

/* Whether what is released of the pair differs. */
static gboolean
is_touched (const DmpGraph *settings, AssayGraph *const clipped[2], gsize i, gsize j)
{
  const gboolean edges[2] = { assay_graph_find (clipped[0], i, j) != ASSAY_GRAPH_NONE,
                              assay_graph_find (clipped[1], i, j) != ASSAY_GRAPH_NONE };
  double values[2];

  if (!edges[0] && !edges[1] && settings->statistic == ASSAY_MOTIF_TRIANGLES)
    return FALSE;
  for (guint side = 0; side < 2; side++)
    values[side] = assay_motif_of_pair (clipped[side], (AssayMotif) settings->statistic,
                                        2 * settings->convexity, i, j);
  return values[0] != values[1]
         || (settings->support == DMP_SUPPORT_PRIVATE && edges[0] != edges[1]);
}

/* The numbers of the pairs of nodes that the two graphs touch, in order. */
static GArray *
find_touched (const DmpGraph *settings, const float *first, const float *second)
{
  const gsize n = dmp_pair_nodes (settings);
  GArray *touched = g_array_new (FALSE, FALSE, sizeof (gsize));
  AssayGraph *clipped[2];

  for (guint side = 0; side < 2; side++) {
    g_autoptr (AssayGraph) graph = dmp_pair_graph (n, side == 0 ? first : second);

    clipped[side] = dmp_audit_clip (settings, graph);
  }
  for (gsize i = 0; i < n; i++)
    for (gsize j = i + 1; j < n; j++)
      if (is_touched (settings, clipped, i, j))
        g_array_append_vals (touched, &(gsize){ assay_pair_number (n, i, j) }, 1);
  for (guint side = 0; side < 2; side++)
    assay_graph_free (clipped[side]);
  return touched;
}

gsize
dmp_count_watched (const DmpGraph *settings)
{
  const gsize pairs = assay_pair_count (dmp_pair_nodes (settings));
  g_autofree float *edges = NULL;
  AssayStream stream = { 0 };
  gsize most = 1;

  if (settings->audited == DMP_ALL)
    return pairs;
  edges = g_new (float, 2 * pairs);
  for (guint index = 0; index < DMP_N_PROPOSED; index++) {
    g_autoptr (GArray) touched = NULL;

    dmp_pair_fill (settings, index, &stream, edges, edges + pairs);
    touched = find_touched (settings, edges, edges + pairs);
    most = MAX (most, touched->len);
  }
  return most;
}

static gsize
count_edges (const DmpGraph *settings)
{
  return assay_pair_count (dmp_pair_nodes (settings));
}

static gsize
count_inputs (const DmpGraph *settings, gsize watched)
{
  return count_edges (settings) + (settings->audited == DMP_ALL ? 0 : 1 + watched);
}

static void
size (gconstpointer data, G_GNUC_UNUSED gsize cols, gsize *ret_inputs, gsize *ret_outputs)
{
  const DmpGraph *settings = data;
  const gsize watched = dmp_count_watched (settings);

  *ret_inputs = count_inputs (settings, watched);
  *ret_outputs = watched + has_sigma (settings);
}

static void
pair (gconstpointer data, G_GNUC_UNUSED gsize cols, guint index, AssayStream *stream,
      float *ret_first, float *ret_second)
{
  const DmpGraph *settings = data;
  const gsize edges = count_edges (settings);
  g_autoptr (GArray) touched = NULL;
  gsize watched;

  dmp_pair_fill (settings, index, stream, ret_first, ret_second);
  if (settings->audited == DMP_ALL)
    return;
  watched = dmp_count_watched (settings);
  touched = find_touched (settings, ret_first, ret_second);
  ret_first[edges] = ret_second[edges] = (float) watched;
  for (gsize k = 0; k < watched; k++)
    ret_first[edges + 1 + k] = ret_second[edges + 1 + k]
        = k < touched->len ? (float) g_array_index (touched, gsize, k) : -1;
}

/* What noise is added to, of an input. */
typedef struct {
  gsize watched;
  gsize n_outputs;
  float *centres;   /* of each column; 0 where nothing is looked at */
  guint8 *is_fixed; /* the column has its centre in all runs */
  gboolean has_fixed;
  double sigma; /* of each column */
} Motifs;

ASSAY_LOCAL_CLEAR (Motifs, motifs_clear, g_free (self->centres), g_free (self->is_fixed))

/* The two nodes of a pair. */
static void
nodes_of (gsize n, gsize number, gsize *ret_i, gsize *ret_j)
{
  gsize low = 0, high = n - 1;

  ASSAY_BISECT_BETWEEN (gsize, i, low, high, assay_pair_number (n, i, i + 1) <= number)
  *ret_i = low;
  *ret_j = number - assay_pair_number (n, low, low + 1) + low + 1;
}

static void
fill_column (const DmpGraph *settings, const AssayGraph *clipped, gsize number, float *ret_centre,
             guint8 *ret_is_fixed)
{
  gsize i, j;

  nodes_of (clipped->n, number, &i, &j);
  *ret_centre = (float) assay_motif_of_pair (clipped, (AssayMotif) settings->statistic,
                                             2 * settings->convexity, i, j);
  if (settings->support == DMP_SUPPORT_PRIVATE
      && assay_graph_find (clipped, i, j) == ASSAY_GRAPH_NONE) {
    *ret_centre = 0;
    *ret_is_fixed = 1;
  }
}

static Motifs
motifs_of (const DmpGraph *settings, const float *input)
{
  const gsize edges = count_edges (settings);
  const gsize watched = settings->audited == DMP_ALL ? edges : (gsize) input[edges];
  const float *numbers = settings->audited == DMP_ALL ? NULL : input + edges + 1;
  g_autoptr (AssayGraph) graph = dmp_pair_graph (dmp_pair_nodes (settings), input);
  g_autoptr (AssayGraph) clipped = dmp_audit_clip (settings, graph);
  Motifs motifs = { .watched = watched, .n_outputs = watched + has_sigma (settings) };
  gsize codegree = 0;

  motifs.centres = g_new0 (float, motifs.n_outputs);
  motifs.is_fixed = g_new0 (guint8, motifs.n_outputs);
  if (has_sigma (settings))
    assay_motif_largest_codegree (clipped, &codegree, NULL);
  motifs.sigma = dmp_sigma_of_mean (settings, settings->epsilon, codegree);
  for (gsize k = 0; k < watched; k++)
    if (numbers == NULL || numbers[k] >= 0)
      fill_column (settings, clipped, numbers == NULL ? k : (gsize) numbers[k], &motifs.centres[k],
                   &motifs.is_fixed[k]);
    else
      motifs.is_fixed[k] = 1;
  if (has_sigma (settings)) {
    motifs.centres[watched] = (float) motifs.sigma;
    motifs.is_fixed[watched] = 1;
  }
  for (gsize k = 0; k < motifs.n_outputs; k++)
    motifs.has_fixed |= motifs.is_fixed[k];
  return motifs;
}

/* ---- Runs ---- */

ASSAY_OF_SETTINGS (gboolean, is_claimed, DmpGraph, settings->noise && settings->graph != DMP_NONE)

static const char *
relation (gconstpointer data)
{
  return ((const DmpGraph *) data)->relation == DMP_EDGE_OF_CLIPPED
             ? "one edge of the clipped graph more or less"
             : NULL;
}

static void
run (gconstpointer data, G_GNUC_UNUSED gsize cols, AssayStream *stream, const float *input,
     gsize count, float *ret_outputs)
{
  const DmpGraph *settings = data;
  g_auto (Motifs) motifs = motifs_of (settings, input);
  const RowNoise noise = { assay_stream_fast_normals, motifs.sigma };

  row_mechanism_add_noise (&noise, stream, motifs.centres, motifs.n_outputs, count, ret_outputs);
  for (gsize i = 0; motifs.has_fixed && i < count; i++)
    for (gsize k = 0; k < motifs.n_outputs; k++)
      if (motifs.is_fixed[k])
        ret_outputs[i * motifs.n_outputs + k] = motifs.centres[k];
}

ASSAY_VECTORISED static double
weighted_sum (const double *weights, const float *output, gsize count)
{
  double sums[4] = { 0 };
  gsize k = 0;

  for (; k + 4 <= count; k += 4)
    for (guint l = 0; l < 4; l++)
      sums[l] += weights[k + l] * (double) output[k + l];
  for (; k < count; k++)
    sums[0] += weights[k] * (double) output[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* The sum over columns of (q - q') (y - (q + q') / 2) / sigma^2. */
static void
log_ratio (gconstpointer data, G_GNUC_UNUSED gsize cols, AssayInputPair pair, const float *outputs,
           gsize count, double *ret_scores)
{
  const DmpGraph *settings = data;
  g_auto (Motifs) first = motifs_of (settings, pair.first);
  g_auto (Motifs) second = motifs_of (settings, pair.second);
  const gsize watched = first.watched;
  g_autofree double *weights = g_new (double, watched);
  double offset = 0;

  for (gsize k = 0; k < watched; k++) {
    const double a = (double) first.centres[k], b = (double) second.centres[k];

    weights[k] = (a - b) / (first.sigma * first.sigma);
    offset += weights[k] * (a + b) / 2;
  }
  for (gsize i = 0; i < count; i++)
    ret_scores[i] = weighted_sum (weights, outputs + i * watched, watched) - offset;
}

/* ---- The closed form ---- */

gboolean
dmp_has_density (gconstpointer data)
{
  const DmpGraph *settings = data;

  return settings->support == DMP_SUPPORT_ALL && !has_sigma (settings);
}

/* How far apart the motifs of pair 0 are. */
static double
distance (const DmpGraph *settings)
{
  const gsize numbers = count_inputs (settings, dmp_count_watched (settings));
  g_autofree float *inputs = g_new (float, 2 * numbers);
  g_auto (Motifs) first = { 0 };
  g_auto (Motifs) second = { 0 };
  AssayStream stream = { 0 };
  double sum = 0;

  pair (settings, 0, 0, &stream, inputs, inputs + numbers);
  first = motifs_of (settings, inputs);
  second = motifs_of (settings, inputs + numbers);
  for (gsize k = 0; k < first.watched; k++) {
    const double gap = (double) first.centres[k] - (double) second.centres[k];

    sum += gap * gap;
  }
  return sqrt (sum);
}

double
dmp_true_epsilon (const DmpGraph *settings)
{
  return assay_gaussian_epsilon (
      distance (settings) / dmp_sigma_of_mean (settings, settings->epsilon, 0), settings->delta);
}

static void
tight_event (gconstpointer data, G_GNUC_UNUSED gsize cols, double epsilon, double *ret_first,
             double *ret_second)
{
  const DmpGraph *settings = data;
  const double m = distance (settings) / dmp_sigma_of_mean (settings, epsilon, 0);

  assay_gaussian_event_logs (m, assay_gaussian_epsilon (m, settings->delta), ret_first, ret_second);
  *ret_first = exp (*ret_first);
  *ret_second = exp (*ret_second);
}

/* A graph as one row of numbers, of which a neighbour has one other. Audits give no other inputs,
 * as there are none. */
static AssayDomain *
domain (gconstpointer data, G_GNUC_UNUSED gsize cols)
{
  const DmpGraph *settings = data;
  const gsize pairs = count_edges (settings);
  AssayDomain *domain;

  if (settings->audited != DMP_ALL || settings->relation != DMP_EDGE_OF_GRAPH)
    return NULL;
  domain = assay_domain_new (ASSAY_ADJACENCY_VALUE, 1, pairs);
  for (gsize k = 0; k < pairs; k++) {
    domain->lower[k] = 0;
    domain->upper[k] = 1;
  }
  domain->is_whole = domain->is_trusted = TRUE;
  return domain;
}

const AssayMechanism dmp_mechanism = {
  .neighbours = "one edge of the graph more or less",
  .relation = relation,
  .is_claimed = is_claimed,
  .budget = row_mechanism_budget_with_delta,
  .has_own_inputs = TRUE,
  .size = size,
  .n_proposed = DMP_N_PROPOSED,
  .pair = pair,
  .domain = domain,
  .run = run,
  .log_ratio = log_ratio,
  .tight_event = tight_event,
  .has_density = dmp_has_density,
};
