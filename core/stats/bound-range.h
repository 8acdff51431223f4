/* What a test of bounds (core/stats/bound-test.h) leaves: the bounds that it would not reject. */
#pragma once

#include "core/stats/sample.h"

typedef struct {
  double lower; /* below it every bound is rejected as too low; -INFINITY: none is */
  double upper; /* above it every bound is rejected as too high; INFINITY: none is */
} AssayBoundRange;

/* The test of bounds turned round, with level @alpha (0 to 1) on each side: a bound outside the
 * range has a p-value below @alpha, one inside has not, up to the last digits. With @alpha shared
 * out over several hypotheses these are their simultaneous intervals (Bonferroni). They are as a
 * rule wider than intervals of one number alone, and where those describe the variation that was
 * seen and the test is Gaffke's they differ in kind (docs/statistics.md). */
AssayBoundRange assay_bound_range (const AssaySample *sample, double alpha, AssayStreamKey stream);

/* What the test is called: "Gaffke's test", "the sign test". */
const char *assay_bound_test_name (const AssaySample *sample);
