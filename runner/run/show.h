/* The pictures of a cell that the scenario's contact sheets want. */
#pragma once

#include "runner/plan/contact-sheet.h"
#include "runner/run/workspace.h"
#include "runner/store/thumbnail.h"

/* Adds to @shown (of AssayShown) the pictures of @cell, whose attack with @settings made @guess of
 * @job; @outcomes are what the plan's metrics measured, and say how many units there are. */
gboolean assay_show_cell (const AssayPlan *plan, const AssayCell *cell,
                          const AssaySettings *settings, const AssayJob *job,
                          const AssayGuess *guess, const AssayOutcomes *outcomes, GArray *shown,
                          GError **error);
