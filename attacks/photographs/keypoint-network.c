/* A U-Net from pictures of keypoints to photographs. It is given what is painted from patches, too,
 * and learns what is to be added to that.
 *
 * Each epoch sees `windows` parts of each photograph: half to the whole of its sides, at a place
 * drawn anew, so that a network does not learn the few photographs by heart. Held-out photographs
 * are seen whole, as those of the secrets are. Levels are 0 to 1; the loss is the mean absolute
 * error. How much of what was learned is added, is chosen on the held-out photographs by SSIM. */
#include "attacks/photographs/keypoint-network.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/math/image-quality.h"
#include "core/network/train.h"
#include "core/network/u-net.h"

#define WHITE 255.0F
#define BATCH 8
#define DECAY 1e-4
/* Shares of what was learned that may be added to what is painted. */
#define SHARES 4
#define MORE 1e-3 /* SSIM for which more of it is added */
/* Items of windows are above those of weights and orders. */
#define FIRST_WINDOW ((guint64) 1 << 40)
#define EPOCH_WINDOWS ((guint64) 1 << 26)

struct _KeypointNetwork {
  AssayTape *tape;
  gsize side;
  AssayTapeReport report;
  double share;            /* of what was learned that is added */
  double ssim[SHARES + 1]; /* mean on held-out photographs, with i / SHARES of it */
};

ASSAY_FREE_FUNC (KeypointNetwork, keypoint_network_free, assay_tape_free (self->tape))

/* ---- The network ---- */

static AssayTape *
make_tape (const KeypointTraining *training, gsize channels, guint *ret_last)
{
  const AssayUNet u_net = { training->width, training->levels };
  AssayTape *tape = assay_tape_new (
      (AssayTapeShape){ channels + KEYPOINT_PLANES + 1, training->side, training->side });
  const guint top = assay_tape_u_net (tape, ASSAY_TAPE_INPUT, &u_net);

  *ret_last = assay_tape_convolve (tape, top, 1, 1, 1);
  return tape;
}

/* Training begins with what is painted: the last layer adds nothing. */
static void
silence (AssayTape *tape, guint last)
{
  const AssayLayer *layer = &tape->layers[last];

  memset (tape->parameters + layer->first, 0, layer->n_weights * sizeof (float));
  assay_tape_turn (tape);
}

AssayTapeSize
keypoint_network_size (const KeypointTraining *training, gsize channels)
{
  guint last;
  g_autoptr (AssayTape) tape = make_tape (training, channels, &last);

  return assay_tape_planned_size (tape, last, BATCH);
}

/* ---- Examples ---- */

typedef struct {
  const KeypointExamples *examples;
  AssayStreamKey key;
  gsize side, windows;
  gsize first; /* among the photographs */
} Drawing;

static AssayPhotoWindow
draw_window (const Drawing *drawing, const AssayPhoto *photo, gsize index, gsize epoch)
{
  AssayPhotoWindow window = assay_photo_whole (photo->width, photo->height);

  if (epoch != ASSAY_EPOCH_NONE) {
    AssayStream stream = assay_stream (drawing->key, FIRST_WINDOW + epoch * EPOCH_WINDOWS + index);
    const double share = assay_stream_between (&stream, 0.5, 1);

    window.width *= share;
    window.height *= share;
    window.left = assay_stream_uniform (&stream) * ((double) photo->width - window.width);
    window.top = assay_stream_uniform (&stream) * ((double) photo->height - window.height);
  }
  return window;
}

/* The planes of the keypoints, and that of what is painted, 0 to 1. */
static void
fill_input (const KeypointMap *map, gsize picture, const AssayPhoto *painted,
            const AssayPhotoWindow *window, gsize side, float *ret_input)
{
  float *plane = ret_input + (map->features.cols + KEYPOINT_PLANES) * side * side;

  keypoint_map_fill (map, picture, window, side, ret_input);
  assay_photo_reduce (painted, window, side, plane);
  for (gsize i = 0; i < side * side; i++)
    plane[i] /= WHITE;
}

static void
draw (gpointer data, gsize index, gsize epoch, float *ret_input, float *ret_target)
{
  const Drawing *drawing = data;
  const gsize picture = drawing->examples->pictures[drawing->first + index / drawing->windows];
  const AssayPhoto *photo = drawing->examples->photos[picture];
  const AssayPhotoWindow window = draw_window (drawing, photo, index, epoch);
  const float *painted;

  fill_input (drawing->examples->map, picture, drawing->examples->painted[picture], &window,
              drawing->side, ret_input);
  if (ret_target == NULL)
    return;
  painted
      = ret_input
        + (drawing->examples->map->features.cols + KEYPOINT_PLANES) * drawing->side * drawing->side;
  assay_photo_reduce (photo, &window, drawing->side, ret_target);
  for (gsize i = 0; i < drawing->side * drawing->side; i++)
    ret_target[i] = ret_target[i] / WHITE - painted[i];
}

/* ---- How much of it is added ---- */

/* Levels of 0 to 255: what is painted, and @share of what was learned, which @inout_picture has. */
static void
add_share (const AssayPhoto *painted, gsize side, double share, float *inout_picture, float *base)
{
  const AssayPhotoWindow whole = assay_photo_whole (painted->width, painted->height);

  assay_photo_reduce (painted, &whole, side, base);
  for (gsize i = 0; i < side * side; i++)
    inout_picture[i] = CLAMP (base[i] + (float) share * WHITE * inout_picture[i], 0, WHITE);
}

/* Of held-out photograph @index, of which @learned was learned: SSIM with each share. */
static gboolean
add_ssim (KeypointNetwork *network, const KeypointExamples *examples, gsize index,
          const float *learned, float *spare, GError **error)
{
  const gsize side = network->side, pixels = side * side;
  const gsize picture = examples->pictures[examples->n - examples->n_held + index];
  const AssayPhoto *photo = examples->photos[picture];
  const AssayPhotoWindow whole = assay_photo_whole (photo->width, photo->height);
  const AssaySsim ssim = { { side, side, 1 }, (double) WHITE };

  assay_photo_reduce (photo, &whole, side, spare);
  for (gsize s = 0; s <= SHARES; s++) {
    double value;

    memcpy (spare + pixels, learned, pixels * sizeof (float));
    add_share (examples->painted[picture], side, (double) s / SHARES, spare + pixels,
               spare + 2 * pixels);
    if (!assay_image_ssim (&ssim, spare, spare + pixels, &value, error))
      return FALSE;
    network->ssim[s] += value / (double) examples->n_held;
  }
  return TRUE;
}

/* The share that does best on held-out photographs by SSIM: the least of absolute errors is smooth
 * where it is unsure, and a smooth picture is less like a photograph. */
static gboolean
choose_share (KeypointNetwork *network, const KeypointExamples *examples,
              const AssayTapeExamples *held_out, GError **error)
{
  const gsize pixels = network->side * network->side;
  g_autofree float *learned
      = assay_alloc (held_out->n * pixels, sizeof (float), "held-out pictures", error);
  g_autofree float *spare
      = learned != NULL ? assay_alloc (3 * pixels, sizeof (float), "pictures", error) : NULL;
  gsize best = 0;

  if (spare == NULL || !assay_tape_predict (network->tape, held_out, learned, error))
    return FALSE;
  for (gsize i = 0; i < held_out->n; i++)
    if (!add_ssim (network, examples, i, learned + i * pixels, spare, error))
      return FALSE;
  for (gsize s = 1; s <= SHARES; s++)
    if (network->ssim[s] > network->ssim[best] + MORE)
      best = s;
  network->share = (double) best / SHARES;
  return TRUE;
}

KeypointNetwork *
keypoint_network_new (const KeypointTraining *training, const KeypointExamples *examples,
                      AssayStreamKey key, GError **error)
{
  const gsize kept = examples->n - examples->n_held;
  Drawing seen = { examples, key, training->side, training->windows, 0 };
  Drawing held = { examples, key, training->side, 1, kept };
  const AssayTapeExamples all = { kept * training->windows, draw, &seen };
  const AssayTapeExamples held_out = { examples->n_held, draw, &held };
  const AssayTapeTraining how = { .descent = ASSAY_DESCENT_ADAM,
                                  .epochs = training->epochs,
                                  .batch = BATCH,
                                  .rate = training->rate,
                                  .momentum = 0.9,
                                  .decay = DECAY,
                                  .patience = training->patience,
                                  .held_out = &held_out };
  g_autoptr (KeypointNetwork) network = g_new0 (KeypointNetwork, 1);
  guint last;

  network->side = training->side;
  network->tape = make_tape (training, examples->map->features.cols, &last);
  if (!assay_tape_finish (network->tape, last, ASSAY_TAPE_LOSS_ABSOLUTE, key, error))
    return NULL;
  silence (network->tape, last);
  if (!assay_tape_train (network->tape, &how, &all, key, &network->report, error)
      || !choose_share (network, examples, &held_out, error))
    return NULL;
  return g_steal_pointer (&network);
}

/* ---- Painting ---- */

typedef struct {
  const KeypointWanted *wanted;
  gsize side;
} Painting;

static void
draw_whole (gpointer data, gsize index, G_GNUC_UNUSED gsize epoch, float *ret_input,
            G_GNUC_UNUSED float *ret_target)
{
  const Painting *painting = data;
  const gsize picture = painting->wanted->pictures[index];
  const AssayPhoto *painted = painting->wanted->painted[picture];
  const AssayPhotoWindow whole = assay_photo_whole (painted->width, painted->height);

  fill_input (painting->wanted->map, picture, painted, &whole, painting->side, ret_input);
}

gsize
keypoint_network_side (const KeypointNetwork *network)
{
  return network->side;
}

gboolean
keypoint_network_has_learned (const KeypointNetwork *network)
{
  return network->share > 0;
}

gboolean
keypoint_network_paint (const KeypointNetwork *network, const KeypointWanted *wanted,
                        float *ret_pictures, GError **error)
{
  Painting painting = { wanted, network->side };
  const AssayTapeExamples examples = { wanted->n, draw_whole, &painting };
  const gsize pixels = network->side * network->side;
  g_autofree float *base = assay_alloc (pixels, sizeof (float), "picture", error);

  if (base == NULL || !assay_tape_predict (network->tape, &examples, ret_pictures, error))
    return FALSE;
  for (gsize u = 0; u < wanted->n; u++)
    add_share (wanted->painted[wanted->pictures[u]], network->side, network->share,
               ret_pictures + u * pixels, base);
  return TRUE;
}

char *
keypoint_network_describe (const KeypointNetwork *network)
{
  const AssayTapeReport *report = &network->report;

  return g_strdup_printf (
      "a U-Net of %zu weights after %zu of %zu epochs%s; SSIM on held-out photographs %.4f, of "
      "what is painted from patches %.4f; %s",
      network->tape->n_parameters, report->best, report->epochs,
      report->has_diverged ? " (then it diverged)" : "",
      network->ssim[(gsize) (network->share * SHARES)], network->ssim[0],
      network->share < 0.001  ? "it has learned nothing, and the patches are the guess"
      : network->share < 0.26 ? "a quarter of what it learned is added to these"
      : network->share < 0.51 ? "half of what it learned is added to these"
      : network->share < 0.76 ? "three quarters of what it learned are added to these"
                              : "what it learned is added to these");
}
