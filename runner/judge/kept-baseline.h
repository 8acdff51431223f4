/* What a run found against its baseline, kept in its store, so that every export says so whenever
 * it is made. */
#pragma once

#include "runner/judge/results.h"
#include "runner/store/store.h"

/* Replaces what was kept; NULL: there was no comparison. */
gboolean assay_baseline_keep (AssayStore *store, const AssayResultBaseline *baseline,
                              GError **error);
/* NULL in @ret_baseline: none is kept. ASSAY_ERROR_DATA: it is damaged. */
gboolean assay_baseline_kept (AssayStore *store, AssayResultBaseline **ret_baseline,
                              GError **error);
