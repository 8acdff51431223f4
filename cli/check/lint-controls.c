/* Controls that will be lost: what an attack does not find then proves nothing, and no claim about
 * it can be upheld. The control of most attacks is a case that depends on their settings and the
 * seed alone, so that it can be played before anything is run, with the outcome that the run will
 * find. That of a program is made of a cell, for each defense: it is played where programs may be
 * started. */
#include "cli/check/lint.h"

#include "core/games/control-like.h"
#include "core/games/control.h"
#include "runner/plan/claim.h"
#include "runner/run/like-control.h"
#include "runner/run/replay.h"

static gboolean
is_played (const AssayPlan *plan, guint attack)
{
  ASSAY_FOR_EACH_IN (const AssayCell, cell, plan->cells)
    if (cell->attack == attack)
      return TRUE;
  return FALSE;
}

static gboolean
is_cell_claimed (const AssayPlan *plan, const AssayCell *cell)
{
  ASSAY_FOR_EACH (const AssayClaim, claim, plan->claims)
    if (assay_claim_may_select (plan, claim, cell))
      return TRUE;
  return FALSE;
}

static gboolean
is_claimed (const AssayPlan *plan, guint attack)
{
  ASSAY_FOR_EACH_IN (const AssayCell, cell, plan->cells)
    if (cell->attack == attack && is_cell_claimed (plan, cell))
      return TRUE;
  return FALSE;
}

static char *
say_share (const AssayControlOutcome *outcome, double at_least, const char *says)
{
  return g_strdup_printf ("loses its control with these settings and this seed: %.3g %% of %zu, "
                          "and %.3g %% is asked for (%s)",
                          100 * outcome->share, outcome->n, 100 * at_least, says);
}

/* What is wrong with the control of @attack, with all of the settings that tuning may choose; NULL:
 * nothing. */
static char *
why_lost (const AssayPlan *plan, const AssayComponent *attack)
{
  const AssayControlTerms terms = assay_control_terms (attack->plugin);
  const AssaySettings *settings;
  char *why = NULL;

  for (guint c = 0; (settings = assay_component_choice (attack, c)) != NULL; c++) {
    AssayControlOutcome outcome = { 0 };
    g_autoptr (GError) error = NULL;

    g_clear_pointer (&why, g_free);
    if (!assay_control_play (attack->plugin, settings, plan->seed, &outcome, &error))
      why = g_strdup_printf ("cannot play its control (%s)", error->message);
    else if (!outcome.is_won)
      why = say_share (&outcome, terms.at_least, terms.says);
    if (why == NULL)
      return NULL;
  }
  return why;
}

static void
add (GPtrArray *doubts, GPtrArray *of_claims, gboolean is_claimed_of, const char *label,
     const char *why)
{
  if (is_claimed_of)
    assay_doubt (of_claims,
                 "[attack %s] %s: what it does not find proves nothing, and claims about it "
                 "cannot be upheld",
                 label, why);
  else
    assay_doubt (doubts, "[attack %s] %s", label, why);
}

void
assay_lint_controls (const AssayPlan *plan, GPtrArray *inout_doubts, GPtrArray *inout_of_claims)
{
  for (guint a = 0; a < plan->attacks->len; a++) {
    const AssayComponent *attack = assay_plan_component (plan->attacks, a);
    g_autofree char *why = NULL;

    if (!is_played (plan, a) || !assay_control_terms (attack->plugin).is_there
        || assay_like_control_replaces (attack))
      continue;
    why = why_lost (plan, attack);
    if (why != NULL)
      add (inout_doubts, inout_of_claims, is_claimed (plan, a), attack->label, why);
  }
}

/* ---- Programs ---- */

guint
assay_lint_program_controls_count (const AssayPlan *plan)
{
  guint count = 0;

  for (guint a = 0; a < plan->attacks->len; a++)
    count += is_played (plan, a)
             && assay_like_control_replaces (assay_plan_component (plan->attacks, a));
  return count;
}

/* Of one defense. NULL and no @error: it is won, or the program has the small one alone. */
static char *
why_program_lost (AssayLikeControl *control, GError **error)
{
  const AssayComponent *attack = assay_plan_attack (control->plan, control->cell);
  const char *defense = assay_plan_defense (control->plan, control->cell)->label;
  g_autofree char *why = NULL;

  for (guint c = 0; (control->settings = assay_component_choice (attack, c)) != NULL; c++) {
    AssayControlOutcome outcome = { 0 };
    g_autoptr (GError) problem = NULL;

    g_clear_pointer (&why, g_free);
    if (assay_like_control_try (control, &outcome, &problem)) {
      if (outcome.n == 0 || outcome.is_won)
        return NULL;
      why = say_share (&outcome, assay_control_like_at_least (outcome.n),
                       "a case like the cell's own");
    } else if (assay_run_ends_with (problem)) {
      g_propagate_error (error, g_steal_pointer (&problem));
      return NULL;
    } else {
      why = g_strdup_printf ("cannot play its control (%s)", problem->message);
    }
  }
  return g_strdup_printf ("against %s %s", defense, why);
}

gboolean
assay_lint_program_controls (const AssayPlan *plan, GPtrArray *inout_doubts,
                             GPtrArray *inout_of_claims, GError **error)
{
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);

  ASSAY_FOR_EACH_IN (const AssayCell, cell, plan->cells)
  {
    AssayLikeControl control = { .plan = plan, .workspace = workspace, .cell = cell };
    g_autoptr (GError) problem = NULL;
    g_autofree char *why = NULL;

    if (cell->utility != ASSAY_NO_COMPONENT
        || !assay_like_control_replaces (assay_plan_attack (plan, cell))
        || assay_like_control_trial (plan, cell) != cell->trial)
      continue;
    why = why_program_lost (&control, &problem);
    if (problem != NULL) {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
    if (why != NULL)
      add (inout_doubts, inout_of_claims, is_cell_claimed (plan, cell),
           assay_plan_attack (plan, cell)->label, why);
  }
  return TRUE;
}
