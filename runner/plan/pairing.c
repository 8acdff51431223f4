/* What of a plan fits together. */
#include "runner/plan/pairing.h"

#include "core/base/each.h"
#include "core/base/text.h"
#include "runner/plan/estimate.h"
#include "runner/plan/external.h"
#include "runner/plan/fit.h"
#include "runner/plan/refused/unmeasured.h"
#include "runner/plan/selector.h"

/* Cells beyond this would be a mistake in a list. */
#define MAX_CELLS 10000000

static gboolean
blame (const AssayPlan *plan, const AssayComponent *component, GError **error)
{
  if (component->line == 0)
    g_prefix_error (error, "%s: %s %s: ", plan->scenario, component->kind, component->label);
  else
    g_prefix_error (error, "%s:%u%s: [%s%s%s] ", plan->scenario, component->line,
                    plan->is_changed ? " (as changed by --set)" : "", component->kind,
                    *component->label != '\0' ? " " : "", component->label);
  return FALSE;
}

#define fail_for(plan, component, error, ...)                                                      \
  (assay_error_set (error, __VA_ARGS__), blame (plan, component, error))

/* Grants that a dataset can provide. */
static guint
grants_offered (const AssayProbe *probe)
{
  return (probe->n_database > 0 ? ASSAY_GRANT_DATABASE : 0)
         | (probe->n_public > 0 ? ASSAY_GRANT_PUBLIC : 0)
         | (probe->n_groups > 0 ? ASSAY_GRANT_GROUPS : 0)
         | (probe->holdings & ASSAY_HAS_LABELS ? ASSAY_GRANT_LABELS : 0)
         | (probe->holdings & ASSAY_HAS_FRAMES ? ASSAY_GRANT_KEYPOINTS : 0)
         | (probe->holdings & ASSAY_HAS_GRAPH ? ASSAY_GRANT_FEATURES | ASSAY_GRANT_KNOWN_EDGES : 0)
         /* Whatever the dataset is: */
         | ASSAY_GRANT_HASH_FUNCTION | ASSAY_GRANT_OTHER_RELEASES | ASSAY_GRANT_REPEATS
         | ASSAY_GRANT_NO_PARAMETERS | ASSAY_GRANT_MECHANISM | ASSAY_GRANT_KEY
         | ASSAY_GRANT_AGGREGATOR | ASSAY_GRANT_MESSAGES | ASSAY_GRANT_USER
         | ASSAY_GRANT_KEY_GENERATOR | ASSAY_GRANT_MODEL;
}

/* What would fit into @available secrets. */
static char *
say_what_fits (const AssayPlan *plan, gsize available)
{
  const gsize draws = assay_plan_draws (plan);
  GString *text = g_string_new ("");

  if (plan->tune_secrets == 0 && available >= draws)
    g_string_append_printf (text, "; expected at most secrets = %zu", available / draws);
  if (plan->tune_secrets == 0 && available >= plan->secrets)
    g_string_append_printf (text, "%s trials = %zu", text->len > 0 ? ", or" : "; expected at most",
                            available / plan->secrets);
  return g_string_free (text, FALSE);
}

gboolean
assay_plan_check_pool (const AssayPlan *plan, gsize available, gsize groups, GError **error)
{
  const gsize draws = assay_plan_draws (plan);
  g_autofree char *tuning = NULL;
  g_autofree char *fits = NULL;

  if (plan->secret_groups > 0 && draws * plan->secret_groups > groups)
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "the plan takes %zu distinct groups (%zu trials x %zu), but the dataset "
                       "has %zu",
                       draws * plan->secret_groups, draws, plan->secret_groups,
                       groups);
  if (assay_plan_secrets_needed (plan) <= available)
    return TRUE;
  tuning = plan->tune_secrets > 0 ? g_strdup_printf (" + %zu for tuning", plan->tune_secrets)
                                  : g_strdup ("");
  fits = say_what_fits (plan, available);
  return assay_fail (error, ASSAY_ERROR_SCENARIO,
                     "the plan takes %zu distinct secrets (%zu trials x %zu%s), but the dataset "
                     "has %zu%s",
                     assay_plan_secrets_needed (plan), draws, plan->secrets, tuning,
                     available, fits);
}

/* How many secrets a cell has where the dataset is taken whole. */
static void
take_all (AssayPlan *plan)
{
  gsize least = G_MAXSIZE;

  for (guint i = 0; i < plan->datasets->len; i++)
    least = MIN (least, plan->probes[i].n_secrets);
  if (plan->takes_all)
    plan->secrets = MAX (least / assay_plan_draws (plan), 1);
}

static gboolean
probe_datasets (AssayPlan *plan, GError **error)
{
  plan->probes = g_new0 (AssayProbe, plan->datasets->len);
  for (guint i = 0; i < plan->datasets->len; i++) {
    const AssayComponent *component = assay_plan_component (plan->datasets, i);
    const AssayDatasetPlugin *plugin = component->dataset;
    const AssayCell cell = { .dataset = i };
    const AssayDatasetContext context = { .settings = component->settings->values,
                                          .stream = assay_plan_stream (plan, &cell, "data", NULL),
                                          .folders = (const char *const *) plan->folders };
    const AssayShape nothing = { 0 };

    if ((component->plugin->check != NULL
         && !component->plugin->check (component->settings->values, &nothing, error))
        || !plugin->probe (&context, &plan->probes[i], error))
      return blame (plan, component, error);
  }
  return TRUE;
}

static gboolean
check_pools (const AssayPlan *plan, GError **error)
{
  for (guint i = 0; i < plan->datasets->len; i++)
    if (!assay_plan_check_pool (plan, plan->probes[i].n_secrets, plan->probes[i].n_groups, error))
      return blame (plan, assay_plan_component (plan->datasets, i), error);
  return TRUE;
}

/* Metrics that no group names are played wherever they apply: those that need what no dataset has
 * apply nowhere. */
static void
drop_default_metrics (AssayPlan *plan)
{
  guint holdings = 0;

  for (guint i = 0; i < plan->datasets->len; i++)
    holdings |= plan->probes[i].holdings;
  for (guint i = plan->metrics->len; i > 0; i--) {
    const AssayComponent *component = assay_plan_component (plan->metrics, i - 1);

    if (component->line == 0 && (component->metric->needs & ~holdings))
      g_ptr_array_remove_index (plan->metrics, i - 1);
  }
}

static gboolean
check_settings (const AssayPlan *plan, const AssayComponent *component,
                const AssaySettings *settings, GError **error)
{
  for (guint i = 0; component->plugin->check != NULL && i < plan->datasets->len; i++) {
    const AssayShape shape = assay_plan_shape (plan, &plan->probes[i]);

    if (!component->plugin->check (settings->values, &shape, error))
      return FALSE;
  }
  return TRUE;
}

/* What a defense draws from must be in every dataset. */
static gboolean
check_defense (const AssayPlan *plan, const AssayComponent *component, GError **error)
{
  const AssayDefense *defense = component->defense;
  const guint uses = defense->uses != NULL ? defense->uses (component->settings->values) : 0;

  if (!check_settings (plan, component, component->settings, error))
    return blame (plan, component, error);
  for (guint i = 0; i < plan->datasets->len; i++) {
    g_autofree char *missing
        = assay_grants_describe (uses & ~grants_offered (&plan->probes[i]));

    if (*missing == '\0')
      continue;
    return fail_for (plan, component, error, ASSAY_ERROR_MISMATCH,
                     "draws its material from the role '%s', which the dataset does not have",
                     missing);
  }
  return TRUE;
}

/* Whether the attack is played on dataset @index, against some defense. */
static gboolean
is_played_on (const AssayPlan *plan, const AssayComponent *attack, guint index)
{
  for (guint f = 0; attack->where != NULL && f < plan->defenses->len; f++) {
    const AssayCell cell = { .dataset = index, .defense = f };

    if (assay_selector_selects_defense (plan, attack->where, &cell))
      return TRUE;
  }
  return attack->where == NULL;
}

/* Who runs the defense needs rows to run it on, and a key is of use in such runs alone. */
static gboolean
check_mechanism (const AssayComponent *component, GError **error)
{
  const guint grants = component->grants;

  if ((grants & ASSAY_GRANT_MECHANISM) && !(grants & ASSAY_GRANT_PUBLIC))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "grants 'mechanism', which is run on public rows; expected grants = public; "
                       "mechanism");
  return !(grants & ASSAY_GRANT_KEY) || (grants & ASSAY_GRANT_MECHANISM)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "grants 'key', which is of use to who runs the defense; expected grants = "
                        "public; mechanism; key");
}

/* Grants must cover what the attack needs, and the dataset what is granted. */
static gboolean
check_grants (const AssayPlan *plan, const AssayComponent *component, GError **error)
{
  const AssayAttack *attack = assay_attack_of (component->plugin);
  const guint needs = attack != NULL ? assay_attack_needs (attack, component->settings->values) : 0;
  const guint held
      = component->grants
        | (component->own.pairs != NULL || component->own.known > 0 ? ASSAY_GRANT_MECHANISM : 0);
  g_autofree char *lacking = assay_grants_describe (needs & ~held);

  if (*lacking != '\0')
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "attack '%s' needs the grant '%s'; expected grants = %s",
                       component->plugin->id, lacking, lacking);
  if (!check_mechanism (component, error))
    return FALSE;
  for (guint i = 0; i < plan->datasets->len; i++) {
    g_autofree char *missing = assay_grants_describe (
        component->grants & ~grants_offered (&plan->probes[i]) & ~assay_fit_releases_offer (plan));

    if (*missing != '\0')
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "grants '%s', which the dataset does not have", missing);
    if (attack != NULL && is_played_on (plan, component, i)
        && !assay_fit_check_answer (plan, component, &plan->probes[i], error))
      return FALSE;
  }
  return TRUE;
}

/* Of a tuned attack's candidates those that contradict themselves are dropped: a grid of two
 * settings often has such corners. */
static gboolean
check_attack (const AssayPlan *plan, AssayComponent *component, GError **error)
{
  g_autoptr (GError) last = NULL;

  if (!check_grants (plan, component, error))
    return blame (plan, component, error);
  if (component->candidates != NULL && component->plugin->type == ASSAY_PLUGIN_AUDITOR)
    return fail_for (plan, component, error, ASSAY_ERROR_SCENARIO,
                     "attack '%s' chooses its event on training runs of its own: nothing to tune",
                     component->plugin->id);
  if (component->candidates == NULL)
    return check_settings (plan, component, component->settings, error)
           || blame (plan, component, error);
  for (guint i = component->candidates->len; i > 0; i--) {
    g_clear_error (&last);
    if (!check_settings (plan, component, component->candidates->pdata[i - 1], &last))
      g_ptr_array_remove_index (component->candidates, i - 1);
  }
  if (component->candidates->len > 0)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&last));
  return blame (plan, component, error);
}

/* The measure by which settings are chosen must be one: a metric that is played with several
 * settings has it several times. */
static gboolean
check_tune_measure (const AssayPlan *plan, const AssayComponent *component, GError **error)
{
  guint n_found = 0;

  ASSAY_FOR_EACH (const AssayComponent, played, plan->metrics)
    for (const AssayMeasure *m = played->metric->measures; m->name != NULL; m++)
      n_found += g_strcmp0 (component->tune_measure, m->name) == 0;
  if (n_found <= 1)
    return TRUE;
  return fail_for (
      plan, component, error, ASSAY_ERROR_SCENARIO,
      "tune_measure = %s is measured with %u settings; expected one [metric NAME] for it",
      component->tune_measure, n_found);
}

/* Every dataset must hold what a utility needs. */
static gboolean
check_utility (const AssayPlan *plan, const AssayComponent *component, GError **error)
{
  g_autofree char *missing
      = assay_holdings_describe (assay_plan_lacks (plan, component->utility->needs));

  return *missing == '\0' ? check_settings (plan, component, component->settings, error)
                          : assay_fail (error, ASSAY_ERROR_MISMATCH,
                                        "needs %s, which the dataset does not have", missing);
}

static gboolean
check_components (AssayPlan *plan, GError **error)
{
  ASSAY_FOR_EACH (const AssayComponent, defense, plan->defenses)
    if (!check_defense (plan, defense, error))
      return FALSE;
  ASSAY_FOR_EACH (AssayComponent, attack, plan->attacks)
    if (!check_attack (plan, attack, error) || !check_tune_measure (plan, attack, error))
      return FALSE;
  ASSAY_FOR_EACH (const AssayComponent, metric, plan->metrics)
    if (!check_settings (plan, metric, metric->settings, error))
      return blame (plan, metric, error);
  ASSAY_FOR_EACH (const AssayComponent, utility, plan->utilities)
    if (!check_utility (plan, utility, error))
      return blame (plan, utility, error);
  return TRUE;
}

/* Pairs of neighbours in files, for runs alone: a plan that is read back does without them. */
static gboolean
check_pairs (const AssayPlan *plan, GError **error)
{
  ASSAY_FOR_EACH (const AssayComponent, component, plan->defenses) {
    gconstpointer settings = component->settings->values;
    const AssayMechanism *mechanism = assay_defense_mechanism (component->defense, settings);

    if (mechanism != NULL && mechanism->batches != NULL
        && !mechanism->batches->check_pairs (settings, error))
      return blame (plan, component, error);
  }
  return TRUE;
}

typedef char *(*WhyNot) (const AssayComponent *defense, const AssayComponent *component);

static void
note_skip (AssayPlan *plan, const AssayComponent *defense, const AssayComponent *attack,
           char *reason)
{
  AssaySkip *skip;

  ASSAY_FOR_EACH (const AssaySkip, known, plan->skipped) {
    if (g_str_equal (known->defense, defense->label)
        && g_str_equal (known->attack, attack->label)) {
      g_free (reason);
      return;
    }
  }
  skip = g_new (AssaySkip, 1);
  *skip = (AssaySkip){ defense->label, attack->label, reason };
  g_ptr_array_add (plan->skipped, skip);
}

/* What can be combined with no defense at all is a mistake, not a skip. */
static gboolean
check_is_used (AssayPlan *plan, const AssayComponent *component, WhyNot ask, GError **error)
{
  g_autofree char *reason = NULL;

  ASSAY_FOR_EACH (const AssayComponent, defense, plan->defenses) {
    g_clear_pointer (&reason, g_free);
    reason = ask (defense, component);
    if (reason == NULL)
      return TRUE;
  }
  return fail_for (plan, component, error, ASSAY_ERROR_MISMATCH,
                   "fits no defense of the scenario: %s", reason);
}

/* Adds @cell, or notes why it cannot be played. */
static gboolean
add_cell (AssayPlan *plan, const AssayCell *cell, WhyNot ask, GError **error)
{
  const AssayComponent *defense = assay_plan_defense (plan, cell);
  const AssayComponent *component = assay_plan_attack_or_utility (plan, cell);
  char *reason = ask (defense, component);

  if (reason != NULL) {
    note_skip (plan, defense, component, reason);
    return TRUE;
  }
  g_array_append_val (plan->cells, *cell);
  return plan->cells->len <= MAX_CELLS
         || assay_fail (error, ASSAY_ERROR_SCENARIO, "%s: more than %d cells", plan->scenario,
                        MAX_CELLS);
}

/* The cells of one release: attacks first. */
static gboolean
add_release (AssayPlan *plan, AssayCell cell, GError **error)
{
  cell.utility = ASSAY_NO_COMPONENT;
  for (cell.attack = 0; cell.attack < plan->attacks->len; cell.attack++) {
    const AssaySelector *where = assay_plan_attack (plan, &cell)->where;

    if ((where == NULL || assay_selector_selects_defense (plan, where, &cell))
        && !add_cell (plan, &cell, assay_fit_why_not, error))
      return FALSE;
  }
  cell.attack = ASSAY_NO_COMPONENT;
  for (cell.utility = 0; cell.utility < plan->utilities->len; cell.utility++)
    if (!add_cell (plan, &cell, assay_fit_why_no_use, error))
      return FALSE;
  return TRUE;
}

static gboolean
make_cells (AssayPlan *plan, GError **error)
{
  ASSAY_FOR_EACH (const AssayComponent, attack, plan->attacks)
    if (!check_is_used (plan, attack, assay_fit_why_not, error))
      return FALSE;
  ASSAY_FOR_EACH (const AssayComponent, utility, plan->utilities)
    if (!check_is_used (plan, utility, assay_fit_why_no_use, error))
      return FALSE;
  for (guint d = 0; d < plan->datasets->len; d++)
    for (guint t = 0; t < plan->trials; t++)
      for (guint f = 0; f < plan->defenses->len; f++)
        if (!add_release (plan, (AssayCell){ .dataset = d, .trial = t, .defense = f }, error))
          return FALSE;
  return TRUE;
}

/* What audits need of defenses, partly read from files of pairs: for runs alone. */
static gboolean
check_audits (const AssayPlan *plan, GError **error)
{
  ASSAY_FOR_EACH_IN (const AssayCell, cell, plan->cells) {
    const AssayComponent *component = assay_plan_attack_or_utility (plan, cell);

    if (component->plugin->type == ASSAY_PLUGIN_AUDITOR
        && !assay_fit_check_audit (plan, cell, error))
      return blame (plan, component, error);
  }
  return TRUE;
}

static gboolean
check_memory (AssayPlan *plan, GError **error)
{
  const guint64 machine = assay_plan_machine_memory ();
  g_autofree char *needed = NULL;
  g_autofree char *present = NULL;

  assay_plan_estimate (plan);
  if (plan->memory <= machine)
    return TRUE;
  needed = assay_text_bytes (plan->memory);
  present = assay_text_bytes (machine);
  return assay_fail (
      error, ASSAY_ERROR_MEMORY,
      "%s: the run would need about %s of memory, but the machine has %s; expected a "
      "smaller dataset, fewer secrets a cell or smaller dimensions",
      plan->scenario, needed, present);
}

static gboolean
verify_external (AssayPlan *plan, GError **error)
{
  const AssayComponent *component = NULL;

  return assay_external_verify (plan, &component, error) || blame (plan, component, error);
}

gboolean
assay_plan_pair (AssayPlan *plan, GError **error)
{
  const gsize tune_secrets = plan->tune_secrets;
  /* The plan of a run that was made before: data is not looked at. */
  const gboolean is_kept = plan->probes != NULL;

  /* Whether anything is tuned decides how many secrets are needed. */
  plan->tune_secrets = 0;
  ASSAY_FOR_EACH (const AssayComponent, attack, plan->attacks)
    if (attack->candidates != NULL)
      plan->tune_secrets = tune_secrets;
  if (!is_kept && !probe_datasets (plan, error))
    return FALSE;
  take_all (plan);
  if (!is_kept && !check_pools (plan, error))
    return FALSE;
  drop_default_metrics (plan);
  if (!check_components (plan, error) || (!is_kept && !check_pairs (plan, error))
      || !make_cells (plan, error))
    return FALSE;
  assay_plan_skip_unmeasured (plan);
  return is_kept
         || (check_audits (plan, error) && check_memory (plan, error)
             && verify_external (plan, error));
}
