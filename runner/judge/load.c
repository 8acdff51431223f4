/* The results of a run, made from its plan and store alone. */
#include "runner/judge/load.h"

#include "core/games/control-like.h"
#include "core/games/control-shape.h"
#include "runner/judge/cells.h"
#include "runner/judge/contact-sheets.h"
#include "runner/judge/judge.h"
#include "runner/judge/kept-baseline.h"
#include "runner/store/manifest.h"
#include "runner/store/records.h"
#include "runner/store/seal.h"

/* How many cells there are, and which of them did not end well. */
static gboolean
count_cell (const AssayPlan *plan, AssayStore *store, gsize index, AssayResults *results,
            GError **error)
{
  const AssayCell *cell = assay_plan_cell (plan, index);
  AssayCellRecord record = { 0 };

  if (!assay_store_cell (store, index, &record, error))
    return FALSE;
  results->n_missing += record.status == ASSAY_CELL_PENDING;
  results->n_cells += record.status != ASSAY_CELL_PENDING;
  if (record.status != ASSAY_CELL_PENDING && record.status != ASSAY_CELL_OK) {
    const AssayResultBad bad
        = { .defense = assay_result_component (results->defenses, cell->defense),
            .attack_or_utility = cell->utility != ASSAY_NO_COMPONENT
                                     ? assay_result_component (results->utilities, cell->utility)
                                     : assay_result_component (results->attacks, cell->attack),
            .trial = cell->trial,
            .status = assay_results_status (record.status),
            .message = g_string_chunk_insert_const (results->words,
                                                    record.message != NULL ? record.message : "") };

    g_array_append_val (results->bad, bad);
  }
  g_free (record.message);
  return TRUE;
}

static gboolean
add_tuning (AssayStore *store, const AssayPlan *plan, const AssayCell *cell, AssayResults *results,
            GError **error)
{
  const AssayResultComponent *attack = assay_result_component (results->attacks, cell->attack);
  AssayResultTuning tuning = { .measure = assay_plan_attack_or_utility (plan, cell)->tune_measure,
                               .candidates = attack->candidates };
  AssayTuning found;

  if (!assay_store_tuning (store, cell, &found, error))
    return FALSE;
  if (found.estimates == NULL)
    return TRUE;
  tuning.estimates = found.estimates;
  tuning.n_candidates = found.n;
  tuning.defense = assay_result_component (results->defenses, cell->defense);
  tuning.attack = assay_result_component (attack->candidates, found.chosen);
  g_array_append_val (results->tunings, tuning);
  return TRUE;
}

/* @control as far as it is known without its outcome. */
static gboolean
add_control (AssayStore *store, const char *key, AssayResultControl control, AssayResults *results,
             GError **error)
{
  AssayControlOutcome outcome;
  gboolean is_there;

  if (!assay_store_control (store, key, &outcome, &is_there, error))
    return FALSE;
  if (is_there) {
    control.is_won = outcome.is_won;
    control.share = outcome.share;
    control.n = outcome.n;
    if (control.defense != NULL && control.at_least == 0)
      control.at_least = assay_control_like_at_least (control.n);
    g_array_append_val (results->controls, control);
  }
  return TRUE;
}

/* What was asked of the attack, of the outcome too where that says so. */
static char *
say_like (const AssayPlan *plan, const AssayAttack *attack, const char *defense,
          const AssayControlOutcome *outcome)
{
  if (!assay_control_shape_has (attack))
    return g_strdup_printf ("what is like a release of %s, and gives all away, is found out",
                            defense);
  if (outcome->n < plan->secrets)
    return g_strdup_printf ("%s, here of %s, but with %zu secrets in place of %zu",
                            attack->control.like_says, defense, outcome->n, plan->secrets);
  return g_strdup_printf ("%s, here of %s", attack->control.like_says, defense);
}

/* A lost one is a warning as well: no cell is marked for it. */
static void
warn_of (const AssayResultControl *control, AssayResults *results)
{
  g_autofree char *warning = g_strdup_printf (
      "attack %s against %s lost its control of the same shape: %.3g %% of %" G_GUINT64_FORMAT
      " public images came back, %.3g %% are asked for; that it found little there upholds nothing",
      control->attack->name, control->defense->name, 100 * control->share, control->n,
      100 * control->at_least);
  g_autofree char *all = results->remarks != NULL
                             ? g_strdup_printf ("%s\n%s", results->remarks, warning)
                             : g_strdup (warning);

  results->remarks = g_string_chunk_insert_const (results->words, all);
}

/* Those that were played beside the cells. */
static gboolean
add_like_controls (AssayStore *store, const AssayPlan *plan, AssayResults *results, GError **error)
{
  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);
    g_autofree char *key = assay_run_like_control_key (cell->attack, i);
    g_autofree char *says = NULL;
    const AssayAttack *attack;
    AssayResultControl control = { 0 };
    AssayControlOutcome outcome;
    gboolean is_there;

    if (cell->utility != ASSAY_NO_COMPONENT)
      continue;
    if (!assay_store_control (store, key, &outcome, &is_there, error))
      return FALSE;
    if (!is_there)
      continue;
    attack = assay_plan_attack (plan, cell)->attack;
    control.attack = assay_result_component (results->attacks, cell->attack);
    control.defense = assay_result_component (results->defenses, cell->defense);
    says = say_like (plan, attack, control.defense->name, &outcome);
    control.says = g_string_chunk_insert_const (results->words, says);
    if (assay_control_shape_has (attack))
      control.at_least = attack->control.like_at_least;
    if (!add_control (store, key, control, results, error))
      return FALSE;
    if (assay_control_shape_has (attack) && !outcome.is_won)
      warn_of (&g_array_index (results->controls, AssayResultControl, results->controls->len - 1),
               results);
  }
  return TRUE;
}

static gboolean
add_controls (AssayStore *store, const AssayPlan *plan, AssayResults *results, GError **error)
{
  for (guint a = 0; a < plan->attacks->len; a++) {
    const AssayComponent *component = assay_plan_component (plan->attacks, a);
    const AssayResultComponent *attack = assay_result_component (results->attacks, a);
    const guint n = attack->candidates != NULL ? attack->candidates->len : 1;

    for (guint c = 0; c < n; c++) {
      const AssayControlTerms terms = assay_control_terms (component->plugin);
      g_autofree char *key = assay_run_control_key (a, c);
      const AssayResultControl control
          = { .attack = attack->candidates != NULL ? assay_result_component (attack->candidates, c)
                                                   : attack,
              .says = terms.says,
              .at_least = terms.at_least };

      if (!add_control (store, key, control, results, error))
        return FALSE;
    }
  }
  return add_like_controls (store, plan, results, error);
}

static gboolean
load_hashes (AssayStore *store, AssayResults *results, GError **error)
{
  for (guint d = 0; d < results->datasets->len; d++) {
    AssayResultComponent *dataset = results->datasets->pdata[d];
    g_autofree char *sha256 = NULL;

    if (!assay_store_dataset (store, d, &sha256, error))
      return FALSE;
    if (sha256 != NULL)
      dataset->sha256 = g_string_chunk_insert_const (results->words, sha256);
  }
  return TRUE;
}

/* What defenses, or attacks, are made of beside their settings. */
static gboolean
load_programs (AssayStore *store, const GPtrArray *planned, AssayResults *results,
               const GPtrArray *components, GError **error)
{
  for (guint i = 0; i < planned->len; i++) {
    AssayResultComponent *component = components->pdata[i];
    g_autofree char *lines = NULL;

    if (!assay_programs_of (store, assay_plan_component (planned, i), i, &lines, error))
      return FALSE;
    if (lines != NULL)
      component->programs = g_string_chunk_insert_const (results->words, lines);
  }
  return TRUE;
}

static void
add_units (const AssayUnits *found, const AssayResultComponent *dataset, AssayResults *results)
{
  AssayResultUnits units = { .dataset = dataset,
                             .secrets = found->n,
                             .labelled = found->n_labelled,
                             .equal = found->n_equal,
                             .is_by_chance = found->is_by_chance,
                             .near = found->n_near,
                             .units = found->n_units,
                             .clusters = found->n_clusters,
                             .effective = found->n_effective };
  g_autofree char *says = assay_units_describe (found);

  if (says != NULL)
    units.says = g_string_chunk_insert_const (results->words, says);
  g_array_append_val (results->units, units);
}

static gboolean
load_units (AssayStore *store, AssayResults *results, GError **error)
{
  for (guint d = 0; d < results->datasets->len; d++) {
    AssayUnits found;

    if (!assay_store_units (store, d, &found, error))
      return FALSE;
    if (found.n > 0)
      add_units (&found, assay_result_component (results->datasets, d), results);
  }
  return TRUE;
}

/* Whether the claims are those of before the first cell, and how often the scenario was run. */
static gboolean
load_origin (const AssayPlan *plan, AssayStore *store, AssayResults *results, GError **error)
{
  g_autofree char *sealed = NULL;
  g_autofree char *serial = NULL;
  g_autofree char *confinement = NULL;
  g_autofree char *remarks = NULL;
  g_autofree char *modules = NULL;
  g_autofree char *unrepeated = NULL;
  g_autofree char *kernels = NULL;
  AssaySeal seal;

  if (!assay_seal_read (store, plan, &seal, &sealed, error)
      || !assay_store_get (store, ASSAY_META_SERIAL, &serial, error)
      || !assay_manifest_confinement (store, &confinement, error)
      || !assay_manifest_remarks (store, &remarks, error)
      || !assay_manifest_modules (store, &modules, error)
      || !assay_store_unrepeated (store, plan, &unrepeated, error)
      || !assay_manifest_kernels (store, &kernels, error))
    return FALSE;
  if (kernels != NULL)
    results->blas = g_string_chunk_insert_const (results->words, g_strdelimit (kernels, "\n", ';'));
  if (confinement != NULL)
    results->confinement = g_string_chunk_insert_const (results->words, confinement);
  if (modules != NULL)
    results->modules = g_string_chunk_insert_const (results->words, modules);
  if (remarks != NULL)
    results->remarks = g_string_chunk_insert_const (results->words, remarks);
  if (unrepeated != NULL)
    results->unrepeated = g_string_chunk_insert_const (results->words, unrepeated);
  results->has_changed_claims = seal != ASSAY_SEAL_WHOLE;
  results->has_lost_claims = seal == ASSAY_SEAL_BROKEN && plan->claims->len == 0;
  results->serial = serial != NULL ? g_ascii_strtoull (serial, NULL, 10) : 1;
  if (sealed != NULL) {
    g_autofree char *sha256 = g_compute_checksum_for_string (G_CHECKSUM_SHA256, sealed, -1);

    results->claims_text = g_string_chunk_insert_const (results->words, sealed);
    results->claims_sha256 = g_string_chunk_insert_const (results->words, sha256);
  }
  return TRUE;
}

AssayResults *
assay_results_load (const AssayPlan *plan, AssayStore *store, GError **error)
{
  g_autoptr (AssayResults) results = assay_results_describe (plan);

  assay_results_set_source (results, plan, store);
  if (!load_hashes (store, results, error) || !load_units (store, results, error)
      || !load_programs (store, plan->defenses, results, results->defenses, error)
      || !load_programs (store, plan->attacks, results, results->attacks, error)
      || !assay_baseline_kept (store, &results->baseline, error)
      || !load_origin (plan, store, results, error))
    return NULL;
  for (gsize i = 0; i < plan->cells->len; i++)
    if (!count_cell (plan, store, i, results, error))
      return NULL;
  for (gsize i = 0; i < plan->cells->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);
    AssayResultCell *pooled = NULL;

    if (cell->trial != 0)
      continue;
    if (!assay_results_pooled_cell (results, i, &pooled, error))
      return NULL;
    g_ptr_array_add (results->pooled, pooled);
    if (assay_plan_attack_or_utility (plan, cell)->candidates != NULL
        && !add_tuning (store, plan, cell, results, error))
      return NULL;
  }
  if (!add_controls (store, plan, results, error)
      || !assay_contact_sheets_load (results, plan, store, error)
      || !assay_judge (results, plan, store, error))
    return NULL;
  return g_steal_pointer (&results);
}
