/* Which cell a worker gets next. */
#include "runner/workers/cell-queue.h"

/* A range of @pending. */
typedef struct {
  gsize next, end;
} Batch;

struct _AssayCellQueue {
  GArray *pending; /* gsize: cells in the order of the plan */
  GArray *batches; /* Batch: those that nobody has begun, from @n_taken on */
  guint n_taken;
  Batch *of_workers;
  guint n_workers;
  GQueue returned; /* cells */
};

static gboolean
share_a_release (const AssayCell *a, const AssayCell *b)
{
  return a->dataset == b->dataset && a->trial == b->trial && a->defense == b->defense;
}

static void
make_batches (AssayCellQueue *queue, const AssayPlan *plan)
{
  for (gsize i = 0; i < queue->pending->len; i++) {
    const AssayCell *cell = assay_plan_cell (plan, g_array_index (queue->pending, gsize, i));
    Batch *last = queue->batches->len > 0
                      ? &g_array_index (queue->batches, Batch, queue->batches->len - 1)
                      : NULL;
    const Batch batch = { i, i + 1 };

    if (last != NULL
        && share_a_release (
            assay_plan_cell (plan, g_array_index (queue->pending, gsize, last->next)), cell))
      last->end = i + 1;
    else
      g_array_append_val (queue->batches, batch);
  }
}

AssayCellQueue *
assay_cell_queue_new (const AssayPlan *plan, GArray *pending, guint n_workers)
{
  AssayCellQueue *queue = g_new0 (AssayCellQueue, 1);

  queue->pending = pending;
  queue->batches = g_array_new (FALSE, FALSE, sizeof (Batch));
  queue->of_workers = g_new0 (Batch, n_workers);
  queue->n_workers = n_workers;
  g_queue_init (&queue->returned);
  make_batches (queue, plan);
  return queue;
}

ASSAY_FREE_FUNC (AssayCellQueue, assay_cell_queue_free, g_array_unref (self->pending),
                 g_array_unref (self->batches), g_free (self->of_workers),
                 g_queue_clear (&self->returned))

/* The back half of the longest batch that is left, so that both go on in order. */
static gboolean
take_half (AssayCellQueue *queue, Batch *ret_batch)
{
  Batch *longest = &queue->of_workers[0];
  gsize half;

  for (guint w = 1; w < queue->n_workers; w++)
    if (queue->of_workers[w].end - queue->of_workers[w].next > longest->end - longest->next)
      longest = &queue->of_workers[w];
  if (longest->next == longest->end)
    return FALSE;
  half = (longest->end - longest->next + 1) / 2;
  *ret_batch = (Batch){ longest->end - half, longest->end };
  longest->end -= half;
  return TRUE;
}

gboolean
assay_cell_queue_next (AssayCellQueue *queue, guint worker, gsize *ret_index)
{
  Batch *own = &queue->of_workers[worker];

  g_return_val_if_fail (worker < queue->n_workers, FALSE);
  if (!g_queue_is_empty (&queue->returned)) {
    *ret_index = GPOINTER_TO_SIZE (g_queue_pop_head (&queue->returned));
    return TRUE;
  }
  if (own->next == own->end) {
    if (queue->n_taken < queue->batches->len)
      *own = g_array_index (queue->batches, Batch, queue->n_taken++);
    else if (!take_half (queue, own))
      return FALSE;
  }
  *ret_index = g_array_index (queue->pending, gsize, own->next++);
  return TRUE;
}

void
assay_cell_queue_return (AssayCellQueue *queue, gsize index)
{
  g_queue_push_tail (&queue->returned, GSIZE_TO_POINTER (index));
}
