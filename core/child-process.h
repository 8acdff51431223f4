/* Programs of others: started without a shell, watched, and ended with all that they started. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  const char *command; /* split into words as a shell would split it; no shell runs it */
  const char *folder;  /* its last argument */
  double time_limit_s;
  guint64 memory_limit; /* bytes of private memory that it may write to; 0: no limit */
  guint64 file_limit;   /* bytes of a file that it writes */
} AssayChild;

/* The words of @command, of which there is one at least. ASSAY_ERROR_PARAMETER. */
char **assay_child_words (const char *command, GError **error);

/* Runs the program to its end. Its standard input is empty, what it prints on standard output is
 * dropped, and the last lines that it prints on standard error are @ret_said: one line of text
 * without control characters ("" where it printed none), for messages. The program runs in the
 * working folder; a name without a slash is looked up in PATH. When its first process has ended or
 * is out of time, its whole process group is killed.
 *
 * ASSAY_ERROR_DATA, with its last lines, where it cannot be started, does not end in time, is
 * killed by a signal or has another exit status than 0. */
gboolean assay_child_run (const AssayChild *child, char **ret_said, GError **error);

/* ": its last lines: ..." for messages, or "". */
char *assay_child_describe_said (const char *said);

G_END_DECLS
