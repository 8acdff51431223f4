/* The baseline of private graphs that clips nothing: items are clustered by their features, which
 * are public, and what is released are the numbers of edges inside each cluster and between each
 * two, with Gaussian noise.
 *
 * An edge more or less is in one of these numbers, so that their sensitivity is 1 whatever the
 * degrees, and noise of deviation 1 / mu has epsilon at delta (Balle and Wang 2018; mu as
 * gaussian-privacy.h says). A pair of items then weighs as much as its number says: clamped at 0,
 * divided by how many pairs there are of these clusters, and by the mean of that over all; and W^
 * = ln (1 + w), divided by the largest, as dmp-graph has it. All of this is done to noisy numbers.
 *
 * Clusters are those of k-means on rows of each modality minus their mean and of length 1, whose
 * inner product is the mean of both cosines (core/graph/likeness.h), so that no modality counts for
 * more than the other; it draws what all releases of the same items share.
 *
 * An audit plays four items in two clusters of two: what other clusters release is the same with
 * the edge and without it. */
#include "defenses/graphs/block-release.h"

static gboolean
protect (const AssayDefenseContext *context, AssayView items, AssayRelease *ret_release,
         G_GNUC_UNUSED AssayTruth *ret_truth, GError **error)
{
  return block_release_make (context->settings, context, items, ret_release, error);
}

/* ---- Descriptor ---- */

ASSAY_DEFENSE (block_counts, "block-counts",
  .summary = "Release noisy counts of edges between clusters of public features",
  .reference = { "Assay; Balle and Wang 2018, Improving the Gaussian Mechanism for Differential "
                 "Privacy",
                 "a baseline; theorem 8" },
  ASSAY_SETTINGS (BlockCounts,
    BLOCK_PARAMETERS),
  .holds = { .items = 4, .secret_pairs = 12 },
  .produces = ASSAY_RELEASE_GRAPH,
  .claim = "(epsilon, delta)-differential privacy of the graph, between graphs that differ in one "
           "edge",
  .mechanism = &block_mechanism,
  .protect = protect);
