/* Columns of a sample that an update does not tell, by those that it does: what it tells of a
 * picture is a linear function of its pixels, and pairs of that function and the picture are made
 * of any public picture.
 *
 *   ridge    x_U = m_U + C_UK (C_KK + penalty s I)^-1 (x_K - m_K): of public rows the mean m and
 *            the covariance C, of mean variance s; K the columns that are told, U the others. That
 *            is ridge regression of pictures on what is told, which differs from sample to sample,
 *            so that core/learn/ridge.h, which is learned once for inputs that stay, does not serve
 *   nearest  x_U of the public row that is nearest in the columns K
 *
 * Both are moved into the interval that the update allows. */
#pragma once

#include "attacks/updates/samples/update-sample.h"

typedef struct {
  gsize count, cols;
  gboolean by_nearest;
  double penalty;
  double *rows;       /* count x cols, less their mean */
  double *mean;       /* cols */
  double *covariance; /* cols x cols; NULL where it is by the nearest */
} ColumnCompletion;

/* Of public rows (one at least), scaled as users scale theirs. */
typedef struct {
  gboolean by_nearest;
  double penalty;
} ColumnCompletionSettings;

gboolean column_completion_init (const ColumnCompletionSettings *settings, AssayView rows,
                                 ColumnCompletion *ret_completion, GError **error);
ASSAY_DECLARE_CLEAR (ColumnCompletion, column_completion_clear)

/* Fills in the columns of @inout_sample that it is not sure of; of one that is sure of all there is
 * nothing to do. At least one must be told. ASSAY_ERROR_NUMERIC: rows too alike for a penalty of
 * 0. */
gboolean column_completion_fill (const ColumnCompletion *completion, UpdateSample *inout_sample,
                                 GError **error);
