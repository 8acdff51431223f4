/* assay run --witness: what shows a violation best, played again: one secret, or the pair of inputs
 * and the event of an audit. */
#include <stdio.h>

#include "cli/witness.h"
#include "core/base/text.h"
#include "core/stats/epsilon.h"
#include "runner/judge/load.h"
#include "runner/plan/claim.h"
#include "runner/plan/fit.h"
#include "runner/run/audit.h"
#include "runner/run/run.h"
#include "runner/store/counted.h"
#include "runner/witness/witness-files.h"

/* The number of the claim, if it has a witness. */
static gboolean
find_claim (const AssayResults *results, const char *id, guint *ret_index, GError **error)
{
  g_autoptr (GPtrArray) ids = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  for (guint i = 0; i < results->claims->len; i++) {
    const AssayResultClaim *result = results->claims->pdata[i];

    g_ptr_array_add (ids, (gpointer) result->id);
    if (!g_str_equal (result->id, id))
      continue;
    *ret_index = i;
    if (result->witness.is_set)
      return TRUE;
    if (result->verdict == ASSAY_VERDICT_VIOLATED)
      return assay_fail (error, ASSAY_ERROR_SCENARIO,
                         "--witness %s: the claim is about the difference of two attacks, which no "
                         "single secret shows; expected a claim without 'beyond'",
                         id);
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "--witness %s: the claim is %s; only a violated one has a witness", id,
                       assay_verdict_name (result->verdict));
  }
  hint = assay_names_hint (ids, id);
  return assay_fail (error, ASSAY_ERROR_SCENARIO, "--witness: the scenario has no claim '%s'%s", id,
                     hint);
}

static void
print_row (const char *name, const AssayArray *array, guint64 row)
{
  const float *values = array != NULL ? assay_view_row (assay_array_view (array), row) : NULL;

  if (values == NULL)
    return;
  printf ("%s", name);
  for (gsize j = 0; j < array->shape[1]; j++) {
    g_autofree char *number = assay_text_number ((double) values[j]);

    printf (" %s", number);
  }
  printf ("\n");
}

/* Protects, attacks and measures the cell again and compares with what the run stored. */
static gboolean
replay (const AssayPlan *plan, AssayStore *store, const AssayClaim *claim,
        const AssayResultClaim *result, GError **error)
{
  const AssayResultWitness *witness = &result->witness;
  const AssayCell *cell = assay_plan_find_cell (plan, witness->cell);
  const AssayComponent *metric = assay_plan_measuring (plan, cell, claim->metric);
  g_autoptr (AssayWorkspace) workspace = assay_workspace_new (plan);
  g_autoptr (AssayGuess) guess = NULL;
  AssayOutcomes outcomes = { 0 };
  const gboolean has_own_units = metric->measuring->has_own_units;
  const char *unit = has_own_units ? "unit" : "secret";
  AssayJob job;
  double outcome;
  gboolean is_ok;

  if (!assay_workspace_cell (workspace, cell, &job, error))
    return FALSE;
  is_ok = cell->utility != ASSAY_NO_COMPONENT
              ? assay_run_assess (plan, cell, &job, &outcomes, error)
              : assay_run_attack (plan, workspace, store, cell, &guess, error)
                    && assay_step_measure (
                        metric->metric,
                        &(AssayMetricContext){ .settings = metric->settings->values,
                                               .dataset = job.dataset,
                                               .release = job.release },
                        job.truth, guess, &outcomes, error);
  if (!is_ok)
    return FALSE;
  outcome = outcomes.series[claim->measure->series][witness->secret];
  assay_outcomes_clear (&outcomes);
  printf ("witness of claim %s: cell %s, seed %" G_GUINT64_FORMAT ", trial %" G_GINT64_FORMAT
          ", %s %" G_GUINT64_FORMAT "\n",
          claim->id, witness->cell, plan->seed, witness->trial, unit, witness->secret);
  printf ("%s of this %s: %.17g now, %.17g in the run: %s\n", claim->measure->name, unit, outcome,
          witness->outcome, outcome == witness->outcome ? "the same" : "NOT the same");
  if (!has_own_units) {
    print_row ("secret  ", assay_arrays_get (&job.truth->arrays, "secrets"), witness->secret);
    print_row ("estimate", assay_arrays_get (&guess->arrays, "estimates"), witness->secret);
  }
  return outcome == witness->outcome
         || assay_fail (error, ASSAY_ERROR_NUMERIC,
                        "the replay differs from the run: another machine, library or data");
}

/* Long inputs are cut: the pair's number and the seed make them again. */
#define MAX_INPUTS 64

static void
print_input (const char *name, const float *input, gsize n)
{
  printf ("%s", name);
  for (gsize i = 0; i < MIN (n, MAX_INPUTS); i++) {
    g_autofree char *number = assay_text_number ((double) input[i]);

    printf (" %s", number);
  }
  printf ("%s\n", n > MAX_INPUTS ? " ..." : "");
}

/* The two inputs, and the event by which they are told apart. */
static gboolean
print_pair (const AssayPlan *plan, const AssayCell *cell, const AssayAuditRecord *audit,
            GError **error)
{
  const AssayOracle oracle = assay_plan_oracle (plan, cell);
  g_autofree float *inputs = NULL;

  if (audit->counts.kind == ASSAY_AUDIT_ONE_RUN) {
    printf ("%s\n", audit->says);
    return TRUE;
  }
  inputs = g_new (float, 2 * oracle.n_inputs);
  if (!assay_oracle_pair (&oracle, audit->pair, inputs, inputs + oracle.n_inputs, error))
    return FALSE;
  printf ("neighbours: %s (pair %u)\n",
          oracle.mechanism->relation != NULL ? oracle.mechanism->relation (oracle.settings)
                                             : oracle.mechanism->neighbours,
          audit->pair);
  print_input ("first input ", inputs, oracle.n_inputs);
  print_input ("second input", inputs + oracle.n_inputs, oracle.n_inputs);
  printf ("event: %s\n", audit->says);
  printf ("seen in %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " runs on the %s input and in %"
          G_GUINT64_FORMAT " on the %s\n",
          audit->counts.hits, audit->counts.runs, audit->is_swapped ? "second" : "first",
          audit->counts.mistakes, audit->is_swapped ? "first" : "second");
  return TRUE;
}

/* The audit of a claim's witness. */
typedef struct {
  const AssayPlan *plan;
  AssayStore *store;
  const AssayCell *cell;
  const AssayResultClaim *result;
  char *files; /* folder and name of its script, without the ending */
} Audited;

static void
print_bound (const Audited *audited, const AssayAuditRecord *audit, const char *how)
{
  /* The best of the trials, paid for. */
  const double alpha = (1 - audited->result->confidence) / (double) audited->plan->trials;

  printf ("epsilon is at least %.6g with confidence %g, at delta %g: %s\n",
          assay_epsilon_lower (&audit->counts, alpha), 1 - alpha, audit->counts.delta, how);
}

/* Writes the script, where there are runs that it can count. */
static gboolean
write_script (const Audited *audited, const AssayAuditRecord *audit, const AssayCounted *counted,
              const char *which, GError **error)
{
  if (counted == NULL || counted->marks == NULL)
    return TRUE;
  if (!assay_witness_files_write (audited->files, audit, counted, error))
    return FALSE;
  printf ("count it again: python3 %s.py (%s)\n", audited->files, which);
  return TRUE;
}

/* Of a program that draws numbers of its own: what the run kept is all that there is. */
static gboolean
show_kept (const Audited *audited, const AssayCounted *kept, GError **error)
{
  const AssayAuditRecord *then = audited->result->witness.audit;

  if (!print_pair (audited->plan, audited->cell, then, error))
    return FALSE;
  print_bound (audited, then, "as the run counted it");
  if (kept != NULL && kept->marks != NULL)
    return write_script (audited, then, kept, "in the runs that the run kept", error);
  return assay_fail (error, ASSAY_ERROR_NUMERIC,
                     "the program does not draw from its seed alone, so that no run can be played "
                     "again, and the runs that were counted %s",
                     kept != NULL ? "are more than the 64 MiB that are kept"
                                  : "are not in the folder");
}

/* Plays the audit of the cell again and compares with what the run counted. */
static gboolean
play_again (const Audited *audited, const AssayCounted *kept, GError **error)
{
  const AssayAuditRecord *then = audited->result->witness.audit;
  const gboolean is_kept = kept != NULL && kept->marks != NULL;
  g_autoptr (AssayAuditRecord) now = NULL;
  g_autoptr (AssayCounted) made = NULL;
  const AssaySettings *settings;
  gboolean is_same;
  guint candidate;

  if (!assay_run_attack_settings (audited->plan, audited->store, audited->cell, &settings,
                                  &candidate, error))
    return FALSE;
  now = assay_audit_cell (&(AssayAudited){ .plan = audited->plan,
                                           .cell = audited->cell,
                                           .settings = settings,
                                           .most_kept = is_kept ? 0 : ASSAY_WITNESS_MOST },
                          &made, error);
  if (now == NULL || !print_pair (audited->plan, audited->cell, now, error))
    return FALSE;
  is_same = now->counts.hits == then->counts.hits && now->counts.mistakes == then->counts.mistakes
            && now->pair == then->pair && g_str_equal (now->says, then->says);
  print_bound (audited, now, is_same ? "the same as in the run" : "NOT the same as in the run");
  if (!(is_kept ? write_script (audited, then, kept, "in the runs that the run kept", error)
                : write_script (audited, now, made, "in runs that were made again", error)))
    return FALSE;
  return is_same
         || assay_fail (error, ASSAY_ERROR_NUMERIC,
                        "the replay differs from the run: another machine, library or data");
}

static gboolean
replay_audit (const AssayPlan *plan, AssayStore *store, const char *place,
              const AssayResultClaim *result, GError **error)
{
  const AssayResultWitness *witness = &result->witness;
  const AssayCell *cell = assay_plan_find_cell (plan, witness->cell);
  g_autofree char *files = g_build_filename (place, "witness", result->id, NULL);
  const Audited audited = { plan, store, cell, result, files };
  g_autoptr (AssayCounted) kept = NULL;

  if (!assay_counted_load (store, assay_plan_index (plan, cell), witness->audit, &kept, error))
    return FALSE;
  printf ("witness of claim %s: cell %s, seed %" G_GUINT64_FORMAT ", trial %" G_GINT64_FORMAT "\n",
          result->id, witness->cell, plan->seed, witness->trial);
  return witness->audit->draws_own ? show_kept (&audited, kept, error)
                                   : play_again (&audited, kept, error);
}

int
cli_witness (const AssayPlan *plan, const char *place, const char *id)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStore) store = NULL;
  g_autoptr (AssayResults) results = NULL;
  const AssayResultClaim *result;
  guint index;

  if (!assay_folder_check (plan, place, TRUE, &error))
    return cli_fail_early (error);
  store = assay_store_open (place, FALSE, &error);
  if (store == NULL) {
    g_prefix_error (&error, "--witness needs the finished run of this scenario: ");
    return cli_fail_early (error);
  }
  results = assay_results_load (plan, store, &error);
  if (results != NULL && results->n_missing > 0)
    assay_fail (&error, ASSAY_ERROR_SCENARIO,
                "--witness needs the finished run of this scenario, and the one in %s is not; "
                "expected --resume first",
                place);
  if (error != NULL || !find_claim (results, id, &index, &error))
    return cli_fail_early (error);
  result = results->claims->pdata[index];
  return (result->witness.audit != NULL
              ? replay_audit (plan, store, place, result, &error)
              : replay (plan, store, plan->claims->pdata[index], result, &error))
             ? EXIT_OK
             : cli_fail (error);
}
