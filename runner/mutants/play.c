/* The audit of the audit. */
#include "runner/mutants/play.h"

#include "core/base/each.h"
#include "core/base/shared-work.h"
#include "runner/judge/load.h"
#include "runner/store/records.h"
#include "runner/store/rows.h"
#include "runner/store/seal.h"

typedef struct {
  const AssayPlan *plan;
  const AssayRunCallbacks *callbacks;
  guint64 data_owner; /* of the datasets, which all workspaces share */
  AssayStore *store;  /* of the scenario as it is */
  GPtrArray *rows;    /* GBytes of each cell */
  AssayResults *results;
  GArray *which[ASSAY_N_MUTANT_FAMILIES]; /* gboolean of each defense */
  AssayResultMutants *found;
  const AssayUnfinishedMutants *unfinished;
  AssayResultMutants *before; /* of a play that did not end, or NULL */
  AssayProgress progress;
} Play;

static void
play_clear (Play *play)
{
  g_clear_pointer (&play->results, assay_results_free);
  g_clear_pointer (&play->store, assay_store_close);
  g_clear_pointer (&play->rows, g_ptr_array_unref);
  for (guint f = 0; f < ASSAY_N_MUTANT_FAMILIES; f++)
    g_clear_pointer (&play->which[f], g_array_unref);
  g_clear_pointer (&play->found, assay_result_mutants_free);
  g_clear_pointer (&play->before, assay_result_mutants_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Play, play_clear)

/* ---- The cells ---- */

static AssayWorkspace *
new_workspace (const Play *play, const AssayPlan *plan)
{
  AssayWorkspace *workspace = assay_workspace_new (plan);

  assay_workspace_share_data (workspace, play->data_owner);
  return workspace;
}

static gboolean
is_cancelled (gpointer data)
{
  return assay_run_is_cancelled (((const Play *) data)->callbacks);
}

/* One more cell is done of all that are played. */
static gboolean
count_cell (Play *play, const char *doing, GError **error)
{
  play->progress.done++;
  play->progress.doing = doing;
  assay_run_report (play->callbacks, &play->progress);
  return !is_cancelled (play) || assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
}

/* What a cell is about, and how far it is; cells are counted here. */
static void
tell_part (const AssayProgress *of_cell, gpointer data)
{
  const Play *play = data;
  AssayProgress progress = play->progress;

  if (of_cell->part == NULL)
    return;
  progress.doing = of_cell->doing;
  progress.part = of_cell->part;
  assay_run_report (play->callbacks, &progress);
}

static AssayRunCallbacks
callbacks_of (Play *play)
{
  return (AssayRunCallbacks){ .is_cancelled = is_cancelled,
                              .progress = tell_part,
                              .data = play,
                              .part_us = play->callbacks != NULL ? play->callbacks->part_us : 0 };
}

/* Plays the scenario as it is, and keeps what each cell found by itself. */
static gboolean
play_base (Play *play, GError **error)
{
  const AssayRunCallbacks callbacks = callbacks_of (play);
  g_autoptr (AssayWorkspace) workspace = new_workspace (play, play->plan);
  g_autoptr (AssayStore) store = assay_store_new_in_memory (error);
  g_autoptr (AssayRunner) runner
      = store != NULL ? assay_runner_new (play->plan, workspace, store, &callbacks) : NULL;

  play->store = store != NULL ? assay_store_new_in_memory (error) : NULL;
  if (play->store == NULL || !assay_seal_set (play->store, play->plan, error))
    return FALSE;
  for (gsize i = 0; i < play->plan->cells->len; i++) {
    GBytes *rows
        = assay_runner_cell (runner, i, error) ? assay_store_take_rows (store, error) : NULL;

    if (rows == NULL)
      return FALSE;
    g_ptr_array_add (play->rows, rows);
    if (!assay_store_add_rows (play->store, rows, error)
        || !count_cell (play, "the scenario as it is", error))
      return FALSE;
  }
  play->results = assay_results_load (play->plan, play->store, error);
  return play->results != NULL;
}

/* Controls are played with the attack's own case: no mutant changes them. */
static gboolean
copy_controls (const Play *play, AssayStore *store, GError **error)
{
  for (guint a = 0; a < play->plan->attacks->len; a++)
    for (guint c = 0;
         assay_component_choice (assay_plan_component (play->plan->attacks, a), c) != NULL; c++) {
      g_autofree char *key = assay_run_control_key (a, c);
      g_autofree char *known = NULL;

      if (!assay_store_get (play->store, key, &known, error)
          || (known != NULL && !assay_store_set (store, key, known, error)))
        return FALSE;
    }
  return TRUE;
}

/* Cells of mutants are played, the others copied. */
static gboolean
play_cells (Play *play, const AssayMutatedPlan *mutated, AssayStore *store, const char *doing,
            GError **error)
{
  const AssayRunCallbacks callbacks = callbacks_of (play);
  g_autoptr (AssayWorkspace) workspace = new_workspace (play, &mutated->plan);
  g_autoptr (AssayRunner) runner = assay_runner_new (&mutated->plan, workspace, store, &callbacks);

  for (gsize i = 0; i < play->plan->cells->len; i++) {
    const gboolean is_mutant = assay_mutated_plan_has (mutated, assay_plan_cell (play->plan, i));

    if (is_mutant ? !assay_runner_cell (runner, i, error)
                  : !assay_store_add_rows (store, play->rows->pdata[i], error))
      return FALSE;
    if (!count_cell (play, doing, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- What the audit said ---- */

/* Whether a claim of the family can tell a mistake: it is not violated without one. */
static gboolean
can_tell (const Play *play, const AssayMutantFamily *family, guint claim)
{
  return assay_mutant_family_is_for (family, play->plan, play->plan->claims->pdata[claim])
         && ((const AssayResultClaim *) play->results->claims->pdata[claim])->verdict
                != ASSAY_VERDICT_VIOLATED;
}

/* An error that ended a cell of a mutant; NULL: none did. */
static const char *
find_failure (const AssayMutatedPlan *mutated, const AssayResults *results)
{
  ASSAY_FOR_EACH_IN (const AssayResultBad, bad, results->bad) {
    if (bad->status == ASSAY_RESULT_ERROR && mutated->mutants->pdata[bad->defense->index] != NULL)
      return bad->message;
  }
  return NULL;
}

static gboolean
is_changed (const AssayMutatedPlan *mutated)
{
  ASSAY_FOR_EACH (AssayMutant, mutant, mutated->mutants) {
    if (mutant != NULL && g_atomic_int_get (&mutant->n_changed) > 0)
      return TRUE;
  }
  return FALSE;
}

/* The first claim that is violated now, else the first that passes no more. */
static void
judge (const Play *play, const AssayMutantFamily *family, const AssayResults *results,
       AssayResultMutant *one)
{
  const AssayResultClaim *found = NULL;

  one->verdict = ASSAY_MUTANT_MISSED;
  for (guint c = 0; c < results->claims->len && one->verdict != ASSAY_MUTANT_SEEN; c++) {
    const AssayResultClaim *before = play->results->claims->pdata[c];
    const AssayResultClaim *now = results->claims->pdata[c];
    const gboolean passed
        = before->verdict == ASSAY_VERDICT_UPHELD || before->verdict == ASSAY_VERDICT_UNREFUTED;

    if (!can_tell (play, family, c))
      continue;
    if (now->verdict == ASSAY_VERDICT_VIOLATED) {
      one->verdict = ASSAY_MUTANT_SEEN;
      found = now;
    } else if (one->verdict == ASSAY_MUTANT_MISSED && passed
               && now->verdict == ASSAY_VERDICT_INCONCLUSIVE) {
      one->verdict = ASSAY_MUTANT_STOPPED;
      found = now;
    }
  }
  if (found != NULL) {
    one->claim = g_strdup (found->id);
    g_free (one->reason);
    one->reason = g_strdup (found->reason != NULL ? found->reason : "");
  }
}

static void
set_reason (AssayResultMutant *one, AssayMutantVerdict verdict, const char *reason)
{
  one->verdict = verdict;
  g_free (one->reason);
  one->reason = g_strdup (reason);
}

/* Plays @mutated and says in @one what came of it. */
static gboolean
play_one (Play *play, const AssayMutantFamily *family, const AssayMutatedPlan *mutated,
          AssayResultMutant *one, GError **error)
{
  g_autofree char *doing = g_strdup_printf ("mutant %s of the %s", one->id, family->name);
  g_autoptr (AssayStore) store = assay_store_new_in_memory (error);
  g_autoptr (AssayResults) results = NULL;
  const char *failure;

  if (store == NULL || !assay_seal_set (store, play->plan, error)
      || !copy_controls (play, store, error) || !play_cells (play, mutated, store, doing, error))
    return FALSE;
  results = assay_results_load (&mutated->plan, store, error);
  if (results == NULL)
    return FALSE;
  judge (play, family, results, one);
  failure = find_failure (mutated, results);
  if (one->verdict == ASSAY_MUTANT_SEEN)
    return TRUE;
  if (failure != NULL)
    set_reason (one, ASSAY_MUTANT_FAILED, failure);
  else if (family->counts_changes && !is_changed (mutated))
    set_reason (one, ASSAY_MUTANT_ABSENT, "it changes nothing in what these secrets release");
  return TRUE;
}

/* ---- What an earlier play found ---- */

/* Of another plan, other claims or data it is not taken. */
static gboolean
load_before (Play *play, GError **error)
{
  if (play->unfinished->path == NULL)
    return TRUE;
  if (!assay_mutants_read (play->results, play->unfinished->path, &play->before, error))
    return FALSE;
  if (play->before != NULL && play->before->is_stale)
    g_clear_pointer (&play->before, assay_result_mutants_free);
  return TRUE;
}

static void
add_known (Play *play, const AssayResultMutant *known)
{
  const AssayResultMutant copy = { .family = g_strdup (known->family),
                                   .id = g_strdup (known->id),
                                   .says = g_strdup (known->says),
                                   .seen_by = g_strdup (known->seen_by),
                                   .verdict = known->verdict,
                                   .claim = g_strdup (known->claim),
                                   .reason = g_strdup (known->reason) };

  play->progress.done += play->plan->cells->len;
  play->progress.resumed += play->plan->cells->len;
  assay_mutants_add (play->found, copy);
}

/* A mechanism that fails when it is looked at loses its own mutant and no other. */
static gboolean
play_mutant (Play *play, guint f, guint index, GError **error)
{
  const AssayMutantFamily *family = &assay_mutant_families[f];
  const AssayMutantKind *kind = family->kind (index);
  g_autoptr (GError) problem = NULL;
  const AssayResultMutant *known
      = play->before != NULL ? assay_mutants_find (play->before, family->name, kind->id) : NULL;
  g_autoptr (AssayMutatedPlan) mutated = NULL;
  AssayResultMutant one;

  if (known != NULL) {
    add_known (play, known);
    return TRUE;
  }
  mutated = assay_mutated_plan_new (play->plan, play->which[f], family, index, &problem);
  one = (AssayResultMutant){ .family = g_strdup (family->name),
                            .id = g_strdup (kind->id),
                            .says = g_strdup (kind->says),
                            .seen_by = g_strdup (kind->seen_by),
                            .reason = g_strdup ("") };
  if (mutated == NULL)
    set_reason (&one, ASSAY_MUTANT_FAILED, problem->message);
  else if (mutated->why_not != NULL)
    set_reason (&one, ASSAY_MUTANT_ABSENT, mutated->why_not);
  else if (!play_one (play, family, mutated, &one, error)) {
    assay_result_mutant_clear (&one);
    return FALSE;
  }
  assay_mutants_add (play->found, one);
  return play->unfinished->path == NULL
         || play->unfinished->save (play->found, play->unfinished->data, error);
}

/* ---- All of them ---- */

static gboolean
has_any (const GArray *which)
{
  for (guint i = 0; i < which->len; i++)
    if (g_array_index (which, gboolean, i))
      return TRUE;
  return FALSE;
}

static gboolean
find_defenses (Play *play, GError **error)
{
  gsize n_mutants = 0;

  for (guint f = 0; f < ASSAY_N_MUTANT_FAMILIES; f++) {
    const AssayMutantFamily *family = &assay_mutant_families[f];

    play->which[f] = assay_mutant_family_defenses (family, play->plan);
    for (guint i = 0; has_any (play->which[f]) && family->kind (i) != NULL; i++)
      n_mutants++;
  }
  play->progress.total = (n_mutants + 1) * play->plan->cells->len;
  return n_mutants > 0
         || assay_fail (error, ASSAY_ERROR_SCENARIO,
                        "%s: has no claim about what leaks; expected a [claim] about epsilon or "
                        "about what attacks recover, which mutants could break",
                        play->plan->scenario);
}

/* Whether a claim of the family can tell. */
static gboolean
can_any_tell (const Play *play, guint f)
{
  for (guint c = 0; c < play->plan->claims->len; c++)
    if (can_tell (play, &assay_mutant_families[f], c))
      return TRUE;
  return FALSE;
}

/* Claims that mutants could break, and that decide nothing without one: why, of the first. */
static char *
note_undecided (const Play *play)
{
  for (guint c = 0; c < play->plan->claims->len; c++) {
    const AssayResultClaim *claim = play->results->claims->pdata[c];

    for (guint f = 0; f < ASSAY_N_MUTANT_FAMILIES; f++)
      if (can_tell (play, &assay_mutant_families[f], c)
          && claim->verdict == ASSAY_VERDICT_INCONCLUSIVE)
        return g_strdup_printf ("claim %s is inconclusive without any mistake, too: %s", claim->id,
                                claim->reason);
  }
  return NULL;
}

gboolean
assay_mutants_play (const AssayPlan *plan, const AssayUnfinishedMutants *unfinished,
                    const AssayRunCallbacks *callbacks, AssayResultMutants **ret_mutants,
                    GError **error)
{
  g_auto (Play) play = { .plan = plan, .unfinished = unfinished, .callbacks = callbacks };
  gboolean is_any = FALSE;

  play.data_owner = assay_shared_owner ();
  play.rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  if (!find_defenses (&play, error) || !play_base (&play, error)
      || !load_before (&play, error))
    return FALSE;
  play.found = assay_mutants_new (play.results);
  play.found->note = note_undecided (&play);
  for (guint f = 0; f < ASSAY_N_MUTANT_FAMILIES; f++) {
    if (!can_any_tell (&play, f))
      continue;
    is_any = TRUE;
    for (guint i = 0; assay_mutant_families[f].kind (i) != NULL; i++)
      if (!play_mutant (&play, f, i, error))
        return FALSE;
  }
  if (!is_any)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%s: every claim that mutants could break is violated as it is, which "
                       "says nothing of what else would have been seen",
                       plan->scenario);
  *ret_mutants = g_steal_pointer (&play.found);
  return TRUE;
}
