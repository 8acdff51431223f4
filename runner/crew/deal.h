/* Which cell a worker gets next.
 *
 * Cells that follow each other in a plan share what is costly to make: the opened dataset, the
 * secrets of a trial, the release of a defense. Such a hand of cells goes to one worker, and only
 * when no whole hand is left does a worker take half of the longest that another still holds. */
#pragma once

#include "runner/plan/plan.h"
#include "runner/store/store.h"

G_BEGIN_DECLS

typedef struct _AssayDeal AssayDeal;

/* The cells of the plan that @store does not hold yet. */
AssayDeal *assay_deal_new (const AssayPlan *plan, AssayStore *store, guint n_workers,
                           GError **error);
void assay_deal_free (AssayDeal *deal);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDeal, assay_deal_free)

/* FALSE: none is left. */
gboolean assay_deal_next (AssayDeal *deal, guint worker, gsize *ret_index);
/* Cell @index is to be dealt again, as soon as any worker asks. */
void assay_deal_return (AssayDeal *deal, gsize index);

G_END_DECLS
