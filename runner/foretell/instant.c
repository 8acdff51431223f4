/* How long something takes: of processors, and by the clock on the wall. */
#include "runner/foretell/instant.h"

#include <glib.h>
#include <sys/resource.h>
#include <time.h>

AssayInstant
assay_instant_now (void)
{
  struct timespec work;
  struct rusage ended;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &work);
  getrusage (RUSAGE_CHILDREN, &ended);
  return (AssayInstant){
    .work = (double) (work.tv_sec + ended.ru_utime.tv_sec + ended.ru_stime.tv_sec)
            + 1e-9 * (double) work.tv_nsec
            + 1e-6 * (double) (ended.ru_utime.tv_usec + ended.ru_stime.tv_usec),
    .wall = (double) g_get_monotonic_time () / G_USEC_PER_SEC,
  };
}

AssayInstant
assay_instant_since (AssayInstant start)
{
  const AssayInstant end = assay_instant_now ();

  return (AssayInstant){ end.work - start.work, end.wall - start.wall };
}
