/* Two kinds of networks behind one form.
 *
 * Convolutions see pixels divided by the root of their mean square over the training rows, which is
 * folded into the first layer afterwards; with the zeros beyond an image's edges a mean could not
 * be. */
#include "defenses/codes/deep-encoder.h"

#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/math/mixture.h"
#include "core/network/train.h"
#include "defenses/codes/kernel-features.h"

#define BATCH 128
#define KERNEL 3
#define STRIDE 2
#define WINDOWS_ITEM (G_MAXUINT64 - 2) /* of the key */

struct _DeepEncoder {
  AssayPairedEncoders *columns; /* NULL: convolutions */
  AssayTape *tape;
  guint layers[ASSAY_CODES_MAX_KERNELS], hidden;
  AssayGeometry picture;
  AssayView rows;
  double scale; /* that pixels are multiplied by */
  gsize bits, steps;
  double rate;
  gboolean is_linear;
  gsize shift; /* how images are changed in training */
  gboolean mirror;
  AssayStreamKey key, windows;
  AssayPairedLoss loss; /* while it is trained */
  gpointer data;
  double *outputs, *slopes; /* of a batch */
  char *says;               /* how training ended, where it did not end well; or NULL */
  AssayArena arena;
};

ASSAY_FREE_FUNC (DeepEncoder, deep_encoder_free,
                 assay_drop (self->columns, assay_paired_encoders_free),
                 assay_drop (self->tape, assay_tape_free), assay_arena_clear (&self->arena),
                 g_free (self->says))

/* ---- Convolutions ---- */

/* Gives the last layer, which is not finished. */
static AssayTape *
make_tape (const AssayGeometry *picture, const HashSettings *settings, guint *ret_layers,
           guint *ret_hidden, guint *ret_last)
{
  AssayTape *tape
      = assay_tape_new ((AssayTapeShape){ picture->channels, picture->height, picture->width });
  guint x = ASSAY_TAPE_INPUT;

  for (guint l = 0; l < ASSAY_CODES_MAX_KERNELS; l++) {
    ret_layers[l] = assay_tape_convolve (tape, x, (gsize) settings->channels << l, KERNEL, STRIDE);
    x = assay_tape_rectify (tape, ret_layers[l]);
  }
  *ret_hidden = assay_tape_dense (tape, x, (gsize) settings->hidden);
  x = assay_tape_rectify (tape, *ret_hidden);
  *ret_last = assay_tape_dense (tape, x, (gsize) settings->bits);
  return tape;
}

/* Image @index as an epoch of training has it: moved, and mirrored or not. */
static void
draw_window (const DeepEncoder *encoder, gsize index, gsize epoch, float *ret_window)
{
  const gsize shift = encoder->shift;
  AssayStream stream
      = assay_stream (encoder->windows, (guint64) epoch * encoder->rows.rows + index);
  const gint64 down = (gint64) assay_stream_below (&stream, 2 * shift + 1) - (gint64) shift;
  const gint64 right = (gint64) assay_stream_below (&stream, 2 * shift + 1) - (gint64) shift;
  const gboolean is_mirrored = encoder->mirror && assay_stream_below (&stream, 2) == 1;

  assay_mixture_window (&encoder->picture, down, right, is_mirrored,
                        assay_view_row (encoder->rows, index), ret_window);
}

static void
draw (gpointer data, gsize index, gsize epoch, float *ret_input, G_GNUC_UNUSED float *ret_target)
{
  const DeepEncoder *encoder = data;
  const gsize c = encoder->picture.channels, pixels = encoder->rows.cols / c;
  const float *row = assay_view_row (encoder->rows, index);
  g_autofree float *window = NULL;

  if ((encoder->shift > 0 || encoder->mirror) && epoch != ASSAY_EPOCH_NONE) {
    window = g_new (float, encoder->rows.cols);
    draw_window (encoder, index, epoch, window);
    row = window;
  }
  for (gsize i = 0; i < pixels; i++)
    for (gsize k = 0; k < c; k++)
      ret_input[k * pixels + i] = (float) (encoder->scale * (double) row[i * c + k]);
}

static gboolean
open_tape (DeepEncoder *encoder, const HashSettings *settings, GError **error)
{
  const AssayView rows = encoder->rows;
  const gsize batch = MIN (BATCH, rows.rows);
  double square = 0;
  guint last;

  if (encoder->picture.height == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "network = convolutional: expected secrets that are images, found rows of "
                       "%zu numbers of which no height and width are known",
                       rows.cols);
  for (gsize i = 0; i < rows.rows; i++)
    square += assay_squared_norm (assay_view_row (rows, i), rows.cols);
  encoder->scale = square > 0 ? sqrt ((double) rows.rows * (double) rows.cols / square) : 1;
  encoder->outputs = assay_arena_alloc (&encoder->arena, batch, encoder->bits * sizeof (double),
                                        "a batch", error);
  encoder->slopes = assay_arena_alloc (&encoder->arena, batch, encoder->bits * sizeof (double),
                                       "a batch", error);
  if (encoder->arena.has_failed)
    return FALSE;
  encoder->tape = make_tape (&encoder->picture, settings, encoder->layers, &encoder->hidden, &last);
  return assay_tape_finish (encoder->tape, last, ASSAY_TAPE_LOSS_GIVEN, encoder->key, error);
}

static void
read_outputs (const DeepEncoder *encoder, gsize numbers, const float *outputs, double *ret_outputs)
{
  for (gsize k = 0; k < numbers; k++)
    ret_outputs[k] = encoder->is_linear ? (double) outputs[k] : tanh ((double) outputs[k]);
}

static double
compare (gpointer data, const gsize *items, gsize count, const float *outputs, float *ret_slopes)
{
  const DeepEncoder *encoder = data;
  const gsize numbers = count * encoder->bits;
  const AssayPairedBatch batch = { items, count, encoder->bits, { encoder->outputs, NULL } };
  double *const slopes[ASSAY_N_PAIRED] = { encoder->slopes, NULL };
  double lost;

  read_outputs (encoder, numbers, outputs, encoder->outputs);
  memset (encoder->slopes, 0, numbers * sizeof (double));
  lost = encoder->loss (&batch, encoder->data, slopes);
  for (gsize k = 0; k < numbers; k++) {
    const double u = encoder->outputs[k];

    ret_slopes[k] = (float) (encoder->slopes[k] * (encoder->is_linear ? 1 : 1 - u * u));
  }
  return lost;
}

/* ---- Both ---- */

static AssayStreamKey
windows_key (AssayStreamKey key)
{
  AssayStream stream = assay_stream (key, WINDOWS_ITEM);
  const guint32 word = assay_stream_u32 (&stream);

  return (AssayStreamKey){ { word, assay_stream_u32 (&stream) } };
}

DeepEncoder *
deep_encoder_new (const HashTraining *training, const HashSettings *settings, gboolean is_linear,
                  GError **error)
{
  const AssayView rows[ASSAY_N_PAIRED] = { training->rows, { 0 } };
  const AssayPairedTraining terms = { .bits = (gsize) settings->bits,
                                      .hidden = (gsize) settings->hidden,
                                      .steps = (gsize) settings->steps,
                                      .batch = BATCH,
                                      .rate = settings->rate,
                                      .is_linear = is_linear };
  g_autoptr (DeepEncoder) encoder = g_new0 (DeepEncoder, 1);

  if (!kernel_labels_check (training, error) || !hash_rows_check (training->rows, error))
    return NULL;
  encoder->picture = training->picture;
  encoder->rows = training->rows;
  encoder->bits = terms.bits;
  encoder->steps = terms.steps;
  encoder->rate = terms.rate;
  encoder->is_linear = is_linear;
  encoder->shift = (gsize) settings->shift;
  encoder->mirror = settings->mirror;
  encoder->key = training->stream;
  encoder->windows = windows_key (training->stream);
  if (settings->network == HASH_CONVOLUTIONS)
    return open_tape (encoder, settings, error) ? g_steal_pointer (&encoder) : NULL;
  encoder->columns = assay_paired_encoders_new (rows, &terms, training->stream, error);
  return encoder->columns != NULL ? g_steal_pointer (&encoder) : NULL;
}

gsize
deep_encoder_batch (const DeepEncoder *encoder)
{
  return encoder->columns != NULL ? encoder->columns->training.batch
                                  : MIN (BATCH, encoder->rows.rows);
}

static void
note_end (DeepEncoder *encoder, const AssayPairedReport *report, gsize planned)
{
  g_free (encoder->says);
  encoder->says = assay_paired_report_say (report, planned, "rate", encoder->rate);
}

static gboolean
train_columns (DeepEncoder *encoder, AssayPairedLoss loss, gpointer data, GError **error)
{
  AssayPairedReport report;

  if (!assay_paired_encoders_train (encoder->columns, loss, data, &report, error))
    return FALSE;
  note_end (encoder, &report, encoder->steps);
  return TRUE;
}

gboolean
deep_encoder_train (DeepEncoder *encoder, AssayPairedLoss loss, gpointer data, GError **error)
{
  const gsize rows = encoder->rows.rows, batches = assay_pieces (rows, BATCH);
  const AssayTapeExamples examples = { rows, draw, encoder };
  const AssayTapeTraining training = { .descent = ASSAY_DESCENT_ADAM,
                                       .epochs = assay_pieces (encoder->steps, batches),
                                       .batch = MIN (BATCH, rows),
                                       .rate = encoder->rate,
                                       .compare = compare,
                                       .compare_data = encoder };
  AssayTapeReport report;

  if (encoder->columns != NULL)
    return train_columns (encoder, loss, data, error);
  encoder->loss = loss;
  encoder->data = data;
  /* A loss that stopped upon Ctrl-C is none that diverged. */
  if (!assay_tape_train (encoder->tape, &training, &examples, encoder->key, &report, error)
      || !assay_interrupt_goes_on (error))
    return FALSE;
  note_end (
      encoder,
      &(AssayPairedReport){ .steps = batches * report.best,
                            .diverged = report.has_diverged ? batches * (report.epochs + 1) : 0 },
      batches * training.epochs);
  return TRUE;
}

/* What comes of a pass forward. */
typedef struct {
  double *outputs;
} Keeping;

static double
keep_outputs (const AssayPairedBatch *batch, gpointer data,
              G_GNUC_UNUSED double *const inout_slopes[ASSAY_N_PAIRED])
{
  const Keeping *keeping = data;

  memcpy (keeping->outputs, batch->outputs[0], batch->count * batch->bits * sizeof (double));
  return 0;
}

gboolean
deep_encoder_outputs (DeepEncoder *encoder, double *ret_outputs, GError **error)
{
  const gsize rows = encoder->rows.rows;
  const AssayTapeExamples examples = { rows, draw, encoder };
  Keeping keeping = { ret_outputs };
  g_auto (AssayArena) arena = { 0 };
  gsize *all;
  float *outputs;

  if (encoder->columns != NULL) {
    all = assay_arena_alloc (&arena, rows, sizeof (gsize), "rows", error);
    for (gsize i = 0; all != NULL && i < rows; i++)
      all[i] = i;
    if (all == NULL)
      return FALSE;
    /* No number: it was stopped, or had no room. */
    return isfinite (
               assay_paired_encoders_slope (encoder->columns, all, rows, keep_outputs, &keeping))
           || (assay_interrupt_goes_on (error)
               && assay_fail (error, ASSAY_ERROR_MEMORY,
                              "no memory for the outputs of %zu training rows", rows));
  }
  outputs = assay_arena_alloc (&arena, rows, encoder->bits * sizeof (float), "outputs", error);
  if (outputs == NULL || !assay_tape_predict (encoder->tape, &examples, outputs, error))
    return FALSE;
  read_outputs (encoder, rows * encoder->bits, outputs, ret_outputs);
  return TRUE;
}

/* ---- The hash function ---- */

/* Weights of layer @layer as a hash function has them: of each channel that it gives all places,
 * @in channels at each, times @scale, and the bias. */
static void
copy_layer (const DeepEncoder *encoder, guint layer, gsize in, double scale, AssayMatrix *weights)
{
  const AssayTape *tape = encoder->tape;
  const AssayConvolutionShape shape = assay_tape_convolution (tape, layer);
  const float *parameters = tape->parameters + tape->layers[layer].first;
  const gsize places = (weights->cols - 1) / in;

  for (gsize o = 0; o < tape->layers[layer].shape.channels; o++) {
    float *row = assay_matrix_row (weights, o);

    for (gsize place = 0; place < places; place++)
      for (gsize i = 0; i < in; i++)
        row[place * in + i]
            = (float) (scale * (double) parameters[assay_convolution_place (&shape, o, i, place)]);
    row[places * in] = parameters[tape->layers[layer].n_weights + o];
  }
}

static gboolean
copy_kernels (const DeepEncoder *encoder, AssayPictureKernels *kernels, GError **error)
{
  gsize in = encoder->picture.channels;

  kernels->height = encoder->picture.height;
  kernels->width = encoder->picture.width;
  kernels->channels = in;
  for (guint l = 0; l < ASSAY_CODES_MAX_KERNELS; l++) {
    const gsize out = encoder->tape->layers[encoder->layers[l]].shape.channels;

    kernels->layers[l] = assay_matrix_new (out, KERNEL * KERNEL * in + 1, error);
    if (kernels->layers[l] == NULL)
      return FALSE;
    kernels->n = l + 1;
    copy_layer (encoder, encoder->layers[l], in, l == 0 ? encoder->scale : 1, kernels->layers[l]);
    in = out;
  }
  return TRUE;
}

/* Room for a hidden layer of @hidden units, and behind them one that is 1 whatever the row: its
 * weights of the last layer are the biases. */
static gboolean
make_layers (AssayHashFunction *function, gsize cols, gsize hidden, gsize bits, GError **error)
{
  function->mean = assay_matrix_new (1, hidden + 1, error);
  function->hidden = assay_matrix_new (hidden + 1, cols + 1, error);
  function->projection = assay_matrix_new (bits, hidden + 1, error);
  if (function->mean == NULL || function->hidden == NULL || function->projection == NULL)
    return FALSE;
  assay_matrix_row (function->hidden, hidden)[cols] = 1;
  return TRUE;
}

static gboolean
copy_columns (const DeepEncoder *encoder, AssayHashFunction *function, GError **error)
{
  const AssayPairedEncoder *columns = &encoder->columns->encoders[0];
  const gsize cols = columns->layers[0].in + 1, hidden = columns->layers[0].out;
  const gsize bits = columns->layers[1].out;
  g_autofree float *first = assay_paired_encoder_weights (columns, 0);
  g_autofree float *second = assay_paired_encoder_weights (columns, 1);

  if (!make_layers (function, cols - 1, hidden, bits, error))
    return FALSE;
  memcpy (function->hidden->data, first, hidden * cols * sizeof (float));
  memcpy (function->projection->data, second, bits * (hidden + 1) * sizeof (float));
  return TRUE;
}

static gboolean
copy_tape (const DeepEncoder *encoder, AssayHashFunction *function, GError **error)
{
  const AssayTape *tape = encoder->tape;
  const gsize hidden = tape->layers[encoder->hidden].shape.channels;

  if (!copy_kernels (encoder, &function->kernels, error)
      || !make_layers (function, assay_picture_kernels_numbers (&function->kernels), hidden,
                       encoder->bits, error))
    return FALSE;
  copy_layer (encoder, encoder->hidden, function->kernels.layers[ASSAY_CODES_MAX_KERNELS - 1]->rows,
              1, function->hidden);
  copy_layer (encoder, tape->last, hidden, 1, function->projection);
  return TRUE;
}

AssayHashFunction *
deep_encoder_function (const DeepEncoder *encoder, GError **error)
{
  g_autoptr (AssayHashFunction) function = assay_hash_function_new ();
  const gboolean is_copied = encoder->columns != NULL ? copy_columns (encoder, function, error)
                                                      : copy_tape (encoder, function, error);

  function->says = g_strdup (encoder->says);
  return is_copied ? g_steal_pointer (&function) : NULL;
}

/* ---- Before anything is loaded ---- */

static AssayTapeSize
size_of (const HashSettings *settings, const AssayGeometry *geometry)
{
  guint layers[ASSAY_CODES_MAX_KERNELS], hidden, last;
  g_autoptr (AssayTape) tape = make_tape (geometry, settings, layers, &hidden, &last);

  return assay_tape_planned_size (tape, last, BATCH);
}

static gboolean
check_windows (const HashSettings *settings, const AssayGeometry *picture, GError **error)
{
  const gsize side = MIN (picture->height, picture->width);

  if (settings->network != HASH_CONVOLUTIONS && (settings->shift > 0 || settings->mirror))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "shift = %" G_GINT64_FORMAT ", mirror = %s: only with network = "
                       "convolutional, to whose images this is done",
                       settings->shift, settings->mirror ? "yes" : "no");
  if (side > 0 && (gsize) settings->shift >= side)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "shift = %" G_GINT64_FORMAT ": expected less than %zu, a side of the images",
                       settings->shift, side);
  return TRUE;
}

gboolean
deep_encoder_check (const HashSettings *settings, const AssayShape *shape, GError **error)
{
  if (!check_windows (settings, &shape->geometry, error))
    return FALSE;
  if (settings->network != HASH_CONVOLUTIONS)
    return TRUE;
  if (settings->channels % ASSAY_CHANNEL_BLOCK != 0 || settings->hidden % ASSAY_CHANNEL_BLOCK != 0)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "channels = %" G_GINT64_FORMAT ", hidden = %" G_GINT64_FORMAT
                       ": with network = convolutional, expected multiples of %d",
                       settings->channels, settings->hidden, ASSAY_CHANNEL_BLOCK);
  if (shape->cols > 0 && shape->geometry.height == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "network = convolutional: expected secrets that are images, found rows of "
                       "%zu numbers of which no height and width are known",
                       shape->cols);
  if (shape->geometry.height > 0) {
    const AssayTapeSize size = size_of (settings, &shape->geometry);

    return assay_tape_check_size (&size, error);
  }
  return TRUE;
}

guint64
deep_encoder_memory (const HashSettings *settings, gsize rows, const AssayShape *shape)
{
  const AssayPairedTraining terms
      = { .bits = (gsize) settings->bits, .hidden = (gsize) settings->hidden, .batch = rows };
  AssayTapeSize size;

  if (settings->network != HASH_CONVOLUTIONS || shape->geometry.height == 0)
    return assay_paired_encoders_memory (&terms, rows, shape->cols);
  size = size_of (settings, &shape->geometry);
  return assay_tape_size_bytes (&size) + (guint64) rows * (guint64) settings->bits * sizeof (float);
}
