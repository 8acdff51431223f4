/* What the steps by hand share. */
#include "cli/step.h"

#include "cli/cli.h"
#include "core/data/secret-paths.h"
#include "core/plugin/registry.h"
#include "runner/by-hand/steps-by-hand.h"
#include "runner/run/run.h"
#include "runner/store/folder-name.h"

ASSAY_CLEAR_FUNC (CliLike, cli_like_clear, assay_drop (self->run, assay_saved_run_close))

gboolean
cli_like_open (CliLike *like, GError **error)
{
  if (like->folder == NULL && like->id == NULL)
    return TRUE;
  if (like->folder == NULL || like->id == NULL)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "expected --like RUN and --cell ID together: which run, and which of its "
                       "cells");
  assay_folder_hide_run (like->folder);
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
  if (component->plugin->type == ASSAY_PLUGIN_AUDITOR)
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

/* The plugin and settings of the cell. */
static gboolean
take_from_cell (const CliLike *like, AssayPluginType type, CliStep *step, GError **error)
{
  const AssayComponent *component = assay_plan_defense (like->run->plan, like->cell);

  step->settings = component->settings;
  if (type == ASSAY_PLUGIN_ATTACK && !cli_like_attack (like, &component, &step->settings, error))
    return FALSE;
  step->plugin = component->plugin;
  step->grants = component->grants;
  return TRUE;
}

gboolean
cli_step_open (CliStepOptions *options, AssayPluginType type, CliStep *step, GError **error)
{
  *step = (CliStep){ .options = options };
  for (char **path = options->hidden; path != NULL && *path != NULL; path++)
    assay_secret_path_add (*path);
  if (!cli_like_open (&options->like, error))
    return FALSE;
  if (options->like.cell != NULL)
    return take_from_cell (&options->like, type, step, error);
  step->plugin = assay_registry_find (type, options->name, error);
  step->own = step->plugin != NULL ? assay_by_hand_settings (
                  step->plugin, (const char *const *) options->assignments, "--set: ", error)
                                   : NULL;
  step->settings = step->own;
  return step->own != NULL;
}

gboolean
cli_step_open_rows (CliStep *step, const AssayGeometry *geometry, GError **error)
{
  const CliStepOptions *options = step->options;

  return cli_open_rows_as (options->database, "database", geometry, &step->database, error)
         && cli_open_rows_as (options->public_rows, "public", geometry, &step->public_rows, error);
}

void
cli_step_clear (CliStep *step)
{
  g_clear_pointer (&step->database, assay_rows_unref);
  g_clear_pointer (&step->public_rows, assay_rows_unref);
  g_clear_pointer (&step->own, assay_settings_free);
  if (step->options != NULL)
    cli_like_clear (&step->options->like);
}

AssayStreamKey
cli_step_stream (const CliStepOptions *options, const char *role, const char *upstream,
                 const AssaySettings *settings, const char *of_cell)
{
  const CliLike *like = &options->like;

  return like->cell != NULL
             ? assay_plan_stream (like->run->plan, like->cell, role, of_cell)
             : assay_by_hand_stream ((guint64) options->seed, role, upstream, settings);
}
