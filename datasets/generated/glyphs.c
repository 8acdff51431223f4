/* Digits as strokes. A glyph is a line of points in [-1, 1]^2 (y down), each moved a little for
 * every image; the line goes through an affine map (size, slant, rotation, shift) to pixels. A
 * pixel at the distance d from a line of width w is covered by clamp (w / 2 + 1/2 - d, 0, 1).
 *
 * From back to front: a ground of one colour with a gradient, clutter, the digit, noise. Place,
 * angle, size and the sign of the contrast vary, so that no pixel by itself tells much: a linear
 * classifier sees sums over pixels and fails where a network that combines them does not. */
#include "datasets/generated/glyphs.h"

#include <math.h>

#define MAX_POINTS 14

typedef struct {
  guint n;
  double points[MAX_POINTS][2];
} Glyph;

/* clang-format off */
static const Glyph glyphs[ASSAY_GLYPHS] = {
  { 13, { { 0, -1 }, { 0.32, -0.87 }, { 0.53, -0.5 }, { 0.6, 0 }, { 0.53, 0.5 }, { 0.32, 0.87 },
          { 0, 1 }, { -0.32, 0.87 }, { -0.53, 0.5 }, { -0.6, 0 }, { -0.53, -0.5 },
          { -0.32, -0.87 }, { 0, -1 } } },
  { 3, { { -0.3, -0.6 }, { 0.05, -1 }, { 0.05, 1 } } },
  { 8, { { -0.55, -0.55 }, { -0.35, -0.9 }, { 0, -1 }, { 0.4, -0.85 }, { 0.5, -0.5 }, { 0.3, -0.1 },
         { -0.55, 1 }, { 0.6, 1 } } },
  { 11, { { -0.5, -0.8 }, { -0.1, -1 }, { 0.4, -0.85 }, { 0.45, -0.45 }, { 0.2, -0.1 },
          { -0.1, -0.05 }, { 0.2, 0 }, { 0.55, 0.3 }, { 0.5, 0.75 }, { 0.1, 1 }, { -0.5, 0.8 } } },
  { 4, { { 0.3, 1 }, { 0.3, -1 }, { -0.6, 0.4 }, { 0.6, 0.4 } } },
  { 8, { { 0.5, -1 }, { -0.4, -1 }, { -0.5, -0.1 }, { 0, -0.25 }, { 0.45, 0.05 }, { 0.5, 0.55 },
         { 0.1, 0.95 }, { -0.5, 0.85 } } },
  { 9, { { 0.4, -1 }, { -0.1, -0.7 }, { -0.5, 0 }, { -0.5, 0.6 }, { 0, 1 }, { 0.5, 0.6 },
         { 0.4, 0.1 }, { 0, -0.1 }, { -0.5, 0.3 } } },
  { 3, { { -0.55, -1 }, { 0.55, -1 }, { -0.1, 1 } } },
  { 13, { { 0, -0.05 }, { -0.4, -0.4 }, { -0.3, -0.85 }, { 0, -1 }, { 0.3, -0.85 }, { 0.4, -0.4 },
          { 0, -0.05 }, { -0.5, 0.4 }, { -0.4, 0.85 }, { 0, 1 }, { 0.4, 0.85 }, { 0.5, 0.4 },
          { 0, -0.05 } } },
  { 9, { { -0.4, 1 }, { 0.1, 0.7 }, { 0.5, 0 }, { 0.5, -0.6 }, { 0, -1 }, { -0.5, -0.6 },
         { -0.4, -0.1 }, { 0, 0.1 }, { 0.5, -0.3 } } },
};
/* clang-format on */

#define LARGEST 0.38     /* half the height of the largest digit, by the size */
#define POINT_MOVES 0.07 /* of each point at most */
#define SLANT 0.25       /* either way at most */
#define THINNEST 0.05    /* width of a stroke, by the size */
#define THICKEST 0.12
#define GROUND_LOW 70.0 /* grey levels */
#define GROUND_HIGH 185.0
#define GRADIENT 40.0 /* from the centre to a side, at most */
#define CONTRAST_LOW 45.0
#define CONTRAST_HIGH 120.0

typedef struct {
  guint n;
  double points[MAX_POINTS][2]; /* pixels */
  double width;
  double colour[3];
} Stroke;

static double
squared_distance (const double *a, const double *b, double x, double y)
{
  const double u = b[0] - a[0], v = b[1] - a[1], length = u * u + v * v;
  const double along = length > 0 ? ((x - a[0]) * u + (y - a[1]) * v) / length : 0;
  const double t = CLAMP (along, 0.0, 1.0);
  const double dx = x - a[0] - t * u, dy = y - a[1] - t * v;

  return dx * dx + dy * dy;
}

/* A stroke of one point is a disc. */
static void
paint (const AssayGlyphStyle *style, const Stroke *stroke, double *canvas)
{
  const gsize size = style->size, channels = style->channels;

  for (gsize y = 0; y < size; y++)
    for (gsize x = 0; x < size; x++) {
      double *pixel = canvas + (y * size + x) * channels;
      double nearest
          = squared_distance (stroke->points[0], stroke->points[0], (double) x, (double) y);
      double covered;

      for (guint i = 0; i + 1 < stroke->n; i++)
        nearest = MIN (nearest, squared_distance (stroke->points[i], stroke->points[i + 1],
                                                  (double) x, (double) y));
      covered = CLAMP (0.5 * stroke->width + 0.5 - sqrt (nearest), 0.0, 1.0);
      for (gsize c = 0; c < channels; c++)
        pixel[c] += covered * (stroke->colour[c] - pixel[c]);
    }
}

static void
paint_ground (const AssayGlyphStyle *style, const double *ground, AssayStream *stream,
              double *canvas)
{
  const gsize size = style->size;
  const double angle = assay_stream_between (stream, 0, 2 * G_PI);
  const double step = assay_stream_between (stream, 0, GRADIENT) / (0.5 * (double) size);
  const double across = step * cos (angle), down = step * sin (angle);
  const double centre = 0.5 * (double) (size - 1);

  for (gsize y = 0; y < size; y++)
    for (gsize x = 0; x < size; x++)
      for (gsize c = 0; c < style->channels; c++)
        canvas[(y * size + x) * style->channels + c]
            = ground[c] + across * ((double) x - centre) + down * ((double) y - centre);
}

static void
paint_clutter (const AssayGlyphStyle *style, const double *ground, AssayStream *stream,
               double *canvas)
{
  const double size = (double) style->size;
  const gsize n = assay_stream_below (stream, style->clutter + 1);

  for (gsize i = 0; i < n; i++) {
    const double length = assay_stream_between (stream, 0.15, 0.5) * size;
    const double angle = assay_stream_between (stream, 0, 2 * G_PI);
    Stroke stroke = { .n = 1 + (guint) assay_stream_below (stream, 2) };

    stroke.points[0][0] = assay_stream_between (stream, 0, size);
    stroke.points[0][1] = assay_stream_between (stream, 0, size);
    stroke.points[1][0] = stroke.points[0][0] + length * cos (angle);
    stroke.points[1][1] = stroke.points[0][1] + length * sin (angle);
    stroke.width = assay_stream_between (stream, THINNEST, THICKEST) * size;
    for (gsize c = 0; c < style->channels; c++)
      stroke.colour[c] = ground[c] + assay_stream_between (stream, -CONTRAST_HIGH, CONTRAST_HIGH);
    paint (style, &stroke, canvas);
  }
}

static void
paint_glyph (const AssayGlyphStyle *style, guint glyph, const double *ground, AssayStream *stream,
             double *canvas)
{
  const double size = (double) style->size;
  const double half = LARGEST * size * assay_stream_between (stream, style->smallest, 1);
  const double wide = half * assay_stream_between (stream, 0.8, 1.2);
  const double slant = assay_stream_between (stream, -SLANT, SLANT);
  const double angle = style->rotation * assay_stream_between (stream, -1, 1) * G_PI / 180;
  const double x0 = 0.5 * (size - 1) + style->shift * size * assay_stream_between (stream, -1, 1);
  const double y0 = 0.5 * (size - 1) + style->shift * size * assay_stream_between (stream, -1, 1);
  const double sign = assay_stream_uniform (stream) < style->inverted ? -1 : 1;
  Stroke stroke = { .n = glyphs[glyph].n };

  stroke.width = assay_stream_between (stream, THINNEST, THICKEST) * size;
  for (guint i = 0; i < stroke.n; i++) {
    const double *point = glyphs[glyph].points[i];
    const double v = half * (point[1] + assay_stream_between (stream, -POINT_MOVES, POINT_MOVES));
    const double u
        = wide * (point[0] + assay_stream_between (stream, -POINT_MOVES, POINT_MOVES)) - slant * v;

    stroke.points[i][0] = x0 + u * cos (angle) - v * sin (angle);
    stroke.points[i][1] = y0 + u * sin (angle) + v * cos (angle);
  }
  for (gsize c = 0; c < style->channels; c++)
    stroke.colour[c]
        = ground[c] + sign * assay_stream_between (stream, CONTRAST_LOW, CONTRAST_HIGH);
  paint (style, &stroke, canvas);
}

void
assay_glyph_draw (const AssayGlyphStyle *style, guint glyph, AssayStream *stream,
                  guint8 *ret_pixels)
{
  const gsize n = style->size * style->size * style->channels;
  g_autofree double *canvas = g_new (double, n);
  double ground[3];

  for (gsize c = 0; c < style->channels; c++)
    ground[c] = assay_stream_between (stream, GROUND_LOW, GROUND_HIGH);
  paint_ground (style, ground, stream, canvas);
  paint_clutter (style, ground, stream, canvas);
  paint_glyph (style, glyph, ground, stream, canvas);
  for (gsize i = 0; i < n; i++) {
    const double value = canvas[i] + style->noise * assay_stream_normal (stream);

    ret_pixels[i] = (guint8) lrint (CLAMP (value, 0.0, 255.0));
  }
}
