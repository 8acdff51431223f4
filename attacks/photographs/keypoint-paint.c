/* Photographs painted from patches of an attacker's own. */
#include "attacks/photographs/keypoint-paint.h"

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/math/painting/paint.h"

#define PATCH 8 /* sizes of a keypoint, as `reconstruction` has it */

typedef struct {
  const KeypointPatches *patches;
  const KeypointPainting *painting;
  gsize rank;        /* of the row that is taken, among those that may be */
  gpointer *painted; /* of AssayPhoto */
} Work;

static AssayPaintFrame
frame_of (const float *frame)
{
  return (AssayPaintFrame){ frame[0], frame[1], frame[2], frame[3] };
}

/* Of the rows that may be taken for a keypoint of photograph @picture the one that is wanted, or
 * the last; -1: there is none. */
static gssize
choose (const Work *work, gsize member, gsize picture)
{
  gsize rank = 0;
  gssize found = -1;

  for (gsize j = 0; j < work->painting->k; j++) {
    const gsize row = work->painting->near[member * work->painting->k + j];
    const gsize of = assay_keypoints_picture (work->patches->keypoints, row);

    if (work->patches->photos[of] == NULL || (work->painting->is_own && of == picture))
      continue;
    found = (gssize) row;
    if (rank++ == work->rank)
      break;
  }
  return found;
}

static gboolean
paint_one (gsize picture, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Work *work = data;
  const KeypointMap *map = work->painting->map;
  const AssayKeypoints *known = work->patches->keypoints;
  const gint64 *sides = work->painting->sides + 2 * picture;
  const AssayPaintCanvas canvas = { (gsize) sides[0], (gsize) sides[1], 1, PATCH };
  g_autofree AssayPaintPatch *patches = NULL;
  gsize n = 0;

  if (keypoint_map_count (map, picture) == 0)
    return TRUE;
  patches = assay_alloc (keypoint_map_count (map, picture), sizeof *patches, "patches", error);
  if (patches == NULL)
    return FALSE;
  for (gsize k = map->starts[picture]; k < map->starts[picture + 1]; k++) {
    const gsize member = map->members[k];
    const gssize row = choose (work, member, picture);

    if (row >= 0)
      patches[n++] = (AssayPaintPatch){
        .source = work->patches->photos[assay_keypoints_picture (known, (gsize) row)],
        .from = frame_of (assay_keypoints_frame (known, (gsize) row)),
        .to = frame_of (map->frames + 4 * member)
      };
  }
  work->painted[picture] = assay_paint_picture (&canvas, patches, n, NULL, error);
  return work->painted[picture] != NULL;
}

static void
free_photo (gpointer photo)
{
  assay_photo_free (photo);
}

ASSAY_CLEAR_FUNC (KeypointPaintings, keypoint_paintings_clear,
                  for (gsize rank = 0; rank < self->n; rank++)
                      assay_drop (self->of_rank[rank], g_ptr_array_unref))

gboolean
keypoint_paintings_init (KeypointPaintings *paintings, const KeypointPatches *patches,
                         const KeypointPainting *painting, gsize n, GError **error)
{
  for (gsize rank = 0; rank < n; rank++) {
    GPtrArray *painted = g_ptr_array_new_with_free_func (free_photo);
    Work work = { patches, painting, rank, NULL };

    paintings->of_rank[paintings->n++] = painted;
    g_ptr_array_set_size (painted, (gint) painting->map->n_pictures);
    work.painted = painted->pdata;
    if (!assay_parallel_try (painting->map->n_pictures, paint_one, &work, error))
      return FALSE;
  }
  return TRUE;
}
