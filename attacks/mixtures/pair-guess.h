/* The guess of the game pair: which mixtures are compared, and what the pairs of them score. */
#pragma once

#include "core/plugin/plugin.h"

#define MIXTURE_PARAMETER_PAIRS(Struct)                                                            \
  ASSAY_PARAM_INT (Struct, pairs, 1000000, 1, 1000000000, "",                                      \
                   "The most pairs that are scored; of more mixtures, the pairs of a random "      \
                   "subset")

/* How many of @n mixtures have at most @pairs pairs. */
gsize pair_guess_size (gsize n, gint64 pairs);

/* The mixtures of @release that are compared, all or a random subset of pair_guess_size of them:
 * their numbers, ascending, and rows. ASSAY_ERROR_MISMATCH where there are not two. */
gboolean pair_guess_choose (const AssayRelease *release, gint64 pairs, AssayStreamKey key,
                            gsize **ret_items, AssayMatrix **ret_rows, GError **error);

/* Into the guess: pairs i < j of the @m @items, whose @scores are packed by rows as
 * mixture_pair_products has them and are taken over. */
gboolean pair_guess_take (AssayGuess *ret_guess, const gsize *items, gsize m, float *scores,
                          GError **error);
