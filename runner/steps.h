/* The three steps of an audit: protect, attack, measure. A run is made of these, and so are the
 * subcommands that work on folders. */
#pragma once

#include "core/plugin.h"

G_BEGIN_DECLS

/* Knowledge that can be granted. What is not at hand is NULL. */
typedef struct {
  AssayRows *database;
  AssayRows *public_rows;
} AssayKnowledge;

/* Protects @secrets (n x d). @groups (n numbers, or NULL) go into the truth alone. The results are
 * checked: kind, sizes, finite values, orthonormal bases. */
gboolean assay_step_protect (const AssayDefense *defense, const AssaySettings *settings,
                             AssayStreamKey stream, AssayView secrets, const gint64 *groups,
                             const AssayRows *database, AssayRelease **ret_release,
                             AssayTruth **ret_truth, GError **error);

/* Attacks @release with exactly @grants of @knowledge. @groups: one number per secret, or NULL.
 * ASSAY_ERROR_MISMATCH for a release kind that the attack does not read, a grant that it needs and
 * has not, and knowledge of another dimension. */
gboolean assay_step_attack (const AssayAttack *attack, const AssaySettings *settings,
                            AssayStreamKey stream, const AssayRelease *release, guint grants,
                            const AssayKnowledge *knowledge, const gint64 *groups,
                            AssayGuess **ret_guess, GError **error);

/* Whether the guess and the truth hold what @metric reads. */
gboolean assay_metric_applies (const AssayMetric *metric, const AssayTruth *truth,
                               const AssayGuess *guess);

/* Outcomes per secret, checked to be finite. */
gboolean assay_step_measure (const AssayMetric *metric, const AssaySettings *settings,
                             const AssayTruth *truth, const AssayGuess *guess,
                             AssayOutcomes *ret_outcomes, GError **error);

/* The groups of the truth, one number per secret, or NULL. */
const gint64 *assay_truth_groups (const AssayTruth *truth);

G_END_DECLS
