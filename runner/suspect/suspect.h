/* Cells whose guesses, releases or data cannot be right. */
#pragma once

#include "runner/run/workspace.h"
#include "runner/store/store.h"

typedef struct {
  const AssayPlan *plan;
  AssayWorkspace *workspace;
  AssayStore *store;
  const AssayCell *cell;
  gsize index; /* of the cell */
  const AssaySettings *settings;
  const AssayJob *job;
  const AssayGuess *guess;
} AssaySuspicion;

/* Why nothing can be concluded from a cell, where an attack that fails would seem to have failed
 * against the defense: its scale is wrong, or planted rows are not found (planted-rows.h). Keeps it
 * for the judge. NULL in @ret_said: nothing is wrong. */
gboolean assay_suspect_find (const AssaySuspicion *of, char **ret_said, GError **error);
