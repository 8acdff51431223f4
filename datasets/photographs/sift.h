/* SIFT keypoints and descriptors (Lowe 2004) by VLFeat, in OpenCV's conventions. */
#pragma once

#include <glib.h>

#include "datasets/photographs/photo.h"

#define ASSAY_SIFT_LENGTH 128
#define ASSAY_SIFT_MIN_SIDE 12 /* pixels of a picture */

/* Where a descriptor was taken, as OpenCV reports it: x to the right, y down, in pixels; @size is
 * the diameter of the neighbourhood, twice the scale sigma; @angle in degrees, [0, 360), turning
 * from x to y. */
typedef struct {
  float x;
  float y;
  float size;
  float angle;
  gint octave; /* -1: upsampled */
  gint level;  /* of the octave's three */
} AssayKeypoint;

/* The scale space of pictures of one size. One object serves one thread at a time. */
typedef struct _AssaySift AssaySift;

/* Sides of at least ASSAY_SIFT_MIN_SIDE (ASSAY_ERROR_DATA). VLFeat fills a global table of
 * exponentials whenever a filter is made, always with the same numbers: make the objects of all
 * workers before any of them is used. */
AssaySift *assay_sift_new (gsize width, gsize height, GError **error);
ASSAY_DECLARE_FREE (AssaySift, assay_sift_free)

/* One for each of @n workers, in an array that ends with NULL. */
AssaySift **assay_sift_new_for_all (guint n, gsize width, gsize height, GError **error);
void assay_sift_free_all (AssaySift **sifts); /* NULL: nothing */

/* Makes the object one for pictures of this size, which have at most as many pixels as it was made
 * for (ASSAY_ERROR_DATA, also for sides that are too short; the object stays as it was). */
gboolean assay_sift_resize (AssaySift *sift, gsize width, gsize height, GError **error);

/* Bytes that an object for pictures of this size holds. */
guint64 assay_sift_memory (gsize width, gsize height);

/* The keypoints of a grey picture of the object's size, ordered by x, y, falling size and angle; a
 * place with several dominant directions is there once for each. ASSAY_ERROR_MISMATCH for another
 * size. */
GArray *assay_sift_detect (AssaySift *sift, const AssayPhoto *grey, GError **error);

/* The descriptor of a keypoint of the picture that was given to assay_sift_detect last:
 * ASSAY_SIFT_LENGTH values, their norm about 512. */
void assay_sift_describe (const AssaySift *sift, const AssayKeypoint *keypoint,
                          guint8 *ret_descriptor);
