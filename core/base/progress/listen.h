/* Hearing of loops (progress/loop.h): for whoever runs cells. It is no header of plugins, which are
 * not to hear of each other. */
#pragma once

#include <glib.h>

/* Who hears of the loops of this thread: of those of other threads nobody does. @says lasts for the
 * call. */
typedef struct {
  void (*hear) (const char *says, gpointer data); /* NULL: nobody listens */
  gpointer data;
  gint64 every_us;
} AssayLoopListener;

/* Gives back who listened before, for whoever listens for a while. */
AssayLoopListener assay_loop_listen (AssayLoopListener listener);
