/* The steps of an audit: protect, attack, measure, and what a utility assesses. A run is made of
 * these, and so are the subcommands that work on folders. */
#pragma once

#include "core/plugin/plugin.h"
#include "runner/run/sight/sight.h"

/* Secrets on their way to a defense, with what is known of them. Arrays have one entry a row, or
 * are NULL. */
typedef struct {
  AssayView rows;
  const gint64 *groups;
  const gint64 *labels;
  const gint64 *label_sets;   /* x label_words: see AssayRoleData */
  gsize label_words;
  const gint64 *attributes;   /* x n_attributes */
  gsize n_attributes;
  const gint64 *counterparts; /* see AssayDataset */
  const float *frames;        /* x 4: see AssayRoleData */
  const float *originals;     /* x n_original_cols: see AssayRoleData */
  gsize n_original_cols;
  gsize n_classes;
  const AssayArray *edges; /* int64 E x 2 of places among the rows */
  gsize first_cols;        /* see AssayDataset */
  AssayGeometry geometry;
  AssayRunPosition position; /* which secrets of a run they are, for external releases */
} AssaySecrets;

/* Secrets as a truth that no defense has changed, and back; the latter borrows from @truth, and
 * counts as many classes as the labels have. */
AssayTruth *assay_truth_of (const AssaySecrets *secrets, GError **error);
gboolean assay_secrets_of (const AssayTruth *truth, AssaySecrets *ret_secrets, GError **error);

/* How secrets are protected. */
typedef struct {
  const AssaySettings *settings;
  AssayStreamKey stream;
  AssayStreamKey common; /* of all releases of these secrets */
  const AssayKnowledge *knowledge;
  const AssayRelease *key_of; /* see AssayDefenseContext */
} AssayProtecting;

/* Protects @secrets. What is known of them beside their values goes into the truth. The release is
 * checked by the rules of its kind. */
gboolean assay_step_protect (const AssayDefense *defense, const AssayProtecting *protecting,
                             const AssaySecrets *secrets, AssayRelease **ret_release,
                             AssayTruth **ret_truth, GError **error);

/* Attacks the release with exactly what is granted. ASSAY_ERROR_MISMATCH for a release kind that
 * the attack does not read, a grant that it needs and has not, and knowledge of another
 * dimension. */
gboolean assay_step_attack (const AssayAttack *attack, const AssaySettings *settings,
                            AssayStreamKey stream, const AssayGranted *granted,
                            AssayGuess **ret_guess, GError **error);

/* The attack's control with a case that is like what it is granted (core/games/control-like.h), of
 * which @key is the stream; n of @ret_outcome is 0 where none can be made. */
gboolean assay_step_control (const AssayAttack *attack, const AssayAttackContext *context,
                             AssayStreamKey key, const AssayGranted *granted,
                             AssayControlOutcome *ret_outcome, GError **error);

/* Whether guess, truth, dataset and release (the last two NULL: none) hold what @metric reads. */
gboolean assay_metric_applies (const AssayMetric *metric, const AssayDataset *dataset,
                               const AssayRelease *release, const AssayTruth *truth,
                               const AssayGuess *guess);

/* NULL, or why estimates are not measured: they are the release's own numbers, which are in another
 * space than the secrets (a projection, a thumbnail). */
char *assay_metric_lacks (const AssayRelease *release, const AssayTruth *truth,
                          const AssayGuess *guess);

/* Outcomes per unit, checked to be finite. */
gboolean assay_step_measure (const AssayMetric *metric, const AssayMetricContext *context,
                             const AssayTruth *truth, const AssayGuess *guess,
                             AssayOutcomes *ret_outcomes, GError **error);
/* The same of a utility. */
gboolean assay_step_assess (const AssayUtility *utility, const AssayUtilityContext *context,
                            const AssayReceived *received, AssayOutcomes *ret_outcomes,
                            GError **error);

/* The groups of the truth, one number per secret, or NULL. */
const gint64 *assay_truth_groups (const AssayTruth *truth);
/* The numbers that an attack with the grant `groups` is given: those of the secrets, or of images
 * that secrets were mixed into. NULL: there are none. */
const gint64 *assay_truth_released_groups (const AssayTruth *truth);
