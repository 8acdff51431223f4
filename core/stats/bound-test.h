/* Is a statistic above or below a stated bound? One-sided p-values by the same methods as intervals
 * (docs/statistics.md), and Holm's correction over many of them. */
#pragma once

#include "core/stats/sample.h"

typedef struct {
  double p_above; /* of "the statistic is at most the bound": small where it is above */
  double p_below; /* of "the statistic is at least the bound": small where it is below */
} AssayBoundTest;

/* Rates: the exact binomial tail. Quantiles of independent units: the sign test. Shares and
 * quantiles of units in groups, and means from 0 to 1: Gaffke's test (share-test.h). Other
 * means, independent or in 30 groups or more: the inverted one-sided bootstrap, at least 1 /
 * (ASSAY_RESAMPLES + 1). Quantiles and other means in fewer groups: t on the groups' own. Neither
 * p-value is below assay_bound_least_p. Too small a sample: 1 and 1. Epsilon: the smallest level at
 * which the lower bound exceeds @bound, and 1. */
AssayBoundTest assay_bound_test (const AssaySample *sample, double bound, AssayStreamKey stream);

/* What no p-value of this sample's method falls below, however many units there are: 1 /
 * (ASSAY_RESAMPLES + 1) where resamples are counted, otherwise 0. */
double assay_bound_floor_p (const AssaySample *sample);

/* The smallest p_above (or, with @is_above FALSE, p_below) that a sample with as many units or
 * groups could have, judged by the method of this one: that of a sample in which all of them lie on
 * that side (bound^n for a share, in groups of one size), and at least assay_bound_floor_p. */
double assay_bound_least_p (const AssaySample *sample, double bound, gboolean is_above);

/* Holm's adjusted p-values (Holm 1979): with p_(1) <= ... <= p_(m), the largest of
 * min (1, (m - j + 1) p_(j)) over j <= i. A hypothesis is rejected where this is below alpha. */
void assay_holm (const double *p, gsize n, double *ret_adjusted);

/* The smallest value above @bound (or, with @is_above FALSE, the largest below) that a sample of
 * this size would have told from it at level @alpha: exact for rates, for what Gaffke's test judges
 * as assay_fraction_detectable says, otherwise the bound moved by the half-width of this sample's
 * own interval. NAN: no value in the range of the measure.
 *
 * Of epsilon: the ceiling, the largest lower bound that so many runs could have shown. An audit
 * whose ceiling is below the bound could not have refuted it. */
double assay_bound_detectable (const AssaySample *sample, double bound, gboolean is_above,
                               double alpha, AssayStreamKey stream);

/* How many units in all would tell the statistic from @bound at level @alpha if the estimate stayed
 * as it is: exact for rates, and for Gaffke's test if groups like these came again; otherwise from
 * the p-value by the square-root law. 0: no number would, because the estimate is at the bound, or
 * no p-value of the method is below @alpha. */
double assay_bound_units_needed (const AssaySample *sample, double bound, double alpha,
                                 AssayStreamKey stream);
