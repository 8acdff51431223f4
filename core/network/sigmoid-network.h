/* Small networks of convolutions and sigmoids, in double: the gradient of their loss by the
 * weights, and how it changes with images and labels.
 *
 * What a tape (core/network/tape.h) has no use for: networks of a dozen channels and batches of a
 * few images, whose gradients are matched by line searches that want all digits. Convolutions are
 * matrix products of unfolded images, and sigmoids have a second derivative everywhere.
 *
 * Images are rows as secrets are: height x width pixels of interleaved channels. */
#pragma once

#include "core/base/rng.h"
#include "core/data/kinds/gradients.h"

#define ASSAY_SIGMOID_MAX_LAYERS 4

typedef struct {
  gsize channels; /* that it gives */
  gsize kernel;   /* its side, odd, with zeros around the image; 0: the whole image, one pixel */
  gsize stride;
} AssaySigmoidLayer;

/* All layers but the last end in a sigmoid; the last gives the classes. */
typedef struct {
  gsize height, width, channels; /* of an image */
  gsize n_layers;
  AssaySigmoidLayer layers[ASSAY_SIGMOID_MAX_LAYERS];
} AssaySigmoidShape;

/* @units: channels of each convolution, or numbers that the first dense layer gives. */
AssaySigmoidShape assay_sigmoid_shape (AssaySigmoidForm form, const AssayGeometry *image,
                                       gsize units, gsize classes);

/* Layer after layer, each channels x kernel x kernel x channels before, then channels biases. */
guint64 assay_sigmoid_weights (const AssaySigmoidShape *shape);

/* Uniform weights and biases: up to 0.5 of convolutional networks, as the code of Zhu et al. has
 * it; of dense ones, where so large ones would leave no sigmoid a slope, up to 1 / sqrt (fan-in).
 * From one item of the stream. */
void assay_sigmoid_draw (const AssaySigmoidShape *shape, AssaySigmoidForm form,
                         AssayStream *stream, float *ret_weights);

/* What one thread computes in. */
typedef struct _AssaySigmoidPass AssaySigmoidPass;

guint64 assay_sigmoid_pass_bytes (const AssaySigmoidShape *shape, gsize batch);
/* @weights are copied. ASSAY_ERROR_MEMORY. */
AssaySigmoidPass *assay_sigmoid_pass_new (const AssaySigmoidShape *shape, gsize batch,
                                          const float *weights, GError **error);
ASSAY_DECLARE_FREE (AssaySigmoidPass, assay_sigmoid_pass_free)

/* The mean over the batch of L = -sum_c y_c ln p_c with p = softmax z, and its gradient g by the
 * weights. @images: batch x numbers of an image; @labels y: batch x classes. */
double assay_sigmoid_differentiate (AssaySigmoidPass *pass, const double *images,
                                    const double *labels, double *ret_gradient);

/* After that, at the same images and labels: d (v . g) / d images and d (v . g) / d labels for a
 * @direction v of the weights. Since v . dL/dW is how fast L grows as the weights move along v, it
 * is how fast dL/dx changes then: one pass forward and back of tangents (Pearlmutter 1994, "Fast
 * exact multiplication by the Hessian"). */
void assay_sigmoid_pull (AssaySigmoidPass *pass, const double *direction, double *ret_images,
                         double *ret_labels);
