/* What the other starts of an attack found that draws numbers (runner/run/starts.h). The spread of
 * starts is in every interval: it reaches from the lowest end of any start's interval to the
 * highest end of any. A breach is shown by the start that was chosen; that there is none, all must
 * show. */
#pragma once

#include "core/stats/interval.h"
#include "runner/judge/results.h"
#include "runner/plan/plan.h"
#include "runner/store/store.h"

typedef struct {
  const AssayPlan *plan;
  AssayStore *store;
  const GArray *indices; /* gsize: cells that differ in their trial alone */
  guint metric;
  const AssayMeasure *measure;
  guint n; /* starts */
} AssayStartsQuestion;

/* Of AssaySample, one for each start but the chosen one; fewer where the measure was left out. */
GPtrArray *assay_starts_samples (const AssayStartsQuestion *question, GError **error);

/* Widens the interval of the chosen start by those of @samples. */
void assay_starts_widen (const GPtrArray *samples, double confidence, AssayStreamKey stream,
                         AssayInterval *inout_interval);

/* How often the attack of the cells was played, and how sure it was, the least of all cells. */
gboolean assay_starts_describe (const AssayPlan *plan, AssayStore *store, const GArray *indices,
                                AssayResultCell *inout_cell, GError **error);
