/* Sums over single rows, where a product of matrices does not pay. */
#pragma once

#include <glib.h>

/* <a, b>; the order of summation is fixed, whatever the processor. */
float row_dot (const float *restrict a, const float *restrict b, gsize n);

/* To mean 0 and variance 1; constant rows to zeros. */
void row_standardise (float *row, gsize n);
