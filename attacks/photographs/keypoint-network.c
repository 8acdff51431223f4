/* U-Nets from pictures of keypoints to photographs. They are given what is painted from patches,
 * too, and begin with giving that.
 *
 * Each learns from parts of photographs (keypoint-examples.c); held-out ones are seen whole, as
 * those of the secrets are. The loss is of SSIM and absolute errors: the least of these alone is
 * smooth where it is unsure, and a smooth picture is less like a photograph.
 *
 * Each of several networks holds out another share of the photographs. What they paint is averaged,
 * and how much of it is added to what patches show is chosen by SSIM on all photographs, each as it
 * is painted by the network that has not seen it: a few held-out ones differ more among each other
 * than networks do. */
#include "attacks/photographs/keypoint-network.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/progress/loop.h"
#include "core/math/image-quality.h"
#include "core/network/train.h"
#include "core/network/u-net.h"

#define WHITE 255.0F
#define BATCH 8
#define DECAY 1e-4
/* Shares of what was learned that may be added to what is painted. */
#define SHARES 4
#define MORE 1e-3 /* SSIM for which more of it is added */

struct _KeypointNetwork {
  KeypointTraining training;
  GPtrArray *tapes;   /* of AssayTape: one a fold */
  gsize epochs, best; /* of all of them */
  gboolean has_diverged;
  double share;            /* of what was learned that is added */
  double ssim[SHARES + 1]; /* mean on held-out photographs, with i / SHARES of it */
};

ASSAY_FREE_FUNC (KeypointNetwork, keypoint_network_free,
                 assay_drop (self->tapes, g_ptr_array_unref))

static void
free_tape (gpointer tape)
{
  assay_tape_free (tape);
}

/* ---- The network ---- */

/* The last layer sees what a U-Net makes of the input, and the input. */
static AssayTape *
make_tape (const KeypointTraining *training, gsize channels, guint *ret_last)
{
  const AssayUNet u_net = { training->width, training->levels };
  const gsize planes = keypoint_examples_planes (training, channels);
  AssayTape *tape = assay_tape_new ((AssayTapeShape){ planes, training->side, training->side });
  const guint top = assay_tape_u_net (tape, ASSAY_TAPE_INPUT, &u_net);

  *ret_last = assay_tape_convolve (tape, assay_tape_join (tape, top, ASSAY_TAPE_INPUT), 1, 1, 1);
  return tape;
}

/* Training begins with what is painted: of all that the last layer sees it gives that plane. */
static void
begin_with_paint (AssayTape *tape, guint last, gsize plane)
{
  const AssayLayer *layer = &tape->layers[last];
  const AssayConvolutionShape shape = assay_tape_convolution (tape, last);
  /* The input stands behind what the U-Net gives. */
  const gsize first = tape->layers[tape->layers[layer->from[0]].from[0]].shape.channels;
  float *weights = tape->parameters + layer->first;

  memset (weights, 0, layer->n_weights * sizeof (float));
  weights[assay_convolution_place (&shape, 0, first + plane, 0)] = 1;
  assay_tape_turn (tape);
}

AssayTapeSize
keypoint_network_size (const KeypointTraining *training, gsize channels)
{
  guint last;
  g_autoptr (AssayTape) tape = make_tape (training, channels, &last);

  return assay_tape_planned_size (tape, last, BATCH);
}

/* ---- How much of it is added ---- */

/* Levels of 0 to 255: what is painted, and @share of what @inout_picture, of levels of 0 to 1, is
 * other than that. */
static void
add_share (const AssayPhoto *painted, gsize side, double share, float *inout_picture, float *base)
{
  const AssayPhotoWindow whole = assay_photo_whole (painted->width, painted->height);

  assay_photo_reduce (painted, &whole, side, base);
  for (gsize i = 0; i < side * side; i++)
    inout_picture[i]
        = CLAMP (base[i] + (float) share * (WHITE * inout_picture[i] - base[i]), 0, WHITE);
}

/* Of photograph @picture, which is @learned without having been seen: SSIM with each share. */
static gboolean
add_ssim (KeypointNetwork *network, const KeypointExamples *examples, gsize picture,
          const float *learned, float *spare, GError **error)
{
  const gsize side = network->training.side, pixels = side * side;
  const AssayPhoto *photo = examples->photos[picture];
  const AssayPhotoWindow whole = assay_photo_whole (photo->width, photo->height);
  const AssaySsim ssim = { { side, side, 1 }, (double) WHITE };

  assay_photo_reduce (photo, &whole, side, spare);
  for (gsize s = 0; s <= SHARES; s++) {
    double value;

    memcpy (spare + pixels, learned, pixels * sizeof (float));
    add_share (examples->painted->of_rank[0]->pdata[picture], side, (double) s / SHARES,
               spare + pixels, spare + 2 * pixels);
    if (!assay_image_ssim (&ssim, spare, spare + pixels, &value, error))
      return FALSE;
    network->ssim[s] += value / (double) examples->n;
  }
  return TRUE;
}

/* What the network makes of photographs that it has not learned from. */
static gboolean
judge_held_out (KeypointNetwork *network, const AssayTape *tape, const KeypointExamples *examples,
                const AssayTapeExamples *held_out, GError **error)
{
  const KeypointDrawing *held = held_out->data;
  const gsize pixels = network->training.side * network->training.side;
  g_autofree float *learned
      = assay_alloc (held_out->n + 3, pixels * sizeof (float), "held-out pictures", error);

  if (learned == NULL || !assay_tape_predict (tape, held_out, learned, error))
    return FALSE;
  for (gsize i = 0; i < held_out->n; i++)
    if (!add_ssim (network, examples, held->pictures[i], learned + i * pixels,
                   learned + held_out->n * pixels, error))
      return FALSE;
  return TRUE;
}

/* The share that does best on held-out photographs by SSIM. */
static void
choose_share (KeypointNetwork *network)
{
  gsize best = 0;

  for (gsize s = 1; s <= SHARES; s++)
    if (network->ssim[s] > network->ssim[best] + MORE)
      best = s;
  network->share = (double) best / SHARES;
}

/* ---- Folds ---- */

static AssayStreamKey
key_of_fold (AssayStreamKey key, gsize fold)
{
  return assay_stream_key ((guint64) key.word[0] << 32 | key.word[1], fold, "keypoint network", "");
}

/* Photographs of a fold: first those that are learned from, then those that are held out. */
static gsize
split (const KeypointExamples *examples, gsize fold, gsize folds, gsize *ret_pictures)
{
  const gsize n = examples->n, first = fold * n / folds, end = (fold + 1) * n / folds;
  gsize seen = 0, held = n - (end - first);

  for (gsize i = 0; i < n; i++)
    ret_pictures[i < first || i >= end ? seen++ : held++] = examples->pictures[i];
  return seen;
}

static gboolean
train_fold (KeypointNetwork *network, const KeypointExamples *examples, gsize fold,
            AssayStreamKey key, GError **error)
{
  const KeypointTraining *training = &network->training;
  const gsize channels = examples->map->features.cols;
  g_autofree gsize *pictures = g_new (gsize, examples->n);
  const gsize n_seen = split (examples, fold, training->folds, pictures);
  KeypointDrawing seen = { examples, training, key, pictures, training->windows };
  KeypointDrawing held = { examples, training, key, pictures + n_seen, 1 };
  const AssayTapeExamples all = { n_seen * training->windows, keypoint_examples_draw, &seen };
  const AssayTapeExamples held_out = { examples->n - n_seen, keypoint_examples_draw, &held };
  const AssayTapeTraining how = { .descent = ASSAY_DESCENT_ADAM,
                                  .epochs = training->epochs,
                                  .batch = BATCH,
                                  .rate = training->rate,
                                  .momentum = 0.9,
                                  .decay = DECAY,
                                  .patience = training->patience,
                                  .held_out = &held_out };
  AssayTapeReport report;
  AssayTape *tape;
  guint last;

  tape = make_tape (training, channels, &last);
  g_ptr_array_add (network->tapes, tape);
  if (!assay_tape_finish (tape, last, ASSAY_TAPE_LOSS_PICTURE, key, error))
    return FALSE;
  begin_with_paint (tape, last, channels + KEYPOINT_PLANES);
  if (!assay_tape_train (tape, &how, &all, key, &report, error))
    return FALSE;
  network->epochs += report.epochs;
  network->best += report.best;
  network->has_diverged |= report.has_diverged;
  return judge_held_out (network, tape, examples, &held_out, error);
}

KeypointNetwork *
keypoint_network_new (const KeypointTraining *training, const KeypointExamples *examples,
                      AssayStreamKey key, GError **error)
{
  g_autoptr (KeypointNetwork) network = g_new0 (KeypointNetwork, 1);
  g_auto (AssayLoop) loop = { "network", .turns = training->folds };

  network->training = *training;
  network->tapes = g_ptr_array_new_with_free_func (free_tape);
  for (gsize fold = 0; fold < training->folds; fold++) {
    assay_loop_at (&loop, fold);
    if (!train_fold (network, examples, fold, key_of_fold (key, fold), error))
      return NULL;
  }
  choose_share (network);
  return g_steal_pointer (&network);
}

/* ---- Painting ---- */

gsize
keypoint_network_side (const KeypointNetwork *network)
{
  return network->training.side;
}

gsize
keypoint_network_paintings (const KeypointNetwork *network)
{
  return network->training.paintings;
}

gboolean
keypoint_network_has_learned (const KeypointNetwork *network)
{
  return network->share > 0;
}

gboolean
keypoint_network_paint_fold (const KeypointNetwork *network, gsize fold,
                             const KeypointWanted *wanted, float *ret_levels, GError **error)
{
  KeypointWhole whole = { wanted, &network->training };
  const AssayTapeExamples examples = { wanted->n, keypoint_examples_draw_whole, &whole };

  return assay_tape_predict (network->tapes->pdata[fold], &examples, ret_levels, error);
}

gboolean
keypoint_network_paint (const KeypointNetwork *network, const KeypointWanted *wanted,
                        float *ret_pictures, GError **error)
{
  const gsize side = network->training.side, pixels = side * side, all = wanted->n * pixels;
  g_autofree float *one = assay_alloc (all, sizeof (float), "pictures", error);

  if (one == NULL)
    return FALSE;
  memset (ret_pictures, 0, all * sizeof (float));
  for (guint fold = 0; fold < network->tapes->len; fold++) {
    if (!keypoint_network_paint_fold (network, fold, wanted, one, error))
      return FALSE;
    for (gsize i = 0; i < all; i++)
      ret_pictures[i] += one[i] / (float) network->tapes->len;
  }
  for (gsize u = 0; u < wanted->n; u++)
    add_share (wanted->painted->of_rank[0]->pdata[wanted->pictures[u]], side, network->share,
               ret_pictures + u * pixels, one);
  return TRUE;
}

void
keypoint_network_tell (const KeypointNetwork *network, const char *descriptors, AssayGuess *guess)
{
  const AssayTape *tape = network->tapes->pdata[0];

  guess->says = g_strdup_printf (
      "descriptors by %s; %u U-Nets of %zu weights after %zu of %zu epochs together%s; SSIM on "
      "photographs that each was not trained on %.4f, of what is painted from patches %.4f; %s",
      descriptors, network->tapes->len, tape->n_parameters, network->best, network->epochs,
      network->has_diverged ? " (then one diverged)" : "",
      network->ssim[(gsize) (network->share * SHARES)], network->ssim[0],
      network->share < 0.001  ? "it has learned nothing, and the patches are the guess"
      : network->share < 0.26 ? "a quarter of what it learned is added to these"
      : network->share < 0.51 ? "half of what it learned is added to these"
      : network->share < 0.76 ? "three quarters of what it learned are added to these"
                              : "what it learned is added to these");
  if (network->has_diverged)
    guess->confidence = 0;
}
