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
  { "seed", 0, 0, G_OPTION_ARG_STRING, &(options).seed,                                     \
    "Another seed; fresh: one that is drawn, and that nobody can guess", "N" },                    \
  { "trials", 0, 0, G_OPTION_ARG_STRING, &(options).trials, "Another number of trials", "N" }
/* clang-format on */

AssayPlan *cli_plan_new (const char *scenario, const CliPlanOptions *options, GError **error);

/* A seed that nobody can guess, 63 bits of the system's random numbers: what a defense draws could
 * be subtracted otherwise, and a program under audit could tell from its random numbers which start
 * of the run it is. */
gboolean cli_seed_draw (guint64 *ret_seed, GError **error);

/* Where @inout_text, of the option --seed, is "fresh": puts a number that was drawn in its place,
 * the same for all of a command. */
gboolean cli_seed_settle (char **inout_text, GError **error);

/* Of the words of a command, number @i, with the number that was drawn where it says "fresh". */
char *cli_seed_word (char **words, guint i);

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
