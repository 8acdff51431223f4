/* Cells whose attack plays with the defense's mechanism instead of with a release. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/store/counted.h"
#include "runner/store/records.h"

/* A cell, with settings of its attack. */
typedef struct {
  const AssayPlan *plan;
  const AssayCell *cell;
  const AssaySettings *settings;
  /* Asked now and then; NULL: never. ASSAY_ERROR_CANCELLED. */
  gboolean (*is_cancelled) (gpointer data);
  gpointer data;
  guint64 most_kept; /* bytes of test runs, which are kept where a claim may have a witness */
} AssayAudited;

/* Plays the cell's game. @ret_counted: the test runs where their counts say more than a claim about
 * the cell allows; NULL where they do not, and of a game of one run. */
AssayAuditRecord *assay_audit_cell (const AssayAudited *audited, AssayCounted **ret_counted,
                                    GError **error);

/* What the audit that counted @counts would have seen of leaks that are injected into the
 * mechanism, one for each epsilon that a claim about the cell must be able to see: AssayLeakRecord.
 * Empty where the tight event is known, in one-run games, and for bounds that are clearly broken:
 * nobody asks then what else would have been seen. */
GArray *assay_audit_leaks (const AssayAudited *audited, const AssayAudit *counts, GError **error);
