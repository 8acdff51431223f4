/* Cells whose attack plays with the defense's mechanism instead of with a release. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/store/records.h"

/* Plays the cell's game with @settings of its attack. @is_cancelled is asked now and then (NULL:
 * never); ASSAY_ERROR_CANCELLED. */
AssayAuditRecord *assay_audit_cell (const AssayPlan *plan, const AssayCell *cell,
                                    const AssaySettings *settings,
                                    gboolean (*is_cancelled) (gpointer data), gpointer data,
                                    GError **error);
