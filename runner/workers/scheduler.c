/* Running a plan with workers: sends cells, and commits what comes back. */
#include "runner/workers/scheduler.h"

#include "core/base/error.h"
#include "runner/run/pending.h"
#include "runner/store/rows.h"
#include "runner/workers/cell-queue.h"

#define MAX_ORDERS 2 /* cells that a worker has at a time: one runs, one waits */
#define WAIT_US (G_USEC_PER_SEC / 10)

/* What is known of a worker. */
typedef struct {
  gboolean is_there; /* it has said HELLO and is not lost since */
  gboolean is_lost;  /* for good */
  GQueue orders;     /* cells that it was sent, the one that runs first */
} WorkerState;

typedef struct {
  const AssayPlan *plan;
  AssayStore *store;
  AssayTransport *workers;
  const AssayRunCallbacks *callbacks;
  AssayCellQueue *queue;
  WorkerState *states;
  AssayProgress progress;
  char *part;    /* what a worker said last of the cell that it is at; NULL: nothing */
  gsize part_of; /* this cell */
  gsize n_out;   /* cells that are with workers */
  gboolean is_stopping;
} Scheduler;

static void
set_part (Scheduler *scheduler, gsize index, char *text)
{
  g_free (scheduler->part);
  scheduler->part = text;
  scheduler->part_of = index;
  scheduler->progress.part = text;
}

/* ---- Out ---- */

static gboolean
send_begin (Scheduler *scheduler, guint worker, GError **error)
{
  g_autoptr (GBytes) facts = assay_store_common_facts (scheduler->store, error);

  return facts != NULL
         && assay_transport_send (scheduler->workers, worker, ASSAY_MESSAGE_BEGIN,
                                  scheduler->workers->plan, facts, error);
}

static gboolean
send_cell (Scheduler *scheduler, guint worker, gsize index, GError **error)
{
  const AssayCell *cell = assay_plan_cell (scheduler->plan, index);
  g_autoptr (GBytes) facts = assay_store_facts (scheduler->store, cell, error);

  g_queue_push_tail (&scheduler->states[worker].orders, GSIZE_TO_POINTER (index));
  scheduler->n_out++;
  return facts != NULL
         && assay_transport_send (scheduler->workers, worker, ASSAY_MESSAGE_CELL, index, facts,
                                  error);
}

/* As many cells as the worker may have at a time. A cell that cost two processes already is marked
 * as crashed here and passed over. */
static gboolean
keep_busy (Scheduler *scheduler, guint worker, GError **error)
{
  WorkerState *it = &scheduler->states[worker];
  gsize index;

  while (it->is_there && !scheduler->is_stopping && g_queue_get_length (&it->orders) < MAX_ORDERS
         && assay_cell_queue_next (scheduler->queue, worker, &index)) {
    gboolean is_crashed = FALSE;

    if (!assay_store_begin_cell (scheduler->store, index, &is_crashed, error))
      return FALSE;
    if (is_crashed)
      scheduler->progress.done++;
    else if (!send_cell (scheduler, worker, index, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
keep_all_busy (Scheduler *scheduler, GError **error)
{
  for (guint w = 0; w < scheduler->workers->n_peers; w++)
    if (!keep_busy (scheduler, w, error))
      return FALSE;
  return TRUE;
}

/* ---- In ---- */

static gboolean
greet (Scheduler *scheduler, guint worker, GBytes *rest, GError **error)
{
  gsize size;
  const char *data = g_bytes_get_data (rest, &size);
  g_autofree char *text = g_strndup (data, size);
  g_auto (GStrv) words = g_strsplit (text, " ", 2);

  if (g_strcmp0 (words[0], scheduler->plan->sha256) != 0)
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "%s has another plan (%.12s, expected %.12s): it reads another scenario, "
                       "other data or another version",
                       words[0] != NULL && words[1] != NULL ? words[1] : "a worker",
                       words[0] != NULL ? words[0] : "none", scheduler->plan->sha256);
  scheduler->states[worker].is_there = TRUE;
  return TRUE;
}

static gboolean
take_rows (Scheduler *scheduler, guint worker, gsize index, GBytes *rows, GError **error)
{
  WorkerState *it = &scheduler->states[worker];

  if (!g_queue_remove (&it->orders, GSIZE_TO_POINTER (index)))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "a worker sent cell %zu, which it was not asked for", index);
  scheduler->n_out--;
  scheduler->progress.done++;
  if (scheduler->part_of == index)
    set_part (scheduler, index, NULL);
  return assay_store_add_rows (scheduler->store, rows, error);
}

/* The cell that ran counts as begun; those that waited do not. */
static gboolean
take_back_orders (Scheduler *scheduler, guint worker, GError **error)
{
  WorkerState *it = &scheduler->states[worker];
  gboolean is_first = TRUE;

  while (!g_queue_is_empty (&it->orders)) {
    const gsize index = GPOINTER_TO_SIZE (g_queue_pop_head (&it->orders));

    scheduler->n_out--;
    if (scheduler->part_of == index)
      set_part (scheduler, index, NULL);
    if (!is_first && !assay_store_forget_cell (scheduler->store, index, error))
      return FALSE;
    assay_cell_queue_return (scheduler->queue, index);
    is_first = FALSE;
  }
  return TRUE;
}

static gboolean
has_worker (const Scheduler *scheduler)
{
  for (guint w = 0; w < scheduler->workers->n_peers; w++)
    if (!scheduler->states[w].is_lost)
      return TRUE;
  return FALSE;
}

/* A worker that is lost before its first word will not do better the next time. */
static gboolean
lose (Scheduler *scheduler, guint worker, const char *why, GError **error)
{
  AssayTransport *workers = scheduler->workers;
  WorkerState *it = &scheduler->states[worker];
  const gboolean had_begun = it->is_there;

  it->is_there = FALSE;
  if (!take_back_orders (scheduler, worker, error))
    return FALSE;
  if (scheduler->is_stopping)
    return TRUE;
  if (had_begun && workers->replace != NULL)
    return workers->replace (workers, worker, error) && send_begin (scheduler, worker, error);
  it->is_lost = TRUE;
  return has_worker (scheduler)
         || assay_fail (error, ASSAY_ERROR_IO, "no worker is left; the last one %s", why);
}

static gboolean
take_message (Scheduler *scheduler, guint worker, GBytes *message, GError **error)
{
  g_autoptr (GBytes) rest = NULL;
  g_autofree char *text = NULL;
  AssayMessage kind;
  guint64 number;

  if (!assay_message_open (message, &kind, &number, &rest))
    return assay_fail (error, ASSAY_ERROR_DATA, "a worker sent what is no message");
  switch (kind) {
  case ASSAY_MESSAGE_HELLO:
    return greet (scheduler, worker, rest, error);
  case ASSAY_MESSAGE_ROWS:
    return take_rows (scheduler, worker, number, rest, error);
  case ASSAY_MESSAGE_PART:
    text = g_strndup (g_bytes_get_data (rest, NULL), g_bytes_get_size (rest));
    set_part (scheduler, number, text != NULL ? g_utf8_make_valid (text, -1) : NULL);
    return TRUE;
  case ASSAY_MESSAGE_CANCELLED:
    scheduler->is_stopping = TRUE;
    return take_back_orders (scheduler, worker, error);
  case ASSAY_MESSAGE_FAILED:
    text = g_strndup (g_bytes_get_data (rest, NULL), g_bytes_get_size (rest));
    return assay_fail (error, (AssayErrorCode) number, "%s", text);
  case ASSAY_MESSAGE_BEGIN:
  case ASSAY_MESSAGE_CELL:
  case ASSAY_MESSAGE_END:
  case ASSAY_MESSAGE_QUIT:
    break;
  }
  return assay_fail (error, ASSAY_ERROR_DATA, "a worker sent an order");
}

/* One event at most. */
static gboolean
receive (Scheduler *scheduler, GError **error)
{
  g_autoptr (GBytes) message = NULL;
  g_autofree char *why = NULL;
  guint worker;

  switch (scheduler->workers->receive (scheduler->workers, WAIT_US, &worker, &message, &why)) {
  case ASSAY_TRANSPORT_NOTHING:
    return TRUE;
  case ASSAY_TRANSPORT_LOST:
    return lose (scheduler, worker, why, error) && keep_all_busy (scheduler, error);
  case ASSAY_TRANSPORT_MESSAGE:
    break;
  }
  return take_message (scheduler, worker, message, error) && keep_busy (scheduler, worker, error);
}

/* ---- The run ---- */

/* Until every cell is done; once stopping, until none is under way. */
static gboolean
run (Scheduler *scheduler, GError **error)
{
  for (guint w = 0; w < scheduler->workers->n_peers; w++)
    if (!send_begin (scheduler, w, error))
      return FALSE;
  while (scheduler->progress.done < scheduler->progress.total) {
    scheduler->is_stopping |= assay_run_is_cancelled (scheduler->callbacks);
    if (scheduler->is_stopping && scheduler->n_out == 0)
      return TRUE;
    if (!receive (scheduler, error))
      return FALSE;
    assay_run_report (scheduler->callbacks, &scheduler->progress);
  }
  return TRUE;
}

/* Workers that are still at a cell have its rows thrown away: it was not finished. */
static void
dismiss (Scheduler *scheduler)
{
  for (guint w = 0; w < scheduler->workers->n_peers; w++) {
    WorkerState *it = &scheduler->states[w];

    while (!g_queue_is_empty (&it->orders))
      assay_store_forget_cell (scheduler->store, GPOINTER_TO_SIZE (g_queue_pop_head (&it->orders)),
                               NULL);
    if (!it->is_lost)
      assay_transport_send (scheduler->workers, w, ASSAY_MESSAGE_END, 0, NULL, NULL);
  }
}

gboolean
assay_run_with_workers (const AssayPlan *plan, AssayStore *store, AssayTransport *workers,
                        const AssayRunCallbacks *callbacks, AssayRunEnd *ret_end, GError **error)
{
  const guint n = workers->n_peers;
  AssayProgress progress = { 0 };
  GArray *pending = assay_run_pending (plan, store, callbacks->wanted, &progress, error);
  g_autoptr (AssayCellQueue) queue
      = pending != NULL ? assay_cell_queue_new (plan, pending, n) : NULL;
  g_autofree WorkerState *states = g_new0 (WorkerState, n);
  g_autofree char *doing = g_strdup_printf ("%u workers", n);
  Scheduler scheduler = { .plan = plan,
                          .store = store,
                          .workers = workers,
                          .callbacks = callbacks,
                          .queue = queue,
                          .states = states,
                          .progress = progress };
  gboolean is_ok = TRUE;

  if (queue == NULL)
    return FALSE;
  scheduler.progress.doing = doing;
  for (guint w = 0; w < n; w++)
    g_queue_init (&states[w].orders);
  if (scheduler.progress.done < scheduler.progress.total) {
    is_ok = run (&scheduler, error);
    dismiss (&scheduler);
  }
  set_part (&scheduler, 0, NULL);
  *ret_end = scheduler.progress.done < scheduler.progress.total ? ASSAY_RUN_INTERRUPTED
                                                                : ASSAY_RUN_FINISHED;
  return is_ok;
}
