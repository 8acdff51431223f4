/* Ridge regression of the rows that go together. Least squares are decided by a few rows that are
 * far out: who releases one row in fifty a hundred times as long would be safe from regression, and
 * of as much use as before. So rows are left out (least trimmed squares, Rousseeuw 1984, by the
 * concentration steps of Rousseeuw and Van Driessen 2006):
 *
 * - Where there are four rows or more for each input, ridge learns from the half whose inputs are
 *   least far out, then from the half that it misses least, and so on. Left out are rows that it
 *   misses by more than ASSAY_TRIMMED_FAR times the median error then.
 * - Of fewer rows, those whose inputs are farther out than that times the median distance.
 *
 * How far out an input is, is told for each column from its median, in units of its mean absolute
 * deviation.
 *
 * Rows that are each released at a length of their own go by directions: they are first divided by
 * their lengths.
 *
 * What is predicted is drawn back to where outputs are: to the distance from their mean within
 * which 99 of 100 of those that were kept are. */
#pragma once

#include "core/learn/ridge.h"

#define ASSAY_TRIMMED_FAR 4.0

typedef struct {
  gboolean is_of_directions;
  AssayRidge *ridge;
  double *mean;  /* of the outputs that were kept */
  double radius; /* around it, to which predictions are drawn back */
  gsize kept;    /* rows */
} AssayTrimmedRidge;

/* As assay_ridge_new; n >= 4. */
AssayTrimmedRidge *assay_trimmed_ridge_new (AssayView inputs, AssayView outputs,
                                            gboolean is_of_directions, AssayStreamKey key,
                                            GError **error);
ASSAY_DECLARE_FREE (AssayTrimmedRidge, assay_trimmed_ridge_free)

AssayMatrix *assay_trimmed_ridge_predict (const AssayTrimmedRidge *trimmed, AssayView inputs,
                                          GError **error);

/* Whether the lengths of rows differ so much that directions are worth a try: the longest tenth is
 * 2.5 times as long as the shortest or longer. */
gboolean assay_trimmed_ridge_has_lengths (AssayView inputs);
