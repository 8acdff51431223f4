/* Several processes that run the cells of one plan: a scheduler sends cells and alone writes the
 * store (runner/workers/scheduler.h), workers run them and hold no state that matters
 * (runner/workers/worker.h). How their messages travel is a transport's own affair: sockets between
 * processes of this machine (runner/workers/local.h), or MPI (runner/workers/mpi.h).
 *
 * Messages are bytes: the first says what it is, the rest belongs to it.
 *   to a worker    BEGIN (number of the plan, facts), CELL (number of the cell, facts), END, QUIT
 *   from a worker  HELLO (threads, the plan's hash and its own name: the answer to BEGIN),
 *                  PART (number of the cell, how far it is), ROWS (number of the cell, rows),
 *                  FAILED (kind of error, text), CANCELLED
 * A worker may have a second cell waiting while it runs one, so that it does not wait for
 * messages. */
#pragma once

#include <glib.h>

typedef enum {
  ASSAY_MESSAGE_BEGIN = 'b',
  ASSAY_MESSAGE_CELL = 'c',
  ASSAY_MESSAGE_END = 'e',
  ASSAY_MESSAGE_QUIT = 'q',
  ASSAY_MESSAGE_HELLO = 'h',
  ASSAY_MESSAGE_PART = 'p',
  ASSAY_MESSAGE_ROWS = 'r',
  ASSAY_MESSAGE_FAILED = 'f',
  ASSAY_MESSAGE_CANCELLED = 'x',
} AssayMessage;

typedef enum {
  ASSAY_TRANSPORT_NOTHING, /* the time is over */
  ASSAY_TRANSPORT_MESSAGE,
  ASSAY_TRANSPORT_LOST, /* the peer has ended; a worker may be replaced */
} AssayTransportEvent;

/* The other processes as one of them sees them: of a scheduler its workers, of a worker the
 * scheduler alone, which is peer 0. */
typedef struct _AssayTransport AssayTransport;
struct _AssayTransport {
  guint n_peers;
  guint64 plan; /* of a scheduler: number of the plan that is run next, among those of workers */
  /* FALSE with ASSAY_ERROR_IO; a peer that is gone is no error, but will be reported as lost. */
  gboolean (*send) (AssayTransport *transport, guint peer, GBytes *message, GError **error);
  /* Waits for at most @wait_us; negative: for ever. LOST: @ret_why says how it ended. */
  AssayTransportEvent (*receive) (AssayTransport *transport, gint64 wait_us, guint *ret_peer,
                                  GBytes **ret_message, char **ret_why);
  /* Starts another worker in the place of one that was lost; NULL: it cannot. */
  gboolean (*replace) (AssayTransport *transport, guint peer, GError **error);
  /* Of a scheduler: tells its workers to quit. */
  void (*free) (AssayTransport *transport);
};

gboolean assay_transport_send (AssayTransport *transport, guint peer, AssayMessage kind,
                               guint64 number, GBytes *rest, GError **error);
gboolean assay_transport_send_text (AssayTransport *transport, guint peer, AssayMessage kind,
                                    guint64 number, const char *text, GError **error);
/* FALSE: it is no message. @ret_rest (free with g_bytes_unref) shares its memory. */
gboolean assay_message_open (GBytes *message, AssayMessage *ret_kind, guint64 *ret_number,
                             GBytes **ret_rest);
