/* Cells whose attack plays with the defense's mechanism instead of with a release. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/store/store.h"

G_BEGIN_DECLS

/* What an audit chose and counted. One run: no pair, and no event. */
typedef struct {
  AssayAudit counts;
  guint pair;
  gboolean is_swapped;
  guint64 trained_on;
  char *says; /* the event, in words */
} AssayAuditRecord;

void assay_audit_record_free (AssayAuditRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayAuditRecord, assay_audit_record_free)

/* The mechanism of a cell, with the delta under audit. */
AssayOracle assay_plan_oracle (const AssayPlan *plan, const AssayCell *cell);

/* Plays the cell's game with @settings of its attack. @is_cancelled is asked now and then (NULL:
 * never); ASSAY_ERROR_CANCELLED. */
AssayAuditRecord *assay_audit_cell (const AssayPlan *plan, const AssayCell *cell,
                                    const AssaySettings *settings,
                                    gboolean (*is_cancelled) (gpointer data), gpointer data,
                                    GError **error);

/* Kept beside the outcomes, from which the event could not be told. The
 * counts stand in the outcomes: those that are loaded here are zero. NULL in @ret_record: none. */
gboolean assay_audit_store (AssayStore *store, gsize cell, const AssayAuditRecord *record,
                            GError **error);
gboolean assay_audit_load (AssayStore *store, gsize cell, AssayAuditRecord **ret_record,
                           GError **error);

/* NULL, or why the attack @part cannot be played against @defense_part: it needs a mechanism, a
 * dataset with canaries, a density. */
char *assay_audit_why_not (const AssayPart *part, const AssayPart *defense_part);

/* ASSAY_ERROR_PARAMETER where the attack asks for a delta and the defense claims none, or for more
 * canaries than the defense has room for. */
gboolean assay_audit_check (const AssayPlan *plan, const AssayCell *cell, GError **error);

G_END_DECLS
