/* Convolutions as products of unfolded images: a row for each pixel that a layer gives, of the
 * 3 x 3 pixels around it and 1. */
#include "core/math/picture-kernels.h"

#include <string.h>

#include "core/base/parallel.h"
#include "core/data/arena.h"
#include "core/math/linalg.h"

/* Images that are unfolded together. */
#define PANEL 16

ASSAY_CLEAR_FUNC (AssayPictureKernels, assay_picture_kernels_clear,
                  assay_drop (self->layers[0], assay_matrix_free),
                  assay_drop (self->layers[1], assay_matrix_free),
                  assay_drop (self->layers[2], assay_matrix_free), self->n = 0)

typedef struct {
  gsize height, width, channels;
} Shape;

static gsize
size_of (const Shape *shape)
{
  return shape->height * shape->width * shape->channels;
}

/* Of the image that layer @layer begins with. */
static Shape
shape_before (const AssayPictureKernels *kernels, guint layer)
{
  Shape shape = { kernels->height, kernels->width, kernels->channels };

  for (guint l = 0; l < layer; l++)
    shape = (Shape){ assay_codes_halved (shape.height), assay_codes_halved (shape.width),
                     kernels->layers[l]->rows };
  return shape;
}

gsize
assay_picture_kernels_numbers (const AssayPictureKernels *kernels)
{
  const Shape shape = shape_before (kernels, kernels->n);

  return size_of (&shape);
}

/* The pixels around (2 @row, 2 @column) of @image, and 1. */
static void
unfold_pixel (const Shape *shape, const float *image, gsize row, gsize column, float *ret_patch)
{
  const gsize c = shape->channels;

  for (gsize a = 0; a < 3; a++)
    for (gsize b = 0; b < 3; b++, ret_patch += c) {
      const gsize y = 2 * row + a, x = 2 * column + b; /* one more than they are */

      if (y == 0 || x == 0 || y > shape->height || x > shape->width)
        memset (ret_patch, 0, c * sizeof (float));
      else
        memcpy (ret_patch, image + ((y - 1) * shape->width + x - 1) * c, c * sizeof (float));
    }
  *ret_patch = 1;
}

typedef struct {
  const AssayPictureKernels *kernels;
  AssayView rows;
  AssayMatrix *numbers;
  gsize most_patches, most_numbers; /* of an image in any layer */
  float *patches;                   /* of each thread PANEL images */
  float *images[2];                 /* what layers give, by turns */
} Applying;

static void
apply_layer (const Applying *applying, guint layer, gsize count, const float *const *images,
             float *ret_images, float *patches)
{
  const AssayMatrix *weights = applying->kernels->layers[layer];
  const Shape before = shape_before (applying->kernels, layer);
  const Shape after = shape_before (applying->kernels, layer + 1);
  const gsize pixels = after.height * after.width, cols = weights->cols;

  for (gsize i = 0; i < count; i++)
    for (gsize p = 0; p < pixels; p++)
      unfold_pixel (&before, images[i], p / after.width, p % after.width,
                    patches + (i * pixels + p) * cols);
  assay_linalg_product (ASSAY_NT, assay_view_of (patches, count * pixels, cols),
                        assay_matrix_view (weights), ret_images, after.channels);
  for (gsize k = 0; k < count * size_of (&after); k++)
    ret_images[k] = MAX (ret_images[k], 0);
}

static void
apply_panel (gsize panel, guint worker, gpointer data)
{
  const Applying *applying = data;
  const gsize first = panel * PANEL, count = MIN (PANEL, applying->rows.rows - first);
  float *patches = applying->patches + worker * PANEL * applying->most_patches;
  const float *images[PANEL];

  for (gsize i = 0; i < count; i++)
    images[i] = assay_view_row (applying->rows, first + i);
  for (guint layer = 0; layer < applying->kernels->n; layer++) {
    const Shape after = shape_before (applying->kernels, layer + 1);
    float *into = layer + 1 == applying->kernels->n
                      ? assay_matrix_row (applying->numbers, first)
                      : applying->images[layer % 2] + worker * PANEL * applying->most_numbers;

    apply_layer (applying, layer, count, images, into, patches);
    for (gsize i = 0; i < count; i++)
      images[i] = into + i * size_of (&after);
  }
}

AssayMatrix *
assay_picture_kernels_apply (const AssayPictureKernels *kernels, AssayView rows, GError **error)
{
  const gsize threads = assay_parallel_threads ();
  g_autoptr (AssayMatrix) numbers
      = assay_matrix_new (rows.rows, assay_picture_kernels_numbers (kernels), error);
  g_auto (AssayArena) arena = { 0 };
  Applying applying = { .kernels = kernels, .rows = rows, .numbers = numbers };

  for (guint layer = 0; layer < kernels->n; layer++) {
    const Shape after = shape_before (kernels, layer + 1);

    applying.most_patches = MAX (applying.most_patches,
                                 after.height * after.width * kernels->layers[layer]->cols);
    applying.most_numbers = MAX (applying.most_numbers, size_of (&after));
  }
  if (numbers == NULL)
    return NULL;
  applying.patches = assay_arena_alloc (&arena, threads * PANEL * applying.most_patches,
                                        sizeof (float), "images", error);
  for (guint i = 0; i < 2; i++)
    applying.images[i] = assay_arena_alloc (&arena, threads * PANEL * applying.most_numbers,
                                            sizeof (float), "images", error);
  if (arena.has_failed)
    return NULL;
  assay_parallel_for ((rows.rows + PANEL - 1) / PANEL, apply_panel, &applying);
  return g_steal_pointer (&numbers);
}
