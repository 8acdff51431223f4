/* The pictures of a cell that the scenario's contact sheets want. */
#pragma once

#include "runner/plan/contact-sheet.h"
#include "runner/run/workspace.h"
#include "runner/store/thumbnail.h"

/* A cell whose attack with @settings made @guess of @job. */
typedef struct {
  const AssayPlan *plan;
  const AssayCell *cell;
  const AssaySettings *settings;
  const AssayJob *job;
  const AssayGuess *guess;
  const AssayOutcomes *outcomes; /* of the plan's metrics: they say how many units there are */
} AssayShowing;

/* Adds to @shown (of AssayShown) the pictures of a cell. */
gboolean assay_show_cell (const AssayShowing *showing, GArray *shown, GError **error);
