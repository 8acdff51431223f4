/* Drawing digits that are hard to read: the images of the dataset `shapes`. */
#pragma once

#include <glib.h>

#include "core/base/rng.h"

#define ASSAY_GLYPHS 10

typedef struct {
  gsize size;      /* sides of an image, pixels */
  gsize channels;  /* 1 or 3 */
  double shift;    /* of the digit's centre along each axis at most, by the size */
  double rotation; /* either way at most, degrees */
  double smallest; /* height of the smallest digit by that of the largest */
  double inverted; /* share of images whose digit is darker than what is behind it */
  gsize clutter;   /* other strokes and discs at most */
  double noise;    /* standard deviation of the noise, grey levels */
} AssayGlyphStyle;

/* Digit @glyph (0 .. ASSAY_GLYPHS - 1) into @ret_pixels (size x size x channels, interleaved). All
 * that varies is drawn from @stream. */
void assay_glyph_draw (const AssayGlyphStyle *style, guint glyph, AssayStream *stream,
                       guint8 *ret_pixels);
