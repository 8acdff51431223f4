/* Learning numbers from numbers by whichever learner does best on rows that it did not see: ridge
 * regression, the same of rows that go together (trimmed-ridge.h) and, where lengths of rows differ
 * much, of their directions, nearest neighbours, or a network for what ridge leaves over.
 *
 * A fifth of the rows is held out; where rows come in parts that differ as the rows to come
 * will (releases under keys of their own), whole parts are. All learners run a race on at most
 * 1000 rows, and the one with the least squared error on held-out rows learns from all others;
 * ridge wins unless another is better by a fiftieth, and by a thousandth of the variance; and the
 * two that are like ridge win only if they are better on all rows as well. Its error there is what
 * it expects of rows to come. It has learned something where it beats the best constant by a test
 * on the held-out rows: a paired one-sided test of the squared errors at z = 3, and in each
 * held-out part. Otherwise it predicts the constant. At last it learns from the held-out rows too.
 *
 * A network whose training diverges has lost, in the race or when it learns from all others. Where
 * it was asked for, it is tried with the weights of the last epoch that ended well; where it is the
 * last training that diverges, with all rows, the one that was tried predicts. What it says of
 * itself says so. */
#pragma once

#include "core/base/rng.h"
#include "core/learn/expectation.h"

extern const char *const assay_learner_names[]; /* by AssayLearnerKind; NULL ends */

/* What is learned from; the order of rows does not matter. */
typedef struct {
  AssayView inputs;
  AssayView outputs;
  const guint *parts; /* of each row, from 0, ascending; NULL: all are of one */
} AssayExamples;

typedef struct _AssayLearner AssayLearner;

/* @kind BEST: chosen. ASSAY_ERROR_MISMATCH for fewer than 4 rows, or one part with parts; errors of
 * the learners, of which ASSAY_ERROR_NUMERIC for a network that was
 * asked for and diverges in its first epoch, and for the last training that does. */
AssayLearner *assay_learner_new (AssayLearnerKind kind, const AssayExamples *examples,
                                 AssayStreamKey key, GError **error);
ASSAY_DECLARE_FREE (AssayLearner, assay_learner_free)

AssayMatrix *assay_learner_predict (const AssayLearner *learner, AssayView inputs, GError **error);

const AssayExpectation *assay_learner_expects (const AssayLearner *learner);
/* Outputs of the held-out rows, and what was predicted of them without having seen them. */
AssayView assay_learner_held_outputs (const AssayLearner *learner);
AssayView assay_learner_held_predictions (const AssayLearner *learner);
/* "ridge, from 10,000 pairs: expected relative error 0.120, of the best constant 0.980"; or that it
 * learned nothing; and which training of a network diverged. */
char *assay_learner_describe (const AssayLearner *learner);
