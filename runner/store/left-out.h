/* Why series of outcomes were left out: texts of the run store beside the outcomes. */
#pragma once

#include "runner/store/store.h"

G_BEGIN_DECLS

/* The reasons in the outcomes of every metric of cell @index. */
gboolean assay_left_out_store (AssayStore *store, gsize index, const AssayOutcomes *outcomes,
                               guint n_metrics, GError **error);
/* Gives every series that is missing from outcomes (of @n_series, @n > 0) its reason. A store that
 * an earlier version made may lack one without a reason: that is said then. */
gboolean assay_left_out_load (AssayStore *store, gsize index, guint metric, guint n_series,
                              AssayOutcomes *inout_outcomes, GError **error);

G_END_DECLS
