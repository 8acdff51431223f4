/* Memory of a run, by the sizes and settings of its components. */
#include "runner/plan/estimate.h"

#include <unistd.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/shared-work.h"
#include "core/base/text.h"
#include "core/search/scan.h"
#include "runner/plan/own-rows.h"

/* What the callbacks of @component hold with @settings. An attack also scans rows, or a dictionary,
 * for the nearest to each item of all releases that it sees. */
static guint64
memory_of (const AssayComponent *component, const AssaySettings *settings, const AssayShape *shape)
{
  const AssayPlugin *plugin = component->plugin;
  const AssayHolds *holds = &plugin->holds;
  const guint64 items = MAX (shape->n_released, shape->n_secrets), publics = shape->n_public;
  guint64 rows = holds->items * items + holds->publics * publics, bytes = 0;

  if (holds->columns_under == NULL || assay_settings_is_on (settings, holds->columns_under))
    rows += (guint64) holds->columns * shape->cols;
  if (plugin->type == ASSAY_PLUGIN_ATTACK)
    bytes = assay_scan_memory (items * (assay_component_repeats (component, settings) + 1),
                               shape->dimension, shape->cols, 1);
  if (plugin->memory != NULL)
    bytes += plugin->memory (settings->values, shape);
  return bytes
         + (rows * shape->cols + items * (holds->numbers + holds->pairs * publics)) * sizeof (float)
         + (guint64) shape->n_secrets * shape->n_secrets * holds->secret_pairs
         + (guint64) assay_parallel_threads () * holds->per_thread;
}

/* Bytes of the one of @components that holds most, with whichever candidate of its settings. */
static guint64
most_memory (const GPtrArray *components, const AssayShape *shape)
{
  const AssaySettings *settings;
  guint64 most = 0;

  ASSAY_FOR_EACH (const AssayComponent, component, components)
    for (guint c = 0; (settings = assay_component_choice (component, c)) != NULL; c++)
      most = MAX (most, memory_of (component, settings, shape));
  return most;
}

/* Further releases of one defense that are kept: the most that an attack on it wants. */
static gsize
count_repeats (const AssayPlan *plan, AssayReleaseKind kind)
{
  const AssaySettings *settings;
  gsize most = 0;

  ASSAY_FOR_EACH (const AssayComponent, component, plan->attacks)
    for (guint c = 0; (settings = assay_component_choice (component, c)) != NULL; c++)
      if (component->plugin->type == ASSAY_PLUGIN_ATTACK && (component->attack->reads & kind))
        most = MAX (most, assay_component_repeats (component, settings));
  return most;
}

/* Bytes of the pairs of all attacks on one defense, and of the runs of it that they share, which
 * are kept until the next. */
static guint64
pairs_bytes (const AssayPlan *plan, AssayReleaseKind kind, const AssayShape *shape)
{
  guint64 bytes = 0, runs = 0;

  ASSAY_FOR_EACH (const AssayComponent, component, plan->attacks) {
    bytes += assay_own_rows_memory (component, kind, shape);
    runs += assay_own_runs_memory (component, kind, shape);
  }
  return bytes + MIN (runs, ASSAY_OWN_RUNS_BYTES);
}

/* Memory of the cells of one defense on one dataset, beside the dataset's. */
static guint64
defense_memory (const AssayPlan *plan, const AssayProbe *probe, const AssayComponent *component)
{
  const AssayDefense *defense = component->defense;
  const AssayExternal *external = assay_plugin_external (component->plugin);
  gconstpointer settings = component->settings->values;
  const AssayMechanism *mechanism = assay_defense_mechanism (defense, settings);
  const AssayReleaseKind kind = assay_defense_produces (defense, settings);
  AssayShape shape = assay_plan_shape (plan, probe);

  if (defense->release_shape != NULL)
    defense->release_shape (settings, &shape);
  if (external != NULL && external->release_shape != NULL)
    external->release_shape (settings,
                             &(AssayRunPosition){ .folders = (const char *const *) plan->folders,
                                                  .defense = component->name },
                             &shape);
  if (mechanism != NULL) {
    gsize n_inputs;

    mechanism->size (settings, probe->cols, &n_inputs, &shape.n_outputs);
    shape.output_bytes
        = shape.n_outputs
          * (mechanism->batches != NULL || mechanism->doubles != NULL ? sizeof (double)
                                                                      : sizeof (float));
  }
  /* A guess is measured while it is there, by one metric after the other. */
  return pairs_bytes (plan, kind, &shape) + memory_of (component, component->settings, &shape)
         + (count_repeats (plan, kind) + 1) * assay_kind_bytes (assay_kind (kind), &shape)
         + MAX (most_memory (plan->attacks, &shape), most_memory (plan->utilities, &shape))
         + most_memory (plan->metrics, &shape);
}

void
assay_plan_estimate (AssayPlan *plan)
{
  for (guint i = 0; i < plan->datasets->len; i++) {
    const AssayProbe *probe = &plan->probes[i];
    /* The pool's order, the secrets, the truth and the guess beside what the plugins say. */
    const guint64 own
        = assay_plan_secrets_needed (plan) * sizeof (gsize)
          + 3 * assay_plan_shape (plan, probe).n_secrets * probe->cols * sizeof (float);

    for (guint d = 0; d < plan->defenses->len; d++)
      plan->memory
          = MAX (plan->memory,
                 own + probe->memory
                     + defense_memory (plan, probe, assay_plan_component (plan->defenses, d)));
  }
}

/* ---- Shared work ---- */

guint64
assay_plan_machine_memory (void)
{
  return (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE);
}

/* What is left beside the processes, 0 where they need more than there is. */
static guint64
memory_left (const AssayPlan *plan, guint n_processes)
{
  const guint64 machine = assay_plan_machine_memory ();

  return plan->memory <= machine / n_processes ? machine - plan->memory * n_processes : 0;
}

guint64
assay_plan_shared_budget (const AssayPlan *plan, guint n_processes)
{
  return MIN (assay_shared_default_budget (), memory_left (plan, n_processes));
}

gboolean
assay_plan_check_budget (const AssayPlan *plan, guint n_processes, guint64 budget, GError **error)
{
  const guint64 machine = assay_plan_machine_memory ();
  const guint64 left = memory_left (plan, n_processes);
  g_autofree char *present = assay_text_bytes (machine);
  g_autofree char *needed = assay_text_bytes (plan->memory);
  g_autofree char *asked = assay_text_bytes (budget);
  g_autofree char *most = assay_text_bytes (left);

  if (plan->memory > machine / n_processes)
    return assay_fail (error, ASSAY_ERROR_MEMORY,
                       "%s: %u workers would need about %s of memory each, but the machine has "
                       "%s; expected at most %" G_GUINT64_FORMAT,
                       plan->scenario, n_processes, needed, present,
                       MAX (machine / MAX (plan->memory, 1), 1));
  return budget <= left
         || assay_fail (error, ASSAY_ERROR_MEMORY,
                        "%s: --cache-memory of %s and about %s for the run are more than the %s "
                        "that the machine has; expected at most %s",
                        plan->scenario, asked, needed, present, most);
}
