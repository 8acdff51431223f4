/* Claims: what a scenario states. How they are judged is in runner/judge/judge.c. */
#include "runner/plan/claim.h"

#include <math.h>

#include "core/base/each.h"
#include "core/base/text.h"
#include "runner/plan/fit.h"
#include "runner/plan/refused/hints.h"
#include "runner/plan/selector.h"

/* Defaults and limits of what a verdict must rest on (docs/what-a-verdict-means.md). */
#define DEFAULT_POWER_AT 1.5
#define MAX_POWER_AT 2
#define MIN_CONFIDENCE 0.9

static const char *const keys[]
    = { "says",  "source",  "measure",  "metric",     "defense", "attack",   "utility",
        "where", "at-most", "at-least", "confidence", "delta",   "power-at",
        "attackers", "beyond", NULL };

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

/* The measure, by the metric that has it: the only one, or the one that `metric` names. */
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

/* Beside another attack on the same units: outcomes that are compared one by one. */
static gboolean
read_beyond (const AssayPlan *plan, const AssayGroup *group, AssayClaim *claim, GError **error)
{
  const AssayMeasure *of = claim->measure;
  AssayMeasure *difference = &claim->difference;
  const double range = of->high - of->low;

  if (!assay_selector_one_attack (plan, group, "beyond", &claim->beyond, error))
    return FALSE;
  if (claim->beyond == ASSAY_NO_COMPONENT)
    return TRUE;
  if (claim->utility != NULL || of->is_influence || !(range < G_MAXDOUBLE)
      || (of->statistic != ASSAY_STATISTIC_RATE && of->statistic != ASSAY_STATISTIC_MEAN))
    return assay_group_fail (group, assay_group_find (group, "beyond"), error,
                             ASSAY_ERROR_PARAMETER,
                             "beyond: outcomes of two attacks are compared one by one; expected a "
                             "rate, or a mean of numbers within bounds, of the secrets, and %s is "
                             "none",
                             of->name);
  *difference = *of;
  difference->name = g_strdup_printf (
      "%s beyond %s", of->name, assay_plan_component (plan->attacks, claim->beyond)->label);
  difference->statistic = ASSAY_STATISTIC_MEAN;
  difference->low = -range;
  difference->high = range;
  claim->measure = difference;
  return TRUE;
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
    g_autofree char *hint = assay_hint_bound (claim->measure, entry->value);
    g_autofree char *low = assay_text_number (claim->measure->low);
    g_autofree char *high = claim->measure->high < G_MAXDOUBLE
                                ? assay_text_number (claim->measure->high)
                                : g_strdup ("any number");

    return assay_group_fail (group, entry, error, ASSAY_ERROR_PARAMETER,
                             "%s = '%s': expected a number, %s to %s, because %s "
                             "has no other values%s",
                             entry->key, entry->value, low, high, claim->measure->name, hint);
  }
  return TRUE;
}

/* Of epsilon: what an audit must be able to see. */
static gboolean
read_power (const AssayGroup *group, AssayClaim *claim, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "power-at");

  claim->power_at = DEFAULT_POWER_AT;
  if (entry == NULL)
    return TRUE;
  if (claim->measure->statistic == ASSAY_STATISTIC_EPSILON
      && assay_text_to_double (entry->value, &claim->power_at) && claim->power_at > 1
      && claim->power_at <= MAX_POWER_AT)
    return TRUE;
  assay_fail (error, ASSAY_ERROR_PARAMETER,
              "power-at = '%s': expected a number above 1, at most %d, in a claim about epsilon: "
              "the multiple of its bound that an audit must be able to see",
              entry->value, MAX_POWER_AT);
  return assay_group_blame (group, entry, error);
}

/* Which attackers it must have withstood. */
static gboolean
read_attackers (const AssayGroup *group, AssayClaim *claim, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "attackers");

  claim->wants_adaptive = entry != NULL && g_str_equal (entry->value, "adaptive");
  return entry == NULL || claim->wants_adaptive || g_str_equal (entry->value, "any")
         || assay_group_fail (group, entry, error, ASSAY_ERROR_PARAMETER,
                              "attackers = '%s': expected any, or adaptive, by which a claim that "
                              "no attack which learns from runs of the defense has tested is "
                              "inconclusive",
                              entry->value);
}

/* A claim must be able to fail, and a verdict on it to mean something. */
static gboolean
check_confidence (const AssayGroup *group, const AssayClaim *claim, GError **error)
{
  if (claim->confidence >= MIN_CONFIDENCE)
    return TRUE;
  assay_fail (error, ASSAY_ERROR_PARAMETER,
              "confidence = %g: a verdict needs %g or more; expected confidence = %g to 0.999999 "
              "in the claim or in [scenario]",
              claim->confidence, MIN_CONFIDENCE, MIN_CONFIDENCE);
  return assay_group_blame (group, assay_group_find (group, "confidence"), error);
}

/* At the end of its range that it points to, no outcome breaks a bound. */
static gboolean
can_be_broken (const AssayPlan *plan, const AssayClaim *claim, double *ret_least_units)
{
  const AssayMeasure *measure = claim->measure;
  const double end = claim->is_at_most ? measure->high : measure->low;
  /* If every unit were on the wrong side of the bound. */
  const double chance = claim->is_at_most ? claim->bound : 1 - claim->bound;

  *ret_least_units = 0;
  if (claim->is_claimed || measure->statistic == ASSAY_STATISTIC_EPSILON)
    return TRUE;
  if (claim->bound == end)
    return FALSE;
  if (measure->statistic == ASSAY_STATISTIC_RATE && chance > 0)
    *ret_least_units = ceil (log (1 - claim->confidence) / log (chance));
  /* Only of secrets it is known how many there will be. */
  return claim->utility != NULL || plan->secrets == 0 || plan->takes_all
         || assay_plan_component (plan->metrics, claim->metric)->metric->has_own_units
         || (double) (plan->secrets * plan->trials) >= *ret_least_units;
}

static gboolean
check_breakable (const AssayPlan *plan, const AssayGroup *group, const AssayClaim *claim,
                 GError **error)
{
  const char *key = claim->is_at_most ? "at-most" : "at-least";
  const AssayEntry *entry = assay_group_find (group, key);
  double least_units;

  if (can_be_broken (plan, claim, &least_units))
    return TRUE;
  if (least_units == 0)
    assay_fail (error, ASSAY_ERROR_PARAMETER,
                "%s = %s: no outcome breaks this bound, because %s has no %s values; expected a "
                "bound that could be broken",
                key, entry->value, claim->measure->name, claim->is_at_most ? "higher" : "lower");
  else
    assay_fail (error, ASSAY_ERROR_PARAMETER,
                "%s = %s: no outcome of %" G_GUINT64_FORMAT " secrets breaks this bound with "
                "confidence %g; expected at least %.0f secrets, over all trials, or another bound",
                key, entry->value, plan->secrets * plan->trials, claim->confidence, least_units);
  return assay_group_blame (group, entry, error);
}

AssayClaim *
assay_claim_new (const AssayPlan *plan, const AssayGroup *group, GError **error)
{
  AssayClaim *claim = g_new0 (AssayClaim, 1);

  claim->id = g_strdup (group->label);
  claim->line = group->line;
  claim->confidence = plan->confidence;
  claim->beyond = ASSAY_NO_COMPONENT;
  if (assay_group_check_keys (group, keys, error)
      && assay_group_text (group, "says", &claim->says, error)
      && assay_group_text (group, "source", &claim->source, error)
      && read_measure (plan, group, claim, error) && read_beyond (plan, group, claim, error)
      && read_bound (group, claim, error)
      && assay_group_confidence (group, &claim->confidence, error)
      && check_confidence (group, claim, error) && check_breakable (plan, group, claim, error)
      && read_power (group, claim, error) && read_attackers (group, claim, error)
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

double
assay_claim_must_see (const AssayClaim *claim, double bound)
{
  return bound > 0 ? claim->power_at * bound : ASSAY_LEAST_SEEN;
}

/* A measure of epsilon means nothing for a guess, nor a recovery rate for an audit; a utility
 * measures its own cells alone; and no attack goes beyond itself. */
gboolean
assay_claim_is_played_for (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell)
{
  const AssayComponent *component = assay_plan_attack_or_utility (plan, cell);
  const gboolean is_epsilon = claim->measure->statistic == ASSAY_STATISTIC_EPSILON;

  if (cell->utility != ASSAY_NO_COMPONENT || claim->utility != NULL)
    return cell->utility != ASSAY_NO_COMPONENT && claim->utility == component->utility;
  if (is_epsilon || component->plugin->type == ASSAY_PLUGIN_AUDITOR)
    return is_epsilon == (component->plugin->type == ASSAY_PLUGIN_AUDITOR);
  if (cell->attack == claim->beyond)
    return FALSE;
  return assay_fit_measures (assay_plan_component (plan->metrics, claim->metric)->metric,
                     assay_attack_plays (component->attack, component->settings->values));
}

gboolean
assay_claim_selects (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell,
                     const AssaySettings *settings)
{
  return assay_claim_is_played_for (plan, claim, cell)
         && assay_selector_selects (plan, claim->selector, cell, settings);
}

gboolean
assay_claim_may_select (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell)
{
  return assay_claim_is_played_for (plan, claim, cell)
         && assay_selector_may_select (plan, claim->selector, cell);
}

/* A larger delta forgives more than was claimed. */
static gboolean
fail_delta_above (const AssayPlan *plan, const AssayClaim *claim, const AssayComponent *defense,
                  const AssayOracle *oracle, GError **error)
{
  g_autofree char *audited = assay_text_number (oracle->delta);
  g_autofree char *claimed = assay_text_number (oracle->claimed.delta);

  return assay_fail (error, ASSAY_ERROR_PARAMETER,
                     "%s:%u: [claim %s] is about delta = %s, above the %s that defense '%s' "
                     "claims; expected at most that",
                     plan->scenario, claim->line, claim->id, audited, claimed, defense->label);
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
  if (oracle.delta > oracle.claimed.delta && oracle.claimed.delta > 0)
    return fail_delta_above (plan, claim, defense, &oracle, error);
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

  ASSAY_FOR_EACH_IN (const AssayCell, cell, plan->cells) {
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

GArray *
assay_claims_must_see (const AssayPlan *plan, const AssayCell *cell)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (AssayMustSee));

  ASSAY_FOR_EACH (const AssayClaim, claim, plan->claims) {
    AssayMustSee one = { 0 };
    gboolean is_known = FALSE;

    if (claim->measure->statistic != ASSAY_STATISTIC_EPSILON
        || !assay_claim_may_select (plan, claim, cell))
      continue;
    one.bound = assay_claim_bound (plan, claim, cell);
    one.epsilon = assay_claim_must_see (claim, one.bound);
    for (guint i = 0; i < all->len; i++)
      is_known |= g_array_index (all, AssayMustSee, i).epsilon == one.epsilon;
    if (!is_known)
      g_array_append_val (all, one);
  }
  return all;
}

char *
assay_claims_canonical (const AssayPlan *plan)
{
  GString *text = g_string_new (NULL);

  ASSAY_FOR_EACH (const AssayClaim, claim, plan->claims) {
    const double numbers[]
        = { claim->bound, claim->confidence, claim->has_delta ? claim->delta : 0, claim->power_at };
    g_autofree char *selected = assay_selector_canonical (claim->selector);
    const AssayComponent *metric
        = claim->utility == NULL ? assay_plan_component (plan->metrics, claim->metric) : NULL;

    g_string_append_printf (text, "%s %s %s %s %s", claim->id,
                            metric != NULL ? metric->label : claim->utility->id,
                            claim->measure->name, claim->is_at_most ? "at-most" : "at-least",
                            claim->is_claimed ? "claimed" : "");
    for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
      g_autofree char *number = assay_text_number (numbers[i]);

      g_string_append_printf (text, " %s", number);
    }
    /* Beside another attack: its name is in that of the measure. */
    g_string_append_printf (text, " %s%s\n", selected, claim->wants_adaptive ? " adaptive" : "");
  }
  return g_string_free (text, FALSE);
}
