/* A part of a picture, made smaller: what networks are trained on, and compared with. */
#pragma once

#include "core/data/photo.h"

G_BEGIN_DECLS

/* In pixels of the picture, whose upper left corner is 0, 0; pixel x covers x .. x + 1. */
typedef struct {
  double left, top;
  double width, height; /* > 0; it lies in the picture */
} AssayPhotoWindow;

#define ASSAY_PHOTO_WINDOW_MOST 512 /* pixels of a side */

static inline AssayPhotoWindow
assay_photo_whole (gsize width, gsize height)
{
  return (AssayPhotoWindow){ 0, 0, (double) width, (double) height };
}

/* The window of a grey picture as @side x @side pixels, whatever its own sides are: each is the
 * mean of what it covers. 1 <= side <= ASSAY_PHOTO_WINDOW_MOST. */
void assay_photo_reduce (const AssayPhoto *grey, const AssayPhotoWindow *window, gsize side,
                         float *ret_pixels);

G_END_DECLS
