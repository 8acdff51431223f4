/* What a plan says, as plain data. */
#pragma once

#include "runner/judge/results.h"
#include "runner/plan/plan.h"

/* Results of which nothing has been run. Borrows words from @plan. */
AssayResults *assay_results_describe (const AssayPlan *plan);

/* A cell of the plan without what was found in it. @candidate: which settings tuning chose, or NULL
 * where the attack is not tuned, or not yet. */
AssayResultCell *assay_results_describe_cell (const AssayResults *results, const AssayPlan *plan,
                                              const AssayCell *cell, const guint *candidate);

/* What @measure of a metric or utility of the plan became. */
const AssayResultMeasure *assay_results_measure (const AssayResults *results,
                                                 const AssayMeasure *measure);
/* The settings of the plan that @component, the attack or utility of @cell, stands for. */
const AssaySettings *assay_results_settings (const AssayPlan *plan, const AssayCell *cell,
                                             const AssayResultComponent *component);

/* " of 200 secrets", " of 7 groups of secrets": what a trial of the plan takes; "": no matter. */
char *assay_plan_describe_size (const AssayPlan *plan);
