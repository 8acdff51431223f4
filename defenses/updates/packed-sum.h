/* Sums of what users send, with several weights in one ciphertext (core/crypto/packing.h): all
 * weights are sent, so that nothing is sparse and there are no supports to hide. */
#pragma once

#include "core/crypto/paillier-setup.h"
#include "defenses/updates/federation.h"

typedef struct {
  double largest; /* the bound on weights that all users know */
  gsize steps;
  gboolean cheats; /* the aggregator adds one message up */
} PackedSumSettings;

typedef struct PackedSum PackedSum;

/* Takes @setup. */
PackedSum *packed_sum_new (const PackedSumSettings *settings, AssayPaillierSetup *setup);
void packed_sum_free (PackedSum *sum);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PackedSum, packed_sum_free)

/* The `sum` of a FederationProtocol whose data is a PackedSum. ASSAY_ERROR_NUMERIC names the
 * largest weight where it is above the bound; ASSAY_ERROR_PARAMETER: more users than a slot has
 * room for. */
gboolean packed_sum_add (const Federation *federation, gsize step, AssayView sent, gpointer data,
                         float *ret_sum, GError **error);

/* What the parties saw, as arrays of a release of kind updates. */
void packed_sum_take (PackedSum *sum, AssayRelease *ret_release);
