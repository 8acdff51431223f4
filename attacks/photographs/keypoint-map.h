/* Pictures of keypoints, as networks take them: what is known of each keypoint stands in the pixel
 * where it was described. */
#pragma once

#include "core/data/photographs/keypoints.h"
#include "core/data/photographs/photo-window.h"

/* Planes beside the features: how many keypoints the pixel has (ln (1 + n)), cosine and sine of
 * their direction, and the logarithm of their size in pixels of the map. */
#define KEYPOINT_PLANES 4

/* Keypoints by photograph. All but what is allocated is borrowed. */
typedef struct {
  const float *frames; /* n x 4 */
  AssayView features;  /* n x c */
  AssayView mirrored;  /* n x c, as they would be of the mirrored photograph; rows 0: not known */
  gsize *members;      /* keypoints, by photograph */
  gsize *starts;       /* where photograph p begins among them; n_pictures + 1 */
  gsize n_pictures;
} KeypointMap;

/* @pictures: of each of the n keypoints, below @n_pictures. */
gboolean keypoint_map_init (KeypointMap *map, const float *frames, const gsize *pictures,
                            gsize n_pictures, AssayView features, GError **error);
ASSAY_DECLARE_CLEAR (KeypointMap, keypoint_map_clear)

static inline gsize
keypoint_map_count (const KeypointMap *map, gsize picture)
{
  return map->starts[picture + 1] - map->starts[picture];
}

/* A part of a photograph, and how it is looked at: in a mirror the pixels of its left are on the
 * right. */
typedef struct {
  AssayPhotoWindow window;
  gboolean is_mirrored;
} KeypointLook;

/* The window of photograph @picture as planes of @side x @side pixels: features, each the mean over
 * the keypoints of a pixel, then the planes above. A pixel without a keypoint has zeros. */
void keypoint_map_fill (const KeypointMap *map, gsize picture, const KeypointLook *look, gsize side,
                        float *ret_planes);
