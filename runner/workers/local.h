/* Workers that are processes of this machine, with a socket each. */
#pragma once

#include "runner/workers/transport.h"

/* The descriptor of a worker's socket stands in its environment. */
#define ASSAY_WORKER_VARIABLE "ASSAY_WORKER_SOCKET"

/* Starts @n_workers processes of @arguments (NULL ends), which shall end up in assay_work. */
AssayTransport *assay_local_workers_new (guint n_workers, const char *const *arguments,
                                         GError **error);
/* The scheduler of a process that was started so; NULL: this process is no worker. */
AssayTransport *assay_local_scheduler_new (void);
