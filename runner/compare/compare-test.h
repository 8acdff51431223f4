/* One measure of two defenses of different runs: is the one better than the other?
 *
 * The runs protect the same secrets (compare-check.h), so that outcomes are paired where
 * they are of the same units in the same order. Let d_i be by how much unit i is better off. Tested
 * is "the mean of d is at most -margin":
 *
 * - without a margin: the paired test (core/stats/paired-test.h), as against a baseline. Gaffke's
 *   test would hold whatever the outcomes, and sees a difference of 36 and 61 % in 12 groups with
 *   p = 0.23, where t on the groups' own differences has p = 0.0006;
 * - with one, of measures from low to high: Gaffke's test (core/stats/bound-test.h) of
 *   (d_i / (high - low) + 1) / 2, which lies from 0 to 1. That two do the same cannot be
 *   resampled: a bootstrap knows nothing of the units that a sample lacks.
 *
 * Quantiles, whose difference is not the mean of d, and outcomes that are not paired: the smallest
 * a at which the intervals of confidence 1 - a are apart. Each end is wrong with a chance of a / 2
 * at most, whatever the two have in common, so that p = a. Percentile bootstrap intervals have no
 * such ends below a = 2 / (resamples + 1): of means the ends are there those of t, at least as far
 * out as the extreme resamples, and a is at least 2^-n of n units or groups.
 *
 * Epsilon is only ever bounded from below: nothing shows that one is smaller. */
#pragma once

#include "core/stats/sample.h"
#include "runner/compare/saved-run.h"

typedef struct _AssayEvidence AssayEvidence;

/* What the pooled cell at @first (of trial 0) of @run saw of its metric number @metric. */
AssayEvidence *assay_evidence_new (const AssaySavedRun *run, gsize first, guint metric,
                                   GError **error);
ASSAY_DECLARE_FREE (AssayEvidence, assay_evidence_free)

/* Is one side better by more than -margin? */
typedef struct {
  const AssayMeasure *measure;
  gboolean lower_is_better;
  double margin;
  AssayStreamKey stream; /* what a test resamples by */
} AssayContest;

/* The p-value of "@better is not better than @worse by more than -margin": small where it is
 * better, 1 where nothing can be shown. @ret_method is static. */
double assay_evidence_test (const AssayEvidence *better, const AssayEvidence *worse,
                            const AssayContest *contest, const char **ret_method);

/* The same of two samples of other units: the smallest level at which their intervals are apart. */
double assay_samples_apart (const AssaySample *better, const AssaySample *worse,
                            const AssayContest *contest);
