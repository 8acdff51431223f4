/* Bytes of images to the numbers that are protected: one setting, `scale`, of all image
 * datasets. */
#pragma once

#include "core/data/dataset.h"
#include "core/data/matrix.h"
#include "datasets/images/images.h"

typedef enum {
  ASSAY_PIXELS_UNIT,    /* 0 .. 1 */
  ASSAY_PIXELS_DATASET, /* mean 0 and standard deviation 1 of each channel over all secrets */
  ASSAY_PIXELS_VECTOR,  /* mean 0 and norm 1 of each image */
} AssayPixelScale;

extern const char *const assay_pixel_scales[]; /* for ASSAY_PARAM_CHOICE */
#define ASSAY_PIXEL_SCALE_HELP                                                                     \
  "How pixels are scaled: unit, 0 to 1; dataset, mean 0 and standard deviation 1 of each channel " \
  "over all secrets; vector, mean 0 and norm 1 of each image"

typedef struct {
  AssayPixelScale scale;
  double mean[ASSAY_MAX_CHANNELS];      /* of bytes; DATASET */
  double deviation[ASSAY_MAX_CHANNELS]; /* population standard deviation */
} AssayNormaliser;

/* Learns from @secrets. Under DATASET a channel that is the same everywhere is ASSAY_ERROR_DATA. */
gboolean assay_normaliser_init (AssayNormaliser *normaliser, AssayPixelScale scale,
                                const AssayImages *secrets, GError **error);

/* The images as rows. Under VECTOR an image of one value alone has no direction, which is
 * ASSAY_ERROR_DATA naming it with @role. */
AssayMatrix *assay_normalise (const AssayNormaliser *normaliser, const AssayImages *images,
                              const char *role, GError **error);

/* What shows as black and as white. Under DATASET the means over channels of where 0 and 255 lie;
 * under VECTOR both are 0: every image has a scale of its own. */
void assay_normaliser_range (const AssayNormaliser *normaliser, gsize channels,
                             AssayGeometry *geometry);
