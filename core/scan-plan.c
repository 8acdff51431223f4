/* How a scan is cut into products and passes, so that its memory stays bounded. */
#include "core/scan-plan.h"

#include "core/parallel.h"
#include "core/pool.h"

#define PANEL_BYTES (4 << 20)  /* of a panel, and of the stacked rows of a block */
#define BATCH_BYTES (96 << 20) /* of the subspaces that are scanned in one pass */
#define SLOT_BYTES (128 << 20) /* of what all threads need for themselves */
#define MIN_FRESH 64

/* From where the coarse pass may pay: stacked rows against which a panel is quantised, and panels
 * beyond those that it takes to have bars. */
#define LEAST_STACKED 100
#define LEAST_PANELS 4

/* The last term is what OpenBLAS packs of a product, in buffers that it keeps (as measured). */
static gsize
slot_bytes (const Plan *plan, gsize cols)
{
  const gsize coarse
      = prune_panel_bytes (plan->panel, cols) + PANEL * PRUNE_WORDS * sizeof (guint64);

  return (plan->panel * cols + PANEL * PANEL + 2 * PANEL * MIN (cols, PANEL)) * sizeof (float)
         + cols * sizeof (double) + sizeof (Slot) + (plan->is_coarse ? coarse : 0);
}

static gsize
subspace_bytes (const Plan *plan, gsize cols)
{
  return plan->stacked * cols * sizeof (float) + plan->max_fresh * sizeof (guint64) + sizeof (Pool)
         + sizeof (float) + (plan->is_coarse ? prune_subspace_bytes (plan->stacked, cols) : 0);
}

Plan
scan_plan_make (gsize n, gsize dimension, gsize cols, gsize n_rows, gsize k, AssayScanMethod method)
{
  const gsize row_bytes = MAX (cols, 1) * sizeof (float);
  gsize n_pieces;
  Plan plan;

  plan.panel = CLAMP (PANEL_BYTES / row_bytes / TILE * TILE, TILE, PANEL);
  plan.is_wide = dimension >= plan.panel;
  plan.stacked = plan.is_wide ? 1 : dimension + 1;
  plan.block = plan.is_wide ? 1 : plan.panel / plan.stacked;
  plan.is_coarse
      = !plan.is_wide && method != ASSAY_SCAN_BRUTE && cols > 0 && cols <= PRUNE_MOST_COLS;
  if (method == ASSAY_SCAN_AUTO)
    plan.is_coarse &= scan_ceil_div (LEAST_STACKED, plan.stacked) <= n
                      && n_rows / plan.panel / 2 >= k / plan.panel + LEAST_PANELS;
  plan.max_fresh = BATCH_BYTES / 2 / sizeof (guint64) / MAX (MIN (plan.block, n), 1);
  plan.max_fresh = CLAMP (k, MIN_FRESH, plan.max_fresh);
  plan.batch = BATCH_BYTES / subspace_bytes (&plan, cols) / plan.block;
  plan.batch = MIN (MAX (plan.batch, 1) * plan.block, n);
  plan.slots = CLAMP (SLOT_BYTES / slot_bytes (&plan, cols), 1, assay_parallel_threads ());
  if (g_size_checked_mul (&n_pieces, scan_ceil_div (n_rows, plan.panel),
                          scan_ceil_div (n, plan.block)))
    plan.slots = MIN (plan.slots, MAX (n_pieces, 1));
  return plan;
}

guint64
assay_scan_memory (gsize n_subspaces, gsize dimension, gsize cols, gsize k)
{
  const Plan plan = scan_plan_make (n_subspaces, dimension, cols, G_MAXSIZE, k, ASSAY_SCAN_AUTO);
  const guint64 working
      = plan.slots * slot_bytes (&plan, cols) + plan.batch * subspace_bytes (&plan, cols);
  guint64 result;

  if (!g_uint64_checked_mul (&result, n_subspaces, k)
      || !g_uint64_checked_mul (&result, result, sizeof (gsize) + sizeof (float))
      || !g_uint64_checked_add (&result, result, working))
    return G_MAXUINT64;
  return result;
}

void
assay_scan_shape (gsize dimension, gsize cols, gsize *ret_rows, gsize *ret_panel)
{
  const Plan plan = scan_plan_make (G_MAXSIZE, dimension, cols, G_MAXSIZE, 1, ASSAY_SCAN_BRUTE);

  *ret_rows = plan.is_wide ? plan.panel : plan.block * plan.stacked;
  *ret_panel = plan.panel;
}
