/* What a finished cell leaves in the run store: its status, the outcomes of every unit, and its
 * pictures. */
#pragma once

#include "runner/store/store.h"
#include "runner/store/thumbnail.h"

/* Finishes a cell in one transaction: its status, the outcomes of every metric that applied
 * (@outcomes[i] with n = 0: it did not), and its pictures @shown (of AssayShown; NULL: none). */
gboolean assay_store_finish_cell (AssayStore *store, gsize index, const AssayCellRecord *record,
                                  const AssayOutcomes *outcomes, guint n_metrics,
                                  const GArray *shown, GError **error);
/* The outcomes of one metric in one cell, with the reasons of series that were left out; n = 0
 * where it did not apply. */
gboolean assay_store_outcomes (AssayStore *store, gsize index, guint metric, guint n_series,
                               AssayOutcomes *ret_outcomes, GError **error);

/* One picture of a cell. NULL in @ret_tile: there is none. */
gboolean assay_store_tile (AssayStore *store, gsize index, guint metric, AssayShownRole role,
                           gsize unit, AssayThumbnail **ret_tile, GError **error);
