/* The network of a release of kind network, as whoever has the release can use it. */
#pragma once

#include "core/data/exchange.h"
#include "core/network/classifier/image-classifier.h"

typedef struct {
  AssayTape *tape;              /* the release's weights */
  AssayClassifierImages images; /* as it takes them; rows and labels are the caller's to set */
} AssayReleasedNetwork;

ASSAY_DECLARE_CLEAR (AssayReleasedNetwork, assay_released_network_clear)

/* @ret_network zeroed before. ASSAY_ERROR_MISMATCH for a release that does not say what network it
 * is of, or has another number of weights than such a network, or numbers of an image with black
 * and white alike; ASSAY_ERROR_MEMORY. */
gboolean assay_released_network_open (const AssayRelease *release,
                                      AssayReleasedNetwork *ret_network, GError **error);
/* The shares that it gives the classes of @rows: rows x classes. ASSAY_ERROR_MISMATCH for rows of
 * another size, ASSAY_ERROR_NUMERIC for numbers that are not finite; ASSAY_ERROR_CANCELLED. */
gboolean assay_released_network_predict (AssayReleasedNetwork *network, AssayView rows,
                                         float *ret_shares, GError **error);
/* The weights of such a network: what a release holds. */
gsize assay_released_network_count (const AssayImageClassifier *classifier, AssayTapeShape image,
                                    gsize n_classes);
