/* U-Nets from pictures of keypoints to photographs. */
#pragma once

#include "attacks/photographs/keypoint-examples.h"
#include "core/data/exchange.h"
#include "core/network/tape.h"

typedef struct _KeypointNetwork KeypointNetwork;

/* ASSAY_ERROR_NUMERIC where training diverges at once, ASSAY_ERROR_MEMORY,
 * ASSAY_ERROR_CANCELLED. */
KeypointNetwork *keypoint_network_new (const KeypointTraining *training,
                                       const KeypointExamples *examples, AssayStreamKey key,
                                       GError **error);
ASSAY_DECLARE_FREE (KeypointNetwork, keypoint_network_free)

/* Pictures 0 .. 255: n x side^2. Where nothing that was learned made held-out photographs better
 * than what was painted, it is that. */
gboolean keypoint_network_paint (const KeypointNetwork *network, const KeypointWanted *wanted,
                                 float *ret_pictures, GError **error);

/* What one network paints alone, before it is known how much of it is added to the painting: levels
 * of 0 to 1, about. */
gboolean keypoint_network_paint_fold (const KeypointNetwork *network, gsize fold,
                                      const KeypointWanted *wanted, float *ret_levels,
                                      GError **error);

gsize keypoint_network_side (const KeypointNetwork *network);
gsize keypoint_network_paintings (const KeypointNetwork *network);
gboolean keypoint_network_has_learned (const KeypointNetwork *network);
/* What @guess says: "descriptors by @descriptors; 3 U-Nets of 480000 weights ...". It is not sure
 * of itself where the training of one diverged. */
void keypoint_network_tell (const KeypointNetwork *network, const char *descriptors,
                            AssayGuess *guess);

/* What training of one network takes, with @channels features of a keypoint. */
AssayTapeSize keypoint_network_size (const KeypointTraining *training, gsize channels);
