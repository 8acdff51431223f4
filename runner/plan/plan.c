/* A plan, and what can be asked of it. */
#include "runner/plan/plan.h"
#include "core/base/each.h"

AssayComponent *
assay_component_new (const char *kind, const char *label, const AssayPlugin *plugin,
                     AssaySettings *settings)
{
  AssayComponent *component = g_new (AssayComponent, 1);

  *component = (AssayComponent){ .kind = g_intern_string (kind),
                                 .label = g_strdup (label),
                                 .plugin = plugin,
                                 .settings = settings };
  return component;
}

ASSAY_FREE_FUNC (AssayComponent, assay_component_free, g_free (self->label), g_free (self->name),
                 assay_settings_free (self->settings),
                 assay_drop (self->candidates, g_ptr_array_unref), g_free (self->tuned_keys),
                 g_free (self->tune_measure), g_free (self->canonical), g_free (self->own.pairs),
                 assay_selector_free (self->where))

void
assay_selector_free (AssaySelector *selector)
{
  if (selector == NULL)
    return;
  g_free (selector->defense);
  g_free (selector->attack);
  g_free (selector->utility);
  ASSAY_FOR_EACH_IN (AssayCondition, condition, selector->conditions) {
    g_free (condition->role);
    g_free (condition->key);
    g_free (condition->value);
  }
  g_array_unref (selector->conditions);
  g_free (selector);
}

void
assay_claim_free (AssayClaim *claim)
{
  if (claim == NULL)
    return;
  g_free (claim->id);
  g_free (claim->says);
  g_free (claim->source);
  assay_selector_free (claim->selector);
  if (claim->measure == &claim->difference)
    g_free ((char *) claim->difference.name);
  g_free (claim);
}

ASSAY_FREE_FUNC (AssayContactSheet, assay_contact_sheet_free, g_free (self->name),
                 assay_selector_free (self->selector))

ASSAY_FREE_FUNC (AssaySkip, assay_skip_free, g_free (self->reason))

ASSAY_FREE_FUNC (AssayPlan, assay_plan_free, g_free (self->scenario),
                 g_free (self->scenario_sha256), g_free (self->text),
                 g_strfreev (self->assignments), g_free (self->canonical), g_free (self->sha256),
                 g_free (self->title), g_free (self->reference), g_ptr_array_unref (self->datasets),
                 g_ptr_array_unref (self->defenses), g_ptr_array_unref (self->attacks),
                 g_ptr_array_unref (self->utilities), g_ptr_array_unref (self->metrics),
                 g_ptr_array_unref (self->claims), g_ptr_array_unref (self->sheets),
                 g_array_unref (self->cells), g_ptr_array_unref (self->skipped),
                 g_free (self->probes), g_free (self->external), g_strfreev (self->folders))

/* ---- Cells ---- */

/* Nothing of the order that is usual. */
static char *
order_line (const AssayPlan *plan)
{
  return plan->keeps_order || plan->repeats_secrets
             ? g_strdup_printf ("order=%s\n", assay_plan_order (plan))
             : g_strdup ("");
}

/* What is hashed into a cell's id and streams: everything that its numbers may depend on. */
static char *
canonical_cell (const AssayPlan *plan, const AssayCell *cell)
{
  g_autofree char *trial = cell->trial == ASSAY_ALL_TRIALS ? g_strdup ("all")
                                                           : g_strdup_printf ("%u", cell->trial);

  g_autofree char *groups = plan->secret_groups > 0
                                ? g_strdup_printf ("secret_groups=%zu\n", plan->secret_groups)
                                : order_line (plan);

  return g_strdup_printf (
      "%s%s%s%strial=%s\nsecrets=%zu\n%s", assay_plan_dataset (plan, cell)->canonical,
      assay_plan_defense (plan, cell)->canonical,
      cell->utility != ASSAY_NO_COMPONENT ? "utility " : "",
      assay_plan_attack_or_utility (plan, cell)->canonical, trial, plan->secrets, groups);
}

char *
assay_plan_cell_id (const AssayPlan *plan, const AssayCell *cell)
{
  g_autofree char *canonical = canonical_cell (plan, cell);
  g_autofree char *sha256 = g_compute_checksum_for_string (G_CHECKSUM_SHA256, canonical, -1);

  return g_strndup (sha256, 16);
}

const AssayCell *
assay_plan_find_cell (const AssayPlan *plan, const char *id)
{
  for (gsize i = 0; i < plan->cells->len; i++) {
    g_autofree char *own = assay_plan_cell_id (plan, assay_plan_cell (plan, i));

    if (g_str_equal (own, id))
      return assay_plan_cell (plan, i);
  }
  return NULL;
}

AssayStreamKey
assay_plan_stream (const AssayPlan *plan, const AssayCell *cell, const char *role,
                   const char *attack)
{
  const AssayComponent *dataset = assay_plan_dataset (plan, cell);
  const AssayComponent *defense = assay_plan_defense (plan, cell);
  const gboolean is_data = g_str_equal (role, "data") || g_str_equal (role, "secrets");
  g_autofree char *data_settings = assay_settings_canonical (dataset->settings);
  g_autofree char *defense_settings = assay_settings_canonical (defense->settings);
  /* The pool and its order are the same for every trial: trials take disjoint parts of it. */
  const guint64 trial = is_data ? 0 : cell->trial;
  g_autofree char *upstream = g_strdup_printf (
      "%s\n%s%s%s%s%s%s%s", dataset->plugin->id, data_settings,
      is_data ? "" : defense->plugin->id, is_data ? "" : "\n", is_data ? "" : defense_settings,
      attack != NULL ? assay_plan_attack_or_utility (plan, cell)->plugin->id : "",
      attack != NULL ? "\n" : "", attack != NULL ? attack : "");

  return assay_stream_key (plan->seed, trial, role, upstream);
}

gboolean
assay_plan_keeps_order (const AssayPlan *plan, guint index)
{
  return plan->keeps_order || assay_plan_component (plan->datasets, index)->dataset->keeps_order;
}

gsize
assay_plan_draws (const AssayPlan *plan)
{
  return plan->repeats_secrets ? 1 : plan->trials;
}

const char *
assay_plan_order (const AssayPlan *plan)
{
  return plan->repeats_secrets ? "same" : plan->keeps_order ? "file" : "random";
}

gboolean
assay_plan_has_releases (const AssayPlan *plan)
{
  ASSAY_FOR_EACH (const AssayComponent, component, plan->attacks)
    if (component->plugin->type == ASSAY_PLUGIN_ATTACK)
      return TRUE;
  return plan->utilities->len > 0;
}

guint
assay_plan_n_measuring (const AssayPlan *plan, const AssayCell *cell)
{
  return cell->utility != ASSAY_NO_COMPONENT ? 1 : plan->metrics->len;
}

const AssayComponent *
assay_plan_measuring (const AssayPlan *plan, const AssayCell *cell, guint index)
{
  return cell->utility != ASSAY_NO_COMPONENT ? assay_plan_utility (plan, cell)
                                             : assay_plan_component (plan->metrics, index);
}

const AssayComponent *
assay_plan_attack_or_utility (const AssayPlan *plan, const AssayCell *cell)
{
  return cell->utility != ASSAY_NO_COMPONENT ? assay_plan_utility (plan, cell)
                                             : assay_plan_attack (plan, cell);
}

/* ---- Sizes ---- */

/* Secrets of a cell; where whole groups are drawn, so many as groups of mean size would hold. */
guint
assay_plan_starts (const AssayPlan *plan, const AssayCell *cell, const AssaySettings *settings)
{
  const AssayPlugin *plugin = assay_plan_attack_or_utility (plan, cell)->plugin;

  return plugin->type == ASSAY_PLUGIN_ATTACK
                 && assay_attack_draws (assay_attack_of (plugin), settings->values)
             ? plan->starts
             : 1;
}

static gsize
secrets_of_cell (const AssayPlan *plan, const AssayProbe *probe)
{
  if (plan->secret_groups == 0 || probe->n_groups == 0)
    return plan->secrets;
  return (gsize) ((double) probe->n_secrets * (double) plan->secret_groups
                  / (double) probe->n_groups);
}

AssayShape
assay_plan_shape (const AssayPlan *plan, const AssayProbe *probe)
{
  return (AssayShape){ .n_secrets = MAX (secrets_of_cell (plan, probe), plan->tune_secrets),
                       .cols = probe->cols,
                       .n_public = probe->n_public,
                       .n_database = probe->n_database,
                       .n_test = probe->n_test,
                       .n_classes = probe->n_classes,
                       .geometry = probe->geometry };
}

gsize
assay_plan_secrets_needed (const AssayPlan *plan)
{
  /* Audits alone draw none. */
  return assay_plan_has_releases (plan)
             ? assay_plan_draws (plan) * plan->secrets + plan->tune_secrets
             : 0;
}

guint
assay_plan_lacks (const AssayPlan *plan, guint needs)
{
  for (guint i = 0; i < plan->datasets->len; i++)
    if (needs & ~plan->probes[i].holdings)
      return needs & ~plan->probes[i].holdings;
  return 0;
}
