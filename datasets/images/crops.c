/* Crops of photographs (Huang, Song, Li and Arora 2020, section 3.2: "randomly crop a number of
 * patches from each image in the public dataset", then "filter out the flat patches", "a filter
 * using SIFT [...] to retain patches with more than 40 key points").
 *
 * The side of a crop is uniform from `least_side` to the shorter side of its photograph, its place
 * uniform; it is reduced by area to size x size. An image of 32 x 32 pixels hardly has 40
 * keypoints: counted are those of the photograph that lie in the crop, as for the InstaHide
 * challenge. A photograph gives what passes of the first 10 crops for every one that is wanted.
 *
 * What a photograph draws is keyed by its picture: other photographs do not change its crops. */
#include "datasets/images/crops.h"

#include <string.h>

#include "core/base/each.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/data/matrix.h"

#define TRIES 10

/* At most one feature in 16 pixels: photographs have one in 50. */
#define PIXELS_PER_FEATURE 16

AssayImages *
assay_crops_probe (const AssayPhotoSet *set, guint role, const AssayCropRules *rules)
{
  AssayImages form = { .height = rules->size,
                       .width = rules->size,
                       .channels = rules->channels,
                       .source = (char *) "crops of photographs",
                       .is_estimate = TRUE,
                       .memory = assay_photo_set_memory (set) };

  for (gsize i = 0; i < set->n; i++) {
    const AssayPhotograph *photo = &set->photographs[i];

    if (photo->error != NULL)
      continue;
    form.count += photo->file->role == role ? rules->per_photo : 0;
    form.memory += photo->width * photo->height / PIXELS_PER_FEATURE
                   * (ASSAY_SIFT_LENGTH + sizeof (AssayKeypoint));
  }
  return assay_images_probed (&form);
}

/* ---- One photograph ---- */

typedef struct {
  const AssayPhotoSet *set;
  guint role;
  gsize largest;
  const AssayCropRules *rules;
  AssayStreamKey key;
  AssayImages *images; /* per_photo places for each photograph of the set */
  gsize *counts;       /* of them used */
} Work;

/* Where a crop is in its photograph. */
typedef struct {
  gsize left, top, side;
} Square;

/* A keypoint at x = 0 is in the centre of the first pixel. */
static gsize
count_keypoints (const AssayFeatures *features, const Square *square)
{
  const double x = (double) square->left - 0.5, y = (double) square->top - 0.5;
  const double length = (double) square->side;
  gsize n = 0;

  ASSAY_FOR_EACH_IN (const AssayKeypoint, k, features->keypoints) {
    n += (double) k->x >= x && (double) k->x < x + length && (double) k->y >= y
         && (double) k->y < y + length;
  }
  return n;
}

static gboolean
copy_crop (const AssayPhoto *photo, const Square *square, const AssayCropRules *rules,
           guint8 *ret_pixels, GError **error)
{
  const gsize side = square->side;
  g_autoptr (AssayPhoto) crop = assay_photo_new (side, side, photo->channels, error);
  g_autoptr (AssayPhoto) small = NULL;

  if (crop == NULL)
    return FALSE;
  for (gsize y = 0; y < side; y++)
    memcpy (assay_photo_pixel (crop, 0, y),
            assay_photo_pixel (photo, square->left, square->top + y),
            side * photo->channels * sizeof (float));
  small = assay_photo_shrink (crop, rules->size, error);
  if (small == NULL)
    return FALSE;
  for (gsize i = 0; i < rules->size * rules->size * rules->channels; i++)
    ret_pixels[i] = (guint8) small->data[i];
  return TRUE;
}

/* The photograph in the size in which its keypoints were found, and in the wanted channels. */
static AssayPhoto *
load_photo (const Work *work, const AssayPhotograph *photo, GError **error)
{
  g_autoptr (AssayPhoto) stored = assay_photo_load (photo->file->path, error);
  g_autoptr (AssayPhoto) grey = NULL;

  if (stored == NULL)
    return NULL;
  if (work->rules->channels == 1) {
    grey = assay_photo_grey (stored, error);
    if (grey == NULL)
      return NULL;
  }
  return assay_photo_shrink (grey != NULL ? grey : stored, work->largest, error);
}

static gboolean
take_crops (const Work *work, gsize index, const AssayPhotograph *photo, GError **error)
{
  const AssayCropRules *rules = work->rules;
  g_autoptr (AssayPhoto) picture = load_photo (work, photo, error);
  char head[17] = "";
  AssayStream stream;
  gsize shorter, least;

  if (picture == NULL)
    return FALSE;
  shorter = MIN (picture->width, picture->height);
  if (shorter < rules->size)
    return TRUE;
  least = MAX (MIN (rules->least_side, shorter), rules->size);
  /* Items below 2^62: those above are of folders and of splits. */
  memcpy (head, photo->features->picture, 16);
  stream = assay_stream (work->key, g_ascii_strtoull (head, NULL, 16) >> 2);
  for (gsize t = 0; t < TRIES * rules->per_photo && work->counts[index] < rules->per_photo; t++) {
    const gsize place = index * rules->per_photo + work->counts[index];
    Square square;

    square.side = least + assay_stream_below (&stream, shorter - least + 1);
    square.left = assay_stream_below (&stream, picture->width - square.side + 1);
    square.top = assay_stream_below (&stream, picture->height - square.side + 1);
    if ((gint64) count_keypoints (photo->features, &square) <= rules->keypoints)
      continue;
    if (!copy_crop (picture, &square, rules, assay_images_row (work->images, place), error))
      return FALSE;
    work->counts[index]++;
  }
  return TRUE;
}

static gboolean
work_on_photo (gsize index, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Work *work = data;
  const AssayPhotograph *photo = &work->set->photographs[index];

  return !assay_photograph_has_role (photo, work->role) || take_crops (work, index, photo, error);
}

/* ---- All of them ---- */

/* Moves the crops together, and tells how many photographs have none. */
static gboolean
close_gaps (const Work *work, GError **error)
{
  AssayImages *images = work->images;
  const AssayPhotograph *first_without = NULL;
  gsize n_without = 0, n_photos = 0, next = 0;
  gint64 group = 0;

  for (gsize i = 0; i < work->set->n; i++) {
    const AssayPhotograph *photo = &work->set->photographs[i];

    if (!assay_photograph_has_role (photo, work->role))
      continue;
    if (work->counts[i] == 0 && n_without++ == 0)
      first_without = photo;
    for (gsize k = 0; k < work->counts[i]; k++, next++) {
      memmove (assay_images_row (images, next),
               assay_images_row (images, i * work->rules->per_photo + k),
               assay_images_cols (images));
      images->groups[next] = group;
    }
    group += work->counts[i] > 0;
    n_photos++;
  }
  images->count = next;
  if (next == 0)
    return assay_fail (
        error, ASSAY_ERROR_DATA,
        "none of %zu photographs has a crop of at least %zu pixels with more than %" G_GINT64_FORMAT
        " SIFT keypoints; expected one at least",
        n_photos, MAX (work->rules->least_side, work->rules->size), work->rules->keypoints);
  if (n_without > 0)
    g_message ("%zu of %zu photographs give no crop, flat or too small ones; the first: %s",
               n_without, n_photos, first_without->file->path);
  return TRUE;
}

AssayImages *
assay_crops_take (const AssayPhotoSet *set, guint role, gsize largest, const AssayCropRules *rules,
                  AssayStreamKey key, GError **error)
{
  const gsize n = set->n;
  g_autoptr (AssayImages) images
      = assay_images_new (&(AssayImages){ .count = n * rules->per_photo,
                                          .height = rules->size,
                                          .width = rules->size,
                                          .channels = rules->channels,
                                          .source = (char *) "crops of photographs" },
                          error);
  g_autofree gsize *counts = g_new0 (gsize, n);
  Work work = { .set = set,
                .role = role,
                .largest = largest,
                .rules = rules,
                .key = key,
                .images = images,
                .counts = counts };

  if (images == NULL)
    return NULL;
  images->groups = assay_alloc (images->count, sizeof (gint64), "groups", error);
  return images->groups != NULL && assay_parallel_try (n, work_on_photo, &work, error)
                 && close_gaps (&work, error)
             ? g_steal_pointer (&images)
             : NULL;
}
