/* Whether a claim has units enough, and what its measure needs. */
#pragma once

#include "cli/check/lint.h"

/* Adds a doubt where no run could decide @claim, or none uphold it, by what it measures in @cell
 * (no audit): its units are too few at level @alpha, or the measure will be left out. */
void assay_lint_numbers (GPtrArray *doubts, const AssayPlan *plan, const AssayClaim *claim,
                         const AssayCell *cell, double alpha);
