/* A plan in which some defenses are mutants of themselves. */
#pragma once

#include "core/games/mutants/mutant.h"
#include "runner/plan/plan.h"

/* Mistakes of the mechanism and of what it makes of a dataset are for claims about epsilon, where
 * an attack plays the game distinguish or one-run; those of the release for claims about what
 * attacks recover. */
typedef struct {
  const char *name;
  const AssayMutantKind *(*kind) (guint index);            /* NULL: there are no more */
  gboolean (*is_played_by) (const AssayComponent *attack); /* what the cell's attack would see */
  /* NULL: with *ret_why_not, or with an error. */
  AssayMutant *(*make) (guint index, const AssayComponent *defense, gsize cols,
                        const char **ret_why_not, GError **error);
  gboolean counts_changes; /* a mutant that changed nothing does not apply */
} AssayMutantFamily;

#define ASSAY_N_MUTANT_FAMILIES 3
extern const AssayMutantFamily assay_mutant_families[ASSAY_N_MUTANT_FAMILIES];

/* Whether mutants of @family change what the claim is about. */
gboolean assay_mutant_family_is_for (const AssayMutantFamily *family, const AssayPlan *plan,
                                     const AssayClaim *claim);

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
ASSAY_DECLARE_FREE (AssayMutatedPlan, assay_mutated_plan_free)

/* Whether the cell is one of a mutant. */
gboolean assay_mutated_plan_has (const AssayMutatedPlan *mutated, const AssayCell *cell);
