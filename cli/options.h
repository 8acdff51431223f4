/* The options that change a plan, shared by run and plan; and those of a run. */
#pragma once

#include "runner/plan/planner.h"
#include "runner/workers/transport.h"

typedef struct {
  char **assignments;
  char *seed;
  char *trials;
} CliPlanOptions;

/* clang-format off */
#define CLI_PLAN_OPTIONS(options)                                                                  \
  { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &(options).assignments,                              \
    "Change a key of a scenario, such as \"defense lifting.dimension=4;8\"", "GROUP.KEY=VALUE" },  \
  { "seed", 0, 0, G_OPTION_ARG_STRING, &(options).seed, "Another seed", "N" },                     \
  { "trials", 0, 0, G_OPTION_ARG_STRING, &(options).trials, "Another number of trials", "N" }
/* clang-format on */

AssayPlan *cli_plan_new (const char *scenario, const CliPlanOptions *options, GError **error);

typedef struct {
  CliPlanOptions plan;
  char *out;
  char *witness;
  char *cells; /* words of the cells to run; NULL: all */
  char *baseline;
  char *cache_memory; /* as it was given; NULL: it was not */
  guint64 cache_bytes;
  guint64 data_owner; /* scenarios of one command share data */
  gint jobs;
  gint workers;
  AssayTransport *ranks; /* of MPI; NULL: there are none */
  gboolean accepts_changed_claims;
  gboolean is_portable;
  gboolean resume;
  gboolean quiet;
  gboolean verbose;
  gboolean json;
  gboolean is_silent; /* nothing is printed of what came out */
  gint64 deadline;    /* of cli_interrupt_after (monotonic); 0: there is none */
} CliRunOptions;
