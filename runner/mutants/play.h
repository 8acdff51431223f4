/* The audit of the audit: what would it have said of its own defenses with a known mistake in them?
 *
 * The scenario is played as it is, in memory, and then once for each mutant of the defenses that
 * its claims are about: same data, secrets, attacks, sizes and seed. Cells of other defenses (those
 * for reference) are played once. A mutant is *seen* where a claim is violated that is not violated
 * without the mistake, and *stopped* where none is, but one that passes without it is inconclusive:
 * runs that are not independent, say. What is violated as it is would be with any mistake, and says
 * nothing of mutants. */
#pragma once

#include "runner/judge/mutants.h"
#include "runner/mutants/mutated-plan.h"
#include "runner/run/run.h"

/* What one play leaves to the next, so that nothing is lost when it is killed. */
typedef struct {
  const char *path; /* of its file; NULL: nothing is left */
  /* Writes the mutants that were played until now to `path`. */
  gboolean (*save) (const AssayResultMutants *mutants, gpointer data, GError **error);
  gpointer data;
} AssayUnfinishedMutants;

/* FALSE: it cannot be told for @plan. ASSAY_ERROR_SCENARIO: it has no claim that mutants could
 * break; ASSAY_ERROR_MISMATCH: each such claim is violated as it is; ASSAY_ERROR_CANCELLED; or the
 * error of the run. @progress counts cells of all mutants. Mutants that an earlier play of the same
 * plan, claims and data kept are not played again. */
gboolean assay_mutants_play (const AssayPlan *plan, const AssayUnfinishedMutants *unfinished,
                             const AssayRunCallbacks *callbacks, AssayResultMutants **ret_mutants,
                             GError **error);
