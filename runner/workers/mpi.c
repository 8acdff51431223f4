/* Ranks of MPI.
 *
 * MPI's own waiting calls keep a processor busy, which the scheduler cannot afford where it shares
 * one with a rank that works, nor those that have worked while it writes the results: here a rank
 * that waits asks, and sleeps in between, the longer the longer nothing came, at most two
 * milliseconds. One that works has a second cell waiting. */
#include "runner/workers/mpi.h"

#include "config.h"
#include "core/base/error.h"
#include "core/base/parallel.h"

#if !ASSAY_HAS_MPI

AssayMpi
assay_mpi_join (void)
{
  return (AssayMpi){ 0 };
}

void
assay_mpi_leave (G_GNUC_UNUSED AssayMpi *mpi)
{
}

AssayTransport *
assay_mpi_transport_new (G_GNUC_UNUSED const AssayMpi *mpi)
{
  return NULL;
}

#else

#include <mpi.h>
#include <unistd.h>

#define TAG 1
#define SMALL_MESSAGE 4096 /* bytes that every MPI takes over at once */
#define MIN_SLEEP_US 20
#define SHORT_SLEEP_US 200 /* less than cells of a millisecond would notice */
#define MAX_SLEEP_US 2000

/* Twice as long at first, then slowly: 2 ms are reached after a tenth of a second. */
static void
sleep_longer (gulong *inout_us)
{
  g_usleep (*inout_us);
  *inout_us += *inout_us < SHORT_SLEEP_US ? *inout_us : *inout_us / 50;
  *inout_us = MIN (*inout_us, MAX_SLEEP_US);
}

/* ---- Messages ---- */

static GBytes *
read_message (const MPI_Status *about)
{
  g_autofree guint8 *data = NULL;
  int size;

  MPI_Get_count (about, MPI_BYTE, &size);
  data = g_malloc ((gsize) MAX (size, 1));
  MPI_Recv (data, size, MPI_BYTE, about->MPI_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return g_bytes_new_take (g_steal_pointer (&data), (gsize) size);
}

/* Waits until @until (monotonic; negative: for ever) for a message from @source. */
static gboolean
wait_for_message (int source, gint64 until, MPI_Status *ret_about)
{
  gulong sleep_us = MIN_SLEEP_US;
  int is_there = 0;

  for (;;) {
    MPI_Iprobe (source, TAG, MPI_COMM_WORLD, &is_there, ret_about);
    if (is_there)
      return TRUE;
    if (until >= 0 && g_get_monotonic_time () >= until)
      return FALSE;
    sleep_longer (&sleep_us);
  }
}

/* ---- Messages that are on their way ---- */

typedef struct {
  MPI_Request request;
  GBytes *message; /* MPI's until the request is done */
} Outgoing;

static GQueue outbox = G_QUEUE_INIT; /* of Outgoing; as there is one MPI_COMM_WORLD */

static gboolean
is_outbox_empty (void)
{
  for (GList *link = outbox.head, *next; link != NULL; link = next) {
    Outgoing *outgoing = link->data;
    int is_done = 1;

    next = link->next;
    MPI_Test (&outgoing->request, &is_done, MPI_STATUS_IGNORE);
    if (!is_done)
      continue;
    g_bytes_unref (outgoing->message);
    g_free (outgoing);
    g_queue_delete_link (&outbox, link);
  }
  return g_queue_is_empty (&outbox);
}

static void
empty_outbox (void)
{
  gulong sleep_us = MIN_SLEEP_US;

  while (!is_outbox_empty ())
    sleep_longer (&sleep_us);
}

/* Does not wait: even for a message of some hundred bytes MPI_Send may do so until the other side
 * looks for messages, which a rank that is writing to a disk does not. */
static gboolean
send_to (int rank, GBytes *message)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (message, &size);
  Outgoing outgoing;

  is_outbox_empty ();
  if (size > G_MAXINT
      || MPI_Isend (data, (int) size, MPI_BYTE, rank, TAG, MPI_COMM_WORLD, &outgoing.request)
             != MPI_SUCCESS)
    return FALSE;
  outgoing.message = g_bytes_ref (message);
  g_queue_push_tail (&outbox, g_memdup2 (&outgoing, sizeof outgoing));
  return TRUE;
}

/* ---- The transport: peer p of rank 0 is rank p + 1, that of another is rank 0 ---- */

typedef struct {
  AssayTransport transport;
  gboolean is_worker;
} Ranks;

/* What is large travels only while both sides take part, and the scheduler would be held up if a
 * worker went on to its next cell. The scheduler never waits so, and always comes to receive. */
static gboolean
ranks_send (AssayTransport *transport, guint peer, GBytes *message, GError **error)
{
  const gboolean is_worker = ((const Ranks *) transport)->is_worker;
  const int rank = is_worker ? 0 : (int) peer + 1;

  if (!send_to (rank, message))
    return assay_fail (error, ASSAY_ERROR_IO, "rank %d cannot be reached", rank);
  if (is_worker && g_bytes_get_size (message) > SMALL_MESSAGE)
    empty_outbox ();
  return TRUE;
}

static AssayTransportEvent
ranks_receive (AssayTransport *transport, gint64 wait_us, guint *ret_peer, GBytes **ret_message,
               G_GNUC_UNUSED char **ret_why)
{
  const gboolean is_worker = ((const Ranks *) transport)->is_worker;
  const gint64 until = wait_us < 0 ? -1 : g_get_monotonic_time () + wait_us;
  MPI_Status about;

  if (!wait_for_message (is_worker ? 0 : MPI_ANY_SOURCE, until, &about))
    return ASSAY_TRANSPORT_NOTHING;
  *ret_peer = is_worker ? 0 : (guint) about.MPI_SOURCE - 1;
  *ret_message = read_message (&about);
  return ASSAY_TRANSPORT_MESSAGE;
}

static void
ranks_free (AssayTransport *transport)
{
  for (guint p = 0; !((const Ranks *) transport)->is_worker && p < transport->n_peers; p++)
    assay_transport_send (transport, p, ASSAY_MESSAGE_QUIT, 0, NULL, NULL);
  g_free (transport);
}

/* A rank that ends without a word ends them all: MPI has no standard way to go on without it. */
AssayTransport *
assay_mpi_transport_new (const AssayMpi *mpi)
{
  Ranks *ranks = g_new0 (Ranks, 1);

  ranks->is_worker = mpi->rank > 0;
  ranks->transport = (AssayTransport){ .n_peers = ranks->is_worker ? 1 : (guint) mpi->size - 1,
                                       .send = ranks_send,
                                       .receive = ranks_receive,
                                       .free = ranks_free };
  return &ranks->transport;
}

/* ---- Joining ---- */

/* The ranks of this machine that work. */
static guint
count_beside (int rank)
{
  const int works = rank > 0;
  MPI_Comm machine;
  int n = 0;

  MPI_Comm_split_type (MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
  MPI_Allreduce (&works, &n, 1, MPI_INT, MPI_SUM, machine);
  MPI_Comm_free (&machine);
  return (guint) MAX (n, 1);
}

/* The processors of the machine shared by them; no more than this one may use. */
static guint
share_of_threads (guint n_beside)
{
  const guint allowed = assay_parallel_threads (), all = (guint) sysconf (_SC_NPROCESSORS_ONLN);

  return MAX (MIN (allowed, all / n_beside), 1);
}

AssayMpi
assay_mpi_join (void)
{
  static const char *const signs[] = { "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK" };
  AssayMpi mpi = { 0 };
  gboolean is_launched = FALSE;
  int level;

  for (gsize i = 0; i < G_N_ELEMENTS (signs); i++)
    is_launched |= g_getenv (signs[i]) != NULL;
  if (!is_launched || MPI_Init_thread (NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
    return mpi;
  MPI_Comm_rank (MPI_COMM_WORLD, &mpi.rank);
  MPI_Comm_size (MPI_COMM_WORLD, &mpi.size);
  mpi.is_running = TRUE;
  mpi.n_beside = count_beside (mpi.rank);
  mpi.threads = share_of_threads (mpi.n_beside);
  mpi.name = g_strdup_printf ("rank %d on %s", mpi.rank, g_get_host_name ());
  return mpi;
}

/* MPI_Finalize would wait for the others without a pause. */
static void
wait_for_all (void)
{
  gulong sleep_us = MIN_SLEEP_US;
  MPI_Request others;
  int are_there = 0;

  empty_outbox ();
  if (MPI_Ibarrier (MPI_COMM_WORLD, &others) != MPI_SUCCESS)
    return;
  while (MPI_Test (&others, &are_there, MPI_STATUS_IGNORE) == MPI_SUCCESS && !are_there)
    sleep_longer (&sleep_us);
}

void
assay_mpi_leave (AssayMpi *mpi)
{
  if (mpi->is_running) {
    wait_for_all ();
    MPI_Finalize ();
  }
  g_clear_pointer (&mpi->name, g_free);
  mpi->is_running = FALSE;
}

#endif
