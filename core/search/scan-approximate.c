/* The approximate scan: for each list the subspaces that read it, as one product of a panel of its
 * rows with the stacked rows [t'; B] of those subspaces, and the epilogue and selection of scan.c.
 *
 * Which lists a subspace reads is found by the exact scan of their centres: the distance of a
 * centre from the subspace, not from any point of it. A list is read once for all subspaces of a
 * batch, so that a row is converted once, and the products stay large while many subspaces share
 * it. Batches and products depend on sizes alone, and the k smallest of a set do not depend on the
 * order in which it arrives: no result depends on threads. */
#include "core/search/scan-approximate.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/arena.h"
#include "core/math/linalg.h"
#include "core/search/pool.h"
#include "core/search/scan-kernels.h"

#define BATCH_BYTES (96 << 20)   /* of the subspaces that are searched together */
#define READER_BYTES (128 << 20) /* of what all threads need for themselves */
#define MIN_FRESH 64

G_STATIC_ASSERT (sizeof (gsize) == sizeof (guint64)); /* keys are kept where rows will stand */

/* How a search is cut, so that its memory stays bounded (as a scan is). */
typedef struct {
  gsize panel;     /* rows of a panel, and at most so many stacked rows in a product */
  gsize stacked;   /* rows of one subspace in the stack: m + 1 */
  gsize block;     /* subspaces of a product */
  gsize batch;     /* subspaces that are searched together */
  gsize max_fresh; /* keys of a pool */
  gsize readers;   /* threads at work */
} Plan;

/* What one thread needs for itself. */
typedef struct {
  float *panel;         /* panel x d */
  float *stack;         /* panel x d: of a block */
  float *products;      /* PANEL x PANEL */
  double *residual;     /* d */
  gsize numbers[PANEL]; /* of the rows of the panel, */
  float norms[PANEL];   /* and their squared norms */
  float rest[PANEL];
  float squares[PANEL];
  gint8 flags[PANEL];
  guint64 found[PANEL];
} Reader;

typedef struct {
  Plan plan;
  const AssaySubspaces *subspaces;
  const AssayRows *rows;
  AssayScale scale;
  AssayLists *lists;
  gsize probes;      /* lists of a subspace at least, */
  gsize most_probes; /* and at most */
  AssayNearest *nearest;
  Reader *readers;
  Pool *pools; /* of the batch, as what follows */
  guint64 *fresh;
  float *stack;   /* [t'; B] of each subspace */
  float *squares; /* ||t'||^2 */
  gsize *starts;  /* lists + 2: where the subspaces of each list begin in @reads */
  guint32 *reads; /* subspaces by list: those that read it */
  gsize first;    /* the subspaces of the batch */
  gsize count;
  guint64 looked;
  _Atomic gsize next; /* subspace or list to be worked on */
  AssayArena arena;
} Search;

static gboolean
check_probing (const AssayProbing *probing, gsize n_rows, GError **error)
{
  if (probing->lists > n_rows)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "lists = %zu: expected at most %zu, the number of rows that they are made "
                       "of",
                       probing->lists, n_rows);
  if (probing->probes == 0 || probing->probes > probing->lists)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "probes = %zu: expected 1 to %zu, the number of lists that %zu rows are in",
                       probing->probes, probing->lists, n_rows);
  return TRUE;
}

gboolean
assay_probing_init (AssayProbing *ret_probing, gsize lists, gsize probes, gsize n_rows,
                    GError **error)
{
  AssayProbing probing = { lists > 0 ? lists : assay_lists_count (n_rows), probes };

  if (probes == 0)
    probing.probes = MAX (1, probing.lists / 16);
  if (!check_probing (&probing, n_rows, error))
    return FALSE;
  *ret_probing = probing;
  return TRUE;
}

/* ---- Which lists ---- */

/* So many lists that whichever they are, they hold @k rows. */
static gsize
lists_for (const AssayLists *lists, gsize k)
{
  g_autofree gsize *sizes = g_new (gsize, lists->count);
  gsize n_rows = 0, count = 0;

  for (gsize l = 0; l < lists->count; l++)
    sizes[l] = lists->starts[l + 1] - lists->starts[l];
  qsort (sizes, lists->count, sizeof *sizes, assay_compare_sizes);
  while (n_rows < k)
    n_rows += sizes[count++];
  return count;
}

/* How many of the lists of a subspace, nearest first, it reads. */
static gsize
lists_read (const Search *search, const AssayNearest *near, gsize i)
{
  const gsize *lists = near->rows + i * near->k;
  gsize n_rows = 0, count = 0;

  while (count < search->probes || n_rows < search->nearest->k) {
    n_rows += search->lists->starts[lists[count] + 1] - search->lists->starts[lists[count]];
    count++;
  }
  return count;
}

/* The subspaces of each list, in their order: a counting sort. */
static gboolean
choose_lists (Search *search, GError **error)
{
  const AssaySubspaces *all = search->subspaces;
  const gsize m = all->dimension, d = all->cols, n_lists = search->lists->count;
  const AssaySubspaces batch = { .count = search->count,
                                 .dimension = m,
                                 .cols = d,
                                 .translation = all->translation + search->first * d,
                                 .basis = m > 0 ? all->basis + search->first * m * d : NULL };
  g_autoptr (AssayNearest) near = assay_scan_subspaces (
      &batch, search->lists->centres, ASSAY_SCALE_NONE, search->most_probes, error);
  gsize *starts = search->starts;

  if (near == NULL)
    return FALSE;
  memset (starts, 0, (n_lists + 2) * sizeof *starts);
  for (gsize i = 0; i < near->n; i++)
    for (gsize j = lists_read (search, near, i); j > 0; j--) {
      const gsize list = near->rows[i * near->k + j - 1];

      starts[list + 2]++;
      search->looked += search->lists->starts[list + 1] - search->lists->starts[list];
    }
  for (gsize l = 0; l < n_lists; l++)
    starts[l + 2] += starts[l + 1];
  for (gsize i = 0; i < near->n; i++)
    for (gsize j = lists_read (search, near, i); j > 0; j--)
      search->reads[starts[near->rows[i * near->k + j - 1] + 1]++] = (guint32) i;
  return TRUE;
}

/* ---- Reading them ---- */

static void
prepare_subspaces (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  Search *search = data;
  const gsize size = search->plan.stacked * search->subspaces->cols;
  gsize i;

  while ((i = atomic_fetch_add (&search->next, 1)) < search->count) {
    const gsize number = search->first + i;

    search->squares[i] = scan_stack (search->subspaces, number, search->plan.stacked,
                                     search->readers[index].residual, search->stack + i * size);
    pool_init (search->pools + i, search->nearest->rows + number * search->nearest->k,
               search->fresh + i * search->plan.max_fresh);
  }
}

/* Adds the rows of the panel that are near to a subspace of the batch to its pool. */
static void
keep_nearest (Search *search, Reader *reader, gsize subspace, const float *products, gsize count)
{
  const gsize m = search->subspaces->dimension, width = search_whole_tiles (count);
  Pool *pool = search->pools + subspace;
  const guint64 bar = pool_bar (pool);
  const Bounds bounds = scan_bounds (search->subspaces, search->squares[subspace], bar);
  gsize n_found = 0;

  if (m > 0)
    scan_subtract_squares (reader->norms, products + PANEL, m, width, reader->rest);
  if (!scan_flag_near (
          &(Squares){ m > 0 ? reader->rest : reader->norms, products, reader->norms, width },
          bounds, reader->squares, reader->flags))
    return;
  for (gsize lane = 0; lane < count; lane++) {
    if (reader->flags[lane] == 0)
      continue;
    reader->found[n_found] = key_of_square (reader->squares[lane], reader->numbers[lane]);
    n_found += reader->found[n_found] < bar;
  }
  if (n_found > 0)
    pool_add (pool, reader->found, n_found, search->nearest->k, search->plan.max_fresh);
}

/* The panel that is loaded against the subspaces that read the list. */
static void
scan_panel (Search *search, Reader *reader, const guint32 *reads, gsize n_reads, gsize count)
{
  const gsize d = search->subspaces->cols, stacked = search->plan.stacked;

  for (gsize first = 0; first < n_reads; first += search->plan.block) {
    const gsize n = MIN (search->plan.block, n_reads - first);

    for (gsize i = 0; i < n; i++)
      memcpy (reader->stack + i * stacked * d, search->stack + reads[first + i] * stacked * d,
              stacked * d * sizeof (float));
    assay_linalg_product (ASSAY_NT, assay_view_of (reader->stack, n * stacked, d),
                          assay_view_of (reader->panel, search_whole_tiles (count), d),
                          reader->products, PANEL);
    for (gsize i = 0; i < n; i++)
      keep_nearest (search, reader, reads[first + i], reader->products + i * stacked * PANEL,
                    count);
  }
}

static void
scan_lists (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  Search *search = data;
  Reader *reader = search->readers + index;
  const AssayLists *lists = search->lists;
  gsize list;

  while ((list = atomic_fetch_add (&search->next, 1)) < lists->count) {
    const guint32 *reads = search->reads + search->starts[list];
    const gsize n_reads = search->starts[list + 1] - search->starts[list];
    const gsize end = lists->starts[list + 1];

    for (gsize first = lists->starts[list]; first < end && n_reads > 0;
         first += search->plan.panel) {
      const gsize count = MIN (search->plan.panel, end - first);

      for (gsize i = 0; i < count; i++)
        reader->numbers[i] = lists->rows[first + i];
      assay_rows_gather (search->rows, reader->numbers, count, search->scale, reader->panel);
      scan_measure_norms (reader->panel, count, search->subspaces->cols, reader->norms);
      scan_panel (search, reader, reads, n_reads, count);
    }
  }
}

static void
finish_subspace (gsize subspace, G_GNUC_UNUSED guint worker, gpointer data)
{
  Search *search = data;
  const gsize k = search->nearest->k;

  pool_finish (search->pools + subspace, k, key_distance,
               search->nearest->distances + (search->first + subspace) * k);
}

/* ---- The whole ---- */

static gboolean
allocate_search (Search *search, gsize k, GError **error)
{
  const Plan *plan = &search->plan;
  const gsize n = plan->batch, d = search->subspaces->cols;
  AssayArena *arena = &search->arena;

  search->readers = assay_arena_alloc (arena, plan->readers, sizeof (Reader), "threads", error);
  search->pools = assay_arena_alloc (arena, n, sizeof (Pool), "candidates", error);
  search->fresh
      = assay_arena_alloc (arena, n * plan->max_fresh, sizeof (guint64), "candidates", error);
  search->stack
      = assay_arena_alloc (arena, n * plan->stacked * d, sizeof (float), "subspaces", error);
  search->squares = assay_arena_alloc (arena, n, sizeof (float), "subspaces", error);
  search->starts
      = assay_arena_alloc (arena, search->lists->count + 2, sizeof (gsize), "lists", error);
  search->reads
      = assay_arena_alloc (arena, n * search->most_probes, sizeof (guint32), "lists", error);
  for (gsize i = 0; !arena->has_failed && i < plan->readers; i++) {
    Reader *reader = search->readers + i;
    const gsize floats = plan->panel * d;

    reader->panel = assay_arena_alloc (arena, floats, sizeof (float), "panel of rows", error);
    reader->stack = assay_arena_alloc (arena, floats, sizeof (float), "subspaces", error);
    reader->products = assay_arena_alloc (arena, PANEL * PANEL, sizeof (float), "products", error);
    reader->residual = assay_arena_alloc (arena, d, sizeof (double), "residual", error);
  }
  return !arena->has_failed
         && (search->nearest = assay_nearest_new (search->subspaces->count, k, error)) != NULL;
}

/* Bytes of a subspace of a batch: what is found and what is known of its lists, in the result of
 * the scan of centres and in @reads. */
static gsize
subspace_bytes (const Plan *plan, gsize cols, gsize most_probes)
{
  return plan->stacked * cols * sizeof (float) + plan->max_fresh * sizeof (guint64) + sizeof (Pool)
         + sizeof (float) + most_probes * (sizeof (gsize) + sizeof (float) + sizeof (guint32));
}

static gsize
reader_bytes (const Plan *plan, gsize cols)
{
  return (2 * plan->panel * cols + PANEL * PANEL) * sizeof (float) + cols * sizeof (double)
         + sizeof (Reader);
}

/* @dimension fits into a panel. */
static Plan
make_plan (gsize n, gsize dimension, gsize cols, gsize k, gsize most_probes)
{
  Plan plan = { .panel = search_panel_rows (cols), .stacked = dimension + 1 };

  plan.block = plan.panel / plan.stacked;
  plan.max_fresh = BATCH_BYTES / 2 / sizeof (guint64) / MAX (MIN (plan.block, n), 1);
  plan.max_fresh = CLAMP (k, MIN_FRESH, plan.max_fresh);
  plan.batch = CLAMP (BATCH_BYTES / subspace_bytes (&plan, cols, most_probes), 1, n);
  plan.readers = CLAMP (READER_BYTES / reader_bytes (&plan, cols), 1, assay_parallel_threads ());
  return plan;
}

static gboolean
check_search (const AssayProbing *probing, const AssaySubspaces *subspaces, const AssayRows *rows,
              gsize k, GError **error)
{
  const gsize n_rows = assay_rows_count (rows);

  if (assay_rows_cols (rows) != subspaces->cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "expected rows of %zu columns, found %zu",
                       subspaces->cols, assay_rows_cols (rows));
  if (k == 0 || k > n_rows)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "the nearest %zu of %zu rows were asked for", k,
                       n_rows);
  if (subspaces->dimension >= search_panel_rows (subspaces->cols))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "subspaces of dimension %zu pass through all lists: expected the exact "
                       "search",
                       subspaces->dimension);
  return check_probing (probing, n_rows, error);
}

static gboolean
search_batches (Search *search, GError **error)
{
  const gsize n = search->subspaces->count;

  for (; search->first < n; search->first += search->plan.batch) {
    search->count = MIN (search->plan.batch, n - search->first);
    if (!choose_lists (search, error))
      return FALSE;
    atomic_store (&search->next, 0);
    assay_parallel_for (search->plan.readers, prepare_subspaces, search);
    atomic_store (&search->next, 0);
    assay_parallel_for (search->plan.readers, scan_lists, search);
    assay_parallel_for (search->count, finish_subspace, search);
  }
  return TRUE;
}

AssayNearest *
assay_scan_approximately (const AssayProbing *probing, const AssaySubspaces *subspaces,
                          const AssaySearchSet *set, gsize k, AssayProbingWork *ret_work,
                          GError **error)
{
  Search search = {
    .subspaces = subspaces, .rows = set->rows, .scale = set->scale, .probes = probing->probes
  };

  if (!check_search (probing, subspaces, set->rows, k, error))
    return NULL;
  search.lists = assay_lists_new (set->rows, set->scale, probing->lists, error);
  if (search.lists == NULL)
    return NULL;
  search.most_probes = MAX (search.probes, lists_for (search.lists, k));
  search.plan
      = make_plan (subspaces->count, subspaces->dimension, subspaces->cols, k, search.most_probes);
  if (!allocate_search (&search, k, error) || !search_batches (&search, error))
    g_clear_pointer (&search.nearest, assay_nearest_free);
  assay_lists_free (search.lists);
  assay_arena_clear (&search.arena);
  if (ret_work != NULL && search.nearest != NULL)
    *ret_work
        = (AssayProbingWork){ .pairs = (guint64) subspaces->count * assay_rows_count (set->rows),
                              .looked = search.looked };
  return search.nearest;
}

/* ---- Estimates ---- */

guint64
assay_approximate_memory (const AssayProbing *probing, gsize n_subspaces, gsize dimension,
                          gsize cols, gsize n_rows, gsize k)
{
  const gsize most_probes = MIN (probing->lists, MAX (probing->probes, k));
  const gsize m = MIN (dimension, search_panel_rows (cols) - 1);
  const Plan plan = make_plan (n_subspaces, m, cols, k, most_probes);
  const guint64 exact = assay_scan_memory (MIN (n_subspaces, ASSAY_RECALL_SAMPLE), m, cols, k)
                        + ASSAY_RECALL_SAMPLE * (m + 1) * cols * sizeof (float);
  const guint64 searching = plan.batch * subspace_bytes (&plan, cols, most_probes)
                            + plan.readers * reader_bytes (&plan, cols)
                            + assay_scan_memory (plan.batch, m, cols, most_probes);
  guint64 bytes;

  if (!g_uint64_checked_mul (&bytes, n_subspaces, k)
      || !g_uint64_checked_mul (&bytes, bytes, sizeof (gsize) + sizeof (float))
      || !g_uint64_checked_add (&bytes, bytes,
                                assay_lists_memory (n_rows, cols, probing->lists)
                                    + MAX (exact, searching)))
    return G_MAXUINT64;
  return bytes;
}
