/* What has to stand in the environment before the libraries that read it are loaded. */
#pragma once

#include <glib.h>

/* Sets it, and begins the program again where anything was missing: how long threads wait, which
 * stays where the user has set it; where "--portable" is among the words of @argv, one set of
 * kernels for all processors; otherwise, where OpenBLAS does not know the processor and the user
 * has chosen no kernels, those for its instructions. Not for commands that compute nothing. */
void cli_settle_environment (char **argv);
/* Whether @option is among the words of @argv before a "--". */
gboolean cli_has_option (char **argv, const char *option);
/* NULL, or why this process cannot give the results of a portable run. */
char *cli_why_not_portable (void);
