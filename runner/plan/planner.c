/* From a scenario to its plan. What fits with what is decided in pairing.c. */
#include "runner/plan/planner.h"

#include "config.h"
#include "core/base/text.h"
#include "core/data/row-file.h"
#include "core/plugin/registry.h"
#include "runner/plan/claim.h"
#include "runner/plan/component.h"
#include "runner/plan/contact-sheet.h"
#include "runner/plan/loaded.h"
#include "runner/plan/pairing.h"
#include "runner/plan/refused/hints.h"
#include "runner/plan/refused/mistakes.h"
#include "runner/plan/selector.h"

static const char *const scenario_keys[]
    = { "title", "reference", "seed", "trials", "confidence", "starts", NULL };
static const char *const dataset_keys[]
    = { "secrets", "secret_groups", "tune_secrets", "order", NULL };
static const char *const no_keys[] = { NULL };

#define DEFAULT_SECRETS 200
#define MAX_SECRETS 1000000000
#define MAX_STARTS 100

static AssayPlan *
plan_alloc (void)
{
  AssayPlan *plan = g_new0 (AssayPlan, 1);

  plan->datasets = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_component_free);
  plan->defenses = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_component_free);
  plan->attacks = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_component_free);
  plan->utilities = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_component_free);
  plan->metrics = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_component_free);
  plan->claims = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_claim_free);
  plan->sheets = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_contact_sheet_free);
  plan->cells = g_array_new (FALSE, FALSE, sizeof (AssayCell));
  plan->skipped = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_skip_free);
  plan->trials = 1;
  plan->starts = 1;
  plan->confidence = 0.95;
  plan->secrets = DEFAULT_SECRETS;
  return plan;
}

/* ---- [scenario] ---- */

static gboolean
read_header (AssayPlan *plan, const AssayScenario *scenario, const AssayPlanOptions *options,
             GError **error)
{
  const AssayGroup *group = assay_scenario_find (scenario, "scenario", "");
  gint64 seed = 1, trials = 1, starts = 1;

  if (group != NULL
      && (!assay_group_check_keys (group, scenario_keys, error)
          || !assay_group_text (group, "title", &plan->title, error)
          || !assay_group_text (group, "reference", &plan->reference, error)
          || !assay_group_integer (group, "seed", 0, G_MAXINT64, &seed, error)
          || !assay_group_integer (group, "trials", 1, 1000000, &trials, error)
          || !assay_group_integer (group, "starts", 1, MAX_STARTS, &starts, error)
          || !assay_group_confidence (group, &plan->confidence, error)))
    return FALSE;
  plan->starts = (guint) starts;
  if (plan->title == NULL)
    plan->title = g_path_get_basename (scenario->path);
  if (plan->reference == NULL)
    plan->reference = g_strdup ("");
  plan->seed = options->has_seed ? options->seed : (guint64) seed;
  plan->trials = options->has_trials ? options->trials : (guint64) trials;
  return TRUE;
}

/* ---- Components ---- */

/* Whether an attack of the scenario gives what @metric measures. */
static gboolean
is_played (const AssayPlan *plan, const AssayMetric *metric)
{
  const AssayPluginType played
      = assay_measures_audits (&metric->measuring) ? ASSAY_PLUGIN_AUDITOR : ASSAY_PLUGIN_ATTACK;

  ASSAY_FOR_EACH (const AssayComponent, component, plan->attacks)
    if (component->plugin->type == played)
      return TRUE;
  return FALSE;
}

/* Whether the metric looks at releases of a kind that no defense makes. */
static gboolean
reads_none (const AssayPlan *plan, const AssayMetric *metric)
{
  ASSAY_FOR_EACH (const AssayComponent, component, plan->defenses)
    if (metric->reads & assay_defense_produces (component->defense, component->settings->values))
      return FALSE;
  return metric->reads != 0;
}

/* A metric that no group names is played with its defaults wherever it applies, unless it is one on
 * request, or was loaded: what a scenario measures does not depend on what else is installed. */
static void
add_default_metrics (AssayPlan *plan)
{
  const guint n_named = plan->metrics->len;

  for (guint m = 0; assay_metrics[m] != NULL; m++) {
    const AssayPlugin *plugin = &assay_metrics[m]->plugin;
    gboolean is_left_out = assay_metric_on_request (assay_metrics[m])
                           || !is_played (plan, assay_metrics[m])
                           || reads_none (plan, assay_metrics[m]);
    AssayComponent *component;

    for (guint i = 0; i < n_named; i++)
      is_left_out |= assay_plan_component (plan->metrics, i)->plugin == plugin;
    if (is_left_out)
      continue;
    component
        = assay_component_new ("metric", plugin->id, plugin,
                               assay_settings_new (plugin->parameters, plugin->settings_size));
    component->canonical = assay_settings_canonical (component->settings);
    g_ptr_array_add (plan->metrics, component);
  }
}

/* order = random, file or same */
static gboolean
read_order (AssayPlan *plan, const AssayGroup *group, GError **error)
{
  const AssayEntry *entry = assay_group_find (group, "order");

  if (entry == NULL)
    return TRUE;
  plan->keeps_order = g_str_equal (entry->value, "file");
  plan->repeats_secrets = g_str_equal (entry->value, "same");
  if (!plan->keeps_order && !plan->repeats_secrets && !g_str_equal (entry->value, "random"))
    return assay_group_fail (group, entry, error, ASSAY_ERROR_PARAMETER,
                             "order = '%s': expected random, file or same", entry->value);
  if (plan->keeps_order && assay_group_find (group, "secret_groups") != NULL)
    return assay_group_fail (
        group, entry, error, ASSAY_ERROR_SCENARIO,
        "order = file: groups are drawn in a random order; expected 'secrets' in place of "
        "secret_groups");
  return TRUE;
}

/* Datasets that keep their order are taken whole unless the scenario says how many. */
static gboolean
check_order (AssayPlan *plan, const AssayGroup *group, GError **error)
{
  const AssayDatasetPlugin *dataset = assay_plan_component (plan->datasets, 0)->dataset;
  const AssayEntry *entry = assay_group_find (group, "order");

  if (!dataset->keeps_order)
    return TRUE;
  plan->takes_all = assay_group_find (group, "secrets") == NULL;
  return ((entry == NULL || plan->keeps_order || plan->repeats_secrets) && plan->secret_groups == 0)
         || assay_group_fail (group, entry, error, ASSAY_ERROR_SCENARIO,
                              "dataset '%s' is taken in its own order; expected neither order = "
                              "random nor secret_groups",
                              dataset->id);
}

static gboolean
read_dataset (AssayPlan *plan, const AssayGroup *group, GError **error)
{
  gint64 secrets = DEFAULT_SECRETS, tune_secrets = -1, groups = 0;

  if (!assay_group_integer (group, "secrets", 1, MAX_SECRETS, &secrets, error)
      || !assay_group_integer (group, "secret_groups", 1, MAX_SECRETS, &groups, error)
      || !assay_group_integer (group, "tune_secrets", 1, MAX_SECRETS, &tune_secrets, error))
    return FALSE;
  if (groups > 0 && assay_group_find (group, "secrets") != NULL)
    return assay_group_fail (
        group, assay_group_find (group, "secret_groups"), error, ASSAY_ERROR_SCENARIO,
        "secret_groups draws whole groups: expected it or 'secrets', not both");
  plan->secrets = groups > 0 ? 0 : (gsize) secrets;
  plan->secret_groups = (gsize) groups;
  plan->tune_secrets = (gsize) (tune_secrets < 0 ? secrets : tune_secrets);
  return read_order (plan, group, error)
         && assay_component_from_group (group, ASSAY_PLUGIN_DATASET, dataset_keys, plan->datasets,
                                        error)
         && check_order (plan, group, error);
}

/* A group of metrics names no utility, and the other way round. */
static gboolean
read_measuring (const AssayGroup *group, GPtrArray *components, GError **error)
{
  const gboolean is_utility = g_str_equal (group->kind, "utility");
  const guint first = components->len;
  const AssayPlugin *plugin;

  if (!assay_component_from_group (
          group, is_utility ? ASSAY_PLUGIN_UTILITY : ASSAY_PLUGIN_METRIC, no_keys, components,
          error))
    return FALSE;
  plugin = assay_plan_component (components, first)->plugin; /* as of all others of the group */
  return (plugin->type == ASSAY_PLUGIN_UTILITY) == is_utility
         || assay_group_fail (group, NULL, error, ASSAY_ERROR_SCENARIO,
                              is_utility ? "'%s' measures guesses: expected it as [metric %s]"
                                         : "'%s' is a utility: expected it as [utility %s]",
                              plugin->id, plugin->id);
}

static gboolean
read_group (AssayPlan *plan, const AssayGroup *group, GError **error)
{
  if (g_str_equal (group->kind, "scenario") || g_str_equal (group->kind, "claim")
      || g_str_equal (group->kind, "pictures"))
    return TRUE;
  if (g_str_equal (group->kind, "dataset"))
    return read_dataset (plan, group, error);
  if (g_str_equal (group->kind, "defense"))
    return assay_component_from_group (group, ASSAY_PLUGIN_DEFENSE, no_keys, plan->defenses, error);
  if (g_str_equal (group->kind, "attack"))
    return assay_component_from_group (group, ASSAY_PLUGIN_ATTACK, no_keys, plan->attacks, error);
  return read_measuring (
      group, g_str_equal (group->kind, "metric") ? plan->metrics : plan->utilities, error);
}

/* Where attacks are played: what a condition is about may stand below the attack. */
static gboolean
read_places (AssayPlan *plan, const AssayScenario *scenario, GError **error)
{
  ASSAY_FOR_EACH (AssayComponent, attack, plan->attacks) {
    const AssayGroup *group = assay_scenario_find (scenario, "attack", attack->label);
    g_autofree char *before = NULL;
    g_autofree char *where = NULL;

    if (assay_param_exists (attack->plugin->parameters, "where"))
      continue;
    if (!assay_selector_of_attack (plan, group, &attack->where, error))
      return FALSE;
    if (attack->where == NULL)
      continue;
    where = assay_selector_canonical (attack->where);
    before = attack->canonical;
    attack->canonical = g_strdup_printf ("%splayed on: %s\n", before, where);
  }
  return TRUE;
}

/* order = same: trials tell of what defenses draw, and units must be the same ones in each. What is
 * told of secrets would be told of the same ones again. */
static gboolean
check_repeats (const AssayPlan *plan, GError **error)
{
  if (!plan->repeats_secrets)
    return TRUE;
  if (plan->attacks->len > 0)
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "%s: order = same is for utilities, as every trial has the same secrets; "
                       "expected no [attack NAME], found [attack %s]",
                       plan->scenario, assay_plan_component (plan->attacks, 0)->label);
  ASSAY_FOR_EACH (const AssayComponent, component, plan->utilities) {
    const AssayUtility *utility = component->utility;

    if (utility->has_own_units && !utility->names_units && !utility->repeats_units)
      return assay_fail (error, ASSAY_ERROR_SCENARIO,
                         "%s: order = same needs units that can be followed from trial to trial, "
                         "which those of utility '%s' cannot; expected another order",
                         plan->scenario, component->plugin->id);
  }
  return TRUE;
}

static gboolean
read_components (AssayPlan *plan, const AssayScenario *scenario, GError **error)
{
  ASSAY_FOR_EACH (const AssayGroup, group, scenario->groups)
    if (!read_group (plan, group, error))
      return FALSE;
  if (!read_places (plan, scenario, error) || !check_repeats (plan, error))
    return FALSE;
  add_default_metrics (plan);
  assay_component_set_names (plan->datasets);
  assay_component_set_names (plan->defenses);
  assay_component_set_names (plan->attacks);
  assay_component_set_names (plan->utilities);
  if (plan->datasets->len > 0 && plan->defenses->len > 0
      && plan->attacks->len + plan->utilities->len > 0)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_SCENARIO, "%s: has no %s", scenario->path,
                     plan->datasets->len == 0   ? "[dataset]"
                     : plan->defenses->len == 0 ? "[defense NAME]"
                                                : "[attack NAME] and no [utility NAME]");
}

/* Whether both speak of @cell. Of a tuned attack's cells that cannot be told yet. */
static gboolean
share_cell (const AssayPlan *plan, const AssayCell *cell, const AssayClaim *a, const AssayClaim *b)
{
  const AssayComponent *component = assay_plan_attack_or_utility (plan, cell);
  const AssaySettings *settings = component->settings;

  return component->candidates == NULL && assay_claim_selects (plan, a, cell, settings)
         && assay_claim_selects (plan, b, cell, settings);
}

/* That some outcome could keep both. */
static gboolean
check_agreement (const AssayPlan *plan, const AssayClaim *a, const AssayClaim *b, GError **error)
{
  const AssayClaim *most = a->is_at_most ? a : b, *least = a->is_at_most ? b : a;
  g_autofree char *high = assay_text_number (most->bound);
  g_autofree char *low = assay_text_number (least->bound);

  if (a->is_at_most == b->is_at_most || most->is_claimed || a->measure != b->measure
      || a->metric != b->metric || a->utility != b->utility || least->bound <= most->bound)
    return TRUE;
  for (guint i = 0; i < plan->cells->len; i++)
    if (share_cell (plan, assay_plan_cell (plan, i), a, b))
      return assay_fail (error, ASSAY_ERROR_SCENARIO,
                         "%s:%u: [claim %s] contradicts [claim %s] in line %u: %s cannot be at "
                         "least %s and at most %s in the same cell; expected bounds that can both "
                         "be kept, or a 'where' that keeps them apart",
                         plan->scenario, b->line, b->id, a->id, a->line, a->measure->name, low,
                         high);
  return TRUE;
}

/* Claims and pictures come last: they speak of metrics and of cells. */
static gboolean
read_claim (AssayPlan *plan, const AssayGroup *group, GError **error)
{
  AssayClaim *claim = assay_claim_new (plan, group, error);

  if (claim == NULL)
    return FALSE;
  g_ptr_array_add (plan->claims, claim);
  ASSAY_FOR_EACH (const AssayClaim, other, plan->claims)
    if (other != claim && !check_agreement (plan, other, claim, error))
      return FALSE;
  return assay_claim_check_cells (plan, claim, error);
}

static gboolean
read_sheet (AssayPlan *plan, const AssayGroup *group, GError **error)
{
  AssayContactSheet *sheet = assay_contact_sheet_new (plan, group, error);

  if (sheet != NULL)
    g_ptr_array_add (plan->sheets, sheet);
  return sheet != NULL && assay_contact_sheet_check_cells (plan, sheet, error);
}

static gboolean
read_all (AssayPlan *plan, const AssayScenario *scenario, const char *kind,
          gboolean (*read) (AssayPlan *plan, const AssayGroup *group, GError **error),
          GError **error)
{
  ASSAY_FOR_EACH (const AssayGroup, group, scenario->groups)
    if (g_str_equal (group->kind, kind) && !read (plan, group, error))
      return FALSE;
  return TRUE;
}

/* ---- Where data is ---- */

static char **
data_folders (const char *scenario_path)
{
  char **folders = g_new0 (char *, 3);

  folders[0] = g_path_get_dirname (scenario_path);
  folders[1] = g_strdup (assay_data_folder (ASSAY_DEFAULT_DATA));
  return folders;
}

/* ---- Identity ---- */

static void
append_components (GString *text, const char *kind, const GPtrArray *components)
{
  ASSAY_FOR_EACH (const AssayComponent, component, components) {
    g_auto (GStrv) lines = g_strsplit (component->canonical, "\n", -1);
    g_autofree char *line = g_strjoinv ("; ", lines);
    g_autofree char *escaped = g_strescape (line, NULL);

    g_string_append_printf (text, "%s %s %s; %s\n", kind, component->label, component->plugin->id,
                            escaped);
  }
}

/* Title, reference and claims are left out: they change nothing that a cell measures. */
static char *
canonical_plan (const AssayPlan *plan)
{
  g_autofree char *confidence = assay_text_number (plan->confidence);
  g_autofree char *loaded = assay_loaded_canonical (plan);
  GString *text = g_string_new ("assay-plan/1\n");

  g_string_append_printf (text,
                          "seed=%" G_GUINT64_FORMAT "\ntrials=%zu\nsecrets=%zu\n"
                          "tune_secrets=%zu\nconfidence=%s\n",
                          plan->seed, plan->trials, plan->secrets, plan->tune_secrets, confidence);
  append_components (text, "dataset", plan->datasets);
  append_components (text, "defense", plan->defenses);
  append_components (text, "attack", plan->attacks);
  append_components (text, "metric", plan->metrics);
  append_components (text, "utility", plan->utilities);
  if (plan->secret_groups > 0)
    g_string_append_printf (text, "secret_groups=%zu\n", plan->secret_groups);
  if (plan->keeps_order || plan->repeats_secrets)
    g_string_append_printf (text, "order=%s\n", assay_plan_order (plan));
  if (plan->starts > 1)
    g_string_append_printf (text, "starts=%u\n", plan->starts);
  for (guint i = 0; i < plan->sheets->len; i++) {
    g_autofree char *sheet = assay_contact_sheet_canonical (plan, plan->sheets->pdata[i]);

    g_string_append_printf (text, "%s\n", sheet);
  }
  g_string_append (text, loaded);
  return g_string_free (text, FALSE);
}

/* What a run that was made before knew of its data. */
static gboolean
take_probes (AssayPlan *plan, const AssayPlanOptions *options, GError **error)
{
  if (options->probes == NULL)
    return TRUE;
  if (options->n_probes != plan->datasets->len)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s: sizes of %u datasets were kept; expected those of %u", plan->scenario,
                       options->n_probes, plan->datasets->len);
  plan->probes = g_memdup2 (options->probes, options->n_probes * sizeof *options->probes);
  return TRUE;
}

/* @data: AssayPlanOptions */
static AssayPlan *
make_plan (const AssayScenario *scenario, gconstpointer data, GError **error)
{
  const AssayPlanOptions *options = data;
  g_autoptr (AssayPlan) plan = plan_alloc ();

  plan->scenario = g_strdup (scenario->path);
  plan->scenario_sha256 = g_strdup (scenario->sha256);
  plan->text = g_strdup (scenario->text);
  plan->assignments = g_strdupv ((char **) options->assignments);
  plan->is_changed = options->assignments != NULL && options->assignments[0] != NULL;
  plan->folders = data_folders (scenario->path);
  if (!read_header (plan, scenario, options, error) || !read_components (plan, scenario, error)
      || !take_probes (plan, options, error) || !assay_plan_pair (plan, error)
      || !read_all (plan, scenario, "claim", read_claim, error)
      || !read_all (plan, scenario, "pictures", read_sheet, error))
    return NULL;
  plan->canonical = canonical_plan (plan);
  plan->sha256 = g_compute_checksum_for_string (G_CHECKSUM_SHA256, plan->canonical, -1);
  return g_steal_pointer (&plan);
}

static AssayScenario *
load (const char *path, GError **error)
{
  g_autofree char *meant = assay_hint_file (path);

  if (meant != NULL)
    return assay_fail_null (error, ASSAY_ERROR_DATA, "%s: no such file (did you mean '%s'?)", path,
                            meant);
  return assay_scenario_load (path, error);
}

AssayPlan *
assay_plan_new (const char *scenario_path, const AssayPlanOptions *options, GError **error)
{
  g_autoptr (AssayScenario) scenario
      = options->text != NULL ? assay_scenario_parse (scenario_path, options->text, error)
                              : load (scenario_path, error);
  AssayPlan *plan;

  if (scenario == NULL) {
    g_autoptr (AssayScenario) rest
        = options->text == NULL ? assay_scenario_salvage (scenario_path) : NULL;

    if (rest != NULL)
      assay_mistakes_add (rest, TRUE, make_plan, options, error);
    return NULL;
  }
  for (guint i = 0; options->assignments != NULL && options->assignments[i] != NULL; i++)
    if (!assay_scenario_set (scenario, options->assignments[i], error)
        && !assay_hint_set (scenario, options->assignments[i], error))
      return NULL;
  plan = make_plan (scenario, options, error);
  if (plan == NULL && options->text == NULL)
    assay_mistakes_add (scenario, FALSE, make_plan, options, error);
  return plan;
}
