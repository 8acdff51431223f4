/* Releases of kind gradients: of a network's loss on images and their labels, by its weights. */
#pragma once

#include "core/data/exchange.h"

G_BEGIN_DECLS

/* Networks that gradients are of (core/network/sigmoid-network.h). */
typedef enum {
  ASSAY_SIGMOID_CONVOLUTIONAL, /* 5 x 5 with strides 2, 2 and 1, then dense (Zhu, Liu and Han 2019,
                                * "Deep Leakage from Gradients", section 4.1) */
  ASSAY_SIGMOID_DENSE,         /* two dense layers */
} AssaySigmoidForm;

extern const char *const assay_sigmoid_forms[];

/* The network and what it was given. */
typedef struct {
  gint64 batch;                   /* images of one gradient, which is their mean */
  gint64 height, width, channels; /* of an image */
  gint64 classes;
  guint network; /* AssaySigmoidForm */
  gint64 units;  /* channels of its convolutions, or numbers that its first layer gives */
} AssayGradientsParameters;

G_END_DECLS
