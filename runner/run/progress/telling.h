/* What a run asks and tells its caller while it goes on. */
#pragma once

#include "core/base/progress/listen.h"
#include "runner/run/pending.h"

typedef struct {
  gboolean (*is_cancelled) (gpointer data); /* asked between cells; NULL: never */
  void (*progress) (const AssayProgress *progress, gpointer data); /* NULL: silent */
  gpointer data;
  gint64 part_us;         /* how often @progress is to hear of the loops within a cell; 0: never */
  const gboolean *wanted; /* the cells to run, one a cell of the plan; NULL: all */
  /* When (monotonic) @is_cancelled will say so, in a process without workers: cells share the time
   * until then, and what takes too much of it is put off until the others are done. 0: never. */
  gint64 deadline;
} AssayRunCallbacks;

static inline gboolean
assay_run_is_cancelled (const AssayRunCallbacks *callbacks)
{
  return callbacks->is_cancelled != NULL && callbacks->is_cancelled (callbacks->data);
}

static inline void
assay_run_report (const AssayRunCallbacks *callbacks, const AssayProgress *progress)
{
  if (callbacks->progress != NULL)
    callbacks->progress (progress, callbacks->data);
}

/* How far a run is, and who hears of it. */
typedef struct {
  const AssayRunCallbacks *callbacks;
  AssayProgress state;
  char *doing; /* what `state` says is done */
} AssayRunTelling;

ASSAY_DECLARE_CLEAR (AssayRunTelling, assay_run_telling_clear)

void assay_run_tell (AssayRunTelling *telling, const char *doing);

/* From here on loops are heard of as well, as what is done tells where it is. Gives what listens
 * after it (assay_loop_listen). */
AssayLoopListener assay_run_listen (AssayRunTelling *telling);
