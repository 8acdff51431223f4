/* Forward and back. */
#include "core/network/passage.h"

#include <string.h>

#include "core/base/interrupt.h"
#include "core/network/normalise.h"

static gsize
size_of (const AssayTape *tape, guint layer)
{
  return assay_blocks_size (tape->layers[layer].blocks);
}

void
assay_passage_clear (AssayPassage *passage)
{
  assay_arena_clear (&passage->arena);
}

gboolean
assay_passage_init (AssayPassage *passage, const AssayTape *tape, gboolean has_deltas,
                    GError **error)
{
  AssayArena *arena = &passage->arena;
  const gsize n = tape->images;
  gsize largest = 0;

  passage->tape = tape;
  for (guint l = 0; l < tape->n_layers; l++) {
    const AssayLayer *layer = &tape->layers[l];
    const gsize bytes = size_of (tape, l) * sizeof (float);

    largest = MAX (largest, bytes);
    passage->moments[l] = assay_arena_alloc (arena, n * assay_normalise_moments (layer->blocks),
                                             sizeof (float), "moments of a layer", error);
    if (layer->is_in_place) {
      passage->values[l] = passage->values[layer->from[0]];
      passage->deltas[l] = passage->deltas[layer->from[0]];
      continue;
    }
    passage->values[l] = assay_arena_alloc (arena, n, bytes, "values of a layer", error);
    if (has_deltas && layer->is_back_in_place)
      passage->deltas[l] = passage->deltas[layer->from[0]];
    else if (has_deltas)
      passage->deltas[l] = assay_arena_alloc (arena, n, bytes, "derivatives of a layer", error);
  }
  if (has_deltas)
    passage->spare = assay_arena_alloc (arena, n, largest, "derivatives", error);
  passage->scratch = assay_arena_alloc (arena, tape->scratch, 1, "scratch", error);
  passage->input = assay_arena_alloc (arena, assay_tape_numbers (assay_tape_input (tape)),
                                      sizeof (float), "an example", error);
  assay_passage_init_loss (passage, error);
  return !arena->has_failed;
}

/* ---- Forward ---- */

static void
join_forward (const AssayPassage *passage, const AssayLayer *layer, float *ret_values)
{
  const gsize a = size_of (passage->tape, layer->from[0]);
  const gsize b = size_of (passage->tape, layer->from[1]);

  for (gsize n = 0; n < passage->tape->images; n++, ret_values += a + b) {
    memcpy (ret_values, passage->values[layer->from[0]] + n * a, a * sizeof (float));
    memcpy (ret_values + a, passage->values[layer->from[1]] + n * b, b * sizeof (float));
  }
}

/* Where image @image of what a PART is made of begins: whole blocks lie before it. */
static gsize
part_place (const AssayTape *tape, const AssayLayer *layer, gsize image)
{
  return image * size_of (tape, layer->from[0])
         + layer->begin * layer->shape.height * layer->shape.width;
}

static AssayNormalisation
normalisation_of (const AssayTape *tape, const AssayLayer *layer)
{
  const float *scales = tape->parameters + layer->first;

  return (AssayNormalisation){ layer->blocks, layer->is_rectified, scales,
                               scales + layer->n_weights };
}

static float *
moments_of (const AssayPassage *passage, guint l, gsize image)
{
  return passage->moments[l] + image * assay_normalise_moments (passage->tape->layers[l].blocks);
}

/* Those that go through images one by one. */
static void
image_forward (const AssayPassage *passage, guint l, gsize image)
{
  const AssayTape *tape = passage->tape;
  const AssayLayer *layer = &tape->layers[l];
  const AssayBlocks before = tape->layers[layer->from[0]].blocks;
  const float *x = passage->values[layer->from[0]] + image * assay_blocks_size (before);
  const AssayNormalisation normalisation = normalisation_of (tape, layer);
  float *y = passage->values[l] + image * assay_blocks_size (layer->blocks);

  if (layer->type == ASSAY_LAYER_NORMALISE)
    assay_normalise_forward (&normalisation, x, y, moments_of (passage, l, image));
  else if (layer->type == ASSAY_LAYER_POOL)
    assay_pool_forward (before, x, y);
  else if (layer->type == ASSAY_LAYER_MEAN)
    assay_mean_forward (before, x, y);
  else if (layer->type == ASSAY_LAYER_ENLARGE)
    assay_enlarge_forward (before, x, y);
  else if (layer->type == ASSAY_LAYER_PART)
    memcpy (y, passage->values[layer->from[0]] + part_place (tape, layer, image),
            size_of (tape, l) * sizeof (float));
}

static void
layer_forward (const AssayPassage *passage, guint l)
{
  const AssayTape *tape = passage->tape;
  const AssayLayer *layer = &tape->layers[l];
  const float *x = passage->values[layer->from[0]];
  const float *parameters = tape->parameters + layer->first;
  const gsize numbers = tape->images * size_of (tape, l);
  float *y = passage->values[l];

  if (layer->type == ASSAY_LAYER_CONVOLVE)
    assay_convolution_forward (layer->convolution,
                               (const float *[]){ parameters, parameters + layer->n_weights }, x, y,
                               passage->scratch);
  else if (layer->type == ASSAY_LAYER_RECTIFY && !tape->layers[layer->from[0]].is_rectified)
    assay_rectify_forward (numbers, x, y);
  else if (layer->type == ASSAY_LAYER_JOIN)
    join_forward (passage, layer, y);
  else if (layer->type == ASSAY_LAYER_ADD)
    assay_sum_forward (numbers, layer->is_rectified, x, passage->values[layer->from[1]], y);
  else if (layer->type == ASSAY_LAYER_MULTIPLY)
    assay_multiply (numbers, x, passage->values[layer->from[1]], y);
  else
    for (gsize n = 0; n < tape->images; n++)
      image_forward (passage, l, n);
}

gboolean
assay_passage_forward (AssayPassage *passage, GError **error)
{
  for (guint l = 1; l < passage->tape->n_layers; l++) {
    if (!assay_interrupt_goes_on (error))
      return FALSE;
    layer_forward (passage, l);
  }
  return TRUE;
}

/* ---- Back ---- */

/* Whether there are derivatives of layer @l already, to which others are added; whoever asks sets
 * them if not. */
static gboolean
adds_to (AssayPassage *passage, guint l)
{
  const gboolean has_some = passage->has_deltas[l];

  passage->has_deltas[l] = TRUE;
  return has_some;
}

static void
join_back (AssayPassage *passage, const AssayLayer *layer, const float *deltas)
{
  const gsize sizes[]
      = { size_of (passage->tape, layer->from[0]), size_of (passage->tape, layer->from[1]) };

  for (guint i = 0; i < 2; i++) {
    const gboolean adds = adds_to (passage, layer->from[i]);
    float *before = passage->deltas[layer->from[i]];

    for (gsize n = 0; n < passage->tape->images; n++)
      assay_pass_back (sizes[i], adds, deltas + n * (sizes[0] + sizes[1]) + i * sizes[0],
                       before + n * sizes[i]);
  }
}

static void
normalise_back (AssayPassage *passage, guint l, gboolean adds, float *ret_gradient)
{
  const AssayTape *tape = passage->tape;
  const AssayLayer *layer = &tape->layers[l];
  const AssayNormalisation normalisation = normalisation_of (tape, layer);
  const gsize size = size_of (tape, l);
  float *scales = ret_gradient + layer->first;

  memset (scales, 0, (layer->n_weights + layer->n_biases) * sizeof (float));
  for (gsize n = 0; n < tape->images; n++) {
    const AssayNormalised image
        = { passage->values[layer->from[0]] + n * size, passage->values[l] + n * size,
            moments_of (passage, l, n), passage->deltas[l] + n * size };

    assay_normalise_back (&normalisation, &image, adds, passage->deltas[layer->from[0]] + n * size,
                          (float *[]){ scales, scales + layer->n_weights });
  }
}

static void
image_back (AssayPassage *passage, guint l, gboolean adds, gsize image)
{
  const AssayTape *tape = passage->tape;
  const AssayLayer *layer = &tape->layers[l];
  const AssayBlocks before = tape->layers[layer->from[0]].blocks;
  const gsize in = image * assay_blocks_size (before);
  const gsize out = image * assay_blocks_size (layer->blocks);
  const float *x = passage->values[layer->from[0]] + in, *dy = passage->deltas[l] + out;
  float *dx = passage->deltas[layer->from[0]] + in;

  if (layer->type == ASSAY_LAYER_POOL)
    assay_pool_back (before, adds, (const float *[]){ x, passage->values[l] + out }, dy, dx);
  else if (layer->type == ASSAY_LAYER_MEAN)
    assay_mean_back (before, adds, dy, dx);
  else if (layer->type == ASSAY_LAYER_ENLARGE)
    assay_enlarge_back (before, adds, dy, dx);
  else if (layer->type == ASSAY_LAYER_PART)
    assay_pass_back (size_of (tape, l), TRUE, dy,
                     passage->deltas[layer->from[0]] + part_place (tape, layer, image));
}

/* A convolution writes derivatives, and does not add: by way of the spare room. */
static void
convolution_back (AssayPassage *passage, guint l, gboolean to_input, float *ret_gradient)
{
  const AssayTape *tape = passage->tape;
  const AssayLayer *layer = &tape->layers[l], *from = &tape->layers[layer->from[0]];
  const gboolean is_of_input
      = layer->from[0] == ASSAY_TAPE_INPUT
        || (from->type == ASSAY_LAYER_PART && from->from[0] == ASSAY_TAPE_INPUT && from->uses == 1);
  float *dx = passage->deltas[layer->from[0]];
  float *gradient = ret_gradient + layer->first;
  gboolean adds;

  assay_convolution_to_weights (
      layer->convolution, passage->values[layer->from[0]], passage->deltas[l],
      (float *[]){ gradient, gradient + layer->n_weights }, passage->scratch);
  if (is_of_input && !to_input)
    return;
  adds = adds_to (passage, layer->from[0]);
  assay_convolution_to_inputs (layer->convolution, tape->turned + layer->first, passage->deltas[l],
                               adds ? passage->spare : dx, passage->scratch);
  if (adds)
    assay_pass_back (tape->images * assay_blocks_size (from->blocks), TRUE, passage->spare, dx);
}

/* Of layers that are made of two, from derivatives that a ReLU has let through. */
static void
pair_back (AssayPassage *passage, guint l)
{
  const AssayLayer *layer = &passage->tape->layers[l];
  const gsize numbers = passage->tape->images * size_of (passage->tape, l);
  const float *deltas = passage->deltas[l];

  for (guint i = 0; i < 2; i++) {
    const guint from = layer->from[i];
    const gboolean adds = adds_to (passage, from);

    if (layer->type == ASSAY_LAYER_ADD)
      assay_pass_back (numbers, adds, deltas, passage->deltas[from]);
    else
      assay_multiply_back (numbers, adds, passage->values[layer->from[1 - i]], deltas,
                           passage->deltas[from]);
  }
}

/* What is in place has the derivatives of what it is made of. */
static void
rectify_back (AssayPassage *passage, guint l)
{
  const AssayTape *tape = passage->tape;
  const AssayLayer *layer = &tape->layers[l];
  const gsize numbers = tape->images * size_of (tape, l);
  const gboolean adds = adds_to (passage, layer->from[0]);

  /* A normalisation sees to it itself. */
  if (tape->layers[layer->from[0]].type != ASSAY_LAYER_NORMALISE || !layer->is_in_place)
    assay_rectify_back (numbers, passage->values[l], passage->deltas[l]);
  if (!layer->is_in_place)
    assay_pass_back (numbers, adds, passage->deltas[l], passage->deltas[layer->from[0]]);
}

static void
layer_back (AssayPassage *passage, guint l, gboolean to_input, float *ret_gradient)
{
  const AssayTape *tape = passage->tape;
  const AssayLayer *layer = &tape->layers[l];
  gboolean adds;

  if (layer->type == ASSAY_LAYER_CONVOLVE)
    convolution_back (passage, l, to_input, ret_gradient);
  else if (layer->type == ASSAY_LAYER_RECTIFY)
    rectify_back (passage, l);
  else if (layer->type == ASSAY_LAYER_JOIN)
    join_back (passage, layer, passage->deltas[l]);
  else if (layer->type == ASSAY_LAYER_ADD || layer->type == ASSAY_LAYER_MULTIPLY)
    pair_back (passage, l);
  else {
    adds = adds_to (passage, layer->from[0]);
    /* A part leaves the rest as it is. */
    if (layer->type == ASSAY_LAYER_PART && !adds)
      memset (passage->deltas[layer->from[0]], 0,
              tape->images * size_of (tape, layer->from[0]) * sizeof (float));
    if (layer->type == ASSAY_LAYER_NORMALISE)
      normalise_back (passage, l, adds, ret_gradient);
    for (gsize n = 0; n < tape->images && layer->type != ASSAY_LAYER_NORMALISE; n++)
      image_back (passage, l, adds, n);
  }
}

gboolean
assay_passage_back (AssayPassage *passage, gboolean to_input, float *ret_gradient, GError **error)
{
  const AssayTape *tape = passage->tape;

  memset (passage->has_deltas, 0, sizeof passage->has_deltas);
  passage->has_deltas[tape->last] = TRUE;
  for (guint l = tape->last; l > 0; l--) {
    if (!assay_interrupt_goes_on (error))
      return FALSE;
    /* The loss does not depend on what has none. */
    if (passage->has_deltas[l])
      layer_back (passage, l, to_input, ret_gradient);
  }
  return TRUE;
}
