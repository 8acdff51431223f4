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

/* d powers of two, each next to a column's standard deviation; 1 for a column that is constant.
 * NULL with ASSAY_ERROR_MEMORY. */
float *assay_column_units (const AssayRows *rows, GError **error);

/* The column with most of the variance of the rows (of the first few thousand), and its share.
 * FALSE with ASSAY_ERROR_MEMORY. */
gboolean assay_column_widest (const AssayRows *rows, gsize *ret_column, double *ret_share,
                              GError **error);

/* A copy of @view with column j times @units[j], or divided by it. NULL with
 * ASSAY_ERROR_MEMORY. */
AssayMatrix *assay_columns_multiply (AssayView view, const float *units, GError **error);
AssayMatrix *assay_columns_divide (AssayView view, const float *units, GError **error);

G_END_DECLS
