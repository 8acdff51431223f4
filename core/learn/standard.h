/* Columns of mean 0 and variance 1: what learners see of numbers that have scales of their own. */
#pragma once

#include "core/data/matrix.h"

typedef struct {
  gsize cols;
  double *mean;
  double *factor; /* 1 / deviation; 0 of a column that does not vary, which becomes 0 */
} AssayStandard;

/* The scales of @rows (two at least); NULL with ASSAY_ERROR_MEMORY. */
AssayStandard *assay_standard_new (AssayView rows, GError **error);
ASSAY_DECLARE_FREE (AssayStandard, assay_standard_free)

/* @rows in these scales, whichever rows they are. */
AssayMatrix *assay_standard_apply (const AssayStandard *standard, AssayView rows, GError **error);
