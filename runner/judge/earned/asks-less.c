/* Attacks that are asked for less than they can. */
#include "runner/judge/earned/asks-less.h"

static char *
few (const char *key, gsize rows, gsize n_public)
{
  return g_strdup_printf ("%s = %zu, where the dataset has %zu public rows", key, rows, n_public);
}

/* Of pairs: public rows that the attacker may protect, or has in the release. */
static char *
few_rows (const AssayPlan *plan, const AssayCell *cell, const AssayComponent *component)
{
  const gsize n_public = plan->probes[cell->dataset].n_public;
  const gsize enough = MIN (ASSAY_ENOUGH_PAIRS, n_public);

  if (component->own.known > 0)
    /* Those that are in the release are no longer public. */
    return component->own.known >= enough / 2
               ? NULL
               : few ("known_rows", component->own.known, n_public);
  return !(component->grants & ASSAY_GRANT_MECHANISM) || component->own.rows >= enough
             ? NULL
             : few ("mechanism_rows", component->own.rows, n_public);
}

char *
assay_asks_less (const AssayPlan *plan, const AssayCell *cell, const AssaySettings *settings)
{
  const AssayComponent *component = assay_plan_attack (plan, cell);
  const AssayAttack *attack = assay_attack_of (component->plugin);
  char *narrowed = assay_settings_narrowed (settings);

  if (narrowed != NULL || attack == NULL || !attack->adapts)
    return narrowed;
  if (assay_attack_wants_pairs (attack, settings->values))
    return few_rows (plan, cell, component);
  return component->own.runs >= ASSAY_ENOUGH_RUNS
             ? NULL
             : g_strdup_printf ("mechanism_runs = %" G_GUINT64_FORMAT ", where %d are wanted",
                                component->own.runs, ASSAY_ENOUGH_RUNS);
}
