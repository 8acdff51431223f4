/* Contact sheets: what a scenario asks for. How they look is decided in
 * report/exports/contact-sheet.c. */
#include "runner/plan/contact-sheet.h"

#include "core/base/text.h"
#include "core/plugin/registry.h"
#include "runner/plan/fit.h"
#include "runner/plan/selector.h"

#define DEFAULT_UNITS 8

static const char *const keys[]
    = { "count", "metric", "released", "defense", "attack", "where", NULL };

/* ---- The metric ---- */

/* The labels of the metrics that show pictures of these datasets and attacks. */
static GPtrArray *
list_showing (const AssayPlan *plan)
{
  GPtrArray *labels = g_ptr_array_new ();

  ASSAY_FOR_EACH (const AssayComponent, component, plan->metrics) {
    if (component->metric->show != NULL && assay_plan_lacks (plan, component->metric->needs) == 0
        && assay_fit_is_answered (plan, component->metric)
        && !assay_names_have (labels, component->label))
      g_ptr_array_add (labels, component->label);
  }
  g_ptr_array_add (labels, NULL);
  return labels;
}

/* That the datasets have what the metric needs. */
static gboolean
check_needs (const AssayPlan *plan, const char *label, const AssayMetric *metric, GError **error)
{
  g_autofree char *missing = assay_holdings_describe (assay_plan_lacks (plan, metric->needs));

  return *missing == '\0'
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "metric '%s' needs %s, which the dataset does not have", label, missing);
}

/* That of a metric without a group of its own, which is not in the plan where it cannot apply. */
static gboolean
fail_without (const AssayPlan *plan, const char *label, const char *const *names, const char *all,
              GError **error)
{
  g_autofree char *hint = assay_text_did_you_mean (label, names);

  for (guint i = 0; assay_metrics[i] != NULL; i++) {
    if (g_str_equal (assay_metrics[i]->id, label)
        && !check_needs (plan, label, assay_metrics[i], error))
      return FALSE;
  }
  return assay_fail (error, ASSAY_ERROR_SCENARIO,
                     "the scenario has no metric '%s'%s; those that show pictures: %s", label, hint,
                     all);
}

/* The metric called @label, and that it can show pictures. */
static gboolean
find_metric (const AssayPlan *plan, const char *label, const GPtrArray *showing,
             AssayContactSheet *sheet, GError **error)
{
  const char *const *names = (const char *const *) showing->pdata;
  g_autofree char *all = showing->len > 1 ? g_strjoinv (", ", (char **) names) : g_strdup ("none");
  const AssayMetric *metric = NULL;
  guint n_found = 0;

  for (guint i = 0; i < plan->metrics->len; i++)
    if (g_str_equal (assay_plan_component (plan->metrics, i)->label, label)) {
      sheet->metric = i;
      metric = assay_plan_component (plan->metrics, i)->metric;
      n_found++;
    }
  if (metric == NULL)
    return fail_without (plan, label, names, all, error);
  if (metric->show == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "metric '%s' shows no pictures; those that do here: %s", label, all);
  if (!check_needs (plan, label, metric, error))
    return FALSE;
  return n_found == 1
         || assay_fail (error, ASSAY_ERROR_SCENARIO,
                        "metric '%s' has several settings; expected a [metric] of its own for the "
                        "one that is meant",
                        label);
}

/* Names the metric that is meant where no key does. */
static gboolean
choose_metric (const GPtrArray *showing, const char **ret_label, GError **error)
{
  g_autofree char *all = NULL;

  if (showing->len == 1)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "no metric of the scenario shows pictures of its dataset");
  if (showing->len == 2) {
    *ret_label = showing->pdata[0];
    return TRUE;
  }
  all = g_strjoinv (", ", (char **) showing->pdata);
  return assay_fail (error, ASSAY_ERROR_SCENARIO,
                     "several metrics show pictures (%s); expected metric = NAME", all);
}

static gboolean
read_metric (const AssayPlan *plan, const AssayGroup *group, AssayContactSheet *sheet,
             GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "metric");
  g_autoptr (GPtrArray) showing = list_showing (plan);
  const char *label = entry != NULL ? entry->value : NULL;

  return ((label != NULL || choose_metric (showing, &label, error))
          && find_metric (plan, label, showing, sheet, error))
         || assay_group_blame (group, entry, error);
}

/* ---- Reading ---- */

static gboolean
read_released (const AssayPlan *plan, const AssayGroup *group, AssayContactSheet *sheet,
               GError **error)
{
  static const char *const yes[] = { "yes", "true", NULL };
  static const char *const no[] = { "no", "false", NULL };
  const AssayEntry *entry = assay_group_find (group, "released");
  const AssayComponent *component = assay_plan_component (plan->metrics, sheet->metric);

  if (entry == NULL)
    return TRUE;
  sheet->has_released = g_strv_contains (yes, entry->value);
  if (!sheet->has_released && !g_strv_contains (no, entry->value))
    return assay_group_fail (group, entry, error, ASSAY_ERROR_PARAMETER,
                             "released = '%s': expected yes or no", entry->value);
  if (!sheet->has_released || !component->metric->has_own_units)
    return TRUE;
  return assay_group_fail (
      group, entry, error, ASSAY_ERROR_MISMATCH,
      "released = yes shows what was released of a secret, but metric '%s' does not show "
      "secrets one by one",
      component->label);
}

AssayContactSheet *
assay_contact_sheet_new (const AssayPlan *plan, const AssayGroup *group, GError **error)
{
  AssayContactSheet *sheet = g_new0 (AssayContactSheet, 1);
  gint64 count = DEFAULT_UNITS;

  sheet->name = g_strdup (group->label);
  sheet->line = group->line;
  if (assay_group_check_keys (group, keys, error)
      && assay_group_integer (group, "count", 1, ASSAY_CONTACT_SHEET_MAX_UNITS, &count, error)
      && read_metric (plan, group, sheet, error) && read_released (plan, group, sheet, error)
      && (sheet->selector = assay_selector_new (plan, group, error)) != NULL) {
    sheet->count = (gsize) count;
    return sheet;
  }
  assay_contact_sheet_free (sheet);
  return NULL;
}

/* ---- Cells ---- */

static gboolean
is_shown (const AssayPlan *plan, const AssayCell *cell)
{
  return cell->trial == 0 && cell->utility == ASSAY_NO_COMPONENT
         && assay_plan_attack_or_utility (plan, cell)->plugin->type == ASSAY_PLUGIN_ATTACK;
}

gboolean
assay_contact_sheet_selects (const AssayPlan *plan, const AssayContactSheet *sheet,
                             const AssayCell *cell, const AssaySettings *settings)
{
  return is_shown (plan, cell) && assay_selector_selects (plan, sheet->selector, cell, settings);
}

static gboolean
releases_images (const AssayPlan *plan, const AssayCell *cell)
{
  const AssayComponent *component = assay_plan_defense (plan, cell);
  const AssayDefense *defense = component->defense;

  return assay_kind (assay_defense_produces (defense, component->settings->values))->picture != NULL
         && plan->probes[cell->dataset].geometry.height > 0;
}

/* Columns of the cells, and of what was released at most as many. */
static gboolean
check_size (const AssayPlan *plan, const AssayContactSheet *sheet, gsize columns, GError **error)
{
  if (columns * sheet->count <= ASSAY_CONTACT_SHEET_MAX_PICTURES)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_SCENARIO,
                     "%s:%u: [pictures %s] asks for %zu x %zu pictures; expected at most %d: a "
                     "smaller count, or fewer cells by defense, attack and where",
                     plan->scenario, sheet->line, sheet->name, sheet->count, columns,
                     ASSAY_CONTACT_SHEET_MAX_PICTURES);
}

gboolean
assay_contact_sheet_check_cells (const AssayPlan *plan, const AssayContactSheet *sheet,
                                 GError **error)
{
  gsize n_cells = 0, n_images = 0;

  ASSAY_FOR_EACH_IN (const AssayCell, cell, plan->cells) {
    if (!is_shown (plan, cell) || !assay_selector_may_select (plan, sheet->selector, cell))
      continue;
    n_cells++;
    n_images += sheet->has_released && releases_images (plan, cell);
  }
  if (n_cells == 0)
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "%s:%u: [pictures %s] shows no cell of the scenario: defense, attack and "
                       "where exclude all that end in a guess",
                       plan->scenario, sheet->line, sheet->name);
  if (sheet->has_released && n_images == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%s:%u: [pictures %s] released = yes, but no defense that it shows releases "
                       "images (vectors or mixtures of a dataset of images)",
                       plan->scenario, sheet->line, sheet->name);
  return check_size (plan, sheet, 1 + n_cells + n_images, error);
}

char *
assay_contact_sheet_canonical (const AssayPlan *plan, const AssayContactSheet *sheet)
{
  g_autofree char *selector = assay_selector_canonical (sheet->selector);

  return g_strdup_printf ("pictures %s count=%zu metric=%s released=%s %s", sheet->name,
                          sheet->count, assay_plan_component (plan->metrics, sheet->metric)->label,
                          sheet->has_released ? "yes" : "no", selector);
}
