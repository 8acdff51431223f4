/* The game edge: which secrets does the private graph join? Rows of secrets are known to everybody
 * where a graph between them is what is private. A guess has `edge-scores` of all pairs i < j of
 * secrets, in the order of assay_pair_number, or of the pairs in `edge-pairs` (e x 2, i < j) alone:
 * higher, the more likely they are joined. The truth has `edges`. */
#pragma once

#include "core/plugin/attack.h"

/* Secrets that the release joins. */
gsize assay_edge_count_nodes (const AssayRelease *release);

/* The pairs that a guess has scores of. */
typedef struct {
  gsize count;
  const float *scores; /* of the guess */
  guint32 *ends;       /* two of each */
  guint8 *is_edge;
} AssayEdgeScores;

ASSAY_DECLARE_CLEAR (AssayEdgeScores, assay_edge_scores_clear)

/* ASSAY_ERROR_MISMATCH for a guess that is not about the secrets of the truth. */
gboolean assay_edge_scores_of (const AssayTruth *truth, const AssayGuess *guess,
                               AssayEdgeScores *ret_scores, GError **error);

/* ---- For the one way in which attacks are called ---- */

gboolean assay_edge_check (const AssayObservation *seen, const AssayGuess *guess, GError **error);
/* What is won is the area under the ROC curve: edges against all other pairs of the guess. */
gboolean assay_edge_judge (const AssayTruth *truth, const AssayGuess *guess,
                           AssayControlOutcome *ret_outcome, GError **error);
