/* A worker: runs the cells that a scheduler sends. */
#pragma once

#include "runner/run/run.h"
#include "runner/workers/transport.h"

typedef struct {
  const AssayPlan *const *plans; /* that the scheduler may begin, by number */
  guint n_plans;
  const char *name;     /* what the worker is called in messages: "rank 3 on HOST" */
  gboolean is_silent;   /* it does not say how far its cells are */
  gboolean opens_ahead; /* the first dataset of the first plan, while the scheduler does the same */
  /* Whether to stop; what it does is told to the scheduler. */
  gboolean (*is_cancelled) (gpointer data);
} AssayWorkOptions;

/* Runs cells until it is told to quit or the scheduler is gone. */
void assay_work (const AssayWorkOptions *work, AssayTransport *scheduler);
