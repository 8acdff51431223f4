/* Running a plan: cell after cell, each committed to the store before the next is begun. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/run/progress/telling.h"
#include "runner/run/workspace.h"
#include "runner/store/records.h"

typedef enum {
  ASSAY_RUN_FINISHED,
  ASSAY_RUN_INTERRUPTED,
} AssayRunEnd;

/* What runs the cells of a plan into a store, one at a time: a run, or one of several processes
 * that share one (runner/workers/worker.h). Borrows all that it is made of. */
typedef struct _AssayRunner AssayRunner;

AssayRunner *assay_runner_new (const AssayPlan *plan, AssayWorkspace *workspace, AssayStore *store,
                               const AssayRunCallbacks *callbacks);
ASSAY_DECLARE_FREE (AssayRunner, assay_runner_free)

/* Runs cell @index, whose errors stand in the store. FALSE: ASSAY_ERROR_IO, ASSAY_ERROR_MEMORY,
 * ASSAY_ERROR_CANCELLED, or the dataset cannot be opened or has changed; the cell is as if it had
 * not been begun. */
gboolean assay_runner_cell (AssayRunner *runner, gsize index, GError **error);

/* Runs the wanted cells that @store does not hold yet. Errors of one cell stand in the store and
 * the run goes on; ASSAY_ERROR_IO and ASSAY_ERROR_MEMORY end it, and what is done is kept. */
gboolean assay_run (const AssayPlan *plan, AssayWorkspace *workspace, AssayStore *store,
                    const AssayRunCallbacks *callbacks, AssayRunEnd *ret_end, GError **error);

/* Plays the attack of a cell, and what its utility assesses, once more: the same guess and the same
 * outcomes as in the run. @job is that of the cell (assay_workspace_cell). */
gboolean assay_run_attack (const AssayPlan *plan, AssayWorkspace *workspace, AssayStore *store,
                           const AssayCell *cell, AssayGuess **ret_guess, GError **error);
gboolean assay_run_assess (const AssayPlan *plan, const AssayCell *cell, const AssayJob *job,
                           AssayOutcomes *ret_outcomes, GError **error);
