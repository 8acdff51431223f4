/* Programs that fail: which run of a batch it was cannot be told, and a batch that is asked for
 * again until it succeeds would hide how often runs fail. So once a batch has failed, the audit is
 * played once more on that pair, with a start for every run, and a run that fails is an output like
 * others (assay_output_failed). These are few runs, whose number is fixed before; none of them has
 * to do with the batches, so that the bound is as right as any. */
#pragma once

#include "core/plugin/oracle.h"

/* @oracle with a start for each run on @pair. @is_slow: what failed ran out of time, and a run may
 * take that long. FALSE: every one of a few runs on either input fails (or the game is cancelled,
 * with an error), and there is nothing to tell apart. */
gboolean assay_single_runs (const AssayOracle *oracle, guint pair, gboolean is_slow,
                            AssayOracle *ret_single, GError **error);
