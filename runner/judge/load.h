/* The results of a run, made from its plan and store alone. */
#pragma once

#include "runner/judge/results.h"
#include "runner/plan/plan.h"
#include "runner/store/store.h"

/* Borrows both, whether the run is finished or not. ASSAY_ERROR_DATA, _IO. */
AssayResults *assay_results_load (const AssayPlan *plan, AssayStore *store, GError **error);
