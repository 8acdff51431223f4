/* Comparing a run with an earlier one, secret by secret: did anything get worse?
 *
 * The two need not be of the same scenario: what both measured is compared, and the rest is named
 * (twins.h). Builds of loaded plugins and programs may differ: whether a new one leaks more is what
 * is asked. */
#pragma once

#include "runner/compare/comparison.h"
#include "runner/compare/saved-run.h"
#include "runner/plan/plan.h"
#include "runner/store/store.h"

/* Compares every series of outcomes that both have, in every pooled cell; worse where Holm's
 * adjusted one-sided p-value is below 1 - confidence. @folder is the output folder of a finished
 * run, or its run.sqlite. ASSAY_ERROR_DATA: not a run, unfinished, of another version.
 * ASSAY_ERROR_MISMATCH: nothing can be compared; names what differs. */
AssayBaseline *assay_baseline_compare (const AssayResults *results, const AssayPlan *plan,
                                       AssayStore *store, const char *folder, GError **error);
ASSAY_DECLARE_FREE (AssayBaseline, assay_baseline_free)

/* That both runs have @measure: ASSAY_ERROR_PARAMETER if none has, ASSAY_ERROR_MISMATCH if only one
 * of them. */
gboolean assay_baseline_check_measure (const AssaySavedRun *now, const AssaySavedRun *then,
                                       const char *measure, GError **error);
/* The same as above of two finished runs, and of @measures alone (NULL ends), which both have. */
AssayBaseline *assay_baseline_compare_runs (const AssaySavedRun *now, const AssaySavedRun *then,
                                            const char *const *measures, GError **error);

/* Whether @folder could be a baseline of @plan, asked before anything is run. */
gboolean assay_baseline_check (const AssayPlan *plan, const char *folder, GError **error);

/* And whether it was run on the data with the hash @sha256 as dataset @index, which is known before
 * the first cell. Of several datasets the others may still be compared. */
gboolean assay_baseline_check_data (const AssayPlan *plan, const char *folder, guint index,
                                    const char *sha256, GError **error);
