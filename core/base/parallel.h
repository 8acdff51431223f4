/* One parallel loop for everything: OpenMP around single-threaded BLAS calls. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Does piece @index of the work; @worker < assay_parallel_threads () names the calling thread. */
typedef void (*AssayWork) (gsize index, guint worker, gpointer data);

void assay_parallel_set_threads (guint threads); /* 0: one per processor */
guint assay_parallel_threads (void);

/* Calls @work for 0 .. count - 1 in any order, and returns when all are done. The pieces must be
 * cut independently of the number of threads for results that do not depend on it. */
void assay_parallel_for (gsize count, AssayWork work, gpointer data);

/* The same of work that may fail. All of it is done, and of several errors the first in the order
 * of the pieces is reported, so that neither depends on threads; but a piece that is begun when a
 * stop is wanted is left out, with ASSAY_ERROR_CANCELLED. */
typedef gboolean (*AssayTry) (gsize index, guint worker, gpointer data, GError **error);
gboolean assay_parallel_try (gsize count, AssayTry work, gpointer data, GError **error);

/* How many pieces of @size it takes to hold @count. */
static inline gsize
assay_pieces (gsize count, gsize size)
{
  return count / size + (count % size != 0);
}

G_END_DECLS
