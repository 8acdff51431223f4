/* The environment of programs of others: what a program needs to start and to compute, by name, and
 * nothing else, so that no token or key of whoever runs the audit (AWS_..., GITHUB_TOKEN, the
 * socket of an agent) comes to a program that is audited. */
#pragma once

#include <glib.h>

/* Of the environment of this process what is passed on, with TMPDIR set to @scratch. Variables
 * whose names stand in ASSAY_PASS_ENVIRONMENT, separated by spaces or commas, are passed on too. */
char **assay_environment_of_programs (const char *scratch);

/* Whether a variable of this name is passed on without being asked for. */
gboolean assay_environment_passes (const char *name);
