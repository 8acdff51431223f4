/* What an attacker can tell of a keypoint from what was released in place of its descriptor. */
#pragma once

#include "core/plugin/plugin.h"

/* Descriptors of the same photograph are near each other: rows that are looked at for one
 * of another photograph. */
#define KEYPOINT_NEAR 16

/* Of the attacker's own keypoints, and of those of the secrets. */
typedef struct {
  AssayMatrix *own, *seen;     /* n x c, items of the release x c */
  AssayMatrix *mirrored;       /* n x c: own ones as they would be of mirrored photographs */
  gsize *own_near, *seen_near; /* public rows: n x KEYPOINT_NEAR, items x KEYPOINT_NEAR */
  gsize *rows;                 /* n: the public row of each of the attacker's own */
  char *says;
} KeypointFeatures;

/* Where the descriptor of an item is from. */
typedef enum {
  KEYPOINT_EXPECTED,  /* ridge regression */
  KEYPOINT_RECOVERED, /* the database attack, which is granted the database of the lifting */
} KeypointDescriptors;
extern const char *const keypoint_descriptors[];

/* Of sets, what patches are near to: the descriptor that ridge regression expects, or the member
 * that `set-guess` takes. */
typedef enum { KEYPOINT_OF_EXPECTED, KEYPOINT_OF_LIKELIEST } KeypointSetPatches;
extern const char *const keypoint_set_patches[];

typedef struct {
  KeypointDescriptors descriptors;
  KeypointSetPatches patches;
  gsize channels;
  gboolean mirror;            /* `mirrored` is wanted */
  gsize neighbours, averaged; /* of the database attack */
} KeypointMethod;

/* The descriptor that ridge regression expects, of what the defense made of the attacker's own rows
 * (attacks/adaptive/own-examples.h), along its first `channels` principal directions, each divided
 * by the deviation of the first; and the public rows nearest to the item: to subspaces without
 * those that lie in them, and to what `patches` says, or to the expected descriptor, where an item
 * is no subspace and no point. With KEYPOINT_RECOVERED that descriptor is what the database attack
 * makes of the item, and nearest are rows to it. ASSAY_ERROR_MISMATCH for pairs of no public rows,
 * and where no database is granted or there are no subspaces to be attacked with it. */
gboolean keypoint_features_init (KeypointFeatures *features, const AssayObservation *seen,
                                 const KeypointMethod *method, AssayStreamKey key, GError **error);
ASSAY_DECLARE_CLEAR (KeypointFeatures, keypoint_features_clear)
