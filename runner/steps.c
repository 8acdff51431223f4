/* The three steps of an audit. */
#include "runner/steps.h"

#include <math.h>

#include "core/control.h"
#include "core/json.h"
#include "core/registry.h"

static AssayTruth *
truth_from (AssayView secrets, const gint64 *groups, GError **error)
{
  AssayMatrix *copy = assay_matrix_copy (secrets, error);
  AssayTruth *truth;

  if (copy == NULL)
    return NULL;
  truth = assay_truth_new ();
  assay_arrays_take (&truth->arrays, "secrets", assay_array_take_matrix (copy));
  if (groups != NULL)
    assay_arrays_take (&truth->arrays, "groups",
                       assay_array_take (ASSAY_INT64, 1, &secrets.rows,
                                         g_memdup2 (groups, secrets.rows * sizeof *groups)));
  return truth;
}

gboolean
assay_step_protect (const AssayDefense *defense, const AssaySettings *settings,
                    AssayStreamKey stream, AssayView secrets, const gint64 *groups,
                    const AssayRows *database, AssayRelease **ret_release, AssayTruth **ret_truth,
                    GError **error)
{
  const guint uses = defense->uses != NULL ? defense->uses (settings->values) : 0;
  const AssayDefenseContext context
      = { .settings = settings->values,
          .stream = stream,
          .database = uses & ASSAY_GRANT_DATABASE ? database : NULL,
          .mechanism = defense->mechanism };
  const AssayShape shape = { .n_secrets = secrets.rows,
                             .cols = secrets.cols,
                             .n_database = database != NULL ? assay_rows_count (database) : 0 };
  g_autoptr (AssayRelease) release = assay_release_new (defense->produces, defense->id);
  g_autoptr (AssayTruth) truth = NULL;

  if (!assay_view_check_finite (secrets, "secrets", error))
    return FALSE;
  if ((uses & ASSAY_GRANT_DATABASE) && (database == NULL || shape.n_database == 0))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "defense %s: expected a database of %" G_GSIZE_FORMAT " columns, found %s",
                       defense->id, secrets.cols, database == NULL ? "none" : "one without rows");
  if ((uses & ASSAY_GRANT_DATABASE) && assay_rows_cols (database) != secrets.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "defense %s: expected a database of %" G_GSIZE_FORMAT
                       " columns, found %" G_GSIZE_FORMAT,
                       defense->id, secrets.cols, assay_rows_cols (database));
  /* Once more with the sizes that there are: those of a plan may be estimates. */
  if (defense->check != NULL && !defense->check (settings->values, &shape, error)) {
    g_prefix_error (error, "defense %s: ", defense->id);
    return FALSE;
  }
  truth = truth_from (secrets, groups, error);
  if (truth == NULL)
    return FALSE;
  g_free (release->settings);
  release->settings = assay_json_settings_text (settings);
  if (!defense->protect (&context, secrets, release, truth, error)
      || !assay_release_check (release, error) || !assay_truth_check (truth, error)) {
    g_prefix_error (error, "defense %s: ", defense->id);
    return FALSE;
  }
  *ret_release = g_steal_pointer (&release);
  *ret_truth = g_steal_pointer (&truth);
  return TRUE;
}

/* Knowledge that an attack compares with the release has the release's columns. */
static gboolean
check_columns (const char *what, const AssayRows *rows, const AssayRelease *release, GError **error)
{
  if (rows == NULL || assay_rows_cols (rows) == assay_release_cols (release))
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "%s has %" G_GSIZE_FORMAT " columns, but the release has %" G_GSIZE_FORMAT,
                     what, assay_rows_cols (rows), assay_release_cols (release));
}

static gboolean
check_fit (const AssayAttack *attack, const AssayRelease *release, const AssayObservation *seen,
           GError **error)
{
  const guint held = (seen->database != NULL ? ASSAY_GRANT_DATABASE : 0)
                     | (seen->public_rows != NULL ? ASSAY_GRANT_PUBLIC : 0)
                     | (seen->groups != NULL ? ASSAY_GRANT_GROUPS : 0)
                     | (seen->other_releases != NULL ? ASSAY_GRANT_OTHER_RELEASES : 0);
  g_autofree char *lacking = assay_grants_describe (attack->needs & ~held);
  g_autofree char *reads = assay_release_kinds_describe (attack->reads);

  if (attack->game != ASSAY_GAME_RECONSTRUCT)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "attack '%s' plays with the defense itself, not with a release; expected "
                       "'assay run'",
                       attack->id);
  if (!(attack->reads & release->kind))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "attack '%s' reads %s, but the release of '%s' holds %s", attack->id, reads,
                       release->defense, assay_release_kind_name (release->kind));
  if (*lacking != '\0')
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "attack '%s' needs '%s', which was not granted",
                       attack->id, lacking);
  return check_columns ("the database", seen->database, release, error)
         && check_columns ("the public set", seen->public_rows, release, error);
}

gboolean
assay_step_attack (const AssayAttack *attack, const AssaySettings *settings, AssayStreamKey stream,
                   const AssayRelease *release, guint grants, const AssayKnowledge *knowledge,
                   const gint64 *groups, AssayGuess **ret_guess, GError **error)
{
  const AssayAttackContext context = { .settings = settings->values, .stream = stream };
  const AssayObservation seen
      = { .release = release,
          .database = grants & ASSAY_GRANT_DATABASE ? knowledge->database : NULL,
          .public_rows = grants & ASSAY_GRANT_PUBLIC ? knowledge->public_rows : NULL,
          .groups = grants & ASSAY_GRANT_GROUPS ? groups : NULL,
          .other_releases = grants & ASSAY_GRANT_OTHER_RELEASES ? release : NULL };
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  if (!check_fit (attack, release, &seen, error)
      || !assay_attack_run (attack, &context, &seen, guess, error))
    return FALSE;
  *ret_guess = g_steal_pointer (&guess);
  return TRUE;
}

gboolean
assay_metric_applies (const AssayMetric *metric, const AssayTruth *truth, const AssayGuess *guess)
{
  if (metric->measure == NULL)
    return FALSE;
  for (const char *const *name = metric->reads_truth; name != NULL && *name != NULL; name++)
    if (assay_arrays_get (&truth->arrays, *name) == NULL)
      return FALSE;
  for (const char *const *name = metric->reads_guess; name != NULL && *name != NULL; name++)
    if (assay_arrays_get (&guess->arrays, *name) == NULL)
      return FALSE;
  return TRUE;
}

gboolean
assay_step_measure (const AssayMetric *metric, const AssaySettings *settings,
                    const AssayTruth *truth, const AssayGuess *guess, AssayOutcomes *ret_outcomes,
                    GError **error)
{
  const AssayMetricContext context = { .settings = settings->values };
  AssayOutcomes outcomes = { 0 };
  gboolean is_ok = metric->measure (&context, truth, guess, &outcomes, error);

  for (guint s = 0; is_ok && s < metric->n_series; s++)
    for (gsize i = 0; is_ok && i < outcomes.n; i++)
      if (!isfinite (outcomes.series[s][i]))
        is_ok = assay_fail (error, ASSAY_ERROR_NUMERIC,
                            "the outcome of secret %" G_GSIZE_FORMAT " is not finite", i);
  if (!is_ok) {
    assay_outcomes_clear (&outcomes);
    g_prefix_error (error, "metric %s: ", metric->id);
    return FALSE;
  }
  *ret_outcomes = outcomes;
  return TRUE;
}

const gint64 *
assay_truth_groups (const AssayTruth *truth)
{
  const AssayArray *groups = assay_arrays_get (&truth->arrays, "groups");

  return groups != NULL ? assay_array_int64 (groups) : NULL;
}
