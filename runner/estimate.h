/* What a run will need, before anything is loaded. */
#pragma once

#include "runner/plan.h"

G_BEGIN_DECLS

/* The sizes of a cell on the dataset with this survey. */
AssayShape assay_plan_shape (const AssayPlan *plan, const AssaySurvey *survey);

/* Adds up `memory` (bytes at the peak) and `work` (floating-point operations) of the plan, whose
 * parts have been checked. */
void assay_plan_estimate (AssayPlan *plan);

G_END_DECLS
