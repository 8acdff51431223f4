/* What a layer before the last gives. */
#include "core/network/train.h"

/* What the last layer is not made of computes nothing, as the input does. */
static void
leave_out (AssayTape *tape)
{
  gboolean is_needed[ASSAY_TAPE_MAX_LAYERS] = { [ASSAY_TAPE_INPUT] = TRUE };

  is_needed[tape->last] = TRUE;
  for (guint l = tape->last; l > ASSAY_TAPE_INPUT; l--)
    if (is_needed[l])
      is_needed[tape->layers[l].from[0]] = is_needed[tape->layers[l].from[1]] = TRUE;
    else
      tape->layers[l].type = ASSAY_LAYER_INPUT;
}

gboolean
assay_tape_predict_layer (const AssayTape *tape, guint layer, const AssayTapeExamples *examples,
                          float *ret_outputs, GError **error)
{
  AssayTape until = *tape; /* it borrows all that it holds */

  g_return_val_if_fail (layer > ASSAY_TAPE_INPUT && layer < tape->n_layers, FALSE);
  until.last = layer;
  until.n_layers = layer + 1;
  until.loss = ASSAY_TAPE_LOSS_SQUARES;
  leave_out (&until);
  return assay_tape_predict (&until, examples, ret_outputs, error);
}
