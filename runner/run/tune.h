/* Choosing an attack's settings on secrets that are set apart for it. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/run/workspace.h"
#include "runner/store/store.h"

/* Tries every candidate of the cell's attack on the release in @job (of assay_workspace_tuning)
 * and picks the one that its tune_measure says is best for the attacker; the first of equals.
 * The estimates of @ret_tuning are freed with g_free. A candidate that fails counts as the
 * worst. */
gboolean assay_tune (const AssayPlan *plan, const AssayCell *cell, AssayWorkspace *workspace,
                     const AssayJob *job, AssayTuning *ret_tuning, GError **error);
