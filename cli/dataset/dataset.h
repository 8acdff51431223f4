/* assay dataset: its subcommands. */
#pragma once

#include "datasets/tables/table.h"

G_BEGIN_DECLS

int cli_dataset_info (int argc, char **argv);
int cli_dataset_convert (int argc, char **argv);
int cli_dataset_extract (int argc, char **argv);
int cli_dataset_fetch (int argc, char **argv);

/* Opens @name, relative to the working folder or ASSAY_DATA, as the format called @format or by its
 * name (NULL). */
AssayTable *cli_dataset_open (const char *name, const char *format, GError **error);

/* Prints @error; the exit code that fits it, also after Ctrl-C. */
int cli_dataset_fail (const GError *error);

G_END_DECLS
