/* Cells that are chosen by words: assay run --cells. */
#pragma once

#include "runner/plan/plan.h"

/* Which cells of @plan have all of @words, in whatever case, in "ATTACK against DEFENSE" or
 * "UTILITY of DEFENSE" with the settings that vary, and the dataset where there are several; one a
 * cell, to be freed. NULL: @words is NULL, and all are meant. */
gboolean *cli_cells_choose (const AssayPlan *plan, const char *words);

/* That @words choose one at least. ASSAY_ERROR_PARAMETER with what a cell is called. */
gboolean cli_cells_check (const AssayPlan *plan, const char *words, GError **error);
