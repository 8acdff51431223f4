/* A trained network against the test rows of a dataset. */
#pragma once

#include "core/math/network.h"
#include "metrics/learning/encryption.h"
#include "metrics/learning/image-network.h"
#include "metrics/learning/network-input.h"

#define NETWORK_TEST_CHUNK 1024 /* rows at a time */

typedef struct {
  const AssayNetwork *network;
  const AssayTape *tape;         /* in its place, of images; */
  const AssayGeometry *geometry; /* of these */
  const NetworkInput *input;
  const Encryption *encryption; /* NULL: rows are classified as they are */
  /* Of the encryption's secrets, a class each: predictions are put together by who knows them
   * (metrics/learning/owner-reading.h); NULL: by their mean. */
  const gint64 *owner_labels;
  AssayScale scale;
} NetworkTest;

/* ASSAY_ERROR_DATA for a label that is no class, naming it and @what it is the label of. */
gboolean network_test_check_labels (const gint64 *labels, gsize n, gsize n_classes,
                                    const char *what, GError **error);

/* For every test row whether its class is given the largest share (1 or 0; of equal shares the
 * first counts), and -ln of the share of its class, which is finite: shares below the least normal
 * float32 count as that. Shares are means over encryptions, or what their owner makes of them. */
gboolean network_test_run (const NetworkTest *test, const AssayDataset *dataset, double *ret_right,
                           double *ret_losses, GError **error);
