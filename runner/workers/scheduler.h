/* Running a plan with workers. */
#pragma once

#include "runner/run/run.h"
#include "runner/workers/transport.h"

/* Runs what @store does not hold yet, as assay_run does. A worker that is lost costs its cell,
 * which is run again by another; a cell that costs two workers counts as crashed. */
gboolean assay_run_with_workers (const AssayPlan *plan, AssayStore *store, AssayTransport *workers,
                                 const AssayRunCallbacks *callbacks, AssayRunEnd *ret_end,
                                 GError **error);
