/* Many affine subspaces against many rows: one matrix product, an epilogue, a selection.
 *
 * The rows are cut into panels of PANEL rows, and a panel, once converted to float, is multiplied
 * with one block of subspaces after another: the rows [t'; B] of a block, stacked, number at most
 * PANEL too, so that the product is a square of 1 MiB that stays in L2 while the epilogue reads it.
 * One row of that square is one row of the stack against all rows of the panel, so that the
 * epilogue works on contiguous lanes, whatever m is. (Measured on two cores with 2 MiB of L2:
 * OpenBLAS reaches 160 GFLOP/s a core at 512 x 512 x 128, 161 at best with larger squares, 154 at
 * 512 x 256, 139 at 512 x 128; the other orientation of the product is no faster.) The shapes of
 * the products depend on m and d alone, so neither threads nor batches change a bit of them.
 *
 * Selection: a candidate is one integer, (bits of the distance, row number), whose order is that of
 * the result. A pool, one a subspace, shared by the threads, keeps k of them (in the memory of the
 * result) and a few thousand fresh ones; when those are full, quickselect puts the k smallest of
 * all back and lowers the bar that newcomers must pass. The bar is read without a lock, and a lane
 * that cannot pass it costs one comparison. The k smallest of a set do not depend on the order in
 * which it arrives, so the result does not depend on threads.
 *
 * Large scans do not make that product, but a coarse one that proves of most rows that they cannot
 * pass the bar, and compute the others to the same bits: scan-prune.c. */
#include "core/scan.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/linalg.h"
#include "core/parallel.h"
#include "core/pool.h"
#include "core/scan-kernels.h"
#include "core/scan-plan.h"
#include "core/text.h"

#define PIECES_PER_SLOT 16

G_STATIC_ASSERT (sizeof (gsize) == sizeof (guint64)); /* keys are kept where rows will stand */

/* --- The result -------------------------------------------------------------------------- */

AssayNearest *
assay_nearest_new (gsize n, gsize k, GError **error)
{
  g_autoptr (AssayNearest) nearest = g_new0 (AssayNearest, 1);
  gsize count;

  nearest->n = n;
  nearest->k = k;
  if (!g_size_checked_mul (&count, n, k))
    count = G_MAXSIZE;
  nearest->rows = assay_alloc (count, sizeof (gsize), "rows found", error);
  if (nearest->rows == NULL)
    return NULL;
  nearest->distances = assay_alloc (count, sizeof (float), "distances found", error);
  if (nearest->distances == NULL)
    return NULL;
  return g_steal_pointer (&nearest);
}

void
assay_nearest_free (AssayNearest *nearest)
{
  if (nearest == NULL)
    return;
  g_free (nearest->rows);
  g_free (nearest->distances);
  g_free (nearest);
}

/* --- The tolerance ----------------------------------------------------------------------- */

/* Rounding of the squared distance, in units of ||w||^2. A sum of n products x.y in float32 makes
 * n rounding errors, each of at most u = 2^-24 times the sum so far, which is at most ||x|| ||y||;
 * taken as independent with mean 0, as probabilistic error analysis does (Higham and Mary 2019, "A
 * new approach to probabilistic rounding error analysis"), they add up to a deviation of at most
 * sqrt (n / 3) u ||x|| ||y||. With g = lambda sqrt (n) u, lambda = 4, that is seven deviations:
 *   2 w.t'      is off by at most  2 g ||w|| ||t'||  <=  g (||w||^2 + ||t'||^2),
 *   ||B w||^2   is off by at most  2 g ||w|| ||B w|| <=  2 g ||w||^2,
 * together g (3 ||w||^2 + ||t'||^2); n = d + m + 3 also counts the additions of the epilogue. */
static double
rounding_share (gsize cols, gsize dimension)
{
  const double lambda = 4;

  return lambda * sqrt ((double) cols + (double) dimension + 3) * (FLT_EPSILON / 2);
}

double
assay_scan_tolerance (gsize cols, gsize dimension, double length)
{
  /* For a row of the subspace ||t'|| <= ||w||; the last factor is for the rounding of this bound
   * itself, which the scan takes in float. */
  return sqrt (4 * rounding_share (cols, dimension) * length * length + FLT_MIN)
         * (1 + 4 * FLT_EPSILON);
}

/* --- The scan ---------------------------------------------------------------------------- */

typedef struct {
  Plan plan;
  const AssaySubspaces *subspaces;
  const AssayRows *rows;
  AssayScale scale;
  AssayNearest *nearest;
  Slot *slots;
  Pool *pools; /* of the batch, as what follows */
  guint64 *fresh;
  float *stack;              /* [t'; B] of each subspace, or t' alone */
  float *squares;            /* ||t'||^2 */
  Prune *prune;              /* NULL: there is no coarse pass */
  gboolean has_chains[2][2]; /* for whole blocks and the last, whole panels and the last */
  _Atomic guint64 n_coarse;  /* pairs of rows and subspaces that it looked at */
  _Atomic guint64 n_marked;  /* and what it left of them */
  gsize first;               /* the subspaces of the batch */
  gsize count;
  _Atomic gsize next; /* subspace or panel to be worked on */
} Scan;

/* t' = t - B'B t, by projecting twice: the basis is orthonormal to float32 only, and t may be much
 * longer than t'. */
static float
project_out (const float *translation, const float *basis, gsize dimension, gsize cols,
             double *residual, float *ret_t)
{
  double square = 0;

  for (gsize c = 0; c < cols; c++)
    residual[c] = (double) translation[c];
  for (gsize j = 0; j < 2 * dimension; j++) {
    const float *row = basis + j % dimension * cols;
    double part = 0;

    for (gsize c = 0; c < cols; c++)
      part += (double) row[c] * residual[c];
    for (gsize c = 0; c < cols; c++)
      residual[c] -= part * (double) row[c];
  }
  for (gsize c = 0; c < cols; c++) {
    ret_t[c] = (float) residual[c];
    square += (double) ret_t[c] * (double) ret_t[c];
  }
  return (float) square;
}

static void
prepare_subspaces (gsize slot, guint worker, gpointer data)
{
  Scan *scan = data;
  const AssaySubspaces *subspaces = scan->subspaces;
  const gsize m = subspaces->dimension;
  const gsize d = subspaces->cols;
  gsize i;

  (void) worker;
  while ((i = atomic_fetch_add (&scan->next, 1)) < scan->count) {
    const gsize number = scan->first + i;
    const float *basis = m > 0 ? subspaces->basis + number * m * d : NULL;
    float *stacked = scan->stack + i * scan->plan.stacked * d;
    Pool *pool = scan->pools + i;

    scan->squares[i] = project_out (subspaces->translation + number * d, basis, m, d,
                                    scan->slots[slot].residual, stacked);
    if (scan->plan.stacked > 1 && basis != NULL)
      memcpy (stacked + d, basis, m * d * sizeof (float));
    if (scan->prune != NULL)
      prune_set_subspace (scan->prune, i, stacked);
    *pool = (Pool){ .kept = scan->nearest->rows + number * scan->nearest->k,
                    .fresh = scan->fresh + i * scan->plan.max_fresh };
    atomic_init (&pool->bar, NO_KEY);
  }
}

/* The rows of a panel that are computed with, some of them beyond the last of the set: BLAS treats
 * those at the edge of a product otherwise than those inside, and the distances of copies of one
 * row must not differ. */
static gsize
whole_tiles (gsize count)
{
  return scan_ceil_div (count, TILE) * TILE;
}

/* The flagged lanes that pass the bar, as keys; NULL: each lane is the row of that number. */
static gsize
collect_keys (Slot *slot, const guint16 *lanes, gsize count, gsize first_row, guint64 bar)
{
  gsize n_found = 0;

  for (gsize i = 0; i < count; i += sizeof (guint64)) {
    guint64 word;

    memcpy (&word, slot->flags + i, sizeof word);
    word = GUINT64_FROM_LE (word);
    while (word != 0) {
      const gsize lane = i + (gsize) __builtin_ctzll (word) / 8;
      const float square = slot->squares[lane];
      const float distance = isnan (square) ? INFINITY : sqrtf (square);

      slot->found[n_found] = key_from (distance, first_row + (lanes == NULL ? lane : lanes[lane]));
      n_found += slot->found[n_found] < bar;
      word &= ~(G_GUINT64_CONSTANT (0xff) << 8 * (lane - i));
    }
  }
  return n_found;
}

/* Adds the rows of the panel that are near to a subspace of the batch to its pool. */
static void
keep_nearest (Scan *scan, Slot *slot, gsize subspace, const float *rest, const float *products,
              const float *norms, const guint16 *lanes, gsize first_row, gsize count)
{
  const gsize width = whole_tiles (count);
  const double share = rounding_share (scan->subspaces->cols, scan->subspaces->dimension);
  Pool *pool = scan->pools + subspace;
  const guint64 bar = atomic_load_explicit (&pool->bar, memory_order_relaxed);
  const float square = scan->squares[subspace];
  const Bounds bounds = { .square = square,
                          .floor = (float) (share * (double) square + FLT_MIN),
                          .slope = (float) (3 * share),
                          .bar = key_square_bound (bar) };
  gsize n_found;

  if (!flag_near (rest, products, norms, bounds, width, slot->squares, slot->flags))
    return;
  memset (slot->flags + count, 0, width - count);
  n_found = collect_keys (slot, lanes, count, first_row, bar);
  if (n_found > 0)
    pool_add (pool, slot->found, n_found, scan->nearest->k, scan->plan.max_fresh);
}

/* The same from the products with all of the stack. */
static void
keep_stacked (Scan *scan, Slot *slot, gsize subspace, const float *products, const float *norms,
              const guint16 *lanes, gsize first_row, gsize count)
{
  const gsize m = scan->subspaces->dimension;
  const float *rest = norms;

  if (m > 0) {
    subtract_squares (rest, products + PANEL, m, whole_tiles (count), slot->rest);
    rest = slot->rest;
  }
  keep_nearest (scan, slot, subspace, rest, products, norms, lanes, first_row, count);
}

/* The rows that the coarse pass has marked for one subspace. */
static void
keep_marked (Scan *scan, Slot *slot, gsize subspace, const guint64 *marks, gsize first_row)
{
  gsize count = 0;

  for (gsize i = 0; i < PRUNE_WORDS; i++)
    for (guint64 word = marks[i]; word != 0; word &= word - 1)
      slot->lanes[count++] = (guint16) (i * 64 + (gsize) __builtin_ctzll (word));
  if (count == 0)
    return;
  for (gsize i = 0; i < whole_tiles (count); i++)
    slot->near_norms[i] = slot->norms[slot->lanes[MIN (i, count - 1)]];
  prune_products (scan->prune, subspace, slot->panel, slot->lanes, count, slot->products);
  keep_stacked (scan, slot, subspace, slot->products, slot->near_norms, slot->lanes, first_row,
                count);
}

/* FALSE: the block has to be multiplied as a whole. */
static gboolean
scan_coarsely (Scan *scan, Slot *slot, gsize first, gsize n, gsize first_row, gsize count)
{
  const gsize block = first / scan->plan.block;
  float bars[PANEL];
  gsize n_marks;

  if (!scan->has_chains[n < scan->plan.block][count < scan->plan.panel])
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    bars[i] = key_square_bound (
        atomic_load_explicit (&scan->pools[first + i].bar, memory_order_relaxed));
    if (isinf (bars[i]))
      return FALSE;
  }
  if (!prune_is_due (scan->prune, block))
    return FALSE;
  if (slot->n_quantised != slot->n_loaded)
    prune_panel_load (slot->coarse, slot->panel, slot->norms, count, scan->subspaces->cols);
  slot->n_quantised = slot->n_loaded;
  n_marks = prune_mark (scan->prune, slot->coarse, first, n, bars, (gint32 *) slot->products,
                        slot->marks);
  atomic_fetch_add_explicit (&scan->n_coarse, n * count, memory_order_relaxed);
  atomic_fetch_add_explicit (&scan->n_marked, n_marks, memory_order_relaxed);
  if (prune_is_vain (scan->prune, block, n_marks, n * count))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    keep_marked (scan, slot, first + i, slot->marks + i * PRUNE_WORDS, first_row);
  return TRUE;
}

static void
scan_block (Scan *scan, Slot *slot, gsize first, gsize first_row, gsize count)
{
  const gsize d = scan->subspaces->cols;
  const gsize stacked = scan->plan.stacked;
  const gsize n = MIN (scan->plan.block, scan->count - first);

  if (scan->prune != NULL && scan_coarsely (scan, slot, first, n, first_row, count))
    return;
  assay_linalg_product_nt (n * stacked, whole_tiles (count), d, scan->stack + first * stacked * d,
                           d, slot->panel, d, slot->products, PANEL);
  for (gsize i = 0; i < n; i++)
    keep_stacked (scan, slot, first + i, slot->products + i * stacked * PANEL, slot->norms, NULL,
                  first_row, count);
}

static void
scan_wide_subspace (Scan *scan, Slot *slot, gsize subspace, gsize first_row, gsize count)
{
  const gsize m = scan->subspaces->dimension;
  const gsize d = scan->subspaces->cols;
  const float *basis = scan->subspaces->basis + (scan->first + subspace) * m * d;
  const gsize width = whole_tiles (count);
  const float *rest = slot->norms;

  for (gsize j = 0; j < m; j += scan->plan.panel) {
    const gsize n = MIN (scan->plan.panel, m - j);

    assay_linalg_product_nt (n, width, d, basis + j * d, d, slot->panel, d, slot->products, PANEL);
    subtract_squares (rest, slot->products, n, width, slot->rest);
    rest = slot->rest;
  }
  assay_linalg_product_nt (1, width, d, scan->stack + subspace * d, d, slot->panel, d,
                           slot->products, PANEL);
  keep_nearest (scan, slot, subspace, rest, slot->products, slot->norms, NULL, first_row, count);
}

/* Reads a panel, unless it is the one that was read last, and returns how many rows it has. */
static gsize
load_panel (const Scan *scan, Slot *slot, gsize panel)
{
  const gsize first_row = panel * scan->plan.panel;
  const gsize count = MIN (scan->plan.panel, assay_rows_count (scan->rows) - first_row);

  if (slot->n_loaded != panel + 1) {
    assay_rows_read (scan->rows, first_row, count, scan->scale, slot->panel);
    measure_norms (slot->panel, count, scan->subspaces->cols, slot->norms);
    slot->n_loaded = panel + 1;
  }
  return count;
}

/* A piece of work is one panel against all blocks of the batch, or against a part of them where
 * panels are few. */
static void
scan_panels (gsize index, guint worker, gpointer data)
{
  Scan *scan = data;
  Slot *slot = scan->slots + index;
  const Plan *plan = &scan->plan;
  const gsize n_panels = scan_ceil_div (assay_rows_count (scan->rows), plan->panel);
  const gsize n_blocks = scan_ceil_div (scan->count, plan->block);
  const gsize n_parts = CLAMP (PIECES_PER_SLOT * plan->slots / n_panels, 1, n_blocks);
  gsize piece;

  (void) worker;
  while ((piece = atomic_fetch_add (&scan->next, 1)) < n_panels * n_parts) {
    const gsize panel = piece / n_parts;
    const gsize part = piece % n_parts;
    const gsize first = part * n_blocks / n_parts;
    const gsize n = (part + 1) * n_blocks / n_parts - first;
    const gsize count = load_panel (scan, slot, panel);

    for (gsize b = 0; b < n; b++) {
      /* Each panel begins elsewhere, so that threads do not wait for the same pools. */
      const gsize block = first + (panel + b) % n;

      if (plan->is_wide)
        scan_wide_subspace (scan, slot, block, panel * plan->panel, count);
      else
        scan_block (scan, slot, block * plan->block, panel * plan->panel, count);
    }
  }
}

static void
finish_subspace (gsize subspace, guint worker, gpointer data)
{
  Scan *scan = data;
  Pool *pool = scan->pools + subspace;
  const gsize k = scan->nearest->k;
  float *distances = scan->nearest->distances + (scan->first + subspace) * k;

  (void) worker;
  pool_compact (pool);
  pool_sort (pool, 0, k - 1);
  for (gsize i = 0; i < k; i++) {
    distances[i] = key_distance (pool->kept[i]);
    pool->kept[i] &= G_MAXUINT32; /* from here on the row alone, in the result */
  }
}

static void
free_scan (Scan *scan)
{
  for (gsize i = 0; scan->slots != NULL && i < scan->plan.slots; i++) {
    g_free (scan->slots[i].panel);
    g_free (scan->slots[i].products);
    g_free (scan->slots[i].residual);
    g_free (scan->slots[i].marks);
    prune_panel_free (scan->slots[i].coarse);
  }
  g_free (scan->slots);
  g_free (scan->pools);
  g_free (scan->fresh);
  g_free (scan->stack);
  g_free (scan->squares);
  prune_free (scan->prune);
}

static gboolean
allocate_slot (Slot *slot, const Plan *plan, gsize cols, GError **error)
{
  if (plan->is_coarse
      && ((slot->coarse = prune_panel_new (plan->panel, cols, error)) == NULL
          || (slot->marks = assay_alloc (PANEL * PRUNE_WORDS, sizeof (guint64), "marks", error))
                 == NULL))
    return FALSE;
  return (slot->panel = assay_alloc (plan->panel * cols, sizeof (float), "panel of rows", error))
             != NULL
         && (slot->products = assay_alloc (PANEL * PANEL, sizeof (float), "products", error))
                != NULL
         && (slot->residual = assay_alloc (cols, sizeof (double), "residual", error)) != NULL;
}

static gboolean
allocate_scan (Scan *scan, gsize k, GError **error)
{
  const Plan *plan = &scan->plan;
  const gsize n = plan->batch;
  const gsize d = scan->subspaces->cols;
  const gsize n_floats = n * plan->stacked * d;

  if ((scan->nearest = assay_nearest_new (scan->subspaces->count, k, error)) == NULL
      || (scan->slots = assay_alloc (plan->slots, sizeof (Slot), "threads", error)) == NULL
      || (scan->pools = assay_alloc (n, sizeof (Pool), "candidates", error)) == NULL
      || (scan->fresh = assay_alloc (n * plan->max_fresh, sizeof (guint64), "candidates", error))
             == NULL
      || (scan->stack = assay_alloc (n_floats, sizeof (float), "subspaces", error)) == NULL
      || (scan->squares = assay_alloc (n, sizeof (float), "subspaces", error)) == NULL)
    return FALSE;
  for (gsize i = 0; i < plan->slots; i++)
    if (!allocate_slot (scan->slots + i, plan, d, error))
      return FALSE;
  return !plan->is_coarse
         || (scan->prune = prune_new (n, plan->stacked, plan->block, d, error)) != NULL;
}

static gboolean
check_scan (const AssaySubspaces *subspaces, const AssayRows *rows, gsize k, GError **error)
{
  const gsize n_rows = assay_rows_count (rows);
  const guint64 needed
      = assay_scan_memory (subspaces->count, subspaces->dimension, subspaces->cols, k);
  const guint64 present = (guint64) sysconf (_SC_PHYS_PAGES) * (guint64) sysconf (_SC_PAGESIZE);

  if (assay_rows_cols (rows) != subspaces->cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected rows of %" G_GSIZE_FORMAT " columns, found %" G_GSIZE_FORMAT,
                       subspaces->cols, assay_rows_cols (rows));
  if (k == 0 || k > n_rows)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the nearest %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " rows were asked for",
                       k, n_rows);
  if (n_rows > G_MAXUINT32)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%" G_GSIZE_FORMAT " rows are more than can be scanned, %u", n_rows,
                       G_MAXUINT32);
  if (needed > present) {
    g_autofree char *needed_text = assay_text_bytes (needed);
    g_autofree char *present_text = assay_text_bytes (present);

    return assay_fail (error, ASSAY_ERROR_MEMORY,
                       "the nearest %" G_GSIZE_FORMAT " rows of %" G_GSIZE_FORMAT
                       " subspaces need %s of memory, and this machine has %s",
                       k, subspaces->count, needed_text, present_text);
  }
  return TRUE;
}

/* Which shapes of product the coarse pass can stand in for. */
static void
try_chains (Scan *scan)
{
  const Plan *plan = &scan->plan;
  const gsize n_rows = assay_rows_count (scan->rows);
  const gsize rows[] = { plan->block, scan->subspaces->count % plan->block };
  const gsize lanes[] = { plan->panel, whole_tiles (n_rows % plan->panel) };

  for (gsize i = 0; i < 2; i++)
    for (gsize j = 0; j < 2; j++)
      if (rows[i] > 0 && rows[i] <= plan->batch && lanes[j] > 0 && lanes[j] <= whole_tiles (n_rows))
        scan->has_chains[i][j]
            = prune_has_chains (rows[i] * plan->stacked, lanes[j], scan->subspaces->cols);
}

AssayNearest *
assay_scan_subspaces_by (AssayScanMethod method, const AssaySubspaces *subspaces,
                         const AssayRows *rows, AssayScale scale, gsize k, AssayScanWork *ret_work,
                         GError **error)
{
  const gsize n = subspaces->count;
  Scan scan = { .subspaces = subspaces, .rows = rows, .scale = scale };

  if (!check_scan (subspaces, rows, k, error))
    return NULL;
  scan.plan = scan_plan_make (n, subspaces->dimension, subspaces->cols, assay_rows_count (rows), k,
                              method);
  scan.plan.is_coarse &= prune_is_possible ();
  if (!allocate_scan (&scan, k, error)) {
    g_clear_pointer (&scan.nearest, assay_nearest_free);
  } else {
    if (scan.prune != NULL)
      try_chains (&scan);
    for (; scan.first < n; scan.first += scan.plan.batch) {
      scan.count = MIN (scan.plan.batch, n - scan.first);
      atomic_store (&scan.next, 0);
      assay_parallel_for (scan.plan.slots, prepare_subspaces, &scan);
      atomic_store (&scan.next, 0);
      assay_parallel_for (scan.plan.slots, scan_panels, &scan);
      assay_parallel_for (scan.count, finish_subspace, &scan);
    }
  }
  free_scan (&scan);
  if (ret_work != NULL && scan.nearest != NULL)
    *ret_work = (AssayScanWork){ .pairs = (guint64) n * assay_rows_count (rows),
                                 .coarse = scan.n_coarse,
                                 .left = scan.n_marked };
  return scan.nearest;
}

AssayNearest *
assay_scan_subspaces (const AssaySubspaces *subspaces, const AssayRows *rows, AssayScale scale,
                      gsize k, GError **error)
{
  return assay_scan_subspaces_by (ASSAY_SCAN_AUTO, subspaces, rows, scale, k, NULL, error);
}
