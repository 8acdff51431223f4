/* Pictures in bytes. */
#include "runner/store/thumbnail.h"

#include <math.h>

#include "core/base/error.h"
#include "core/data/matrix.h"

#define WHITE 255.0
/* By how much of the range of its dataset a picture may leave it and still be shown in it: noise
 * does, and the white of one channel is not that of another; signs at random go further. */
#define RANGE_TOLERANCE 0.5

ASSAY_FREE_FUNC (AssayThumbnail, assay_thumbnail_free, g_free (self->data))

static ASSAY_CLEAR_FUNC (AssayShown, shown_clear, assay_thumbnail_free (self->thumbnail))

GArray *
assay_shown_array_new (void)
{
  GArray *shown = g_array_new (FALSE, FALSE, sizeof (AssayShown));

  g_array_set_clear_func (shown, (GDestroyNotify) shown_clear);
  return shown;
}

/* Pixels of a side of @length when the longer one, of @longest, becomes
 * ASSAY_THUMBNAIL_MAX_SIDE. */
static gsize
reduced (gsize length, gsize longest)
{
  if (longest <= ASSAY_THUMBNAIL_MAX_SIDE)
    return length;
  return MAX (1, (length * ASSAY_THUMBNAIL_MAX_SIDE + longest / 2) / longest);
}

/* How much of the pixels from..to - 1 of the source the pixel @at of the target covers. */
typedef struct {
  double low, high;
  gsize from, to;
} Cover;

static Cover
cover_of (gsize at, gsize source, gsize target)
{
  const double low = (double) (at * source) / (double) target;
  const double high = (double) ((at + 1) * source) / (double) target;

  return (Cover){ low, high, (gsize) low, MIN ((gsize) ceil (high), source) };
}

static double
share_of (const Cover *cover, gsize at)
{
  return MIN (cover->high, (double) (at + 1)) - MAX (cover->low, (double) at);
}

static double
mean_of (const AssayPhoto *photo, const Cover *x, const Cover *y, gsize channel)
{
  double sum = 0;

  for (gsize j = y->from; j < y->to; j++)
    for (gsize i = x->from; i < x->to; i++)
      sum += share_of (x, i) * share_of (y, j) * (double) assay_photo_pixel (photo, i, j)[channel];
  return sum / ((x->high - x->low) * (y->high - y->low));
}

AssayThumbnail *
assay_thumbnail_new (const AssayPhoto *photo, GError **error)
{
  const gsize longest = MAX (photo->width, photo->height);
  g_autoptr (AssayThumbnail) thumbnail = g_new0 (AssayThumbnail, 1);
  guint8 *next;

  if (photo->width == 0 || photo->height == 0 || (photo->channels != 1 && photo->channels != 3))
    return assay_fail_null (
        error, ASSAY_ERROR_MISMATCH,
        "a picture of %zu x %zu pixels in %zu channel%s cannot be shown; expected 1 or 3 "
        "channels",
        photo->width, photo->height, photo->channels, assay_channels_plural (photo->channels));
  *thumbnail = (AssayThumbnail){ .width = reduced (photo->width, longest),
                                 .height = reduced (photo->height, longest),
                                 .channels = photo->channels };
  thumbnail->data
      = assay_alloc (thumbnail->width * thumbnail->height, thumbnail->channels, "picture", error);
  if (thumbnail->data == NULL)
    return NULL;
  next = thumbnail->data;
  for (gsize y = 0; y < thumbnail->height; y++)
    for (gsize x = 0; x < thumbnail->width; x++) {
      const Cover columns = cover_of (x, photo->width, thumbnail->width);
      const Cover rows = cover_of (y, photo->height, thumbnail->height);

      for (gsize c = 0; c < thumbnail->channels; c++)
        *next++ = (guint8) assay_photo_byte ((float) mean_of (photo, &columns, &rows, c));
    }
  return g_steal_pointer (&thumbnail);
}

AssayThumbnail *
assay_thumbnail_from_row (const float *row, const AssayGeometry *geometry, GError **error)
{
  const gsize n = geometry->height * geometry->width * geometry->channels;
  g_autoptr (AssayPhoto) photo
      = assay_photo_new (geometry->width, geometry->height, geometry->channels, error);
  double black = geometry->black, white = geometry->white, least = INFINITY, largest = -INFINITY;
  double tolerance;

  if (photo == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++) {
    least = MIN (least, (double) row[i]);
    largest = MAX (largest, (double) row[i]);
  }
  tolerance = RANGE_TOLERANCE * (white - black);
  if (white <= black || least < black - tolerance || largest > white + tolerance) {
    black = least;
    white = largest;
  }
  for (gsize i = 0; i < n; i++)
    photo->data[i]
        = white > black ? (float) (WHITE * ((double) row[i] - black) / (white - black)) : 0;
  return assay_thumbnail_new (photo, error);
}
