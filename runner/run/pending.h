/* What is left to do of a plan. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/store/store.h"

typedef struct {
  gsize done; /* cells */
  gsize total;
  gsize resumed;      /* of those done, how many an earlier process did */
  const char *doing;  /* what is under way, in words */
} AssayProgress;

/* The numbers (gsize) of the cells that @wanted selects (one a cell of the plan; NULL: all) and
 * that @store does not hold yet, in the order of the plan; and how far the run is.
 * ASSAY_ERROR_IO. */
GArray *assay_run_pending (const AssayPlan *plan, AssayStore *store, const gboolean *wanted,
                           AssayProgress *ret_progress, GError **error);
