/* Whether a run store that lies on disk holds what this program would have written. */
#pragma once

#include "runner/store/sql.h"

/* That @store has the tables of @schema, and nothing else (no trigger, no
 * view), and that every cell of every table has the type, range and length that the rest
 * of the program counts on, with text that is UTF-8. ASSAY_ERROR_DATA says which rule is broken,
 * and in which row. */
gboolean assay_store_verify (AssayStore *store, const char *schema, GError **error);
