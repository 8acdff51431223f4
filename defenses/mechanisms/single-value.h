/* Mechanisms whose secrets are one number of 0 .. values - 1, any two of which are neighbours. */
#pragma once

#include "core/plugin/plugin.h"

G_BEGIN_DECLS

/* ASSAY_ERROR_DATA unless @secrets are one column of whole numbers from 0 to @values - 1. */
gboolean single_value_check (AssayView secrets, gsize values, GError **error);

/* The first half of it, for `check`; 0 columns: not known yet. */
gboolean single_value_check_columns (gsize cols, gsize values, GError **error);

/* Pair 0: 0 and 1, as the mechanisms treat all alike; all others: two different ones at random. */
void single_value_pair (gsize values, guint index, AssayStream *stream, float *ret_first,
                        float *ret_second);

G_END_DECLS
