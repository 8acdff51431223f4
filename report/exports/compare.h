/* What a comparison of runs found, for people and for programs. */
#pragma once

#include "runner/compare/comparison.h"

/* For a terminal. */
char *assay_compared_table (const AssayCompared *compared);
/* comparison.csv: the points of every axis; dominance.csv: the pairs. */
char *assay_compared_csv (const AssayCompared *compared);
char *assay_compared_pairs_csv (const AssayCompared *compared);
/* ---- Words, for both forms ---- */

/* "recovery-rate tau=0.3" */
char *assay_compared_privacy_name (const AssayCompareAxis *axis);
/* "accuracy by classification k=4"; NULL: the axis has no utility */
char *assay_compared_utility_name (const AssayCompareAxis *axis);
/* "B is at least as useful (to within 0.01) and leaks less than A, p = 0.003" */
char *assay_compared_sentence (const AssayCompared *compared, const AssayCompareAxis *axis,
                               const AssayComparePair *pair);

/* "not separable at this n: B and A (p = 0.2, corrected 1)" */
char *assay_compared_open_sentence (const AssayCompareAxis *axis, const AssayComparePair *pair);

/* "3 pairs have no order by estimates: ..." */
char *assay_compared_no_order_sentence (const AssayCompareAxis *axis, guint n);

/* The pairs of an axis that show nothing, by the reason. */
typedef struct {
  GPtrArray *open;    /* AssayComparePair: better by estimates, but not shown to be */
  guint n_trade_offs; /* one leaks less, the other is more useful, by estimates */
  GPtrArray *reasons; /* strings: "3 pairs are not compared: WHY" */
} AssayComparedRest;

void assay_compared_rest (const AssayCompareAxis *axis, AssayComparedRest *ret_rest);
void assay_compared_rest_clear (AssayComparedRest *rest);
