/* assay selftest --mutants: the audit of the audit. */
#pragma once

#include "cli/options.h"
#include "runner/judge/results.h"

typedef struct {
  CliPlanOptions plan;
  char *out; /* the folder of the scenario's run; NULL: the result is printed alone */
  int jobs;
  gboolean quiet;
} CliMutantsOptions;

/* Plays the mutants of @scenario and says which of them its audit would have seen. The exit code.
 * */
int cli_mutants (const char *scenario, const CliMutantsOptions *options);

/* What was seen of mutants of the run in @folder, if that was asked, into @results; a file that
 * cannot be read is told and passed over. */
void cli_load_mutants (AssayResults *results, const char *folder);

/* The same for a run that works in @work and will replace that in @place: what was seen goes on if
 * it is of the same plan, claims and data. */
gboolean cli_keep_mutants (AssayResults *results, const char *place, const char *work,
                           GError **error);
