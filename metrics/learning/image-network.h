/* A residual network that knows images (core/network/classifier/image-classifier.h). Training
 * images are shifted by up to `shift` pixels each way, with the mean image around them, and
 * mirrored half of the time (He, Zhang, Ren and Sun 2016, section 4.2). */
#pragma once

#include "core/network/train.h"
#include "metrics/learning/network-input.h"

typedef struct {
  gsize width; /* a multiple of 8 */
  gsize blocks;
  gsize stride; /* of the first convolution */
  gsize shift;  /* pixels */
  gboolean is_mirrored;
  AssayTapeTraining training;
} ImageNetwork;

/* Rows as a network takes them, and of each the shares of classes. */
typedef struct {
  const AssayGeometry *geometry; /* of rows */
  gsize planes;                  /* 2 where a row is followed by its other form, else 1 */
  AssayView inputs;
  AssayView shares; /* when it is trained */
} ImageNetworkRows;

/* What training takes, for rows of @geometry and @planes. */
AssayTapeSize image_network_size (const ImageNetwork *settings, const AssayGeometry *geometry,
                                  gsize planes, gsize n_classes);
/* Keeps the weights of before it diverged, of which @ret_report tells. */
AssayTape *image_network_train (const ImageNetwork *settings, const ImageNetworkRows *rows,
                                AssayStreamKey key, AssayTapeReport *ret_report, GError **error);
/* n x classes */
gboolean image_network_predict (const AssayTape *tape, const ImageNetworkRows *rows,
                                float *ret_shares, GError **error);
