/* Claims: bounds that a scenario states for a measure, and which of its cells they are about. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/plan/scenario.h"

/* Reads [claim ID]. ASSAY_ERROR_SCENARIO, _PARAMETER with file, line and key. */
AssayClaim *assay_claim_new (const AssayPlan *plan, const AssayGroup *group, GError **error);

/* The bound on one cell: the claim's own, or the epsilon that the cell's defense claims. */
double assay_claim_bound (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell);

/* The epsilon that an audit must be able to see for the claim to be unrefuted: the bound times
 * power-at; of a claim that nothing leaks ASSAY_LEAST_SEEN. */
#define ASSAY_LEAST_SEEN 0.1
double assay_claim_must_see (const AssayClaim *claim, double bound);

/* What the claims about epsilon that are about @cell bound it by, and what must be seen for each;
 * AssayMustSee, each once. */
typedef struct {
  double bound, epsilon;
} AssayMustSee;
GArray *assay_claims_must_see (const AssayPlan *plan, const AssayCell *cell);

/* Whether the measure is one of cells like this, whichever of them the claim selects. */
gboolean assay_claim_is_played_for (const AssayPlan *plan, const AssayClaim *claim,
                                    const AssayCell *cell);

/* All that the plan's claims say, a line each: equal for equal claims. */
char *assay_claims_canonical (const AssayPlan *plan);

/* Whether the claim is about @cell, whose attack (or utility) has @settings. */
gboolean assay_claim_selects (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell,
                              const AssaySettings *settings);

/* The same before anything is tuned: whether there are settings with which it would be. */
gboolean assay_claim_may_select (const AssayPlan *plan, const AssayClaim *claim,
                                 const AssayCell *cell);

/* ASSAY_ERROR_SCENARIO where selectors and conditions match no cell of the plan: that would be a
 * claim about nothing. ASSAY_ERROR_PARAMETER where the delta of a claim about epsilon is not the
 * one that a cell audits. */
gboolean assay_claim_check_cells (const AssayPlan *plan, const AssayClaim *claim, GError **error);
