/* Outcomes of one metric over several cells: what is pooled is counts of secrets, never rates. */
#pragma once

#include "core/stats/sample.h"
#include "runner/plan/plan.h"
#include "runner/store/store.h"

typedef struct {
  GArray *series[ASSAY_MAX_SERIES]; /* double */
  GArray *groups;                   /* gint64; empty: independent */
  GArray *others;                   /* gint64: second groups; empty: units are of one each */
  char *omitted[ASSAY_MAX_SERIES];  /* why a series was left out in a cell; NULL: in none */
  GArray *sizes;                    /* gsize: outcomes of each cell */
  gsize n_cells;                    /* with outcomes */
  gboolean are_pairs;               /* both groups of a unit are of one kind */
  gboolean has_lone_units;          /* groups are units with a name of their own each */
  gboolean is_repeated;             /* several cells, all of the same secrets */
} AssayPool;

/* The outcomes of what measures cell @index by number @metric, checked for what a damaged store may
 * lack: ASSAY_ERROR_DATA unless units that have names come with them and audits with all
 * counts. */
gboolean assay_pool_outcomes (const AssayPlan *plan, AssayStore *store, gsize index, guint metric,
                              AssayOutcomes *ret_outcomes, GError **error);

/* Adds up the outcomes of what measures them by number @metric (assay_plan_measuring; of another
 * start than the chosen one assay_metric_of_start) in the cells
 * numbered by @indices (gsize), which differ in their trial alone. A unit that is the same in every
 * trial (AssayMeasuring.repeats_units, and every one where trials have the same secrets) is one
 * group: the sample is of as many independent units as one trial has. Cleared by the caller also
 * where it fails. */
gboolean assay_pool_fill (AssayPool *ret_pool, const AssayPlan *plan, AssayStore *store,
                          const GArray *indices, guint metric, GError **error);
/* The same of the outcomes of one cell; @groups (NULL: none) are those of its @n_groups secrets. */
gboolean assay_pool_fill_one (AssayPool *ret_pool, const AssayMeasuring *metric,
                              AssayOutcomes *outcomes, const gint64 *groups, gsize n_groups,
                              GError **error);
void assay_pool_clear (AssayPool *pool);

/* One measure of it; NULL where the metric applied nowhere, and where a cell left its series out:
 * the others alone would be a choice of trials. */
AssaySample *assay_pool_sample (const AssayPool *pool, const AssayMeasure *measure);

/* Whether both are of the same units in the same order, so that outcomes of @measure can be
 * compared one by one: as many in every cell, with the same groups; a rate or a mean of what units
 * have. */
gboolean assay_pool_are_paired (const AssayPool *a, const AssayPool *b,
                                const AssayMeasure *measure);
/* Outcomes of @a less those of @b, which are paired; @difference is their mean, of the same
 * series. NULL as assay_pool_sample. */
AssaySample *assay_pool_difference (const AssayPool *a, const AssayPool *b,
                                    const AssayMeasure *difference);

/* The cells of the plan that differ from @first (of trial 0) in their trial alone, in order. */
GArray *assay_pool_trials (const AssayPlan *plan, gsize first);
