/* The contact sheets of a run, put together from its store. */
#pragma once

#include "runner/judge/results.h"

G_BEGIN_DECLS

/* One AssayResultSheet for each of the plan; their cells are those of @results, which are there
 * already. NULL with an error. */
GPtrArray *assay_sheets_load (const AssayResults *results, AssayStore *store, GError **error);

G_END_DECLS
