/* Known public rows are lifted with the granted database, and the attack has to find them.
 *
 * An attack's own control is a small case that it makes for itself. It says nothing of the database
 * and the public rows of this run, nor of settings that fit them: a vendor can grant a database of
 * constants, or of other things than descriptors. So rows of the public set, which nobody has to
 * hide, are lifted in the least protective way, two dimensions with one row of the granted
 * database, scaled as the release says; and of at least a quarter of them the guess has to be
 * half as far as what knows nothing, the point of the subspace nearest to the origin. */
#include "runner/suspect/planted-rows.h"

#include <string.h>

#include "core/base/vectors.h"
#include "core/plugin/registry.h"

#define ROWS 32
#define LEAST 8 /* fewer rows decide nothing */
#define SHARE 0.25

/* Rows spread over all public ones. */
static AssayMatrix *
choose_rows (const AssayRows *rows, AssayStreamKey key, GError **error)
{
  const gsize n = MIN (ROWS, assay_rows_count (rows));
  AssayMatrix *chosen = assay_matrix_new (n, assay_rows_cols (rows), error);
  AssayStream stream = assay_stream (key, 0);
  g_autofree gsize *numbers = g_new (gsize, n + 1);

  assay_stream_choose (&stream, assay_rows_count (rows), n, numbers);
  if (chosen != NULL)
    assay_rows_gather (rows, numbers, n, ASSAY_SCALE_NONE, chosen->data);
  return chosen;
}

static gboolean
lift (const AssayPlantedRows *known, AssayView rows, AssayStreamKey key, AssayRelease **ret_release,
      AssayTruth **ret_truth, GError **error)
{
  const AssayPlugin *plugin = assay_registry_find (ASSAY_PLUGIN_DEFENSE, "affine-lifting", error);
  const gboolean is_unit = known->job->release->is_unit_norm;
  const AssaySecrets secrets = { .rows = rows };
  AssayProtecting protecting = { .stream = key, .common = key, .knowledge = known->job->knowledge };
  g_autoptr (AssaySettings) settings = NULL;

  if (plugin == NULL)
    return FALSE;
  settings = assay_settings_new (plugin->parameters, plugin->settings_size);
  protecting.settings = settings;
  return assay_settings_set (settings, "dimension", "2", error)
         && assay_settings_set (settings, "normalize", is_unit ? "yes" : "no", error)
         && assay_step_protect (assay_defense_of (plugin), &protecting, &secrets, ret_release,
                                ret_truth, error);
}

static double
square_between (const float *a, const float *b, gsize n)
{
  return (double) assay_lanes_squared_distance_float (a, b, n);
}

/* How many estimates are half as far from their rows as what knows nothing: the point of each
 * subspace that is nearest to the origin. */
static gsize
count_found (AssayView rows, AssayView estimates, const AssayRelease *release)
{
  const AssaySubspaces subspaces = assay_release_subspaces (release);
  const gsize d = rows.cols, m = subspaces.dimension;
  g_autofree float *foot = g_new (float, d);
  gsize n_found = 0;

  for (gsize i = 0; i < estimates.rows; i++) {
    const float *translation = subspaces.translation + i * d, *row = assay_view_row (rows, i);

    memcpy (foot, translation, d * sizeof (float));
    for (gsize k = 0; k < m; k++) {
      const float *direction = subspaces.basis + (i * m + k) * d;
      const float along = (float) assay_dot (translation, direction, d);

      for (gsize j = 0; j < d; j++)
        foot[j] -= along * direction[j];
    }
    n_found += 4 * square_between (assay_view_row (estimates, i), row, d)
               <= square_between (foot, row, d);
  }
  return n_found;
}

/* Photographs are painted of all keypoints of the cell, of which known rows have none. */
static gboolean
applies (const AssayPlantedRows *known)
{
  const AssayKnowledge *knowledge = known->job->knowledge;

  return known->cell->trial == 0 && !known->attack->is_generic && known->attack->external == NULL
         && (known->attack->needs & ASSAY_GRANT_KEYPOINTS) == 0
         && assay_attack_plays (known->attack, known->settings->values) == ASSAY_GAME_RECONSTRUCT
         && known->job->release->kind == ASSAY_RELEASE_SUBSPACES
         && (known->granted->grants & ASSAY_GRANT_DATABASE) && knowledge->database != NULL
         && knowledge->public_rows != NULL && assay_rows_count (knowledge->public_rows) >= LEAST;
}

gboolean
assay_planted_rows_check (const AssayPlantedRows *known, char **ret_why, GError **error)
{
  const AssayStreamKey key = assay_plan_stream (known->plan, known->cell, "known-rows", NULL);
  AssayGranted granted = *known->granted;
  g_autoptr (AssayMatrix) rows = NULL;
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayTruth) truth = NULL;
  g_autoptr (AssayGuess) guess = NULL;
  g_autoptr (GError) problem = NULL;
  gsize n_found;

  *ret_why = NULL;
  if (!applies (known))
    return TRUE;
  rows = choose_rows (known->job->knowledge->public_rows, key, error);
  if (rows == NULL)
    return FALSE;
  /* Rows that cannot be lifted, one of zeros say, are no such control. */
  if (!lift (known, assay_matrix_view (rows), key, &release, &truth, &problem))
    return TRUE;
  granted.release = release;
  granted.groups = NULL;
  granted.repeats = NULL;
  if (!assay_step_attack (known->attack, known->settings, key, &granted, &guess, error))
    return assay_prefix (error, "control on known rows: ");
  n_found
      = count_found (assay_array_view (assay_arrays_get (&truth->arrays, "secrets")),
                     assay_array_view (assay_arrays_get (&guess->arrays, "estimates")), release);
  if ((double) n_found < SHARE * (double) rows->rows)
    *ret_why = g_strdup_printf ("of %zu public rows that were lifted with one row of the granted "
                                "database each, the attack comes near %zu: on "
                                "these data it could not have won",
                                rows->rows, n_found);
  return TRUE;
}
