/* Convolutions of single precision on one thread, by oneDNN: the one file that calls it.
 *
 * Images lie in blocks of 8 or of 16 channels, each pixel after pixel: image x channels / lanes x
 * height x width x lanes. In that order a vector holds the channels of a pixel, of AVX2 8 and of
 * AVX-512 16, and oneDNN compiles kernels for the shape at hand. Blocks of 8 give the same bits on
 * every processor with AVX2 where ONEDNN_MAX_CPU_ISA=AVX2 keeps oneDNN from others, which is what
 * --portable sets (cli/environment.c). */
#pragma once

#include <glib.h>

#define ASSAY_CHANNEL_BLOCK 8  /* what numbers of channels are multiples of */
#define ASSAY_CHANNEL_LANES 16 /* the most lanes that a block has */

typedef struct {
  gsize images;
  gsize lanes;   /* channels of a block: 8 or 16 */
  gsize in, out; /* channels; multiples of lanes */
  gsize height, width;
  gsize
      kernel; /* its side; or 0: it has the height and width of the image, which gives one pixel */
  gsize stride;
} AssayConvolutionShape;

/* Odd kernels keep the size of the image with stride 1, by zeros around it. */
gsize assay_convolution_height (const AssayConvolutionShape *shape);
gsize assay_convolution_width (const AssayConvolutionShape *shape);

/* The most lanes for which this processor has kernels, as far as oneDNN may use them. */
gsize assay_convolution_lanes (void);
/* The library and the instructions that it may use at most, such as "oneDNN 2.6.3 AVX2". */
const char *assay_convolution_describe (void);

typedef struct _AssayConvolution AssayConvolution;

/* With n lanes weights are out/n x in/n x kernel x kernel x n in x n out; turned ones, which
 * assay_convolution_turn makes, have both n the other way round.
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
