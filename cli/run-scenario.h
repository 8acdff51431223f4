/* One scenario that is run, to its exit code: what `assay run` does with each, and other commands
 * with those that they write. */
#pragma once

#include "cli/cli.h"
#include "cli/options.h"

/* How much shared work may take beside the cells of each of @plans (of AssayPlan), one after
 * another: what was asked for, or what there is room for. ASSAY_ERROR_MEMORY. */
gboolean cli_run_set_budget (const GPtrArray *plans, const CliRunOptions *options, GError **error);

/* Runs @plan in the folder @place, prints its table unless told otherwise, and says what went wrong
 * and how to go on where it was interrupted. An ExitCode. */
int cli_run_plan (const AssayPlan *plan, const char *place, const CliRunOptions *options);
