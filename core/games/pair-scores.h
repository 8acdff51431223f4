/* Scores of pairs of released items against the truth: who shares a secret, and how often a pair
 * that does is scored above one that does not. */
#pragma once

#include "core/data/exchange.h"

/* The lowest number of a secret that is in both items, by the truth's `sources` (N x s); -1 where
 * there is none. */
gint64 assay_pair_shared (const AssayArray *sources, gint64 a, gint64 b);

/* Scores of pairs, and the secret that each has in common, as above. */
typedef struct {
  const float *scores;
  const gint64 *shared;
  gsize n;
} AssayPairScores;

/* For each of the scores whose `shared` is not negative (a positive), the share of the negatives
 * with a lower score, equal ones counted half: its placement, whose mean over the positives is the
 * area under the ROC curve (DeLong, DeLong and Clarke-Pearson 1988, "Comparing the areas under two
 * or more correlated receiver operating characteristic curves", section 2). Entries of negatives
 * are left alone. @ret_threshold (may be NULL): the least score such that at most the share @rate
 * of the negatives is above it. ASSAY_ERROR_DATA without a positive, or without a negative. */
gboolean assay_pair_placements (const AssayPairScores *pairs, double rate, double *ret_placements,
                                float *ret_threshold, GError **error);
