/* The options that change a plan, shared by run and plan. */
#pragma once

#include "runner/plan/planner.h"

typedef struct {
  char **assignments;
  char *seed;
  char *trials;
} CliPlanOptions;

#define CLI_PLAN_OPTIONS(options)                                                                 \
  { "set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &(options).assignments,                             \
    "Change a key, such as \"defense lifting.dimension=4;8\"", "GROUP.KEY=VALUE" },               \
  { "seed", 0, 0, G_OPTION_ARG_STRING, &(options).seed, "Another seed", "N" },                    \
  { "trials", 0, 0, G_OPTION_ARG_STRING, &(options).trials, "Another number of trials", "N" }

AssayPlan *cli_plan_new (const char *scenario, const CliPlanOptions *options, GError **error);
