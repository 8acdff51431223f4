/* --like RUN --cell ID: steps by hand that draw what a cell of a run drew. */
#include "cli/like.h"

#include "core/base/error.h"
#include "runner/run/run.h"

void
cli_like_clear (CliLike *like)
{
  g_clear_pointer (&like->run, assay_saved_run_close);
  g_clear_pointer (&like->folder, g_free);
  g_clear_pointer (&like->id, g_free);
}

gboolean
cli_like_open (CliLike *like, GError **error)
{
  if (like->folder == NULL && like->id == NULL)
    return TRUE;
  if (like->folder == NULL || like->id == NULL)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "expected --like RUN and --cell ID together: which run, and which of its "
                       "cells");
  like->run = assay_saved_run_open (like->folder, TRUE, error);
  if (like->run == NULL)
    return FALSE;
  like->cell = assay_plan_find_cell (like->run->plan, like->id);
  return like->cell != NULL
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "--cell: '%s' is no cell of the run in %s; expected the 'id' of one of "
                        "'cells' in its results.json",
                        like->id, like->folder);
}

const AssayComponent *
cli_like_defense (const CliLike *like)
{
  return assay_plan_component (like->run->plan->defenses, like->cell->defense);
}

gboolean
cli_like_attack (const CliLike *like, const AssayComponent **ret_component,
                 const AssaySettings **ret_settings, GError **error)
{
  const AssayPlan *plan = like->run->plan;
  const AssaySettings *settings = NULL;
  const AssayComponent *component;
  guint candidate;

  if (like->cell->attack == ASSAY_NO_COMPONENT)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "--cell: %s is of a utility; expected a cell of an attack", like->id);
  component = assay_plan_component (plan->attacks, like->cell->attack);
  if (!assay_game_has_guess (((const AssayAttack *) component->plugin)->game))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "--cell: %s is of attack '%s', which plays with the defense itself; "
                       "expected a cell of an attack on a release",
                       like->id, component->label);
  if (!assay_run_attack_settings (plan, like->run->store, like->cell, &settings, &candidate, error))
    return FALSE;
  if (settings == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "--cell: %s was not run yet: attack '%s' has not been tuned", like->id,
                       component->label);
  *ret_component = component;
  *ret_settings = settings;
  return TRUE;
}
