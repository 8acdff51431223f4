/* Where rows come from that are descriptors of keypoints. */
#include "core/data/photographs/keypoints.h"

#include <math.h>

static gboolean
is_frame (const float *frame)
{
  return isfinite (frame[0]) && isfinite (frame[1]) && isfinite (frame[2]) && frame[2] > 0
         && isfinite (frame[3]);
}

/* The sides of the photographs that rows are of; NULL where a row is of none, or its frame is
 * none. */
static AssayArray *
sides_of (const AssayArray *frames, const AssayArray *pictures, const GPtrArray *photos)
{
  const gint64 *numbers = assay_array_int64 (pictures);
  g_autofree gint64 *sides = g_new0 (gint64, 2 * (gsize) photos->len + 1);

  for (gsize i = 0; i < pictures->shape[0]; i++) {
    const AssayPhoto *photo
        = numbers[i] >= 0 && numbers[i] < (gint64) photos->len ? photos->pdata[numbers[i]] : NULL;

    if (photo == NULL || !is_frame ((const float *) frames->data + 4 * i))
      return NULL;
    sides[2 * numbers[i]] = (gint64) photo->width;
    sides[2 * numbers[i] + 1] = (gint64) photo->height;
  }
  return assay_array_take (ASSAY_INT64, 2, (const gsize[]){ photos->len, 2 },
                           g_steal_pointer (&sides));
}

AssayKeypoints *
assay_keypoints_new (const AssayArray *frames, const AssayArray *pictures, GPtrArray *photos,
                     gboolean is_shown)
{
  AssayKeypoints *keypoints;
  AssayArray *sides;

  if (frames == NULL || pictures == NULL || photos == NULL || frames->type != ASSAY_FLOAT32
      || frames->n_dimensions != 2 || frames->shape[1] != 4 || pictures->type != ASSAY_INT64
      || pictures->n_dimensions != 1 || pictures->shape[0] != frames->shape[0])
    return NULL;
  sides = sides_of (frames, pictures, photos);
  if (sides == NULL)
    return NULL;
  keypoints = g_new0 (AssayKeypoints, 1);
  keypoints->frames = assay_array_copy (frames);
  keypoints->pictures = assay_array_copy (pictures);
  keypoints->sides = sides;
  keypoints->photos = is_shown ? g_ptr_array_ref (photos) : NULL;
  return keypoints;
}

ASSAY_FREE_FUNC (AssayKeypoints, assay_keypoints_free, assay_array_free (self->frames),
                 assay_array_free (self->pictures), assay_array_free (self->sides),
                 assay_drop (self->photos, g_ptr_array_unref))
