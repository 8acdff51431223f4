/* What a cell of a run was made of, as folders. */
#include "runner/run/export.h"

#include <errno.h>

#include <glib/gstdio.h>

#include "core/data/npy.h"
#include "runner/run/run.h"

typedef struct {
  const AssayPlan *plan;
  const AssayCell *cell;
  AssayWorkspace *workspace;
  const char *folder;
  const AssayComponent *attack; /* NULL: the cell has a utility */
  AssayJob job;
} Export;

static char *
place_of (const Export *export, const char *name)
{
  return g_build_filename (export->folder, name, NULL);
}

/* ---- Knowledge ---- */

static gboolean
write_array (const Export *export, const char *name, const AssayArray *array, GError **error)
{
  g_autofree char *knowledge = place_of (export, "knowledge");
  g_autofree char *path = g_build_filename (knowledge, name, NULL);

  if (g_mkdir_with_parents (knowledge, 0777) != 0)
    return assay_fail (error, ASSAY_ERROR_IO, "%s: cannot create the folder: %s", knowledge,
                       g_strerror (errno));
  return assay_npy_write (path, array, error);
}

static gboolean
write_rows (const Export *export, const char *name, const AssayRows *rows, GError **error)
{
  g_autoptr (AssayArray) array = NULL;

  if (rows == NULL)
    return TRUE;
  array = assay_rows_array (rows, ASSAY_SCALE_NONE, error);
  return array != NULL && write_array (export, name, array, error);
}

/* Numbers of the secrets, or of the images that they were mixed into. */
static gboolean
write_groups (const Export *export, GError **error)
{
  const AssayArray *owners = assay_arrays_get (&export->job.truth->arrays, "owners");
  const AssayArray *groups
      = owners != NULL ? owners : assay_arrays_get (&export->job.truth->arrays, "groups");

  return groups == NULL || write_array (export, "groups.npy", groups, error);
}

static gboolean
write_repeats (const Export *export, const AssayGranted *granted, GError **error)
{
  for (guint i = 0; i < granted->repeats->len; i++) {
    g_autofree char *name = g_strdup_printf ("knowledge/repeat-%u", i + 1);
    g_autofree char *place = place_of (export, name);
    g_autoptr (AssayRelease) seen
        = assay_release_granted (granted->repeats->pdata[i], granted->grants);

    if (!assay_release_write (seen, place, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
write_knowledge (const Export *export, guint grants, GError **error)
{
  const AssayComponent *defense = assay_plan_defense (export->plan, export->cell);
  const AssayDefense *plugin = defense->defense;
  const guint used = plugin->uses != NULL ? plugin->uses (defense->settings->values) : 0;
  const guint wanted = grants | used;

  return (!(wanted & ASSAY_GRANT_DATABASE)
          || write_rows (export, "database.npy", export->job.knowledge->database, error))
         && (!(wanted & ASSAY_GRANT_PUBLIC)
             || write_rows (export, "public.npy", export->job.knowledge->public_rows, error))
         && (!(grants & ASSAY_GRANT_GROUPS) || write_groups (export, error));
}

/* ---- Folders ---- */

static gboolean
write_secrets (const Export *export, GError **error)
{
  g_autofree char *place = place_of (export, "secrets");
  g_autoptr (AssayTruth) truth = NULL;
  AssaySecrets secrets;

  if (!assay_workspace_secrets (export->workspace, export->cell, &secrets, error))
    return FALSE;
  truth = assay_truth_of (&secrets, error);
  return truth != NULL && assay_truth_write (truth, place, error);
}

static gboolean
write_release (const Export *export, GError **error)
{
  g_autofree char *release = place_of (export, "release");
  g_autofree char *truth = place_of (export, "truth");

  return assay_release_write (export->job.release, release, error)
         && assay_truth_write (export->job.truth, truth, error);
}

static gboolean
write_seen (const Export *export, guint grants, GError **error)
{
  g_autofree char *place = place_of (export, "seen");
  g_autoptr (AssayRelease) seen = NULL;

  if (!assay_release_hides (export->job.release, grants))
    return TRUE;
  seen = assay_release_granted (export->job.release, grants);
  return assay_release_write (seen, place, error);
}

static gboolean
write_attack (const Export *export, AssayStore *store, GError **error)
{
  g_autofree char *place = place_of (export, "guess");
  const AssaySettings *settings = NULL;
  g_autoptr (AssayGuess) guess = NULL;
  AssayGranted granted;
  guint candidate;

  if (!assay_run_attack_settings (export->plan, store, export->cell, &settings, &candidate, error))
    return FALSE;
  if (settings == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "attack '%s' has not been tuned yet; expected a run that went that far",
                       export->attack->label);
  return assay_workspace_grant (export->workspace, export->cell, settings, FALSE, &granted, error)
         && write_knowledge (export, granted.grants, error)
         && write_repeats (export, &granted, error) && write_seen (export, granted.grants, error)
         && assay_run_attack (export->plan, export->workspace, store, export->cell, &guess, error)
         && assay_guess_write (guess, place, error);
}

gboolean
assay_export_cell (const AssayPlan *plan, AssayStore *store, const AssayCell *cell,
                   const char *folder, GError **error)
{
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);
  Export export = { .plan = plan, .cell = cell, .workspace = workspace, .folder = folder };

  if (cell->attack != ASSAY_NO_COMPONENT)
    export.attack = assay_plan_attack (plan, cell);
  if (export.attack != NULL && export.attack->plugin->type == ASSAY_PLUGIN_AUDITOR)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "attack '%s' plays with the defense itself: there is no release and no "
                       "guess; expected a cell of an attack on a release, or of a utility",
                       export.attack->label);
  return assay_workspace_cell (workspace, cell, &export.job, error)
         && write_secrets (&export, error) && write_release (&export, error)
         && (export.attack != NULL ? write_attack (&export, store, error)
                                   : write_knowledge (&export, 0, error));
}
