/* Whom a verdict withstood. */
#include "runner/judge/earned/attackers.h"

#include "core/plugin/registry.h"
#include "runner/plan/claim.h"
#include "runner/plan/fit.h"
#include "runner/plan/selector.h"

/* The plan's cell of hypothesis @index. */
static const AssayCell *
cell_of (const AssayQuestion *question, const GArray *evidence, guint index)
{
  return assay_plan_cell (question->plan, g_array_index (evidence, AssayEvidence, index).first);
}

/* An auditor learns on runs of the very mechanism. */
static gboolean
adapts (const AssayComponent *component)
{
  const AssayAttack *attack = assay_attack_of (component->plugin);

  return attack == NULL || attack->adapts;
}

static const char *
game_of (const AssayComponent *component)
{
  static const char *const games[] = { [ASSAY_GAME_RECONSTRUCT] = "reconstruct",
                                       [ASSAY_GAME_LINK] = "link",
                                       [ASSAY_GAME_PAIR] = "pair",
                                       [ASSAY_GAME_INFER] = "infer",
                                       [ASSAY_GAME_MEMBER] = "member",
                                       [ASSAY_GAME_CROSS] = "cross",
                                       [ASSAY_GAME_EDGE] = "edge" };
  const AssayAuditor *auditor = assay_auditor_of (component->plugin);

  if (auditor != NULL)
    return auditor->game == ASSAY_AUDIT_ONE_RUN ? "one-run" : "distinguish";
  return games[assay_attack_plays (component->attack, component->settings->values)];
}

/* ---- In words ---- */

static char *
name_tried (const AssayResultComponent *attack)
{
  return *attack->knows != '\0' ? g_strdup_printf ("%s (knows %s)", attack->label, attack->knows)
                                : g_strdup (attack->label);
}

/* "tried in the game reconstruct: verbatim, nearest (knows public); none of them learns from runs
 * of the defense; not tried: clustering" */
static char *
describe (const AssayResultAttackers *attackers)
{
  GString *text = g_string_new ("tried ");
  const char *before = NULL;

  for (guint i = 0; i < attackers->tried->len; i++) {
    const char *game = attackers->games->pdata[i];
    g_autofree char *name = name_tried (attackers->tried->pdata[i]);

    if (before == NULL || !g_str_equal (before, game))
      g_string_append_printf (text, "%sin the game %s: ", i > 0 ? "; " : "", game);
    else
      g_string_append (text, ", ");
    g_string_append (text, name);
    before = game;
  }
  if (!attackers->is_adaptive)
    g_string_append (text, "; none of them learns from runs of the defense");
  for (guint i = 0; i < attackers->not_tried->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "; not tried: ",
                            (const char *) attackers->not_tried->pdata[i]);
  return g_string_free (text, FALSE);
}

/* ---- Not tried ---- */

static gboolean
is_in_plan (const AssayPlan *plan, const AssayPlugin *plugin)
{
  ASSAY_FOR_EACH (const AssayComponent, component, plan->attacks) {
    if (g_str_equal (component->plugin->id, plugin->id))
      return TRUE;
  }
  return FALSE;
}

/* The kinds of release that the claim is about, and the games of the attacks that it rests on, as a
 * set of bits. */
static void
list_subjects (const AssayQuestion *question, const GArray *evidence, guint *ret_kinds,
               guint *ret_games)
{
  *ret_kinds = *ret_games = 0;
  for (guint h = 0; h < evidence->len; h++) {
    const AssayCell *cell = cell_of (question, evidence, h);
    const AssayComponent *defense = assay_plan_defense (question->plan, cell);
    const AssayComponent *component = assay_plan_attack (question->plan, cell);
    const AssayAttack *attack = assay_attack_of (component->plugin);

    *ret_kinds |= assay_defense_produces (defense->defense, defense->settings->values);
    if (attack != NULL)
      *ret_games |= 1u << assay_attack_plays (attack, component->settings->values);
  }
}

/* "database (kept from lifting dimension=8 by its where)": an attack of the scenario that could
 * have been played where the claim is judged, and NULL if it was. */
static char *
describe_kept_away (const AssayQuestion *question, const GArray *evidence, guint attack)
{
  const AssayPlan *plan = question->plan;
  const AssayComponent *component = assay_plan_component (plan->attacks, attack);

  for (guint h = 0; component->where != NULL && h < evidence->len; h++) {
    AssayCell cell = *cell_of (question, evidence, h);
    const AssayComponent *defense = assay_plan_defense (plan, &cell);
    g_autofree char *why_not = NULL;

    cell.attack = attack;
    why_not = assay_fit_why_not (defense, component);
    if (why_not == NULL && assay_claim_is_played_for (plan, question->claim, &cell)
        && !assay_selector_selects_defense (plan, component->where, &cell))
      return g_strdup_printf ("%s (kept from %s by its where)", component->name, defense->name);
  }
  return NULL;
}

/* Attacks of the same games on the same kinds; programs of others are for their owners to name. */
static void
list_not_tried (const AssayQuestion *question, const GArray *evidence, GPtrArray *not_tried)
{
  guint kinds, games;

  list_subjects (question, evidence, &kinds, &games);
  for (guint i = 0; games != 0 && assay_attacks[i] != NULL; i++) {
    const AssayAttack *attack = assay_attacks[i];

    if (attack->external == NULL && (attack->reads & kinds) && (games & (1u << attack->game))
        && !is_in_plan (question->plan, &attack->plugin))
      g_ptr_array_add (not_tried, g_strdup (attack->id));
  }
  for (guint i = 0; i < question->plan->attacks->len; i++) {
    char *kept_away = describe_kept_away (question, evidence, i);

    if (kept_away != NULL)
      g_ptr_array_add (not_tried, kept_away);
  }
}

/* ---- Tried ---- */

static void
list_tried (const AssayQuestion *question, const GArray *evidence, AssayResultAttackers *attackers)
{
  for (guint h = 0; h < evidence->len; h++) {
    const AssayCell *cell = cell_of (question, evidence, h);
    const AssayResultComponent *attack
        = assay_result_component (question->results->attacks, cell->attack);

    if (!g_ptr_array_find (attackers->tried, attack, NULL)) {
      g_ptr_array_add (attackers->tried, (gpointer) attack);
      g_ptr_array_add (attackers->games,
                       (gpointer) game_of (assay_plan_attack (question->plan, cell)));
    }
    attackers->is_adaptive = attackers->is_adaptive
                             || adapts (assay_plan_attack (question->plan, cell));
  }
}

void
assay_attackers_find (const AssayQuestion *question, const GArray *evidence)
{
  AssayResultAttackers *attackers = &question->result->attackers;

  if (question->result->is_of_utility || !assay_claim_wants_little (question->result))
    return;
  attackers->tried = g_ptr_array_new ();
  attackers->games = g_ptr_array_new ();
  attackers->not_tried = g_ptr_array_new_with_free_func (g_free);
  list_tried (question, evidence, attackers);
  list_not_tried (question, evidence, attackers->not_tried);
  attackers->says = describe (attackers);
}

/* ---- Demanded ---- */

/* Whether one that adapts was played where @cell is. */
static gboolean
has_adaptive (const AssayQuestion *question, const GArray *evidence, const AssayCell *cell)
{
  for (guint h = 0; h < evidence->len; h++) {
    const AssayCell *own = cell_of (question, evidence, h);

    if (own->dataset == cell->dataset && own->defense == cell->defense
        && adapts (assay_plan_attack (question->plan, own)))
      return TRUE;
  }
  return FALSE;
}

void
assay_attackers_check (const AssayQuestion *question, const GArray *evidence, char **ret_lacks)
{
  *ret_lacks = NULL;
  if (!question->claim->wants_adaptive)
    return;
  for (guint h = 0; h < evidence->len && *ret_lacks == NULL; h++)
    if (!has_adaptive (question, evidence, cell_of (question, evidence, h)))
      *ret_lacks = g_strdup_printf (
          "the claim demands attackers = adaptive, and none that learns from runs of defense %s "
          "was played against it; expected one, with the grant mechanism",
          g_array_index (question->result->hypotheses, AssayResultHypothesis, h)
              .cell->defense->name);
}
