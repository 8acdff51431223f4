/* Generated labelled images, which need no files: digits of varying place, angle, size, width and
 * colour before clutter and under noise (datasets/generated/glyphs.c). The label is the digit.
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
#include "core/base/parallel.h"
#include "datasets/generated/dead-leaves.h"
#include "datasets/generated/glyphs.h"
#include "datasets/images/image-set.h"

typedef enum { PRIVATE, TEST, PUBLIC, N_ROLES } Role;

static const char *const role_names[N_ROLES] = { "private", "test", "public" };

enum { GREY, COLOUR };

static const char *const channel_choices[] = { "1", "3", NULL };

enum { LEAVES, DIGITS };

static const char *const public_choices[] = { "leaves", "digits", NULL };

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

static AssayGlyphStyle
style_of (const Shapes *settings)
{
  return (AssayGlyphStyle){ .size = (gsize) settings->size,
                            .channels = settings->channels == COLOUR ? 3 : 1,
                            .shift = settings->shift,
                            .rotation = settings->rotation,
                            .smallest = settings->smallest,
                            .inverted = settings->inverted,
                            .clutter = (gsize) settings->clutter,
                            .noise = settings->noise };
}

static gsize
images_of_role (const Shapes *settings, Role role)
{
  return (gsize) (role == PRIVATE ? settings->private_images
                  : role == TEST  ? settings->test_images
                                  : settings->public_images);
}

/* ---- Images ---- */

typedef struct {
  const Shapes *settings;
  AssayGlyphStyle style;
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
  const gsize size = work->style.size;
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
  if (work->style.channels == 1) {
    grey = assay_photo_grey (photo, error);
    if (grey == NULL)
      return FALSE;
  }
  for (gsize i = 0; i < size * size * work->style.channels; i++)
    ret_pixels[i] = (guint8) (grey != NULL ? grey : photo)->data[i];
  return TRUE;
}

static gboolean
draw_image (gsize index, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Work *work = data;
  const guint digit = (guint) (index % ASSAY_GLYPHS);
  guint8 *pixels = assay_images_row (work->images, index);
  AssayStream stream = assay_stream (work->key, (guint64) work->role << 60 | index);

  if (work->role == PUBLIC && work->settings->public == LEAVES)
    return draw_leaves (work, &stream, pixels, error);
  assay_glyph_draw (&work->style, digit, &stream, pixels);
  if (work->images->labels != NULL)
    work->images->labels[index] = digit;
  return TRUE;
}

/* Leaves of a scene and its tiles. */
#define BYTES_PER_SCENE (8 << 20)

static AssayImages *
probe_role (const Shapes *settings, Role role)
{
  const AssayGlyphStyle style = style_of (settings);
  const gboolean has_leaves = role == PUBLIC && settings->public == LEAVES;
  const guint64 memory = has_leaves ? (guint64) assay_parallel_threads () * BYTES_PER_SCENE : 0;
  const gsize count = images_of_role (settings, role);

  return count == 0 ? NULL
                    : assay_images_probed (&(AssayImages){ .count = count,
                                                           .height = style.size,
                                                           .width = style.size,
                                                           .channels = style.channels,
                                                           .has_labels = role != PUBLIC,
                                                           .source = (char *) "generated images",
                                                           .memory = memory });
}

static gboolean
draw_role (const AssayDatasetContext *context, Role role, AssayImages **ret_images, GError **error)
{
  const Shapes *settings = context->settings;
  g_autoptr (AssayImages) form = probe_role (settings, role);
  Work work = {
    .settings = settings, .style = style_of (settings), .key = context->stream, .role = role
  };

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
         && assay_image_pools_open (&pools, settings->scale, ASSAY_GLYPHS, ret_dataset, error);
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, GError **error)
{
  const Shapes *settings = context->settings;
  g_auto (AssayImagePools) pools = { .secrets = probe_role (settings, PRIVATE),
                                     .test = probe_role (settings, TEST),
                                     .public_images = probe_role (settings, PUBLIC) };

  return assay_image_pools_probe (&pools, 0, ASSAY_GLYPHS, ret_probe, error);
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
