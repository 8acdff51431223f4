/* A crew of MPI ranks: rank 0 deals, the others work. In builds without MPI no process is ever one
 * of several. */
#pragma once

#include "runner/crew/crew.h"

G_BEGIN_DECLS

typedef struct {
  gboolean is_running; /* this process was started as one of several ranks */
  int rank;
  int size;
  guint n_beside; /* ranks of this machine that work, this one among them; at least 1 */
  guint threads; /* that this rank should use, so that the ranks of one machine share it */
  char *name;    /* "rank 3 on HOST" */
} AssayMpi;

/* Joins the other ranks where a launcher has started this process as one of several; without one
 * MPI is not touched. */
AssayMpi assay_mpi_join (void);
/* Waits for the others. */
void assay_mpi_leave (AssayMpi *mpi);

AssayCrew *assay_crew_mpi_new (const AssayMpi *mpi);
AssayPost *assay_post_mpi_new (void);

G_END_DECLS
