/* Processes that share a run: workers that this one starts, or ranks of a launcher. */
#pragma once

#include "cli/options.h"
#include "runner/crew/crew-mpi.h"

/* What this process is in a run. */
typedef struct {
  AssayMpi mpi;
  AssayCrew *ranks; /* of rank 0; NULL: there are no others */
  AssayPost *post;  /* of a worker; NULL: this process is none */
  gboolean is_local;
} CliParty;

/* Before options are read: what is printed of them is for one process to print. */
CliParty cli_party_join (void);
void cli_party_leave (CliParty *party);

/* Runs cells of the scenarios that are sent, until there are no more. What is wrong with a scenario
 * is told by whoever sends them. @opens_ahead: the run begins with the first dataset. */
void cli_party_work (CliParty *party, char **scenarios, guint n, const CliPlanOptions *options,
                     gboolean opens_ahead);

/* @n workers for @plan, who share the threads and the memory for shared work. */
AssayCrew *cli_crew_new (const AssayPlan *plan, const CliPlanOptions *options, guint n,
                         gboolean is_verbose, GError **error);
