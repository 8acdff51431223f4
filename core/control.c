/* Calling an attack, and its control. */
#include "core/control.h"

gboolean
assay_attack_run (const AssayAttack *attack, const AssayAttackContext *context,
                  const AssayObservation *seen, AssayGuess *ret_guess, GError **error)
{
  const AssayArray *estimates;

  g_return_val_if_fail (seen->release->kind & attack->reads, FALSE);
  if (!attack->attack (context, seen, ret_guess, error) || !assay_guess_check (ret_guess, error)) {
    g_prefix_error (error, "attack %s: ", attack->id);
    return FALSE;
  }
  estimates = assay_arrays_get (&ret_guess->arrays, "estimates");
  /* How many secrets went into mixtures is for metrics to compare. */
  if (attack->game == ASSAY_GAME_RECONSTRUCT
      && (estimates == NULL
          || (seen->release->kind != ASSAY_RELEASE_MIXTURES
              && estimates->shape[0] != assay_release_count (seen->release))))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "attack %s: expected an estimate for each of %" G_GSIZE_FORMAT " secrets",
                       attack->id, assay_release_count (seen->release));
  return TRUE;
}

/* Secrets whose estimate is within the control's relative error. */
static gsize
count_recovered (AssayView secrets, AssayView estimates, double within)
{
  gsize recovered = 0;

  for (gsize i = 0; i < secrets.rows; i++) {
    double gap = 0, length = 0;

    for (gsize j = 0; j < secrets.cols; j++) {
      const double secret = assay_view_row (secrets, i)[j];
      const double difference = assay_view_row (estimates, i)[j] - secret;

      gap += difference * difference;
      length += secret * secret;
    }
    recovered += gap <= within * within * length;
  }
  return recovered;
}

static gboolean
play (const AssayAttack *attack, const AssayAttackContext *context,
      const AssayControlCase *control_case, AssayControlOutcome *ret_outcome, GError **error)
{
  const AssayObservation seen
      = { .release = control_case->release,
          .database = control_case->database,
          .public_rows = control_case->public_rows,
          .other_releases
          = attack->needs & ASSAY_GRANT_OTHER_RELEASES ? control_case->release : NULL };
  const AssayView secrets
      = assay_array_view (assay_arrays_get (&control_case->truth->arrays, "secrets"));
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  AssayView estimates;

  if (!assay_attack_run (attack, context, &seen, guess, error))
    return FALSE;
  estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  ret_outcome->n = secrets.rows;
  ret_outcome->share = (double) count_recovered (secrets, estimates, attack->control.within)
                       / (double) secrets.rows;
  ret_outcome->is_won = ret_outcome->share >= attack->control.at_least;
  return TRUE;
}

gboolean
assay_control_run (const AssayAttack *attack, const AssaySettings *settings, guint64 seed,
                   AssayControlOutcome *ret_outcome, GError **error)
{
  g_autofree char *canonical = assay_settings_canonical (settings);
  const AssayAttackContext context
      = { .settings = settings->values,
          .stream = assay_stream_key (seed, 0, "control-attack", canonical) };
  AssayControlCase control_case = { 0 };
  AssayControlOutcome outcome = { 0 };
  gboolean is_ok;

  if (!assay_game_has_guess (attack->game))
    is_ok = attack->control.play (attack, &context, &outcome, error);
  else
    is_ok = attack->control.make (settings->values,
                                  assay_stream_key (seed, 0, "control-case", attack->id),
                                  &control_case, error)
            && play (attack, &context, &control_case, &outcome, error);
  assay_control_case_clear (&control_case);
  if (!is_ok) {
    g_prefix_error (error, "control of attack %s: ", attack->id);
    return FALSE;
  }
  *ret_outcome = outcome;
  return TRUE;
}
