/* Metrics whose measures the data do not allow. */
#include "runner/plan/refused/unmeasured.h"

/* Whether an attack of the plan makes estimates of the secrets of dataset @index. */
static gboolean
is_reconstructed (const AssayPlan *plan, guint index)
{
  ASSAY_FOR_EACH_IN (const AssayCell, cell, plan->cells) {
    const AssayComponent *component
        = cell->attack != ASSAY_NO_COMPONENT ? assay_plan_attack (plan, cell) : NULL;
    const AssayAttack *attack = component != NULL ? assay_attack_of (component->plugin) : NULL;

    if (cell->dataset == index && attack != NULL
        && assay_attack_plays (attack, component->settings->values) == ASSAY_GAME_RECONSTRUCT)
      return TRUE;
  }
  return FALSE;
}

/* Why none of its measures can be had; NULL: one can. */
static char *
why_none (const AssayMetric *metric, const AssayForeseen *foreseen)
{
  char *why = NULL;

  for (guint s = 0; s < metric->n_series; s++) {
    g_free (why);
    why = metric->lacks (foreseen, s);
    if (why == NULL)
      return NULL;
  }
  return why;
}

static void
skip_on (AssayPlan *plan, const AssayComponent *component, guint dataset)
{
  const AssayComponent *data = assay_plan_component (plan->datasets, dataset);
  const AssayMetric *metric = component->metric;
  const AssayProbe *probe = &plan->probes[dataset];
  const AssayForeseen foreseen = { .secrets = plan->secrets, .geometry = probe->geometry };
  char *why = metric->lacks != NULL && (metric->needs & ~probe->holdings) == 0
                  ? why_none (metric, &foreseen)
                  : NULL;
  AssaySkip *skip;

  if (why == NULL)
    return;
  skip = g_new (AssaySkip, 1);
  *skip = (AssaySkip){ *data->label != '\0' ? data->label : data->plugin->id, component->label,
                       why };
  g_ptr_array_add (plan->skipped, skip);
}

void
assay_plan_skip_unmeasured (AssayPlan *plan)
{
  for (guint d = 0; d < plan->datasets->len; d++)
    ASSAY_FOR_EACH (const AssayComponent, component, plan->metrics) {
      const AssayMetric *metric = component->metric;
      const gboolean is_of_estimates
          = metric->reads_guess != NULL
            && g_strv_contains (metric->reads_guess, "estimates") && is_reconstructed (plan, d);

      if (is_of_estimates)
        skip_on (plan, component, d);
    }
}
