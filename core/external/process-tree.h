/* What a program of others and all that it started take of the machine.
 *
 * A look into /proc, now and then, in place of limits that the kernel keeps: RLIMIT_NPROC counts
 * all processes of a user before Linux 5.14 and none of root's, RLIMIT_DATA each process for
 * itself and no shared memory, and control groups have to be delegated to whoever runs the audit.
 * What a look finds is a twentieth of a second late, in which a program can do no harm that lasts:
 * it is killed with all that it started. */
#pragma once

#include <glib.h>

/* How many processes and threads there are of @root and its descendants: all of a confined program,
 * whose orphans go to its own first process; of others what has kept its parents. Not counted
 * further than to above @enough. */
guint assay_process_tree_tasks (GPid root, guint enough);

/* Bytes of memory that they hold together, what several share once (PSS), files in memory
 * that they have open among it; 0 where nothing can be read, and not exact below @enough. */
guint64 assay_process_tree_memory (GPid root, guint64 enough);

/* Bytes on disk or in memory of files that they have open and that have no name any more, or never
 * had one (memfd_create). */
guint64 assay_process_tree_unnamed (GPid root);
