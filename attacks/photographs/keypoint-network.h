/* U-Nets from pictures of keypoints to photographs. */
#pragma once

#include "attacks/photographs/keypoint-paint.h"
#include "core/network/tape.h"

typedef struct {
  gsize side;  /* of the pictures, in pixels; halved `levels` times */
  gsize width; /* channels at full size */
  gsize levels;
  gsize epochs;
  gsize windows; /* of each photograph in an epoch */
  gsize patience;
  gsize folds;     /* networks, each of which holds out another part of the photographs */
  gsize paintings; /* of each photograph */
  double rate;
} KeypointTraining;

/* What networks learn from: keypoints by photograph, the photographs in grey, and what is painted
 * of each from patches of the others (NULL: those that are not there). */
typedef struct {
  const KeypointMap *map;
  AssayPhoto *const *photos;
  const KeypointPaintings *painted;
  const gsize *pictures; /* those that are there, in random order */
  gsize n;
} KeypointExamples;

typedef struct _KeypointNetwork KeypointNetwork;

/* ASSAY_ERROR_NUMERIC where training diverges at once, ASSAY_ERROR_MEMORY,
 * ASSAY_ERROR_CANCELLED. */
KeypointNetwork *keypoint_network_new (const KeypointTraining *training,
                                       const KeypointExamples *examples, AssayStreamKey key,
                                       GError **error);
ASSAY_DECLARE_FREE (KeypointNetwork, keypoint_network_free)

/* Photographs that are to be painted: n of those of a map, and what is painted of each from
 * patches, by number. */
typedef struct {
  const KeypointMap *map;
  const KeypointPaintings *painted;
  const gsize *pictures;
  gsize n;
} KeypointWanted;

/* Pictures 0 .. 255: n x side^2. Where nothing that was learned made held-out photographs better
 * than what was painted, it is that. */
gboolean keypoint_network_paint (const KeypointNetwork *network, const KeypointWanted *wanted,
                                 float *ret_pictures, GError **error);

gsize keypoint_network_side (const KeypointNetwork *network);
gsize keypoint_network_paintings (const KeypointNetwork *network);
gboolean keypoint_network_has_learned (const KeypointNetwork *network);
/* "3 U-Nets of 480000 weights ..." */
char *keypoint_network_describe (const KeypointNetwork *network);

/* What training of one network takes, with @channels features of a keypoint. */
AssayTapeSize keypoint_network_size (const KeypointTraining *training, gsize channels);
