/* Runs whose results do not depend on the processor. */
#pragma once

#include <glib.h>

/* OpenBLAS chooses its kernels by processor, before main begins, unless the environment names them.
 * Where "--portable" is among the words of @argv, the program begins again with them named; else,
 * and where they are named already, nothing happens. */
void cli_pin_kernels (char **argv);
/* NULL, or why this process cannot give the results of a portable run. */
char *cli_why_not_portable (void);
