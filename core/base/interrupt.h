/* Ctrl-C and SIGTERM while something runs that is not ours, and would be left behind. */
#pragma once

#include <signal.h>

#include <glib.h>

/* A process that handles these signals itself says so here: @is_wanted is asked from then on. */
void assay_interrupt_set_check (gboolean (*is_wanted) (void));

typedef struct {
  struct sigaction before[2];
  gboolean is_held[2];
} AssayInterrupt;

/* From here to the end, a signal whose default would end the process is a request alone. Where the
 * process handles it itself nothing is changed. A second one ends the process at once. */
void assay_interrupt_begin (AssayInterrupt *ret_interrupt);
gboolean assay_interrupt_is_wanted (void);
void assay_interrupt_end (const AssayInterrupt *interrupt);
