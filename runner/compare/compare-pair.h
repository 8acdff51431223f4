/* Which point of a comparison is shown to be better than which. */
#pragma once

#include "runner/compare/comparison.h"

/* Fills in the pairs of every axis, whose points are there, and corrects them by Holm over all.
 * @runs: of AssaySavedRun, those of @compared. */
gboolean assay_compare_test_pairs (AssayCompared *compared, const GPtrArray *runs, GError **error);
