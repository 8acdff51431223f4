/* The parallel loop, on OpenMP. */
#include "core/base/parallel.h"

#include <omp.h>

#include "core/base/interrupt.h"

static guint chosen_threads; /* atomic; 0: one per processor */

void
assay_parallel_set_threads (guint threads)
{
  g_atomic_int_set (&chosen_threads, MIN (threads, (guint) G_MAXINT));
}

guint
assay_parallel_threads (void)
{
  const guint threads = g_atomic_int_get (&chosen_threads);

  return threads > 0 ? threads : (guint) omp_get_num_procs ();
}

void
assay_parallel_for (gsize count, AssayWork work, gpointer data)
{
  /* A loop inside a loop runs on the thread that meets it, however OMP_MAX_ACTIVE_LEVELS is set:
   * the outer one keeps the processors busy. */
  /* NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): read by the pragma. */
  const int threads
      = omp_in_parallel () ? 1 : (int) MIN (assay_parallel_threads (), MAX (count, 1));

#pragma omp parallel num_threads(threads)
  {
    /* What is called below (FAISS, BLAS) holds OpenMP loops of its own. They are serial inside an
     * active region, but a region of one thread is not active, and there they would spread. */
    omp_set_num_threads (1);

#pragma omp for schedule(dynamic, 1)
    for (gsize i = 0; i < count; i++)
      work (i, (guint) omp_get_thread_num (), data);
  }
}

typedef struct {
  AssayTry work;
  gpointer data;
  GError **errors; /* one a piece */
} Trying;

static void
try_piece (gsize index, guint worker, gpointer data)
{
  const Trying *trying = data;

  if (assay_interrupt_goes_on (&trying->errors[index]))
    trying->work (index, worker, trying->data, &trying->errors[index]);
}

gboolean
assay_parallel_try (gsize count, AssayTry work, gpointer data, GError **error)
{
  g_autofree GError **errors = g_new0 (GError *, count);
  Trying trying = { work, data, errors };
  GError *first = NULL;

  assay_parallel_for (count, try_piece, &trying);
  for (gsize i = 0; i < count; i++) {
    if (first == NULL)
      first = g_steal_pointer (&errors[i]);
    g_clear_error (&errors[i]);
  }
  if (first != NULL)
    g_propagate_error (error, first);
  return first == NULL;
}
