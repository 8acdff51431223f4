/* One pooled cell under the bound of a claim: one hypothesis. */
#pragma once

#include "core/stats/sample.h"
#include "runner/judge/results.h"
#include "runner/plan/plan.h"
#include "runner/store/store.h"

/* A claim, and what it is judged on. */
typedef struct {
  const AssayResults *results;
  const AssayPlan *plan;
  AssayStore *store;
  const AssayClaim *claim;
  AssayResultClaim *result; /* of the claim */
} AssayQuestion;

/* What a hypothesis was tested on. */
typedef struct {
  AssaySample *sample; /* NULL: nothing was measured */
  AssayStreamKey stream;
  gsize first; /* the plan's cell of trial 0 */
  /* A generic attack had nothing to take for the secret, which says nothing at all. */
  gboolean is_beside_the_point;
} AssayEvidence;

void assay_evidence_clear (gpointer evidence);

/* Whether the claim would be upheld by how little an attack recovered, and not by how much. */
gboolean assay_claim_wants_little (const AssayResultClaim *claim);

/* What the test leaves of bounds for the hypothesis that the claim's numbers come from (if one is),
 * at the level that Holm's first of @n_hypotheses has to reach. Other starts of an attack are heard
 * apart: with some of them there is no range. @evidence: AssayEvidence, one a hypothesis. */
void assay_hypothesis_range (AssayResultClaim *inout_result, const GArray *evidence,
                             guint n_hypotheses);

/* The test of @cell, the pooled one of the plan's cell @first of trial 0, before any correction.
 * The evidence is cleared by the caller. */
gboolean assay_hypothesis_test (const AssayQuestion *question, const AssayResultCell *cell,
                                gsize first, AssayResultHypothesis *ret_hypothesis,
                                AssayEvidence *ret_evidence, GError **error);
