/* What image datasets have in common: pools of images to a dataset, and the public images that may
 * stand beside any of them. */
#pragma once

#include "core/plugin/plugin.h"
#include "datasets/images/crops.h"
#include "datasets/images/images.h"
#include "datasets/images/normalise.h"

typedef struct {
  AssayImages *secrets;
  AssayImages *test;          /* NULL: none */
  AssayImages *public_images; /* NULL: none */
} AssayImagePools;

ASSAY_DECLARE_CLEAR (AssayImagePools, assay_image_pools_clear)

/* Sets apart @share of the secrets for the role test, where pools have none. */
gboolean assay_image_pools_split (AssayImagePools *pools, double share, AssayStreamKey key,
                                  GError **error);

/* Checks that all images have one size (ASSAY_ERROR_MISMATCH), leaves test images out that are a
 * secret byte by byte, and public images that are a secret or test image, with a g_warning that
 * names the first of each (ASSAY_ERROR_DATA where none is left), and normalises by the secrets.
 * Empties @pools. */
gboolean assay_image_pools_open (AssayImagePools *pools, AssayPixelScale scale, gsize n_classes,
                                 AssayDataset *ret_dataset, GError **error);

/* The same of pools that were not read, so that nobody knows what is left out; with @test_share of
 * the secrets where there is no test pool. The range of values is not known yet under
 * ASSAY_PIXELS_DATASET. */
gboolean assay_image_pools_probe (const AssayImagePools *pools, double test_share, gsize n_classes,
                                  AssayProbe *ret_probe, GError **error);

/* Public images: an IDX file, a file in CIFAR's format, or a folder of photographs, of which crops
 * are taken (crops.h) in the size of the secrets, which are square then. @name is "":
 * none. */
typedef struct {
  const char *name;
  gsize crops; /* of a photograph */
} AssayPublicImages;

#define ASSAY_PUBLIC_IMAGES_HELP                                                                   \
  "Public images of the same size: an IDX file, a file in CIFAR's format (labels are not read), "  \
  "or a folder of photographs, of which random crops are taken"
#define ASSAY_PUBLIC_CROPS_HELP                                                                    \
  "The most crops taken of a public photograph; only crops with more than 40 SIFT keypoints are "  \
  "kept"

/* Fills in the public images of @pools, which has the secrets; @is_probe: what is known of them
 * before they are read. */
gboolean assay_public_images_load (const AssayPublicImages *public_images,
                                   const AssayDatasetContext *context, gboolean is_probe,
                                   AssayImagePools *pools, GError **error);

#define ASSAY_CROP_MIN_SIDE 64
#define ASSAY_CROP_KEYPOINTS 40
#define ASSAY_CROP_LARGEST 640
