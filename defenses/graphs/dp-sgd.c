/* DP-SGD on the edges of a private graph: hash functions of two modalities, trained so that the
 * codes of joined items are alike (Abadi et al. 2016, "Deep Learning with Differential Privacy",
 * algorithm 1; the loss is that of DCMH, Jiang and Li 2017).
 *
 * u = tanh (W_I (x, 1)) and v = tanh (W_T (z, 1)) of columns of mean 0 and deviation 1, Theta_ij =
 * u_i . v_j / 2, s the logistic function. In each of T rounds every edge takes part with
 * probability q; its gradient of
 *   -ln s (Theta_ij) - ln s (Theta_ji)
 * is scaled to a length of at most C, their sum gets noise N (0, (z C)^2) on each weight, and is
 * divided by `batch`. To it the gradients are added of what is public: the mean of ln (1 + exp
 * Theta) of `batch` random pairs, and 0.3 times that of -ln s (Theta_ii) of `batch` items. Steps
 * are Adam's. Of a sum of clipped gradients of single edges there is no loss of a batch, which
 * core/learn/paired-encoders.h asks for.
 *
 * z is the least for which the Renyi accountant has (epsilon, delta) (core/stats/renyi-privacy.h):
 * 1.04 at epsilon 2 with q = 0.01645 and T = 300. q and `batch` are settings and not computed from
 * the number of edges, which is private. A bit is W (x, 1) > 0; released W take columns as they
 * are. An audit plays what accounting rests on: an edge whose gradient has length C in a direction
 * of its own, and T noisy sums in that direction. */
#include <math.h>
#include <string.h>

#include "core/base/progress/loop.h"
#include "core/data/codes.h"
#include "core/learn/adam.h"
#include "core/plugin/callbacks.h"
#include "core/plugin/plugin.h"
#include "defenses/mechanisms/row-mechanism.h"
#include "defenses/updates/sampled-sums.h"

typedef struct {
  double epsilon;
  double delta;
  gint64 bits;
  double rate;
  gint64 batch;
  gint64 rounds;
  double clip;
  double learning_rate;
  bool noise;
  bool edges;
} DpSgd;

#define SELF_WEIGHT 0.3

enum { FIRST, SECOND, N_MODALITIES };
enum { ITEM_START, ITEM_EDGES, ITEM_NOISE, ITEM_PUBLIC };

static const char *const code_names[] = { "image-codes", "text-codes" };
static const char *const layer_names[] = { "image-layer1", "text-layer1" };

static SampledSums
sums_of (const DpSgd *settings)
{
  return (SampledSums){ settings->epsilon, settings->delta, settings->rate,
                        (gsize) settings->rounds };
}

/* ---- Encoders ---- */

/* Of one modality: columns with 1 behind them, and a row of weights for each bit. */
typedef struct {
  gsize d; /* columns and the bias */
  double *rows, *means, *deviations;
  double *weights, *gradient, *private; /* bits x d; sums over public terms and over edges */
  double *first, *second;               /* moments of Adam */
} Encoder;

typedef struct {
  const DpSgd *settings;
  gsize n, bits;
  Encoder encoders[N_MODALITIES];
  double *work; /* room for outputs and their gradients: 8 x bits */
} Training;

static void
training_clear (Training *training)
{
  for (guint m = 0; m < N_MODALITIES; m++) {
    g_free (training->encoders[m].rows);
    g_free (training->encoders[m].means);
    g_free (training->encoders[m].weights);
  }
  g_free (training->work);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Training, training_clear)

static void
standardise (AssayView items, gsize from, gsize n, Encoder *encoder)
{
  const gsize d = encoder->d;

  for (gsize j = 0; j + 1 < d; j++) {
    double square = 0;

    for (gsize i = 0; i < n; i++)
      encoder->means[j] += (double) assay_view_row (items, i)[from + j] / (double) n;
    for (gsize i = 0; i < n; i++)
      square
          += pow ((double) assay_view_row (items, i)[from + j] - encoder->means[j], 2) / (double) n;
    encoder->deviations[j] = square > 0 ? sqrt (square) : 1;
  }
  for (gsize i = 0; i < n; i++) {
    for (gsize j = 0; j + 1 < d; j++)
      encoder->rows[i * d + j] = ((double) assay_view_row (items, i)[from + j] - encoder->means[j])
                                 / encoder->deviations[j];
    encoder->rows[i * d + d - 1] = 1;
  }
}

static gboolean
training_open (const AssayDefenseContext *context, AssayView items, Training *training,
               GError **error)
{
  AssayStream stream = assay_stream (context->common_stream, ITEM_START);
  const gsize n = items.rows, bits = training->bits;

  for (guint m = 0; m < N_MODALITIES; m++) {
    Encoder *encoder = &training->encoders[m];
    const gsize d = (m == FIRST ? context->first_cols : items.cols - context->first_cols) + 1;

    encoder->d = d;
    encoder->rows = assay_alloc (n, d * sizeof (double), "items", error);
    encoder->means = assay_alloc (2 * d, sizeof (double), "columns", error);
    encoder->weights = assay_alloc (5 * bits, d * sizeof (double), "weights", error);
    if (encoder->rows == NULL || encoder->means == NULL || encoder->weights == NULL)
      return FALSE;
    encoder->deviations = encoder->means + d;
    encoder->gradient = encoder->weights + bits * d;
    encoder->private = encoder->gradient + bits * d;
    encoder->first = encoder->private + bits * d;
    encoder->second = encoder->first + bits * d;
    standardise (items, m == FIRST ? 0 : context->first_cols, n, encoder);
    for (gsize k = 0; k < bits * d; k++)
      if (k % d + 1 < d)
        encoder->weights[k] = assay_stream_normal (&stream) / sqrt ((double) (d - 1));
  }
  training->work = g_new (double, 8 * bits);
  return TRUE;
}

static double
product (const double *a, const double *b, gsize n)
{
  double sum = 0;

  for (gsize k = 0; k < n; k++)
    sum += a[k] * b[k];
  return sum;
}

static void
encode (const Training *training, guint modality, gsize item, double *ret_outputs)
{
  const Encoder *encoder = &training->encoders[modality];

  for (gsize b = 0; b < training->bits; b++)
    ret_outputs[b] = tanh (
        product (encoder->weights + b * encoder->d, encoder->rows + item * encoder->d, encoder->d));
}

/* sum += scale delta x' of an item. */
static void
add_outer (const Encoder *encoder, gsize bits, const double *delta, gsize item, double scale,
           double *inout_sum)
{
  const double *row = encoder->rows + item * encoder->d;

  for (gsize b = 0; b < bits; b++)
    for (gsize j = 0; j < encoder->d; j++)
      inout_sum[b * encoder->d + j] += scale * delta[b] * row[j];
}

/* What u and v do to Theta = u . v / 2, through tanh, times @slope. */
static void
slopes_of (gsize bits, const double *u, const double *v, double slope, double *ret_u, double *ret_v)
{
  for (gsize b = 0; b < bits; b++) {
    ret_u[b] = slope * v[b] / 2 * (1 - u[b] * u[b]);
    ret_v[b] = slope * u[b] / 2 * (1 - v[b] * v[b]);
  }
}

static double
logistic (double x)
{
  return 1 / (1 + exp (-x));
}

/* ---- Terms of the loss ---- */

/* || a x' + b y' ||^2 of the rows x and y of two items. */
static double
square_of (const Encoder *encoder, gsize bits, const double *a, gsize i, const double *b, gsize j)
{
  const double *x = encoder->rows + i * encoder->d, *y = encoder->rows + j * encoder->d;

  return product (a, a, bits) * product (x, x, encoder->d)
         + product (b, b, bits) * product (y, y, encoder->d)
         + 2 * product (a, b, bits) * product (x, y, encoder->d);
}

/* The clipped gradient of an edge. */
static void
add_edge (Training *training, gsize i, gsize j)
{
  const gsize bits = training->bits;
  Encoder *encoders = training->encoders;
  double *u[2] = { training->work, training->work + bits };
  double *v[2] = { training->work + 2 * bits, training->work + 3 * bits };
  double *du[2] = { training->work + 4 * bits, training->work + 5 * bits };
  double *dv[2] = { training->work + 6 * bits, training->work + 7 * bits };
  const gsize items[2] = { i, j };
  double length, scale;

  for (guint e = 0; e < 2; e++) {
    encode (training, FIRST, items[e], u[e]);
    encode (training, SECOND, items[e], v[e]);
  }
  for (guint e = 0; e < 2; e++)
    slopes_of (bits, u[e], v[1 - e], -logistic (-product (u[e], v[1 - e], bits) / 2), du[e],
               dv[1 - e]);
  length = sqrt (square_of (&encoders[FIRST], bits, du[0], i, du[1], j)
                 + square_of (&encoders[SECOND], bits, dv[0], i, dv[1], j));
  scale = length > training->settings->clip ? training->settings->clip / length : 1;
  for (guint e = 0; e < 2; e++) {
    add_outer (&encoders[FIRST], bits, du[e], items[e], scale, encoders[FIRST].private);
    add_outer (&encoders[SECOND], bits, dv[e], items[e], scale, encoders[SECOND].private);
  }
}

/* Of ln (1 + exp Theta_ij), or of -ln s (Theta_ij) where @is_joined. */
static void
add_public (Training *training, gsize i, gsize j, gboolean is_joined, double weight)
{
  const gsize bits = training->bits;
  double *u = training->work, *v = u + bits, *du = v + bits, *dv = du + bits;
  double theta;

  encode (training, FIRST, i, u);
  encode (training, SECOND, j, v);
  theta = product (u, v, bits) / 2;
  slopes_of (bits, u, v, is_joined ? -logistic (-theta) : logistic (theta), du, dv);
  add_outer (&training->encoders[FIRST], bits, du, i, weight, training->encoders[FIRST].gradient);
  add_outer (&training->encoders[SECOND], bits, dv, j, weight, training->encoders[SECOND].gradient);
}

/* ---- Rounds ---- */

typedef struct {
  AssayStream edges, noise, public;
  double deviation;
} Draws;

static void
sum_edges (Training *training, const AssayArray *edges, Draws *draws)
{
  for (guint m = 0; m < N_MODALITIES; m++) {
    Encoder *encoder = &training->encoders[m];

    memset (encoder->private, 0, training->bits * encoder->d * sizeof (double));
  }
  for (gsize e = 0; e < edges->shape[0]; e++) {
    const gint64 *ends = assay_array_int64 (edges) + 2 * e;

    if (assay_stream_uniform (&draws->edges) < training->settings->rate)
      add_edge (training, (gsize) ends[0], (gsize) ends[1]);
  }
}

static void
take_step (Training *training, gsize round, Draws *draws)
{
  const DpSgd *settings = training->settings;

  for (guint m = 0; m < N_MODALITIES; m++) {
    Encoder *encoder = &training->encoders[m];
    const gsize n = training->bits * encoder->d;

    for (gsize k = 0; k < n; k++) {
      const double noisy
          = encoder->private[k] + draws->deviation * assay_stream_normal (&draws->noise);

      encoder->gradient[k] += settings->edges ? noisy / (double) settings->batch : 0;
    }
    assay_adam_step (
        &(AssayAdam){ n, encoder->weights, encoder->gradient, encoder->first, encoder->second },
        settings->learning_rate, (double) round + 1);
  }
}

static void
train (Training *training, const AssayDefenseContext *context)
{
  const DpSgd *settings = training->settings;
  const SampledSums sums = sums_of (settings);
  const gsize batch = (gsize) settings->batch;
  Draws draws = { .edges = assay_stream (context->stream, ITEM_EDGES),
                  .noise = assay_stream (context->stream, ITEM_NOISE),
                  .public = assay_stream (context->stream, ITEM_PUBLIC),
                  .deviation = settings->noise ? sampled_sums_noise (&sums) * settings->clip : 0 };
  g_auto (AssayLoop) loop = { "round", .turns = (gsize) settings->rounds };

  for (gsize round = 0; round < (gsize) settings->rounds; round++) {
    assay_loop_at (&loop, round);
    for (guint m = 0; m < N_MODALITIES; m++)
      memset (training->encoders[m].gradient, 0,
              training->bits * training->encoders[m].d * sizeof (double));
    if (settings->edges)
      sum_edges (training, context->edges, &draws);
    for (gsize k = 0; k < batch; k++) {
      const gsize i = assay_stream_below (&draws.public, training->n);
      const gsize j = (i + 1 + assay_stream_below (&draws.public, training->n - 1)) % training->n;
      const gsize self = assay_stream_below (&draws.public, training->n);

      add_public (training, i, j, FALSE, 1 / (double) batch);
      add_public (training, self, self, TRUE, SELF_WEIGHT / (double) batch);
    }
    take_step (training, round, &draws);
  }
}

/* ---- The release ---- */

static void
release_modality (const Training *training, guint modality, AssayRelease *release)
{
  const Encoder *encoder = &training->encoders[modality];
  const gsize n = training->n, bits = training->bits, d = encoder->d;
  const gsize bytes = assay_code_bytes (bits);
  guint8 *codes = g_new0 (guint8, n * bytes);
  float *layer = g_new (float, bits *d);

  for (gsize b = 0; b < bits; b++) {
    const double *weights = encoder->weights + b * d;
    double bias = weights[d - 1];

    for (gsize i = 0; i < n; i++)
      if (product (weights, encoder->rows + i * d, d) > 0)
        codes[i * bytes + b / 8] |= (guint8) (1u << (b % 8));
    for (gsize j = 0; j + 1 < d; j++) {
      layer[b * d + j] = (float) (weights[j] / encoder->deviations[j]);
      bias -= weights[j] * encoder->means[j] / encoder->deviations[j];
    }
    layer[b * d + d - 1] = (float) bias;
  }
  assay_arrays_take_rows (&release->arrays, code_names[modality], ASSAY_UINT8, n, bytes, codes);
  assay_arrays_take_rows (&release->arrays, layer_names[modality], ASSAY_FLOAT32, bits, d, layer);
}

static gboolean
protect (const AssayDefenseContext *context, AssayView items, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  const DpSgd *settings = context->settings;
  g_auto (Training) training
      = { .settings = settings, .n = items.rows, .bits = (gsize) settings->bits };

  if (context->edges == NULL || context->first_cols == 0 || items.rows < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected a dataset of two items at least, of two modalities, with a "
                       "private graph between them (such as interactions)");
  if (!training_open (context, items, &training, error))
    return FALSE;
  train (&training, context);
  ret_release->bits = training.bits;
  for (guint m = 0; m < N_MODALITIES; m++)
    release_modality (&training, m, ret_release);
  return TRUE;
}

/* ---- The mechanism: T noisy sums in the direction of an edge that is there (1) or not (0) ---- */

ASSAY_OF_SETTINGS (gboolean, is_claimed, DpSgd, settings->noise && settings->edges)

SAMPLED_SUMS_RUNS (DpSgd, sums_of)

/* ---- Descriptor ---- */

ASSAY_MEMORY (memory, DpSgd,
              sizeof (double) * (shape->cols + 2)
                  * (shape->n_secrets + 5 * (guint64) settings->bits))

ASSAY_DEFENSE (dp_sgd, "dp-sgd",
  .summary = "Train hash functions of two modalities on private edges by DP-SGD",
  .reference = { "Abadi, Chu, Goodfellow, McMahan, Mironov, Talwar and Zhang 2016, Deep Learning "
                 "with Differential Privacy; Jiang and Li 2017, Deep Cross-Modal Hashing",
                 "algorithm 1; the loss" },
  ASSAY_SETTINGS (DpSgd,
    ASSAY_PARAM_REAL (DpSgd, epsilon, 2, 1e-2, 60, "nats", "Privacy budget of one edge"),
    ASSAY_PARAM_REAL (DpSgd, delta, 1e-5, 1e-30, 0.999999, "",
                      "Probability mass for which epsilon need not hold"),
    ASSAY_PARAM_INT (DpSgd, bits, 32, 1, ASSAY_CODE_MAX_BITS, "bits", "Length of a code"),
    ASSAY_PARAM_REAL (DpSgd, rate, 0.01645, 1e-6, 1, "",
                      "Probability q that an edge takes part in a round"),
    ASSAY_PARAM_INT (DpSgd, batch, 512, 1, 1000000, "",
                     "B: the sum of the edges' gradients is divided by it; a round also takes as "
                     "many public pairs and items"),
    ASSAY_PARAM_INT (DpSgd, rounds, 300, 1, 100000, "", "Training rounds (T)"),
    ASSAY_PARAM_REAL (DpSgd, clip, 1, 1e-6, 1e6, "", "Norm to which gradients are clipped (C)"),
    ASSAY_PARAM_REAL (DpSgd, learning_rate, 0.01, 1e-6, 10, "", "Learning rate of Adam"),
    ASSAY_PARAM_BOOL (DpSgd, noise, TRUE, "Whether there is noise; without it nothing is claimed"),
    ASSAY_PARAM_BOOL (DpSgd, edges, TRUE,
                      "Whether private edges are trained on; without them only the public terms "
                      "are (a control)")),
  .memory = memory,
  .produces = ASSAY_RELEASE_PAIRED_CODES,
  .claim = "(epsilon, delta)-differential privacy of the graph, between graphs that differ in one "
           "edge",
  ASSAY_MECHANISM (
    .neighbours = "one edge of the graph more or less",
    .is_claimed = is_claimed,
    .budget = row_mechanism_budget_with_delta,
    .has_own_inputs = TRUE,
    .size = size,
    .n_proposed = 1,
    .pair = sampled_sums_pair,
    .run = run,
    .log_ratio = log_ratio),
  .protect = protect);
