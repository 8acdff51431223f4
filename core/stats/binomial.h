/* Bounds on the share behind a count. */
#pragma once

#include <glib.h>

/* Clopper-Pearson bounds, one side each at level @a: L (x, n, a) = Beta^-1 (a; x, n - x + 1), 0 at
 * x = 0; U (x, n, a) = Beta^-1 (1 - a; x + 1, n - x), 1 at x = n. */
double assay_binomial_lower (double x, double n, double a);
double assay_binomial_upper (double x, double n, double a);
