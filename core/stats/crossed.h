/* Units that belong to two groups each: a mixture of two secrets, an outcome of one row under one
 * training. Units with a group in common vary together, those without do not.
 *
 * The variance of their mean is that of Aronow, Samii and Assenova 2015 ("Cluster-robust variance
 * estimation for dyadic data"; of rows and columns: Cameron, Gelbach and Miller 2011): with
 * residuals r_i = y_i - mean, the sum of r_i r_j over all pairs that share a group, by n^2. It is
 * what the sum of squares of the groups' sums has, less what units count twice in it; and at least
 * what independent units would have, and, of groups of two kinds, what groups of either alone have:
 * residuals of few columns sum to nearly 0, which would take away too much. */
#pragma once

#include "core/stats/estimate.h"
#include "core/stats/sample.h"

/* Standard error of the mean of @values (of the units of @sample, in their order), each group's
 * part corrected by G / (G - 1), and its degrees of freedom: G - 1, of groups of two kinds by
 * Satterthwaite 1946. */
double assay_crossed_error (const AssaySample *sample, const double *values, double *ret_freedom);

/* t intervals, one in @a on each side. Of a quantile that of the share below it, read off the
 * sorted values (Woodruff 1952). */
void assay_crossed_interval (const AssaySample *sample, double a, AssayInterval *interval);

/* The p-values of @bound, none below what a sample of so many groups could have: two units of a
 * group are not two, so that n groups in pairs count as n / 2 (Hoeffding 1963, section 5). */
double assay_crossed_p (const AssaySample *sample, double bound, gboolean is_above);
double assay_crossed_least_p (const AssaySample *sample, double bound, gboolean is_above);
