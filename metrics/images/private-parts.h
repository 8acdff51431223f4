/* What mixtures hold of secrets. */
#pragma once

#include "core/plugin/plugin.h"

/* sum_j l_j x_j / sum_j l_j over the secrets x_j of each mixture, by the truth's sources and
 * coefficients, with the rows of @images (as many as there are secrets) in the secrets' place.
 * ASSAY_ERROR_MISMATCH where the truth does not say how secrets were mixed. */
AssayMatrix *metric_private_parts (const AssayTruth *truth, AssayView images, GError **error);
