/* Processes that share a run: workers that this one starts, or ranks of a launcher. */
#pragma once

#include "cli/options.h"
#include "runner/workers/mpi.h"

/* What this process is in a run. */
typedef struct {
  AssayMpi mpi;
  AssayTransport *ranks;     /* of rank 0: its workers; NULL: there are none */
  AssayTransport *scheduler; /* of a worker; NULL: this process is none */
  const char *name;          /* in messages: "rank 3 on HOST" */
} CliProcess;

/* Before options are read: what is printed of them is for one process to print. */
CliProcess cli_process_join (void);
void cli_process_leave (CliProcess *process);

/* Runs cells of the scenarios that are sent, until there are no more. What is wrong with a scenario
 * is told by the scheduler. @opens_ahead: the run begins with the first dataset. */
void cli_process_work (const CliProcess *process, char **scenarios, guint n,
                       const CliRunOptions *options);

/* @options->workers of them for @plan, whose results go to @place; they share the threads and the
 * memory for shared work. */
AssayTransport *cli_workers_new (const AssayPlan *plan, const char *place,
                                 const CliRunOptions *options, GError **error);
