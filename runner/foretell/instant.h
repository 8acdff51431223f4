/* How long something takes: of processors, and by the clock on the wall. The former, with all
 * threads and with programs that ended, hardly depends on what else the machine does. */
#pragma once

typedef struct {
  double work, wall; /* seconds */
} AssayInstant;

AssayInstant assay_instant_now (void);
AssayInstant assay_instant_since (AssayInstant start);
