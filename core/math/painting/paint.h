/* Pictures painted from patches of other pictures: the neighbourhood of a keypoint is warped to the
 * place, size and direction of another keypoint, and all patches are blended. */
#pragma once

#include "core/data/photo.h"

/* A keypoint as core/data/dataset.h has it: x, y and size in pixels, angle in degrees from x to
 * y. */
typedef struct {
  float x;
  float y;
  float size; /* > 0 */
  float angle;
} AssayPaintFrame;

typedef struct {
  const AssayPhoto *source;
  AssayPaintFrame from; /* in the source */
  AssayPaintFrame to;   /* in the picture that is painted */
} AssayPaintPatch;

typedef struct {
  gsize width;
  gsize height;
  gsize channels; /* 1 or 3; with 1 sources are grey, with 3 each is grey or in colour */
  double patch;   /* side of a patch in sizes of its keypoint; > 0 */
} AssayPaintCanvas;

/* The picture, of values 0 .. 255 that are not whole numbers; mid-grey without any patch. It is
 * painted by the thread that calls. The order of @patches changes no more than the rounding of
 * sums. @ret_painted, if not NULL, is the share of its pixels that lie in a patch. */
AssayPhoto *assay_paint_picture (const AssayPaintCanvas *canvas, const AssayPaintPatch *patches,
                                 gsize n, double *ret_painted, GError **error);
