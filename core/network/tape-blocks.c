/* How many channels a block of a tape has, and what its layers then hold.
 *
 * Where oneDNN may use AVX-512, its kernels for blocks of 16 channels take 1.5 to 2 times less than
 * those for blocks of 8, which are AVX2's. But numbers of channels are filled up to whole blocks: a
 * network of 8 channels would do four times the work. So a tape has blocks of 16 if that costs it
 * less than half as many products more, and if no layer begins or ends within a block, so that
 * channels stay where they are counted. */
#include "core/base/parallel.h"
#include "core/network/tape.h"

#define MOST_FILLED 1.5

static gsize
filled (gsize channels, gsize lanes)
{
  return assay_pieces (channels, lanes) * lanes;
}

static gsize
area_of (const AssayTape *tape, const AssayLayer *layer)
{
  const AssayTapeShape *before = &tape->layers[layer->from[0]].shape;

  return layer->kernel > 0 ? layer->kernel * layer->kernel : before->height * before->width;
}

/* Of all convolutions, for one image. */
static double
count_products (const AssayTape *tape, gsize lanes)
{
  double products = 0;

  for (guint l = 0; l < tape->n_layers; l++) {
    const AssayLayer *layer = &tape->layers[l];
    const AssayTapeShape *before = &tape->layers[layer->from[0]].shape;

    if (layer->type == ASSAY_LAYER_CONVOLVE)
      products += (double) filled (before->channels, lanes)
                  * (double) filled (layer->shape.channels, lanes)
                  * (double) (area_of (tape, layer) * layer->shape.height * layer->shape.width);
  }
  return products;
}

static gboolean
cuts_blocks (const AssayTape *tape, gsize lanes)
{
  for (guint l = 0; l < tape->n_layers; l++) {
    const AssayLayer *layer = &tape->layers[l];

    if (layer->type == ASSAY_LAYER_JOIN && tape->layers[layer->from[0]].shape.channels % lanes != 0)
      return TRUE;
    if (layer->type == ASSAY_LAYER_PART && (layer->begin | layer->shape.channels) % lanes != 0)
      return TRUE;
  }
  return FALSE;
}

static gsize
choose_lanes (const AssayTape *tape)
{
  const gsize few = ASSAY_CHANNEL_BLOCK, most = tape->most_lanes;

  return !cuts_blocks (tape, most)
                 && count_products (tape, most) < MOST_FILLED * count_products (tape, few)
             ? most
             : few;
}

void
assay_tape_lay_out (AssayTape *tape)
{
  const gsize lanes = choose_lanes (tape);

  tape->lanes = lanes;
  for (guint l = 0; l < tape->n_layers; l++) {
    AssayLayer *layer = &tape->layers[l];
    const AssayTapeShape *before = &tape->layers[layer->from[0]].shape;
    const gsize channels = filled (layer->shape.channels, lanes);

    layer->blocks
        = (AssayBlocks){ channels / lanes, lanes, layer->shape.height, layer->shape.width };
    if (layer->type == ASSAY_LAYER_CONVOLVE)
      layer->n_weights = filled (before->channels, lanes) * channels * area_of (tape, layer);
    else if (layer->type == ASSAY_LAYER_NORMALISE)
      layer->n_weights = channels;
    layer->n_biases = layer->n_weights > 0 ? channels : 0;
  }
}

/* ---- What is in place ---- */

/* A ReLU overwrites what nobody else wants to see. */
static gboolean
can_be_in_place (const AssayTape *tape, const AssayLayer *layer)
{
  const AssayLayer *from = &tape->layers[layer->from[0]];

  return layer->type == ASSAY_LAYER_RECTIFY && from->uses == 1
         && (from->type == ASSAY_LAYER_CONVOLVE || from->type == ASSAY_LAYER_NORMALISE
             || from->type == ASSAY_LAYER_ADD);
}

/* Derivatives go where those of the convolution before it go. */
static gboolean
can_be_back_in_place (const AssayTape *tape, const AssayLayer *layer)
{
  const AssayLayer *from = &tape->layers[layer->from[0]];

  return layer->type == ASSAY_LAYER_NORMALISE && from->type == ASSAY_LAYER_CONVOLVE
         && from->uses == 1;
}

void
assay_tape_share_room (AssayTape *tape)
{
  for (guint l = 0; l < tape->n_layers; l++) {
    AssayLayer *layer = &tape->layers[l], *from = &tape->layers[layer->from[0]];

    layer->is_in_place = can_be_in_place (tape, layer);
    layer->is_back_in_place = can_be_back_in_place (tape, layer);
    if (layer->is_in_place && from->type != ASSAY_LAYER_CONVOLVE)
      from->is_rectified = TRUE;
  }
}
