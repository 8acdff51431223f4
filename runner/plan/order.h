/* Which secrets of a pool each trial takes, and which are tuned on: drawn once for a dataset. */
#pragma once

#include "core/math/units.h"
#include "runner/plan/plan.h"

typedef struct {
  gsize *rows;   /* of the pool: first what is measured, then what is tuned on */
  gsize *starts; /* where in them the secrets of each draw begin, and those of the last one end */
  gsize n_draws; /* one for each trial, or one for all of them */
  gsize tuning_first; /* where the secrets for tuning begin */
} AssayOrder;

/* Of the pool of dataset @dataset, which is @open. ASSAY_ERROR_SCENARIO: it has too few secrets, or
 * groups of them, that are not tuned on; ASSAY_ERROR_MEMORY. */
gboolean assay_order_draw (const AssayPlan *plan, guint dataset, const AssayDataset *open,
                           AssayOrder *ret_order, GError **error);
void assay_order_clear (AssayOrder *order);

/* Where the secrets of a trial begin, and how many they are. */
gsize assay_order_first (const AssayOrder *order, gsize trial);
gsize assay_order_count (const AssayOrder *order, gsize trial);

/* Which of the secrets of all trials are independent units (core/math/units.h): a copy in another
 * trial is one all the same. A part of the public rows says how far apart rows like them usually
 * are. NULL: there is no memory for them. */
AssayUnits *assay_run_find_units (const AssayPlan *plan, guint dataset, const AssayDataset *open,
                                  const AssayOrder *order, GError **error);
