/* Several processes that run the cells of one plan: one deals and alone writes the store, workers
 * run cells and hold no state that matters. How messages travel is a crew's own affair
 * (runner/crew/crew-local.c: processes of this machine; runner/crew/crew-mpi.c: ranks of MPI).
 *
 * Messages are bytes: the first says what it is, the rest belongs to it.
 *   to a worker    BEGIN (number of the plan, facts), CELL (number of the cell, facts), END, QUIT
 *   from a worker  HELLO (threads, the plan's hash and its own name: the answer to BEGIN),
 *                  NEWS (number of the cell, rows), FAILED (kind of error, message), CANCELLED
 * A worker may have a second cell waiting while it runs one, so that it does not wait for mail. */
#pragma once

#include "runner/run/run.h"

G_BEGIN_DECLS

typedef enum {
  ASSAY_MAIL_BEGIN = 'b',
  ASSAY_MAIL_CELL = 'c',
  ASSAY_MAIL_END = 'e',
  ASSAY_MAIL_QUIT = 'q',
  ASSAY_MAIL_HELLO = 'h',
  ASSAY_MAIL_NEWS = 'n',
  ASSAY_MAIL_FAILED = 'f',
  ASSAY_MAIL_CANCELLED = 'x',
} AssayMail;

GBytes *assay_mail_new (AssayMail kind, guint64 number, gconstpointer rest, gsize size);
/* FALSE: it is no message. @ret_rest (free with g_bytes_unref) shares its memory. */
gboolean assay_mail_open (GBytes *mail, AssayMail *ret_kind, guint64 *ret_number,
                          GBytes **ret_rest);

/* ---- The side that deals ---- */

typedef enum {
  ASSAY_CREW_NOTHING, /* the time is over */
  ASSAY_CREW_MAIL,
  ASSAY_CREW_LOST, /* the worker has ended; it may be replaced */
} AssayCrewEvent;

typedef struct _AssayCrew AssayCrew;
struct _AssayCrew {
  guint n_workers;
  guint64 plan; /* number of the plan that is run next, among those that workers know */
  /* FALSE with ASSAY_ERROR_IO; a worker that is gone is no error, but will be reported as lost. */
  gboolean (*send) (AssayCrew *crew, guint worker, GBytes *mail, GError **error);
  /* Waits for at most @wait_us. LOST: @ret_why says how it ended. */
  AssayCrewEvent (*receive) (AssayCrew *crew, gint64 wait_us, guint *ret_worker, GBytes **ret_mail,
                             char **ret_why);
  /* Starts another in the place of one that was lost; NULL: it cannot. */
  gboolean (*replace) (AssayCrew *crew, guint worker, GError **error);
  void (*free) (AssayCrew *crew);
};

/* Runs what @store does not hold yet, as assay_run does. A worker that is lost costs its cell,
 * which is run again elsewhere; a cell that costs two workers counts as crashed. */
gboolean assay_run_with_crew (const AssayPlan *plan, AssayStore *store, AssayCrew *crew,
                              const AssayRunCallbacks *callbacks, AssayRunEnd *ret_end,
                              GError **error);

/* ---- A worker ---- */

typedef struct _AssayPost AssayPost;
struct _AssayPost {
  gboolean (*send) (AssayPost *post, GBytes *mail);
  GBytes *(*receive) (AssayPost *post); /* waits; NULL: whoever deals is gone */
};

/* Runs the cells of @plans that are sent, until it is told to quit or whoever deals is gone.
 * @opens_ahead: opens the first dataset of the first plan before it is asked to, while whoever
 * deals does the same. @name: what it is called in messages ("rank 3 on HOST"). */
void assay_work (const AssayPlan *const *plans, guint n_plans, gboolean opens_ahead,
                 AssayPost *post, const char *name, gboolean (*is_cancelled) (gpointer data),
                 gpointer data);

G_END_DECLS
