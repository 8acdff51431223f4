/* Inner products, squared norms and distances of rows of numbers.
 *
 * The order in which a sum is taken decides its last bits, and results are compared to the bit: so
 * the name of each function says its order. Those in lanes add up several partial sums side by
 * side, which the compiler makes vectors of, and then those in a fixed order; the others add up one
 * product after the other. None depends on the processor. */
#pragma once

#include <glib.h>

/* In order, in double. */
double assay_dot (const float *a, const float *b, gsize n);
double assay_dot_double (const double *a, const double *b, gsize n);
double assay_squared_norm (const float *a, gsize n);
double assay_squared_distance (const float *a, const float *b, gsize n);

/* In eight lanes, in double. */
double assay_lanes_sum (const double *a, gsize n);
double assay_lanes_dot_double (const double *a, const double *b, gsize n);
double assay_lanes_dot_mixed (const float *a, const double *b, gsize n);
double assay_lanes_squared_norm (const float *a, gsize n);
double assay_lanes_squared_distance (const float *a, const double *b, gsize n);

/* In lanes, in float: eight that are added up in pairs, and sixteen in order. */
float assay_lanes_dot_float (const float *a, const float *b, gsize n);
float assay_lanes_squared_distance_float (const float *a, const float *b, gsize n);

/* For qsort: the smallest first. */
int assay_compare_sizes (gconstpointer a, gconstpointer b);
int assay_compare_int64s (gconstpointer a, gconstpointer b);
int assay_compare_uint64s (gconstpointer a, gconstpointer b);
int assay_compare_floats (gconstpointer a, gconstpointer b);
int assay_compare_doubles (gconstpointer a, gconstpointer b);

/* A number, and where it stood. */
typedef struct {
  double value;
  gsize place;
} AssayRanked;

/* The smallest first, and of equal ones the one that stood before the others. */
void assay_rank (AssayRanked *inout_numbers, gsize n);

/* Turns a vector (n >= 1) so that its number of largest magnitude, the first of equal ones, is
 * positive; whether it had to be. */
gboolean assay_turn_up (double *inout_vector, gsize n);

/* exp (z_c) / sum_c exp (z_c), in place; the sum in order, in double. */
void assay_softmax (float *inout_row, gsize n);
/* -sum_c y_c ln p_c, in order; p below the least normal float32 counts as that. */
double assay_cross_entropy (const float *targets, const float *shares, gsize n);

/* Scales a row to mean 0 and variance 1; a constant one to zeros. */
void assay_standardise (float *inout_row, gsize n);
/* Pearson's correlation of two rows, each sum in order; 0 where one is constant. */
double assay_correlation (const float *a, const float *b, gsize n);
