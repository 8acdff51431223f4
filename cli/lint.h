/* What a scenario may say and its author should hear about. */
#pragma once

#include "runner/plan/plan.h"

/* Of char *: one text for each doubt, "[claim x] what, and what would help". */
GPtrArray *assay_lint (const AssayPlan *plan);
