/* Defenses that make an image coarser: every image for itself, without randomness. The release has
 * images of the same size, so that they are shown beside the secrets. */
#pragma once

#include "core/plugin/plugin.h"

/* One image: height x width pixels of interleaved channels. */
typedef struct {
  const AssayGeometry *geometry;
  const float *pixels;
  float *filtered;
} FilteredImage;

/* What a filter does to an image; from several threads at once. */
typedef gboolean (*ImageFilter) (gconstpointer settings, const FilteredImage *image,
                                 GError **error);

/* ASSAY_ERROR_MISMATCH where the secrets are no images. */
gboolean image_filter_check (gconstpointer settings, const AssayShape *shape, GError **error);
gboolean image_filter_protect (const AssayDefenseContext *context, AssayView secrets,
                               ImageFilter filter, AssayRelease *ret_release, GError **error);

/* Defines the defense `symbol`, whose file has a function `filter` (ImageFilter). */
#define IMAGE_FILTER(symbol, name, ...)                                                            \
  static gboolean protect (const AssayDefenseContext *context, AssayView secrets,                  \
                           AssayRelease *ret_release, G_GNUC_UNUSED AssayTruth *ret_truth,         \
                           GError **error)                                                         \
  {                                                                                                \
    return image_filter_protect (context, secrets, filter, ret_release, error);                    \
  }                                                                                                \
  ASSAY_DEFENSE (symbol, name, .check = image_filter_check, .produces = ASSAY_RELEASE_VECTORS,     \
                 .protect = protect, __VA_ARGS__)
