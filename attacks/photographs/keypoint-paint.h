/* Photographs painted from patches of an attacker's own (core/math/painting/paint.h): each keypoint
 * shows what is around the public keypoint of a descriptor that is near what was released. */
#pragma once

#include "attacks/photographs/keypoint-map.h"

/* The attacker's own. */
typedef struct {
  const AssayKeypoints *keypoints;
  AssayPhoto *const *photos; /* in grey, by number; NULL: it is not there */
} KeypointPatches;

/* What is to be painted. */
typedef struct {
  const KeypointMap *map;
  const gsize *near; /* n x k public rows for the map's keypoints, nearest first */
  gsize k;
  const gint64 *sides; /* of each photograph */
  gboolean is_own;     /* the map's photographs are those of the patches: of one no patches are
                        * taken for itself, as there are none for those of the secrets */
} KeypointPainting;

#define KEYPOINT_PAINTINGS 8 /* the most */

/* What is painted of each photograph from the nearest rows, from those that come next, and so on:
 * of AssayPhoto, by the number of the photograph, in grey and its own size; NULL where the map has
 * no keypoint of it. */
typedef struct {
  GPtrArray *of_rank[KEYPOINT_PAINTINGS];
  gsize n;
} KeypointPaintings;

/* @n: 1 to KEYPOINT_PAINTINGS. Zeroed before; cleared in any case. */
gboolean keypoint_paintings_init (KeypointPaintings *paintings, const KeypointPatches *patches,
                                  const KeypointPainting *painting, gsize n, GError **error);
ASSAY_DECLARE_CLEAR (KeypointPaintings, keypoint_paintings_clear)
