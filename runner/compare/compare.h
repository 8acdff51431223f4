/* Defenses of several runs on common axes, and which of them is better than which.
 *
 * Only what is alike can be compared: the same data and secrets, trials and seed, metrics with the
 * same settings. Each setting of a defense is one point: how much leaks to the attack that takes
 * most, and how useful the release is. One point dominates another where it leaks less and is at
 * least as useful, both shown by tests (compare-test.h) and corrected by Holm over all pairs
 * of points of different runs. */
#pragma once

#include "runner/compare/comparison.h"

/* @runs (of AssaySavedRun, borrowed): two or more, finished. ASSAY_ERROR_MISMATCH: they cannot be
 * compared, and why. */
AssayCompared *assay_compare (const GPtrArray *runs, double margin, GError **error);
ASSAY_DECLARE_FREE (AssayCompared, assay_compared_free)
