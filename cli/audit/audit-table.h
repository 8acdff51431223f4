/* Any table of numbers as rows: what `assay dataset info` knows. */
#pragma once

#include "core/data/matrix.h"

/* All rows of the file @name. ASSAY_ERROR_DATA: a number is not finite as float32. */
AssayMatrix *cli_audit_table_read (const char *name, GError **error);
