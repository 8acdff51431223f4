/* Files that a run could not use. A plan asks folders of photographs for their headers alone: how
 * large they are, and not whether one of them is damaged, or has no keypoint. */
#include "cli/check/lint.h"

#include "runner/run/workspace.h"

gboolean
assay_lint_reads_files (const AssayPlan *plan, guint dataset)
{
  const AssaySettings *settings = assay_plan_component (plan->datasets, dataset)->settings;

  ASSAY_FOR_EACH_PARAM (param, settings->table)
    if (param->type == ASSAY_PARAM_TYPE_STRING)
      return TRUE;
  return FALSE;
}

gboolean
assay_lint_files (const AssayPlan *plan, GError **error)
{
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);

  for (guint d = 0; d < plan->datasets->len; d++) {
    const char *sha256;

    if (plan->probes[d].is_estimate && assay_lint_reads_files (plan, d)
        && !assay_workspace_dataset (workspace, d, &sha256, error))
      return assay_prefix (error, "%s: ", plan->scenario);
  }
  return TRUE;
}
