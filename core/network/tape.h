/* Convolutional networks: layers on a tape, each made of earlier ones, trained through one loss at
 * the end. U-Nets and residual networks are tapes whose layers are used twice.
 *
 *   AssayTape *tape = assay_tape_new ((AssayTapeShape){ 3, 32, 32 });
 *   guint x = assay_tape_convolve (tape, ASSAY_TAPE_INPUT, 16, 3, 1);
 *   x = assay_tape_rectify (tape, assay_tape_normalise (tape, x));
 *   x = assay_tape_dense (tape, x, 10);
 *   assay_tape_finish (tape, x, ASSAY_TAPE_LOSS_SHARES, key, error)
 *
 * Examples and targets are rows of numbers as images have them, plane after plane. Within the tape
 * they are in blocks of channels (core/network/layers.h), so that all layers but the last have a
 * multiple of 8. An example does not depend on others of its batch. */
#pragma once

#include "core/base/rng.h"
#include "core/data/arena.h"
#include "core/network/convolution.h"
#include "core/network/layers.h"

#define ASSAY_TAPE_INPUT 0 /* the layer that all begins with */
#define ASSAY_TAPE_MAX_LAYERS 128
/* Images that pass through a tape together, by one thread, unless it says otherwise. */
#define ASSAY_TAPE_SHARD 4

typedef struct {
  gsize channels;
  gsize height, width;
} AssayTapeShape;

/* What is made least, as a mean over the rows of a batch; with y a row of targets and z of what the
 * last layer gives. */
typedef enum {
  ASSAY_TAPE_LOSS_SQUARES,  /* mean (z - y)^2 / 2 over its numbers */
  ASSAY_TAPE_LOSS_ABSOLUTE, /* mean |z - y| */
  ASSAY_TAPE_LOSS_LOGISTIC, /* mean of ln (1 + e^z) - y z: 1 / (1 + e^-z) is given, y of [0, 1] */
  ASSAY_TAPE_LOSS_SHARES,   /* -sum y ln p, p = softmax z is given; one pixel; y >= 0 */
  ASSAY_TAPE_LOSS_GIVEN,    /* sum z y: y is how the caller's own loss grows with z */
  /* .84 (1 - SSIM) + .16 mean |z - y|, of one channel of levels 0 to 1 (Zhao, Gallo, Frosio and
   * Kautz 2017, "Loss functions for image restoration with neural networks") */
  ASSAY_TAPE_LOSS_PICTURE,
} AssayTapeLoss;

typedef enum {
  ASSAY_LAYER_INPUT,
  ASSAY_LAYER_CONVOLVE,
  ASSAY_LAYER_NORMALISE,
  ASSAY_LAYER_RECTIFY,
  ASSAY_LAYER_POOL,
  ASSAY_LAYER_MEAN,
  ASSAY_LAYER_ENLARGE,
  ASSAY_LAYER_PART,
  ASSAY_LAYER_JOIN,
  ASSAY_LAYER_ADD,
  ASSAY_LAYER_MULTIPLY,
} AssayLayerType;

typedef struct {
  AssayLayerType type;
  guint from[2];        /* the second of JOIN, ADD and MULTIPLY alone */
  AssayTapeShape shape; /* of what it gives */
  AssayBlocks blocks;
  guint uses;                /* layers that are made of it */
  gboolean is_in_place;      /* it gives values where it found them, and so derivatives */
  gboolean is_back_in_place; /* it gives derivatives where it found them, but not values */
  gboolean is_rectified;     /* the ReLU after it, which is in place, is done with it */
  gsize kernel, stride;
  gsize begin;     /* of a PART: the channel of the layer before that it begins with */
  gsize n_weights; /* of a convolution; of a normalisation scales */
  gsize n_biases;  /* and shifts */
  gsize first;     /* of them among the tape's parameters; biases come after weights */
  AssayConvolution *convolution;
} AssayLayer;

typedef struct {
  AssayLayer layers[ASSAY_TAPE_MAX_LAYERS];
  guint n_layers;
  guint last;
  gsize images;     /* that pass together: a shard. May be set to 1 before there are layers, for
                     * gradients of single images */
  gsize most_lanes; /* that blocks can have: what the processor has kernels for */
  gsize lanes;      /* channels of a block; of all layers */
  AssayTapeLoss loss;
  gsize n_parameters;
  float *parameters;
  float *turned; /* weights of convolutions as derivatives to inputs want them */
  gsize scratch; /* bytes of convolutions */
  char *refusal; /* why a layer could not be made; told by assay_tape_finish */
  AssayArena arena;
} AssayTape;

AssayTape *assay_tape_new (AssayTapeShape input);
ASSAY_DECLARE_FREE (AssayTape, assay_tape_free)

/* Each returns the number of the layer. Mistakes are kept until assay_tape_finish. */
guint assay_tape_convolve (AssayTape *tape, guint from, gsize channels, gsize kernel, gsize stride);
guint assay_tape_dense (AssayTape *tape, guint from, gsize outputs); /* of all numbers of @from */
guint assay_tape_normalise (AssayTape *tape, guint from);
guint assay_tape_rectify (AssayTape *tape, guint from);
guint assay_tape_pool (AssayTape *tape, guint from);    /* 2 x 2 */
guint assay_tape_mean (AssayTape *tape, guint from);    /* of all pixels */
guint assay_tape_enlarge (AssayTape *tape, guint from); /* 2 x 2 */
/* @channels from @first on, which are multiples of 8. */
guint assay_tape_part (AssayTape *tape, guint from, gsize first, gsize channels);
guint assay_tape_join (AssayTape *tape, guint a, guint b); /* channels of both */
guint assay_tape_add (AssayTape *tape, guint a, guint b);
guint assay_tape_multiply (AssayTape *tape, guint a, guint b); /* number by number */

/* Chooses the lanes of blocks, and sets what layers hold of them: part of what follows. */
void assay_tape_lay_out (AssayTape *tape);
/* Sets which layers put what they give, or derivatives, where they found them: likewise. */
void assay_tape_share_room (AssayTape *tape);

/* Ends the tape with layer @last, and draws normal weights of variance 2 / (channels x kernel) (He
 * et al. 2015) from item l of @key for layer l; scales are 1, shifts and biases 0.
 * ASSAY_ERROR_MISMATCH for layers that do not fit, ASSAY_ERROR_MEMORY for networks that the machine
 * cannot hold, with their size, ASSAY_ERROR_CANCELLED upon Ctrl-C. */
gboolean assay_tape_finish (AssayTape *tape, guint last, AssayTapeLoss loss, AssayStreamKey key,
                            GError **error);

/* Of a layer that is a convolution: where its weights lie (assay_convolution_place). */
AssayConvolutionShape assay_tape_convolution (const AssayTape *tape, guint layer);

/* After parameters were changed. */
void assay_tape_turn (AssayTape *tape);

/* Bytes of one shard's passage, of which each thread has one. */
guint64 assay_tape_passage_bytes (const AssayTape *tape);
/* Bytes of training on @threads threads, in batches of @batch, above the tape itself. */
guint64 assay_tape_training_bytes (const AssayTape *tape, gsize batch, guint threads);
/* ASSAY_ERROR_MEMORY where that is more than the machine has. */
gboolean assay_tape_check_memory (const AssayTape *tape, guint64 bytes, GError **error);

/* What training holds at its peak, in bytes, on as many threads as there are. */
typedef struct {
  gsize parameters;
  gsize images;    /* that pass at once through one thread */
  guint64 weights; /* with the gradients of a batch, both moments, and the best weights so far */
  guint64 layers;  /* what they make of the images that pass at once, and its derivatives */
} AssayTapeSize;

/* Of a tape that was not finished, and would end with layer @last. */
AssayTapeSize assay_tape_planned_size (AssayTape *tape, guint last, gsize batch);
/* ASSAY_ERROR_MEMORY, with the size, for a network that the machine cannot hold: for plans, before
 * anything is allocated. */
gboolean assay_tape_check_size (const AssayTapeSize *size, GError **error);
/* ASSAY_ERROR_PARAMETER for a setting `width` whose channels do not fill blocks. */
gboolean assay_tape_check_width (gint64 width, GError **error);

static inline guint64
assay_tape_size_bytes (const AssayTapeSize *size)
{
  return size->weights + size->layers;
}

static inline gsize
assay_tape_numbers (AssayTapeShape shape)
{
  return shape.channels * shape.height * shape.width;
}

static inline AssayTapeShape
assay_tape_input (const AssayTape *tape)
{
  return tape->layers[ASSAY_TAPE_INPUT].shape;
}

static inline AssayTapeShape
assay_tape_output (const AssayTape *tape)
{
  return tape->layers[tape->last].shape;
}
