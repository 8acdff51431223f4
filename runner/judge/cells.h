/* Cells of a run, read from its store one by one. */
#pragma once

#include "runner/judge/describe.h"
#include "runner/store/records.h"

/* Where the cells of @results are read from; borrows both. */
void assay_results_set_source (AssayResults *results, const AssayPlan *plan, AssayStore *store);

/* Cell @index of the plan as it was found; NULL in @ret_cell: it has not been run. @is_measured:
 * with its measurements and audit, which take longest. */
gboolean assay_results_cell (const AssayResults *results, gsize index, gboolean is_measured,
                             AssayResultCell **ret_cell, GError **error);
/* What differs from cell @first (of trial 0) in its trial alone, put together. */
gboolean assay_results_pooled_cell (const AssayResults *results, gsize first,
                                    AssayResultCell **ret_cell, GError **error);
/* What was counted in a cell; NULL in @ret_audit: it was no audit, or has not been run. */
gboolean assay_results_audit (const AssayResults *results, gsize index,
                              AssayAuditRecord **ret_audit, GError **error);
AssayResultStatus assay_results_status (AssayCellStatus status);
