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

static void
prepare_queries (gsize slot, G_GNUC_UNUSED guint worker, gpointer data)
{
  Search *search = data;
  AssayNearest *nearest = search->nearest;
  gsize i;

  while ((i = atomic_fetch_add (&search->next, 1)) < search->count) {
    if (search->kind->prepare != NULL)
      search->kind->prepare (search, search->slots + slot, i);
    search->pools[i] = (Pool){ .kept = nearest->rows + (search->first + i) * nearest->k,
                               .fresh = search->fresh + i * search->plan.max_fresh };
    atomic_init (&search->pools[i].bar, NO_KEY);
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
  const gsize n_panels = search_ceil_div (n_rows, plan->panel);
  const gsize n_blocks = search_ceil_div (search->count, plan->block);
  const gsize n_parts = CLAMP (PIECES_PER_SLOT * plan->slots / MAX (n_panels, 1), 1, n_blocks);
  gsize piece;

  while (atomic_load (&search->n_failed) == 0
         && (piece = atomic_fetch_add (&search->next, 1)) < n_panels * n_parts) {
    const gsize panel = piece / n_parts;
    const gsize part = piece % n_parts;
    const gsize first = part * n_blocks / n_parts;
    const gsize n = (part + 1) * n_blocks / n_parts - first;
    const gsize first_row = panel * plan->panel;
    const gsize count = MIN (plan->panel, n_rows - first_row);

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
  for (; search->first < search->n && search->error == NULL; search->first += search->plan.batch) {
    search->count = MIN (search->plan.batch, search->n - search->first);
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

static gboolean
allocate_slot (const Search *search, Slot *slot, GError **error)
{
  const gsize panel = search->plan.panel, raw_cols = assay_rows_cols (search->set.rows);

  slot->panel = assay_alloc (panel * search->cols, sizeof (float), "panel of rows", error);
  slot->products = assay_alloc (PANEL * PANEL, sizeof (float), "products", error);
  if (slot->panel == NULL || slot->products == NULL)
    return FALSE;
  slot->raw = search->set.shape == NULL
                  ? slot->panel
                  : assay_alloc (panel * raw_cols, sizeof (float), "panel of rows", error);
  return slot->raw != NULL;
}

static gboolean
allocate_pools (Search *search, gsize k, GError **error)
{
  const gsize n = search->plan.batch, max_fresh = search->plan.max_fresh;

  search->nearest = assay_nearest_new (search->n, k, error);
  if (search->nearest == NULL)
    return FALSE;
  search->pools = assay_alloc (n, sizeof (Pool), "candidates", error);
  if (search->pools == NULL)
    return FALSE;
  search->fresh = assay_alloc (n * max_fresh, sizeof (guint64), "candidates", error);
  return search->fresh != NULL;
}

gboolean
search_init (const SearchKind *kind, const AssaySearchSet *set, const SearchSizes *sizes,
             Search *ret_search, GError **error)
{
  const gsize raw_cols = assay_rows_cols (set->rows);
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
  if (!allocate_pools (ret_search, all.k, error))
    return FALSE;
  ret_search->slots = assay_alloc (ret_search->plan.slots, sizeof (Slot), "threads", error);
  if (ret_search->slots == NULL)
    return FALSE;
  for (gsize i = 0; i < ret_search->plan.slots; i++)
    if (!allocate_slot (ret_search, ret_search->slots + i, error))
      return FALSE;
  return TRUE;
}

void
search_clear (Search *search)
{
  for (gsize i = 0; search->slots != NULL && i < search->plan.slots; i++) {
    if (search->slots[i].raw != search->slots[i].panel)
      g_free (search->slots[i].raw);
    g_free (search->slots[i].panel);
    g_free (search->slots[i].products);
  }
  g_free (search->slots);
  g_free (search->pools);
  g_free (search->fresh);
  assay_nearest_free (search->nearest);
  g_clear_error (&search->error);
  g_mutex_clear (&search->lock);
}
