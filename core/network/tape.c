/* How tapes are made. */
#include "core/network/tape.h"

#include <math.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/data/photo.h"
#include "core/math/image-quality.h"
#include "core/network/normalise.h"

#define BLOCK ASSAY_CHANNEL_BLOCK

G_GNUC_PRINTF (2, 3)
static void
refuse (AssayTape *tape, const char *format, ...)
{
  va_list arguments;

  if (tape->refusal != NULL)
    return;
  va_start (arguments, format);
  tape->refusal = g_strdup_vprintf (format, arguments);
  va_end (arguments);
}

AssayTape *
assay_tape_new (AssayTapeShape input)
{
  AssayTape *tape = g_new0 (AssayTape, 1);

  tape->n_layers = 1;
  tape->images = ASSAY_TAPE_SHARD;
  tape->most_lanes = assay_convolution_lanes ();
  tape->layers[0] = (AssayLayer){ .type = ASSAY_LAYER_INPUT, .shape = input };
  if (assay_tape_numbers (input) == 0)
    refuse (tape, "images of %zu x %zu pixels and %zu channel%s; expected one of each at least",
            input.height, input.width, input.channels, assay_channels_plural (input.channels));
  return tape;
}

void
assay_tape_free (AssayTape *tape)
{
  if (tape == NULL)
    return;
  for (guint l = 0; l < tape->n_layers; l++)
    assay_convolution_free (tape->layers[l].convolution);
  assay_arena_clear (&tape->arena);
  g_free (tape->refusal);
  g_free (tape);
}

/* ---- Layers ---- */

static guint
append (AssayTape *tape, AssayLayer layer)
{
  const gboolean has_two = layer.type == ASSAY_LAYER_JOIN || layer.type == ASSAY_LAYER_ADD
                           || layer.type == ASSAY_LAYER_MULTIPLY;

  if (tape->n_layers == ASSAY_TAPE_MAX_LAYERS)
    refuse (tape, "more than %d layers", ASSAY_TAPE_MAX_LAYERS);
  if (tape->refusal != NULL)
    return 0;
  for (guint i = 0; i < (has_two ? 2 : 1); i++) {
    AssayLayer *from = &tape->layers[layer.from[i]];

    if (from->shape.channels % BLOCK != 0 && layer.from[i] != ASSAY_TAPE_INPUT)
      refuse (tape, "layer %u has %zu channel%s; expected a multiple of %d but in the last",
              layer.from[i], from->shape.channels, assay_channels_plural (from->shape.channels),
              BLOCK);
    from->uses++;
  }
  tape->layers[tape->n_layers] = layer;
  return tape->n_layers++;
}

static const AssayTapeShape *
shape_of (const AssayTape *tape, guint layer)
{
  return &tape->layers[MIN (layer, tape->n_layers - 1)].shape;
}

static AssayConvolutionShape
convolution_shape (const AssayTape *tape, const AssayLayer *layer)
{
  const AssayLayer *before = &tape->layers[layer->from[0]];

  return (AssayConvolutionShape){
    .images = tape->images,
    .lanes = tape->lanes,
    .in = before->blocks.blocks * tape->lanes,
    .out = layer->blocks.blocks * tape->lanes,
    .height = before->shape.height,
    .width = before->shape.width,
    .kernel = layer->kernel,
    .stride = layer->stride,
  };
}

AssayConvolutionShape
assay_tape_convolution (const AssayTape *tape, guint layer)
{
  return convolution_shape (tape, &tape->layers[layer]);
}

static guint
append_convolution (AssayTape *tape, AssayLayer layer)
{
  AssayConvolutionShape shape;

  if (layer.shape.channels == 0 || layer.stride == 0 || (layer.kernel % 2 == 0 && layer.kernel > 0))
    refuse (tape,
            "layer %u by a kernel of %zu with stride %zu to %zu channel%s; expected an odd kernel, "
            "and one of each at least",
            layer.from[0], layer.kernel, layer.stride, layer.shape.channels,
            assay_channels_plural (layer.shape.channels));
  if (tape->refusal != NULL)
    return 0;
  shape = convolution_shape (tape, &layer);
  layer.shape.height = assay_convolution_height (&shape);
  layer.shape.width = assay_convolution_width (&shape);
  return append (tape, layer);
}

guint
assay_tape_convolve (AssayTape *tape, guint from, gsize channels, gsize kernel, gsize stride)
{
  if (kernel == 0)
    refuse (tape, "layer %u by a kernel of 0", from);
  return append_convolution (tape, (AssayLayer){ .type = ASSAY_LAYER_CONVOLVE,
                                                 .from = { from },
                                                 .shape = { .channels = channels },
                                                 .kernel = kernel,
                                                 .stride = stride });
}

guint
assay_tape_dense (AssayTape *tape, guint from, gsize outputs)
{
  return append_convolution (tape, (AssayLayer){ .type = ASSAY_LAYER_CONVOLVE,
                                                 .from = { from },
                                                 .shape = { .channels = outputs },
                                                 .stride = 1 });
}

guint
assay_tape_normalise (AssayTape *tape, guint from)
{
  const AssayTapeShape *shape = shape_of (tape, from);

  if (shape->channels % BLOCK != 0)
    refuse (tape, "layer %u of %zu channel%s cannot be normalised in groups of %d", from,
            shape->channels, assay_channels_plural (shape->channels), BLOCK);
  return append (tape,
                 (AssayLayer){ .type = ASSAY_LAYER_NORMALISE, .from = { from }, .shape = *shape });
}

/* One without parameters, of the shape of what it is made of. */
static guint
append_plain (AssayTape *tape, AssayLayerType type, guint from)
{
  return append (tape,
                 (AssayLayer){ .type = type, .from = { from }, .shape = *shape_of (tape, from) });
}

guint
assay_tape_rectify (AssayTape *tape, guint from)
{
  return append_plain (tape, ASSAY_LAYER_RECTIFY, from);
}

guint
assay_tape_pool (AssayTape *tape, guint from)
{
  AssayTapeShape shape = *shape_of (tape, from);

  if (shape.height % 2 != 0 || shape.width % 2 != 0)
    refuse (tape, "layer %u of %zu x %zu pixels cannot be halved", from, shape.height, shape.width);
  shape.height /= 2;
  shape.width /= 2;
  return append (tape, (AssayLayer){ .type = ASSAY_LAYER_POOL, .from = { from }, .shape = shape });
}

guint
assay_tape_mean (AssayTape *tape, guint from)
{
  return append (tape, (AssayLayer){ .type = ASSAY_LAYER_MEAN,
                                     .from = { from },
                                     .shape = { shape_of (tape, from)->channels, 1, 1 } });
}

guint
assay_tape_enlarge (AssayTape *tape, guint from)
{
  AssayTapeShape shape = *shape_of (tape, from);

  shape.height *= 2;
  shape.width *= 2;
  return append (tape,
                 (AssayLayer){ .type = ASSAY_LAYER_ENLARGE, .from = { from }, .shape = shape });
}

static gboolean
check_pair (AssayTape *tape, guint a, guint b, gboolean has_equal_channels)
{
  const AssayTapeShape *x = shape_of (tape, a), *y = shape_of (tape, b);

  if (x->height != y->height || x->width != y->width
      || (has_equal_channels ? x->channels != y->channels : x->channels % BLOCK != 0))
    refuse (tape, "layers %u (%zu x %zu x %zu) and %u (%zu x %zu x %zu) do not fit together", a,
            x->channels, x->height, x->width, b, y->channels, y->height, y->width);
  return tape->refusal == NULL;
}

guint
assay_tape_join (AssayTape *tape, guint a, guint b)
{
  AssayTapeShape shape = *shape_of (tape, a);

  if (!check_pair (tape, a, b, FALSE))
    return 0;
  shape.channels += shape_of (tape, b)->channels;
  return append (tape, (AssayLayer){ .type = ASSAY_LAYER_JOIN, .from = { a, b }, .shape = shape });
}

static guint
append_of_two (AssayTape *tape, AssayLayerType type, guint a, guint b)
{
  if (!check_pair (tape, a, b, TRUE))
    return 0;
  return append (tape,
                 (AssayLayer){ .type = type, .from = { a, b }, .shape = *shape_of (tape, a) });
}

guint
assay_tape_add (AssayTape *tape, guint a, guint b)
{
  return append_of_two (tape, ASSAY_LAYER_ADD, a, b);
}

guint
assay_tape_multiply (AssayTape *tape, guint a, guint b)
{
  return append_of_two (tape, ASSAY_LAYER_MULTIPLY, a, b);
}

guint
assay_tape_part (AssayTape *tape, guint from, gsize first, gsize channels)
{
  AssayTapeShape shape = *shape_of (tape, from);

  if (first % BLOCK != 0 || channels % BLOCK != 0 || channels == 0
      || first + channels > shape.channels)
    refuse (tape, "channels %zu to %zu of the %zu of layer %u; expected multiples of %d", first,
            first + channels, shape.channels, from, BLOCK);
  shape.channels = channels;
  return append (
      tape,
      (AssayLayer){ .type = ASSAY_LAYER_PART, .from = { from }, .shape = shape, .begin = first });
}

/* ---- Memory ---- */

guint64
assay_tape_passage_bytes (const AssayTape *tape)
{
  guint64 numbers = 0, largest = 0;

  for (guint l = 0; l < tape->n_layers; l++) {
    const AssayLayer *layer = &tape->layers[l];
    const guint64 size = assay_blocks_size (layer->blocks);

    largest = MAX (largest, size);
    numbers += layer->is_in_place ? 0 : layer->is_back_in_place ? size : 2 * size;
    numbers += assay_normalise_moments (layer->blocks);
  }
  numbers = (numbers + largest) * tape->images;
  numbers += assay_tape_numbers (tape->layers[0].shape);
  numbers += tape->images * assay_tape_numbers (tape->layers[tape->last].shape);
  return numbers * sizeof (float) + tape->scratch;
}

guint64
assay_tape_training_bytes (const AssayTape *tape, gsize batch, guint threads)
{
  /* A gradient for each shard; both moments, and the best weights. */
  return assay_tape_passage_bytes (tape) * threads
         + (assay_pieces (batch, tape->images) + 3) * (guint64) tape->n_parameters * sizeof (float);
}

static guint64
machine_memory (void)
{
  return (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE);
}

gboolean
assay_tape_check_memory (const AssayTape *tape, guint64 bytes, GError **error)
{
  const guint64 machine = machine_memory ();
  const guint64 own = 2 * (guint64) tape->n_parameters * sizeof (float);

  return bytes + own <= machine
         || assay_fail (error, ASSAY_ERROR_MEMORY,
                        "a network of %zu parameters needs %.1f GiB of memory; this machine has "
                        "%.1f GiB",
                        tape->n_parameters, (double) (bytes + own) / (1 << 30),
                        (double) machine / (1 << 30));
}

AssayTapeSize
assay_tape_planned_size (AssayTape *tape, guint last, gsize batch)
{
  const guint threads = assay_parallel_threads ();
  AssayTapeSize size = { .images = tape->images };

  tape->last = last;
  /* As on every processor, so that what is said of a plan is too. */
  tape->most_lanes = BLOCK;
  assay_tape_lay_out (tape);
  for (guint l = 0; l < tape->n_layers; l++)
    size.parameters += tape->layers[l].n_weights + tape->layers[l].n_biases;
  tape->n_parameters = size.parameters;
  size.layers = assay_tape_passage_bytes (tape) * threads;
  size.weights = assay_tape_training_bytes (tape, batch, threads) - size.layers
                 + 2 * (guint64) size.parameters * sizeof (float);
  return size;
}

gboolean
assay_tape_check_width (gint64 width, GError **error)
{
  return width % BLOCK == 0
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "width = %" G_GINT64_FORMAT ": expected a multiple of %d", width, BLOCK);
}

gboolean
assay_tape_check_size (const AssayTapeSize *size, GError **error)
{
  static const double mib = 1 << 20;
  const guint64 bytes = assay_tape_size_bytes (size), machine = machine_memory ();
  g_autofree char *parameters = assay_text_count (size->parameters);

  return bytes <= machine
         || assay_fail (
             error, ASSAY_ERROR_MEMORY,
             "a network of %s weights needs %.0f MiB of memory (%.0f for weights, their "
             "gradients and moments, %.0f for what its layers make of %zu image%s on each "
             "of %u threads); this machine has %.0f MiB",
             parameters, (double) bytes / mib, (double) size->weights / mib,
             (double) size->layers / mib, size->images, size->images == 1 ? "" : "s",
             assay_parallel_threads (), (double) machine / mib);
}

/* ---- The end ---- */

static void
place_parameters (AssayTape *tape)
{
  assay_tape_lay_out (tape);
  assay_tape_share_room (tape);
  for (guint l = 0; l < tape->n_layers; l++) {
    AssayLayer *layer = &tape->layers[l];

    layer->first = tape->n_parameters;
    /* Weights begin where vectors want them. */
    tape->n_parameters += assay_pieces (layer->n_weights + layer->n_biases, 16) * 16;
  }
}

/* Those of a wide convolution take as long as many steps with it. */
static gboolean
draw_convolution (const AssayTape *tape, const AssayLayer *layer, AssayStream *stream,
                  GError **error)
{
  const AssayConvolutionShape shape = convolution_shape (tape, layer);
  const gsize in = tape->layers[layer->from[0]].shape.channels;
  const gsize area = layer->n_weights / (shape.in * shape.out);
  const double deviation = sqrt (2 / ((double) in * (double) area));
  float *weights = tape->parameters + layer->first;

  for (gsize o = 0; o < layer->shape.channels; o++) {
    if (!assay_interrupt_goes_on (error))
      return FALSE;
    for (gsize i = 0; i < in; i++)
      for (gsize place = 0; place < area; place++)
        weights[assay_convolution_place (&shape, o, i, place)]
            = (float) (deviation * assay_stream_normal (stream));
  }
  return TRUE;
}

static gboolean
draw_weights (AssayTape *tape, AssayStreamKey key, GError **error)
{
  for (guint l = 0; l < tape->n_layers; l++) {
    const AssayLayer *layer = &tape->layers[l];
    AssayStream stream = assay_stream (key, l);

    if (layer->type == ASSAY_LAYER_NORMALISE)
      for (gsize i = 0; i < layer->shape.channels; i++)
        tape->parameters[layer->first + i] = 1;
    if (layer->type == ASSAY_LAYER_CONVOLVE && !draw_convolution (tape, layer, &stream, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
make_convolutions (AssayTape *tape, GError **error)
{
  for (guint l = 0; l < tape->n_layers; l++) {
    AssayLayer *layer = &tape->layers[l];
    const AssayConvolutionShape shape = convolution_shape (tape, layer);

    if (layer->type != ASSAY_LAYER_CONVOLVE)
      continue;
    layer->convolution = assay_convolution_new (&shape, error);
    if (layer->convolution == NULL)
      return FALSE;
    tape->scratch = MAX (tape->scratch, assay_convolution_scratch (layer->convolution));
  }
  return TRUE;
}

void
assay_tape_turn (AssayTape *tape)
{
  for (guint l = 0; l < tape->n_layers; l++) {
    const AssayLayer *layer = &tape->layers[l];
    const AssayConvolutionShape shape = convolution_shape (tape, layer);

    if (layer->type == ASSAY_LAYER_CONVOLVE)
      assay_convolution_turn (&shape, tape->parameters + layer->first, tape->turned + layer->first);
  }
}

gboolean
assay_tape_finish (AssayTape *tape, guint last, AssayTapeLoss loss, AssayStreamKey key,
                   GError **error)
{
  const AssayTapeShape *output = shape_of (tape, last);

  if (loss == ASSAY_TAPE_LOSS_SHARES && output->height * output->width != 1)
    refuse (tape, "the last layer has %zu x %zu pixels; expected one that gives classes",
            output->height, output->width);
  if (loss == ASSAY_TAPE_LOSS_PICTURE
      && (output->channels != 1 || MIN (output->height, output->width) < ASSAY_SSIM_WINDOW))
    refuse (tape,
            "the last layer has %zu x %zu x %zu numbers; expected a picture of one channel and "
            "%d x %d pixels at least",
            output->channels, output->height, output->width, ASSAY_SSIM_WINDOW, ASSAY_SSIM_WINDOW);
  if (tape->refusal == NULL && (last != tape->n_layers - 1 || last == ASSAY_TAPE_INPUT))
    refuse (tape, "layer %u does not end the tape", last);
  if (tape->refusal != NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "network: %s", tape->refusal);
  tape->last = last;
  tape->loss = loss;
  place_parameters (tape);
  /* Before anything is asked of the library, which would try. */
  if (!assay_tape_check_memory (tape, assay_tape_passage_bytes (tape), error)
      || !make_convolutions (tape, error))
    return FALSE;
  tape->parameters = assay_arena_alloc (&tape->arena, tape->n_parameters, sizeof (float),
                                        "weights of a network", error);
  tape->turned = assay_arena_alloc (&tape->arena, tape->n_parameters, sizeof (float),
                                    "weights of a network", error);
  if (tape->arena.has_failed)
    return FALSE;
  if (!draw_weights (tape, key, error))
    return FALSE;
  assay_tape_turn (tape);
  return TRUE;
}
