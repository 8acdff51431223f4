/* Running a plan. */
#include "runner/run/run.h"

#include <math.h>
#include <string.h>

#include "core/base/interrupt.h"
#include "core/games/control.h"
#include "runner/run/audit.h"
#include "runner/run/inputs.h"
#include "runner/run/like-control.h"
#include "runner/run/replay.h"
#include "runner/run/show.h"
#include "runner/run/starts.h"
#include "runner/run/tune.h"
#include "runner/store/outcomes.h"
#include "runner/suspect/suspect.h"

struct _AssayRunner {
  const AssayPlan *plan;
  AssayWorkspace *workspace;
  AssayStore *store;
  AssayRunTelling telling;
  guint dataset, trial; /* whose hash and groups are in the store already */
  GArray *shown;        /* AssayShown: the pictures of the cell that is run */
  char *said;           /* by its attack; NULL: nothing */
  char *lost;           /* what stands beside a lost control; NULL: it was not lost */
};

AssayRunner *
assay_runner_new (const AssayPlan *plan, AssayWorkspace *workspace, AssayStore *store,
                  const AssayRunCallbacks *callbacks)
{
  AssayRunner *runner = g_new (AssayRunner, 1);

  *runner = (AssayRunner){ .plan = plan,
                           .workspace = workspace,
                           .store = store,
                           .telling = { callbacks, { .total = plan->cells->len }, NULL },
                           .dataset = G_MAXUINT,
                           .trial = G_MAXUINT,
                           .shown = assay_shown_array_new () };
  return runner;
}

ASSAY_FREE_FUNC (AssayRunner, assay_runner_free, g_array_unref (self->shown), g_free (self->said),
                 g_free (self->lost), assay_run_telling_clear (&self->telling))

/* ---- What must be in the store beside the cells ---- */

/* The groups that the secrets of the trial are judged by: units that copies are joined into, where
 * there are copies; otherwise those of the dataset, or none. */
static gboolean
store_units (AssayRunner *runner, const AssayCell *cell, GError **error)
{
  AssaySecrets secrets;
  const AssayUnits *units;
  const gint64 *groups;
  gsize first;

  if (!assay_workspace_secrets (runner->workspace, cell, &secrets, error)
      || !assay_workspace_units (runner->workspace, cell, &units, &first, error)
      || !assay_store_set_units (runner->store, cell->dataset, units, error))
    return FALSE;
  groups = units->numbers != NULL ? units->numbers + first : secrets.groups;
  return groups == NULL
         || assay_store_set_groups (runner->store, cell->dataset, cell->trial, groups,
                                    secrets.rows.rows, error);
}

/* Done when the cells move on to another dataset or trial. */
static gboolean
enter_trial (AssayRunner *runner, const AssayCell *cell, GError **error)
{
  if (runner->dataset == cell->dataset && runner->trial == cell->trial)
    return TRUE;
  assay_run_tell (&runner->telling, "opening the dataset");
  if (!assay_inputs_check_data (runner->workspace, runner->store, cell->dataset, TRUE, error)
      || !assay_inputs_check_programs (runner->plan, runner->store, TRUE, error)
      || (assay_plan_has_releases (runner->plan) && !store_units (runner, cell, error)))
    return FALSE;
  runner->dataset = cell->dataset;
  runner->trial = cell->trial;
  return TRUE;
}

/* ---- Tuning and controls ---- */

static gboolean
tune_if_needed (AssayRunner *runner, const AssayCell *cell, const AssaySettings **ret_settings,
                guint *ret_candidate, GError **error)
{
  const AssayPlan *plan = runner->plan;
  g_autofree double *estimates = NULL;
  AssayTuning tuning;
  AssayJob job;

  if (!assay_run_attack_settings (plan, runner->store, cell, ret_settings, ret_candidate, error))
    return FALSE;
  if (*ret_settings != NULL)
    return TRUE;
  assay_run_tell (&runner->telling, "tuning on separate secrets");
  if (!assay_workspace_tuning (runner->workspace, cell, &job, error)
      || !assay_tune (plan, cell, runner->workspace, &job, &tuning, error))
    return FALSE;
  estimates = tuning.estimates;
  if (!assay_store_set_tuning (runner->store, cell, &tuning, error))
    return FALSE;
  assay_workspace_end_tuning (runner->workspace);
  return assay_run_attack_settings (plan, runner->store, cell, ret_settings, ret_candidate, error);
}

/* Plays the attack's control, once for each of its settings in a run: the store has the outcome. */
static gboolean
control_is_won (AssayRunner *runner, const AssayCell *cell, const AssaySettings *settings,
                guint candidate, gboolean *ret_is_won, GError **error)
{
  const AssayComponent *component = assay_plan_attack (runner->plan, cell);
  g_autofree char *key = assay_run_control_key (cell->attack, candidate);
  AssayControlOutcome outcome = { .is_won = TRUE };
  gboolean is_there = TRUE;

  /* An external guess has no program that could play one; the judge says what that means. */
  if (assay_control_terms (component->plugin).is_there
      && !assay_store_control (runner->store, key, &outcome, &is_there, error))
    return FALSE;
  if (!is_there) {
    assay_run_tell (&runner->telling, "playing the attack's control");
    if (!assay_control_play (component->plugin, settings, runner->plan->seed, &outcome, error)
        || !assay_store_set_control (runner->store, key, &outcome, error))
      return FALSE;
  }
  *ret_is_won = outcome.is_won;
  return TRUE;
}

/* ---- One cell ---- */

static gboolean
measure_all (AssayRunner *runner, const AssayJob *job, const AssayGuess *guess,
             AssayOutcomes *ret_outcomes, GError **error)
{
  const GPtrArray *metrics = runner->plan->metrics;

  for (guint m = 0; m < metrics->len; m++) {
    const AssayComponent *component = assay_plan_component (metrics, m);
    const AssayMetric *metric = component->metric;

    if (assay_metric_applies (metric, job->dataset, job->release, job->truth, guess)
        && !assay_step_measure (metric,
                                &(AssayMetricContext){ .settings = component->settings->values,
                                                       .dataset = job->dataset,
                                                       .release = job->release },
                                job->truth, guess, &ret_outcomes[m], error))
      return FALSE;
  }
  return TRUE;
}

/* A game with the mechanism itself: what it counted, and which event it was. */
static gboolean
audit_cell (AssayRunner *runner, const AssayCell *cell, gsize index, const AssaySettings *settings,
            AssayOutcomes *ret_outcomes, GError **error)
{
  const GPtrArray *metrics = runner->plan->metrics;
  const AssayAudited audited = { .plan = runner->plan,
                                 .cell = cell,
                                 .settings = settings,
                                 .is_cancelled = runner->telling.callbacks->is_cancelled,
                                 .data = runner->telling.callbacks->data,
                                 .most_kept = ASSAY_COUNTED_MOST };
  g_autoptr (AssayCounted) counted = NULL;
  g_autoptr (AssayAuditRecord) record = assay_audit_cell (&audited, &counted, error);
  g_autoptr (GArray) leaks = NULL;

  if (record == NULL || !assay_counted_store (runner->store, index, counted, error)
      || !assay_audit_store (runner->store, index, record, error))
    return FALSE;
  leaks = assay_audit_leaks (&audited, &record->counts, error);
  if (leaks == NULL || !assay_leaks_store (runner->store, index, leaks, error))
    return FALSE;
  for (guint m = 0; m < metrics->len; m++)
    if (assay_measures_audits (assay_plan_component (metrics, m)->measuring))
      assay_outcomes_take_audit (&ret_outcomes[m], &record->counts);
  return TRUE;
}

gboolean
assay_run_attack (const AssayPlan *plan, AssayWorkspace *workspace, AssayStore *store,
                  const AssayCell *cell, AssayGuess **ret_guess, GError **error)
{
  const AssayStarts starts = { .plan = plan, .workspace = workspace, .store = store };
  AssayStartsRecord record;

  return assay_store_starts (store, assay_plan_index (plan, cell), &record, error)
         && assay_start_play (&starts, cell, record.chosen, ret_guess, error);
}

/* What the metrics say of each start. */
typedef struct {
  AssayRunner *runner;
  const AssayJob *job;
  GPtrArray *outcomes; /* n_metrics of AssayOutcomes each */
} Measuring;

static gboolean
measure_start (G_GNUC_UNUSED guint start, const AssayGuess *guess, gpointer data, GError **error)
{
  Measuring *measuring = data;
  AssayOutcomes *outcomes = g_new0 (AssayOutcomes, measuring->runner->plan->metrics->len);

  g_ptr_array_add (measuring->outcomes, outcomes);
  return measure_all (measuring->runner, measuring->job, guess, outcomes, error);
}

static void
take_outcomes (AssayOutcomes *outcomes, guint n_metrics, AssayOutcomes *ret_outcomes)
{
  memcpy (ret_outcomes, outcomes, n_metrics * sizeof *outcomes);
  memset (outcomes, 0, n_metrics * sizeof *outcomes);
}

/* The outcomes of the chosen start are those of the cell, the others stand beside. */
static gboolean
store_starts (AssayRunner *runner, gsize index, const GPtrArray *outcomes,
              const AssayStartsRecord *record, AssayOutcomes *ret_outcomes, GError **error)
{
  const guint n_metrics = runner->plan->metrics->len;
  guint next = 1;

  for (guint s = 0; s < outcomes->len; s++)
    if (s != record->chosen
        && !assay_store_add_start (runner->store, index, next++, outcomes->pdata[s], n_metrics,
                                   error))
      return FALSE;
  take_outcomes (outcomes->pdata[record->chosen], n_metrics, ret_outcomes);
  return assay_store_set_starts (runner->store, index, record, error);
}

static void
clear_starts (const Measuring *measuring)
{
  for (guint s = 0; s < measuring->outcomes->len; s++)
    for (guint m = 0; m < measuring->runner->plan->metrics->len; m++)
      assay_outcomes_clear ((AssayOutcomes *) measuring->outcomes->pdata[s] + m);
}

/* Attacks the release of the cell with @settings, measures the guess, and shows it. */
static gboolean
attack_cell (AssayRunner *runner, const AssayCell *cell, gsize index, const AssaySettings *settings,
             AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayAttack *attack = assay_plan_attack (runner->plan, cell)->attack;
  g_autoptr (GPtrArray) outcomes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (AssayGuess) guess = NULL;
  AssayStartsRecord record;
  AssayJob job;
  Measuring measuring = { runner, &job, outcomes };
  const AssayStarts starts
      = { runner->plan, runner->workspace, runner->store, measure_start, &measuring };
  const AssayLikeControl like = { runner->plan, runner->workspace, runner->store, cell, settings };
  gboolean is_ok = assay_workspace_cell (runner->workspace, cell, &job, error)
                   && assay_starts_play (&starts, cell, settings, &record, &guess, error);

  if (is_ok && (assay_attack_draws (attack, settings->values) || !isnan (record.confidence)))
    is_ok = store_starts (runner, index, outcomes, &record, ret_outcomes, error);
  else if (is_ok)
    take_outcomes (outcomes->pdata[0], runner->plan->metrics->len, ret_outcomes);
  clear_starts (&measuring);
  if (!is_ok)
    return FALSE;
  runner->said = assay_metric_lacks (job.release, job.truth, guess);
  if (runner->said == NULL
      && !assay_suspect_find (
          &(AssaySuspicion){ runner->plan, runner->workspace, runner->store, cell, index, settings,
                             &job, guess },
          &runner->said, error))
    return FALSE;
  if (runner->said == NULL)
    runner->said = g_strdup (guess->says);
  runner->said = assay_truth_say (job.truth, runner->said);
  runner->lost = assay_truth_say (job.truth, runner->lost);
  return assay_show_cell (
             &(AssayShowing){ runner->plan, cell, settings, &job, guess, ret_outcomes },
             runner->shown, error)
         && assay_like_control_follow (&like, job.truth, guess, error);
}

gboolean
assay_run_assess (const AssayPlan *plan, const AssayCell *cell, const AssayJob *job,
                  AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayComponent *utility = assay_plan_utility (plan, cell);
  const AssayReceived received = { .release = job->release, .truth = job->truth };
  g_autofree char *canonical = assay_settings_canonical (utility->settings);

  return assay_step_assess (
      utility->utility,
      &(AssayUtilityContext){ .settings = utility->settings->values,
                              .dataset = job->dataset,
                              .stream = assay_plan_stream (plan, cell, "utility", canonical) },
      &received, ret_outcomes, error);
}

/* What an honest receiver gets from the release of the cell. There is no control to win. */
static gboolean
assess_cell (AssayRunner *runner, const AssayCell *cell, AssayOutcomes *ret_outcomes,
             AssayCellStatus *ret_status, GError **error)
{
  const AssayComponent *defense = assay_plan_defense (runner->plan, cell);
  g_autofree char *doing = g_strdup_printf (
      "%s of %s", assay_plan_attack_or_utility (runner->plan, cell)->label, defense->label);
  AssayJob job;

  assay_run_tell (&runner->telling, doing);
  if (!assay_workspace_cell (runner->workspace, cell, &job, error)
      || !assay_run_assess (runner->plan, cell, &job, ret_outcomes, error))
    return FALSE;
  runner->said = assay_truth_say (job.truth, g_strdup (ret_outcomes->says));
  *ret_status = ASSAY_CELL_OK;
  return TRUE;
}

/* Most attacks make their control themselves, one for each choice of settings. For programs cases
 * like the cells are made, one for each defense, in a trial that is drawn (like-control.h). */
static gboolean
play_control (AssayRunner *runner, const AssayCell *cell, const AssaySettings *settings,
              guint candidate, gboolean *ret_is_won, GError **error)
{
  const AssayLikeControl like = { runner->plan, runner->workspace, runner->store, cell, settings };
  gboolean is_played = FALSE;

  if (!assay_like_control_replaces (assay_plan_attack (runner->plan, cell)))
    return control_is_won (runner, cell, settings, candidate, ret_is_won, error);
  *ret_is_won = TRUE;
  if (assay_like_control_trial (runner->plan, cell) != cell->trial)
    return TRUE;
  return assay_like_control_play (&like, ret_is_won, &is_played, error)
         && (is_played
             || control_is_won (runner, cell, settings, candidate, ret_is_won, error));
}

/* Plays the cell's control and its game, in this order unless the game is drawn to come first.
 * @ret_status says whether the control was won. */
static gboolean
play_cell (AssayRunner *runner, gsize index, AssayOutcomes *ret_outcomes,
           AssayCellStatus *ret_status, GError **error)
{
  const AssayCell *cell = assay_plan_cell (runner->plan, index);
  const AssayComponent *attack = assay_plan_attack (runner->plan, cell);
  const AssayComponent *defense = assay_plan_defense (runner->plan, cell);
  const AssaySettings *settings = NULL;
  g_autofree char *doing = NULL;
  const gboolean is_after = assay_like_control_is_after (runner->plan, cell);
  gboolean is_won = FALSE, is_ok;
  guint candidate = 0;

  if (!tune_if_needed (runner, cell, &settings, &candidate, error)
      || (!is_after && !play_control (runner, cell, settings, candidate, &is_won, error)))
    return FALSE;
  doing = g_strdup_printf ("%s against %s", attack->label, defense->label);
  assay_run_tell (&runner->telling, doing);
  is_ok = attack->plugin->type == ASSAY_PLUGIN_ATTACK
              ? attack_cell (runner, cell, index, settings, ret_outcomes, error)
              : audit_cell (runner, cell, index, settings, ret_outcomes, error);
  if (!is_ok
      || (is_after && !play_control (runner, cell, settings, candidate, &is_won, error)))
    return FALSE;
  *ret_status = is_won ? ASSAY_CELL_OK : ASSAY_CELL_CONTROL_FAILED;
  return TRUE;
}

/* A full disk or memory that ran out ends the run, and says nothing against the cell: it is begun
 * afresh on resume. Where even this cannot be written, the cell counts as begun once. */
static gboolean
leave_cell (AssayRunner *runner, gsize index)
{
  assay_store_forget_cell (runner->store, index, NULL);
  return FALSE;
}

static gboolean
run_cell (AssayRunner *runner, gsize index, GError **error)
{
  const AssayCell *cell = assay_plan_cell (runner->plan, index);
  const guint n_metrics = assay_plan_n_measuring (runner->plan, cell);
  g_autofree AssayOutcomes *outcomes = g_new0 (AssayOutcomes, n_metrics);
  g_autoptr (GError) problem = NULL;
  AssayCellRecord record = { .status = ASSAY_CELL_ERROR };
  gboolean is_crashed = FALSE, is_ok;
  const gint64 start = g_get_monotonic_time ();

  if (!assay_store_begin_cell (runner->store, index, &is_crashed, error))
    return FALSE;
  if (is_crashed)
    return TRUE;
  g_array_set_size (runner->shown, 0);
  g_clear_pointer (&runner->said, g_free);
  g_free (runner->lost);
  runner->lost = g_strdup ("the attack lost its control with these settings");
  assay_interrupt_was_told ();
  is_ok = cell->utility != ASSAY_NO_COMPONENT
              ? assess_cell (runner, cell, outcomes, &record.status, &problem)
              : play_cell (runner, index, outcomes, &record.status, &problem);
  if (assay_interrupt_was_told () && (is_ok || !assay_run_ends_with (problem))) {
    g_clear_error (&problem);
    is_ok = assay_fail (&problem, ASSAY_ERROR_CANCELLED, "interrupted");
  }
  if (!is_ok) {
    for (guint m = 0; m < n_metrics; m++)
      assay_outcomes_clear (&outcomes[m]);
    g_array_set_size (runner->shown, 0);
    if (assay_run_ends_with (problem)) {
      g_propagate_error (error, g_steal_pointer (&problem));
      return leave_cell (runner, index);
    }
    record.message = problem->message;
  } else {
    record.message = record.status == ASSAY_CELL_CONTROL_FAILED ? runner->lost : runner->said;
  }
  record.seconds = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  is_ok = (!is_ok
           || assay_replay_cell (runner->plan, runner->workspace, runner->store, index, error))
          && assay_store_finish_cell (runner->store, index, &record,
                                      &(AssayMeasured){ outcomes, n_metrics, runner->shown },
                                      error);
  for (guint m = 0; m < n_metrics; m++)
    assay_outcomes_clear (&outcomes[m]);
  return is_ok || leave_cell (runner, index);
}

gboolean
assay_runner_cell (AssayRunner *runner, gsize index, GError **error)
{
  const AssayLoopListener before = assay_run_listen (&runner->telling);
  const gboolean is_ok = enter_trial (runner, assay_plan_cell (runner->plan, index), error)
                         && run_cell (runner, index, error);

  assay_loop_listen (before);
  return is_ok;
}

/* Cell after cell. One that has had its part of the time is put off, to the end. */
static gboolean
run_pending (AssayRunner *runner, GArray *pending, GError **error)
{
  const AssayRunCallbacks *callbacks = runner->telling.callbacks;
  const gsize n = pending->len;

  if (callbacks->deadline != 0)
    assay_run_order_for_time (runner->plan, pending);
  assay_run_tell (&runner->telling, "");
  for (gsize i = 0; i < pending->len; i++) {
    const gsize index = g_array_index (pending, gsize, i);
    const gint64 end = i < n ? assay_run_end_of_part (callbacks->deadline, pending->len - i) : 0;
    g_autoptr (GError) problem = NULL;

    if (assay_run_is_cancelled (callbacks))
      return assay_fail (error, ASSAY_ERROR_CANCELLED, "interrupted");
    assay_interrupt_set_limit (end);
    if (assay_runner_cell (runner, index, &problem))
      runner->telling.state.done++;
    assay_interrupt_set_limit (0);
    if (problem != NULL
        && (end == 0 || !g_error_matches (problem, ASSAY_ERROR, ASSAY_ERROR_CANCELLED)
            || assay_run_is_cancelled (callbacks))) {
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
    if (problem != NULL)
      g_array_append_val (pending, index);
    assay_run_tell (&runner->telling, "");
  }
  return TRUE;
}

gboolean
assay_run (const AssayPlan *plan, AssayWorkspace *workspace, AssayStore *store,
           const AssayRunCallbacks *callbacks, AssayRunEnd *ret_end, GError **error)
{
  g_autoptr (AssayRunner) runner = assay_runner_new (plan, workspace, store, callbacks);
  g_autoptr (GArray) pending
      = assay_run_pending (plan, store, callbacks->wanted, &runner->telling.state, error);
  g_autoptr (GError) problem = NULL;

  if (pending == NULL)
    return FALSE;
  *ret_end = ASSAY_RUN_FINISHED;
  if (run_pending (runner, pending, &problem))
    return TRUE;
  *ret_end = ASSAY_RUN_INTERRUPTED;
  if (g_error_matches (problem, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}
