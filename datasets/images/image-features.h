/* Features of images, from a file: they become the rows of the dataset, and the images what those
 * are features of (AssayRoleData.originals). */
#pragma once

#include "core/plugin/plugin.h"

/* Files of rows (core/data/row-file.h), one for each image in their order; "": none. */
typedef struct {
  const char *secrets;
  const char *public;
} AssayImageFeatures;

/* Puts features in place of the images of @dataset, which is open; without any nothing happens.
 * There is no test role then. ASSAY_ERROR_DATA for a file; ASSAY_ERROR_MISMATCH where there are not
 * as many rows as images, or the roles differ in columns, or one of them has no features. */
gboolean assay_image_features_open (const AssayImageFeatures *features,
                                    const AssayDatasetContext *context, AssayDataset *dataset,
                                    GError **error);
/* The same of what is known before images are read. */
gboolean assay_image_features_probe (const AssayImageFeatures *features,
                                     const AssayDatasetContext *context, AssayProbe *probe,
                                     GError **error);
