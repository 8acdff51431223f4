/* What is left to do of a plan. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/store/store.h"

typedef struct {
  gsize done; /* cells */
  gsize total;
  gsize resumed;     /* of those done, how many an earlier process did */
  const char *doing; /* what is under way, in words */
  const char *part;  /* ... and how far that is; NULL: nobody says */
} AssayProgress;

/* The numbers (gsize) of the cells that @wanted selects (one a cell of the plan; NULL: all) and
 * that @store does not hold yet, in the order of the plan; and how far the run is.
 * ASSAY_ERROR_IO. */
GArray *assay_run_pending (const AssayPlan *plan, AssayStore *store, const gboolean *wanted,
                           AssayProgress *ret_progress, GError **error);

/* Puts @pending in the order in which most is decided when time is short: first the cells that a
 * claim is about, of a trial those of few runs of the defense before those of many. */
void assay_run_order_for_time (const AssayPlan *plan, GArray *pending);

/* When (monotonic) the next of @left cells has had its part of the time until @deadline: as much as
 * each of the others, or a quarter where that is more. 0: no deadline, or no other cell. */
gint64 assay_run_end_of_part (gint64 deadline, gsize left);
