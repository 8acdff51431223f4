/* The engine of searches.
 *
 * Selection: a candidate is one integer, (bits of the score, row number), whose order is that of
 * the result. A pool, one a query, shared by the threads, keeps k of them (in the memory of the
 * result) and a few thousand fresh ones; when those are full, quickselect puts the k smallest of
 * all back and lowers the bar that newcomers must pass. The bar is read without a lock, and a lane
 * that cannot pass it costs one comparison. The k smallest of a set do not depend on the order in
 * which it arrives, so the result does not depend on threads. */
#include "core/search/search-engine.h"

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/progress/loop.h"

#define PIECES_PER_SLOT 16

G_STATIC_ASSERT (sizeof (gsize) == sizeof (guint64)); /* keys are kept where rows will stand */

AssayNearest *
assay_nearest_new (gsize n, gsize k, GError **error)
{
  g_autoptr (AssayNearest) nearest = g_new0 (AssayNearest, 1);
  gsize count;

  nearest->n = n;
  nearest->k = k;
  if (!g_size_checked_mul (&count, n, k))
    count = G_MAXSIZE;
  if ((nearest->rows = assay_alloc (count, sizeof (gsize), "rows found", error)) == NULL
      || (nearest->distances = assay_alloc (count, sizeof (float), "distances found", error))
             == NULL)
    return NULL;
  return g_steal_pointer (&nearest);
}

ASSAY_FREE_FUNC (AssayNearest, assay_nearest_free, g_free (self->rows), g_free (self->distances))

static void
prepare_queries (gsize slot, G_GNUC_UNUSED guint worker, gpointer data)
{
  Search *search = data;
  AssayNearest *nearest = search->nearest;
  gsize i;

  while ((i = atomic_fetch_add (&search->next, 1)) < search->count) {
    if (search->kind->prepare != NULL)
      search->kind->prepare (search, search->slots + slot, i);
    pool_init (search->pools + i, nearest->rows + (search->first + i) * nearest->k,
               search->fresh + i * search->plan.max_fresh);
  }
}

/* Of several panels that fail the first is reported: whoever takes a panel takes it after those
 * before it, so that none of these is left out. */
static void
fail_panel (Search *search, gsize panel, GError *error)
{
  g_mutex_lock (&search->lock);
  if (search->error == NULL || panel < search->failed) {
    g_clear_error (&search->error);
    search->error = g_steal_pointer (&error);
    search->failed = panel;
  }
  g_mutex_unlock (&search->lock);
  g_clear_error (&error);
  atomic_fetch_add (&search->n_failed, 1);
}

/* Reads a panel, unless it is the one that was read last. */
static gboolean
load_panel (Search *search, Slot *slot, gsize panel, gsize first_row, gsize count)
{
  const AssaySearchSet *set = &search->set;
  const gsize raw_cols = assay_rows_cols (set->rows);
  const AssayView raw = { count, raw_cols, raw_cols, slot->raw };
  GError *error = NULL;

  if (slot->n_loaded == panel + 1)
    return TRUE;
  assay_rows_read (set->rows, first_row, count, set->scale, slot->raw);
  if (set->shape != NULL) {
    memset (slot->norms, 0, sizeof slot->norms);
    if (!set->shape (raw, first_row, set->data, slot->panel, slot->norms, &error)) {
      fail_panel (search, panel, error);
      return FALSE;
    }
  }
  if (search->kind->load != NULL)
    search->kind->load (search, slot, count);
  slot->n_loaded = panel + 1;
  return TRUE;
}

/* A piece of work is one panel against all blocks of the batch, or against a part of them where
 * panels are few. */
static void
search_panels (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  Search *search = data;
  Slot *slot = search->slots + index;
  const Plan *plan = &search->plan;
  const gsize n_rows = assay_rows_count (search->set.rows);
  const gsize n_panels = assay_pieces (n_rows, plan->panel);
  const gsize n_blocks = assay_pieces (search->count, plan->block);
  const gsize n_parts = CLAMP (PIECES_PER_SLOT * plan->slots / MAX (n_panels, 1), 1, n_blocks);
  g_auto (AssayLoop) loop = { "panel of rows", .turns = n_panels };
  gsize piece;

  while (atomic_load (&search->n_failed) == 0
         && (piece = atomic_fetch_add (&search->next, 1)) < n_panels * n_parts) {
    const gsize panel = piece / n_parts;
    const gsize part = piece % n_parts;
    const gsize first = part * n_blocks / n_parts;
    const gsize n = (part + 1) * n_blocks / n_parts - first;
    const gsize first_row = panel * plan->panel;
    const gsize count = MIN (plan->panel, n_rows - first_row);

    assay_loop_at (&loop, panel);
    if (!load_panel (search, slot, panel, first_row, count))
      return;
    for (gsize b = 0; b < n; b++) {
      /* Each panel begins elsewhere, so that threads do not wait for the same pools. */
      const gsize query = (first + (panel + b) % n) * plan->block;

      search->kind->compare (search, slot, query, MIN (plan->block, search->count - query),
                             first_row, count);
    }
  }
}

static void
finish_query (gsize query, G_GNUC_UNUSED guint worker, gpointer data)
{
  Search *search = data;
  const gsize k = search->nearest->k;

  pool_finish (search->pools + query, k, search->kind->score,
               search->nearest->distances + (search->first + query) * k);
}

gboolean
search_run (Search *search, GError **error)
{
  const gsize batch = MAX (search->plan.batch, 1); /* 0 where there are no searches */
  g_auto (AssayLoop) loop = { "batch of searches", .turns = assay_pieces (search->n, batch) };

  for (; search->first < search->n && search->error == NULL; search->first += batch) {
    assay_loop_at (&loop, search->first / batch);
    search->count = MIN (batch, search->n - search->first);
    atomic_store (&search->next, 0);
    assay_parallel_for (search->plan.slots, prepare_queries, search);
    atomic_store (&search->next, 0);
    assay_parallel_for (search->plan.slots, search_panels, search);
    if (search->error == NULL)
      assay_parallel_for (search->count, finish_query, search);
  }
  if (search->error == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&search->error));
  return FALSE;
}

static void
allocate_slot (Search *search, Slot *slot, GError **error)
{
  const gsize panel = search->plan.panel, raw_cols = assay_rows_cols (search->set.rows);
  AssayArena *arena = &search->arena;

  slot->panel
      = assay_arena_alloc (arena, panel * search->cols, sizeof (float), "panel of rows", error);
  slot->products = assay_arena_alloc (arena, PANEL * PANEL, sizeof (float), "products", error);
  slot->raw
      = search->set.shape == NULL
            ? slot->panel
            : assay_arena_alloc (arena, panel * raw_cols, sizeof (float), "panel of rows", error);
}

gboolean
search_init (const SearchKind *kind, const AssaySearchSet *set, const SearchSizes *sizes,
             Search *ret_search, GError **error)
{
  const gsize raw_cols = assay_rows_cols (set->rows);
  AssayArena *arena = &ret_search->arena;
  const Plan *plan = &ret_search->plan;
  SearchSizes all = *sizes;

  *ret_search = (Search){ .kind = kind, .set = *set, .n = sizes->n, .cols = sizes->cols };
  g_mutex_init (&ret_search->lock);
  if (set->shape == NULL && raw_cols != sizes->cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "expected rows of %zu columns, found %zu",
                       sizes->cols, raw_cols);
  all.n_rows = assay_rows_count (set->rows);
  all.raw_cols = set->shape != NULL ? raw_cols : 0;
  if (!search_check (&all, error))
    return FALSE;
  ret_search->plan = search_plan_make (&all);
  ret_search->pools = assay_arena_alloc (arena, plan->batch, sizeof (Pool), "candidates", error);
  ret_search->fresh = assay_arena_alloc (arena, plan->batch * plan->max_fresh, sizeof (guint64),
                                         "candidates", error);
  ret_search->slots = assay_arena_alloc (arena, plan->slots, sizeof (Slot), "threads", error);
  for (gsize i = 0; !arena->has_failed && i < plan->slots; i++)
    allocate_slot (ret_search, ret_search->slots + i, error);
  return !arena->has_failed
         && (ret_search->nearest = assay_nearest_new (sizes->n, all.k, error)) != NULL;
}

ASSAY_CLEAR_FUNC (Search, search_clear, assay_arena_clear (&self->arena),
                  assay_nearest_free (self->nearest), g_clear_error (&self->error),
                  g_mutex_clear (&self->lock))
