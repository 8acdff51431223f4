/* What a run will need, before anything is loaded. */
#pragma once

#include "runner/plan/plan.h"

/* Sets `memory` of the plan, whose components have been checked: bytes at the peak. */
void assay_plan_estimate (AssayPlan *plan);

guint64 assay_plan_machine_memory (void); /* bytes */
/* Of the default budget of shared work (core/base/shared-work.h) what the machine has room for
 * beside @n_processes that run the plan. */
guint64 assay_plan_shared_budget (const AssayPlan *plan, guint n_processes);
/* That the machine has memory for so many processes with @budget of shared work in all.
 * ASSAY_ERROR_MEMORY says how many processes, or how much, it has memory for. */
gboolean assay_plan_check_budget (const AssayPlan *plan, guint n_processes, guint64 budget,
                                  GError **error);
