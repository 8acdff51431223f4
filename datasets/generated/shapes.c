/* Generated labelled images, which need no files: digits of varying place, angle, size, width and
 * colour before clutter and under noise. The label is the digit.
 *
 * Public images are by default something else than the secrets, as ImageNet patches are beside
 * CIFAR-10: photographs of scenes of dead leaves (dead-leaves.h); or other digits.
 *
 * Image i of a role shows digit i mod 10, so that classes are as large as each other, and draws
 * from a stream of its own: neither threads nor the other counts change it.
 *
 * Measured with 4,000 training and 2,000 test images: of grey ones a linear classifier (ridge
 * regression at its best penalty) is right for 0.48, a network with one hidden layer of 200 for
 * 0.86; in colour for 0.51 and 0.92. */
#include <math.h>

#include "core/base/parallel.h"
#include "datasets/generated/dead-leaves.h"
#include "datasets/images/image-set.h"

typedef enum { PRIVATE, TEST, PUBLIC, N_ROLES } Role;

static const char *const role_names[N_ROLES] = { "private", "test", "public" };

enum { GREY, COLOUR };

static const char *const channel_choices[] = { "1", "3", NULL };

enum { LEAVES, DIGITS };

static const char *const public_choices[] = { "leaves", "digits", NULL };

#define N_DIGITS 10

typedef struct {
  gint64 private_images;
  gint64 test_images;
  gint64 public_images;
  guint public;
  gint64 size;
  guint channels;
  double shift;
  double rotation;
  double smallest;
  double inverted;
  gint64 clutter;
  double noise;
  guint scale;
} Shapes;

static gsize
channels_of (const Shapes *settings)
{
  return settings->channels == COLOUR ? 3 : 1;
}

static gsize
images_of_role (const Shapes *settings, Role role)
{
  return (gsize) (role == PRIVATE ? settings->private_images
                  : role == TEST  ? settings->test_images
                                  : settings->public_images);
}

/* ---- Digits ---- */

#define MAX_POINTS 14

/* A digit is a line of points in [-1, 1]^2 (y down), each moved a little for every image; the line
 * goes through an affine map (size, slant, rotation, shift) to pixels. A pixel at the distance d
 * from a line of width w is covered by clamp (w / 2 + 1/2 - d, 0, 1).
 *
 * From back to front: a ground of one colour with a gradient, clutter, the digit, noise. Place,
 * angle, size and the sign of the contrast vary, so that no pixel by itself tells much: a linear
 * classifier sees sums over pixels and fails where a network that combines them does not. */
typedef struct {
  guint n;
  double points[MAX_POINTS][2];
} Glyph;

/* clang-format off */
static const Glyph glyphs[N_DIGITS] = {
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
paint (const Shapes *settings, const Stroke *stroke, double *canvas)
{
  const gsize size = (gsize) settings->size, channels = channels_of (settings);

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
paint_ground (const Shapes *settings, const double *ground, AssayStream *stream,
              double *canvas)
{
  const gsize size = (gsize) settings->size, channels = channels_of (settings);
  const double angle = assay_stream_between (stream, 0, 2 * G_PI);
  const double step = assay_stream_between (stream, 0, GRADIENT) / (0.5 * (double) size);
  const double across = step * cos (angle), down = step * sin (angle);
  const double centre = 0.5 * (double) (size - 1);

  for (gsize y = 0; y < size; y++)
    for (gsize x = 0; x < size; x++)
      for (gsize c = 0; c < channels; c++)
        canvas[(y * size + x) * channels + c]
            = ground[c] + across * ((double) x - centre) + down * ((double) y - centre);
}

static void
paint_clutter (const Shapes *settings, const double *ground, AssayStream *stream, double *canvas)
{
  const double size = (double) settings->size;
  const gsize n = assay_stream_below (stream, (guint64) settings->clutter + 1);

  for (gsize i = 0; i < n; i++) {
    const double length = assay_stream_between (stream, 0.15, 0.5) * size;
    const double angle = assay_stream_between (stream, 0, 2 * G_PI);
    Stroke stroke = { .n = 1 + (guint) assay_stream_below (stream, 2) };

    stroke.points[0][0] = assay_stream_between (stream, 0, size);
    stroke.points[0][1] = assay_stream_between (stream, 0, size);
    stroke.points[1][0] = stroke.points[0][0] + length * cos (angle);
    stroke.points[1][1] = stroke.points[0][1] + length * sin (angle);
    stroke.width = assay_stream_between (stream, THINNEST, THICKEST) * size;
    for (gsize c = 0; c < channels_of (settings); c++)
      stroke.colour[c] = ground[c] + assay_stream_between (stream, -CONTRAST_HIGH, CONTRAST_HIGH);
    paint (settings, &stroke, canvas);
  }
}

static void
paint_glyph (const Shapes *settings, guint glyph, const double *ground, AssayStream *stream,
             double *canvas)
{
  const double size = (double) settings->size;
  const double half = LARGEST * size * assay_stream_between (stream, settings->smallest, 1);
  const double wide = half * assay_stream_between (stream, 0.8, 1.2);
  const double slant = assay_stream_between (stream, -SLANT, SLANT);
  const double angle = settings->rotation * assay_stream_between (stream, -1, 1) * G_PI / 180;
  const double shift = settings->shift * size;
  const double x0 = 0.5 * (size - 1) + shift * assay_stream_between (stream, -1, 1);
  const double y0 = 0.5 * (size - 1) + shift * assay_stream_between (stream, -1, 1);
  const double sign = assay_stream_uniform (stream) < settings->inverted ? -1 : 1;
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
  for (gsize c = 0; c < channels_of (settings); c++)
    stroke.colour[c]
        = ground[c] + sign * assay_stream_between (stream, CONTRAST_LOW, CONTRAST_HIGH);
  paint (settings, &stroke, canvas);
}

/* Digit @glyph into @ret_pixels (size x size x channels, interleaved). All that varies is drawn
 * from @stream. */
static void
draw_digit (const Shapes *settings, guint glyph, AssayStream *stream, guint8 *ret_pixels)
{
  const gsize channels = channels_of (settings);
  const gsize n = (gsize) (settings->size * settings->size) * channels;
  g_autofree double *canvas = g_new (double, n);
  double ground[3];

  for (gsize c = 0; c < channels; c++)
    ground[c] = assay_stream_between (stream, GROUND_LOW, GROUND_HIGH);
  paint_ground (settings, ground, stream, canvas);
  paint_clutter (settings, ground, stream, canvas);
  paint_glyph (settings, glyph, ground, stream, canvas);
  for (gsize i = 0; i < n; i++) {
    const double value = canvas[i] + settings->noise * assay_stream_normal (stream);

    ret_pixels[i] = (guint8) lrint (CLAMP (value, 0.0, 255.0));
  }
}

/* ---- Images ---- */

typedef struct {
  const Shapes *settings;
  AssayStreamKey key;
  Role role;
  AssayImages *images;
} Work;

/* Pixels of a scene to one of an image, so that an image shows several leaves. */
#define REDUCTION 3.0

static gboolean
draw_leaves (const Work *work, AssayStream *stream, guint8 *ret_pixels, GError **error)
{
  static const double homography[9] = { REDUCTION, 0, 0, 0, REDUCTION, 0, 0, 0, 1 };
  const gsize size = (gsize) work->settings->size;
  const AssayCamera camera = { .width = size, .height = size, .blur = 0.3, .noise = 2 };
  const double side = REDUCTION * (double) size;
  g_autoptr (AssayScene) scene = assay_scene_new (side, side, stream, error);
  g_autoptr (AssayPhoto) photo = NULL;
  g_autoptr (AssayPhoto) grey = NULL;

  if (scene == NULL)
    return FALSE;
  photo = assay_scene_render (scene, homography, &camera, stream, error);
  if (photo == NULL)
    return FALSE;
  if (work->settings->channels == GREY) {
    grey = assay_photo_grey (photo, error);
    if (grey == NULL)
      return FALSE;
  }
  for (gsize i = 0; i < size * size * channels_of (work->settings); i++)
    ret_pixels[i] = (guint8) (grey != NULL ? grey : photo)->data[i];
  return TRUE;
}

static gboolean
draw_image (gsize index, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Work *work = data;
  const guint digit = (guint) (index % N_DIGITS);
  guint8 *pixels = assay_images_row (work->images, index);
  AssayStream stream = assay_stream (work->key, (guint64) work->role << 60 | index);

  if (work->role == PUBLIC && work->settings->public == LEAVES)
    return draw_leaves (work, &stream, pixels, error);
  draw_digit (work->settings, digit, &stream, pixels);
  if (work->images->labels != NULL)
    work->images->labels[index] = digit;
  return TRUE;
}

/* Leaves of a scene and its tiles. */
#define BYTES_PER_SCENE (8 << 20)

static AssayImages *
probe_role (const Shapes *settings, Role role)
{
  const gboolean has_leaves = role == PUBLIC && settings->public == LEAVES;
  const guint64 memory = has_leaves ? (guint64) assay_parallel_threads () * BYTES_PER_SCENE : 0;
  const gsize count = images_of_role (settings, role);

  return count == 0 ? NULL
                    : assay_images_probed (&(AssayImages){ .count = count,
                                                           .height = (gsize) settings->size,
                                                           .width = (gsize) settings->size,
                                                           .channels = channels_of (settings),
                                                           .has_labels = role != PUBLIC,
                                                           .source = (char *) "generated images",
                                                           .memory = memory });
}

static gboolean
draw_role (const AssayDatasetContext *context, Role role, AssayImages **ret_images, GError **error)
{
  const Shapes *settings = context->settings;
  g_autoptr (AssayImages) form = probe_role (settings, role);
  Work work = { .settings = settings, .key = context->stream, .role = role };

  if (form == NULL)
    return TRUE;
  *ret_images = assay_images_new (form, error);
  if (*ret_images == NULL)
    return FALSE;
  work.images = *ret_images;
  return assay_parallel_try (form->count, draw_image, &work, error)
         || assay_prefix (error, "%s: ", role_names[role]);
}

/* ---- Callbacks ---- */

static gboolean
open_shapes (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  const Shapes *settings = context->settings;
  g_auto (AssayImagePools) pools = { 0 };

  return draw_role (context, PRIVATE, &pools.secrets, error)
         && draw_role (context, TEST, &pools.test, error)
         && draw_role (context, PUBLIC, &pools.public_images, error)
         && assay_image_pools_open (&pools, settings->scale, N_DIGITS, ret_dataset, error);
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, GError **error)
{
  const Shapes *settings = context->settings;
  g_auto (AssayImagePools) pools = { .secrets = probe_role (settings, PRIVATE),
                                     .test = probe_role (settings, TEST),
                                     .public_images = probe_role (settings, PUBLIC) };

  return assay_image_pools_probe (&pools, 0, N_DIGITS, ret_probe, error);
}

ASSAY_DATASET (shapes, "shapes",
  .summary = "Generated digits with jitter, clutter and noise, and public images beside them",
  .reference = { "Assay; Lee, Mumford and Huang 2001, Occlusion Models for Natural Images",
                 "digits as strokes; section 4 for the public images" },
  ASSAY_SETTINGS (Shapes,
    ASSAY_PARAM_INT (Shapes, private_images, 2000, 1, 10000000, "images", "Images to protect"),
    ASSAY_PARAM_INT (Shapes, test_images, 1000, 0, 10000000, "images", "Images for testing"),
    ASSAY_PARAM_INT (Shapes, public_images, 2000, 0, 10000000, "images", "Public images"),
    ASSAY_PARAM_CHOICE (Shapes, public, LEAVES, public_choices,
                        "What public images show: dead leaves, or digits as the secrets do"),
    ASSAY_PARAM_INT (Shapes, size, 32, 8, 512, "pixels", "Side of an image"),
    ASSAY_PARAM_CHOICE (Shapes, channels, COLOUR, channel_choices,
                        "1: grey; 3: red, green and blue"),
    ASSAY_PARAM_REAL (Shapes, shift, 0.1, 0, 0.5, "",
                      "How far a digit is shifted along each axis at most, as a share of the "
                      "image's side"),
    ASSAY_PARAM_REAL (Shapes, rotation, 20, 0, 180, "degrees",
                      "How far a digit is turned either way at most"),
    ASSAY_PARAM_REAL (Shapes, smallest, 0.65, 0.2, 1, "",
                      "Height of the smallest digit as a share of that of the largest"),
    ASSAY_PARAM_REAL (Shapes, inverted, 0.2, 0, 1, "",
                      "Share of images whose digit is darker than its background"),
    ASSAY_PARAM_INT (Shapes, clutter, 3, 0, 100, "strokes",
                     "The most strokes and discs behind a digit"),
    ASSAY_PARAM_REAL (Shapes, noise, 8, 0, 200, "grey levels", "Standard deviation of the noise"),
    ASSAY_PARAM_CHOICE (Shapes, scale, ASSAY_PIXELS_DATASET, assay_pixel_scales,
                        ASSAY_PIXEL_SCALE_HELP)),
  .probe = probe,
  .open = open_shapes);
