/* Residual networks that tell the class of an image (He, Zhang, Ren and Sun 2016, "Deep Residual
 * Learning for Image Recognition", section 4.2): a convolution, three stages of `blocks` residual
 * blocks of width, 2 width and 4 width channels, of which the second and third halve the image (as
 * does the first convolution, with a `stride` of 2), the mean over pixels, and the classes.
 * Normalisation is in groups of 8 channels (core/network/tape.h) in place of that of batches. */
#pragma once

#include "core/data/matrix.h"
#include "core/network/tape.h"

typedef struct {
  gsize width; /* a multiple of 8 */
  gsize blocks;
  gsize stride; /* of the first convolution */
} AssayImageClassifier;

/* Adds its layers to a tape that has none, and gives the last one: @n_classes numbers. */
guint assay_image_classifier_add (AssayTape *tape, const AssayImageClassifier *classifier,
                                  gsize n_classes);
/* Of a tape that was finished with layer @last: all classes are equally likely to begin with. */
void assay_image_classifier_begin (AssayTape *tape, guint last);

/* Images as such a network takes them: levels from -2 for black to 2 for white, so that photographs
 * vary by about 1. Nothing is measured on the images themselves. */
typedef struct {
  AssayTapeShape shape;
  double black, white;  /* not equal */
  AssayView rows;       /* channels interleaved */
  const gint64 *labels; /* NULL where no targets are asked for */
  gsize n_classes;
} AssayClassifierImages;

/* `draw` of AssayTapeExamples with such images as data. */
void assay_classifier_images_draw (gpointer data, gsize index, gsize epoch, float *ret_input,
                                   float *ret_target);
