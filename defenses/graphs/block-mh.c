/* Hash functions of two modalities that are trained on what block-counts releases of a private
 * graph, as DMP-MH's second phase trains them on what dmp-graph does: the baseline that shows how
 * much of the graph codes can have at the same epsilon. W^ of two items is of the number of edges
 * between their clusters, which many items share, where DMP-MH has a noisy number for each pair.
 *
 * Its controls are `edges = no`, noise alone, and `edges = clusters`, in which W^ is 1 inside of
 * clusters and 0 between them: what comes of clusters alone, and so of features. The gain over that
 * is what codes owe to the graph. */
#include "defenses/graphs/block-release.h"
#include "defenses/graphs/structural-training.h"

typedef struct {
  BlockCounts counts;
  STRUCTURAL_FIELDS;
} BlockMh;

static gboolean
protect (const AssayDefenseContext *context, AssayView items, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const BlockMh *settings = context->settings;
  g_autoptr (AssayRelease) graph = assay_release_new (ASSAY_RELEASE_GRAPH, "block-counts");
  const StructuralMethod method = { &settings->structural, context->key_of == NULL ? graph : NULL };
  AssayView rows[ASSAY_N_PAIRED];

  return paired_split (context, items, rows, error)
         && (context->key_of != NULL
             || block_release_make (&settings->counts, context, items, graph, error))
         && structural_release (&method, context, items, ret_release, ret_truth, error);
}

ASSAY_MEMORY (memory, BlockMh, structural_memory (&settings->structural, shape))

ASSAY_DEFENSE (block_mh, "block-mh",
  .summary = "Train hash functions of two modalities on noisy counts of edges between clusters",
  .reference = { "Assay; Cheng, Dai and Sun 2026, Differentially Private Motif-Preserving "
                 "Multi-modal Hashing",
                 "a baseline; section 3.5" },
  ASSAY_SETTINGS (BlockMh,
    BLOCK_PARAMETERS,
    STRUCTURAL_PARAMETERS (BlockMh)),
  .holds = { .items = 4, .secret_pairs = 12 },
  .memory = memory,
  .produces = ASSAY_RELEASE_PAIRED_CODES,
  .claim = "(epsilon, delta)-differential privacy of the graph, between graphs that differ in one "
           "edge",
  .mechanism = &block_mechanism,
  .protect = protect);
