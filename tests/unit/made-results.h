/* Results whose numbers a test makes up: a real plan, and for each of its cells that differ in more
 * than the trial measurements. */
#pragma once

#include <criterion/criterion.h>

#include "runner/judge/results.h"
#include "runner/plan/planner.h"
#include "tests/reference/fixtures.h"

/* The interval of @measure in a cell of defense @defense and attack (or utility) @player; with
 * n = 0 it is not measured there. */
typedef AssayInterval (*MadeInterval) (const AssayMeasure *measure, guint dataset, guint defense,
                                       guint player);

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

static inline AssayResultPart
made_part (const GPtrArray *parts, guint index)
{
  const AssayPart *part = assay_plan_part (parts, index);
  const AssayResultPart made = { index, part->label, part->name, part->plugin->id, part->settings };

  return made;
}

static inline void
made_cell_free (gpointer data)
{
  AssayResultCell *cell = data;

  g_free (cell->id);
  g_array_unref (cell->measurements);
  g_ptr_array_unref (cell->left_out);
  g_free (cell);
}

static inline AssayResultCell *
made_cell (const AssayPlan *plan, const AssayCell *cell, MadeInterval interval)
{
  AssayResultCell *made = g_new0 (AssayResultCell, 1);

  made->id = assay_plan_cell_id (plan, cell);
  made->trial = -1;
  made->status = ASSAY_CELL_OK;
  made->message = (char *) "";
  made->dataset = made_part (plan->datasets, cell->dataset);
  made->defense = made_part (plan->defenses, cell->defense);
  made->is_utility = cell->attack == ASSAY_NO_PART;
  made->player = made->is_utility ? made_part (plan->utilities, cell->utility)
                                  : made_part (plan->attacks, cell->attack);
  made->measurements = g_array_new (FALSE, FALSE, sizeof (AssayMeasurement));
  made->left_out = g_ptr_array_new ();
  for (guint m = 0; m < assay_plan_n_measuring (plan, cell); m++) {
    const AssayPart *part = assay_plan_measuring (plan, cell, m);
    const AssayMeasure *measure = ((const AssayMetric *) part->plugin)->measures;

    for (; measure->name != NULL; measure++) {
      const AssayMeasurement measurement
          = { .measure = measure,
              .interval = interval (measure, cell->dataset, cell->defense, made->player.index),
              .confidence = 0.95,
              .settings = part->settings };

      if (measurement.interval.n > 0)
        g_array_append_val (made->measurements, measurement);
    }
  }
  return made;
}

/* Free with made_results_free. Only what curves read is there. */
static inline AssayResults *
made_results (const AssayPlan *plan, MadeInterval interval)
{
  AssayResults *results = g_new0 (AssayResults, 1);

  results->plan = plan;
  results->pooled = g_ptr_array_new_with_free_func (made_cell_free);
  for (gsize i = 0; i < plan->cells->len; i++)
    if (assay_plan_cell (plan, i)->trial == 0)
      g_ptr_array_add (results->pooled, made_cell (plan, assay_plan_cell (plan, i), interval));
  return results;
}

static inline void
made_results_free (AssayResults *results)
{
  g_ptr_array_unref (results->pooled);
  g_free (results);
}
