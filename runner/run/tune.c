/* Choosing an attack's settings on secrets that are set apart for it. */
#include "runner/run/tune.h"

#include <math.h>

#include "core/base/progress/loop.h"

#include "core/stats/interval.h"

/* The metric of @plan that has the measure @name, and the measure. */
static const AssayComponent *
find_measure (const AssayPlan *plan, const char *name, const AssayMeasure **ret_measure)
{
  ASSAY_FOR_EACH (const AssayComponent, component, plan->metrics) {
    const AssayMetric *metric = component->metric;

    for (const AssayMeasure *measure = metric->measures; measure->name != NULL; measure++)
      if (g_str_equal (measure->name, name)) {
        *ret_measure = measure;
        return component;
      }
  }
  return NULL;
}

/* What candidates are tried on. */
typedef struct {
  const AssayPlan *plan;
  const AssayCell *cell;
  AssayWorkspace *workspace;
  const AssayJob *job;
} Tuning;

/* The tune_measure of one candidate. */
static gboolean
try_candidate (const Tuning *tuning, const AssaySettings *settings, double *ret_estimate,
               GError **error)
{
  const AssayPlan *plan = tuning->plan;
  const AssayCell *cell = tuning->cell;
  const AssayJob *job = tuning->job;
  const AssayComponent *attack = assay_plan_attack (plan, cell);
  const AssayMeasure *measure = NULL;
  const AssayComponent *component = find_measure (plan, attack->tune_measure, &measure);
  const AssayMetric *metric = component->metric;
  const gint64 *groups = metric->has_own_units ? NULL : assay_truth_groups (job->truth);
  g_autofree char *canonical = assay_settings_canonical (settings);
  g_autoptr (AssayGuess) guess = NULL;
  AssayOutcomes outcomes = { 0 };
  AssayGranted granted;

  if (!assay_workspace_grant (tuning->workspace, cell, settings, TRUE, &granted, error)
      || !assay_step_attack (attack->attack, settings,
                             assay_plan_stream (plan, cell, "tune-attack", canonical), &granted,
                             &guess, error))
    return FALSE;
  if (!assay_metric_applies (metric, job->dataset, job->release, job->truth, guess))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "tune_measure = %s does not apply to this attack and defense",
                       attack->tune_measure);
  if (!assay_step_measure (metric,
                           &(AssayMetricContext){ .settings = component->settings->values,
                                                  .dataset = job->dataset,
                                                  .release = job->release },
                           job->truth, guess, &outcomes, error))
    return FALSE;
  if (outcomes.n == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "tune_measure = %s has no outcome for this attack and defense",
                       attack->tune_measure);
  if (outcomes.omitted[measure->series] != NULL) {
    assay_fail (error, ASSAY_ERROR_MISMATCH, "tune_measure = %s is left out: %s",
                attack->tune_measure, outcomes.omitted[measure->series]);
    assay_outcomes_clear (&outcomes);
    return FALSE;
  }
  *ret_estimate = assay_interval (measure, outcomes.series[measure->series], groups, outcomes.n,
                                  plan->confidence,
                                  assay_plan_stream (plan, cell, "tune-metric", canonical))
                      .estimate;
  assay_outcomes_clear (&outcomes);
  return TRUE;
}

gboolean
assay_tune (const AssayPlan *plan, const AssayCell *cell, AssayWorkspace *workspace,
            const AssayJob *job, AssayTuning *ret_tuning, GError **error)
{
  const AssayComponent *attack = assay_plan_attack (plan, cell);
  const guint n = attack->candidates->len;
  const AssayMeasure *measure = NULL;
  g_autofree double *estimates = g_new (double, n);
  g_autoptr (GError) last = NULL;
  AssayCell first_trial = *cell;
  g_auto (AssayLoop) loop = { "choice of settings", .turns = n };
  const Tuning tuning = { plan, &first_trial, workspace, job };
  guint best = n;

  /* Tuning is done once for all trials, whichever of them comes to it first. */
  first_trial.trial = 0;

  find_measure (plan, attack->tune_measure, &measure);
  g_return_val_if_fail (measure != NULL, FALSE); /* checked when the plan was made */
  /* From the last to the first: lists mostly ascend, and what the largest setting scanned serves
   * the smaller ones (core/search/scan-cache.c). */
  for (guint i = n; i-- > 0;) {
    g_clear_error (&last);
    assay_loop_at (&loop, n - 1 - i);
    estimates[i] = NAN;
    if (!try_candidate (&tuning, attack->candidates->pdata[i], &estimates[i], &last)) {
      /* A candidate that ran out of memory today might be the best tomorrow. */
      if (g_error_matches (last, ASSAY_ERROR, ASSAY_ERROR_MEMORY)
          || g_error_matches (last, ASSAY_ERROR, ASSAY_ERROR_IO)
          || g_error_matches (last, ASSAY_ERROR, ASSAY_ERROR_CANCELLED)) {
        g_propagate_error (error, g_steal_pointer (&last));
        return FALSE;
      }
      continue;
    }
    if (best == n
        || (measure->higher_is_worse ? estimates[i] >= estimates[best]
                                     : estimates[i] <= estimates[best]))
      best = i;
  }
  if (best == n) {
    g_propagate_prefixed_error (error, g_steal_pointer (&last), "tuning %s: ", attack->label);
    return FALSE;
  }
  *ret_tuning
      = (AssayTuning){ .chosen = best, .n = n, .estimates = g_steal_pointer (&estimates) };
  return TRUE;
}
