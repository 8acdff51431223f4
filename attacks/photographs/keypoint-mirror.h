/* Descriptors of keypoints as they would be of the mirrored photograph. */
#pragma once

#include "core/data/matrix.h"

/* Of rows of 128 numbers, which are taken for SIFT's; those of other lengths are left as they are.
 * A new matrix; ASSAY_ERROR_MEMORY. */
AssayMatrix *keypoint_mirror (const AssayMatrix *rows, GError **error);
