/* Forward and back. */
#include "core/network/passage.h"

#include <math.h>
#include <string.h>

#include "core/base/interrupt.h"
#include "core/network/ssim-slopes.h"

#define N ASSAY_TAPE_SHARD
#define SIMILAR 0.84 /* of SSIM in the loss of pictures */

static gsize
size_of (const AssayTape *tape, guint layer)
{
  return assay_blocks_size (tape->layers[layer].blocks);
}

/* Of what a loss of pictures compares. */
static AssaySsimSlopes
ssim_of (const AssayTape *tape)
{
  const AssayTapeShape shape = assay_tape_output (tape);

  return (AssaySsimSlopes){ shape.height, shape.width, 1 };
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
  gsize largest = 0;

  passage->tape = tape;
  for (guint l = 0; l < tape->n_layers; l++) {
    const AssayLayer *layer = &tape->layers[l];
    const gsize bytes = size_of (tape, l) * sizeof (float);

    largest = MAX (largest, bytes);
    passage->moments[l] = assay_arena_alloc (arena, N * 2 * layer->blocks.blocks, sizeof (float),
                                             "moments of a layer", error);
    if (layer->is_in_place) {
      passage->values[l] = passage->values[layer->from[0]];
      passage->deltas[l] = passage->deltas[layer->from[0]];
      continue;
    }
    passage->values[l] = assay_arena_alloc (arena, N, bytes, "values of a layer", error);
    if (has_deltas)
      passage->deltas[l] = assay_arena_alloc (arena, N, bytes, "derivatives of a layer", error);
  }
  if (has_deltas)
    passage->spare = assay_arena_alloc (arena, N, largest, "derivatives", error);
  passage->scratch = assay_arena_alloc (arena, tape->scratch, 1, "scratch", error);
  passage->input = assay_arena_alloc (arena, assay_tape_numbers (assay_tape_input (tape)),
                                      sizeof (float), "an example", error);
  if (tape->loss == ASSAY_TAPE_LOSS_PICTURE) {
    const AssaySsimSlopes of = ssim_of (tape);
    const gsize pixels = of.height * of.width;

    passage->picture = assay_arena_alloc (arena, 2 * pixels, sizeof (float), "a picture", error);
    passage->similar = assay_arena_alloc (arena, assay_ssim_slopes_scratch (&of), sizeof (double),
                                          "windows of a picture", error);
  }
  passage->targets = assay_arena_alloc (arena, N * assay_tape_numbers (assay_tape_output (tape)),
                                        sizeof (float), "targets", error);
  return !arena->has_failed;
}

/* ---- Forward ---- */

static void
join_forward (const AssayPassage *passage, const AssayLayer *layer, float *ret_values)
{
  const gsize a = size_of (passage->tape, layer->from[0]);
  const gsize b = size_of (passage->tape, layer->from[1]);

  for (gsize n = 0; n < N; n++, ret_values += a + b) {
    memcpy (ret_values, passage->values[layer->from[0]] + n * a, a * sizeof (float));
    memcpy (ret_values + a, passage->values[layer->from[1]] + n * b, b * sizeof (float));
  }
}

/* Where image @image of the blocks that a PART is made of begins. */
static gsize
part_place (const AssayTape *tape, const AssayLayer *layer, gsize image)
{
  return image * size_of (tape, layer->from[0])
         + layer->begin * layer->shape.height * layer->shape.width * ASSAY_CHANNEL_BLOCK;
}

/* Those that go through images one by one. */
static void
image_forward (const AssayPassage *passage, guint l, gsize image)
{
  const AssayTape *tape = passage->tape;
  const AssayLayer *layer = &tape->layers[l];
  const AssayBlocks before = tape->layers[layer->from[0]].blocks;
  const float *x = passage->values[layer->from[0]] + image * assay_blocks_size (before);
  const float *parameters = tape->parameters + layer->first;
  float *y = passage->values[l] + image * assay_blocks_size (layer->blocks);

  if (layer->type == ASSAY_LAYER_NORMALISE)
    assay_normalise_forward (before, (const float *[]){ parameters, parameters + layer->n_weights },
                             x, y, passage->moments[l] + image * 2 * before.blocks);
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
  const gsize numbers = N * size_of (tape, l);
  float *y = passage->values[l];

  if (layer->type == ASSAY_LAYER_CONVOLVE)
    assay_convolution_forward (layer->convolution,
                               (const float *[]){ parameters, parameters + layer->n_weights }, x, y,
                               passage->scratch);
  else if (layer->type == ASSAY_LAYER_RECTIFY)
    assay_rectify_forward (numbers, x, y);
  else if (layer->type == ASSAY_LAYER_JOIN)
    join_forward (passage, layer, y);
  else if (layer->type == ASSAY_LAYER_ADD) {
    memcpy (y, x, numbers * sizeof (float));
    assay_add (numbers, passage->values[layer->from[1]], y);
  } else if (layer->type == ASSAY_LAYER_MULTIPLY)
    assay_multiply (numbers, x, passage->values[layer->from[1]], y);
  else
    for (gsize n = 0; n < N; n++)
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

/* ---- The loss ---- */

static void
softmax (gsize n, const float *z, float *ret_p)
{
  double sum = 0;
  float largest = z[0];

  for (gsize c = 1; c < n; c++)
    largest = MAX (largest, z[c]);
  for (gsize c = 0; c < n; c++)
    sum += exp ((double) (z[c] - largest));
  for (gsize c = 0; c < n; c++)
    ret_p[c] = (float) (exp ((double) (z[c] - largest)) / sum);
}

static double
sigmoid (float z)
{
  return 1 / (1 + exp (-(double) z));
}

/* One pixel, whose channels are as they are: blocks do not matter. */
static double
compare_shares (gsize n, const float *z, const float *target, double divisor, float *ret_delta)
{
  double sum = 0, loss = 0;

  softmax (n, z, ret_delta);
  for (gsize c = 0; c < n; c++)
    sum += (double) target[c];
  for (gsize c = 0; c < n; c++) {
    const double p = (double) ret_delta[c], y = (double) target[c];

    loss -= y > 0 ? y * log (MAX (p, 1e-30)) : 0;
    ret_delta[c] = (float) ((sum * p - y) / divisor);
  }
  return loss / divisor;
}

/* One picture, whose channel is the first of its block. */
static double
compare_picture (const AssayPassage *passage, const float *z, const float *target, double divisor,
                 float *ret_delta)
{
  const AssaySsimSlopes of = ssim_of (passage->tape);
  const gsize pixels = of.height * of.width;
  float *picture = passage->picture, *slopes = picture + pixels;
  double absolute = 0, similar;

  for (gsize i = 0; i < pixels; i++)
    picture[i] = z[8 * i];
  similar = assay_ssim_slopes (&of, picture, target, passage->similar, slopes);
  for (gsize i = 0; i < pixels; i++) {
    const double difference = (double) picture[i] - (double) target[i];
    const double sign = difference > 0 ? 1 : difference < 0 ? -1 : 0;

    absolute += fabs (difference);
    ret_delta[8 * i]
        = (float) (((1 - SIMILAR) * sign / (double) pixels - SIMILAR * (double) slopes[i])
                   / divisor);
  }
  return (SIMILAR * (1 - similar) + (1 - SIMILAR) * absolute / (double) pixels) / divisor;
}

/* The loss of one number; sets its derivative. */
static double
compare_number (AssayTapeLoss loss, double z, double y, double *ret_derivative)
{
  const double difference = z - y;

  switch (loss) {
  case ASSAY_TAPE_LOSS_GIVEN:
    *ret_derivative = y;
    return z * y;
  case ASSAY_TAPE_LOSS_ABSOLUTE:
    *ret_derivative = difference > 0 ? 1 : difference < 0 ? -1 : 0;
    return fabs (difference);
  case ASSAY_TAPE_LOSS_LOGISTIC:
    *ret_derivative = sigmoid ((float) z) - y;
    return MAX (z, 0) + log1p (exp (-fabs (z))) - y * z;
  case ASSAY_TAPE_LOSS_SQUARES:
  case ASSAY_TAPE_LOSS_SHARES:
  case ASSAY_TAPE_LOSS_PICTURE:
  default:
    *ret_derivative = difference;
    return difference * difference / 2;
  }
}

double
assay_passage_compare (AssayPassage *passage, gsize image, const float *target, double divisor)
{
  const AssayTape *tape = passage->tape;
  const AssayTapeShape shape = assay_tape_output (tape);
  const gsize size = size_of (tape, tape->last), pixels = shape.height * shape.width;
  const float *z = passage->values[tape->last] + image * size;
  float *delta = passage->deltas[tape->last] + image * size;
  const double all
      = divisor * (tape->loss == ASSAY_TAPE_LOSS_GIVEN ? 1 : (double) assay_tape_numbers (shape));
  double sum = 0, derivative;

  memset (delta, 0, size * sizeof (float));
  if (tape->loss == ASSAY_TAPE_LOSS_SHARES)
    return compare_shares (shape.channels, z, target, divisor, delta);
  if (tape->loss == ASSAY_TAPE_LOSS_PICTURE)
    return compare_picture (passage, z, target, divisor, delta);
  for (gsize c = 0; c < shape.channels; c++)
    for (gsize i = 0; i < pixels; i++) {
      const gsize at = (c / 8 * pixels + i) * 8 + c % 8;

      sum += compare_number (tape->loss, (double) z[at], (double) target[c * pixels + i],
                             &derivative);
      delta[at] = (float) (derivative / all);
    }
  return sum / all;
}

void
assay_passage_skip (AssayPassage *passage, gsize image)
{
  const gsize size = size_of (passage->tape, passage->tape->last);

  memset (passage->deltas[passage->tape->last] + image * size, 0, size * sizeof (float));
}

void
assay_passage_output (const AssayPassage *passage, gsize image, float *ret_planes)
{
  const AssayTape *tape = passage->tape;
  const AssayTapeShape shape = assay_tape_output (tape);
  const float *z = passage->values[tape->last] + image * size_of (tape, tape->last);

  assay_blocks_to_planes (tape->layers[tape->last].blocks, shape.channels, z, ret_planes);
  if (tape->loss == ASSAY_TAPE_LOSS_SHARES)
    softmax (shape.channels, z, ret_planes);
  for (gsize i = 0; tape->loss == ASSAY_TAPE_LOSS_LOGISTIC && i < assay_tape_numbers (shape); i++)
    ret_planes[i] = (float) sigmoid (ret_planes[i]);
}

/* ---- Back ---- */

static void
join_back (const AssayPassage *passage, const AssayLayer *layer, const float *deltas)
{
  for (gsize n = 0; n < N; n++)
    for (guint i = 0; i < 2; i++) {
      const gsize size = size_of (passage->tape, layer->from[i]);

      assay_add (size, deltas, passage->deltas[layer->from[i]] + n * size);
      deltas += size;
    }
}

static void
image_back (const AssayPassage *passage, guint l, gsize image, float *ret_gradient)
{
  const AssayTape *tape = passage->tape;
  const AssayLayer *layer = &tape->layers[l];
  const AssayBlocks before = tape->layers[layer->from[0]].blocks;
  const gsize in = image * assay_blocks_size (before);
  const gsize out = image * assay_blocks_size (layer->blocks);
  const float *x = passage->values[layer->from[0]] + in, *dy = passage->deltas[l] + out;
  float *dx = passage->deltas[layer->from[0]] + in;

  if (layer->type == ASSAY_LAYER_NORMALISE)
    assay_normalise_back (before, tape->parameters + layer->first, x, dy,
                          passage->moments[l] + image * 2 * before.blocks,
                          (float *[]){ dx, ret_gradient + layer->first,
                                       ret_gradient + layer->first + layer->n_weights });
  else if (layer->type == ASSAY_LAYER_POOL)
    assay_pool_back (before, x, dy, dx);
  else if (layer->type == ASSAY_LAYER_MEAN)
    assay_mean_back (before, dy, dx);
  else if (layer->type == ASSAY_LAYER_ENLARGE)
    assay_enlarge_back (before, dy, dx);
  else if (layer->type == ASSAY_LAYER_PART)
    assay_add (size_of (tape, l), dy,
               passage->deltas[layer->from[0]] + part_place (tape, layer, image));
}

/* A convolution writes derivatives, and does not add: where others use its input too, by way of
 * the spare room. */
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

  assay_convolution_to_weights (
      layer->convolution, passage->values[layer->from[0]], passage->deltas[l],
      (float *[]){ gradient, gradient + layer->n_weights }, passage->scratch);
  if (is_of_input && !to_input)
    return;
  assay_convolution_to_inputs (layer->convolution, tape->turned + layer->first, passage->deltas[l],
                               from->uses == 1 ? dx : passage->spare, passage->scratch);
  if (from->uses > 1)
    assay_add (N * assay_blocks_size (from->blocks), passage->spare, dx);
}

static void
layer_back (AssayPassage *passage, guint l, gboolean to_input, float *ret_gradient)
{
  const AssayLayer *layer = &passage->tape->layers[l];
  const gsize numbers = N * size_of (passage->tape, l);
  const float *deltas = passage->deltas[l], *values = passage->values[l];
  float *before = passage->deltas[layer->from[0]];

  if (layer->type == ASSAY_LAYER_CONVOLVE)
    convolution_back (passage, l, to_input, ret_gradient);
  else if (layer->type == ASSAY_LAYER_RECTIFY)
    assay_rectify_back (numbers, values, deltas, before);
  else if (layer->type == ASSAY_LAYER_JOIN)
    join_back (passage, layer, deltas);
  else if (layer->type == ASSAY_LAYER_ADD) {
    assay_add (numbers, deltas, before);
    assay_add (numbers, deltas, passage->deltas[layer->from[1]]);
  } else if (layer->type == ASSAY_LAYER_MULTIPLY) {
    assay_multiply_back (numbers, passage->values[layer->from[1]], deltas, before);
    assay_multiply_back (numbers, passage->values[layer->from[0]], deltas,
                         passage->deltas[layer->from[1]]);
  } else
    for (gsize n = 0; n < N; n++)
      image_back (passage, l, n, ret_gradient);
}

gboolean
assay_passage_back (AssayPassage *passage, gboolean to_input, float *ret_gradient, GError **error)
{
  const AssayTape *tape = passage->tape;

  memset (ret_gradient, 0, tape->n_parameters * sizeof (float));
  /* What is in place has the derivatives of what it is made of. */
  for (guint l = 0; l < tape->last; l++)
    if (!tape->layers[l].is_in_place && passage->deltas[l] != passage->deltas[tape->last])
      memset (passage->deltas[l], 0, N * size_of (tape, l) * sizeof (float));
  for (guint l = tape->last; l > 0; l--) {
    if (!assay_interrupt_goes_on (error))
      return FALSE;
    layer_back (passage, l, to_input, ret_gradient);
  }
  return TRUE;
}
