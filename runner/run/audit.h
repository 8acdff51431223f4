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

/* What the audit that counted @counts would have seen of leaks that are injected into the
 * mechanism, one for each epsilon that a claim about the cell must be able to see: AssayLeakRecord.
 * Empty where the tight event is known, in one-run games, and for bounds that are clearly broken:
 * nobody asks then what else would have been seen. */
GArray *assay_audit_leaks (const AssayPlan *plan, const AssayCell *cell,
                           const AssaySettings *settings, const AssayAudit *counts,
                           gboolean (*is_cancelled) (gpointer data), gpointer data, GError **error);
