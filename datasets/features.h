/* Keypoints and descriptors of photographs in files, computed once and kept on disk. */
#pragma once

#include "datasets/sift.h"

G_BEGIN_DECLS

/* Of a photograph in grey, reduced to at most so many pixels on its longer side. */
typedef struct {
  char picture[65]; /* sha256 of the grey levels and sides that the descriptors were taken from */
  gsize width;
  gsize height;
  GArray *keypoints;   /* of AssayKeypoint, ordered as assay_sift_detect orders them */
  guint8 *descriptors; /* keypoints->len x ASSAY_SIFT_LENGTH */
} AssayFeatures;

/* The features of the photograph @file, by @sift, which has room for it (its size is changed). They
 * are taken from the folder @cache if they are there and undamaged, and otherwise written to it
 * (NULL: no cache). A cache that cannot be read or written changes nothing but the time it takes.
 * ASSAY_ERROR_DATA as for assay_photo_read and assay_photo_decode, and for a picture that @sift has
 * no room for. A picture without keypoints is none. */
AssayFeatures *assay_features_load (const char *file, gsize largest, AssaySift *sift,
                                    const char *cache, GError **error);
void assay_features_free (AssayFeatures *features);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFeatures, assay_features_free)

/* Where features are kept: `sift` in the folder that the environment variable ASSAY_CACHE names,
 * or where that is not set in `assay` in the user's folder of caches (XDG_CACHE_HOME). NULL if
 * ASSAY_CACHE is empty: nothing is kept. */
char *assay_features_cache (void);

G_END_DECLS
