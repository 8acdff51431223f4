/* A small part of a run: the same cells, with fewer secrets in each, and fewer runs of audits. */
#pragma once

#include "runner/plan/plan.h"

/* What --set makes @share (below 1) of the work of @plan's cells of, rounded up: a NULL-terminated
 * list, empty where nothing can be made smaller. */
char **assay_part_assignments (const AssayPlan *plan, double share);

/* The share of the work of @cell that the same cell of @part has. */
double assay_part_share (const AssayPlan *plan, const AssayPlan *part, const AssayCell *cell);
