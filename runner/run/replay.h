/* Whether a program of others answers the same request alike.
 *
 * Whoever draws random numbers from anywhere but the request makes a run that cannot be repeated,
 * and attackers who run the program with its key learn of another one. The first release of each
 * defense is therefore made twice: with the same request, so that no start can tell that it is
 * looked at, and with no further random number of the run. */
#pragma once

#include "runner/run/workspace.h"
#include "runner/store/store.h"

/* Errors after which going on makes no sense: the next cell would meet them too. */
gboolean assay_run_ends_with (const GError *error);

/* The number of the first cell of the plan that meets a release of a defense with that label, where
 * the defense starts a program; FALSE: none does, or it starts none. */
gboolean assay_replay_first (const AssayPlan *plan, guint defense, gsize *ret_index);

/* After cell @index was run: where it is the first of its defense, makes its release again and
 * keeps in the store where that is another one. A release that took longer than ten seconds is not
 * made again. ASSAY_ERROR_IO, _MEMORY, _CANCELLED: the run ends. */
gboolean assay_replay_cell (const AssayPlan *plan, AssayWorkspace *workspace, AssayStore *store,
                            gsize index, GError **error);
