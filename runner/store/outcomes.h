/* What a finished cell leaves in the run store: its status, the outcomes of every unit, and its
 * pictures. */
#pragma once

#include "runner/store/store.h"
#include "runner/store/thumbnail.h"

typedef struct {
  const AssayOutcomes *outcomes; /* of each metric; n = 0: it did not apply */
  guint n_metrics;
  const GArray *shown; /* pictures, of AssayShown; NULL: none */
} AssayMeasured;

/* Finishes a cell in one transaction: its status, and what was measured (NULL: nothing). */
gboolean assay_store_finish_cell (AssayStore *store, gsize index, const AssayCellRecord *record,
                                  const AssayMeasured *measured, GError **error);
/* The outcomes of one metric in one cell, with the reasons of series that were left out; n = 0
 * where it did not apply. */
gboolean assay_store_outcomes (AssayStore *store, gsize index, guint metric, guint n_series,
                               AssayOutcomes *ret_outcomes, GError **error);

/* What a metric measured of another start than the chosen one (1 and on) stands beside, under a
 * number of its own. */
static inline guint
assay_metric_of_start (guint metric, guint start)
{
  return start << 16 | metric;
}

static inline guint
assay_metric_number (guint metric)
{
  return metric & 0xffff;
}

gboolean assay_store_add_start (AssayStore *store, gsize index, guint start,
                                const AssayOutcomes *outcomes, guint n_metrics, GError **error);

/* The picture of a cell with metric, role and unit of @which; NULL in @ret_thumbnail: none. */
gboolean assay_store_thumbnail (AssayStore *store, gsize index, const AssayShown *which,
                                AssayThumbnail **ret_thumbnail, GError **error);
