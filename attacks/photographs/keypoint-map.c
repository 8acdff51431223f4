/* Pictures of keypoints. */
#include "attacks/photographs/keypoint-map.h"

#include <math.h>
#include <string.h>

gboolean
keypoint_map_init (KeypointMap *map, const float *frames, const gsize *pictures, gsize n_pictures,
                   AssayView features, GError **error)
{
  const gsize n = features.rows;

  *map = (KeypointMap){ .frames = frames, .features = features, .n_pictures = n_pictures };
  map->members = assay_alloc (n, sizeof (gsize), "keypoints by photograph", error);
  map->starts = map->members != NULL
                    ? assay_alloc (n_pictures + 1, sizeof (gsize), "keypoints by photograph", error)
                    : NULL;
  if (map->starts == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    map->starts[pictures[i] + 1]++;
  for (gsize p = 0; p < n_pictures; p++)
    map->starts[p + 1] += map->starts[p];
  for (gsize i = 0; i < n; i++)
    map->members[map->starts[pictures[i]]++] = i;
  /* Each has come to stand where the next one begins. */
  for (gsize p = n_pictures; p > 0; p--)
    map->starts[p] = map->starts[p - 1];
  map->starts[0] = 0;
  return TRUE;
}

ASSAY_CLEAR_FUNC (KeypointMap, keypoint_map_clear, g_free (self->members), g_free (self->starts))

/* Which pixel the keypoint is in; FALSE: it is not in the window. The centre of the first pixel of
 * a photograph is 0, 0. */
static gboolean
find_pixel (const float *frame, const AssayPhotoWindow *window, gsize side, gsize *ret_pixel)
{
  const double x = ((double) frame[0] + 0.5 - window->left) / window->width * (double) side;
  const double y = ((double) frame[1] + 0.5 - window->top) / window->height * (double) side;

  if (!(x >= 0 && y >= 0 && x < (double) side && y < (double) side))
    return FALSE;
  *ret_pixel = (gsize) y * side + (gsize) x;
  return TRUE;
}

void
keypoint_map_fill (const KeypointMap *map, gsize picture, const KeypointLook *look, gsize side,
                   float *ret_planes)
{
  const AssayView of = look->is_mirrored ? map->mirrored : map->features;
  const AssayPhotoWindow *window = &look->window;
  const gsize c = map->features.cols, plane = side * side;
  const double pixels = (double) side / sqrt (window->width * window->height);
  float *counts = ret_planes + c * plane;

  memset (ret_planes, 0, (c + KEYPOINT_PLANES) * plane * sizeof (float));
  for (gsize k = map->starts[picture]; k < map->starts[picture + 1]; k++) {
    const gsize member = map->members[k];
    const float *frame = map->frames + 4 * member, *features;
    const double angle = (double) frame[3] * (G_PI / 180.0);
    gsize at;

    if (!find_pixel (frame, window, side, &at))
      continue;
    at = look->is_mirrored ? at - at % side + (side - 1 - at % side) : at;
    features = assay_view_row (of, member);
    for (gsize j = 0; j < c; j++)
      ret_planes[j * plane + at] += features[j];
    counts[at] += 1;
    counts[plane + at] += (float) (look->is_mirrored ? -cos (angle) : cos (angle));
    counts[2 * plane + at] += (float) sin (angle);
    counts[3 * plane + at] += (float) log ((double) frame[2] * pixels);
  }
  for (gsize at = 0; at < plane; at++) {
    const float n = counts[at];

    for (gsize j = 0; n > 1 && j < c + KEYPOINT_PLANES; j++)
      ret_planes[j * plane + at] = j == c ? n : ret_planes[j * plane + at] / n;
    counts[at] = (float) log1p ((double) n);
  }
}
