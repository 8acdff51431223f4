/* Keypoints and descriptors of photographs in files, computed once and kept on disk. */
#pragma once

#include "datasets/photographs/sift.h"

/* Of a photograph in grey, reduced to at most so many pixels on its longer side. */
typedef struct {
  char picture[65]; /* sha256 of the grey levels and sides that the descriptors were taken from */
  gsize width;
  gsize height;
  GArray *keypoints;   /* of AssayKeypoint, ordered as assay_sift_detect orders them */
  guint8 *descriptors; /* keypoints->len x ASSAY_SIFT_LENGTH */
} AssayFeatures;

/* The features of the photograph @file, by @sift, which has room for it (its size is changed). They
 * are taken from the cache on disk (core/search/disk-cache.h, kind "sift") if they are there, and
 * otherwise kept in it. A cache that cannot be read or written changes nothing but the time it
 * takes. ASSAY_ERROR_DATA as for assay_photo_read and assay_photo_decode, and for a picture that
 * @sift has no room for. A picture without keypoints is none. */
AssayFeatures *assay_features_load (const char *file, gsize largest, AssaySift *sift,
                                    GError **error);
ASSAY_DECLARE_FREE (AssayFeatures, assay_features_free)
