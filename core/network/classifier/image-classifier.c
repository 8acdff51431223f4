/* Residual networks that tell the class of an image. */
#include "core/network/classifier/image-classifier.h"

#include "core/network/u-net.h"

#define STAGES 3

guint
assay_image_classifier_add (AssayTape *tape, const AssayImageClassifier *classifier,
                            gsize n_classes)
{
  guint x = assay_tape_block (tape, ASSAY_TAPE_INPUT, classifier->width, classifier->stride);

  for (gsize stage = 0; stage < STAGES; stage++)
    for (gsize block = 0; block < classifier->blocks; block++)
      x = assay_tape_residual (tape, x, classifier->width << stage,
                               stage > 0 && block == 0 ? 2 : 1);
  return assay_tape_dense (tape, assay_tape_mean (tape, x), n_classes);
}

/* Features of blocks that add up have no bounded size (nothing normalises their sum), so that a
 * layer that was drawn for inputs of variance 1 gives shares near 0 and 1 that training first has
 * to take back: of mixtures, whose labels say little, that took half of 1,900 steps. */
void
assay_image_classifier_begin (AssayTape *tape, guint last)
{
  const AssayLayer *layer = &tape->layers[last];

  for (gsize i = 0; i < layer->n_weights; i++)
    tape->parameters[layer->first + i] = 0;
  assay_tape_turn (tape);
}

void
assay_classifier_images_draw (gpointer data, gsize index, G_GNUC_UNUSED gsize epoch,
                              float *ret_input, float *ret_target)
{
  const AssayClassifierImages *images = data;
  const gsize channels = images->shape.channels,
              pixels = images->shape.height * images->shape.width;
  const double scale = 4 / (images->white - images->black);
  const float *row = assay_view_row (images->rows, index);

  for (gsize c = 0; c < channels; c++)
    for (gsize i = 0; i < pixels; i++)
      *ret_input++ = (float) (scale * ((double) row[i * channels + c] - images->black) - 2);
  for (gsize c = 0; ret_target != NULL && c < images->n_classes; c++)
    ret_target[c] = images->labels[index] == (gint64) c ? 1 : 0;
}
