/* Image files (CIFAR's .bin, IDX) where rows are asked for. */
#pragma once

#include "core/data/dataset.h"
#include "core/data/rows.h"

/* Whether @specification names such a file, by the end of its name: .bin; -ubyte, .idx, and these
 * with .gz. */
gboolean assay_image_file_is_named (const char *specification);

/* The images of "FILE" or "FILE[a:b]", looked for in @folders (NULL ends), as rows with interleaved
 * channels: 0 (black) to 1, or, where @geometry (may be NULL) says mean and deviation of its
 * channels, less the mean, by the deviation. ASSAY_ERROR_DATA for files that are none;
 * ASSAY_ERROR_MISMATCH for images of another size than @geometry says. */
gboolean assay_image_file_rows (const char *specification, const char *const *folders,
                          const AssayGeometry *geometry, AssayRows **ret_rows, GError **error);
