/* Many affine subspaces against many rows: one matrix product, an epilogue, a selection
 * (search-engine.c).
 *
 * The rows [t'; B] of a subspace are stacked, and those of several multiplied with a panel at once.
 * Large scans do not make that product, but a coarse one that proves of most rows that they cannot
 * pass the bar, and compute the others to the same bits: scan-prune.c. */
#include "core/search/scan.h"

#include <float.h>
#include <math.h>

#include "core/math/linalg.h"
#include "core/search/scan-kernels.h"
#include "core/search/scan-prune.h"
#include "core/search/search-engine.h"

/* --- The tolerance ----------------------------------------------------------------------- */

double
assay_scan_tolerance (gsize cols, gsize dimension, double length)
{
  /* For a row of the subspace ||t'|| <= ||w||; the last factor is for the rounding of this bound
   * itself, which the scan takes in float. */
  return sqrt (4 * scan_rounding_share (cols, dimension) * length * length + FLT_MIN)
         * (1 + 4 * FLT_EPSILON);
}

/* --- The scan ---------------------------------------------------------------------------- */

/* What one thread needs beside its slot. */
typedef struct {
  double *residual; /* d */
  float rest[PANEL];
  PrunePanel *coarse; /* NULL without a coarse pass, as is the next */
  guint64 *marks;     /* PANEL x PRUNE_WORDS */
  gsize n_quantised;  /* number of the panel that was quantised, plus 1 */
  guint16 lanes[PANEL];
  float near_norms[PANEL];
} Scratch;

typedef struct {
  Search search;
  const AssaySubspaces *subspaces;
  Scratch *scratches;        /* one a slot */
  float *stack;              /* of the batch: [t'; B] of each subspace, or t' alone */
  float *squares;            /* ||t'||^2 */
  Prune *prune;              /* NULL: there is no coarse pass */
  gboolean has_chains[2][2]; /* for whole blocks and the last, whole panels and the last */
  _Atomic guint64 n_coarse;  /* pairs of rows and subspaces that it looked at */
  _Atomic guint64 n_marked;  /* and what it left of them */
} Scan;

static Scratch *
scratch_of (const Scan *scan, const Slot *slot)
{
  return scan->scratches + (slot - scan->search.slots);
}

static void
prepare_subspace (Search *search, Slot *slot, gsize i)
{
  Scan *scan = (Scan *) search;
  float *stacked = scan->stack + i * search->plan.stacked * search->cols;

  scan->squares[i] = scan_stack (scan->subspaces, search->first + i, search->plan.stacked,
                                 scratch_of (scan, slot)->residual, stacked);
  if (scan->prune != NULL)
    prune_set_subspace (scan->prune, i, stacked);
}

static void
load_norms (Search *search, Slot *slot, gsize count)
{
  scan_measure_norms (slot->panel, count, search->cols, slot->norms);
}

/* The rows of a panel that are compared. */
typedef struct {
  const float *norms;
  Lanes lanes;
} Compared;

/* Adds those that are near to a subspace of the batch to its pool. */
static void
keep_nearest (Scan *scan, Slot *slot, gsize subspace, const float *rest, const float *products,
              const Compared *rows)
{
  const Bounds bounds = scan_bounds (scan->subspaces, scan->squares[subspace],
                                     search_bar (&scan->search, subspace));
  const Squares squares = { rest, products, rows->norms, search_whole_tiles (rows->lanes.count) };

  if (scan_flag_near (&squares, bounds, slot->scores, slot->flags))
    search_keep (&scan->search, slot, subspace, rows->lanes, key_of_square);
}

/* The same from the products with all of the stack. */
static void
keep_stacked (Scan *scan, Slot *slot, gsize subspace, const float *products, const Compared *rows)
{
  const gsize m = scan->subspaces->dimension;
  float *rest = scratch_of (scan, slot)->rest;

  if (m > 0)
    scan_subtract_squares (rows->norms, products + PANEL, m, search_whole_tiles (rows->lanes.count),
                           rest);
  keep_nearest (scan, slot, subspace, m > 0 ? rest : rows->norms, products, rows);
}

/* The rows that the coarse pass has marked for one subspace. */
static void
keep_marked (Scan *scan, Slot *slot, gsize subspace, const guint64 *marks, gsize first_row)
{
  Scratch *scratch = scratch_of (scan, slot);
  gsize count = 0;

  for (gsize i = 0; i < PRUNE_WORDS; i++)
    for (guint64 word = marks[i]; word != 0; word &= word - 1)
      scratch->lanes[count++] = (guint16) (i * 64 + (gsize) __builtin_ctzll (word));
  if (count == 0)
    return;
  for (gsize i = 0; i < search_whole_tiles (count); i++)
    scratch->near_norms[i] = slot->norms[scratch->lanes[MIN (i, count - 1)]];
  prune_products (scan->prune, subspace, slot->panel, scratch->lanes, count, slot->products);
  keep_stacked (scan, slot, subspace, slot->products,
                &(Compared){ scratch->near_norms, { scratch->lanes, count, first_row } });
}

/* FALSE: the block has to be multiplied as a whole. */
static gboolean
scan_coarsely (Scan *scan, Slot *slot, gsize first, gsize n, gsize first_row, gsize count)
{
  const Plan *plan = &scan->search.plan;
  const gsize block = first / plan->block;
  Scratch *scratch = scratch_of (scan, slot);
  float bars[PANEL];
  gsize n_marks;

  if (!scan->has_chains[n < plan->block][count < plan->panel])
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    bars[i] = key_square_bound (search_bar (&scan->search, first + i));
    if (isinf (bars[i]))
      return FALSE;
  }
  if (!prune_is_due (scan->prune, block))
    return FALSE;
  if (scratch->n_quantised != slot->n_loaded)
    prune_panel_load (scratch->coarse, slot->panel, slot->norms, count, scan->subspaces->cols);
  scratch->n_quantised = slot->n_loaded;
  n_marks = prune_mark (scan->prune, scratch->coarse, &(PruneBars){ first, n, bars },
                        (gint32 *) slot->products, scratch->marks);
  atomic_fetch_add_explicit (&scan->n_coarse, n * count, memory_order_relaxed);
  atomic_fetch_add_explicit (&scan->n_marked, n_marks, memory_order_relaxed);
  if (prune_is_vain (scan->prune, block, n_marks, n * count))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    keep_marked (scan, slot, first + i, scratch->marks + i * PRUNE_WORDS, first_row);
  return TRUE;
}

static void
scan_wide_subspace (Scan *scan, Slot *slot, gsize subspace, gsize first_row, gsize count)
{
  const gsize m = scan->subspaces->dimension;
  const gsize d = scan->subspaces->cols;
  const float *basis = scan->subspaces->basis + (scan->search.first + subspace) * m * d;
  const gsize width = search_whole_tiles (count);
  Scratch *scratch = scratch_of (scan, slot);
  const float *rest = slot->norms;

  for (gsize j = 0; j < m; j += scan->search.plan.panel) {
    const gsize n = MIN (scan->search.plan.panel, m - j);

    assay_linalg_product (ASSAY_NT, assay_view_of (basis + j * d, n, d),
                          assay_view_of (slot->panel, width, d), slot->products, PANEL);
    scan_subtract_squares (rest, slot->products, n, width, scratch->rest);
    rest = scratch->rest;
  }
  assay_linalg_product (ASSAY_NT, assay_view_of (scan->stack + subspace * d, 1, d),
                        assay_view_of (slot->panel, width, d), slot->products, PANEL);
  keep_nearest (scan, slot, subspace, rest, slot->products,
                &(Compared){ slot->norms, { NULL, count, first_row } });
}

static void
compare_subspaces (Search *search, Slot *slot, gsize first, gsize n, gsize first_row, gsize count)
{
  Scan *scan = (Scan *) search;
  const gsize d = scan->subspaces->cols;
  const gsize stacked = search->plan.stacked;
  const Compared rows = { slot->norms, { NULL, count, first_row } };

  if (search->plan.is_wide) {
    scan_wide_subspace (scan, slot, first, first_row, count);
    return;
  }
  if (scan->prune != NULL && scan_coarsely (scan, slot, first, n, first_row, count))
    return;
  assay_linalg_product (ASSAY_NT, assay_view_of (scan->stack + first * stacked * d, n * stacked, d),
                        assay_view_of (slot->panel, search_whole_tiles (count), d), slot->products,
                        PANEL);
  for (gsize i = 0; i < n; i++)
    keep_stacked (scan, slot, first + i, slot->products + i * stacked * PANEL, &rows);
}

static const SearchKind subspaces_kind = { .prepare = prepare_subspace,
                                           .load = load_norms,
                                           .compare = compare_subspaces,
                                           .score = key_distance };

static gboolean
allocate_scan (Scan *scan, GError **error)
{
  Plan *plan = &scan->search.plan;
  const gsize n = plan->batch;
  const gsize d = scan->subspaces->cols;
  AssayArena *arena = &scan->search.arena;

  plan->is_coarse &= prune_is_possible ();
  scan->scratches = assay_arena_alloc (arena, plan->slots, sizeof (Scratch), "threads", error);
  scan->stack
      = assay_arena_alloc (arena, n * plan->stacked * d, sizeof (float), "subspaces", error);
  scan->squares = assay_arena_alloc (arena, n, sizeof (float), "subspaces", error);
  for (gsize i = 0; !arena->has_failed && i < plan->slots; i++) {
    Scratch *scratch = scan->scratches + i;

    scratch->residual = assay_arena_alloc (arena, d, sizeof (double), "residual", error);
    if (plan->is_coarse) {
      scratch->coarse = prune_panel_new (plan->panel, d, arena, error);
      scratch->marks
          = assay_arena_alloc (arena, PANEL * PRUNE_WORDS, sizeof (guint64), "marks", error);
    }
  }
  if (plan->is_coarse)
    scan->prune = prune_new (n, plan->stacked, plan->block, d, arena, error);
  return !arena->has_failed;
}

/* Which shapes of product the coarse pass can stand in for. */
static void
try_chains (Scan *scan)
{
  const Plan *plan = &scan->search.plan;
  const gsize n_rows = assay_rows_count (scan->search.set.rows);
  const gsize rows[] = { plan->block, scan->subspaces->count % plan->block };
  const gsize lanes[] = { plan->panel, search_whole_tiles (n_rows % plan->panel) };

  for (gsize i = 0; i < 2; i++)
    for (gsize j = 0; j < 2; j++)
      if (rows[i] > 0 && rows[i] <= plan->batch && lanes[j] > 0
          && lanes[j] <= search_whole_tiles (n_rows))
        scan->has_chains[i][j]
            = prune_has_chains (rows[i] * plan->stacked, lanes[j], scan->subspaces->cols);
}

AssayNearest *
assay_scan_subspaces_by (AssayScanMethod method, const AssaySubspaces *subspaces,
                         const AssaySearchSet *set, gsize k, AssayScanWork *ret_work,
                         GError **error)
{
  const SearchSizes sizes = { .n = subspaces->count,
                              .dimension = subspaces->dimension,
                              .cols = subspaces->cols,
                              .k = k,
                              .may_prune = method != ASSAY_SCAN_BRUTE,
                              .must_prune = method == ASSAY_SCAN_PRUNED };
  Scan scan = { .subspaces = subspaces };
  AssayNearest *nearest = NULL;

  if (search_init (&subspaces_kind, set, &sizes, &scan.search, error)
      && allocate_scan (&scan, error)) {
    if (scan.prune != NULL)
      try_chains (&scan);
    if (search_run (&scan.search, error))
      nearest = g_steal_pointer (&scan.search.nearest);
  }
  search_clear (&scan.search);
  if (ret_work != NULL && nearest != NULL)
    *ret_work = (AssayScanWork){ .pairs = (guint64) subspaces->count * assay_rows_count (set->rows),
                                 .coarse = scan.n_coarse,
                                 .left = scan.n_marked };
  return nearest;
}

AssayNearest *
assay_scan_subspaces (const AssaySubspaces *subspaces, const AssayRows *rows, AssayScale scale,
                      gsize k, GError **error)
{
  const AssaySearchSet set = { .rows = rows, .scale = scale };

  return assay_scan_subspaces_by (ASSAY_SCAN_AUTO, subspaces, &set, k, NULL, error);
}
