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

G_END_DECLS
