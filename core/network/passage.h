/* What passes through a tape for a shard of examples: values forward, derivatives back. Of one
 * thread. */
#pragma once

#include "core/network/tape.h"

typedef struct {
  const AssayTape *tape;
  float *values[ASSAY_TAPE_MAX_LAYERS]; /* of the tape's images, in blocks */
  float *deltas[ASSAY_TAPE_MAX_LAYERS];
  gboolean has_deltas[ASSAY_TAPE_MAX_LAYERS]; /* on the way back: something is there to add to */
  float *moments[ASSAY_TAPE_MAX_LAYERS];      /* of normalisations: mean and inverse deviation */
  float *spare;                               /* derivatives that are to be added to others */
  float *input;                               /* planes of one example */
  float *targets;                             /* planes of a target for each image */
  gpointer scratch;                           /* of convolutions */
  float *picture;  /* of a loss of pictures: what is given, and its slopes */
  double *similar; /* what SSIM works in */
  AssayArena arena;
} AssayPassage;

/* Zeroed before; cleared in any case. Without @has_deltas it goes forward alone. */
gboolean assay_passage_init (AssayPassage *passage, const AssayTape *tape, gboolean has_deltas,
                             GError **error);
ASSAY_DECLARE_CLEAR (AssayPassage, assay_passage_clear)

/* Within a parallel loop. From values[ASSAY_TAPE_INPUT] to what the last layer gives.
 * ASSAY_ERROR_CANCELLED upon Ctrl-C, which it asks for before each layer: wide ones take long. */
gboolean assay_passage_forward (AssayPassage *passage, GError **error);

/* Room for the loss: part of assay_passage_init. */
void assay_passage_init_loss (AssayPassage *passage, GError **error);

/* The loss of image @image with target @target (planes), divided by @divisor; sets the derivatives
 * of the last layer. */
double assay_passage_compare (AssayPassage *passage, gsize image, const float *target,
                              double divisor);
/* No loss of image @image. */
void assay_passage_skip (AssayPassage *passage, gsize image);

/* From the derivatives of the last layer to @ret_gradient, of the tape's parameters, and with
 * @to_input to the derivatives of the input. ASSAY_ERROR_CANCELLED likewise. */
gboolean assay_passage_back (AssayPassage *passage, gboolean to_input, float *ret_gradient,
                             GError **error);

/* Image @image of what the network gives, in planes: by the loss probabilities or numbers. */
void assay_passage_output (const AssayPassage *passage, gsize image, float *ret_planes);
