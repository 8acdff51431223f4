/* Columns of samples, scaled by mean and deviation. */
#pragma once

#include "core/data/matrix.h"

/* Mean and deviation of the columns of @rows, 2 x d; a constant column keeps its scale. */
AssayMatrix *column_scaling_measure (AssayView rows, GError **error);

/* A copy of @rows, scaled; @scaling NULL: as they are. */
AssayMatrix *column_scaling_apply (AssayView rows, const AssayMatrix *scaling, GError **error);
