/* A crew of processes on this machine, each with a socket. */
#pragma once

#include "runner/crew/crew.h"

G_BEGIN_DECLS

/* The descriptor of a worker's socket stands in its environment. */
#define ASSAY_WORKER_VARIABLE "ASSAY_WORKER_SOCKET"

/* Starts @n_workers processes of @arguments (NULL ends), which shall end up in assay_work. */
AssayCrew *assay_crew_local_new (guint n_workers, const char *const *arguments, GError **error);

/* The post of a worker that was started so; NULL: this process is none. */
AssayPost *assay_post_local_new (void);
void assay_post_local_free (AssayPost *post);

G_END_DECLS
