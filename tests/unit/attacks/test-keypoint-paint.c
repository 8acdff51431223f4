/* Photographs painted from patches: of which rows, and never of the photograph itself. */
#include <criterion/criterion.h>

#include "attacks/photographs/keypoint-paint.h"
#include "tests/unit/assert-near.h"

enum { SIDE = 16, PHOTOS = 4, NEAR = 3 };

/* Photographs of one level each, with one keypoint in the middle. */
typedef struct {
  GPtrArray *photos;
  AssayArray *frames, *pictures;
  AssayKeypoints *keypoints;
  KeypointMap map;
  gsize of[PHOTOS];
} Case;

static float
level_of (gsize photo)
{
  return (float) (40 + 50 * photo);
}

static void
free_photo (gpointer photo)
{
  assay_photo_free (photo);
}

static void
case_init (Case *of)
{
  const gsize n = PHOTOS, shape[] = { PHOTOS, 4 };
  float *frames = g_new (float, 4 * n);
  gint64 *pictures = g_new (gint64, n);

  *of = (Case){ .photos = g_ptr_array_new_with_free_func (free_photo) };
  for (gsize i = 0; i < n; i++) {
    AssayPhoto *photo = assay_photo_new (SIDE, SIDE, 1, NULL);

    for (gsize p = 0; p < SIDE * SIDE; p++)
      photo->data[p] = level_of (i);
    g_ptr_array_add (of->photos, photo);
    frames[4 * i] = frames[4 * i + 1] = SIDE / 2;
    frames[4 * i + 2] = 2;
    frames[4 * i + 3] = 0;
    pictures[i] = (gint64) i;
    of->of[i] = i;
  }
  of->frames = assay_array_take (ASSAY_FLOAT32, 2, shape, frames);
  of->pictures = assay_array_take (ASSAY_INT64, 1, &n, pictures);
  of->keypoints = assay_keypoints_new (of->frames, of->pictures, of->photos, TRUE);
  cr_assert (keypoint_map_init (&of->map, frames, of->of, n,
                                (AssayView){ .rows = n, .cols = 1, .stride = 1, .data = frames },
                                NULL));
}

static void
case_clear (Case *of)
{
  keypoint_map_clear (&of->map);
  assay_keypoints_free (of->keypoints);
  assay_array_free (of->frames);
  assay_array_free (of->pictures);
  g_ptr_array_unref (of->photos);
}

static void
check_level (const KeypointPaintings *painted, gsize rank, gsize picture, gsize expected)
{
  const AssayPhoto *photo = painted->of_rank[rank]->pdata[picture];

  assert_near ((double) *assay_photo_pixel (photo, SIDE / 2, SIDE / 2),
               (double) level_of (expected), 1, "rank %zu of photograph %zu", rank, picture);
}

/* From the nearest row, the second, and so on; the last again where there are no more. */
Test (keypoint_paint, ranks)
{
  static const gsize near[PHOTOS * NEAR] = { 1, 2, 3, 0, 2, 3, 2, 1, 0, 3, 3, 2 };
  Case of;

  case_init (&of);
  for (gsize own = 0; own < 2; own++) {
    const KeypointPatches patches = { of.keypoints, (AssayPhoto *const *) of.photos->pdata };
    const KeypointPainting painting = { .map = &of.map,
                                        .near = near,
                                        .k = NEAR,
                                        .sides = assay_keypoints_sides (of.keypoints, 0),
                                        .is_own = own == 1 };
    g_auto (KeypointPaintings) painted = { 0 };

    cr_assert (keypoint_paintings_init (&painted, &patches, &painting, 4, NULL));
    cr_assert_eq (painted.n, 4);
    for (gsize rank = 0; rank < 4; rank++)
      check_level (&painted, rank, 0, near[MIN (rank, NEAR - 1)]);
    check_level (&painted, 0, 2, own ? 1 : 2);
    check_level (&painted, 1, 2, own ? 0 : 1);
    check_level (&painted, 0, 3, own ? 2 : 3);
    check_level (&painted, 2, 3, 2);
  }
  case_clear (&of);
}
