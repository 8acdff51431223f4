/* Claims: what a scenario states. How they are judged is in runner/judge/judge.c. */
#include "runner/plan/claim.h"

#include <string.h>

#include "core/base/text.h"
#include "runner/plan/fit.h"
#include "runner/plan/selector.h"

static const char *const keys[]
    = { "says",  "source",  "measure",  "metric",     "defense", "attack", "utility",
        "where", "at-most", "at-least", "confidence", "delta",   NULL };

/* ---- Reading ---- */

/* A name in place of which the scenario has others. */
static gboolean
fail_unknown (const char *what, const char *name, GPtrArray *names, GError **error)
{
  g_autofree char *hint = assay_names_hint (names, name);

  return assay_fail (error, ASSAY_ERROR_SCENARIO, "unknown %s '%s'%s", what, name, hint);
}

/* Whether @plugin has the measure; all that it has are added to @names. */
static gboolean
has_measure (const AssayMeasuring *plugin, const char *name, GPtrArray *names, AssayClaim *claim)
{
  gboolean is_found = FALSE;

  for (const AssayMeasure *m = plugin->measures; m->name != NULL; m++) {
    g_ptr_array_add (names, (gpointer) m->name);
    if (!g_str_equal (m->name, name))
      continue;
    claim->measure = m;
    is_found = TRUE;
  }
  return is_found;
}

/* A utility measures cells of its own, whatever its settings. */
static gboolean
find_utility (const AssayPlan *plan, const char *name, GPtrArray *names, AssayClaim *claim)
{
  ASSAY_FOR_EACH (const AssayComponent, utility, plan->utilities)
    if (has_measure (utility->measuring, name, names, claim)) {
      claim->utility = utility->utility;
      claim->metric = 0;
      return TRUE;
    }
  return FALSE;
}

/* The measure, by the metric part that has it: the only one, or the one that `metric` names. */
static gboolean
find_measure (const AssayPlan *plan, const char *name, const char *label, AssayClaim *claim,
              GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  guint n_found = 0;

  for (guint i = 0; i < plan->metrics->len; i++) {
    const AssayComponent *component = assay_plan_component (plan->metrics, i);

    if (label != NULL && !g_str_equal (label, component->label))
      continue;
    if (!has_measure (component->measuring, name, names, claim))
      continue;
    claim->metric = i;
    n_found++;
  }
  if (n_found == 0 && label == NULL && find_utility (plan, name, names, claim))
    return TRUE;
  if (n_found == 0)
    return fail_unknown ("measure", name, names, error);
  if (n_found > 1 && label == NULL)
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "measure '%s' is measured by several [metric]s; expected metric = NAME",
                       name);
  return n_found == 1
         || assay_fail (error, ASSAY_ERROR_SCENARIO,
                        "measure '%s' has several settings in [metric %s]; expected a [metric] of "
                        "its own for the one that is meant",
                        name, label);
}

static gboolean
check_metric (const AssayPlan *plan, const char *label, GError **error)
{
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();

  ASSAY_FOR_EACH (const AssayComponent, component, plan->metrics) {
    if (g_str_equal (component->label, label))
      return TRUE;
    g_ptr_array_add (labels, component->label);
  }
  return fail_unknown ("metric", label, labels, error);
}

static gboolean
read_measure (const AssayPlan *plan, const AssayGroup *group, AssayClaim *claim, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "measure");
  const AssayEntry *label = assay_group_find (group, "metric");

  if (entry == NULL)
    return assay_group_fail (group, NULL, error, ASSAY_ERROR_SCENARIO,
                             "'measure' is missing: what the claim bounds");
  if (label != NULL && !check_metric (plan, label->value, error))
    return assay_group_blame (group, label, error);
  return find_measure (plan, entry->value, label != NULL ? label->value : NULL, claim, error)
         || assay_group_blame (group, entry, error);
}

/* What only claims about epsilon have: `claimed` as a bound, delta, and no at-least. */
static gboolean
read_epsilon (const AssayGroup *group, const AssayEntry *bound, AssayClaim *claim, GError **error)
{
  const gboolean is_epsilon = claim->measure->statistic == ASSAY_STATISTIC_EPSILON;
  const AssayEntry *delta = assay_group_find (group, "delta");

  if (is_epsilon && !claim->is_at_most)
    return assay_group_fail (
        group, bound, error, ASSAY_ERROR_SCENARIO,
        "no number of runs shows that epsilon is at least this where it is not seen; "
        "expected at-most");
  if (!is_epsilon && claim->is_claimed)
    return assay_group_fail (
        group, bound, error, ASSAY_ERROR_PARAMETER,
        "'claimed' is the epsilon that a defense claims; expected a number, because the "
        "measure is %s",
        claim->measure->name);
  if (delta == NULL)
    return TRUE;
  claim->has_delta = TRUE;
  if (is_epsilon && assay_text_to_double (delta->value, &claim->delta) && claim->delta >= 0
      && claim->delta < 1)
    return TRUE;
  return assay_group_fail (group, delta, error, ASSAY_ERROR_PARAMETER,
                           "expected a number, 0 to below 1, in a claim about "
                           "epsilon");
}

static gboolean
read_bound (const AssayGroup *group, AssayClaim *claim, GError **error)
{
  const AssayEntry *at_most = assay_group_find (group, "at-most");
  const AssayEntry *at_least = assay_group_find (group, "at-least");
  const AssayEntry *entry = at_most != NULL ? at_most : at_least;

  if ((at_most == NULL) == (at_least == NULL))
    return assay_group_fail (group, NULL, error, ASSAY_ERROR_SCENARIO,
                             "expected either at-most or at-least");
  claim->is_at_most = at_most != NULL;
  claim->is_claimed = g_str_equal (entry->value, "claimed");
  if (!read_epsilon (group, entry, claim, error))
    return FALSE;
  if (claim->is_claimed)
    return TRUE;
  if (!assay_text_to_double (entry->value, &claim->bound) || claim->bound < claim->measure->low
      || claim->bound > claim->measure->high) {
    g_autofree char *low = assay_text_number (claim->measure->low);
    g_autofree char *high = claim->measure->high < G_MAXDOUBLE
                                ? assay_text_number (claim->measure->high)
                                : g_strdup ("any number");

    return assay_group_fail (group, entry, error, ASSAY_ERROR_PARAMETER,
                             "%s = '%s': expected a number, %s to %s, because %s "
                             "has no other values",
                             entry->key, entry->value, low, high, claim->measure->name);
  }
  return TRUE;
}

AssayClaim *
assay_claim_new (const AssayPlan *plan, const AssayGroup *group, GError **error)
{
  AssayClaim *claim = g_new0 (AssayClaim, 1);

  claim->id = g_strdup (group->label);
  claim->line = group->line;
  claim->confidence = plan->confidence;
  if (assay_group_check_keys (group, keys, error)
      && assay_group_text (group, "says", &claim->says, error)
      && assay_group_text (group, "source", &claim->source, error)
      && read_measure (plan, group, claim, error) && read_bound (group, claim, error)
      && assay_group_confidence (group, &claim->confidence, error)
      && (claim->selector = assay_selector_new (plan, group, error)) != NULL)
    return claim;
  assay_claim_free (claim);
  return NULL;
}

/* ---- Selecting ---- */

double
assay_claim_bound (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell)
{
  return claim->is_claimed ? assay_plan_oracle (plan, cell).claimed.epsilon : claim->bound;
}

/* A measure of epsilon means nothing for a guess, nor a recovery rate for an audit; and a utility
 * measures its own cells alone. */
static gboolean
is_played_for (const AssayClaim *claim, const AssayCell *cell, const AssayComponent *component)
{
  const gboolean is_epsilon = claim->measure->statistic == ASSAY_STATISTIC_EPSILON;

  if (cell->utility != ASSAY_NO_COMPONENT || claim->utility != NULL)
    return cell->utility != ASSAY_NO_COMPONENT && claim->utility == component->utility;
  return is_epsilon == (component->plugin->type == ASSAY_PLUGIN_AUDITOR);
}

gboolean
assay_claim_selects (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell,
                     const AssaySettings *settings)
{
  return is_played_for (claim, cell, assay_plan_attack_or_utility (plan, cell))
         && assay_selector_selects (plan, claim->selector, cell, settings);
}

gboolean
assay_claim_may_select (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell)
{
  return is_played_for (claim, cell, assay_plan_attack_or_utility (plan, cell))
         && assay_selector_may_select (plan, claim->selector, cell);
}

/* A bound on epsilon means nothing without the delta that it was stated with. */
static gboolean
check_delta (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell, GError **error)
{
  const AssayComponent *defense = assay_plan_defense (plan, cell);
  AssayOracle oracle;
  g_autofree char *audited = NULL;
  g_autofree char *stated = NULL;
  double expected;

  if (claim->measure->statistic != ASSAY_STATISTIC_EPSILON)
    return TRUE;
  oracle = assay_plan_oracle (plan, cell);
  /* A number alone is a claim of pure epsilon. */
  expected = claim->has_delta ? claim->delta : claim->is_claimed ? oracle.claimed.delta : 0;
  if (oracle.delta == expected)
    return TRUE;
  audited = assay_text_number (oracle.delta);
  stated = assay_text_number (expected);
  if (oracle.claimed.delta == 0)
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "%s:%u: [claim %s] delta = %s, but defense '%s' claims pure epsilon "
                       "(delta = 0); expected no delta",
                       plan->scenario, claim->line, claim->id, stated, defense->label);
  return assay_fail (error, ASSAY_ERROR_PARAMETER,
                     "%s:%u: [claim %s] is about delta = %s, but defense '%s' is audited at %s; "
                     "expected the same delta in the claim and in the attack",
                     plan->scenario, claim->line, claim->id, stated, defense->label, audited);
}

gboolean
assay_claim_check_cells (const AssayPlan *plan, const AssayClaim *claim, GError **error)
{
  gboolean is_about_any = FALSE;

  for (guint i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);

    if (!assay_claim_may_select (plan, claim, cell))
      continue;
    is_about_any = TRUE;
    if (!check_delta (plan, claim, cell, error))
      return FALSE;
  }
  if (is_about_any)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_SCENARIO,
                     "%s:%u: [claim %s] is about no cell of the scenario: defense, attack, "
                     "utility and where exclude all of them",
                     plan->scenario, claim->line, claim->id);
}
