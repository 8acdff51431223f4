/* The points of a comparison of runs as curves. */
#pragma once

#include "report/plots/curves.h"
#include "runner/compare/comparison.h"

/* A trade-off for each axis that has a utility, in their order: one line for each defense of each
 * run, along the setting that is swept. */
GPtrArray *assay_compare_curves (const AssayCompared *compared);
