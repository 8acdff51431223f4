/* Whether a verdict of exit 0 has been earned. */
#include "runner/judge/earned/earned.h"

#include "runner/judge/describe.h"
#include "runner/judge/earned/asks-less.h"
#include "runner/judge/earned/attackers.h"
#include "runner/judge/earned/identified.h"
#include "runner/judge/earned/tried.h"
#include "runner/judge/power.h"
#include "runner/judge/reason.h"
#include "runner/plan/claim.h"
#include "runner/plan/selector.h"
#include "runner/store/seal.h"

/* ---- Cells beside those of the claim ---- */

typedef struct {
  gsize first; /* the plan's cell of trial 0 */
  const AssayCell *cell;
  const AssayResultCell *pooled;
} Other;

static gboolean
is_asked (const AssayQuestion *question, const AssayResultCell *pooled)
{
  const GArray *hypotheses = question->result->hypotheses;

  for (guint h = 0; h < hypotheses->len; h++)
    if (g_array_index (hypotheses, AssayResultHypothesis, h).cell == pooled)
      return TRUE;
  return FALSE;
}

/* The pooled cells that the claim leaves out, and of which its measure could be one. */
static GArray *
list_others (const AssayQuestion *question)
{
  const AssayPlan *plan = question->plan;
  GArray *others = g_array_new (FALSE, FALSE, sizeof (Other));
  guint pooled = 0;

  for (gsize i = 0; i < plan->cells->len; i++) {
    Other other = { .first = i, .cell = assay_plan_cell (plan, i) };

    if (other.cell->trial != 0)
      continue;
    other.pooled = question->results->pooled->pdata[pooled++];
    if (other.cell->utility == ASSAY_NO_COMPONENT && !is_asked (question, other.pooled)
        && assay_claim_is_played_for (plan, question->claim, other.cell))
      g_array_append_val (others, other);
  }
  return others;
}

/* The p-value of "the bound holds in this cell"; 1 where nothing of it can be judged. */
static gboolean
test_other (const AssayQuestion *question, const Other *other,
            AssayResultHypothesis *ret_hypothesis, GError **error)
{
  AssayEvidence evidence;

  if (!assay_hypothesis_test (question, other->pooled, other->first, ret_hypothesis, &evidence,
                              error))
    return FALSE;
  assay_evidence_clear (&evidence);
  g_clear_pointer (&ret_hypothesis->why_not, g_free);
  return TRUE;
}

/* ---- Attacks that are left out ---- */

static guint
count_attacks (const AssayQuestion *question, const GArray *left_out)
{
  const GArray *hypotheses = question->result->hypotheses;
  g_autoptr (GHashTable) attacks = g_hash_table_new (NULL, NULL);

  for (guint h = 0; h < hypotheses->len; h++)
    g_hash_table_add (
        attacks,
        GUINT_TO_POINTER (
            g_array_index (hypotheses, AssayResultHypothesis, h).cell->attack_or_utility->index));
  for (guint i = 0; i < (left_out != NULL ? left_out->len : 0); i++)
    g_hash_table_add (attacks, GUINT_TO_POINTER (g_array_index (left_out, Other, i).cell->attack));
  return g_hash_table_size (attacks);
}

/* Those of the cells that are about the same data and defenses. */
static GArray *
list_left_out (const AssayQuestion *question)
{
  GArray *others = list_others (question);

  for (guint i = 0; i < others->len;)
    if (assay_selector_selects_defense (question->plan, question->claim->selector,
                                        g_array_index (others, Other, i).cell))
      i++;
    else
      g_array_remove_index (others, i);
  return others;
}

static gboolean
check_left_out (const AssayQuestion *question, char **ret_lacks, GError **error)
{
  g_autoptr (GArray) others = list_left_out (question);
  const double alpha = 1 - question->claim->confidence;

  for (guint i = 0; i < others->len && *ret_lacks == NULL; i++) {
    AssayResultHypothesis hypothesis;

    if (!test_other (question, &g_array_index (others, Other, i), &hypothesis, error))
      return FALSE;
    if (hypothesis.p_violated * others->len < alpha)
      *ret_lacks
          = assay_reason_left_out (question->result, &hypothesis, count_attacks (question, NULL),
                                   count_attacks (question, others));
  }
  return TRUE;
}

/* ---- Settings that are left out ---- */

static gboolean
is_asked_of (const AssayQuestion *question, guint defense)
{
  const GArray *hypotheses = question->result->hypotheses;

  for (guint h = 0; h < hypotheses->len; h++)
    if (g_array_index (hypotheses, AssayResultHypothesis, h).cell->defense->index == defense)
      return TRUE;
  return FALSE;
}

/* The same of the dataset, as far as the measure is one of what is played on it. */
static void
describe_datasets (const AssayQuestion *question, GString *inout_text)
{
  g_autoptr (GArray) others = list_others (question);
  g_autoptr (GHashTable) asked = g_hash_table_new (NULL, NULL), all = g_hash_table_new (NULL, NULL);
  const GArray *hypotheses = question->result->hypotheses;

  for (guint h = 0; h < hypotheses->len; h++) {
    const guint index
        = g_array_index (hypotheses, AssayResultHypothesis, h).cell->dataset->index;

    g_hash_table_add (asked, GUINT_TO_POINTER (index));
    g_hash_table_add (all, GUINT_TO_POINTER (index));
  }
  for (guint i = 0; i < others->len; i++)
    g_hash_table_add (all, GUINT_TO_POINTER (g_array_index (others, Other, i).cell->dataset));
  if (g_hash_table_size (asked) < g_hash_table_size (all))
    assay_reason_settings (inout_text, "the dataset", g_hash_table_size (asked),
                           g_hash_table_size (all));
}

/* "; it names 2 of 3 settings of defense lifting", of each group that the scenario sweeps and
 * of which the claim names a part. That others break the bound is no fault: they are its
 * references. */
static char *
describe_settings (const AssayQuestion *question)
{
  const GPtrArray *defenses = question->plan->defenses;
  GString *text = g_string_new ("");

  for (guint first = 0, end; first < defenses->len; first = end) {
    const char *label = assay_plan_component (defenses, first)->label;
    guint n_asked = 0;

    for (end = first;
         end < defenses->len && g_str_equal (assay_plan_component (defenses, end)->label, label);
         end++)
      n_asked += is_asked_of (question, end);
    if (n_asked > 0 && n_asked < end - first) {
      g_autofree char *defense = g_strconcat ("defense ", label, NULL);

      assay_reason_settings (text, defense, n_asked, end - first);
    }
  }
  describe_datasets (question, text);
  return g_string_free (text, FALSE);
}

char *
assay_earned_note (const AssayQuestion *question)
{
  const char *changed = question->results->has_changed_claims
                            ? "; the claims were changed after cells had run, which was accepted"
                            : "";
  g_autofree char *asked = NULL, *settings = NULL, *identified = NULL;

  if (!question->result->is_of_utility && assay_claim_wants_little (question->result)) {
    g_autoptr (GArray) others = list_left_out (question);
    const guint n_asked = count_attacks (question, NULL), n_all = count_attacks (question, others);

    if (n_asked < n_all)
      asked = assay_reason_asked (n_asked, n_all);
    settings = describe_settings (question);
    identified = assay_identified_note (question->result);
  }
  return g_strconcat (changed, asked != NULL ? asked : "", settings, identified, NULL);
}

/* ---- What a claim rests on ---- */

/* Whether the attack of @cell breaks the bound on the same data where less is protected. */
static gboolean
wins_somewhere (const AssayQuestion *question, const GArray *others, const AssayCell *cell,
                gboolean *ret_wins, GError **error)
{
  const double alpha = 1 - question->claim->confidence;

  *ret_wins = FALSE;
  for (guint i = 0; i < others->len && !*ret_wins; i++) {
    const Other *other = &g_array_index (others, Other, i);
    AssayResultHypothesis hypothesis;

    if (other->cell->dataset != cell->dataset || other->cell->attack != cell->attack)
      continue;
    if (!test_other (question, other, &hypothesis, error))
      return FALSE;
    *ret_wins = hypothesis.p_violated < alpha;
  }
  return TRUE;
}

/* What the cells of one defense on one dataset show together. */
typedef struct {
  gboolean is_supported;
  const AssayResultHypothesis *lacks_reference; /* an attack that is more than generic */
  const AssayResultHypothesis *lacks_starts;    /* that wins elsewhere, but may have failed here */
  const AssayResultHypothesis *suspect;         /* on a scale that cannot be right */
  const AssayResultHypothesis *lacks_effort;    /* that was asked for less than it can ... */
  char *asks_less;                              /* ... by this */
  const AssayResultHypothesis *generic;
} Support;

ASSAY_LOCAL_CLEAR (Support, support_clear, g_free (self->asks_less))

/* That the attack's own dice did not decide: it was played often enough, and believes in what it
 * found. */
static gboolean
is_sure (const AssayResultCell *cell)
{
  return (cell->n_starts == 0 || cell->n_starts >= ASSAY_ENOUGH_STARTS)
         && !(cell->confidence < ASSAY_SURE);
}

static const AssayCell *
cell_of (const AssayQuestion *question, const GArray *evidence, guint index)
{
  return assay_plan_cell (question->plan, g_array_index (evidence, AssayEvidence, index).first);
}

/* What keeps the attack of hypothesis @index from all that it can; NULL: nothing. */
static char *
asks_less (const AssayQuestion *question, const GArray *evidence, guint index)
{
  const AssayCell *cell = cell_of (question, evidence, index);
  const AssayResultHypothesis *hypothesis
      = &g_array_index (question->result->hypotheses, AssayResultHypothesis, index);

  return assay_asks_less (question->plan, cell,
                          assay_results_settings (question->plan, cell,
                                                  hypothesis->cell->attack_or_utility));
}

/* Notes that it is, if so. */
static gboolean
lacks_effort (const AssayQuestion *question, const GArray *evidence, guint index,
              Support *inout_support)
{
  char *why = asks_less (question, evidence, index);

  if (why == NULL)
    return FALSE;
  g_free (inout_support->asks_less);
  inout_support->asks_less = why;
  inout_support->lacks_effort
      = &g_array_index (question->result->hypotheses, AssayResultHypothesis, index);
  return TRUE;
}

/* Of the defense and dataset of @cell. One attack that could have won is enough: others do no harm,
 * so that nobody is better off without them. */
static gboolean
find_support (const AssayQuestion *question, const GArray *evidence, const GArray *others,
              const AssayCell *cell, Support *ret_support, GError **error)
{
  const AssayPlan *plan = question->plan;

  for (guint h = 0; h < evidence->len && !ret_support->is_supported; h++) {
    const AssayResultHypothesis *hypothesis
        = &g_array_index (question->result->hypotheses, AssayResultHypothesis, h);
    const AssayCell *own = cell_of (question, evidence, h);

    if (own->dataset != cell->dataset || own->defense != cell->defense)
      continue;
    if (hypothesis->cell->suspect != NULL) {
      ret_support->suspect = hypothesis;
      continue;
    }
    if (assay_plan_component (plan->attacks, own->attack)->attack->is_generic) {
      ret_support->generic = hypothesis;
      continue;
    }
    if (lacks_effort (question, evidence, h, ret_support))
      continue;
    if (!wins_somewhere (question, others, own, &ret_support->is_supported, error))
      return FALSE;
    if (!ret_support->is_supported)
      ret_support->lacks_reference = hypothesis;
    else if (!is_sure (hypothesis->cell)) {
      ret_support->is_supported = FALSE;
      ret_support->lacks_starts = hypothesis;
    }
  }
  return TRUE;
}

static gboolean
check_support (const AssayQuestion *question, const GArray *evidence, char **ret_lacks,
               GError **error)
{
  g_autoptr (GArray) others = list_others (question);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  for (guint h = 0; h < evidence->len && *ret_lacks == NULL; h++) {
    const AssayCell *cell = cell_of (question, evidence, h);
    const gint64 key = (gint64) cell->dataset << 32 | cell->defense;
    g_auto (Support) support = { 0 };

    if (!g_hash_table_add (known, g_memdup2 (&key, sizeof key)))
      continue;
    if (!find_support (question, evidence, others, cell, &support, error))
      return FALSE;
    if (support.is_supported)
      continue;
    *ret_lacks = support.suspect != NULL ? assay_reason_suspect (question->result, support.suspect)
                 : support.lacks_starts != NULL
                     ? assay_reason_no_starts (question->result, support.lacks_starts)
                 : support.lacks_reference != NULL
                     ? assay_reason_no_reference (question->result, support.lacks_reference)
                 : support.lacks_effort != NULL
                     ? assay_reason_asks_less (question->result, support.lacks_effort,
                                               support.asks_less)
                     : assay_reason_generic (support.generic);
  }
  return TRUE;
}

/* ---- Power ---- */

static gboolean
check_power (const AssayQuestion *question, const GArray *evidence, guint n_hypotheses,
             char **ret_lacks, GError **error)
{
  const double alpha = (1 - question->claim->confidence) / n_hypotheses;

  for (guint h = 0; h < evidence->len && *ret_lacks == NULL; h++) {
    const AssayResultHypothesis *hypothesis
        = &g_array_index (question->result->hypotheses, AssayResultHypothesis, h);
    double runs;

    if (hypothesis->power >= ASSAY_WANTED_POWER)
      continue;
    runs = assay_power_runs_needed (question, hypothesis,
                                    &g_array_index (evidence, AssayEvidence, h), alpha,
                                    ASSAY_WANTED_POWER, error);
    if (runs < 0)
      return FALSE;
    question->result->decisive = (gint) h;
    *ret_lacks = assay_reason_no_power (question->result, hypothesis, ASSAY_WANTED_POWER, runs);
  }
  return TRUE;
}

/* Whether the mechanism of hypothesis @index is audited by the same plugin with nothing left out.
 */
static gboolean
is_asked_for_all (const AssayQuestion *question, const GArray *evidence, guint index)
{
  const AssayPlan *plan = question->plan;
  const AssayCell *cell = cell_of (question, evidence, index);

  for (guint h = 0; h < evidence->len; h++) {
    const AssayCell *other = cell_of (question, evidence, h);
    g_autofree char *why = NULL;

    if (other->dataset != cell->dataset || other->defense != cell->defense
        || assay_plan_attack (plan, other)->plugin != assay_plan_attack (plan, cell)->plugin)
      continue;
    why = asks_less (question, evidence, h);
    if (why == NULL)
      return TRUE;
  }
  return FALSE;
}

static void
check_effort (const AssayQuestion *question, const GArray *evidence, char **ret_lacks)
{
  for (guint h = 0; h < evidence->len && *ret_lacks == NULL; h++) {
    g_autofree char *why = NULL;

    if (is_asked_for_all (question, evidence, h))
      continue;
    why = asks_less (question, evidence, h);
    *ret_lacks = assay_reason_asks_less (
        question->result, &g_array_index (question->result->hypotheses, AssayResultHypothesis, h),
        why);
    question->result->decisive = (gint) h;
  }
}

/* ---- Independent units ---- */

/* That so many secrets could stand for as many: not where they lie in clusters that their labels do
 * not know. Copies are joined, and cost the claim its certainty only; but units that are not the
 * secrets cannot be joined with them. */
static char *
check_units (const AssayQuestion *question)
{
  const gboolean is_of_utility = question->result->is_of_utility;
  const GArray *hypotheses = question->result->hypotheses;
  const AssayMeasuring *measuring
      = is_of_utility ? &question->claim->utility->measuring
                      : assay_plan_component (question->plan->metrics, question->claim->metric)
                            ->measuring;

  for (guint h = 0; h < hypotheses->len; h++) {
    const AssayResultCell *cell = g_array_index (hypotheses, AssayResultHypothesis, h).cell;
    const AssayResultUnits *units = assay_result_units (question->results, cell->dataset);

    if (units == NULL || (is_of_utility && measuring->has_own_units))
      continue;
    if (units->clusters > 0)
      return assay_reason_contradicted (units, FALSE);
    if (measuring->has_own_units && 3 * units->units <= 2 * units->labelled)
      return assay_reason_contradicted (units, TRUE);
  }
  return NULL;
}

/* ---- Pairs ---- */

static gboolean
check_pairs (const AssayQuestion *question, const GArray *evidence, char **ret_lacks,
             GError **error)
{
  for (guint h = 0; h < evidence->len && *ret_lacks == NULL; h++) {
    const AssayResultHypothesis *hypothesis
        = &g_array_index (question->result->hypotheses, AssayResultHypothesis, h);

    if (!assay_tried_check (question, hypothesis, g_array_index (evidence, AssayEvidence, h).first,
                            ret_lacks, error))
      return FALSE;
    if (*ret_lacks != NULL)
      question->result->decisive = (gint) h;
  }
  return TRUE;
}

/* ---- All of it ---- */

gboolean
assay_earned_check (const AssayQuestion *question, const GArray *evidence, guint n_hypotheses,
                    char **ret_lacks, GError **error)
{
  AssaySeal seal;

  *ret_lacks = NULL;
  if (!assay_seal_read (question->store, question->plan, &seal, NULL, error))
    return FALSE;
  if (seal == ASSAY_SEAL_BROKEN) {
    *ret_lacks = assay_reason_changed_claims ();
    return TRUE;
  }
  *ret_lacks = question->result->measure->is_epsilon ? NULL : check_units (question);
  if (*ret_lacks != NULL || question->result->is_of_utility
      || !assay_claim_wants_little (question->result))
    return TRUE;
  assay_attackers_check (question, evidence, ret_lacks);
  if (*ret_lacks == NULL && !check_left_out (question, ret_lacks, error))
    return FALSE;
  if (question->result->measure->is_epsilon && *ret_lacks == NULL)
    check_effort (question, evidence, ret_lacks);
  if (question->result->measure->is_epsilon)
    return *ret_lacks != NULL
           || (check_power (question, evidence, n_hypotheses, ret_lacks, error)
               && check_pairs (question, evidence, ret_lacks, error));
  return *ret_lacks != NULL || check_support (question, evidence, ret_lacks, error);
}
