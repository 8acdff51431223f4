/* A worker: runs cells into a store in memory, and hands on what came into it. */
#include "runner/workers/worker.h"

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "runner/store/rows.h"

typedef struct {
  const AssayPlan *plan;
  AssayStore *store;
  AssayRunner *runner;
  AssayTransport *scheduler;
  const char *name;
  guint64 cell; /* that is under way */
} Worker;

/* Between two words about one cell. */
#define PART_US G_USEC_PER_SEC

static void
send_part (const AssayProgress *progress, gpointer data)
{
  const Worker *worker = data;
  g_autofree char *text = NULL;

  if (progress->part == NULL)
    return;
  text = g_strdup_printf ("%s: %s", progress->doing, progress->part);
  assay_transport_send_text (worker->scheduler, 0, ASSAY_MESSAGE_PART, worker->cell, text, NULL);
}

/* The error of a cell that ends the run. */
static gboolean
send_failure (const Worker *worker, const GError *error)
{
  g_autofree char *text = g_strdup_printf ("%s: %s", worker->name, error->message);

  if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    return assay_transport_send (worker->scheduler, 0, ASSAY_MESSAGE_CANCELLED, 0, NULL, NULL);
  return assay_transport_send_text (worker->scheduler, 0, ASSAY_MESSAGE_FAILED,
                                    (guint64) error->code, text, NULL);
}

static gboolean
run_cell (Worker *worker, guint64 index, GBytes *facts)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) rows = NULL;

  worker->cell = index;
  if (index >= worker->plan->cells->len)
    assay_fail (&error, ASSAY_ERROR_DATA, "was sent cell %" G_GUINT64_FORMAT " of %u", index,
                worker->plan->cells->len);
  else if (assay_store_learn (worker->store, facts, &error)
           && assay_runner_cell (worker->runner, index, &error))
    rows = assay_store_take_rows (worker->store, &error);
  if (rows == NULL)
    return send_failure (worker, error);
  return assay_transport_send (worker->scheduler, 0, ASSAY_MESSAGE_ROWS, index, rows, NULL);
}

/* Waits. FALSE: it is told to quit, or the scheduler is gone. */
static gboolean
receive (AssayTransport *scheduler, AssayMessage *ret_kind, guint64 *ret_number, GBytes **ret_rest)
{
  AssayTransportEvent event;

  do {
    g_autoptr (GBytes) message = NULL;
    g_autofree char *why = NULL;
    guint peer;

    event = scheduler->receive (scheduler, -1, &peer, &message, &why);
    if (event == ASSAY_TRANSPORT_MESSAGE)
      return assay_message_open (message, ret_kind, ret_number, ret_rest)
             && *ret_kind != ASSAY_MESSAGE_QUIT;
  } while (event == ASSAY_TRANSPORT_NOTHING);
  return FALSE;
}

/* TRUE: the plan is done, and there may be another. */
static gboolean
serve (Worker *worker)
{
  g_autofree char *hello = g_strdup_printf ("%s %s", worker->plan->sha256, worker->name);

  if (!assay_transport_send_text (worker->scheduler, 0, ASSAY_MESSAGE_HELLO,
                                  assay_parallel_threads (), hello, NULL))
    return FALSE;
  for (;;) {
    g_autoptr (GBytes) rest = NULL;
    AssayMessage kind;
    guint64 number;

    if (!receive (worker->scheduler, &kind, &number, &rest))
      return FALSE;
    if (kind == ASSAY_MESSAGE_END)
      return TRUE;
    if (kind == ASSAY_MESSAGE_CELL && !run_cell (worker, number, rest))
      return FALSE;
  }
}

static gboolean
work_on (const AssayWorkOptions *work, const AssayPlan *plan, AssayWorkspace *workspace,
         GBytes *facts, AssayTransport *scheduler)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStore) store = assay_store_new_in_memory (&error);
  Worker worker = { .plan = plan, .store = store, .scheduler = scheduler, .name = work->name };
  const AssayRunCallbacks callbacks = { .is_cancelled = work->is_cancelled,
                                        .progress = work->is_silent ? NULL : send_part,
                                        .data = &worker,
                                        .part_us = PART_US };
  g_autoptr (AssayRunner) runner
      = store != NULL ? assay_runner_new (plan, workspace, store, &callbacks) : NULL;

  worker.runner = runner;
  if (store != NULL && assay_store_learn (store, facts, &error))
    return serve (&worker);
  send_failure (&worker, error);
  return FALSE;
}

/* With the first dataset open. What is wrong with that is told where a cell needs it. */
static AssayWorkspace *
open_ahead (const AssayPlan *plan)
{
  AssayWorkspace *workspace = assay_workspace_new (plan);
  const char *sha256;

  assay_workspace_dataset (workspace, 0, &sha256, NULL);
  return workspace;
}

void
assay_work (const AssayWorkOptions *work, AssayTransport *scheduler)
{
  g_autoptr (AssayWorkspace) ahead
      = work->opens_ahead && work->n_plans > 0 ? open_ahead (work->plans[0]) : NULL;
  gboolean goes_on = TRUE;

  while (goes_on) {
    g_autoptr (GBytes) rest = NULL;
    g_autoptr (AssayWorkspace) workspace = g_steal_pointer (&ahead);
    AssayMessage kind;
    guint64 number;

    goes_on = receive (scheduler, &kind, &number, &rest);
    if (!goes_on || kind != ASSAY_MESSAGE_BEGIN || number >= work->n_plans)
      continue;
    if (workspace == NULL || number > 0) {
      g_clear_pointer (&workspace, assay_workspace_free);
      workspace = assay_workspace_new (work->plans[number]);
    }
    goes_on = work_on (work, work->plans[number], workspace, rest, scheduler);
  }
}
