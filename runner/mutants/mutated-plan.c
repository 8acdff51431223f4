/* A plan in which some defenses are mutants of themselves. */
#include "runner/mutants/mutated-plan.h"

#include "core/games/mutants/dataset-mutants.h"
#include "core/games/mutants/mechanism-mutants.h"
#include "core/games/mutants/release-mutants.h"
#include "runner/plan/claim.h"

static gboolean
is_distinguished (const AssayComponent *attack)
{
  const AssayAuditor *auditor = assay_auditor_of (attack->plugin);

  return auditor != NULL && auditor->game == ASSAY_AUDIT_TWO_INPUTS;
}

static gboolean
is_run_once (const AssayComponent *attack)
{
  const AssayAuditor *auditor = assay_auditor_of (attack->plugin);

  return auditor != NULL && auditor->game == ASSAY_AUDIT_ONE_RUN;
}

static gboolean
is_attacked (const AssayComponent *attack)
{
  return assay_auditor_of (attack->plugin) == NULL;
}

static AssayMutant *
make_mechanism (guint index, const AssayComponent *defense, gsize cols, const char **ret_why_not,
                GError **error)
{
  return assay_mechanism_mutant_new (index, defense->defense, defense->settings, cols, ret_why_not,
                                     error);
}

static AssayMutant *
make_dataset (guint index, const AssayComponent *defense, G_GNUC_UNUSED gsize cols,
              const char **ret_why_not, G_GNUC_UNUSED GError **error)
{
  return assay_dataset_mutant_new (index, defense->defense, defense->settings, ret_why_not);
}

static AssayMutant *
make_release (guint index, const AssayComponent *defense, G_GNUC_UNUSED gsize cols,
              const char **ret_why_not, G_GNUC_UNUSED GError **error)
{
  return assay_release_mutant_new (index, defense->defense, defense->settings, ret_why_not);
}

const AssayMutantFamily assay_mutant_families[ASSAY_N_MUTANT_FAMILIES] = {
  { "mechanism", assay_mechanism_mutant_kind, is_distinguished, make_mechanism, FALSE },
  { "dataset", assay_dataset_mutant_kind, is_run_once, make_dataset, FALSE },
  { "release", assay_release_mutant_kind, is_attacked, make_release, TRUE },
};

/* Whether a mutant of @family in @cell could break @claim. */
static gboolean
is_about (const AssayMutantFamily *family, const AssayPlan *plan, const AssayClaim *claim,
          const AssayCell *cell)
{
  const gboolean is_epsilon = claim->measure->statistic == ASSAY_STATISTIC_EPSILON;

  return claim->utility == NULL && cell->trial == 0 && cell->utility == ASSAY_NO_COMPONENT
         && is_epsilon == !is_attacked (assay_plan_attack (plan, cell))
         && assay_claim_may_select (plan, claim, cell)
         && family->is_played_by (assay_plan_attack (plan, cell));
}

gboolean
assay_mutant_family_is_for (const AssayMutantFamily *family, const AssayPlan *plan,
                            const AssayClaim *claim)
{
  for (gsize i = 0; i < plan->cells->len; i++)
    if (is_about (family, plan, claim, assay_plan_cell (plan, i)))
      return TRUE;
  return FALSE;
}

GArray *
assay_mutant_family_defenses (const AssayMutantFamily *family, const AssayPlan *plan)
{
  GArray *which = g_array_new (FALSE, TRUE, sizeof (gboolean));

  g_array_set_size (which, plan->defenses->len);
  ASSAY_FOR_EACH (const AssayClaim, claim, plan->claims) {
    ASSAY_FOR_EACH_IN (const AssayCell, cell, plan->cells) {
      if (is_about (family, plan, claim, cell))
        g_array_index (which, gboolean, cell->defense) = TRUE;
    }
  }
  return which;
}

static void
mutant_free (gpointer mutant)
{
  if (mutant != NULL)
    assay_mutant_free (mutant);
}

/* A copy of @component that borrows all but itself; with @mutant in place of the defense. */
static AssayComponent *
replace (const AssayComponent *component, const AssayMutant *mutant)
{
  AssayComponent *copy = g_memdup2 (component, sizeof *component);

  if (mutant != NULL) {
    copy->defense = &mutant->defense;
    copy->settings = (AssaySettings *) &mutant->settings;
  }
  return copy;
}

AssayMutatedPlan *
assay_mutated_plan_new (const AssayPlan *plan, const GArray *which, const AssayMutantFamily *family,
                        guint index, GError **error)
{
  g_autoptr (AssayMutatedPlan) mutated = g_new0 (AssayMutatedPlan, 1);
  guint n_mutants = 0;

  mutated->plan = *plan;
  mutated->plan.defenses = g_ptr_array_new_with_free_func (g_free);
  mutated->mutants = g_ptr_array_new_with_free_func (mutant_free);
  for (guint d = 0; d < plan->defenses->len; d++) {
    const AssayComponent *component = assay_plan_component (plan->defenses, d);
    AssayMutant *mutant = NULL;
    const char *why_not = NULL;

    if (g_array_index (which, gboolean, d)) {
      mutant = family->make (index, component, plan->probes[0].cols, &why_not, error);
      if (mutant == NULL && why_not == NULL)
        return NULL;
      mutated->why_not = mutated->why_not != NULL ? mutated->why_not : why_not;
    }
    n_mutants += mutant != NULL;
    g_ptr_array_add (mutated->mutants, mutant);
    g_ptr_array_add (mutated->plan.defenses, replace (component, mutant));
  }
  if (n_mutants > 0)
    mutated->why_not = NULL;
  return g_steal_pointer (&mutated);
}

ASSAY_FREE_FUNC (AssayMutatedPlan, assay_mutated_plan_free,
                 assay_drop (self->plan.defenses, g_ptr_array_unref),
                 assay_drop (self->mutants, g_ptr_array_unref))

gboolean
assay_mutated_plan_has (const AssayMutatedPlan *mutated, const AssayCell *cell)
{
  return mutated->mutants->pdata[cell->defense] != NULL;
}
