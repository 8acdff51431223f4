/* One scenario that is run, to its exit code: what `assay run` does with each, and other commands
 * with those that they write. */
#pragma once

#include "cli/cli.h"
#include "cli/options.h"
#include "runner/workers/transport.h"

typedef struct {
  CliPlanOptions plan;
  char *out;
  char *witness;
  char *baseline;
  char *cache_memory; /* as it was given; NULL: it was not */
  guint64 cache_bytes;
  guint64 data_owner; /* scenarios of one command share data */
  gint jobs;
  gint workers;
  AssayTransport *ranks; /* of MPI; NULL: there are none */
  gboolean accepts_changed_claims;
  gboolean resume;
  gboolean quiet;
  gboolean verbose;
  gboolean json;
  gboolean is_silent; /* nothing is printed of what came out */
} CliRunOptions;

/* How much shared work may take beside the cells of each of @plans (of AssayPlan), one after
 * another: what was asked for, or what there is room for. ASSAY_ERROR_MEMORY. */
gboolean cli_run_set_budget (const GPtrArray *plans, const CliRunOptions *options, GError **error);

/* Runs @plan in the folder @place, prints its table unless told otherwise, and says what went wrong
 * and how to go on where it was interrupted. An ExitCode. */
int cli_run_plan (const AssayPlan *plan, const char *place, const CliRunOptions *options);
