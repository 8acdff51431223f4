/* Rules for the encrypted messages of a release of kind updates, which others may have made. */
#pragma once

#include "core/data/exchange.h"

/* What the release says of its federation. */
typedef struct {
  gsize users; /* 0: it does not say */
  gsize steps;
  gsize weights;
} UpdateSizes;

/* ASSAY_ERROR_MISMATCH for arrays whose sizes do not go together: a modulus of another length than
 * the ciphertexts, as many columns as there are no ciphertexts, permutations of other weights.
 * ASSAY_ERROR_DATA for rows, senders, steps and permutations that cannot be. */
gboolean update_messages_check (const AssayRelease *release, const UpdateSizes *sizes,
                                GError **error);
