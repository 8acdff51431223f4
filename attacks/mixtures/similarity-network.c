/* Two networks whose inner products are a similarity. */
#include "attacks/mixtures/similarity-network.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/network/train.h"
#include "core/network/u-net.h"

#define BATCH 32
#define DECAY 1e-4
#define FORMS 3 /* of a pixel: x, |x|, x^2 */
#define HELD_SHARE 10
#define LEAST_LINKED 20
#define MOST_HELD 2000
#define SCALE_ROWS 256 /* images that the size of a number is measured on */
/* Items of pairs are above those of weights and orders. */
#define FIRST_PAIR ((guint64) 1 << 40)
#define FIRST_HELD ((guint64) 1 << 62)

struct _SimilarityNetwork {
  AssayTape *tape;
  AssayGeometry geometry;
  guint sides[2];  /* the layers that give f and g */
  float scales[2]; /* that numbers of each side are divided by */
  float *weights;  /* w, of each channel */
  gboolean has_diverged;
  char *says;
};

ASSAY_FREE_FUNC (SimilarityNetwork, similarity_network_free,
                 assay_drop (self->tape, assay_tape_free), g_free (self->weights),
                 g_free (self->says))

/* ---- The tape ---- */

/* Channels of the input that are of one side; those beyond FORMS of each of the image stay 0. */
static gsize
side_channels (const AssayGeometry *geometry)
{
  return assay_pieces (FORMS * geometry->channels, ASSAY_CHANNEL_BLOCK) * ASSAY_CHANNEL_BLOCK;
}

static guint
add_side (AssayTape *tape, SimilaritySide side, const SimilarityTraining *training,
          const AssayGeometry *geometry)
{
  const gsize channels = side_channels (geometry);
  guint x = assay_tape_part (tape, ASSAY_TAPE_INPUT, side * channels, channels);

  for (gsize level = 0; level <= training->levels; level++) {
    x = assay_tape_block (tape, level == 0 ? x : assay_tape_pool (tape, x),
                          training->width << level, 1);
    if (level == training->levels)
      x = assay_tape_convolve (tape, x, training->width << level, 3, 1);
  }
  return assay_tape_normalise (tape, x);
}

/* Gives the last layer, which is not finished. */
static AssayTape *
make_tape (const SimilarityTraining *training, const AssayGeometry *geometry, guint *ret_sides,
           guint *ret_last)
{
  const AssayTapeShape shape = { 2 * side_channels (geometry), geometry->height, geometry->width };
  AssayTape *tape = assay_tape_new (shape);
  guint x;

  for (guint side = 0; side < 2; side++)
    ret_sides[side] = add_side (tape, side, training, geometry);
  x = assay_tape_multiply (tape, ret_sides[SIMILARITY_LEFT], ret_sides[SIMILARITY_RIGHT]);
  *ret_last = assay_tape_dense (tape, assay_tape_mean (tape, x), 1);
  return tape;
}

/* ---- Images ---- */

/* The planes of one side, from pixels of interleaved channels. */
static void
write_forms (const SimilarityNetwork *network, SimilaritySide side, const float *image,
             float *ret_input)
{
  const AssayGeometry *geometry = &network->geometry;
  const gsize c = geometry->channels, pixels = geometry->height * geometry->width;
  const float scale = 1 / network->scales[side];
  float *planes = ret_input + side * side_channels (geometry) * pixels;

  for (gsize i = 0; i < pixels; i++)
    for (gsize k = 0; k < c; k++) {
      const float x = image[i * c + k] * scale;

      planes[k * pixels + i] = x;
      planes[(c + k) * pixels + i] = fabsf (x);
      planes[(2 * c + k) * pixels + i] = x * x;
    }
}

static void
clear_input (const SimilarityNetwork *network, float *ret_input)
{
  const AssayTapeShape shape = assay_tape_input (network->tape);

  for (gsize i = 0; i < assay_tape_numbers (shape); i++)
    ret_input[i] = 0;
}

/* The root of the mean square of the first images. */
static float
scale_of (const float *const *images, gsize n, gsize cols)
{
  const gsize used = MIN (n, SCALE_ROWS);
  double sum = 0;

  for (gsize i = 0; i < used; i++)
    for (gsize a = 0; a < cols; a++)
      sum += (double) images[i][a] * (double) images[i][a];
  sum = sqrt (sum / ((double) used * (double) cols));
  return sum > 0 ? (float) sum : 1;
}

/* ---- Pairs ---- */

typedef struct {
  const SimilarityNetwork *network;
  const SimilarityPairs *pairs;
  AssayStreamKey key;
  gsize examples;
  gsize split; /* of the linked pairs those from here on are held out */
} Drawing;

static int
compare_pairs (gconstpointer a, gconstpointer b)
{
  const guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return (x > y) - (x < y);
}

/* One in two belongs together: a linked pair, or its left image with any other. */
static void
draw (gpointer data, gsize index, gsize epoch, float *ret_input, float *ret_target)
{
  const Drawing *drawing = data;
  const SimilarityPairs *pairs = drawing->pairs;
  const gboolean is_held = epoch == ASSAY_EPOCH_NONE;
  const guint64 item
      = is_held ? FIRST_HELD + index : FIRST_PAIR + (guint64) epoch * drawing->examples + index;
  const gsize first = is_held ? drawing->split : 0;
  const gsize end = is_held ? pairs->n_linked : drawing->split;
  AssayStream stream = assay_stream (drawing->key, item);
  guint64 pair = pairs->linked[first + assay_stream_below (&stream, end - first)];
  const gsize left = pair >> 32;

  if (index % 2 == 1) {
    const gsize *range = pairs->ranges[left];

    pair = (guint64) left << 32 | (range[0] + assay_stream_below (&stream, range[1] - range[0]));
  }
  clear_input (drawing->network, ret_input);
  write_forms (drawing->network, SIMILARITY_LEFT, pairs->left[left], ret_input);
  write_forms (drawing->network, SIMILARITY_RIGHT, pairs->right[(guint32) pair], ret_input);
  if (ret_target != NULL)
    *ret_target
        = bsearch (&pair, pairs->linked, pairs->n_linked, sizeof pair, compare_pairs) != NULL;
}

/* Where the last tenth of the left images begins; 0 where there are not enough. */
static gsize
split_pairs (const SimilarityPairs *pairs)
{
  gsize lefts = 0, wanted, i = pairs->n_linked;

  for (gsize p = 0; p < pairs->n_linked; p++)
    lefts += p == 0 || pairs->linked[p] >> 32 != pairs->linked[p - 1] >> 32;
  wanted = lefts / HELD_SHARE;
  while (wanted > 0 && i > 0) {
    i--;
    wanted -= i == 0 || pairs->linked[i] >> 32 != pairs->linked[i - 1] >> 32;
  }
  return lefts >= LEAST_LINKED ? i : 0;
}

/* ---- Training ---- */

static gboolean
describe (SimilarityNetwork *network, const AssayTapeReport *report, const Drawing *drawing,
          const AssayTapeExamples *held, GError **error)
{
  g_autofree float *likely = assay_alloc (held->n, sizeof (float), "held-out pairs", error);
  g_autofree float *input = assay_alloc (assay_tape_numbers (assay_tape_input (network->tape)),
                                         sizeof (float), "a pair", error);
  gsize right = 0, linked = 0;
  double constant;

  if (likely == NULL || input == NULL || !assay_tape_predict (network->tape, held, likely, error))
    return FALSE;
  for (gsize i = 0; i < held->n; i++) {
    float target;

    draw (held->data, i, ASSAY_EPOCH_NONE, input, &target);
    linked += target > 0;
    right += (likely[i] > 0.5f) == (target > 0);
  }
  constant = (double) MAX (linked, held->n - linked);
  network->says = g_strdup_printf (
      "networks of %zu weights after %zu of %zu epochs of %zu pairs%s; of %zu other pairs they are "
      "right about %.1f %%%s",
      network->tape->n_parameters, report->best, report->epochs, drawing->examples,
      report->has_diverged ? " (then they diverged)" : "", held->n,
      100 * (double) right / (double) held->n,
      (double) right > constant + 1.5 * sqrt ((double) held->n)
          ? ""
          : ", no more than a constant would be: they learned nothing");
  return TRUE;
}

static void
keep_weights (SimilarityNetwork *network)
{
  const AssayTape *tape = network->tape;
  const AssayTapeShape shape = tape->layers[network->sides[SIMILARITY_RIGHT]].shape;
  const AssayConvolutionShape dense = assay_tape_convolution (tape, tape->last);

  network->weights = g_new (float, shape.channels);
  for (gsize c = 0; c < shape.channels; c++)
    network->weights[c] = tape->parameters[tape->layers[tape->last].first
                                           + assay_convolution_place (&dense, 0, c, 0)]
                          / (float) (shape.height * shape.width);
}

SimilarityNetwork *
similarity_network_new (const SimilarityTraining *training, const SimilarityPairs *pairs,
                        AssayStreamKey key, GError **error)
{
  const AssayGeometry *geometry = &pairs->geometry;
  const gsize cols = geometry->height * geometry->width * geometry->channels;
  const gsize split = split_pairs (pairs);
  g_autoptr (SimilarityNetwork) network = g_new0 (SimilarityNetwork, 1);
  Drawing drawing = { network, pairs, key, training->pairs, split };
  const AssayTapeExamples examples = { training->pairs, draw, &drawing };
  const AssayTapeExamples held
      = { CLAMP (2 * (pairs->n_linked - split), 2 * BATCH, MOST_HELD), draw, &drawing };
  const AssayTapeTraining how = { .descent = ASSAY_DESCENT_ADAM,
                                  .epochs = training->epochs,
                                  .batch = BATCH,
                                  .rate = training->rate,
                                  .decay = DECAY,
                                  .held_out = &held };
  AssayTapeReport report;
  guint last;

  if (split == 0)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "%zu pairs of images of the attacker's own belong together; expected "
                            "some of %d or more left images",
                            pairs->n_linked, LEAST_LINKED);
  network->geometry = pairs->geometry;
  network->scales[SIMILARITY_LEFT] = scale_of (pairs->left, pairs->n_left, cols);
  network->scales[SIMILARITY_RIGHT] = scale_of (pairs->right, pairs->n_right, cols);
  network->tape = make_tape (training, &pairs->geometry, network->sides, &last);
  if (!assay_tape_finish (network->tape, last, ASSAY_TAPE_LOSS_LOGISTIC, key, error)
      || !assay_tape_train (network->tape, &how, &examples, key, &report, error)
      || !describe (network, &report, &drawing, &held, error))
    return NULL;
  network->has_diverged = report.has_diverged;
  keep_weights (network);
  return g_steal_pointer (&network);
}

/* ---- Use ---- */

gsize
similarity_network_numbers (const SimilarityNetwork *network)
{
  return assay_tape_numbers (network->tape->layers[network->sides[SIMILARITY_LEFT]].shape);
}

void
similarity_network_tell (const SimilarityNetwork *network, AssayGuess *guess)
{
  guess->says = g_strdup (network->says);
  if (network->has_diverged)
    guess->confidence = 0;
}

typedef struct {
  const SimilarityNetwork *network;
  SimilaritySide side;
  AssayView images;
} Seeing;

static void
draw_side (gpointer data, gsize index, G_GNUC_UNUSED gsize epoch, float *ret_input,
           G_GNUC_UNUSED float *ret_target)
{
  const Seeing *seeing = data;

  clear_input (seeing->network, ret_input);
  write_forms (seeing->network, seeing->side, assay_view_row (seeing->images, index), ret_input);
}

gboolean
similarity_network_see (const SimilarityNetwork *network, SimilaritySide side, AssayView images,
                        float *ret_numbers, GError **error)
{
  const Seeing seeing = { network, side, images };
  const AssayTapeExamples examples = { images.rows, draw_side, (gpointer) &seeing };
  const guint layer = network->sides[side];
  const AssayTapeShape shape = network->tape->layers[layer].shape;
  const gsize pixels = shape.height * shape.width;

  if (!assay_tape_predict_layer (network->tape, layer, &examples, ret_numbers, error))
    return FALSE;
  for (gsize i = 0; i < images.rows * shape.channels && side == SIMILARITY_RIGHT; i++)
    for (gsize p = 0; p < pixels; p++)
      ret_numbers[i * pixels + p] *= network->weights[i % shape.channels];
  return TRUE;
}

AssayTapeSize
similarity_network_size (const SimilarityTraining *training, const AssayGeometry *geometry)
{
  guint sides[2], last;
  g_autoptr (AssayTape) tape = make_tape (training, geometry, sides, &last);

  return assay_tape_planned_size (tape, last, BATCH);
}
