/* The guess of the game pair: which mixtures are compared, and what the pairs of them score. */
#pragma once

#include "core/plugin/plugin.h"

#define MIXTURE_PARAMETER_PAIRS(Struct, ...)                                                       \
  ASSAY_PARAM_INT (Struct, pairs, 1000000, 1, 1000000000, "",                                      \
                   "The most pairs that are scored; of more mixtures, the pairs of a random "      \
                   "subset",                                                                       \
                   ##__VA_ARGS__)

/* How many of @n mixtures have at most @pairs pairs. */
gsize pair_guess_size (gsize n, gint64 pairs);

/* The scores of all pairs i < j of the m mixtures @items, ascending, packed by rows as
 * mixture_pair_products has them. */
typedef gboolean (*PairScore) (gpointer data, const gsize *items, gsize m, float *ret_scores,
                               GError **error);

typedef struct {
  gint64 pairs; /* at most */
  AssayStreamKey key;
  PairScore score;
  gpointer data;
} PairScoring;

/* The guess: pairs of the mixtures of @release, of all or of a random subset of pair_guess_size,
 * and their scores. ASSAY_ERROR_MISMATCH where there are not two. */
gboolean pair_guess_make (const AssayRelease *release, const PairScoring *scoring,
                          AssayGuess *ret_guess, GError **error);

/* What an inversion found in each mixture, and for PairScore: for each estimate that both mixtures
 * have, 1 and its fit. */
typedef struct {
  const gint64 *estimates; /* n x per; -1: not known */
  const double *fits;      /* of each estimate, 0 to 1 */
  gsize per;
} PairEstimates;

gboolean pair_guess_shared (gpointer estimates, const gsize *items, gsize m, float *ret_scores,
                            GError **error);

/* The images of the mixtures @items: m x d. */
AssayMatrix *pair_guess_rows (const AssayRelease *release, const gsize *items, gsize m,
                              GError **error);
