/* A plan in which some defenses are mutants of themselves. */
#pragma once

#include "core/games/mutant.h"
#include "runner/plan/plan.h"

/* Mistakes of the mechanism are for claims about epsilon, those of the release for claims about
 * what attacks recover. */
typedef struct {
  const char *name;
  guint (*count) (void);
  const AssayMutantKind *(*kind) (guint index);
  gboolean of_mechanism;
} AssayMutantFamily;

#define ASSAY_N_MUTANT_FAMILIES 2
extern const AssayMutantFamily assay_mutant_families[ASSAY_N_MUTANT_FAMILIES];

/* Whether mutants of @family change what the claim is about. */
gboolean assay_mutant_family_is_for (const AssayMutantFamily *family, const AssayClaim *claim);

/* The defenses that claims of the family are about: gboolean for each of the plan's. */
GArray *assay_mutant_family_defenses (const AssayMutantFamily *family, const AssayPlan *plan);

typedef struct {
  AssayPlan plan;      /* borrows all of the original but its defenses */
  GPtrArray *mutants;  /* AssayMutant of each defense; NULL: it is as it was */
  const char *why_not; /* the mistake can be made in none of them; NULL: it was made */
} AssayMutatedPlan;

/* Mutant number @index of @family of the defenses in @which. Borrows @plan. NULL with the error of
 * a mechanism that fails. */
AssayMutatedPlan *assay_mutated_plan_new (const AssayPlan *plan, const GArray *which,
                                          const AssayMutantFamily *family, guint index,
                                          GError **error);
void assay_mutated_plan_free (AssayMutatedPlan *mutated);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayMutatedPlan, assay_mutated_plan_free)

/* Whether the cell is one of a mutant. */
gboolean assay_mutated_plan_has (const AssayMutatedPlan *mutated, const AssayCell *cell);
