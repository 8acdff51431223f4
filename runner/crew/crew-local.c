/* Processes of this machine: a pair of sockets each, on which a message is its length, then its
 * bytes.
 *
 * A worker is the same program started again, not a fork: OpenMP and BLAS have threads by then, and
 * a fork of a process with threads has their locks but not them. */
#include "runner/crew/crew-local.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.h"

#define WORKER_SOCKET 3
#define MAX_MAIL ((guint64) 1 << 40)

typedef struct {
  int socket; /* -1: lost */
  GPid pid;
} Process;

typedef struct {
  AssayCrew crew;
  char **arguments;
  Process *processes;
  guint next; /* whose turn it is to be heard */
} Local;

typedef struct {
  AssayPost post;
  int socket;
} LocalPost;

/* ---- Bytes ---- */

/* Signals are asked for elsewhere: a call that one interrupts goes on. */
static gboolean
write_all (int socket, gconstpointer data, gsize size)
{
  const char *at = data;

  while (size > 0) {
    const gssize n = send (socket, at, size, MSG_NOSIGNAL);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return FALSE;
    at += n;
    size -= (gsize) n;
  }
  return TRUE;
}

static gboolean
read_all (int socket, gpointer ret_data, gsize size)
{
  char *at = ret_data;

  while (size > 0) {
    const gssize n = recv (socket, at, size, 0);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return FALSE;
    at += n;
    size -= (gsize) n;
  }
  return TRUE;
}

static gboolean
write_mail (int socket, GBytes *mail)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (mail, &size);
  const guint64 length = size;

  return write_all (socket, &length, sizeof length) && write_all (socket, data, size);
}

static GBytes *
read_mail (int socket)
{
  g_autofree char *data = NULL;
  guint64 length;

  if (!read_all (socket, &length, sizeof length) || length > MAX_MAIL)
    return NULL;
  data = g_try_malloc (MAX (length, 1));
  if (data == NULL || !read_all (socket, data, length))
    return NULL;
  return g_bytes_new_take (g_steal_pointer (&data), length);
}

/* ---- Processes ---- */

static gboolean
start (Local *local, guint worker, GError **error)
{
  g_auto (GStrv) environment = g_get_environ ();
  const int targets[] = { WORKER_SOCKET };
  g_autoptr (GError) problem = NULL;
  int pair[2];
  gboolean is_started;

  if (socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
    return assay_fail (error, ASSAY_ERROR_IO, "a worker cannot be started: %s", g_strerror (errno));
  environment
      = g_environ_setenv (environment, ASSAY_WORKER_VARIABLE, G_STRINGIFY (WORKER_SOCKET), TRUE);
  is_started = g_spawn_async_with_pipes_and_fds (
      NULL, (const char *const *) local->arguments, (const char *const *) environment,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, -1, -1, -1, &pair[1],
      targets, 1, &local->processes[worker].pid, NULL, NULL, NULL, &problem);
  close (pair[1]);
  if (!is_started) {
    close (pair[0]);
    return assay_fail (error, ASSAY_ERROR_IO, "a worker cannot be started: %s", problem->message);
  }
  local->processes[worker].socket = pair[0];
  return TRUE;
}

/* A worker that does not end soon after its socket is closed is at a cell that nobody waits for. It
 * holds nothing that matters. */
static char *
bury (Process *process)
{
  enum { PATIENCE_MS = 1000 };
  int status = 0;
  pid_t ended = 0;

  close (process->socket);
  process->socket = -1;
  for (guint ms = 0; ms < PATIENCE_MS && ended == 0; ms++) {
    ended = waitpid (process->pid, &status, WNOHANG);
    if (ended == 0)
      g_usleep (G_USEC_PER_SEC / 1000);
  }
  if (ended == 0)
    kill (process->pid, SIGKILL);
  while (ended == 0 && waitpid (process->pid, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFSIGNALED (status))
    return g_strdup_printf ("was ended by signal %d (%s)", WTERMSIG (status),
                            g_strsignal (WTERMSIG (status)));
  return g_strdup_printf ("ended with status %d", WEXITSTATUS (status));
}

/* ---- The crew ---- */

static gboolean
crew_send (AssayCrew *crew, guint worker, GBytes *mail, G_GNUC_UNUSED GError **error)
{
  Local *local = (Local *) crew;

  /* What cannot be written is noticed on reading. */
  if (local->processes[worker].socket >= 0)
    write_mail (local->processes[worker].socket, mail);
  return TRUE;
}

static AssayCrewEvent
hear (Local *local, guint worker, GBytes **ret_mail, char **ret_why)
{
  *ret_mail = read_mail (local->processes[worker].socket);
  if (*ret_mail != NULL)
    return ASSAY_CREW_MAIL;
  *ret_why = bury (&local->processes[worker]);
  return ASSAY_CREW_LOST;
}

static AssayCrewEvent
crew_receive (AssayCrew *crew, gint64 wait_us, guint *ret_worker, GBytes **ret_mail, char **ret_why)
{
  Local *local = (Local *) crew;
  g_autofree struct pollfd *sockets = g_new0 (struct pollfd, crew->n_workers);

  for (guint w = 0; w < crew->n_workers; w++)
    sockets[w] = (struct pollfd){ .fd = local->processes[w].socket, .events = POLLIN };
  if (poll (sockets, crew->n_workers, (int) (wait_us / 1000)) <= 0)
    return ASSAY_CREW_NOTHING;
  for (guint i = 0; i < crew->n_workers; i++) {
    const guint w = (local->next + i) % crew->n_workers;

    if (sockets[w].revents == 0)
      continue;
    local->next = w + 1;
    *ret_worker = w;
    return hear (local, w, ret_mail, ret_why);
  }
  return ASSAY_CREW_NOTHING;
}

static gboolean
crew_replace (AssayCrew *crew, guint worker, GError **error)
{
  return start ((Local *) crew, worker, error);
}

static void
crew_free (AssayCrew *crew)
{
  Local *local = (Local *) crew;
  g_autoptr (GBytes) quit = assay_mail_new (ASSAY_MAIL_QUIT, 0, NULL, 0);

  for (guint w = 0; w < crew->n_workers; w++)
    crew_send (crew, w, quit, NULL);
  for (guint w = 0; w < crew->n_workers; w++)
    if (local->processes[w].socket >= 0)
      g_free (bury (&local->processes[w]));
  g_strfreev (local->arguments);
  g_free (local->processes);
  g_free (local);
}

AssayCrew *
assay_crew_local_new (guint n_workers, const char *const *arguments, GError **error)
{
  Local *local = g_new0 (Local, 1);

  local->crew = (AssayCrew){ .n_workers = n_workers,
                             .send = crew_send,
                             .receive = crew_receive,
                             .replace = crew_replace,
                             .free = crew_free };
  local->arguments = g_strdupv ((char **) arguments);
  local->processes = g_new0 (Process, n_workers);
  for (guint w = 0; w < n_workers; w++)
    local->processes[w].socket = -1;
  for (guint w = 0; w < n_workers; w++)
    if (!start (local, w, error)) {
      crew_free (&local->crew);
      return NULL;
    }
  return &local->crew;
}

/* ---- The post ---- */

static gboolean
post_send (AssayPost *post, GBytes *mail)
{
  return write_mail (((LocalPost *) post)->socket, mail);
}

static GBytes *
post_receive (AssayPost *post)
{
  return read_mail (((LocalPost *) post)->socket);
}

AssayPost *
assay_post_local_new (void)
{
  const char *text = g_getenv (ASSAY_WORKER_VARIABLE);
  guint64 number;
  LocalPost *local;

  if (text == NULL || !g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT, &number, NULL))
    return NULL;
  local = g_new0 (LocalPost, 1);
  local->post = (AssayPost){ .send = post_send, .receive = post_receive };
  local->socket = (int) number;
  /* No worker of a worker; and none that stays at a long cell when its coordinator was killed. */
  g_unsetenv (ASSAY_WORKER_VARIABLE);
  prctl (PR_SET_PDEATHSIG, SIGTERM);
  return &local->post;
}

void
assay_post_local_free (AssayPost *post)
{
  if (post == NULL)
    return;
  close (((LocalPost *) post)->socket);
  g_free (post);
}
