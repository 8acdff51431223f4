/* Metrics that measure nothing on some data: told before the run, not found missing after it. */
#pragma once

#include "runner/plan/plan.h"

/* Adds to what is skipped the metrics that would measure guesses of secrets, but none of whose
 * measures such secrets allow, whatever an attack finds (AssayMetric.lacks). */
void assay_plan_skip_unmeasured (AssayPlan *plan);
