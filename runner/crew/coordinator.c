/* Running a plan with a crew: deals cells, and commits what comes back. */
#include <string.h>

#include "core/base/error.h"
#include "runner/crew/crew.h"
#include "runner/crew/deal.h"
#include "runner/store/rows.h"

#define MAX_ORDERS 2 /* cells that a worker has at a time: one runs, one waits */
#define WAIT_US (G_USEC_PER_SEC / 10)

typedef struct {
  gboolean is_there; /* it has said HELLO and is not lost since */
  gboolean is_lost;  /* for good */
  GQueue orders;     /* cells that it was sent, the one that runs first */
} Worker;

typedef struct {
  const AssayPlan *plan;
  AssayStore *store;
  AssayCrew *crew;
  const AssayRunCallbacks *callbacks;
  AssayDeal *deal;
  Worker *workers;
  AssayProgress progress;
  gsize n_out; /* cells that are with workers */
  gboolean is_stopping;
} Coordinator;

/* ---- Out ---- */

static gboolean
send_begin (Coordinator *coordinator, guint worker, GError **error)
{
  g_autoptr (GBytes) facts = assay_store_common_facts (coordinator->store, error);
  g_autoptr (GBytes) mail
      = facts != NULL ? assay_mail_new (ASSAY_MAIL_BEGIN, coordinator->crew->plan,
                                        g_bytes_get_data (facts, NULL), g_bytes_get_size (facts))
                      : NULL;

  return mail != NULL && coordinator->crew->send (coordinator->crew, worker, mail, error);
}

static gboolean
send_cell (Coordinator *coordinator, guint worker, gsize index, GError **error)
{
  const AssayCell *cell = assay_plan_cell (coordinator->plan, index);
  g_autoptr (GBytes) facts = assay_store_facts (coordinator->store, cell, error);
  g_autoptr (GBytes) mail
      = facts != NULL ? assay_mail_new (ASSAY_MAIL_CELL, index, g_bytes_get_data (facts, NULL),
                                        g_bytes_get_size (facts))
                      : NULL;

  g_queue_push_tail (&coordinator->workers[worker].orders, GSIZE_TO_POINTER (index));
  coordinator->n_out++;
  return mail != NULL && coordinator->crew->send (coordinator->crew, worker, mail, error);
}

/* As many cells as the worker may have at a time. A cell that cost two processes already is marked
 * as crashed here and passed over. */
static gboolean
keep_busy (Coordinator *coordinator, guint worker, GError **error)
{
  Worker *it = &coordinator->workers[worker];
  gsize index;

  while (it->is_there && !coordinator->is_stopping && g_queue_get_length (&it->orders) < MAX_ORDERS
         && assay_deal_next (coordinator->deal, worker, &index)) {
    gboolean is_crashed = FALSE;

    if (!assay_store_begin_cell (coordinator->store, index, &is_crashed, error))
      return FALSE;
    if (is_crashed)
      coordinator->progress.done++;
    else if (!send_cell (coordinator, worker, index, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
keep_all_busy (Coordinator *coordinator, GError **error)
{
  for (guint w = 0; w < coordinator->crew->n_workers; w++)
    if (!keep_busy (coordinator, w, error))
      return FALSE;
  return TRUE;
}

/* ---- In ---- */

static gboolean
greet (Coordinator *coordinator, guint worker, GBytes *rest, GError **error)
{
  gsize size;
  const char *data = g_bytes_get_data (rest, &size);
  g_autofree char *text = g_strndup (data, size);
  g_auto (GStrv) words = g_strsplit (text, " ", 2);

  if (g_strcmp0 (words[0], coordinator->plan->sha256) != 0)
    return assay_fail (error, ASSAY_ERROR_SCENARIO,
                       "%s has another plan (%.12s, expected %.12s): it reads another scenario, "
                       "other data or another version",
                       words[0] != NULL && words[1] != NULL ? words[1] : "a worker",
                       words[0] != NULL ? words[0] : "none", coordinator->plan->sha256);
  coordinator->workers[worker].is_there = TRUE;
  return TRUE;
}

static gboolean
take_news (Coordinator *coordinator, guint worker, gsize index, GBytes *rows, GError **error)
{
  Worker *it = &coordinator->workers[worker];

  if (!g_queue_remove (&it->orders, GSIZE_TO_POINTER (index)))
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "a worker sent cell %" G_GSIZE_FORMAT ", which it was not asked for", index);
  coordinator->n_out--;
  coordinator->progress.done++;
  return assay_store_add_news (coordinator->store, rows, error);
}

/* The cell that ran counts as begun; those that waited do not. */
static gboolean
take_back_orders (Coordinator *coordinator, guint worker, GError **error)
{
  Worker *it = &coordinator->workers[worker];
  gboolean is_first = TRUE;

  while (!g_queue_is_empty (&it->orders)) {
    const gsize index = GPOINTER_TO_SIZE (g_queue_pop_head (&it->orders));

    coordinator->n_out--;
    if (!is_first && !assay_store_forget_cell (coordinator->store, index, error))
      return FALSE;
    assay_deal_return (coordinator->deal, index);
    is_first = FALSE;
  }
  return TRUE;
}

static gboolean
has_worker (const Coordinator *coordinator)
{
  for (guint w = 0; w < coordinator->crew->n_workers; w++)
    if (!coordinator->workers[w].is_lost)
      return TRUE;
  return FALSE;
}

/* A worker that is lost before its first word will not do better the next time. */
static gboolean
lose (Coordinator *coordinator, guint worker, const char *why, GError **error)
{
  AssayCrew *crew = coordinator->crew;
  Worker *it = &coordinator->workers[worker];
  const gboolean had_begun = it->is_there;

  it->is_there = FALSE;
  if (!take_back_orders (coordinator, worker, error))
    return FALSE;
  if (coordinator->is_stopping)
    return TRUE;
  if (had_begun && crew->replace != NULL)
    return crew->replace (crew, worker, error) && send_begin (coordinator, worker, error);
  it->is_lost = TRUE;
  return has_worker (coordinator)
         || assay_fail (error, ASSAY_ERROR_IO, "no worker is left; the last one %s", why);
}

static gboolean
take_mail (Coordinator *coordinator, guint worker, GBytes *mail, GError **error)
{
  g_autoptr (GBytes) rest = NULL;
  g_autofree char *text = NULL;
  AssayMail kind;
  guint64 number;

  if (!assay_mail_open (mail, &kind, &number, &rest))
    return assay_fail (error, ASSAY_ERROR_DATA, "a worker sent what is no message");
  switch (kind) {
  case ASSAY_MAIL_HELLO:
    return greet (coordinator, worker, rest, error);
  case ASSAY_MAIL_NEWS:
    return take_news (coordinator, worker, number, rest, error);
  case ASSAY_MAIL_CANCELLED:
    coordinator->is_stopping = TRUE;
    return take_back_orders (coordinator, worker, error);
  case ASSAY_MAIL_FAILED:
    text = g_strndup (g_bytes_get_data (rest, NULL), g_bytes_get_size (rest));
    return assay_fail (error, (AssayErrorCode) number, "%s", text);
  case ASSAY_MAIL_BEGIN:
  case ASSAY_MAIL_CELL:
  case ASSAY_MAIL_END:
  case ASSAY_MAIL_QUIT:
    break;
  }
  return assay_fail (error, ASSAY_ERROR_DATA, "a worker sent an order");
}

/* One event at most. */
static gboolean
receive (Coordinator *coordinator, GError **error)
{
  g_autoptr (GBytes) mail = NULL;
  g_autofree char *why = NULL;
  guint worker;

  switch (coordinator->crew->receive (coordinator->crew, WAIT_US, &worker, &mail, &why)) {
  case ASSAY_CREW_NOTHING:
    return TRUE;
  case ASSAY_CREW_LOST:
    return lose (coordinator, worker, why, error) && keep_all_busy (coordinator, error);
  case ASSAY_CREW_MAIL:
    break;
  }
  return take_mail (coordinator, worker, mail, error) && keep_busy (coordinator, worker, error);
}

/* ---- The run ---- */

static void
report_progress (Coordinator *coordinator)
{
  if (coordinator->callbacks->progress != NULL)
    coordinator->callbacks->progress (&coordinator->progress, coordinator->callbacks->data);
}

static gboolean
is_cancelled (const Coordinator *coordinator)
{
  return coordinator->callbacks->is_cancelled != NULL
         && coordinator->callbacks->is_cancelled (coordinator->callbacks->data);
}

/* Until every cell is done; once stopping, until none is under way. */
static gboolean
run (Coordinator *coordinator, GError **error)
{
  for (guint w = 0; w < coordinator->crew->n_workers; w++)
    if (!send_begin (coordinator, w, error))
      return FALSE;
  while (coordinator->progress.done < coordinator->progress.total) {
    coordinator->is_stopping |= is_cancelled (coordinator);
    if (coordinator->is_stopping && coordinator->n_out == 0)
      return TRUE;
    if (!receive (coordinator, error))
      return FALSE;
    report_progress (coordinator);
  }
  return TRUE;
}

/* Workers that are still at a cell have its news thrown away: it was not finished. */
static void
dismiss (Coordinator *coordinator)
{
  g_autoptr (GBytes) end = assay_mail_new (ASSAY_MAIL_END, 0, NULL, 0);

  for (guint w = 0; w < coordinator->crew->n_workers; w++) {
    Worker *it = &coordinator->workers[w];

    while (!g_queue_is_empty (&it->orders))
      assay_store_forget_cell (coordinator->store,
                               GPOINTER_TO_SIZE (g_queue_pop_head (&it->orders)), NULL);
    if (!it->is_lost)
      coordinator->crew->send (coordinator->crew, w, end, NULL);
  }
}

gboolean
assay_run_with_crew (const AssayPlan *plan, AssayStore *store, AssayCrew *crew,
                     const AssayRunCallbacks *callbacks, AssayRunEnd *ret_end, GError **error)
{
  g_autoptr (AssayDeal) deal = assay_deal_new (plan, store, crew->n_workers, error);
  g_autofree Worker *workers = g_new0 (Worker, crew->n_workers);
  g_autofree char *doing = g_strdup_printf ("%u workers", crew->n_workers);
  Coordinator coordinator = { .plan = plan,
                              .store = store,
                              .crew = crew,
                              .callbacks = callbacks,
                              .deal = deal,
                              .workers = workers,
                              .progress = { .total = plan->cells->len, .doing = doing } };
  gboolean is_ok = TRUE;

  if (deal == NULL || !assay_store_count_done (store, &coordinator.progress.resumed, error))
    return FALSE;
  coordinator.progress.done = coordinator.progress.resumed;
  for (guint w = 0; w < crew->n_workers; w++)
    g_queue_init (&workers[w].orders);
  if (coordinator.progress.done < coordinator.progress.total) {
    is_ok = run (&coordinator, error);
    dismiss (&coordinator);
  }
  *ret_end = coordinator.progress.done < coordinator.progress.total ? ASSAY_RUN_INTERRUPTED
                                                                    : ASSAY_RUN_FINISHED;
  return is_ok;
}
