/* Cells whose attack plays with the defense's mechanism instead of with a release. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/store/records.h"

/* A cell, with settings of its attack. */
typedef struct {
  const AssayPlan *plan;
  const AssayCell *cell;
  const AssaySettings *settings;
  /* Asked now and then; NULL: never. ASSAY_ERROR_CANCELLED. */
  gboolean (*is_cancelled) (gpointer data);
  gpointer data;
  /* Where the outputs of its test runs and a script that counts its event are to be written
   * (runner/witness/witness-files.h), unless they are too many; NULL: nowhere. */
  const char *witness;
} AssayAudited;

/* Plays the cell's game. */
AssayAuditRecord *assay_audit_cell (const AssayAudited *audited, GError **error);

/* What the audit that counted @counts would have seen of leaks that are injected into the
 * mechanism, one for each epsilon that a claim about the cell must be able to see: AssayLeakRecord.
 * Empty where the tight event is known, in one-run games, and for bounds that are clearly broken:
 * nobody asks then what else would have been seen. */
GArray *assay_audit_leaks (const AssayAudited *audited, const AssayAudit *counts, GError **error);
