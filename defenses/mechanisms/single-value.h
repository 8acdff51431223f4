/* Mechanisms whose secrets are one number of 0 .. values - 1, any two of which are neighbours. */
#pragma once

#include "core/plugin/plugin.h"

/* What their settings begin with. */
typedef struct {
  double epsilon;
  gint64 values;
} SingleValue;

/* The callback `check`: that secrets have one column, where that is known yet. */
gboolean single_value_check (gconstpointer settings, const AssayShape *shape, GError **error);

/* ASSAY_ERROR_DATA unless @secrets are one column of whole numbers from 0 to values - 1. */
gboolean single_value_check_secrets (gconstpointer settings, AssayView secrets, GError **error);

/* The callback `pair`. Pair 0: 0 and 1, as the mechanisms treat all alike; all others: two
 * different ones at random. */
void single_value_pair (gconstpointer settings, gsize cols, guint index, AssayStream *stream,
                        float *ret_first, float *ret_second);

/* The callback `domain`. Other numbers are refused before they come here: none is to be tried. */
AssayDomain *single_value_domain (gconstpointer settings, gsize cols);
