/* Which attacks and utilities fit which defenses. */
#include "runner/plan/fit.h"

#include "core/base/each.h"
#include "core/base/text.h"
#include "core/plugin/registry.h"

/* NULL, or why a plugin that reads @reads cannot be combined with that defense's release. */
static char *
why_not_kind (const char *what, const AssayPlugin *plugin, guint reads,
              const AssayComponent *component)
{
  const AssayDefense *defense = component->defense;
  const AssayReleaseKind kind = assay_defense_produces (defense, component->settings->values);
  g_autofree char *kinds = assay_release_kinds_describe (reads);

  if (reads & kind)
    return NULL;
  return g_strdup_printf ("%s '%s' reads %s, but defense '%s' releases %s", what, plugin->id, kinds,
                          defense->id, assay_release_kind_name (kind));
}

/* The same of an auditor. */
static char *
why_no_audit (const AssayComponent *component, const AssayComponent *defense_component)
{
  const AssayAuditor *auditor = component->auditor;
  const AssayDefense *defense = defense_component->defense;
  const AssayMechanism *mechanism
      = assay_defense_mechanism (defense, defense_component->settings->values);
  const char *reason = NULL;

  if (mechanism == NULL && defense->mechanism == NULL && defense->claim != NULL)
    return g_strdup_printf ("attack '%s' tests a formal claim by running the mechanism, and "
                            "defense '%s' offers none to run",
                            auditor->id, defense->id);
  if (mechanism == NULL)
    return g_strdup_printf ("attack '%s' tests a formal claim, and defense '%s' makes none%s",
                            auditor->id, defense->id,
                            defense->mechanism != NULL ? " (setting epsilon)" : "");
  if (auditor->game == ASSAY_AUDIT_ONE_RUN && mechanism->canaries == NULL)
    return g_strdup_printf ("attack '%s' needs a defense that acts on a whole dataset, and '%s' "
                            "protects each secret for itself",
                            auditor->id, defense->id);
  if (auditor->why_not != NULL)
    reason = auditor->why_not (component->settings->values, mechanism);
  return reason == NULL ? NULL
                        : g_strdup_printf ("attack '%s': %s, and defense '%s' does not",
                                           auditor->id, reason, defense->id);
}

/* The same of an external release, for an attacker who would run the defense. */
static char *
why_no_runs (const AssayComponent *defense, const AssayComponent *attack)
{
  const AssayExternal *external = assay_plugin_external (defense->plugin);

  if (!(attack->grants & ASSAY_GRANT_MECHANISM) || attack->own.pairs != NULL || external == NULL
      || external->verify == NULL)
    return NULL;
  return g_strdup_printf ("attack '%s' is to run the defense (grant 'mechanism'), but '%s' is an "
                          "external release; expected pairs = FOLDER in its place",
                          attack->plugin->id, defense->defense->id);
}

/* Who knows rows that are in the release has to know which items are of them. */
static char *
why_no_known_rows (const AssayComponent *defense, const AssayComponent *attack)
{
  const AssayReleaseKind kind
      = assay_defense_produces (defense->defense, defense->settings->values);
  const AssayExternal *external = assay_plugin_external (defense->plugin);

  if (attack->own.known == 0)
    return NULL;
  if (external != NULL && external->verify != NULL)
    return g_strdup_printf ("attack '%s' knows rows that are in the release (known_rows), but '%s' "
                            "is an external release; expected pairs = FOLDER",
                            attack->plugin->id, defense->defense->id);
  if (kind & assay_kinds_of_items (ASSAY_ITEM_OF_EACH_SECRET))
    return NULL;
  return g_strdup_printf ("attack '%s' knows rows that are in the release (known_rows), but of %s "
                          "nobody knows which item is of which row; expected a release with an "
                          "item for each",
                          attack->plugin->id, assay_release_kind_name (kind));
}

/* What is read may be what the defense does not let anybody see. */
static char *
why_no_array (const char *what, const AssayPlugin *plugin, const char *const *reads,
              const AssayComponent *defense_component)
{
  const AssayDefense *defense = defense_component->defense;
  const char *const *lacks
      = defense->lacks != NULL ? defense->lacks (defense_component->settings->values) : NULL;

  for (; reads != NULL && *reads != NULL; reads++)
    if (lacks != NULL && g_strv_contains (lacks, *reads))
      return g_strdup_printf ("%s '%s' reads '%s', which releases of defense '%s' do not hold with "
                              "these settings",
                              what, plugin->id, *reads, defense->id);
  return NULL;
}

static char *
why_no_gradient (const AssayComponent *defense_component, const AssayAttack *attack)
{
  const AssayDefense *defense = defense_component->defense;
  const char *instead = attack->reads_gradients && defense->no_gradients != NULL
                            ? defense->no_gradients (defense_component->settings->values)
                            : NULL;

  return instead == NULL
             ? NULL
             : g_strdup_printf ("attack '%s' reads gradient steps, and with defense '%s' users %s",
                                attack->id, defense->id, instead);
}

char *
assay_fit_why_not (const AssayComponent *defense_component, const AssayComponent *component)
{
  const AssayAttack *attack = assay_attack_of (component->plugin);
  char *reason;

  if (attack == NULL)
    return why_no_audit (component, defense_component);
  reason
      = why_not_kind ("attack", component->plugin,
                      assay_attack_reads (attack, component->settings->values), defense_component);
  if (reason == NULL)
    reason = why_no_array ("attack", component->plugin, attack->reads_arrays, defense_component);
  if (reason == NULL)
    reason = why_no_gradient (defense_component, attack);
  if (reason == NULL)
    reason = why_no_known_rows (defense_component, component);
  return reason != NULL ? reason : why_no_runs (defense_component, component);
}

char *
assay_fit_why_no_use (const AssayComponent *defense, const AssayComponent *component)
{
  char *reason = why_not_kind ("utility", component->plugin, component->utility->reads, defense);

  return reason != NULL ? reason
                        : why_no_array ("utility", component->plugin,
                                        component->utility->reads_arrays, defense);
}

guint
assay_fit_releases_offer (const AssayPlan *plan)
{
  ASSAY_FOR_EACH (const AssayComponent, component, plan->defenses) {
    if (assay_defense_produces (component->defense, component->settings->values)
        & assay_kinds_of_items (ASSAY_ITEMS_OF_SEVERAL_SECRETS))
      return ASSAY_GRANT_GROUPS;
  }
  return 0;
}

/* Who knows pairs of a folder needs no knowledge of the public rows. */
static guint
wanted_of (const AssayComponent *component)
{
  const AssayAttack *attack = component->attack;
  const guint wants = attack->wants != NULL ? attack->wants (component->settings->values) : 0;

  return component->own.pairs == NULL
             ? wants
             : wants & ~(guint) (ASSAY_HAS_PUBLIC_LABELS | ASSAY_HAS_PUBLIC_ATTRIBUTES);
}

gboolean
assay_fit_check_answer (const AssayPlan *plan, const AssayComponent *component,
                        const AssayProbe *probe, GError **error)
{
  const AssayAttack *attack = component->attack;
  const AssayGame game = assay_attack_plays (attack, component->settings->values);
  const guint mixtures = assay_kinds_of_items (ASSAY_ITEMS_OF_SEVERAL_SECRETS);
  const gboolean reads_mixtures
      = (attack->reads & ~mixtures) == 0
        || ((attack->reads & mixtures) && assay_fit_releases_offer (plan) != 0);
  const guint wants = wanted_of (component) & ~probe->holdings;
  g_autofree char *lacking = assay_holdings_describe (wants);

  if (game == ASSAY_GAME_MEMBER && assay_plan_shape (plan, probe).n_secrets >= probe->n_secrets)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "plays member, which asks for records that were not released, and all %zu "
                       "secrets of the dataset are; expected fewer secrets, or a larger dataset",
                       probe->n_secrets);
  if (wants != 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "attack '%s' needs what the dataset does not have: %s", attack->id, lacking);
  return game != ASSAY_GAME_LINK || reads_mixtures || (probe->holdings & ASSAY_HAS_COUNTERPARTS)
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "attack '%s' looks for the public row that is a record of a secret; "
                        "expected a dataset with further records of the secrets among the public "
                        "rows (records = yes)",
                        attack->id);
}

AssayOracle
assay_plan_oracle (const AssayPlan *plan, const AssayCell *cell)
{
  const AssayComponent *defense = assay_plan_defense (plan, cell);
  const AssayComponent *attack = assay_plan_attack (plan, cell);
  AssayOracle oracle = assay_oracle (
      defense->defense->mechanism, defense->settings->values, plan->probes[cell->dataset].cols,
      assay_plan_stream (plan, cell, "runs", NULL),
      assay_auditor_delta (attack->auditor, attack->settings->values));

  if (attack->auditor->most_runs != NULL)
    oracle.most_runs = attack->auditor->most_runs (attack->settings->values);
  return oracle;
}

gboolean
assay_fit_check_audit (const AssayPlan *plan, const AssayCell *cell, GError **error)
{
  const AssayComponent *defense = assay_plan_defense (plan, cell);
  const AssayComponent *component = assay_plan_attack (plan, cell);
  const AssayAuditor *auditor = component->auditor;
  const AssayOracle oracle = assay_plan_oracle (plan, cell);
  g_autofree char *delta = assay_text_number (oracle.delta);

  if (oracle.mechanism->canaries == NULL && !oracle.mechanism->has_own_inputs
      && oracle.n_inputs != oracle.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "defense '%s' protects secrets of %zu columns, but the dataset has %zu",
                       defense->label, oracle.n_inputs, oracle.cols);
  if (auditor->game == ASSAY_AUDIT_ONE_RUN) {
    const gsize available = oracle.mechanism->canaries->most (oracle.settings, oracle.cols);
    gsize canaries, guesses;

    auditor->one_run_sizes (component->settings->values, &canaries, &guesses);
    if (available == 0)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "needs canaries, and defense '%s' declares no records of which they could "
                         "be made; expected lower and upper, or a file of canaries",
                         defense->label);
    if (canaries > available)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "needs %zu canaries, but defense '%s' has room for %zu", canaries,
                         defense->label, available);
  }
  if (auditor->game == ASSAY_AUDIT_TWO_INPUTS && oracle.n_proposed == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "needs pairs of neighbouring inputs, and defense '%s' has none; expected "
                       "neighbours = a .npy file of pairs, or adjacency, of which pairs are made",
                       defense->label);
  if (oracle.delta == 0 || oracle.claimed.delta > 0)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_PARAMETER,
                     "delta = %s, but defense '%s' claims pure epsilon (delta = 0); expected delta "
                     "= claimed",
                     delta, defense->label);
}

/* ---- Metrics ---- */

/* The game whose guesses hold an array. */
static const struct {
  const char *array;
  AssayGame game;
} answers[] = {
  { "estimates", ASSAY_GAME_RECONSTRUCT },
  { "codes", ASSAY_GAME_RECONSTRUCT },
  { "weight-claims", ASSAY_GAME_RECONSTRUCT },
  { "support-scores", ASSAY_GAME_RECONSTRUCT },
  { "support-overlaps", ASSAY_GAME_RECONSTRUCT },
  { "photographs", ASSAY_GAME_RECONSTRUCT },
  { "candidates", ASSAY_GAME_LINK },
  { "scores", ASSAY_GAME_PAIR },
  { "class-scores", ASSAY_GAME_INFER },
  { "member-scores", ASSAY_GAME_MEMBER },
  { "cross-scores", ASSAY_GAME_CROSS },
  { "edge-scores", ASSAY_GAME_EDGE },
};

static gboolean
is_among (const AssayArraySpec *arrays, const char *name)
{
  for (; arrays != NULL && arrays->name != NULL; arrays++)
    if (g_str_equal (arrays->name, name))
      return TRUE;
  return FALSE;
}

static gboolean
is_written (const AssayPlan *plan, const char *array)
{
  gboolean is_own = FALSE;

  ASSAY_FOR_EACH (const AssayComponent, component, plan->attacks)
    if (component->attack->external != NULL || is_among (component->attack->writes, array))
      return TRUE;
  for (guint i = 0; assay_attacks[i] != NULL; i++)
    is_own = is_own || is_among (assay_attacks[i]->writes, array);
  return !is_own;
}

gboolean
assay_fit_is_answered (const AssayPlan *plan, const AssayMetric *metric)
{
  for (const char *const *reads = metric->reads_guess; reads != NULL && *reads != NULL; reads++)
    if (!is_written (plan, *reads))
      return FALSE;
  return TRUE;
}

gboolean
assay_fit_measures (const AssayMetric *metric, AssayGame game)
{
  for (const char *const *reads = metric->reads_guess; reads != NULL && *reads != NULL; reads++)
    for (gsize i = 0; i < G_N_ELEMENTS (answers); i++)
      if (g_str_equal (*reads, answers[i].array))
        return game == answers[i].game;
  return TRUE;
}
