/* Claims: what a scenario states. How they are judged is in judge.c. */
#include "runner/claim.h"

#include <string.h>

#include "core/text.h"
#include "runner/audit.h"
#include "runner/group.h"

static const char *const keys[]
    = { "says",  "source",  "measure",  "metric",     "defense", "attack", "utility",
        "where", "at-most", "at-least", "confidence", "delta",   NULL };

/* Two-character operators first, so that "<=" is not read as "<". A value may hold more of them. */
static const struct {
  const char *text;
  AssayOp op;
} operators[] = {
  { "<=", ASSAY_OP_LE }, { ">=", ASSAY_OP_GE }, { "!=", ASSAY_OP_NE }, { "==", ASSAY_OP_EQ },
  { "<", ASSAY_OP_LT },  { ">", ASSAY_OP_GT },  { "=", ASSAY_OP_EQ },
};

static void
condition_clear (gpointer data)
{
  AssayCondition *condition = data;

  g_free (condition->role);
  g_free (condition->key);
  g_free (condition->value);
}

void
assay_claim_free (AssayClaim *claim)
{
  if (claim == NULL)
    return;
  g_free (claim->id);
  g_free (claim->says);
  g_free (claim->source);
  g_free (claim->defense);
  g_free (claim->attack);
  g_free (claim->utility_label);
  g_array_unref (claim->conditions);
  g_free (claim);
}

/* ---- Reading ---- */

/* A name in place of which the scenario has others. */
static gboolean
fail_unknown (const char *what, const char *name, GPtrArray *names, GError **error)
{
  g_autofree char *hint = NULL;

  g_ptr_array_add (names, NULL);
  hint = assay_text_did_you_mean (name, (const char *const *) names->pdata);
  return assay_fail (error, ASSAY_ERROR_SCENARIO, "unknown %s '%s'%s", what, name, hint);
}

/* Whether @plugin has the measure; all that it has are added to @names. */
static gboolean
has_measure (const AssayMetric *plugin, const char *name, GPtrArray *names, AssayClaim *claim)
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
  for (guint i = 0; i < plan->utilities->len; i++) {
    const AssayMetric *plugin = (const AssayMetric *) assay_plan_part (plan->utilities, i)->plugin;

    if (has_measure (plugin, name, names, claim)) {
      claim->utility = plugin;
      claim->metric = 0;
      return TRUE;
    }
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
    const AssayPart *part = assay_plan_part (plan->metrics, i);

    if (label != NULL && !g_str_equal (label, part->label))
      continue;
    if (!has_measure ((const AssayMetric *) part->plugin, name, names, claim))
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

  for (guint i = 0; i < plan->metrics->len; i++) {
    const AssayPart *part = assay_plan_part (plan->metrics, i);

    if (g_str_equal (part->label, label))
      return TRUE;
    g_ptr_array_add (labels, part->label);
  }
  return fail_unknown ("metric", label, labels, error);
}

static gboolean
read_measure (const AssayPlan *plan, const AssayScenario *scenario, const AssayGroup *group,
              AssayClaim *claim, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "measure");
  const AssayEntry *label = assay_group_find (group, "metric");

  if (entry == NULL) {
    assay_fail (error, ASSAY_ERROR_SCENARIO, "'measure' is missing: what the claim bounds");
    return assay_scenario_blame (scenario, group, NULL, error);
  }
  if (label != NULL && !check_metric (plan, label->value, error))
    return assay_scenario_blame (scenario, group, label, error);
  return find_measure (plan, entry->value, label != NULL ? label->value : NULL, claim, error)
         || assay_scenario_blame (scenario, group, entry, error);
}

/* What only claims about epsilon have: `claimed` as a bound, delta, and no at-least. */
static gboolean
read_epsilon (const AssayScenario *scenario, const AssayGroup *group, const AssayEntry *bound,
              AssayClaim *claim, GError **error)
{
  const gboolean is_epsilon = claim->measure->statistic == ASSAY_STATISTIC_EPSILON;
  const AssayEntry *delta = assay_group_find (group, "delta");

  if (is_epsilon && !claim->is_at_most) {
    assay_fail (error, ASSAY_ERROR_SCENARIO,
                "no number of runs shows that epsilon is at least this where it is not seen; "
                "expected at-most");
    return assay_scenario_blame (scenario, group, bound, error);
  }
  if (!is_epsilon && claim->is_claimed) {
    assay_fail (error, ASSAY_ERROR_PARAMETER,
                "'claimed' is the epsilon that a defense claims; expected a number, because the "
                "measure is %s",
                claim->measure->name);
    return assay_scenario_blame (scenario, group, bound, error);
  }
  if (delta == NULL)
    return TRUE;
  claim->has_delta = TRUE;
  if (is_epsilon && assay_text_to_double (delta->value, &claim->delta) && claim->delta >= 0
      && claim->delta < 1)
    return TRUE;
  assay_fail (error, ASSAY_ERROR_PARAMETER, "expected a number, 0 to below 1, in a claim about "
              "epsilon");
  return assay_scenario_blame (scenario, group, delta, error);
}

static gboolean
read_bound (const AssayScenario *scenario, const AssayGroup *group, AssayClaim *claim,
            GError **error)
{
  const AssayEntry *at_most = assay_group_find (group, "at-most");
  const AssayEntry *at_least = assay_group_find (group, "at-least");
  const AssayEntry *entry = at_most != NULL ? at_most : at_least;

  if ((at_most == NULL) == (at_least == NULL)) {
    assay_fail (error, ASSAY_ERROR_SCENARIO, "expected either at-most or at-least");
    return assay_scenario_blame (scenario, group, NULL, error);
  }
  claim->is_at_most = at_most != NULL;
  claim->is_claimed = g_str_equal (entry->value, "claimed");
  if (!read_epsilon (scenario, group, entry, claim, error))
    return FALSE;
  if (claim->is_claimed)
    return TRUE;
  if (!assay_text_to_double (entry->value, &claim->bound) || claim->bound < claim->measure->low
      || claim->bound > claim->measure->high) {
    g_autofree char *low = assay_text_number (claim->measure->low);
    g_autofree char *high = claim->measure->high < G_MAXDOUBLE
                                ? assay_text_number (claim->measure->high)
                                : g_strdup ("any number");

    assay_fail (error, ASSAY_ERROR_PARAMETER, "%s = '%s': expected a number, %s to %s, because %s "
                "has no other values", entry->key, entry->value, low, high, claim->measure->name);
    return assay_scenario_blame (scenario, group, entry, error);
  }
  return TRUE;
}

/* "defense.dimension >= 8" */
static gboolean
parse_condition (const char *text, AssayCondition *ret_condition, GError **error)
{
  static const char *const roles[] = { "dataset", "defense", "attack", "utility", NULL };
  const char *at = text + strcspn (text, "<>=!");

  for (gsize i = 0; i < G_N_ELEMENTS (operators); i++) {
    g_autofree char *left = NULL;
    g_autofree char *value = NULL;
    char *dot;

    if (!g_str_has_prefix (at, operators[i].text))
      continue;
    left = g_strstrip (g_strndup (text, (gsize) (at - text)));
    value = g_strstrip (g_strdup (at + strlen (operators[i].text)));
    dot = strchr (left, '.');
    if (dot == NULL || dot[1] == '\0' || *value == '\0')
      break;
    *dot = '\0';
    if (!g_strv_contains (roles, left))
      break;
    *ret_condition = (AssayCondition){ .role = g_strdup (left),
                                       .key = g_strdup (dot + 1),
                                       .op = operators[i].op,
                                       .value = g_steal_pointer (&value) };
    return TRUE;
  }
  return assay_fail (error, ASSAY_ERROR_SCENARIO,
                     "'%s': expected defense.KEY OP value (or attack., utility., dataset.), OP one "
                     "of = != < <= > >=",
                     text);
}

/* Whether @param can have the condition's value. Numbers may be compared with any number; yes and
 * true become one. */
static gboolean
check_value (const AssaySettings *settings, const AssayParam *param, AssayCondition *condition,
             GError **error)
{
  g_autoptr (AssaySettings) other = NULL;
  double number;

  if (param->type == ASSAY_PARAM_TYPE_INT || param->type == ASSAY_PARAM_TYPE_REAL)
    return assay_text_to_double (condition->value, &number)
           || assay_fail (error, ASSAY_ERROR_PARAMETER, "%s.%s is a number, '%s' is not",
                          condition->role, condition->key, condition->value);
  if (condition->op != ASSAY_OP_EQ && condition->op != ASSAY_OP_NE)
    return assay_fail (error, ASSAY_ERROR_PARAMETER, "%s.%s is no number: expected = or !=",
                       condition->role, condition->key);
  other = assay_settings_copy (settings);
  if (!assay_settings_set (other, param->name, condition->value, error))
    return FALSE;
  g_free (condition->value);
  condition->value = assay_settings_get (other, param);
  return TRUE;
}

/* A condition that no part could ever fulfil, or none could fail, is a mistake. */
static gboolean
check_condition (const AssayPlan *plan, AssayCondition *condition, GError **error)
{
  const GPtrArray *parts = g_str_equal (condition->role, "dataset")   ? plan->datasets
                           : g_str_equal (condition->role, "defense") ? plan->defenses
                           : g_str_equal (condition->role, "attack")  ? plan->attacks
                                                                      : plan->utilities;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  for (guint i = 0; i < parts->len; i++) {
    const AssaySettings *settings = assay_plan_part (parts, i)->settings;

    for (const AssayParam *param = settings->table; param != NULL && param->name != NULL; param++) {
      if (g_str_equal (param->name, condition->key))
        return check_value (settings, param, condition, error);
      g_ptr_array_add (names, (gpointer) param->name);
    }
  }
  g_ptr_array_add (names, NULL);
  hint = assay_text_did_you_mean (condition->key, (const char *const *) names->pdata);
  return assay_fail (error, ASSAY_ERROR_SCENARIO, "no %s of the scenario has a setting '%s'%s",
                     condition->role, condition->key, hint);
}

static gboolean
read_conditions (const AssayPlan *plan, const AssayScenario *scenario, const AssayGroup *group,
                 AssayClaim *claim, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "where");
  g_auto (GStrv) texts = NULL;

  if (entry == NULL)
    return TRUE;
  /* An empty text splits into nothing, and a claim without conditions is about everything. */
  if (*entry->value == '\0') {
    assay_fail (error, ASSAY_ERROR_SCENARIO, "where: the value is empty");
    return assay_scenario_blame (scenario, group, entry, error);
  }
  texts = g_strsplit (entry->value, ",", -1);
  for (guint i = 0; texts[i] != NULL; i++) {
    AssayCondition condition;

    if (!parse_condition (g_strstrip (texts[i]), &condition, error))
      return assay_scenario_blame (scenario, group, entry, error);
    g_array_append_val (claim->conditions, condition);
    if (!check_condition (plan, &g_array_index (claim->conditions, AssayCondition, i), error))
      return assay_scenario_blame (scenario, group, entry, error);
  }
  return TRUE;
}

/* A selector names a group of the scenario. */
static gboolean
read_label (const AssayScenario *scenario, const AssayGroup *group, const char *kind,
            char **ret_label, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, kind);
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  if (!assay_group_text (scenario, group, kind, ret_label, error))
    return FALSE;
  if (*ret_label == NULL || assay_scenario_find (scenario, kind, *ret_label) != NULL)
    return TRUE;
  for (guint i = 0; i < scenario->groups->len; i++) {
    const AssayGroup *other = scenario->groups->pdata[i];

    if (g_str_equal (other->kind, kind))
      g_ptr_array_add (labels, other->label);
  }
  g_ptr_array_add (labels, NULL);
  hint = assay_text_did_you_mean (*ret_label, (const char *const *) labels->pdata);
  assay_fail (error, ASSAY_ERROR_SCENARIO, "the scenario has no [%s %s]%s", kind, *ret_label, hint);
  return assay_scenario_blame (scenario, group, entry, error);
}

AssayClaim *
assay_claim_new (const AssayPlan *plan, const AssayScenario *scenario, const AssayGroup *group,
                 GError **error)
{
  AssayClaim *claim = g_new0 (AssayClaim, 1);

  claim->id = g_strdup (group->label);
  claim->line = group->line;
  claim->confidence = plan->confidence;
  claim->conditions = g_array_new (FALSE, FALSE, sizeof (AssayCondition));
  g_array_set_clear_func (claim->conditions, condition_clear);
  if (assay_group_check_keys (scenario, group, keys, error)
      && assay_group_text (scenario, group, "says", &claim->says, error)
      && assay_group_text (scenario, group, "source", &claim->source, error)
      && read_measure (plan, scenario, group, claim, error)
      && read_bound (scenario, group, claim, error)
      && assay_group_confidence (scenario, group, &claim->confidence, error)
      && read_label (scenario, group, "defense", &claim->defense, error)
      && read_label (scenario, group, "attack", &claim->attack, error)
      && read_label (scenario, group, "utility", &claim->utility_label, error)
      && read_conditions (plan, scenario, group, claim, error))
    return claim;
  assay_claim_free (claim);
  return NULL;
}

/* ---- Selecting ---- */

static gboolean
compare (AssayOp op, int order)
{
  switch (op) {
  case ASSAY_OP_EQ:
    return order == 0;
  case ASSAY_OP_NE:
    return order != 0;
  case ASSAY_OP_LE:
    return order <= 0;
  case ASSAY_OP_LT:
    return order < 0;
  case ASSAY_OP_GE:
    return order >= 0;
  case ASSAY_OP_GT:
    break;
  }
  return order > 0;
}

/* A setting that the part does not have holds no condition. */
static gboolean
condition_holds (const AssayCondition *condition, const AssaySettings *settings)
{
  for (const AssayParam *param = settings->table; param != NULL && param->name != NULL; param++) {
    g_autofree char *value = NULL;
    double a, b;

    if (!g_str_equal (param->name, condition->key))
      continue;
    value = assay_settings_get (settings, param);
    if (assay_text_to_double (value, &a) && assay_text_to_double (condition->value, &b))
      return compare (condition->op, (a > b) - (a < b));
    return (condition->op == ASSAY_OP_EQ || condition->op == ASSAY_OP_NE)
           && compare (condition->op, strcmp (value, condition->value));
  }
  return FALSE;
}

double
assay_claim_bound (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell)
{
  return claim->is_claimed ? assay_plan_oracle (plan, cell).claimed.epsilon : claim->bound;
}

/* A measure of epsilon means nothing for a guess, nor a recovery rate for an audit; and a utility
 * measures its own cells alone. */
static gboolean
is_played_for (const AssayClaim *claim, const AssayCell *cell, const AssayPart *player)
{
  const gboolean is_epsilon = claim->measure->statistic == ASSAY_STATISTIC_EPSILON;

  if (cell->utility != ASSAY_NO_PART || claim->utility != NULL)
    return cell->utility != ASSAY_NO_PART && &claim->utility->plugin == player->plugin;
  return is_epsilon != assay_game_has_guess (((const AssayAttack *) player->plugin)->game);
}

static gboolean
has_label (const char *selector, const AssayPart *part)
{
  return selector == NULL || g_str_equal (selector, part->label);
}

/* Settings that a condition looks at; NULL: the cell has no such part. */
static const AssaySettings *
settings_of (const AssayPlan *plan, const AssayCell *cell, const char *role,
             const AssaySettings *player)
{
  if (g_str_equal (role, "dataset"))
    return assay_plan_part (plan->datasets, cell->dataset)->settings;
  if (g_str_equal (role, "defense"))
    return assay_plan_part (plan->defenses, cell->defense)->settings;
  return g_str_equal (role, "utility") == (cell->utility != ASSAY_NO_PART) ? player : NULL;
}

gboolean
assay_claim_selects (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell,
                     const AssaySettings *settings)
{
  const gboolean is_utility = cell->utility != ASSAY_NO_PART;
  const AssayPart *player = assay_plan_player (plan, cell);

  if (!is_played_for (claim, cell, player)
      || !has_label (claim->defense, assay_plan_part (plan->defenses, cell->defense))
      || !has_label (is_utility ? claim->utility_label : claim->attack, player)
      || (is_utility ? claim->attack : claim->utility_label) != NULL)
    return FALSE;
  for (guint i = 0; i < claim->conditions->len; i++) {
    const AssayCondition *condition = &g_array_index (claim->conditions, AssayCondition, i);
    const AssaySettings *of = settings_of (plan, cell, condition->role, settings);

    if (of == NULL || !condition_holds (condition, of))
      return FALSE;
  }
  return TRUE;
}

/* Conditions on a tuned setting are decided when it has been chosen. */
static gboolean
may_select (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell)
{
  const AssayPart *player = assay_plan_player (plan, cell);

  if (player->candidates == NULL)
    return assay_claim_selects (plan, claim, cell, player->settings);
  for (guint i = 0; i < player->candidates->len; i++)
    if (assay_claim_selects (plan, claim, cell, player->candidates->pdata[i]))
      return TRUE;
  return FALSE;
}

/* A bound on epsilon means nothing without the delta that it was stated with. */
static gboolean
check_delta (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell, GError **error)
{
  const AssayPart *defense = assay_plan_part (plan->defenses, cell->defense);
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

    if (!may_select (plan, claim, cell))
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
