/* Which cell a worker gets next.
 *
 * Cells that follow each other in a plan share what is costly to make: the opened dataset, the
 * secrets of a trial, the release of a defense. Such a batch of cells goes to one worker, and only
 * when no whole batch is left does a worker take half of the longest that another still holds. */
#pragma once

#include "runner/plan/plan.h"

typedef struct _AssayCellQueue AssayCellQueue;

/* Takes the numbers (gsize) of the cells that are left to do (assay_run_pending). */
AssayCellQueue *assay_cell_queue_new (const AssayPlan *plan, GArray *pending, guint n_workers);
ASSAY_DECLARE_FREE (AssayCellQueue, assay_cell_queue_free)

/* FALSE: none is left. */
gboolean assay_cell_queue_next (AssayCellQueue *queue, guint worker, gsize *ret_index);
/* Cell @index is to be handed out again, as soon as any worker asks. */
void assay_cell_queue_return (AssayCellQueue *queue, gsize index);
