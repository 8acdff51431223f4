/* Processes of this machine: a pair of sockets each, on which a message is its length, then its
 * bytes.
 *
 * A worker is the same program started again, not a fork: OpenMP and BLAS have threads by then, and
 * a fork of a process with threads has their locks but not them. */
#include "runner/workers/local.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/error.h"

#define WORKER_SOCKET 3
#define MAX_MESSAGE ((guint64) 1 << 40)

typedef struct {
  int socket; /* -1: lost */
  GPid pid;   /* 0: it is the scheduler, and this process its worker */
} Peer;

typedef struct {
  AssayTransport transport;
  char **arguments; /* of workers; NULL: this process is one */
  Peer *peers;
  guint next; /* whose turn it is to be heard */
} Local;

/* ---- Bytes ---- */

/* Signals are asked for elsewhere: a call that one interrupts goes on. */
static gboolean
transfer (int socket, gboolean is_sent, gpointer data, gsize size)
{
  for (char *at = data; size > 0;) {
    const gssize n = is_sent ? send (socket, at, size, MSG_NOSIGNAL) : recv (socket, at, size, 0);

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
write_message (int socket, GBytes *message)
{
  gsize size;
  gpointer data = (gpointer) g_bytes_get_data (message, &size);
  guint64 length = size;

  return transfer (socket, TRUE, &length, sizeof length) && transfer (socket, TRUE, data, size);
}

static GBytes *
read_message (int socket)
{
  g_autofree char *data = NULL;
  guint64 length;

  if (!transfer (socket, FALSE, &length, sizeof length) || length > MAX_MESSAGE)
    return NULL;
  data = g_try_malloc (MAX (length, 1));
  if (data == NULL || !transfer (socket, FALSE, data, length))
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
      targets, 1, &local->peers[worker].pid, NULL, NULL, NULL, &problem);
  close (pair[1]);
  if (!is_started) {
    close (pair[0]);
    return assay_fail (error, ASSAY_ERROR_IO, "a worker cannot be started: %s", problem->message);
  }
  local->peers[worker].socket = pair[0];
  return TRUE;
}

/* A worker that does not end soon after its socket is closed is at a cell that nobody waits for. It
 * holds nothing that matters. */
static char *
bury (Peer *peer)
{
  enum { PATIENCE_MS = 1000 };
  int status = 0;
  pid_t ended = 0;

  close (peer->socket);
  peer->socket = -1;
  if (peer->pid == 0)
    return g_strdup ("is gone");
  for (guint ms = 0; ms < PATIENCE_MS && ended == 0; ms++) {
    ended = waitpid (peer->pid, &status, WNOHANG);
    if (ended == 0)
      g_usleep (G_USEC_PER_SEC / 1000);
  }
  if (ended == 0)
    kill (peer->pid, SIGKILL);
  while (ended == 0 && waitpid (peer->pid, &status, 0) < 0 && errno == EINTR)
    continue;
  if (WIFSIGNALED (status))
    return g_strdup_printf ("was ended by signal %d (%s)", WTERMSIG (status),
                            g_strsignal (WTERMSIG (status)));
  return g_strdup_printf ("ended with status %d", WEXITSTATUS (status));
}

/* ---- The transport ---- */

/* What cannot be written is noticed on reading. */
static gboolean
local_send (AssayTransport *transport, guint peer, GBytes *message, G_GNUC_UNUSED GError **error)
{
  const Local *local = (const Local *) transport;

  if (local->peers[peer].socket >= 0)
    write_message (local->peers[peer].socket, message);
  return TRUE;
}

static AssayTransportEvent
local_receive (AssayTransport *transport, gint64 wait_us, guint *ret_peer, GBytes **ret_message,
               char **ret_why)
{
  Local *local = (Local *) transport;
  const guint n = transport->n_peers;
  g_autofree struct pollfd *sockets = g_new0 (struct pollfd, n);

  for (guint p = 0; p < n; p++)
    sockets[p] = (struct pollfd){ .fd = local->peers[p].socket, .events = POLLIN };
  if (poll (sockets, n, wait_us < 0 ? -1 : (int) (wait_us / 1000)) <= 0)
    return ASSAY_TRANSPORT_NOTHING;
  while (sockets[local->next % n].revents == 0)
    local->next++;
  *ret_peer = local->next++ % n;
  *ret_message = read_message (local->peers[*ret_peer].socket);
  if (*ret_message != NULL)
    return ASSAY_TRANSPORT_MESSAGE;
  *ret_why = bury (&local->peers[*ret_peer]);
  return ASSAY_TRANSPORT_LOST;
}

static gboolean
local_replace (AssayTransport *transport, guint peer, GError **error)
{
  return start ((Local *) transport, peer, error);
}

static void
local_free (AssayTransport *transport)
{
  Local *local = (Local *) transport;

  for (guint p = 0; local->arguments != NULL && p < transport->n_peers; p++)
    assay_transport_send (transport, p, ASSAY_MESSAGE_QUIT, 0, NULL, NULL);
  for (guint p = 0; p < transport->n_peers; p++)
    if (local->peers[p].socket >= 0)
      g_free (bury (&local->peers[p]));
  g_strfreev (local->arguments);
  g_free (local->peers);
  g_free (local);
}

static Local *
local_new (guint n_peers)
{
  Local *local = g_new0 (Local, 1);

  local->transport = (AssayTransport){ .n_peers = n_peers,
                                       .send = local_send,
                                       .receive = local_receive,
                                       .replace = local_replace,
                                       .free = local_free };
  local->peers = g_new0 (Peer, n_peers);
  for (guint p = 0; p < n_peers; p++)
    local->peers[p].socket = -1;
  return local;
}

AssayTransport *
assay_local_workers_new (guint n_workers, const char *const *arguments, GError **error)
{
  Local *local = local_new (n_workers);

  local->arguments = g_strdupv ((char **) arguments);
  for (guint w = 0; w < n_workers; w++)
    if (!start (local, w, error)) {
      local_free (&local->transport);
      return NULL;
    }
  return &local->transport;
}

AssayTransport *
assay_local_scheduler_new (void)
{
  const char *text = g_getenv (ASSAY_WORKER_VARIABLE);
  guint64 number;
  Local *local;

  if (text == NULL || !g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT, &number, NULL))
    return NULL;
  local = local_new (1);
  local->peers[0].socket = (int) number;
  /* No worker of a worker; and none that stays at a long cell when its scheduler was killed. */
  g_unsetenv (ASSAY_WORKER_VARIABLE);
  prctl (PR_SET_PDEATHSIG, SIGTERM);
  return &local->transport;
}
