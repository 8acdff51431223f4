/* Pictures in memory: photographs, what was painted from a release, images of a dataset on their
 * way to a contact sheet. Files are read in datasets/photographs/photo.h. */
#pragma once

#include "core/base/free.h"

G_BEGIN_DECLS

/* @height rows of @width pixels of @channels values (3: red, green, blue; 1: grey), 0 .. 255,
 * without gaps. */
typedef struct {
  gsize width;
  gsize height;
  gsize channels;
  float *data;
} AssayPhoto;

/* A black picture. */
AssayPhoto *assay_photo_new (gsize width, gsize height, gsize channels, GError **error);
ASSAY_DECLARE_FREE (AssayPhoto, assay_photo_free)

/* The nearest of the whole numbers 0 .. 255; of two, the even one. */
int assay_photo_byte (float value);

/* One channel of whole numbers, as OpenCV converts 8-bit pictures (cvtColor, BGR2GRAY):
 * (9798 R + 19235 G + 3735 B + 2^14) >> 15, the fixed-point form of 0.299 R + 0.587 G + 0.114 B,
 * rounded. A grey picture is copied and rounded. */
AssayPhoto *assay_photo_grey (const AssayPhoto *photo, GError **error);

/* What the word ends with behind their number: "1 channel", "3 channels". */
static inline const char *
assay_channels_plural (gsize channels)
{
  return channels == 1 ? "" : "s";
}

static inline float *
assay_photo_pixel (const AssayPhoto *photo, gsize x, gsize y)
{
  return photo->data + (y * photo->width + x) * photo->channels;
}

G_END_DECLS
