/* One number with an interval from the outcomes of many units (docs/statistics.md). */
#pragma once

#include "core/stats/binomial.h"
#include "core/stats/estimate.h"
#include "core/stats/sample.h"

/* The two-sided interval of @measure's statistic at @confidence.
 *
 * Independent units (@groups NULL): a rate by Clopper-Pearson; a mean by percentile bootstrap; a
 * quantile by order statistics (exact, no resampling). Units in groups (one number per unit, equal
 * numbers belong together): the group is the unit. With 30 groups or more, a cluster bootstrap;
 * below, the mean of the groups' own statistics (means, or quantiles) with a t interval (G - 1
 * degrees of freedom); one group alone has no interval but the range of the measure, as has the
 * mean of one unit. Where every unit of a share (0 to 1) has the same
 * extreme outcome, resampling would give an interval without width; then it is Clopper-Pearson on
 * the number of groups (or of units, where they are independent). Quantiles interpolate linearly
 * (type 7 of Hyndman and Fan 1996). Resamples draw from @stream: 2,000 of them. n >= 1.
 *
 * A measure of epsilon has a lower bound alone, at level 1 - @confidence: no number of runs shows
 * that there is no better event. Its upper end is that of the measure's range. */
AssayInterval assay_interval (const AssayMeasure *measure, const double *values,
                              const gint64 *groups, gsize n, double confidence,
                              AssayStreamKey stream);
/* The same of a sample that is there already. */
AssayInterval assay_sample_interval (const AssaySample *sample, double confidence,
                                     AssayStreamKey stream);
