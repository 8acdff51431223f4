/* Claims: bounds that a scenario states for a measure, and which of its cells they are about. */
#pragma once

#include "runner/plan/selector.h"

G_BEGIN_DECLS

struct _AssayClaim {
  char *id;
  char *says;
  char *source;
  const AssayMetric *utility; /* that assesses it; NULL: a metric measures it */
  guint metric; /* the number by which it measures cells (assay_plan_measuring) */
  const AssayMeasure *measure;
  AssaySelector *selector;
  gboolean is_at_most; /* otherwise at least */
  gboolean is_claimed; /* at-most = claimed: the bound is the defense's own epsilon */
  double bound;        /* otherwise */
  gboolean has_delta;  /* of epsilon: the delta that it speaks of must be the audited one */
  double delta;
  double confidence;
  guint line;
};

/* Reads [claim ID]. ASSAY_ERROR_SCENARIO, _PARAMETER with file, line and key. */
AssayClaim *assay_claim_new (const AssayPlan *plan, const AssayScenario *scenario,
                             const AssayGroup *group, GError **error);
void assay_claim_free (AssayClaim *claim);

/* The bound on one cell: the claim's own, or the epsilon that the cell's defense claims. */
double assay_claim_bound (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell);

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

G_END_DECLS
