/* Pictures painted from patches (Weinzaepfel, Jegou and Perez 2011, "Reconstructing an image from
 * its local descriptors", sections 3 and 4), adapted.
 *
 * A patch is the square of `patch` keypoint sizes around a keypoint of the source, taken to the
 * target's keypoint by the similarity that takes one to the other, x -> p + (s / s') R (a - a')
 * (x - p') from target to source. A pixel that covers several of the source is the mean of so many
 * samples. Its weight is a raised cosine over the square, times size^-1.5: smaller patches show
 * more detail and stand over larger ones, but without an edge.
 *
 * The paper pastes patch upon patch, each blended seamlessly into what is there (AssayPoisson), and
 * interpolates what is left. Here all patches are blended at once. With c and g the weighted
 * means over the patches of the levels of a pixel and of the difference between neighbours, the
 * picture is the least of
 *
 *   sum over covered pixels p of (f_p - c_p)^2 / REACH^2
 *   + sum over neighbours p, q of (f_q - f_p - g_pq)^2,
 *
 * with g = 0 between pixels that no patch has both of, so that holes are filled smoothly
 * (harmonically, as in the paper). Edges come from the patches, brightness from far around.
 * Other forms and constants that were measured: docs/papers/ldp-feat.md. */
#include "core/math/painting/paint.h"

#include <math.h>
#include <string.h>

#include "core/data/arena.h"
#include "core/math/painting/poisson.h"

#define MAX_CHANNELS 3
#define MAX_SAMPLES 8 /* along each axis of a pixel */
#define FINENESS 1.5
#define REACH 256.0 /* pixels */
#define MID_GREY 127.5

/* ---- Patches ---- */

/* Where a pixel at (dx, dy) from the target's keypoint comes from: (x + a dx - b dy,
 * y + b dx + a dy). */
typedef struct {
  double x, y;
  double a, b;
  gsize samples; /* each way, of a pixel: as many as it covers pixels of the source */
} Warp;

/* A patch in the pixels of the picture, cut at its border: values height x width x channels. */
typedef struct {
  gsize left, top;
  gsize width, height;
  float *weights; /* height x width; 0: not of the patch */
  float *values;
} Raster;

static double
radians (double degrees)
{
  return degrees * (G_PI / 180.0);
}

static Warp
warp_of (const AssayPaintPatch *patch)
{
  const double angle = radians ((double) patch->from.angle - (double) patch->to.angle);
  const double scale = (double) patch->from.size / (double) patch->to.size;
  const double a = scale * cos (angle), b = scale * sin (angle);

  return (Warp){ .x = (double) patch->from.x,
                 .y = (double) patch->from.y,
                 .a = a,
                 .b = b,
                 .samples = (gsize) CLAMP (ceil (hypot (a, b) - 1e-3), 1.0, MAX_SAMPLES) };
}

/* Adds the picture's value at a point, interpolated between the four pixels around it; FALSE where
 * there are none. */
static gboolean
add_sample (const AssayPhoto *photo, double x, double y, gsize channels, double *inout_sums)
{
  gsize left, top, right, bottom;
  double u, v;

  if (!(x >= 0 && y >= 0 && x <= (double) (photo->width - 1) && y <= (double) (photo->height - 1)))
    return FALSE;
  left = (gsize) x;
  top = (gsize) y;
  right = MIN (left + 1, photo->width - 1);
  bottom = MIN (top + 1, photo->height - 1);
  u = x - (double) left;
  v = y - (double) top;
  for (gsize c = 0; c < channels; c++) {
    const gsize k = MIN (c, photo->channels - 1);
    const double above = (1 - u) * (double) assay_photo_pixel (photo, left, top)[k]
                         + u * (double) assay_photo_pixel (photo, right, top)[k];
    const double below = (1 - u) * (double) assay_photo_pixel (photo, left, bottom)[k]
                         + u * (double) assay_photo_pixel (photo, right, bottom)[k];

    inout_sums[c] += (1 - v) * above + v * below;
  }
  return TRUE;
}

/* The mean of the samples of the pixel at (dx, dy). FALSE if one of them is outside of the
 * source. */
static gboolean
sample_pixel (const AssayPhoto *source, const Warp *warp, double dx, double dy, gsize channels,
              float *ret_values)
{
  const gsize n = warp->samples;
  double sums[MAX_CHANNELS] = { 0 };

  for (gsize k = 0; k < n * n; k++) {
    const double x = dx + ((double) (k % n) + 0.5) / (double) n - 0.5;
    const double y = dy + ((double) (k / n) + 0.5) / (double) n - 0.5;

    if (!add_sample (source, warp->x + warp->a * x - warp->b * y,
                     warp->y + warp->b * x + warp->a * y, channels, sums))
      return FALSE;
  }
  for (gsize c = 0; c < channels; c++)
    ret_values[c] = (float) (sums[c] / (double) (n * n));
  return TRUE;
}

/* First and number of the pixels of a side that are within @reach of @centre. */
static gsize
cut (double centre, double reach, gsize side, gsize *ret_first)
{
  const double first = MAX (ceil (centre - reach), 0.0);
  const double last = MIN (floor (centre + reach), (double) side - 1);

  *ret_first = (gsize) first;
  return last >= first ? (gsize) (last - first) + 1 : 0;
}

static void
rasterise (const AssayPaintCanvas *canvas, const AssayPaintPatch *patch, Raster *raster)
{
  const Warp warp = warp_of (patch);
  const double half = canvas->patch * (double) patch->to.size / 2;
  const double cosine = cos (radians ((double) patch->to.angle));
  const double sine = sin (radians ((double) patch->to.angle));
  const double reach = half * (fabs (cosine) + fabs (sine));

  raster->width = cut ((double) patch->to.x, reach, canvas->width, &raster->left);
  raster->height = cut ((double) patch->to.y, reach, canvas->height, &raster->top);
  for (gsize j = 0; j < raster->height; j++)
    for (gsize i = 0; i < raster->width; i++) {
      const gsize at = j * raster->width + i;
      const double dx = (double) (raster->left + i) - (double) patch->to.x;
      const double dy = (double) (raster->top + j) - (double) patch->to.y;
      const double u = (cosine * dx + sine * dy) / half, v = (cosine * dy - sine * dx) / half;

      raster->weights[at] = 0;
      if (fabs (u) < 1 && fabs (v) < 1
          && sample_pixel (patch->source, &warp, dx, dy, canvas->channels,
                           raster->values + at * canvas->channels))
        raster->weights[at] = (float) ((1 + cos (G_PI * u)) * (1 + cos (G_PI * v)) / 4);
    }
}

/* ---- Pictures ---- */

/* Weighted sums over patches. */
typedef struct {
  const AssayPaintCanvas *canvas;
  gsize pixels;
  double *levels;        /* pixels x channels */
  double *right, *down;  /* differences to the next pixel, pixels x channels */
  double *level_weights; /* pixels */
  double *right_weights, *down_weights;
  double *blended, *right_side; /* pixels: f and b of a channel */
  Raster raster;
  AssayPoisson *poisson;
  AssayArena arena; /* of all these arrays */
} Painting;

static gboolean
painting_init (Painting *painting, const AssayPaintCanvas *canvas, GError **error)
{
  const gsize channels = canvas->channels, pixels = canvas->width * canvas->height;
  double **const of_channels[] = { &painting->levels, &painting->right, &painting->down };
  double **const of_pixels[]
      = { &painting->level_weights, &painting->right_weights, &painting->down_weights,
          &painting->blended, &painting->right_side };
  AssayArena *arena = &painting->arena;

  painting->canvas = canvas;
  painting->pixels = pixels;
  for (gsize i = 0; i < G_N_ELEMENTS (of_channels); i++)
    *of_channels[i]
        = assay_arena_alloc (arena, pixels, channels * sizeof (double), "painting", error);
  for (gsize i = 0; i < G_N_ELEMENTS (of_pixels); i++)
    *of_pixels[i] = assay_arena_alloc (arena, pixels, sizeof (double), "painting", error);
  painting->raster.weights = assay_arena_alloc (arena, pixels, sizeof (float), "painting", error);
  painting->raster.values
      = assay_arena_alloc (arena, pixels, channels * sizeof (float), "painting", error);
  if (!arena->has_failed)
    painting->poisson = assay_poisson_new (canvas->width, canvas->height, error);
  return painting->poisson != NULL;
}

ASSAY_LOCAL_CLEAR (Painting, painting_clear, assay_arena_clear (&self->arena),
                   assay_poisson_free (self->poisson))

/* Adds the differences between the pixels @at and @next of the raster, if both are of the patch. */
static void
add_step (const Painting *painting, gsize at, gsize next, double strength, double *inout_weight,
          double *inout_sums)
{
  const gsize channels = painting->canvas->channels;
  const float *weights = painting->raster.weights, *values = painting->raster.values;
  const double weight = strength * (double) MIN (weights[at], weights[next]);

  if (!(weight > 0))
    return;
  *inout_weight += weight;
  for (gsize c = 0; c < channels; c++)
    inout_sums[c]
        += weight * ((double) values[next * channels + c] - (double) values[at * channels + c]);
}

static void
add_patch (Painting *painting, const AssayPaintPatch *patch)
{
  const gsize channels = painting->canvas->channels;
  const Raster *raster = &painting->raster;
  const double strength = pow ((double) patch->to.size, -FINENESS);

  rasterise (painting->canvas, patch, &painting->raster);
  for (gsize j = 0; j < raster->height; j++)
    for (gsize i = 0; i < raster->width; i++) {
      const gsize at = j * raster->width + i;
      const gsize p = (raster->top + j) * painting->canvas->width + raster->left + i;
      const double weight = strength * (double) raster->weights[at];

      if (!(weight > 0))
        continue;
      painting->level_weights[p] += weight;
      for (gsize c = 0; c < channels; c++)
        painting->levels[p * channels + c] += weight * (double) raster->values[at * channels + c];
      if (i + 1 < raster->width)
        add_step (painting, at, at + 1, strength, &painting->right_weights[p],
                  &painting->right[p * channels]);
      if (j + 1 < raster->height)
        add_step (painting, at, at + raster->width, strength, &painting->down_weights[p],
                  &painting->down[p * channels]);
    }
}

static void
average (double *inout_sums, double *weights, gsize n, gsize channels)
{
  for (gsize p = 0; p < n; p++)
    for (gsize c = 0; c < channels && weights[p] > 0; c++)
      inout_sums[p * channels + c] /= weights[p];
}

/* Anchors where something is painted, and an edge between any two neighbours. */
static void
weigh (Painting *painting)
{
  const gsize w = painting->canvas->width;
  const AssayPoissonWeights weights = assay_poisson_weights (painting->poisson);

  for (gsize p = 0; p < painting->pixels; p++) {
    weights.anchor[p] = painting->level_weights[p] > 0 ? 1 / (REACH * REACH) : 0;
    weights.right[p] = (p + 1) % w != 0;
    weights.down[p] = p + w < painting->pixels;
  }
}

/* The channel into @blended. */
static void
blend (Painting *painting, gsize channel)
{
  const gsize n = painting->pixels, w = painting->canvas->width, ch = painting->canvas->channels;
  const AssayPoissonWeights weights = assay_poisson_weights (painting->poisson);
  double *f = painting->blended, *b = painting->right_side;

  memset (b, 0, n * sizeof (double));
  for (gsize p = 0; p < n; p++) {
    const double level = painting->levels[p * ch + channel];
    const double right = weights.right[p] * painting->right[p * ch + channel];
    const double down = weights.down[p] * painting->down[p * ch + channel];

    f[p] = weights.anchor[p] > 0 ? level : MID_GREY;
    b[p] += weights.anchor[p] * level - right - down;
    if (weights.right[p] > 0)
      b[p + 1] += right;
    if (weights.down[p] > 0)
      b[p + w] += down;
  }
  assay_poisson_solve (painting->poisson, f, b);
}

/* The blended channels into @photo. */
static void
finish (Painting *painting, AssayPhoto *photo)
{
  const gsize channels = photo->channels;

  average (painting->levels, painting->level_weights, painting->pixels, channels);
  average (painting->right, painting->right_weights, painting->pixels, channels);
  average (painting->down, painting->down_weights, painting->pixels, channels);
  weigh (painting);
  for (gsize c = 0; c < channels; c++) {
    blend (painting, c);
    for (gsize p = 0; p < painting->pixels; p++)
      photo->data[p * channels + c] = (float) CLAMP (painting->blended[p], 0.0, 255.0);
  }
}

AssayPhoto *
assay_paint_picture (const AssayPaintCanvas *canvas, const AssayPaintPatch *patches, gsize n,
                     double *ret_painted, GError **error)
{
  g_autoptr (AssayPhoto) photo
      = assay_photo_new (canvas->width, canvas->height, canvas->channels, error);
  g_auto (Painting) painting = { 0 };
  gsize painted = 0;

  if (photo == NULL || !painting_init (&painting, canvas, error))
    return NULL;
  for (gsize i = 0; i < n; i++)
    add_patch (&painting, &patches[i]);
  for (gsize p = 0; p < painting.pixels; p++)
    painted += painting.level_weights[p] > 0;
  if (painted > 0)
    finish (&painting, photo);
  else
    for (gsize i = 0; i < painting.pixels * canvas->channels; i++)
      photo->data[i] = (float) MID_GREY;
  if (ret_painted != NULL)
    *ret_painted = (double) painted / (double) painting.pixels;
  return g_steal_pointer (&photo);
}
