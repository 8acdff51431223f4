/* Pictures in bytes, small enough for a contact sheet: what of a run's pictures is kept. */
#pragma once

#include "core/data/dataset.h"
#include "core/data/photo.h"

/* Pixels of the longer side; larger pictures are reduced. */
#define ASSAY_THUMBNAIL_MAX_SIDE 320

/* @height rows of @width pixels of @channels bytes (3: red, green, blue; 1: grey), without gaps. */
typedef struct {
  gsize width;
  gsize height;
  gsize channels;
  guint8 *data;
} AssayThumbnail;

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
void assay_thumbnail_free (AssayThumbnail *thumbnail);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayThumbnail, assay_thumbnail_free)

typedef enum {
  ASSAY_SHOWN_ORIGINAL,
  ASSAY_SHOWN_RELEASED,
  ASSAY_SHOWN_RECOVERED,
} AssayShownRole;

/* One picture of one cell. */
typedef struct {
  guint metric; /* that shows it: its number in the plan */
  AssayShownRole role;
  gsize unit;
  AssayThumbnail *thumbnail;
} AssayShown;

/* An array of AssayShown that owns its tiles. */
GArray *assay_shown_array_new (void);
