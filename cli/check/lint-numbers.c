/* Claims whose units are too few, whatever they show.
 *
 * No sample speaks more clearly than one in which all units lie on the claim's side: whether its
 * p-value (assay_bound_least_p) is below the level that Holm's correction asks of the smallest one
 * is known before anything runs. */
#include "cli/check/lint-numbers.h"

#include <math.h>

#include "core/stats/bound-test.h"
#include "runner/plan/claim.h"

/* More units than these are not asked for, and metrics whose units only a run can count are taken
 * to have as many: what is left is what no number of units would help. */
#define MANY_UNITS ((gsize) 1 << 17)

/* Fewer groups than these are not judged (runner/judge/hypothesis.c). */
#define MIN_GROUPS 10

/* What an excess is compared with: the share that controls are right in. Nobody knows it before a
 * run; with this one few units are needed. */
#define EASY_CONTROL 0.9

/* Independent units of all trials, at most. */
static gsize
count_units (const AssayPlan *plan, const AssayCell *cell, const AssayMetric *metric)
{
  const AssayProbe *probe = &plan->probes[cell->dataset];
  const guint64 secrets = plan->trials * plan->secrets;

  if (metric != NULL && metric->counts_secrets)
    return secrets;
  if (plan->secret_groups > 0)
    return plan->trials * plan->secret_groups;
  return probe->n_groups > 0 ? MIN (secrets, probe->n_groups) : secrets;
}

static gboolean
are_groups (const AssayPlan *plan, const AssayCell *cell, const AssayMeasuring *measuring)
{
  return plan->probes[cell->dataset].n_groups > 0 && !measuring->has_own_units;
}

/* Of @n units that all lie on one side. */
static double
least_p (const AssayMeasure *measure, double bound, gboolean is_above, gsize n)
{
  g_autofree double *values = g_new (double, n);
  g_autofree double *controls = g_new (double, n);
  g_autoptr (AssaySample) sample = NULL;

  for (gsize i = 0; i < n; i++) {
    values[i] = is_above ? MIN (measure->high, bound + 1) : MAX (measure->low, bound - 1);
    controls[i] = EASY_CONTROL;
  }
  if (measure->statistic == ASSAY_STATISTIC_EXCESS) {
    for (gsize i = 0; i < n; i++)
      values[i] = is_above;
    sample = assay_sample_new_excess (measure, values, controls, NULL, n);
  } else {
    sample = assay_sample_new (measure, values, NULL, n);
  }
  return assay_bound_least_p (sample, bound, is_above);
}

/* The fewest units that have a p-value of @alpha; 0: no number has. */
static gsize
units_needed (const AssayClaim *claim, double alpha)
{
  gsize enough = 1, too_few = 0;

  while (enough <= MANY_UNITS
         && least_p (claim->measure, claim->bound, !claim->is_at_most, enough) > alpha) {
    too_few = enough;
    enough *= 2;
  }
  if (enough > MANY_UNITS)
    return 0;
  while (enough - too_few > 1) {
    const gsize middle = (enough + too_few) / 2;

    *(least_p (claim->measure, claim->bound, !claim->is_at_most, middle) > alpha ? &too_few
                                                                               : &enough)
        = middle;
  }
  return enough;
}

static void
check_units (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
             const AssayCell *cell, double alpha)
{
  const AssayMeasuring *measuring = assay_plan_measuring (plan, cell, claim->metric)->measuring;
  const AssayMetric *metric = assay_metric_of ((const AssayPlugin *) measuring);
  const gboolean is_counted
      = !measuring->has_own_units || (metric != NULL && metric->counts_secrets);
  const gsize units = is_counted ? count_units (plan, cell, metric) : MANY_UNITS;
  const gsize needed = units_needed (claim, alpha);

  if (needed == 0)
    assay_doubt (doubts,
                 "[claim %s] cannot be upheld by any number of units: no test of %s %s %.10g has a "
                 "p-value of %.2g, which this confidence and so many claims ask for",
                 claim->id, claim->measure->name, claim->is_at_most ? "of at most" : "of at least",
                 claim->bound, alpha);
  else if (is_counted && units < needed)
    assay_doubt (doubts,
                 "[claim %s] cannot be upheld by %zu %s, whatever they show; expected at least "
                 "%zu, for %s %s %.10g at this confidence and with so many claims",
                 claim->id, units,
                 are_groups (plan, cell, measuring) ? "groups of secrets" : "secrets", needed,
                 claim->measure->name, claim->is_at_most ? "of at most" : "of at least",
                 claim->bound);
  else if (is_counted && are_groups (plan, cell, measuring) && units < MIN_GROUPS)
    assay_doubt (doubts,
                 "[claim %s] cannot be decided by secrets of %zu groups; expected %d or more",
                 claim->id, units, MIN_GROUPS);
}

void
assay_lint_numbers (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
                    const AssayCell *cell, double alpha)
{
  const AssayMeasuring *measuring = assay_plan_measuring (plan, cell, claim->metric)->measuring;
  const AssayMetric *metric = assay_metric_of ((const AssayPlugin *) measuring);
  const AssayForeseen foreseen
      = { .secrets = plan->secrets, .geometry = plan->probes[cell->dataset].geometry };
  g_autofree char *lacks = metric != NULL && metric->lacks != NULL
                               ? metric->lacks (&foreseen, claim->measure->series)
                               : NULL;

  if (lacks != NULL)
    assay_doubt (doubts, "[claim %s] cannot be decided: %s will not be measured: %s", claim->id,
                 claim->measure->name, lacks);
  else if (claim->beyond == ASSAY_NO_COMPONENT && claim->bound > claim->measure->low
           && claim->bound < claim->measure->high)
    check_units (doubts, plan, claim, cell, alpha);
}
