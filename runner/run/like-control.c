/* Controls that are like the cells, and drawn among them. */
#include "runner/run/like-control.h"

#include "core/games/control-shape.h"

gboolean
assay_like_control_replaces (const AssayComponent *attack)
{
  return attack->plugin->type == ASSAY_PLUGIN_ATTACK && attack->attack->control.make_like != NULL
         && !assay_control_shape_has (attack->attack);
}

/* The same for all trials. */
static AssayStream
draw (const AssayPlan *plan, const AssayCell *cell)
{
  AssayCell first = *cell;
  g_autofree char *canonical = assay_settings_canonical (assay_plan_attack (plan, cell)->settings);

  first.trial = 0;
  return assay_stream (assay_plan_stream (plan, &first, "control-place", canonical), 0);
}

guint
assay_like_control_trial (const AssayPlan *plan, const AssayCell *cell)
{
  AssayStream stream = draw (plan, cell);

  return (guint) assay_stream_below (&stream, MAX (plan->trials, 1));
}

gboolean
assay_like_control_is_after (const AssayPlan *plan, const AssayCell *cell)
{
  AssayStream stream;

  if (!assay_like_control_replaces (assay_plan_attack (plan, cell)))
    return FALSE;
  stream = draw (plan, cell);
  assay_stream_below (&stream, MAX (plan->trials, 1));
  return assay_stream_below (&stream, 2) == 1;
}

/* With as many starts as the game, the best of which counts: an attack that is lucky now and then
 * is no worse here than there. */
gboolean
assay_like_control_try (const AssayLikeControl *control, AssayControlOutcome *ret_outcome,
                        GError **error)
{
  const AssayPlan *plan = control->plan;
  const AssayCell *cell = control->cell;
  const AssayAttack *attack = assay_plan_attack (plan, cell)->attack;
  const guint starts = assay_plan_starts (plan, cell, control->settings);
  g_autofree char *canonical = assay_settings_canonical (control->settings);
  const AssayStreamKey key = assay_plan_stream (plan, cell, "control-case", canonical);
  AssayControlOutcome best = { 0 };
  AssayGranted granted;
  AssayJob job;

  if (!assay_workspace_cell (control->workspace, cell, &job, error)
      || !assay_workspace_grant (control->workspace, cell, control->settings, FALSE, &granted,
                                 error))
    return FALSE;
  for (guint s = 0; s < starts && !best.is_won; s++) {
    g_autofree char *role = g_strdup_printf ("control-attack-start-%u", s);
    const AssayAttackContext context = { .settings = control->settings->values,
                                         .stream = assay_plan_stream (plan, cell, role, canonical),
                                         .position = granted.position };
    AssayControlOutcome outcome;

    if (!assay_step_control (attack, &context, key, &granted, &outcome, error))
      return FALSE;
    if (s == 0 || outcome.share > best.share)
      best = outcome;
  }
  *ret_outcome = best;
  return TRUE;
}

gboolean
assay_like_control_play (const AssayLikeControl *control, gboolean *ret_is_won,
                         gboolean *ret_is_played, GError **error)
{
  g_autofree char *key = assay_run_like_control_key (
      control->cell->attack, assay_plan_index (control->plan, control->cell));
  AssayControlOutcome outcome;
  gboolean is_there;

  if (!assay_store_control (control->store, key, &outcome, &is_there, error)
      || (!is_there && !assay_like_control_try (control, &outcome, error)))
    return FALSE;
  *ret_is_played = is_there || outcome.n > 0;
  if (!*ret_is_played)
    return TRUE;
  *ret_is_won = outcome.is_won;
  return is_there || assay_store_set_control (control->store, key, &outcome, error);
}

gboolean
assay_like_control_follow (const AssayLikeControl *control, const AssayTruth *truth,
                           const AssayGuess *guess, GError **error)
{
  const AssayPlan *plan = control->plan;
  const AssayAttack *attack = assay_plan_attack (plan, control->cell)->attack;
  gboolean is_won, is_played;

  return !assay_control_shape_has (attack)
         || assay_like_control_trial (plan, control->cell) != control->cell->trial
         || assay_control_shape_judge (attack, truth, guess).is_won
         || assay_like_control_play (control, &is_won, &is_played, error);
}
