/* A worker: runs cells into a store in memory, and hands on what came into it. */
#include <string.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "runner/crew/crew.h"
#include "runner/store/rows.h"

GBytes *
assay_mail_new (AssayMail kind, guint64 number, gconstpointer rest, gsize size)
{
  GByteArray *bytes = g_byte_array_sized_new ((guint) (size + 1 + sizeof number));
  const guint8 first = (guint8) kind;

  g_byte_array_append (bytes, &first, 1);
  g_byte_array_append (bytes, (const guint8 *) &number, sizeof number);
  if (size > 0)
    g_byte_array_append (bytes, rest, (guint) size);
  return g_byte_array_free_to_bytes (bytes);
}

gboolean
assay_mail_open (GBytes *mail, AssayMail *ret_kind, guint64 *ret_number, GBytes **ret_rest)
{
  const gsize head = 1 + sizeof *ret_number;
  gsize size;
  const guint8 *data = g_bytes_get_data (mail, &size);

  if (size < head || strchr ("bceqhnfx", data[0]) == NULL || data[0] == '\0')
    return FALSE;
  *ret_kind = (AssayMail) data[0];
  memcpy (ret_number, data + 1, sizeof *ret_number);
  *ret_rest = g_bytes_new_from_bytes (mail, head, size - head);
  return TRUE;
}

typedef struct {
  const AssayPlan *plan;
  AssayStore *store;
  AssayRunner *runner;
  AssayPost *post;
  const char *name;
} Worker;

static gboolean
post (const Worker *worker, AssayMail kind, guint64 number, gconstpointer rest, gsize size)
{
  g_autoptr (GBytes) mail = assay_mail_new (kind, number, rest, size);

  return worker->post->send (worker->post, mail);
}

/* The error of a cell that ends the run. */
static gboolean
post_failure (const Worker *worker, const GError *error)
{
  g_autofree char *text = NULL;

  if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    return post (worker, ASSAY_MAIL_CANCELLED, 0, NULL, 0);
  text = g_strdup_printf ("%s: %s", worker->name, error->message);
  return post (worker, ASSAY_MAIL_FAILED, (guint64) error->code, text, strlen (text));
}

static gboolean
run_cell (Worker *worker, guint64 index, GBytes *facts)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) news = NULL;

  if (index >= worker->plan->cells->len) {
    assay_fail (&error, ASSAY_ERROR_DATA, "was sent cell %" G_GUINT64_FORMAT " of %u", index,
                worker->plan->cells->len);
    return post_failure (worker, error);
  }
  if (!assay_store_learn (worker->store, facts, &error)
      || !assay_runner_cell (worker->runner, index, &error))
    return post_failure (worker, error);
  news = assay_store_take_news (worker->store, &error);
  if (news == NULL)
    return post_failure (worker, error);
  return post (worker, ASSAY_MAIL_NEWS, index, g_bytes_get_data (news, NULL),
               g_bytes_get_size (news));
}

/* TRUE: the plan is done, and there may be another. */
static gboolean
serve (Worker *worker)
{
  g_autofree char *hello = g_strdup_printf ("%s %s", worker->plan->sha256, worker->name);

  if (!post (worker, ASSAY_MAIL_HELLO, assay_parallel_threads (), hello, strlen (hello)))
    return FALSE;
  for (;;) {
    g_autoptr (GBytes) mail = worker->post->receive (worker->post);
    g_autoptr (GBytes) rest = NULL;
    AssayMail kind;
    guint64 number;

    if (mail == NULL || !assay_mail_open (mail, &kind, &number, &rest) || kind == ASSAY_MAIL_QUIT)
      return FALSE;
    if (kind == ASSAY_MAIL_END)
      return TRUE;
    if (kind == ASSAY_MAIL_CELL && !run_cell (worker, number, rest))
      return FALSE;
  }
}

static gboolean
work_on (const AssayPlan *plan, AssayWorkspace *workspace, GBytes *facts, AssayPost *post_to,
         const char *name, const AssayRunCallbacks *callbacks)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStore) store = assay_store_new_in_memory (&error);
  g_autoptr (AssayRunner) runner
      = store != NULL ? assay_runner_new (plan, workspace, store, callbacks) : NULL;
  Worker worker = { .plan = plan, .store = store, .runner = runner, .post = post_to, .name = name };

  if (store != NULL && assay_store_learn (store, facts, &error))
    return serve (&worker);
  post_failure (&worker, error);
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
assay_work (const AssayPlan *const *plans, guint n_plans, gboolean opens_ahead, AssayPost *post_to,
            const char *name, gboolean (*is_cancelled) (gpointer data), gpointer data)
{
  const AssayRunCallbacks callbacks = { .is_cancelled = is_cancelled, .data = data };
  g_autoptr (AssayWorkspace) ahead = opens_ahead && n_plans > 0 ? open_ahead (plans[0]) : NULL;
  gboolean goes_on = TRUE;

  while (goes_on) {
    g_autoptr (GBytes) mail = post_to->receive (post_to);
    g_autoptr (GBytes) rest = NULL;
    g_autoptr (AssayWorkspace) workspace = g_steal_pointer (&ahead);
    AssayMail kind;
    guint64 number;

    goes_on
        = mail != NULL && assay_mail_open (mail, &kind, &number, &rest) && kind != ASSAY_MAIL_QUIT;
    if (!goes_on || kind != ASSAY_MAIL_BEGIN || number >= n_plans)
      continue;
    if (workspace == NULL || number > 0) {
      g_clear_pointer (&workspace, assay_workspace_free);
      workspace = assay_workspace_new (plans[number]);
    }
    goes_on = work_on (plans[number], workspace, rest, post_to, name, &callbacks);
  }
}
