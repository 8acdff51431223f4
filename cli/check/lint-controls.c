/* Controls that will be lost: what an attack does not find then proves nothing, and no claim about
 * it can be upheld. The control of most attacks is a case that depends on their settings and the
 * seed alone, so that it can be played before anything is run, with the outcome that the run will
 * find. Programs are not started here: their cases are made of the cells. */
#include "cli/check/lint.h"

#include "core/games/control.h"
#include "runner/plan/claim.h"
#include "runner/run/like-control.h"

static gboolean
is_played (const AssayPlan *plan, guint attack)
{
  ASSAY_FOR_EACH_IN (const AssayCell, cell, plan->cells)
    if (cell->attack == attack)
      return TRUE;
  return FALSE;
}

static gboolean
is_claimed (const AssayPlan *plan, guint attack)
{
  ASSAY_FOR_EACH (const AssayClaim, claim, plan->claims)
    ASSAY_FOR_EACH_IN (const AssayCell, cell, plan->cells)
      if (cell->attack == attack && assay_claim_may_select (plan, claim, cell))
        return TRUE;
  return FALSE;
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
      why = g_strdup_printf ("loses its control with these settings and this seed: %.3g %% of %zu, "
                             "and %.3g %% is asked for (%s)",
                             100 * outcome.share, outcome.n, 100 * terms.at_least, terms.says);
    if (why == NULL)
      return NULL;
  }
  return why;
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
    if (why != NULL && is_claimed (plan, a))
      assay_doubt (inout_of_claims,
                   "[attack %s] %s: what it does not find proves nothing, and claims about it "
                   "cannot be upheld",
                   attack->label, why);
    else if (why != NULL)
      assay_doubt (inout_doubts, "[attack %s] %s", attack->label, why);
  }
}
