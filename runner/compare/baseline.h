/* Comparing a run with an earlier one of the same plan, secret by secret: did anything get worse?
 */
#pragma once

#include "runner/compare/comparison.h"
#include "runner/plan/plan.h"
#include "runner/store/store.h"

G_BEGIN_DECLS

/* Compares every series of outcomes in every pooled cell; worse where Holm's adjusted one-sided
 * p-value is below 1 - confidence. @folder is the output folder of a finished run, or its
 * run.sqlite. ASSAY_ERROR_DATA: not a run, unfinished, of a newer version. ASSAY_ERROR_MISMATCH:
 * scenario, settings, seed or data differ; names what. */
AssayBaseline *assay_baseline_compare (const AssayResults *results, const AssayPlan *plan,
                                       AssayStore *store, const char *folder, GError **error);
void assay_baseline_free (AssayBaseline *baseline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayBaseline, assay_baseline_free)

/* Whether @folder could be a baseline of @plan, asked before anything is run. */
gboolean assay_baseline_check (const AssayPlan *plan, const char *folder, GError **error);

/* And whether it was run on the data with the hash @sha256 as dataset @index, which is known before
 * the first cell. */
gboolean assay_baseline_check_data (const AssayPlan *plan, const char *folder, guint index,
                                    const char *sha256, GError **error);

G_END_DECLS
