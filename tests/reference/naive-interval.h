/* The obvious forms of what core/stats/interval.c computes. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* P (X = x), P (X >= x) and P (X <= x) of Binomial (n, p), 0 < p < 1: terms added one by one from
 * x outwards, the first one in logarithms and long double. */
double naive_binomial_term (guint64 x, guint64 n, double p);
double naive_binomial_at_least (guint64 x, guint64 n, double p);
double naive_binomial_at_most (guint64 x, guint64 n, double p);

/* Clopper-Pearson by their definition: the p at which that tail is @a, by bisection. */
double naive_binomial_lower (guint64 x, guint64 n, double a);
double naive_binomial_upper (guint64 x, guint64 n, double a);

/* Mean and type 7 quantile of a sample that holds value i weights[i] times. */
double naive_weighted_mean (const double *values, const gsize *weights, gsize n);
double naive_weighted_quantile (const double *values, const gsize *weights, gsize n, double p);

G_END_DECLS
