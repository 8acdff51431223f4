/* Is a mean of values from 0 to 1 above or below a bound, whatever the distribution of groups? By
 * Gaffke's statistic: what bound-test.c does for shares and quantiles of units in groups, and
 * for means from 0 to 1 of independent units. */
#pragma once

#include "core/stats/sample.h"

/* The functions below are for samples of which this is so. */
gboolean assay_fraction_is_tested (const AssaySample *sample);

/* The p-value of "the statistic is at most @bound", or, with @is_above FALSE, "at least". */
double assay_fraction_p (const AssaySample *sample, double bound, gboolean is_above);

/* That of a sample with these group sizes in which every unit is on that side. */
double assay_fraction_least_p (const AssaySample *sample, double bound, gboolean is_above);

/* The estimate of this sample if all group means were moved, within 0 and 1, until the p-value is
 * just below @alpha; of a quantile @bound moved by the distance from the estimate to the farthest
 * outcome from which it is told. NAN: the smallest p-value is not below @alpha, or out of range. */
double assay_fraction_detectable (const AssaySample *sample, double bound, gboolean is_above,
                                  double alpha);

/* The units of the smallest number of groups at which groups like these are told from @bound; 0:
 * none. */
double assay_fraction_units_needed (const AssaySample *sample, double bound, gboolean is_above,
                                    double alpha);
