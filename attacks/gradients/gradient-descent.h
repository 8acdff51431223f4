/* Images and labels whose gradient is that of a known network that was shared: descent on the
 * distance of the two. */
#pragma once

#include "core/network/sigmoid-network.h"

typedef struct {
  const float *gradient; /* what was shared, of all weights */
  gsize n_weights;
  gsize n_images; /* numbers of the images of a batch, and of their labels */
  gsize n_labels;
  gsize classes;
  gsize height, width, channels; /* of an image */
} GradientTarget;

typedef struct {
  gsize starts;     /* at most */
  gsize iterations; /* of each, and of each weight of the total variation */
  double enough;    /* a misfit below which it ends */
  double smooth;    /* weight of the total variation of the images at first; 0: none */
  gboolean knows_labels; /* each image is of one class, which follows from the biases' gradient */
} GradientSearch;

typedef struct {
  float *images;    /* of the caller: those with the least misfit; 0 where all diverged */
  double misfit;    /* |g - g'|^2 / |g|^2 of the best start; infinite: all have diverged */
  gsize n_diverged; /* starts that ended higher than they began, or nowhere */
} GradientMatch;

/* Several starts, each from normal numbers of @stream. ASSAY_ERROR_MEMORY. */
gboolean gradient_descend (const GradientTarget *target, const GradientSearch *search,
                           AssaySigmoidPass *pass, AssayStream *stream,
                           GradientMatch *inout_match, GError **error);

/* Bytes that it works in, beyond the pass. */
guint64 gradient_descent_bytes (guint64 n_weights, guint64 n_images, guint64 n_labels);
