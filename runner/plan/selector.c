/* Which cells of a plan something is about. */
#include "runner/plan/selector.h"

#include <string.h>

#include "core/base/each.h"
#include "core/base/text.h"

#define BETWEEN "; " /* the labels of a selector */

/* Two-character operators first, so that "<=" is not read as "<". A value may hold more of them. */
static const struct {
  const char *text;
  AssayOp op;
} operators[] = {
  { "<=", ASSAY_OP_LE }, { ">=", ASSAY_OP_GE }, { "!=", ASSAY_OP_NE }, { "==", ASSAY_OP_EQ },
  { "<", ASSAY_OP_LT },  { ">", ASSAY_OP_GT },  { "=", ASSAY_OP_EQ },
};

/* ---- Reading ---- */

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
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "%s.%s is no number: expected = or !=", condition->role, condition->key);
  other = assay_settings_copy (settings);
  if (!assay_settings_set (other, param->name, condition->value, error))
    return FALSE;
  g_free (condition->value);
  condition->value = assay_settings_get (other, param);
  return TRUE;
}

/* A condition that no component could ever fulfil, or none could fail, is a mistake. */
static gboolean
check_condition (const AssayPlan *plan, AssayCondition *condition, GError **error)
{
  const GPtrArray *components = g_str_equal (condition->role, "dataset")   ? plan->datasets
                                : g_str_equal (condition->role, "defense") ? plan->defenses
                                : g_str_equal (condition->role, "attack")  ? plan->attacks
                                                                           : plan->utilities;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GError) first = NULL;
  g_autofree char *hint = NULL;

  ASSAY_FOR_EACH (const AssayComponent, component, components) {
    const AssaySettings *settings = component->settings;

    ASSAY_FOR_EACH_PARAM (param, settings->table) {
      if (!g_str_equal (param->name, condition->key)) {
        g_ptr_array_add (names, (gpointer) param->name);
        continue;
      }
      /* Plugins may share a key and differ in its values: one that can have it is enough. */
      if (check_value (settings, param, condition, first == NULL ? &first : NULL))
        return TRUE;
    }
  }
  if (first != NULL) {
    g_propagate_error (error, g_steal_pointer (&first));
    return FALSE;
  }
  hint = assay_names_hint (names, condition->key);
  return assay_fail (error, ASSAY_ERROR_SCENARIO, "no %s of the scenario has a setting '%s'%s",
                     condition->role, condition->key, hint);
}

static gboolean
read_conditions (const AssayPlan *plan, const AssayGroup *group, AssaySelector *selector,
                 GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "where");
  g_auto (GStrv) texts = NULL;

  if (entry == NULL)
    return TRUE;
  /* An empty text splits into nothing, which would select everything. */
  if (*entry->value == '\0')
    return assay_group_fail (group, entry, error, ASSAY_ERROR_SCENARIO,
                             "where: the value is empty");
  texts = g_strsplit (entry->value, ",", -1);
  for (guint i = 0; texts[i] != NULL; i++) {
    AssayCondition condition;

    if (!parse_condition (g_strstrip (texts[i]), &condition, error))
      return assay_group_blame (group, entry, error);
    g_array_append_val (selector->conditions, condition);
    if (!check_condition (plan, &g_array_index (selector->conditions, AssayCondition, i), error))
      return assay_group_blame (group, entry, error);
  }
  return TRUE;
}

static gboolean
check_label (const AssayGroup *group, const AssayEntry *entry, const char *kind, const char *label,
             GError **error)
{
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  if (assay_scenario_find (group->scenario, kind, label) != NULL)
    return TRUE;
  ASSAY_FOR_EACH (const AssayGroup, other, group->scenario->groups) {
    if (g_str_equal (other->kind, kind))
      g_ptr_array_add (labels, other->label);
  }
  hint = assay_names_hint (labels, label);
  return assay_group_fail (group, entry, error, ASSAY_ERROR_SCENARIO,
                           "the scenario has no [%s %s]%s", kind, label, hint);
}

/* A selector names groups of the scenario: "nearest; database". */
static gboolean
read_labels (const AssayGroup *group, const char *kind, char **ret_labels, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, kind);
  g_autofree char *text = NULL;
  g_auto (GStrv) labels = NULL;

  if (!assay_group_text (group, kind, &text, error))
    return FALSE;
  if (text == NULL)
    return TRUE;
  labels = g_strsplit (text, ";", -1);
  for (guint i = 0; labels[i] != NULL; i++)
    if (!check_label (group, entry, kind, g_strstrip (labels[i]), error))
      return FALSE;
  *ret_labels = g_strjoinv (BETWEEN, labels);
  return TRUE;
}

AssaySelector *
assay_selector_new (const AssayPlan *plan, const AssayGroup *group, GError **error)
{
  g_autoptr (AssaySelector) selector = g_new0 (AssaySelector, 1);

  selector->conditions = g_array_new (FALSE, FALSE, sizeof (AssayCondition));
  if (read_labels (group, "defense", &selector->defense, error)
      && read_labels (group, "attack", &selector->attack, error)
      && read_labels (group, "utility", &selector->utility, error)
      && read_conditions (plan, group, selector, error))
    return g_steal_pointer (&selector);
  return NULL;
}

gboolean
assay_selector_of_attack (const AssayPlan *plan, const AssayGroup *group,
                          AssaySelector **ret_selector, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "where");
  g_autoptr (AssaySelector) selector = NULL;

  if (entry == NULL)
    return TRUE;
  selector = g_new0 (AssaySelector, 1);
  selector->conditions = g_array_new (FALSE, FALSE, sizeof (AssayCondition));
  if (!read_conditions (plan, group, selector, error))
    return FALSE;
  for (guint i = 0; i < selector->conditions->len; i++) {
    const char *role = g_array_index (selector->conditions, AssayCondition, i).role;

    if (!g_str_equal (role, "dataset") && !g_str_equal (role, "defense"))
      return assay_group_fail (group, entry, error, ASSAY_ERROR_SCENARIO,
                               "where: an attack is played on data and against defenses; expected "
                               "dataset.KEY or defense.KEY, not %s.%s",
                               role, g_array_index (selector->conditions, AssayCondition, i).key);
  }
  *ret_selector = g_steal_pointer (&selector);
  return TRUE;
}

gboolean
assay_selector_one_attack (const AssayPlan *plan, const AssayGroup *group, const char *key,
                           guint *ret_attack, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, key);
  g_autoptr (GPtrArray) labels = g_ptr_array_new ();
  g_autofree char *hint = NULL;
  guint n_found = 0;

  *ret_attack = ASSAY_NO_COMPONENT;
  if (entry == NULL)
    return TRUE;
  for (guint i = 0; i < plan->attacks->len; i++) {
    const AssayComponent *attack = assay_plan_component (plan->attacks, i);

    g_ptr_array_add (labels, attack->label);
    if (!g_str_equal (attack->label, entry->value))
      continue;
    *ret_attack = i;
    n_found++;
  }
  if (n_found > 1)
    return assay_group_fail (group, entry, error, ASSAY_ERROR_SCENARIO,
                             "%s: [attack %s] has several settings; expected an [attack] of its "
                             "own for the one that is meant",
                             key, entry->value);
  hint = assay_names_hint (labels, entry->value);
  return n_found == 1
         || assay_group_fail (group, entry, error, ASSAY_ERROR_SCENARIO,
                              "%s: the scenario has no [attack %s]%s", key, entry->value, hint);
}

/* ---- Selecting ---- */

static gboolean
compare (AssayOp op, int order)
{
  return (op & (order < 0 ? ASSAY_OP_LT : order > 0 ? ASSAY_OP_GT : ASSAY_OP_EQ)) != 0;
}

/* A setting that the component does not have holds no condition. */
static gboolean
condition_holds (const AssayCondition *condition, const AssaySettings *settings)
{
  const AssayParam *param = assay_param_find (settings->table, condition->key);
  g_autofree char *value = param != NULL ? assay_settings_get (settings, param) : NULL;
  double a, b;

  if (value == NULL)
    return FALSE;
  if (assay_text_to_double (value, &a) && assay_text_to_double (condition->value, &b))
    return compare (condition->op, (a > b) - (a < b));
  return (condition->op == ASSAY_OP_EQ || condition->op == ASSAY_OP_NE)
         && compare (condition->op, strcmp (value, condition->value));
}

/* Whether the label of @component is one of @labels; NULL: all are. */
static gboolean
has_label (const char *labels, const AssayComponent *component)
{
  const gsize length = strlen (component->label);

  for (const char *at = labels; at != NULL;) {
    const char *end = strstr (at, BETWEEN);

    if ((end != NULL ? (gsize) (end - at) : strlen (at)) == length
        && strncmp (at, component->label, length) == 0)
      return TRUE;
    at = end != NULL ? end + strlen (BETWEEN) : NULL;
  }
  return labels == NULL;
}

/* The settings that a condition is about; @own: those of the cell's attack or utility. NULL: the
 * cell has no such component. */
static const AssaySettings *
settings_of (const AssayPlan *plan, const AssayCell *cell, const char *role,
             const AssaySettings *own)
{
  if (g_str_equal (role, "dataset"))
    return assay_plan_dataset (plan, cell)->settings;
  if (g_str_equal (role, "defense"))
    return assay_plan_defense (plan, cell)->settings;
  return g_str_equal (role, "utility") == (cell->utility != ASSAY_NO_COMPONENT) ? own : NULL;
}

gboolean
assay_selector_selects (const AssayPlan *plan, const AssaySelector *selector, const AssayCell *cell,
                        const AssaySettings *settings)
{
  const gboolean is_utility = cell->utility != ASSAY_NO_COMPONENT;
  const AssayComponent *component = assay_plan_attack_or_utility (plan, cell);

  if (!has_label (selector->defense, assay_plan_defense (plan, cell))
      || !has_label (is_utility ? selector->utility : selector->attack, component)
      || (is_utility ? selector->attack : selector->utility) != NULL)
    return FALSE;
  ASSAY_FOR_EACH_IN (const AssayCondition, condition, selector->conditions) {
    const AssaySettings *of = settings_of (plan, cell, condition->role, settings);

    if (of == NULL || !condition_holds (condition, of))
      return FALSE;
  }
  return TRUE;
}

gboolean
assay_selector_selects_defense (const AssayPlan *plan, const AssaySelector *selector,
                                const AssayCell *cell)
{
  if (!has_label (selector->defense, assay_plan_component (plan->defenses, cell->defense)))
    return FALSE;
  ASSAY_FOR_EACH_IN (const AssayCondition, condition, selector->conditions) {
    const AssaySettings *of = settings_of (plan, cell, condition->role, NULL);

    if (of != NULL && !condition_holds (condition, of))
      return FALSE;
  }
  return TRUE;
}

/* Conditions on a tuned setting are decided when it has been chosen. */
gboolean
assay_selector_may_select (const AssayPlan *plan, const AssaySelector *selector,
                           const AssayCell *cell)
{
  const AssayComponent *component = assay_plan_attack_or_utility (plan, cell);
  const AssaySettings *settings;

  for (guint i = 0; (settings = assay_component_choice (component, i)) != NULL; i++)
    if (assay_selector_selects (plan, selector, cell, settings))
      return TRUE;
  return FALSE;
}

/* ---- As text ---- */

static const char *
name_of (AssayOp op)
{
  gsize i = 0;

  while (operators[i].op != op)
    i++;
  return operators[i].text;
}

static const char *
or_empty (const char *text)
{
  return text != NULL ? text : "";
}

char *
assay_selector_canonical (const AssaySelector *selector)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text,
                          "defense=%s attack=%s utility=%s where=", or_empty (selector->defense),
                          or_empty (selector->attack), or_empty (selector->utility));
  for (guint i = 0; i < selector->conditions->len; i++) {
    const AssayCondition *condition = &g_array_index (selector->conditions, AssayCondition, i);

    g_string_append_printf (text, "%s%s.%s%s%s", i > 0 ? "," : "", condition->role, condition->key,
                            name_of (condition->op), condition->value);
  }
  return g_string_free (text, FALSE);
}
