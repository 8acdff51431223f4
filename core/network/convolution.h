/* Convolutions of single precision on one thread, by oneDNN: the one file that calls it.
 *
 * Images lie in blocks of 8 channels, each pixel after pixel: image x channels / 8 x height x width
 * x 8. In that order a vector of AVX2 holds the 8 channels of a pixel, and oneDNN compiles kernels
 * for the shape at hand. It is kept from wider vectors, so that every processor with AVX2 computes
 * the same bits. */
#pragma once

#include <glib.h>

#define ASSAY_CHANNEL_BLOCK 8

typedef struct {
  gsize images;
  gsize in, out; /* channels; multiples of ASSAY_CHANNEL_BLOCK */
  gsize height, width;
  gsize
      kernel; /* its side; or 0: it has the height and width of the image, which gives one pixel */
  gsize stride;
} AssayConvolutionShape;

/* Odd kernels keep the size of the image with stride 1, by zeros around it. */
gsize assay_convolution_height (const AssayConvolutionShape *shape);
gsize assay_convolution_width (const AssayConvolutionShape *shape);

typedef struct _AssayConvolution AssayConvolution;

/* Weights are out/8 x in/8 x kernel x kernel x 8 in x 8 out; turned ones, which
 * assay_convolution_turn makes, have both eights the other way round.
 * ASSAY_ERROR_NUMERIC where the library has no such convolution. */
AssayConvolution *assay_convolution_new (const AssayConvolutionShape *shape, GError **error);
void assay_convolution_free (AssayConvolution *convolution);

gsize assay_convolution_weights (const AssayConvolutionShape *shape); /* how many there are */
void assay_convolution_turn (const AssayConvolutionShape *shape, const float *weights,
                             float *ret_turned);
/* Where the weight from channel @in to @out lies, at @place = row x columns + column of the
 * kernel. */
gsize assay_convolution_place (const AssayConvolutionShape *shape, gsize out, gsize in,
                               gsize place);

/* Bytes, aligned to 64, that each of the three works in. A thread has its own. */
gsize assay_convolution_scratch (const AssayConvolution *convolution);

/* They are called inside of assay_parallel_for, from several threads at once. */
void assay_convolution_forward (const AssayConvolution *convolution, const float *const *parameters,
                                const float *inputs, float *ret_outputs, gpointer scratch);
void assay_convolution_to_inputs (const AssayConvolution *convolution, const float *turned,
                                  const float *deltas, float *ret_inputs, gpointer scratch);
void assay_convolution_to_weights (const AssayConvolution *convolution, const float *inputs,
                                   const float *deltas, float *const *ret_gradients,
                                   gpointer scratch);
