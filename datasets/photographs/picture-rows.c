/* Joining what images give. Rows stand in the order of their images, those of one image in the
 * order of its keypoints. */
#include "datasets/photographs/picture-rows.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/each.h"
#include "core/base/vectors.h"

#define FRAME 4

gboolean
assay_picture_reserve (AssayPicture *image, gsize count, GError **error)
{
  g_autofree guint8 *descriptors = assay_alloc (count, ASSAY_SIFT_LENGTH, "descriptors", error);
  AssayKeypoint *keypoints;

  if (descriptors == NULL)
    return FALSE;
  keypoints = assay_alloc (count, sizeof *keypoints, "keypoints", error);
  if (keypoints == NULL)
    return FALSE;
  image->count = count;
  image->descriptors = g_steal_pointer (&descriptors);
  image->keypoints = keypoints;
  return TRUE;
}

ASSAY_CLEAR_FUNC (AssayPicture, assay_picture_clear, self->count = 0,
                  assay_drop (self->descriptors, g_free), assay_drop (self->keypoints, g_free),
                  assay_drop (self->photo, assay_photo_free))

gsize *
assay_picture_choose (AssayStream *stream, gsize n, gsize count)
{
  gsize *chosen = g_new (gsize, MIN (count, n) + 1);

  if (count < n) {
    assay_stream_choose (stream, n, count, chosen);
    qsort (chosen, count, sizeof *chosen, assay_compare_sizes);
  } else {
    for (gsize i = 0; i < n; i++)
      chosen[i] = i;
  }
  return chosen;
}

gboolean
assay_picture_describe (AssayPicture *picture, AssaySift *sift, const AssayPhoto *photo,
                        gsize count, AssayStream *stream, GError **error)
{
  g_autoptr (AssayPhoto) grey = assay_photo_grey (photo, error);
  g_autoptr (GArray) keypoints = grey != NULL ? assay_sift_detect (sift, grey, error) : NULL;
  g_autofree gsize *chosen = NULL;

  if (keypoints == NULL || !assay_picture_reserve (picture, MIN (keypoints->len, count), error))
    return FALSE;
  chosen = assay_picture_choose (stream, keypoints->len, count);
  for (gsize i = 0; i < picture->count; i++) {
    picture->keypoints[i] = g_array_index (keypoints, AssayKeypoint, chosen[i]);
    assay_sift_describe (sift, &picture->keypoints[i],
                         picture->descriptors + i * ASSAY_SIFT_LENGTH);
  }
  return TRUE;
}

static gsize
count_rows (const GPtrArray *images)
{
  gsize count = 0;

  for (guint i = 0; i < images->len; i++)
    count += ((const AssayPicture *) images->pdata[i])->count;
  return count;
}

gint64 *
assay_pictures_number (const GPtrArray *images)
{
  gint64 *numbers = g_new (gint64, count_rows (images));
  gsize next = 0;

  for (guint i = 0; i < images->len; i++)
    for (gsize k = 0; k < ((const AssayPicture *) images->pdata[i])->count; k++)
      numbers[next++] = i;
  return numbers;
}

static AssayRows *
join_descriptors (const GPtrArray *images, gsize count, GChecksum *checksum, GError **error)
{
  guint8 *joined = assay_alloc (count, ASSAY_SIFT_LENGTH, "descriptors", error);
  g_autoptr (GBytes) bytes = NULL;
  AssayRows *rows;
  gsize next = 0;

  if (joined == NULL)
    return NULL;
  ASSAY_FOR_EACH (const AssayPicture, image, images) {
    if (image->count > 0)
      memcpy (joined + next * ASSAY_SIFT_LENGTH, image->descriptors,
              image->count * ASSAY_SIFT_LENGTH);
    next += image->count;
  }
  g_checksum_update (checksum, joined, (gssize) (count * ASSAY_SIFT_LENGTH));
  bytes = g_bytes_new_take (joined, count * ASSAY_SIFT_LENGTH);
  rows = assay_rows_new (ASSAY_SIFT_LENGTH);
  assay_rows_append (rows, bytes, joined, ASSAY_UINT8, ASSAY_SIFT_LENGTH, count);
  return rows;
}

static AssayArray *
join_frames (const GPtrArray *images, gsize count, GChecksum *checksum, GError **error)
{
  const gsize shape[] = { count, FRAME };
  float *frames = assay_alloc (count, FRAME * sizeof (float), "frames", error);
  gsize next = 0;

  if (frames == NULL)
    return NULL;
  ASSAY_FOR_EACH (const AssayPicture, image, images) {
    for (gsize k = 0; k < image->count; k++) {
      const AssayKeypoint *keypoint = &image->keypoints[k];
      const float frame[FRAME] = { keypoint->x, keypoint->y, keypoint->size, keypoint->angle };

      memcpy (frames + FRAME * next++, frame, sizeof frame);
    }
  }
  g_checksum_update (checksum, (const guchar *) frames, (gssize) (count * FRAME * sizeof (float)));
  return assay_array_take (ASSAY_FLOAT32, 2, shape, frames);
}

/* Photographs are whole numbers of 0 .. 255. */
static void
hash_photo (const AssayPhoto *photo, GChecksum *checksum)
{
  const gsize length = photo->width * photo->channels;
  g_autofree char *sides = g_strdup_printf ("%zu x %zu\n", photo->width, photo->height);
  g_autofree guint8 *line = g_new (guint8, length);

  g_checksum_update (checksum, (const guchar *) sides, -1);
  for (gsize y = 0; y < photo->height; y++) {
    for (gsize i = 0; i < length; i++)
      line[i] = (guint8) photo->data[y * length + i];
    g_checksum_update (checksum, line, (gssize) length);
  }
}

gboolean
assay_pictures_join (const GPtrArray *images, GChecksum *checksum, AssayRows **ret_rows,
                     AssayRoleData *ret_data, GError **error)
{
  const gsize count = count_rows (images);
  g_autoptr (AssayRows) rows = join_descriptors (images, count, checksum, error);

  if (rows == NULL)
    return FALSE;
  if (ret_data != NULL) {
    AssayArray *frames = join_frames (images, count, checksum, error);
    gint64 *numbers;

    if (frames == NULL)
      return FALSE;
    numbers = assay_pictures_number (images);
    g_checksum_update (checksum, (const guchar *) numbers, (gssize) (count * sizeof *numbers));
    ret_data->frames = frames;
    ret_data->pictures = assay_array_take (ASSAY_INT64, 1, &count, numbers);
    ret_data->photos = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_photo_free);
    ASSAY_FOR_EACH (AssayPicture, image, images) {
      hash_photo (image->photo, checksum);
      g_ptr_array_add (ret_data->photos, g_steal_pointer (&image->photo));
    }
  }
  *ret_rows = g_steal_pointer (&rows);
  return TRUE;
}
