/* What a plan says, as plain data. */
#include "runner/judge/describe.h"

#include <math.h>

#include <sqlite3.h>

#include "core/base/each.h"
#include "core/data/grant.h"
#include "core/network/kernels.h"
#include "runner/plan/fit.h"
#include "runner/plan/loaded.h"

/* ---- Components ---- */

static const char *
keep (AssayResults *results, const char *text)
{
  return text != NULL ? g_string_chunk_insert_const (results->words, text) : NULL;
}

static AssayResultType
type_of (const AssayParam *param)
{
  if (param->type == ASSAY_PARAM_TYPE_INT || param->type == ASSAY_PARAM_TYPE_REAL)
    return ASSAY_RESULT_NUMBER;
  return param->type == ASSAY_PARAM_TYPE_BOOL ? ASSAY_RESULT_BOOL : ASSAY_RESULT_TEXT;
}

static const AssayResultSettings *
describe_settings (AssayResults *results, const AssaySettings *settings)
{
  AssayResultSettings *all = g_new0 (AssayResultSettings, 1);
  g_autofree char *line = assay_settings_canonical (settings);
  gsize n = 0;

  while (settings->table != NULL && settings->table[n].name != NULL)
    n++;
  all->n = n;
  all->all = g_new0 (AssayResultSetting, n);
  for (gsize i = 0; i < n; i++) {
    const AssayParam *param = &settings->table[i];
    g_autofree char *value = assay_settings_get (settings, param);

    all->all[i]
        = (AssayResultSetting){ param->name, keep (results, value), param->unit, type_of (param) };
  }
  g_strdelimit (g_strchomp (line), "\n", ' ');
  all->line = keep (results, line);
  g_ptr_array_add (results->settings, all);
  return all;
}

static AssayResultMeasure *
describe_measure (const AssayMeasuring *measuring, const AssayMeasure *measure)
{
  AssayResultMeasure *one = g_new (AssayResultMeasure, 1);

  *one = (AssayResultMeasure){
    .name = measure->name,
    .unit = measure->unit,
    .help = measure->help,
    .direction = assay_measure_direction (measuring, measure),
    .low = measure->low,
    .high = measure->high,
    .higher_is_worse = measure->higher_is_worse,
    .is_leak = measure->is_leak,
    .is_headline = measure->is_headline,
    .is_share = measure->high <= 1 && g_str_has_prefix (measure->unit, "share"),
    .is_epsilon = measure->statistic == ASSAY_STATISTIC_EPSILON,
    .is_reach = measure->is_reach,
    .is_reference = measure->is_reference,
    .tells_apart = measure->tells_apart,
  };
  return one;
}

static GPtrArray *
describe_measures (AssayResults *results, const AssayMeasuring *measuring)
{
  GPtrArray *measures = g_ptr_array_new ();

  for (const AssayMeasure *measure = measuring->measures; measure->name != NULL; measure++) {
    AssayResultMeasure *one = g_hash_table_lookup (results->measures, measure);

    if (one == NULL) {
      one = describe_measure (measuring, measure);
      g_hash_table_insert (results->measures, (gpointer) measure, one);
    }
    g_ptr_array_add (measures, one);
  }
  return measures;
}

static const char *const *
describe_grants (guint grants)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; assay_grant_names[i] != NULL; i++)
    if (grants & (1u << i))
      g_ptr_array_add (names, (gpointer) assay_grant_names[i]);
  g_ptr_array_add (names, NULL);
  return (const char *const *) g_ptr_array_free (names, FALSE);
}

/* @settings: the component's own, or those of one of its candidates. */
static AssayResultComponent *
describe_component (AssayResults *results, const AssayComponent *planned, guint index,
                    const AssaySettings *settings)
{
  AssayResultComponent *component = g_new0 (AssayResultComponent, 1);

  component->index = index;
  component->label = planned->label;
  component->name = planned->name != NULL ? planned->name : "";
  component->plugin = planned->plugin->id;
  component->settings = describe_settings (results, settings);
  component->work = planned->plugin->reference.work;
  component->place = planned->plugin->reference.place;
  component->tuned = planned->tuned_keys;
  if (planned->plugin->type == ASSAY_PLUGIN_DEFENSE) {
    const AssayDefense *defense = assay_defense_of (planned->plugin);

    component->remark = defense->remark != NULL ? defense->remark (settings->values) : NULL;
  }
  return component;
}

static void
describe_components (AssayResults *results, const GPtrArray *planned_components,
                     gboolean has_measures, GPtrArray *components)
{
  for (guint i = 0; i < planned_components->len; i++) {
    const AssayComponent *planned = assay_plan_component (planned_components, i);
    AssayResultComponent *component = describe_component (results, planned, i, planned->settings);

    if (has_measures)
      component->measures = describe_measures (results, planned->measuring);
    g_ptr_array_add (components, component);
  }
}

/* Whether what an attack or an auditor finds is measured by it. */
static gboolean
is_measured_by (const AssayComponent *planned, const AssayComponent *metric)
{
  const gboolean audits = assay_measures_audits (metric->measuring);

  if (planned->plugin->type == ASSAY_PLUGIN_AUDITOR)
    return audits;
  return !audits
         && assay_fit_measures (metric->metric, assay_attack_plays (planned->attack,
                                                                    planned->settings->values));
}

/* So that it is known of an attack that failed what it has no numbers of. */
static void
describe_measured (AssayResults *results, const AssayPlan *plan, const AssayComponent *planned,
                   AssayResultComponent *attack)
{
  attack->measures = g_ptr_array_new ();
  for (guint m = 0; m < plan->metrics->len; m++)
    if (is_measured_by (planned, assay_plan_component (plan->metrics, m)))
      g_ptr_array_extend (attack->measures,
                          assay_result_component (results->metrics, m)->measures, NULL, NULL);
}

static void
describe_knowledge (AssayResults *results, const AssayComponent *planned,
                    AssayResultComponent *attack)
{
  g_autofree char *grants = assay_grants_describe (planned->grants);
  g_autofree char *knows = planned->own.known == 0
                               ? g_strdup (grants)
                               : g_strdup_printf ("%s%s%zu rows in the release", grants,
                                                  *grants != '\0' ? ", " : "",
                                                  planned->own.known);

  attack->grants = describe_grants (planned->grants);
  attack->knows = keep (results, knows);
  attack->has_control = assay_control_terms (planned->plugin).is_there;
}

static void
describe_attacks (AssayResults *results, const AssayPlan *plan)
{
  for (guint i = 0; i < plan->attacks->len; i++) {
    const AssayComponent *planned = assay_plan_component (plan->attacks, i);
    AssayResultComponent *attack = results->attacks->pdata[i];

    describe_knowledge (results, planned, attack);
    describe_measured (results, plan, planned, attack);
    if (planned->candidates == NULL)
      continue;
    attack->candidates = assay_result_components_new ();
    for (guint c = 0; c < planned->candidates->len; c++) {
      AssayResultComponent *candidate
          = describe_component (results, planned, i, planned->candidates->pdata[c]);

      describe_knowledge (results, planned, candidate);
      describe_measured (results, plan, planned, candidate);
      candidate->candidate = c;
      g_ptr_array_add (attack->candidates, candidate);
    }
  }
}

/* ---- The rest of the plan ---- */

static void
describe_claims (AssayResults *results, const AssayPlan *plan)
{
  ASSAY_FOR_EACH (const AssayClaim, claim, plan->claims) {
    AssayResultClaim *result = assay_result_claim_new ();

    result->id = claim->id;
    result->says = claim->says;
    result->source = claim->source;
    result->line = claim->line;
    if (claim->beyond != ASSAY_NO_COMPONENT)
      g_hash_table_insert (
          results->measures, (gpointer) claim->measure,
          describe_measure (assay_plan_component (plan->metrics, claim->metric)->measuring,
                            claim->measure));
    result->measure = assay_results_measure (results, claim->measure);
    result->metric
        = claim->utility == NULL ? assay_result_component (results->metrics, claim->metric) : NULL;
    result->is_of_utility = claim->utility != NULL;
    result->is_at_most = claim->is_at_most;
    result->bound = claim->is_claimed ? NAN : claim->bound;
    result->confidence = claim->confidence;
    g_ptr_array_add (results->claims, result);
  }
}

static void
describe_lists (AssayResults *results, const AssayPlan *plan)
{
  g_autoptr (GPtrArray) plugins = assay_loaded_list (plan);

  for (guint i = 0; i < plan->skipped->len; i++)
    g_array_append_vals (results->skipped, plan->skipped->pdata[i], 1);
  for (guint i = 0; i < plugins->len; i++)
    g_array_append_vals (results->plugins, plugins->pdata[i], 1);
}

char *
assay_plan_describe_size (const AssayPlan *plan)
{
  if (!assay_plan_has_releases (plan))
    return g_strdup ("");
  if (plan->secret_groups > 0)
    return g_strdup_printf (" of %" G_GUINT64_FORMAT " group%s of secrets", plan->secret_groups,
                            plan->secret_groups == 1 ? "" : "s");
  return g_strdup_printf (" of %" G_GUINT64_FORMAT " secrets", plan->secrets);
}

AssayResults *
assay_results_describe (const AssayPlan *plan)
{
  AssayResults *results = assay_results_new ();

  results->title = plan->title;
  results->reference = plan->reference;
  results->scenario = plan->scenario;
  results->scenario_sha256 = plan->scenario_sha256;
  results->plan_sha256 = plan->sha256;
  results->is_changed = plan->is_changed;
  results->seed = plan->seed;
  results->trials = plan->trials;
  results->secrets = plan->secrets;
  results->secret_groups = plan->secret_groups;
  results->tune_secrets = plan->tune_secrets;
  results->size = assay_plan_describe_size (plan);
  results->confidence = plan->confidence;
  results->n_planned = plan->cells->len;
  results->blas = keep (results, assay_kernels_describe ());
  results->sqlite = sqlite3_libversion ();
  describe_components (results, plan->datasets, FALSE, results->datasets);
  describe_components (results, plan->defenses, FALSE, results->defenses);
  describe_components (results, plan->attacks, FALSE, results->attacks);
  describe_components (results, plan->utilities, TRUE, results->utilities);
  describe_components (results, plan->metrics, TRUE, results->metrics);
  describe_attacks (results, plan);
  describe_claims (results, plan);
  describe_lists (results, plan);
  return results;
}

const AssayResultMeasure *
assay_results_measure (const AssayResults *results, const AssayMeasure *measure)
{
  return g_hash_table_lookup (results->measures, measure);
}

/* ---- Cells ---- */

AssayResultCell *
assay_results_describe_cell (const AssayResults *results, const AssayPlan *plan,
                             const AssayCell *cell, const guint *candidate)
{
  AssayResultCell *result = g_new0 (AssayResultCell, 1);

  result->confidence = NAN;
  result->id = assay_plan_cell_id (plan, cell);
  result->trial = cell->trial;
  result->dataset = assay_result_component (results->datasets, cell->dataset);
  result->defense = assay_result_component (results->defenses, cell->defense);
  result->is_utility = cell->utility != ASSAY_NO_COMPONENT;
  result->attack_or_utility = result->is_utility
                                  ? assay_result_component (results->utilities, cell->utility)
                                  : assay_result_component (results->attacks, cell->attack);
  if (candidate != NULL && result->attack_or_utility->candidates != NULL)
    result->attack_or_utility
        = assay_result_component (result->attack_or_utility->candidates, *candidate);
  result->measurements = g_array_new (FALSE, FALSE, sizeof (AssayMeasurement));
  result->omitted = g_ptr_array_new_with_free_func (g_free);
  return result;
}

const AssaySettings *
assay_results_settings (const AssayPlan *plan, const AssayCell *cell,
                        const AssayResultComponent *component)
{
  const AssayComponent *planned = assay_plan_attack_or_utility (plan, cell);

  /* The attack itself, of which nothing is chosen yet, has a list of candidates. */
  return planned->candidates != NULL && component->candidates == NULL
             ? planned->candidates->pdata[component->candidate]
             : planned->settings;
}
