/* DMP-MH (Cheng, Dai and Sun 2026): hash functions of two modalities that are trained on what is
 * released of a private graph.
 *
 * The first phase is dmp-graph: weights W^ of pairs of items, with noise. In the second, which sees
 * W^ and features, an encoder of each modality gives numbers u = tanh (f (x)) and v = tanh (g (z)),
 * K of either, of columns of mean 0 and deviation 1; Adam lowers, over batches of B items, the loss
 * of equation 3 and the quantisation loss (structural-training.h):
 *   mean over pairs of (S (u_i, u_j) - W^_ij)^2 + (S (v_i, v_j) - W^_ij)^2
 *                      + lambda (S (u_i, v_j) - W^_ij)^2,   S (a, b) = (a . b / K + 1) / 2,
 *   gamma times the mean over numbers of (|u| - 1)^2 + (|v| - 1)^2.
 * The paper prints sums. It has neither lambda, gamma, rate nor steps; they are settings here, and
 * means make them independent of B and K. A graph has no loops, so that W^_ii = 0 would push apart
 * the two codes of an item itself: `diagonal = one` says 1, `zero` is as printed.
 *
 * The encoders of the paper are ResNet-50 and DistilBERT; these are linear, or have one layer of
 * ReLUs: features are what such networks gave. A bit is f (x) > 0. `graph = none` is the control
 * without a graph: W^ is 0 between all items, and what comes of it is of features alone. */
#include "defenses/graphs/dmp-mechanism.h"
#include "defenses/graphs/dmp-pairs.h"
#include "defenses/graphs/dmp-release.h"
#include "defenses/graphs/structural-training.h"

typedef struct {
  DmpGraph graph;
  STRUCTURAL_FIELDS;
} DmpMh;

/* What the first phase says of the graph stays with it, but which graph it is: `graph = features`
 * has one of its own. */
static AssayRelease *
release_graph (const DmpMh *settings, const AssayDefenseContext *context, AssayView items,
               AssayTruth *ret_truth, GError **error)
{
  g_autoptr (AssayRelease) release = assay_release_new (ASSAY_RELEASE_GRAPH, "dmp-graph");
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  const AssayArray *edges;

  if (!dmp_release_make (&settings->graph, context, items, release, truth, error))
    return NULL;
  edges = assay_arrays_get (&truth->arrays, "edges");
  if (edges != NULL)
    assay_arrays_take (&ret_truth->arrays, "edges", assay_array_copy (edges));
  return g_steal_pointer (&release);
}

static gboolean
protect (const AssayDefenseContext *context, AssayView items, AssayRelease *ret_release,
         AssayTruth *ret_truth, GError **error)
{
  const DmpMh *settings = context->settings;
  g_autoptr (AssayRelease) release = NULL;
  AssayView rows[ASSAY_N_PAIRED];

  if (!paired_split (context, items, rows, error))
    return FALSE;
  if (settings->graph.graph != DMP_NONE && context->key_of == NULL) {
    release = release_graph (settings, context, items, ret_truth, error);
    if (release == NULL)
      return FALSE;
  }
  return structural_release (&(StructuralMethod){ &settings->structural, release }, context, items,
                             ret_release, ret_truth, error);
}

/* ---- Descriptor ---- */

ASSAY_MEMORY (memory, DmpMh,
              dmp_release_memory (&settings->graph, shape)
                  + (settings->graph.support == DMP_SUPPORT_ALL
                         ? 12 * (guint64) shape->n_secrets * shape->n_secrets
                         : 0)
                  + structural_memory (&settings->structural, shape))

static gboolean
check (gconstpointer data, const AssayShape *shape, GError **error)
{
  return dmp_pair_check (&((const DmpMh *) data)->graph, shape, error);
}

ASSAY_DEFENSE (dmp_mh, "dmp-mh",
  .summary = "Train hash functions of two modalities on noisy triangle counts of a private graph",
  .reference = { ASSAY_PAPER_DMP_MH, "section 3, algorithm 1" },
  ASSAY_SETTINGS (DmpMh,
    DMP_GRAPH_PARAMETERS,
    STRUCTURAL_PARAMETERS (DmpMh)),
  .check = check,
  .memory = memory,
  .produces = ASSAY_RELEASE_PAIRED_CODES,
  .claim = "(epsilon, delta)-differential privacy of the graph, between graphs that differ in one "
           "edge",
  .mechanism = &dmp_mechanism,
  .protect = protect);
