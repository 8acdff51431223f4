/* assay dataset: its subcommands. */
#pragma once

#include "cli/cli.h"
#include "datasets/tables/table.h"

extern const CliUsage cli_dataset_info, cli_dataset_convert, cli_dataset_extract, cli_dataset_fetch;

/* Opens @word (FILE or FILE[PART]), relative to the working folder or ASSAY_DATA, as the format
 * called @format or by its name (NULL). */
AssayTable *cli_dataset_open (const char *word, const char *format, GError **error);

/* Prints @error; the exit code that fits it, also after Ctrl-C. */
int cli_dataset_fail (const GError *error);
