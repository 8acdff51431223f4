/* Which two secrets are in each mixture and with what weights, before any image is known. */
#pragma once

#include "attacks/inversion/mixture-intake.h"

#define MIXTURE_LEAST_AGREEMENT                                                                    \
  3.0 /* standard deviations, below which labels are taken for \
                                     * invented */

/* Pairs, weights and noise of the state from squares of mixtures under the inverse covariance of
 * squared mixtures of public images: their embedding (mixture-embedding.h, with random start number
 * @start of @key), and centres in it (mixture-clusters.h). The state's labels are given up where
 * they have nothing to do with the pairs (mixture-labels.h). */
gboolean mixture_start_squares (AssayStreamKey key, guint64 start, MixtureIntake *intake,
                                GError **error);

/* The same from @parts (mixture-parts.h) of the state's mixtures, under the inverse covariance of
 * public images. */
gboolean mixture_start_parts (AssayStreamKey key, guint64 start, AssayView parts,
                              MixtureIntake *intake, GError **error);
