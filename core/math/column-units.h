/* Columns in units of their own (years, euros) brought to one scale, so that distances between rows
 * are not those of the largest column alone. Every column is divided by the power of two next to
 * its standard deviation: that loses no digit, and whoever multiplies gets the same numbers back
 * to the bit. */
#pragma once

#include "core/data/rows.h"

G_BEGIN_DECLS

/* Standard deviations of the columns of the first @limit rows (0: of all), d of them. NULL with
 * ASSAY_ERROR_MEMORY. */
double *assay_column_deviations (const AssayRows *rows, gsize limit, GError **error);

/* The least of them that is above 0 and the greatest; G_MAXDOUBLE and 0 where all are constant.
 * FALSE with ASSAY_ERROR_MEMORY. */
gboolean assay_column_deviation_range (const AssayRows *rows, double *ret_low, double *ret_high,
                                       GError **error);

/* d powers of two, each next to a column's standard deviation; 1 for a column that is constant.
 * NULL with ASSAY_ERROR_MEMORY. */
float *assay_column_units (const AssayRows *rows, GError **error);

/* So many times apart are deviations of columns in different units. */
#define ASSAY_UNLIKE_UNITS 16

/* How unlike columns are (in the first few thousand rows). */
typedef struct {
  gsize widest; /* the column with most of the variance */
  double share; /* its share */
  /* The fewest columns that have nine tenths of the variance, where each deviates
   * ASSAY_UNLIKE_UNITS times as much as any other or more, and those others are as many at least
   * (but for constant ones); 0: there are none. */
  gsize n_large;
  double large_share;
} AssayColumnSpread;

/* FALSE with ASSAY_ERROR_MEMORY. */
gboolean assay_column_spread (const AssayRows *rows, AssayColumnSpread *ret_spread,
                              GError **error);

/* A copy of @view with column j times @units[j], or divided by it. NULL with
 * ASSAY_ERROR_MEMORY. */
AssayMatrix *assay_columns_multiply (AssayView view, const float *units, GError **error);
AssayMatrix *assay_columns_divide (AssayView view, const float *units, GError **error);

G_END_DECLS
