/* Parts of photographs, as networks learn from them and paint them. */
#pragma once

#include "attacks/photographs/keypoint-paint.h"
#include "core/base/rng.h"

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
  gboolean mirror; /* half of the parts are mirrored; the map has features for it */
  double jitter;   /* of contrast (1 - jitter to 1 + jitter), and of levels (half of that) */
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

/* Photographs that are to be painted: n of those of a map, and what is painted of each from
 * patches, by number. */
typedef struct {
  const KeypointMap *map;
  const KeypointPaintings *painted;
  const gsize *pictures;
  gsize n;
} KeypointWanted;

/* Planes of the input of a network: features, of which there are @channels, what is known of
 * keypoints, and paintings; in whole blocks of channels, the last one filled with zeros. */
gsize keypoint_examples_planes (const KeypointTraining *training, gsize channels);

/* What an AssayTapeExamples.draw has as its data: `windows` parts of each of some photographs. */
typedef struct {
  const KeypointExamples *examples;
  const KeypointTraining *training;
  AssayStreamKey key;
  const gsize *pictures;
  gsize windows;
} KeypointDrawing;

/* Part @index % windows of photograph pictures[index / windows], drawn anew in each epoch: half to
 * the whole of its sides, at a place that is drawn, in a mirror and with other levels as the
 * training has it. Of ASSAY_EPOCH_NONE the whole photograph, as it is. Targets are levels of 0 to
 * 1, beyond which jitter may take them; so are paintings in the input. */
void keypoint_examples_draw (gpointer drawing, gsize index, gsize epoch, float *ret_input,
                             float *ret_target);

typedef struct {
  const KeypointWanted *wanted;
  const KeypointTraining *training;
} KeypointWhole;

/* The input for one of the photographs that are wanted. */
void keypoint_examples_draw_whole (gpointer whole, gsize index, gsize epoch, float *ret_input,
                                   float *ret_target);
