/* Training of tapes, and what they give.
 *
 * A batch is cut into shards of ASSAY_TAPE_SHARD examples, each of which goes forward and back on
 * one thread; their gradients are summed in order. So results are the same to the bit for any
 * number of threads. */
#pragma once

#include "core/network/tape.h"

/* Examples, made when they are asked for: what is drawn anew in each epoch (crops, flips, fresh
 * encryptions) need not be held. */
typedef struct {
  gsize n;
  /* Planes of example @index of epoch @epoch: numbers of the tape's input and output. From several
   * threads; equal arguments give equal numbers. @ret_target is NULL where nobody asks. */
  void (*draw) (gpointer data, gsize index, gsize epoch, float *ret_input, float *ret_target);
  gpointer data;
} AssayTapeExamples;

#define ASSAY_EPOCH_NONE G_MAXSIZE /* held-out examples, and those to be predicted */

/* A loss of whole batches, such as one of pairs: of @outputs (count x numbers of the output, in
 * planes) of the examples @items. Sets @ret_slopes to its derivatives by them. */
typedef double (*AssayTapeCompare) (gpointer data, const gsize *items, gsize count,
                                    const float *outputs, float *ret_slopes);

typedef enum {
  ASSAY_DESCENT_ADAM, /* Kingma and Ba 2015, with .9 (or momentum), .999 and 1e-8 */
  ASSAY_DESCENT_SGD,  /* V <- momentum V + dW, W <- W - rate V */
} AssayDescent;

typedef struct {
  AssayDescent descent;
  gsize epochs;
  gsize batch;
  double rate; /* of the first batch; falls to 0 along half a cosine */
  double momentum;
  double decay;   /* decay W is added to dW (SGD), or rate decay W taken off W (Adam; Loshchilov and
                 * Hutter 2019): of convolutions' weights alone */
  gsize patience; /* epochs without a lower loss of `held_out` after which it ends; 0: none */
  const AssayTapeExamples *held_out; /* NULL: none */
  /* Where the tape has ASSAY_TAPE_LOSS_GIVEN: the loss, for which a batch goes forward once more.
   * Examples are asked for no targets, and none is held out. */
  AssayTapeCompare compare;
  gpointer compare_data;
} AssayTapeTraining;

typedef struct {
  gsize epochs;          /* that were completed */
  gsize best;            /* after how many the kept weights were there */
  double loss;           /* of training, in the best epoch */
  double held_out;       /* loss of held-out examples then; NaN: there are none */
  gboolean has_diverged; /* the loss, a weight or the square of a gradient became infinite, or was
                          * not a number: the best weights before that are kept */
} AssayTapeReport;

/* Keeps the weights of the epoch with the lowest loss of held-out examples; without any, the last
 * ones. Orders of examples are drawn from item ASSAY_TAPE_MAX_LAYERS + epoch of @key.
 * ASSAY_ERROR_NUMERIC where training diverges before one epoch is complete, or, with @ret_report
 * NULL, in any; ASSAY_ERROR_MEMORY, ASSAY_ERROR_CANCELLED upon Ctrl-C. */
gboolean assay_tape_train (AssayTape *tape, const AssayTapeTraining *training,
                           const AssayTapeExamples *examples, AssayStreamKey key,
                           AssayTapeReport *ret_report, GError **error);

/* What the network gives for each example: n x numbers of the output, in planes.
 * ASSAY_ERROR_MEMORY, ASSAY_ERROR_CANCELLED upon Ctrl-C; so do the two below. */
gboolean assay_tape_predict (const AssayTape *tape, const AssayTapeExamples *examples,
                             float *ret_outputs, GError **error);

/* The same of layer @layer: numbers of its shape, whatever the loss. */
gboolean assay_tape_predict_layer (const AssayTape *tape, guint layer,
                                   const AssayTapeExamples *examples, float *ret_outputs,
                                   GError **error);

/* Mean loss of all examples, taken as one batch, with its derivatives: to @ret_gradient (the tape's
 * parameters) and @ret_inputs (n x numbers of the input, in planes); each may be NULL. */
gboolean assay_tape_differentiate (const AssayTape *tape, const AssayTapeExamples *examples,
                                   double *ret_loss, float *ret_gradient, float *ret_inputs,
                                   GError **error);
