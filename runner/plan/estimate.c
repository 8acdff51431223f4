/* Memory and work of a run, by the sizes and settings of its parts. */
#include "runner/plan/estimate.h"

#include <unistd.h>

#include "core/base/error.h"
#include "core/base/shared-work.h"
#include "core/base/text.h"

/* What one attack (or utility) holds and costs on the release of one defense, beyond what the
 * defense does. */
static void
estimate_attack (const AssayPart *part, const AssayShape *shape, gdouble trials,
                 guint64 *inout_memory, double *inout_work)
{
  const guint n = part->candidates != NULL ? part->candidates->len : 1;
  double most = 0;

  for (guint c = 0; c < n; c++) {
    const AssaySettings *settings
        = part->candidates != NULL ? part->candidates->pdata[c] : part->settings;
    const double work
        = part->plugin->work != NULL ? part->plugin->work (settings->values, shape) : 0;

    if (part->plugin->memory != NULL)
      *inout_memory = MAX (*inout_memory, part->plugin->memory (settings->values, shape));
    most = MAX (most, work);
    if (part->candidates != NULL)
      *inout_work += work;
  }
  *inout_work += trials * most;
}

/* Further releases of one defense that are kept: the most that an attack on it wants. */
static gsize
count_repeats (const AssayPlan *plan, AssayReleaseKind kind)
{
  gsize most = 0;

  for (guint a = 0; a < plan->attacks->len; a++) {
    const AssayPart *part = assay_plan_part (plan->attacks, a);
    const AssayAttack *attack = (const AssayAttack *) part->plugin;
    const guint n = part->candidates != NULL ? part->candidates->len : 1;

    if (attack->repeats == NULL || !(part->grants & ASSAY_GRANT_REPEATS)
        || !(attack->reads & kind))
      continue;
    for (guint c = 0; c < n; c++) {
      const AssaySettings *settings
          = part->candidates != NULL ? part->candidates->pdata[c] : part->settings;

      most = MAX (most, attack->repeats (settings->values));
    }
  }
  return most;
}

/* Memory and work of one call of the defense. What does not grow with the secrets (a dictionary) is
 * made once for all releases, and they share it. */
typedef struct {
  guint64 memory, memory_once;
  double work, work_once;
} Cost;

static Cost
cost_of (const AssayPart *part, const AssayShape *shape)
{
  const AssayPlugin *plugin = part->plugin;
  gconstpointer settings = part->settings->values;
  AssayShape nothing = *shape;
  Cost cost = { 0 };

  nothing.n_secrets = 0;
  if (plugin->memory != NULL) {
    cost.memory_once = plugin->memory (settings, &nothing);
    cost.memory = plugin->memory (settings, shape) - cost.memory_once;
  }
  if (plugin->work != NULL) {
    cost.work_once = plugin->work (settings, &nothing);
    cost.work = plugin->work (settings, shape) - cost.work_once;
  }
  return cost;
}

/* Bytes of one further release. Sizes alone do not say how large sets are: no more than what the
 * defense holds for the secrets. */
static guint64
release_bytes (AssayReleaseKind kind, const AssayShape *shape, const Cost *cost)
{
  const guint64 n = shape->n_secrets;

  switch (kind) {
  case ASSAY_RELEASE_VECTORS:
    return n * shape->cols * sizeof (float);
  case ASSAY_RELEASE_SUBSPACES:
    return n * (shape->dimension + 1) * shape->cols * sizeof (float);
  case ASSAY_RELEASE_MIXTURES:
    return shape->n_released * (shape->cols + shape->n_classes) * sizeof (float);
  case ASSAY_RELEASE_STATISTICS:
    return shape->n_outputs * sizeof (float);
  case ASSAY_RELEASE_CODES: /* a function learned of them is as large as some of the secrets */
  case ASSAY_RELEASE_VECTOR_SETS:
  case ASSAY_RELEASE_NONE:
    break;
  }
  return cost->memory;
}

/* Adds up the cells of one defense on one dataset; returns the memory beside the dataset's. */
static guint64
estimate_defense (AssayPlan *plan, const AssayProbe *probe, const AssayPart *part)
{
  const AssayDefense *defense = (const AssayDefense *) part->plugin;
  const AssayMechanism *mechanism = assay_defense_mechanism (defense, part->settings->values);
  const AssayReleaseKind kind = assay_defense_produces (defense, part->settings->values);
  const gsize n_repeats = count_repeats (plan, kind);
  AssayShape shape = assay_plan_shape (plan, probe);
  const Cost cost = cost_of (part, &shape);
  guint64 attack_memory = 0, metric_memory = 0;

  plan->work += cost.work_once + (double) plan->trials * (double) (1 + n_repeats) * cost.work;
  if (defense->release_shape != NULL)
    defense->release_shape (part->settings->values, &shape);
  if (mechanism != NULL) {
    gsize n_inputs;

    mechanism->size (part->settings->values, probe->cols, &n_inputs, &shape.n_outputs);
  }
  for (guint a = 0; a < plan->attacks->len; a++)
    estimate_attack (plan->attacks->pdata[a], &shape, (double) plan->trials, &attack_memory,
                     &plan->work);
  for (guint u = 0; u < plan->utilities->len; u++)
    estimate_attack (plan->utilities->pdata[u], &shape, (double) plan->trials, &attack_memory,
                     &plan->work);
  /* A guess is measured while it is there, by one metric after the other. */
  for (guint m = 0; m < plan->metrics->len; m++)
    estimate_attack (plan->metrics->pdata[m], &shape,
                     (double) (plan->trials * plan->attacks->len), &metric_memory, &plan->work);
  attack_memory += metric_memory;
  return cost.memory_once + cost.memory + n_repeats * release_bytes (kind, &shape, &cost)
         + attack_memory;
}

/* Adds up the cells of one dataset. */
static void
estimate_dataset (AssayPlan *plan, guint index)
{
  const AssayProbe *probe = &plan->probes[index];
  /* The pool's order, the secrets, the truth and the guess beside what the plugins say. */
  const guint64 own = assay_plan_secrets_needed (plan) * sizeof (gsize)
                      + 3 * assay_plan_shape (plan, probe).n_secrets * probe->cols * sizeof (float);

  plan->work += probe->work;
  for (guint d = 0; d < plan->defenses->len; d++) {
    const guint64 memory = estimate_defense (plan, probe, assay_plan_part (plan->defenses, d));

    plan->memory = MAX (plan->memory, own + probe->memory + memory);
  }
}

void
assay_plan_estimate (AssayPlan *plan)
{
  for (guint i = 0; i < plan->datasets->len; i++)
    estimate_dataset (plan, i);
}

/* ---- Shared work ---- */

static guint64
memory_of_machine (void)
{
  return (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE);
}

/* What is left beside the processes, 0 where they need more than there is. */
static guint64
memory_left (const AssayPlan *plan, guint n_processes)
{
  const guint64 machine = memory_of_machine ();

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
  const guint64 machine = memory_of_machine ();
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
