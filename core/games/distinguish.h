/* The distinguishing game: two neighbouring inputs, fresh runs of a mechanism on each, an event
 * that an auditor chose on runs of its own, and counts on runs that nobody has seen.
 *
 * The auditor gets an oracle: pairs of neighbouring inputs, labelled runs on either of them to
 * train on, and the exact likelihood ratio where the mechanism knows its density. It returns an
 * event. The game alone then draws the runs on which that event is tested; they come from other
 * items of the mechanism's stream, so that nothing chosen by looking at data is ever tested on
 * them. Memory does not depend on the number of runs. */
#pragma once

#include "core/plugin/oracle.h"
#include "core/stats/measure.h"

/* Of how many runs a side the log keeps what they were. */
#define ASSAY_LOG_RUNS (1u << 15)

/* What is kept of the test runs, for independence.h. */
typedef struct {
  gsize count; /* runs a side of which there is: */
  struct {
    guint64 *hashes;  /* equal for equal outputs */
    double *sums;     /* of the columns */
    guint8 *is_event; /* 0 or 1 */
  } sides[2];
  /* All runs, where they are kept (assay_run_log_keep). */
  gpointer outputs[2];
  guint64 hits[2]; /* of the event, in whole panels of all runs; and the sum of their squares */
  guint64 squares[2];
} AssayRunLog;

AssayRunLog *assay_run_log_new (guint64 runs);
/* Makes room for all @runs of @stride bytes a side. ASSAY_ERROR_MEMORY. */
gboolean assay_run_log_keep (AssayRunLog *log, guint64 runs, gsize stride, GError **error);
/* Where @event holds among the runs that were kept, as many as it is tested on: @ret_marks has 1
 * or 0 for each run on the first input, then on the second. */
void assay_run_log_mark (const AssayRunLog *log, const AssayOracle *oracle,
                         const AssayEvent *event, guint8 *ret_marks);
ASSAY_DECLARE_FREE (AssayRunLog, assay_run_log_free)

/* A number that is equal for equal outputs, of which -0 and 0 are two and all NaN are one. */
guint64 assay_run_hash (AssayOutputs outputs, gsize run);

/* Tests @event on its fresh runs; the counts do not depend on the number of threads. Fails where
 * the mechanism does, and with ASSAY_ERROR_CANCELLED. The second form fills @log, which is for as
 * many runs as the event. */
gboolean assay_distinguish (const AssayOracle *oracle, const AssayEvent *event,
                            AssayAudit *ret_audit, GError **error);
gboolean assay_distinguish_logged (const AssayOracle *oracle, const AssayEvent *event,
                                   AssayRunLog *log, AssayAudit *ret_audit, GError **error);
