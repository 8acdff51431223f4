/* Claims that could not end in exit code 0, whatever a run shows.
 *
 * Whether a claim can be decided at all is known before anything runs. With m hypotheses in the
 * scenario, Holm's correction asks of the smallest p-value alpha = (1 - confidence) / m, which too
 * few units cannot reach (lint-numbers.c; docs/statistics.md, "Claims"). Of epsilon it is the
 * ceiling that decides: the most that so many runs can certify.
 *
 * What a verdict must have earned besides is partly known before, too: whether an attack is played
 * that knows the defense, and one on which it could be seen to win; the power of an audit of a
 * known density (runner/judge/earned/earned.h). */
#include <math.h>

#include "cli/check/lint-numbers.h"

#include "core/stats/epsilon.h"
#include "runner/judge/earned/asks-less.h"
#include "runner/judge/earned/earned.h"
#include "runner/plan/claim.h"
#include "runner/plan/fit.h"

/* Pooled cells that a claim is about; of a tuned attack those that it may turn out to be about. */
static gboolean
is_about (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell)
{
  return cell->trial == 0 && assay_claim_may_select (plan, claim, cell);
}

static guint
count_hypotheses (const AssayPlan *plan)
{
  guint count = 0;

  for (guint c = 0; c < plan->claims->len; c++)
    for (gsize i = 0; i < plan->cells->len; i++)
      count += is_about (plan, plan->claims->pdata[c], assay_plan_cell (plan, i));
  return MAX (count, 1);
}

/* The setting @name as a number; 0: there is none. */
static gint64
whole_setting (const AssaySettings *settings, const char *name)
{
  const AssayParam *param = assay_param_find (settings->table, name);

  return param != NULL && param->type == ASSAY_PARAM_TYPE_INT
             ? *(const gint64 *) ((const char *) settings->values + param->offset)
             : 0;
}

/* Of an audit of one run in which every guess is right. */
static AssayAudit
one_run_audit (const AssayPlan *plan, const AssayComponent *component)
{
  AssayAudit audit = { .kind = ASSAY_AUDIT_ONE_RUN };
  gsize canaries, guesses;

  component->auditor->one_run_sizes (component->settings->values, &canaries, &guesses);
  audit.mistakes = plan->trials * canaries;
  audit.runs = audit.hits = plan->trials * (guesses > 0 ? guesses : canaries);
  return audit;
}

static void
check_epsilon (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
               const AssayCell *cell, double alpha)
{
  const AssayComponent *component = assay_plan_component (plan->attacks, cell->attack);
  const AssayAuditor *auditor = component->auditor;
  const AssayOracle oracle = assay_plan_oracle (plan, cell);
  AssayAudit audit = { .kind = ASSAY_AUDIT_TWO_INPUTS, .delta = oracle.delta };
  const double bound = assay_claim_bound (plan, claim, cell);
  double ceiling;

  if (auditor->game == ASSAY_AUDIT_ONE_RUN) {
    audit = one_run_audit (plan, component);
    audit.delta = oracle.delta;
  } else
    audit.runs = audit.hits = plan->trials * (guint64) whole_setting (component->settings, "runs");
  if (audit.runs == 0)
    return;
  ceiling = assay_epsilon_ceiling (&audit, alpha);
  if (ceiling <= bound)
    assay_doubt (
        doubts,
        "[claim %s] cannot be refuted by attack %s against %s: %" G_GUINT64_FORMAT " %s certify an "
        "epsilon of %.3g at most, and the bound is %.3g; expected more of them",
        claim->id, component->label, assay_plan_component (plan->defenses, cell->defense)->name,
        audit.runs, audit.kind == ASSAY_AUDIT_ONE_RUN ? "guesses" : "runs", ceiling, bound);
}

/* Of a game with two inputs, whether all pairs that there are will be tried. */
static void
check_candidates (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
                  const AssayCell *cell, G_GNUC_UNUSED double alpha)
{
  const AssayComponent *component = assay_plan_attack (plan, cell);
  const AssayOracle oracle = assay_plan_oracle (plan, cell);
  const gint64 candidates = whole_setting (component->settings, "candidates");

  if (component->auditor->game == ASSAY_AUDIT_TWO_INPUTS && candidates > 0
      && candidates < oracle.n_proposed)
    assay_doubt (doubts,
                 "[claim %s] cannot be unrefuted: attack %s tries %" G_GINT64_FORMAT " of %u pairs "
                 "of inputs against %s; expected candidates = 0, which tries all",
                 claim->id, component->label, candidates, oracle.n_proposed,
                 assay_plan_defense (plan, cell)->name);
}

/* Where the tight event is known, so is the power; elsewhere the run measures it, and no event at
 * all can have more than the most that an epsilon allows. */
static void
check_power (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
             const AssayCell *cell, double alpha)
{
  const AssayComponent *component = assay_plan_attack (plan, cell);
  const AssayOracle oracle = assay_plan_oracle (plan, cell);
  const guint64 runs = plan->trials * (guint64) whole_setting (component->settings, "runs");
  const double bound = assay_claim_bound (plan, claim, cell);
  const double must_see = assay_claim_must_see (claim, bound);
  const gboolean is_tight = assay_oracle_has_tight_event (&oracle);
  double first, second, power;

  if (runs == 0)
    return;
  if (is_tight) {
    oracle.mechanism->tight_event (oracle.settings, oracle.cols, must_see, &first, &second);
    power = assay_epsilon_power (runs, first, second, oracle.delta, bound, alpha);
  } else {
    power = assay_epsilon_most_power (runs, must_see, oracle.delta, bound, alpha);
  }
  if (power < ASSAY_WANTED_POWER)
    assay_doubt (doubts,
                 "[claim %s] cannot be unrefuted: %" G_GUINT64_FORMAT " runs of attack %s against "
                 "%s see an epsilon of %.4g with probability %.3g%s, and %.3g is asked for; "
                 "expected more of them",
                 claim->id, runs, component->label, assay_plan_defense (plan, cell)->name, must_see,
                 power, is_tight ? "" : " at most", ASSAY_WANTED_POWER);
}

/* Of one run the best guesser's chances are known. */
static void
check_guesses (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
               const AssayCell *cell, double alpha)
{
  const AssayComponent *component = assay_plan_attack (plan, cell);
  const double bound = assay_claim_bound (plan, claim, cell);
  const double must_see = assay_claim_must_see (claim, bound);
  AssayAudit audit;
  double power;

  if (component->auditor->game != ASSAY_AUDIT_ONE_RUN)
    return;
  audit = one_run_audit (plan, component);
  audit.delta = assay_plan_oracle (plan, cell).delta;
  power = assay_epsilon_one_run_power (&audit, 1 / (1 + exp (-must_see)), bound, alpha);
  if (power < ASSAY_WANTED_POWER)
    assay_doubt (doubts,
                 "[claim %s] cannot be unrefuted: %" G_GUINT64_FORMAT " guesses of attack %s "
                 "against %s see an epsilon of %.4g with probability %.3g at most, and %.3g is "
                 "asked for; expected more of them",
                 claim->id, audit.runs, component->label, assay_plan_defense (plan, cell)->name,
                 must_see, power, ASSAY_WANTED_POWER);
}

/* Whether the attack of @cell is played on the same data against a defense that the claim leaves
 * out, on which it may be seen to break the bound. */
static gboolean
has_reference (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell)
{
  ASSAY_FOR_EACH_IN (const AssayCell, other, plan->cells) {
    if (other->trial == 0 && other->dataset == cell->dataset && other->attack == cell->attack
        && other->utility == ASSAY_NO_COMPONENT && !is_about (plan, claim, other))
      return TRUE;
  }
  return FALSE;
}

static gboolean
draws (const AssayPlan *plan, const AssayCell *cell)
{
  const AssayComponent *component = assay_plan_attack (plan, cell);

  return assay_attack_draws (component->attack, component->settings->values);
}

/* Whether against the defense of @cell an attack is played that knows more than generic ones; and
 * whether one of these has a reference, and whether one is played with enough starts. */
static void
find_support (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell,
              gboolean *ret_has_attack, gboolean *ret_has_reference, gboolean *ret_has_starts)
{
  *ret_has_attack = *ret_has_reference = *ret_has_starts = FALSE;
  ASSAY_FOR_EACH_IN (const AssayCell, other, plan->cells) {
    if (!is_about (plan, claim, other) || other->dataset != cell->dataset
        || other->defense != cell->defense || assay_plan_attack (plan, other)->attack->is_generic)
      continue;
    *ret_has_attack = TRUE;
    *ret_has_starts |= plan->starts >= ASSAY_ENOUGH_STARTS || !draws (plan, other);
    *ret_has_reference |= has_reference (plan, claim, other);
  }
}

/* A claim that little is recovered, which nothing could earn (runner/judge/earned/earned.h): that
 * its attacks would recover as little whatever the defense did is said to everybody, the rest to
 * auditors. */
static void
check_support (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
               const AssayCell *cell, gboolean is_auditor)
{
  gboolean has_attack, has_some_reference, has_starts;

  if (claim->utility != NULL || claim->is_at_most != claim->measure->higher_is_worse)
    return;
  find_support (plan, claim, cell, &has_attack, &has_some_reference, &has_starts);
  if (!has_attack)
    assay_doubt (doubts,
                 "[claim %s] is tested against %s by attacks alone that take what is released for "
                 "the secret, or for something near it, and cannot be upheld; expected one that "
                 "knows the defense, or learns it (learned-inversion with the grant mechanism)",
                 claim->id, assay_plan_defense (plan, cell)->name);
  else if (!is_auditor)
    return;
  else if (!has_some_reference)
    assay_doubt (doubts,
                 "[claim %s] cannot be upheld: it is about all defenses that the attacks on %s are "
                 "played against; expected one that protects less and that the claim leaves out, "
                 "on which they can be seen to break the bound",
                 claim->id, assay_plan_defense (plan, cell)->name);
  else if (!has_starts)
    assay_doubt (doubts,
                 "[claim %s] cannot be upheld: the attacks against %s that it could rest on draw "
                 "numbers and are played with %u start%s; expected 'starts = %d' or more in "
                 "[scenario]",
                 claim->id, assay_plan_defense (plan, cell)->name, plan->starts,
                 plan->starts == 1 ? "" : "s", ASSAY_ENOUGH_STARTS);
}

/* An attack that learns from runs of the defense of @cell. */
static gboolean
has_adaptive (const AssayPlan *plan, const AssayClaim *claim, const AssayCell *cell)
{
  ASSAY_FOR_EACH_IN (const AssayCell, other, plan->cells) {
    const AssayAttack *attack;

    if (!is_about (plan, claim, other) || other->dataset != cell->dataset
        || other->defense != cell->defense)
      continue;
    attack = assay_attack_of (assay_plan_attack (plan, other)->plugin);
    if (attack == NULL || attack->adapts)
      return TRUE;
  }
  return FALSE;
}

static void
check_adaptive (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
                const AssayCell *cell)
{
  if (claim->wants_adaptive && !has_adaptive (plan, claim, cell))
    assay_doubt (doubts,
                 "[claim %s] demands attackers = adaptive, and no attack against %s learns from "
                 "runs of it; expected learned-inversion or another with the grant mechanism",
                 claim->id, assay_plan_defense (plan, cell)->name);
}

/* Whether the claim would be upheld, or unrefuted, by how little is found. */
static gboolean
wants_little (const AssayClaim *claim)
{
  return claim->utility == NULL && claim->is_at_most == claim->measure->higher_is_worse;
}

/* Attacks against the defense of @cell of which none is asked for all that it can. */
static void
check_effort (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
              const AssayCell *cell)
{
  g_autofree char *first = NULL;

  for (gsize i = 0; wants_little (claim) && i < plan->cells->len; i++) {
    const AssayCell *other = assay_plan_cell (plan, i);
    const AssayComponent *component;
    const AssayAttack *attack;
    g_autofree char *why = NULL;

    if (!is_about (plan, claim, other) || other->dataset != cell->dataset
        || other->defense != cell->defense)
      continue;
    component = assay_plan_attack (plan, other);
    attack = assay_attack_of (component->plugin);
    if (attack != NULL && attack->is_generic)
      continue;
    why = assay_asks_less (plan, other, component->settings);
    if (why == NULL)
      return;
    if (first == NULL)
      first = g_strdup_printf ("attack %s has %s", component->label, why);
  }
  if (first != NULL)
    assay_doubt (doubts,
                 "[claim %s] cannot be %s: every attack against %s that it could rest on is asked "
                 "for less than it can: %s",
                 claim->id,
                 claim->measure->statistic == ASSAY_STATISTIC_EPSILON ? "unrefuted" : "upheld",
                 assay_plan_defense (plan, cell)->name, first);
}

/* An audit of epsilon: the most that it can certify, and for auditors what it must be able to
 * see. */
static void
check_audit (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
             const AssayCell *cell, double alpha, gboolean is_auditor)
{
  static void (*const checks[]) (GPtrArray *, const AssayPlan *, const AssayClaim *,
                                 const AssayCell *, double)
      = { check_epsilon, check_candidates, check_power, check_guesses };
  const guint before = doubts->len, n = is_auditor ? G_N_ELEMENTS (checks) : 1;

  for (guint i = 0; i < n && doubts->len == before; i++)
    checks[i](doubts, plan, claim, cell, alpha);
}

/* One doubt a claim: the first cell that gives one. */
static void
check_claim (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim, guint n_hypotheses,
             gboolean is_auditor)
{
  const gboolean is_audit = claim->measure->statistic == ASSAY_STATISTIC_EPSILON;
  const double alpha = (1 - claim->confidence) / n_hypotheses;
  const guint before = doubts->len;

  for (gsize i = 0; i < plan->cells->len && doubts->len == before; i++) {
    const AssayCell *cell = assay_plan_cell (plan, i);

    if (!is_about (plan, claim, cell))
      continue;
    if (is_audit)
      check_audit (doubts, plan, claim, cell, alpha, is_auditor);
    else
      assay_lint_numbers (doubts, plan, claim, cell, alpha);
    if (doubts->len == before)
      check_adaptive (doubts, plan, claim, cell);
    if (doubts->len == before && !is_audit)
      check_support (doubts, plan, claim, cell, is_auditor);
    if (doubts->len == before && is_auditor)
      check_effort (doubts, plan, claim, cell);
  }
}

/* Claims about utilities alone, or that attacks find much, pass whatever is protected. */
static gboolean
has_one_of_privacy (const AssayPlan *plan)
{
  ASSAY_FOR_EACH (const AssayClaim, claim, plan->claims)
    if (wants_little (claim))
      return TRUE;
  return FALSE;
}

GPtrArray *
assay_lint_claims (const AssayPlan *plan, gboolean is_auditor)
{
  GPtrArray *doubts = g_ptr_array_new_with_free_func (g_free);
  const guint n_hypotheses = count_hypotheses (plan);

  if (plan->claims->len == 0)
    assay_doubt (doubts, "there is no [claim NAME]: the run will measure, and judge nothing");
  else if (is_auditor && !has_one_of_privacy (plan))
    assay_doubt (doubts, "no [claim NAME] says that little is found: what is protected is not "
                         "judged");
  for (guint c = 0; c < plan->claims->len; c++)
    check_claim (doubts, plan, plan->claims->pdata[c], n_hypotheses, is_auditor);
  return doubts;
}
