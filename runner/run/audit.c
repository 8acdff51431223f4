/* Cells whose attack plays with the defense's mechanism. */
#include "runner/run/audit.h"

#include "core/games/distinguish.h"
#include "core/games/one-run.h"
#include "runner/plan/fit.h"

static AssayAuditRecord *
distinguish (const AssayOracle *oracle, const AssayAuditor *auditor,
             const AssayAuditContext *context, GError **error)
{
  g_autoptr (AssayEvent) event = auditor->choose_event (context, oracle, error);
  g_autoptr (AssayAuditRecord) record = NULL;

  if (event == NULL) {
    g_prefix_error (error, "attack %s: ", auditor->id);
    return NULL;
  }
  record = g_new0 (AssayAuditRecord, 1);
  if (!assay_distinguish (oracle, event, &record->counts, error))
    return NULL;
  record->pair = event->pair;
  record->is_swapped = event->is_swapped;
  record->trained_on = event->trained_on;
  record->says = g_strdup (event->says);
  return g_steal_pointer (&record);
}

static AssayAuditRecord *
play_one_run (const AssayPlan *plan, const AssayCell *cell, const AssayAuditor *auditor,
              const AssayAuditContext *context, GError **error)
{
  const AssayComponent *defense = assay_plan_defense (plan, cell);
  AssayAudit counts;
  AssayAuditRecord *record;

  if (!assay_one_run (auditor, context, defense->defense, defense->settings->values,
                      plan->probes[cell->dataset].cols,
                      assay_plan_stream (plan, cell, "canaries", NULL),
                      assay_plan_stream (plan, cell, "defense", NULL), &counts, error))
    return NULL;
  record = g_new0 (AssayAuditRecord, 1);
  record->counts = counts;
  record->says = g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                  " guesses about %" G_GUINT64_FORMAT " canaries right",
                                  counts.hits, counts.runs, counts.mistakes);
  return record;
}

AssayAuditRecord *
assay_audit_cell (const AssayPlan *plan, const AssayCell *cell, const AssaySettings *settings,
                  gboolean (*is_cancelled) (gpointer data), gpointer data, GError **error)
{
  const AssayAuditor *auditor = assay_plan_attack (plan, cell)->auditor;
  g_autofree char *canonical = assay_settings_canonical (settings);
  const AssayAuditContext context
      = { .settings = settings->values,
          .stream = assay_plan_stream (plan, cell, "attack", canonical) };
  AssayOracle oracle;

  if (auditor->game == ASSAY_AUDIT_ONE_RUN)
    return play_one_run (plan, cell, auditor, &context, error);
  oracle = assay_plan_oracle (plan, cell);
  oracle.is_cancelled = is_cancelled;
  oracle.cancel_data = data;
  return distinguish (&oracle, auditor, &context, error);
}
