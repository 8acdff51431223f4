/* Ranks of MPI: rank 0 schedules, the others are workers. In builds without MPI no process is ever
 * one of several. */
#pragma once

#include "runner/workers/transport.h"

typedef struct {
  gboolean is_running; /* this process was started as one of several ranks */
  int rank;
  int size;
  guint n_beside; /* ranks of this machine that work, this one among them; at least 1 */
  guint threads;  /* that this rank should use, so that the ranks of one machine share it */
  char *name;     /* "rank 3 on HOST" */
} AssayMpi;

/* Joins the other ranks where a launcher has started this process as one of several; without one
 * MPI is not touched. */
AssayMpi assay_mpi_join (void);
/* Waits for the others. */
void assay_mpi_leave (AssayMpi *mpi);

/* Of rank 0 the workers, of another the scheduler. */
AssayTransport *assay_mpi_transport_new (const AssayMpi *mpi);
