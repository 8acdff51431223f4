/* Secrets that are fewer independent units than they are counted as: the data tell before a run. */
#include "cli/check/lint.h"

#include "runner/run/workspace.h"

/* Rows that are read from files. What is generated has no copies, and neither that nor what is
 * found in photographs, whose number is an estimate, is at hand without a run's work. */
static gboolean
is_at_hand (const AssayPlan *plan, guint index)
{
  return assay_lint_reads_files (plan, index) && !plan->probes[index].is_estimate;
}

gboolean
assay_lint_units (const AssayPlan *plan, GPtrArray *inout_doubts, GError **error)
{
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);

  if (!assay_plan_has_releases (plan) || plan->claims->len == 0)
    return TRUE;
  for (guint d = 0; d < plan->datasets->len; d++) {
    const AssayCell cell = { .dataset = d };
    const AssayUnits *units;
    g_autofree char *says = NULL;
    gsize first;

    if (!is_at_hand (plan, d))
      continue;
    if (!assay_workspace_units (workspace, &cell, &units, &first, error))
      return FALSE;
    says = assay_units_describe (units);
    if (says != NULL)
      assay_doubt (inout_doubts,
                   "[dataset] %s; expected as many units as secrets, or groups that "
                   "say which belong together",
                   says);
  }
  return TRUE;
}
