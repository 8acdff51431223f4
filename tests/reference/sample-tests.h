/* Tests of goodness of fit, for checks on random numbers. All of them take the chance @alpha
 * that a right program fails the check, in place of a tolerance: it follows from the size of the
 * sample. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Kolmogorov-Smirnov distance from a distribution function, and between two samples; and what it
 * exceeds with probability @alpha at most (the asymptotic bound 2 exp (-2 n d^2) of both). */
double sample_ks_distance (const double *sample, gsize n, double (*cdf) (double x));
double sample_ks_two (const double *a, gsize n_a, const double *b, gsize n_b);
double sample_ks_bound (gsize n, double alpha);
double sample_ks_two_bound (gsize n_a, gsize n_b, double alpha);

/* Chi-square of counts against equal chances, and its 1 - @alpha quantile (Wilson and Hilferty
 * 1931, good to a percent from 4 cells on, with z the quantile of the normal by bisection). */
double sample_chi_square (const gsize *counts, gsize cells);
double sample_chi_square_bound (gsize cells, double alpha);

/* P (Z <= z) of the standard normal. */
double sample_normal_cdf (double z);

G_END_DECLS
