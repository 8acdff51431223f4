/* Programs of others: started without a shell, watched, and ended with all that they started. */
#pragma once

#include <glib.h>

#include "core/external/confine.h"

typedef struct {
  char *const *words;  /* the program and its arguments; no shell runs them */
  const char *folder;  /* its last argument; absolute, as the next is */
  const char *scratch; /* for its temporary files (TMPDIR, or /tmp where it is confined) */
  AssayConfine confine;
  double time_limit_s;
  guint64 memory_limit; /* bytes of private memory that a process of it may write to, and of memory
                           that all of them hold together; 0: no limit */
  guint process_limit;  /* processes and threads that it may have at a time */
  guint64 file_limit;   /* bytes of a file that it writes, and on disk of all in both folders */
} AssayChild;

/* Runs the program to its end. Its standard input is empty, what it prints on standard output is
 * dropped, and the last lines that it prints on standard error are @ret_said: one line of text
 * without control characters ("" where it printed none), for messages. The program runs in the
 * working folder; a name without a slash is looked up in PATH. When its first process has ended, is
 * out of time, has filled its folders, or has too many processes or too much memory, its whole
 * process group is killed, and where it is confined all that it started.
 *
 * ASSAY_ERROR_DATA, with its last lines, where it cannot be started, does not end in time, is
 * killed by a signal, takes more than it may or has another exit status than 0 (one of 128 + N is
 * signal N, as shells have it). ASSAY_ERROR_CANCELLED where Assay itself was asked to stop
 * (core/base/interrupt.h): it is killed at once. */
gboolean assay_child_run (const AssayChild *child, char **ret_said, GError **error);

/* Whether that it was out of time is the error, or what an error says that has it as its end. */
gboolean assay_child_ran_out_of_time (const GError *error);

/* ": its last lines: ..." for messages, or "". */
char *assay_child_describe_said (const char *said);
