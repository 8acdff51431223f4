/* Releases that are made again. */
#include "runner/run/replay.h"

#include "core/base/each.h"
#include "core/base/error.h"
#include "runner/store/records.h"

#define MOST_SECONDS 10

gboolean
assay_run_ends_with (const GError *error)
{
  return g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_IO)
         || g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY)
         || g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
}

static gboolean
meets_release (const AssayPlan *plan, const AssayCell *cell)
{
  return cell->attack == ASSAY_NO_COMPONENT
         || assay_plan_attack (plan, cell)->plugin->type == ASSAY_PLUGIN_ATTACK;
}

gboolean
assay_replay_first (const AssayPlan *plan, guint defense, gsize *ret_index)
{
  const AssayComponent *component = assay_plan_component (plan->defenses, defense);
  const AssayExternal *external = assay_plugin_external (component->plugin);

  if (external == NULL || external->confinement == NULL)
    return FALSE;
  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);

    if (g_str_equal (assay_plan_defense (plan, cell)->label, component->label)
        && meets_release (plan, cell)) {
      *ret_index = i;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
assay_replay_cell (const AssayPlan *plan, AssayWorkspace *workspace, AssayStore *store,
                   gsize index, GError **error)
{
  const AssayCell *cell = assay_plan_cell (plan, index);
  g_autoptr (GError) problem = NULL;
  gboolean is_same = FALSE;
  gsize first;

  if (!assay_replay_first (plan, cell->defense, &first) || first != index)
    return TRUE;
  /* An error of the program is another answer, too. */
  if (!assay_workspace_replay (workspace, cell, MOST_SECONDS, &is_same, &problem)
      && assay_run_ends_with (problem)) {
    g_propagate_error (error, g_steal_pointer (&problem));
    return FALSE;
  }
  return is_same || assay_store_set_unrepeated (store, cell->defense, error);
}
