/* Results whose numbers a test makes up: a real plan, and for each of its cells that differ in more
 * than the trial measurements. */
#pragma once

#include <criterion/criterion.h>

#include "runner/judge/describe.h"
#include "runner/plan/planner.h"
#include "tests/reference/fixtures.h"

/* The interval of @measure in a cell of defense @defense and attack (or utility) @attack; with
 * n = 0 it is not measured there. */
typedef AssayInterval (*MadeInterval) (const AssayResultMeasure *measure, guint dataset,
                                       guint defense, guint attack);

static inline AssayPlan *
made_plan (const char *folder, const char *scenario)
{
  const AssayPlanOptions options = { 0 };
  g_autofree char *path = fixture_write (folder, "made.scenario", scenario);
  g_autoptr (GError) error = NULL;
  AssayPlan *plan = assay_plan_new (path, &options, &error);

  cr_assert (plan != NULL, "%s", error != NULL ? error->message : "");
  return plan;
}

static inline AssayResultCell *
made_cell (const AssayResults *results, const AssayPlan *plan, const AssayCell *cell,
           MadeInterval interval)
{
  AssayResultCell *made = assay_results_describe_cell (results, plan, cell, NULL);

  made->trial = -1;
  made->message = g_strdup ("");
  for (guint m = 0; m < assay_plan_n_measuring (plan, cell); m++) {
    const AssayResultComponent *metric
        = made->is_utility ? made->attack_or_utility : assay_result_component (results->metrics, m);

    for (guint i = 0; i < metric->measures->len; i++) {
      const AssayResultMeasure *measure = metric->measures->pdata[i];
      const AssayMeasurement measurement
          = { .measure = measure,
              .metric = metric,
              .interval
              = interval (measure, cell->dataset, cell->defense, made->attack_or_utility->index),
              .confidence = 0.95 };

      if (measurement.interval.n > 0)
        g_array_append_val (made->measurements, measurement);
    }
  }
  return made;
}

/* Free with assay_results_free, before the plan. */
static inline AssayResults *
made_results (const AssayPlan *plan, MadeInterval interval)
{
  AssayResults *results = assay_results_describe (plan);

  for (gsize i = 0; i < plan->cells->len; i++)
    if (assay_plan_cell (plan, i)->trial == 0)
      g_ptr_array_add (results->pooled,
                       made_cell (results, plan, assay_plan_cell (plan, i), interval));
  return results;
}
