/* Pictures in memory. */
#include "core/data/photo.h"

#include <math.h>

#include "core/data/matrix.h"

AssayPhoto *
assay_photo_new (gsize width, gsize height, gsize channels, GError **error)
{
  gsize pixels;
  float *data;
  AssayPhoto *photo;

  if (!g_size_checked_mul (&pixels, width, height))
    pixels = G_MAXSIZE;
  data = assay_alloc (pixels, channels * sizeof (float), "picture", error);
  if (data == NULL)
    return NULL;
  photo = g_new (AssayPhoto, 1);
  *photo = (AssayPhoto){ .width = width, .height = height, .channels = channels, .data = data };
  return photo;
}

ASSAY_FREE_FUNC (AssayPhoto, assay_photo_free, g_free (self->data))

int
assay_photo_byte (float value)
{
  return (int) lrintf (CLAMP (value, 0.0f, 255.0f));
}

AssayPhoto *
assay_photo_grey (const AssayPhoto *photo, GError **error)
{
  AssayPhoto *grey = assay_photo_new (photo->width, photo->height, 1, error);

  if (grey == NULL)
    return NULL;
  for (gsize i = 0; i < photo->width * photo->height; i++) {
    const float *from = photo->data + i * photo->channels;

    if (photo->channels == 1)
      grey->data[i] = (float) assay_photo_byte (from[0]);
    else
      grey->data[i]
          = (float) ((9798 * assay_photo_byte (from[0]) + 19235 * assay_photo_byte (from[1])
                      + 3735 * assay_photo_byte (from[2]) + (1 << 14))
                     >> 15);
  }
  return grey;
}
