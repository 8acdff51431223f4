/* How a search is cut into products and passes, so that its memory stays bounded.
 *
 * The rows are cut into panels of PANEL rows, and a panel, once converted to float, is multiplied
 * with one block of queries after another. A query is one row, or the rows [t'; B] of a subspace,
 * stacked; those of a block number at most PANEL too, so that the product is a square of 1 MiB that
 * stays in L2 while the epilogue reads it. One row of that square is one row of the stack against
 * all rows of the panel, so that the epilogue works on contiguous lanes, whatever m is. (Measured
 * on two cores with 2 MiB of L2: OpenBLAS reaches 160 GFLOP/s a core at 512 x 512 x 128, 161 at
 * best with larger squares, 154 at 512 x 256, 139 at 512 x 128; the other orientation of the
 * product is no faster.) */
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/search/scan-prune.h"
#include "core/search/scan.h"
#include "core/search/search-engine.h"

#define BATCH_BYTES (96 << 20) /* of the queries of one pass */
#define SLOT_BYTES (128 << 20) /* of what all threads need for themselves */
#define MIN_FRESH 64

/* From where the coarse pass may pay: stacked rows against which a panel is quantised, and panels
 * beyond those that it takes to have bars. */
#define MIN_STACKED 100
#define MIN_PANELS 4

/* What the kinds keep for themselves counts as that of subspaces, which is the most. The last term
 * is what OpenBLAS packs of a product, in buffers that it keeps (as measured). */
static gsize
slot_bytes (const Plan *plan, const SearchSizes *sizes)
{
  const gsize cols = sizes->cols;
  const gsize coarse
      = prune_panel_bytes (plan->panel, cols) + PANEL * PRUNE_WORDS * sizeof (guint64);

  return (plan->panel * (cols + sizes->raw_cols) + PANEL * PANEL + 2 * PANEL * MIN (cols, PANEL)
          + 3 * PANEL)
             * sizeof (float)
         + cols * sizeof (double) + sizeof (Slot) + (plan->is_coarse ? coarse : 0);
}

static gsize
query_bytes (const Plan *plan, gsize cols)
{
  return plan->stacked * cols * sizeof (float) + plan->max_fresh * sizeof (guint64) + sizeof (Pool)
         + sizeof (float) + (plan->is_coarse ? prune_subspace_bytes (plan->stacked, cols) : 0);
}

Plan
search_plan_make (const SearchSizes *sizes)
{
  const gsize cols = sizes->cols, n = sizes->n, k = sizes->k;
  gsize n_pieces;
  Plan plan;

  plan.panel = search_panel_rows (MAX (cols, sizes->raw_cols));
  plan.is_wide = sizes->dimension >= plan.panel;
  plan.stacked = plan.is_wide ? 1 : sizes->dimension + 1;
  plan.block = plan.is_wide ? 1 : plan.panel / plan.stacked;
  plan.is_coarse = !plan.is_wide && sizes->may_prune && cols > 0 && cols <= PRUNE_MAX_COLS;
  if (!sizes->must_prune)
    plan.is_coarse &= assay_pieces (MIN_STACKED, plan.stacked) <= n
                      && sizes->n_rows / plan.panel / 2 >= k / plan.panel + MIN_PANELS;
  plan.max_fresh = BATCH_BYTES / 2 / sizeof (guint64) / MAX (MIN (plan.block, n), 1);
  /* Twice as many are selected among half as often; but a bar that falls at once prunes more. */
  plan.max_fresh = CLAMP (plan.is_coarse ? k : 2 * k, MIN_FRESH, plan.max_fresh);
  plan.batch = BATCH_BYTES / query_bytes (&plan, cols) / plan.block;
  plan.batch = MIN (MAX (plan.batch, 1) * plan.block, n);
  plan.slots = CLAMP (SLOT_BYTES / slot_bytes (&plan, sizes), 1, assay_parallel_threads ());
  if (g_size_checked_mul (&n_pieces, assay_pieces (sizes->n_rows, plan.panel),
                          assay_pieces (n, plan.block)))
    plan.slots = MIN (plan.slots, MAX (n_pieces, 1));
  return plan;
}

static guint64
memory_of (const SearchSizes *sizes)
{
  const Plan plan = search_plan_make (sizes);
  const guint64 working
      = plan.slots * slot_bytes (&plan, sizes) + plan.batch * query_bytes (&plan, sizes->cols);
  guint64 result;

  if (!g_uint64_checked_mul (&result, sizes->n, sizes->k)
      || !g_uint64_checked_mul (&result, result, sizeof (gsize) + sizeof (float))
      || !g_uint64_checked_add (&result, result, working))
    return G_MAXUINT64;
  return result;
}

gboolean
search_check (const SearchSizes *sizes, GError **error)
{
  const gsize n_rows = sizes->n_rows, k = sizes->k;
  const guint64 present = (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE);
  SearchSizes of_any = *sizes;
  guint64 needed;

  if (k == 0 || k > n_rows)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "the nearest %zu of %zu rows were asked for", k,
                       n_rows);
  if (n_rows > G_MAXUINT32)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "%zu rows are more than can be scanned, %u",
                       n_rows, G_MAXUINT32);
  of_any.n_rows = G_MAXSIZE;
  needed = memory_of (&of_any);
  if (needed > present) {
    g_autofree char *needed_text = assay_text_bytes (needed);
    g_autofree char *present_text = assay_text_bytes (present);

    return assay_fail (error, ASSAY_ERROR_MEMORY,
                       "the nearest %zu rows of %zu queries need %s of memory, and this machine "
                       "has %s",
                       k, sizes->n, needed_text, present_text);
  }
  return TRUE;
}

guint64
assay_scan_memory (gsize n_subspaces, gsize dimension, gsize cols, gsize k)
{
  return memory_of (&(SearchSizes){ .n = n_subspaces,
                                    .dimension = dimension,
                                    .cols = cols,
                                    .n_rows = G_MAXSIZE,
                                    .k = k,
                                    .may_prune = TRUE });
}

void
assay_scan_shape (gsize dimension, gsize cols, gsize *ret_rows, gsize *ret_panel)
{
  const Plan plan = search_plan_make (&(SearchSizes){
      .n = G_MAXSIZE, .dimension = dimension, .cols = cols, .n_rows = G_MAXSIZE, .k = 1 });

  *ret_rows = plan.is_wide ? plan.panel : plan.block * plan.stacked;
  *ret_panel = plan.panel;
}
