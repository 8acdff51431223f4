/* Pictures in bytes, small enough for a contact sheet: what of a run's pictures is kept. */
#pragma once

#include "core/data/dataset.h"
#include "core/data/photo.h"
#include "runner/store/attachments.h"

/* Pixels of the longer side; larger pictures are reduced. */
#define ASSAY_THUMBNAIL_MAX_SIDE 320

static inline gsize
assay_thumbnail_bytes (const AssayThumbnail *thumbnail)
{
  return thumbnail->width * thumbnail->height * thumbnail->channels;
}

/* @photo, reduced by area to ASSAY_THUMBNAIL_MAX_SIDE where it is larger: a pixel is the mean of
 * what it covers. ASSAY_ERROR_MISMATCH for other channels than 1 and 3 and for a picture without
 * pixels. */
AssayThumbnail *assay_thumbnail_new (const AssayPhoto *photo, GError **error);
/* The same of a row that is an image. Where black and white are equal, and where the row leaves
 * their range by more than half of it, its own least and largest value are black and white. */
AssayThumbnail *assay_thumbnail_from_row (const float *row, const AssayGeometry *geometry,
                                          GError **error);

/* One picture of one cell. */
typedef struct {
  guint metric; /* that shows it: its number in the plan */
  AssayShownRole role;
  gsize unit;
  AssayThumbnail *thumbnail;
} AssayShown;

/* An array of AssayShown that owns its thumbnails. */
GArray *assay_shown_array_new (void);
