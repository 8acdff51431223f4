/* Judging the claims of a scenario on pooled outcomes (docs/statistics.md, "Claims"). */
#pragma once

#include "runner/judge/results.h"
#include "runner/plan/plan.h"
#include "runner/store/store.h"

/* Fills @results->claims. Every pooled cell that a claim selects is one hypothesis; Holm's
 * correction runs over all hypotheses of the scenario, separately for "violated" and "upheld", and
 * each is compared with its claim's 1 - confidence. One violated cell violates a claim; `upheld`
 * needs all. Cells that ended in an error, attacks that lost their control, and rates or means over
 * fewer than 10 groups decide nothing, and make a claim that is not violated inconclusive. */
gboolean assay_judge (AssayResults *results, const AssayPlan *plan, AssayStore *store,
                      GError **error);

/* ---- Between the files of the judge ---- */

/* Where to look for the witness of a violated claim (witness.c). */
typedef struct {
  const AssayResults *results;
  const AssayPlan *plan;
  AssayStore *store;
  const AssayClaim *claim;
  gsize first; /* the plan's cell of trial 0 whose hypothesis decided */
} AssayWitnessSearch;

/* Fills @result->witness with the secret, or the audit, of that cell that breaks the claim most. */
gboolean assay_witness_find (const AssayWitnessSearch *search, AssayResultClaim *result,
                             GError **error);
