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
 * which it arrives, so the result does not depend on threads. */
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
#include "core/text.h"

#define PANEL_BYTES (4 << 20)  /* of a panel, and of the stacked rows of a block */
#define BATCH_BYTES (96 << 20) /* of the subspaces that are scanned in one pass */
#define SLOT_BYTES (128 << 20) /* of what all threads need for themselves */
#define MIN_FRESH 64
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

/* --- The plan ---------------------------------------------------------------------------- */

/* What one thread needs for itself. */
typedef struct {
  float *panel;       /* panel x d */
  float *products;    /* PANEL x PANEL */
  double *residual;   /* d */
  gsize n_loaded;     /* number of the panel that was read, plus 1 */
  float norms[PANEL]; /* of the rows of the panel, squared */
  float rest[PANEL];
  float squares[PANEL];
  gint8 flags[PANEL];
  guint64 found[PANEL];
} Slot;

typedef struct {
  gsize panel;      /* rows of a panel, and at most so many stacked rows in a product */
  gsize stacked;    /* rows of one subspace in the stack: m + 1, or 1 if it is wide */
  gsize block;      /* subspaces of a product */
  gsize batch;      /* subspaces of a pass over the rows: whole blocks */
  gsize max_fresh;  /* keys of a pool */
  gsize slots;      /* threads at work */
  gboolean is_wide; /* one subspace is more than a product: its basis is not stacked but read
                         where it stands, so many rows at a time */
} Plan;

/* The last term is what OpenBLAS packs of a product, in buffers that it keeps (as measured). */
static gsize
slot_bytes (gsize panel, gsize cols)
{
  return (panel * cols + PANEL * PANEL + 2 * PANEL * MIN (cols, PANEL)) * sizeof (float)
         + cols * sizeof (double) + sizeof (Slot);
}

static gsize
subspace_bytes (const Plan *plan, gsize cols)
{
  return plan->stacked * cols * sizeof (float) + plan->max_fresh * sizeof (guint64) + sizeof (Pool)
         + sizeof (float);
}

static gsize
ceil_div (gsize a, gsize b)
{
  return a / b + (a % b != 0);
}

static Plan
make_plan (gsize n, gsize dimension, gsize cols, gsize n_rows, gsize k)
{
  const gsize row_bytes = MAX (cols, 1) * sizeof (float);
  gsize n_pieces;
  Plan plan;

  plan.panel = CLAMP (PANEL_BYTES / row_bytes / TILE * TILE, TILE, PANEL);
  plan.is_wide = dimension >= plan.panel;
  plan.stacked = plan.is_wide ? 1 : dimension + 1;
  plan.block = plan.is_wide ? 1 : plan.panel / plan.stacked;
  plan.max_fresh = BATCH_BYTES / 2 / sizeof (guint64) / MAX (MIN (plan.block, n), 1);
  plan.max_fresh = CLAMP (k, MIN_FRESH, plan.max_fresh);
  plan.batch = BATCH_BYTES / subspace_bytes (&plan, cols) / plan.block;
  plan.batch = MIN (MAX (plan.batch, 1) * plan.block, n);
  plan.slots = CLAMP (SLOT_BYTES / slot_bytes (plan.panel, cols), 1, assay_parallel_threads ());
  if (g_size_checked_mul (&n_pieces, ceil_div (n_rows, plan.panel), ceil_div (n, plan.block)))
    plan.slots = MIN (plan.slots, MAX (n_pieces, 1));
  return plan;
}

guint64
assay_scan_memory (gsize n_subspaces, gsize dimension, gsize cols, gsize k)
{
  const Plan plan = make_plan (n_subspaces, dimension, cols, G_MAXSIZE, k);
  const guint64 working
      = plan.slots * slot_bytes (plan.panel, cols) + plan.batch * subspace_bytes (&plan, cols);
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
  const Plan plan = make_plan (G_MAXSIZE, dimension, cols, G_MAXSIZE, 1);

  *ret_rows = plan.is_wide ? plan.panel : plan.block * plan.stacked;
  *ret_panel = plan.panel;
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
  float *stack;   /* [t'; B] of each subspace, or t' alone */
  float *squares; /* ||t'||^2 */
  gsize first;    /* the subspaces of the batch */
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
  return ceil_div (count, TILE) * TILE;
}

/* The flagged lanes that pass the bar, as keys. */
static gsize
collect_keys (Slot *slot, gsize count, gsize first_row, guint64 bar)
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

      slot->found[n_found] = key_from (distance, first_row + lane);
      n_found += slot->found[n_found] < bar;
      word &= ~(G_GUINT64_CONSTANT (0xff) << 8 * (lane - i));
    }
  }
  return n_found;
}

/* Adds the rows of the panel that are near to a subspace of the batch to its pool. */
static void
keep_nearest (Scan *scan, Slot *slot, gsize subspace, const float *rest, const float *products,
              gsize first_row, gsize count)
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

  if (!flag_near (rest, products, slot->norms, bounds, width, slot->squares, slot->flags))
    return;
  memset (slot->flags + count, 0, width - count);
  n_found = collect_keys (slot, count, first_row, bar);
  if (n_found > 0)
    pool_add (pool, slot->found, n_found, scan->nearest->k, scan->plan.max_fresh);
}

static void
scan_block (Scan *scan, Slot *slot, gsize first, gsize first_row, gsize count)
{
  const gsize m = scan->subspaces->dimension;
  const gsize d = scan->subspaces->cols;
  const gsize stacked = scan->plan.stacked;
  const gsize n = MIN (scan->plan.block, scan->count - first);
  const gsize width = whole_tiles (count);

  assay_linalg_product_nt (n * stacked, width, d, scan->stack + first * stacked * d, d, slot->panel,
                           d, slot->products, PANEL);
  for (gsize i = 0; i < n; i++) {
    const float *products = slot->products + i * stacked * PANEL;
    const float *rest = slot->norms;

    if (m > 0) {
      subtract_squares (rest, products + PANEL, m, width, slot->rest);
      rest = slot->rest;
    }
    keep_nearest (scan, slot, first + i, rest, products, first_row, count);
  }
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
  keep_nearest (scan, slot, subspace, rest, slot->products, first_row, count);
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
  const gsize n_panels = ceil_div (assay_rows_count (scan->rows), plan->panel);
  const gsize n_blocks = ceil_div (scan->count, plan->block);
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
  }
  g_free (scan->slots);
  g_free (scan->pools);
  g_free (scan->fresh);
  g_free (scan->stack);
  g_free (scan->squares);
}

static gboolean
allocate_slot (Slot *slot, gsize panel, gsize cols, GError **error)
{
  return (slot->panel = assay_alloc (panel * cols, sizeof (float), "panel of rows", error)) != NULL
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
    if (!allocate_slot (scan->slots + i, plan->panel, d, error))
      return FALSE;
  return TRUE;
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

AssayNearest *
assay_scan_subspaces (const AssaySubspaces *subspaces, const AssayRows *rows, AssayScale scale,
                      gsize k, GError **error)
{
  const gsize n = subspaces->count;
  Scan scan = { .subspaces = subspaces, .rows = rows, .scale = scale };

  if (!check_scan (subspaces, rows, k, error))
    return NULL;
  scan.plan = make_plan (n, subspaces->dimension, subspaces->cols, assay_rows_count (rows), k);
  if (!allocate_scan (&scan, k, error)) {
    g_clear_pointer (&scan.nearest, assay_nearest_free);
  } else {
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
  return scan.nearest;
}
