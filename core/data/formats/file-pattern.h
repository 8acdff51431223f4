/* Files of one folder that a pattern names, as a shell has it: "Labels_*.txt". */
#pragma once

#include <glib.h>

gboolean assay_is_file_pattern (const char *name); /* whether it has a '*' */

/* The paths of the regular files of @folder that @pattern stands for, in the order of the numbers
 * in their names: 2.txt before 10.txt. NULL with ASSAY_ERROR_DATA: no folder, no such file. */
GPtrArray *assay_file_pattern_list (const char *folder, const char *pattern, GError **error);
