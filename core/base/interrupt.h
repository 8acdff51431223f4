/* Requests to stop: Ctrl-C, SIGTERM and the end of a time. Whatever takes longer than a second asks
 * now and then whether there is one, and ends with ASSAY_ERROR_CANCELLED. */
#pragma once

#include <signal.h>

#include <glib.h>

/* A process that handles these signals itself says so here: @is_wanted is asked from then on. */
void assay_interrupt_set_check (gboolean (*is_wanted) (void));

/* From this moment (monotonic; 0: never) a stop is wanted: what runs now has had its time. */
void assay_interrupt_set_limit (gint64 end);

/* Ctrl-C and SIGTERM while something runs that is not ours, and would be left behind. */
typedef struct {
  struct sigaction before[2];
  gboolean is_held[2];
} AssayInterrupt;

/* From here to the end, a signal whose default would end the process is a request alone. Where the
 * process handles it itself nothing is changed. A second one ends the process at once. */
void assay_interrupt_begin (AssayInterrupt *ret_interrupt);
gboolean assay_interrupt_is_wanted (void);
/* FALSE with ASSAY_ERROR_CANCELLED where it is. */
gboolean assay_interrupt_goes_on (GError **error);
/* Whether somebody was told since this was last asked that a stop is wanted: they may have left
 * something out, and what came out of it is no result, whatever became of their error. */
gboolean assay_interrupt_was_told (void);
void assay_interrupt_end (const AssayInterrupt *interrupt);
