/* The two-sample test of Kolmogorov and Smirnov: do two samples come from one distribution? */
#pragma once

#include <glib.h>

typedef struct {
  double distance; /* D, the largest difference of the two empirical distribution functions */
  double p;        /* of as large a D, two-sided, if the distributions are the same */
} AssayKs;

/* Both samples ascending and not empty. Exact for continuous distributions; where values are equal,
 * p is no smaller than the exact one. */
AssayKs assay_ks_test (const double *first, gsize n_first, const double *second, gsize n_second);

/* P (D >= steps / (n_first n_second)): D moves in such steps. */
double assay_ks_p (gsize n_first, gsize n_second, guint64 steps);

/* The test of a sample of one value, of a sample of @n values that has @below smaller and @above
 * larger ones. */
double assay_ks_value_p (gsize n, gsize below, gsize above);
