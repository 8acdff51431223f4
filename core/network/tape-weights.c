/* Weights in an order that does not depend on the processor. */
#include "core/network/tape-weights.h"

/* Places of a convolution's kernel; of a dense layer all pixels before it. */
static gsize
area_of (const AssayTape *tape, const AssayLayer *layer)
{
  const AssayTapeShape *before = &tape->layers[layer->from[0]].shape;

  return layer->kernel > 0 ? layer->kernel * layer->kernel : before->height * before->width;
}

static gsize
channels_before (const AssayTape *tape, const AssayLayer *layer)
{
  return tape->layers[layer->from[0]].shape.channels;
}

gsize
assay_tape_count_weights (const AssayTape *tape)
{
  gsize n = 0;

  for (guint l = 0; l < tape->n_layers; l++) {
    const AssayLayer *layer = &tape->layers[l];
    const gsize out = layer->shape.channels;

    if (layer->type == ASSAY_LAYER_CONVOLVE)
      n += out * (channels_before (tape, layer) * area_of (tape, layer) + 1);
    else if (layer->type == ASSAY_LAYER_NORMALISE)
      n += 2 * out;
  }
  return n;
}

/* Calls @visit for each weight of layer @l in order, with where it lies among the parameters. */
static void
walk (const AssayTape *tape, guint l, void (*visit) (gpointer data, gsize at), gpointer data)
{
  const AssayLayer *layer = &tape->layers[l];
  const gsize out = layer->shape.channels;

  if (layer->type == ASSAY_LAYER_CONVOLVE) {
    const AssayConvolutionShape shape = assay_tape_convolution (tape, l);
    const gsize in = channels_before (tape, layer), area = area_of (tape, layer);

    for (gsize o = 0; o < out; o++)
      for (gsize i = 0; i < in; i++)
        for (gsize place = 0; place < area; place++)
          visit (data, layer->first + assay_convolution_place (&shape, o, i, place));
  } else {
    for (gsize o = 0; o < out && layer->n_weights > 0; o++)
      visit (data, layer->first + o);
  }
  for (gsize o = 0; o < out && layer->n_biases > 0; o++)
    visit (data, layer->first + layer->n_weights + o);
}

typedef struct {
  const float *parameters;
  float *weights;
} Getting;

static void
get_one (gpointer data, gsize at)
{
  Getting *getting = data;

  *getting->weights++ = getting->parameters[at];
}

void
assay_tape_get_weights (const AssayTape *tape, const float *parameters, float *ret_weights)
{
  Getting getting = { parameters, ret_weights };

  for (guint l = 0; l < tape->n_layers; l++)
    walk (tape, l, get_one, &getting);
}

typedef struct {
  const float *weights;
  float *parameters;
} Setting;

static void
set_one (gpointer data, gsize at)
{
  Setting *setting = data;

  setting->parameters[at] = *setting->weights++;
}

void
assay_tape_set_weights (AssayTape *tape, const float *weights)
{
  Setting setting = { weights, tape->parameters };

  for (guint l = 0; l < tape->n_layers; l++)
    walk (tape, l, set_one, &setting);
  assay_tape_turn (tape);
}
