/* Photographs of blocks, each of one grey level; a keypoint in the middle of each block, whose row
 * has the level in its first number and noise in the others. What is released are the rows, or
 * planes through them. */
#include "attacks/photographs/photograph-case.h"

#include <string.h>

#include "attacks/lifting/subspace-control.h"
#include "core/data/photographs/photo-window.h"

enum { BLOCKS = 8, BLOCK = 8, SIDE = BLOCKS * BLOCK, KEYPOINTS = BLOCKS * BLOCKS, COLS = 6 };

/* Photographs with the rows of their keypoints, one photograph after another. */
typedef struct {
  AssayMatrix *rows;
  AssayArray *frames, *pictures;
  GPtrArray *photos;
} Scene;

static void
scene_clear (Scene *scene)
{
  assay_matrix_free (scene->rows);
  assay_array_free (scene->frames);
  assay_array_free (scene->pictures);
  g_clear_pointer (&scene->photos, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Scene, scene_clear)

static void
fill_photo (AssayPhoto *photo, AssayStream *stream, float *ret_rows, float *ret_frames)
{
  for (gsize k = 0; k < KEYPOINTS; k++) {
    const gsize left = k % BLOCKS * BLOCK, top = k / BLOCKS * BLOCK;
    const double level = assay_stream_uniform (stream);
    const float frame[] = { (float) left + BLOCK / 2, (float) top + BLOCK / 2, 1,
                            (float) (360 * assay_stream_uniform (stream)) };

    for (gsize p = 0; p < BLOCK * BLOCK; p++)
      *assay_photo_pixel (photo, left + p % BLOCK, top + p / BLOCK) = (float) (255 * level);
    ret_rows[k * COLS] = (float) (4 * level - 2);
    for (gsize j = 1; j < COLS; j++)
      ret_rows[k * COLS + j] = (float) (0.5 * assay_stream_normal (stream));
    memcpy (ret_frames + 4 * k, frame, sizeof frame);
  }
}

static gboolean
scene_init (Scene *scene, gsize n, AssayStream *stream, GError **error)
{
  const gsize count = n * KEYPOINTS;
  float *frames = g_new (float, 4 * count);
  gint64 *pictures = g_new (gint64, count);

  scene->frames = assay_array_take (ASSAY_FLOAT32, 2, (const gsize[]){ count, 4 }, frames);
  scene->pictures = assay_array_take (ASSAY_INT64, 1, &count, pictures);
  scene->photos = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_photo_free);
  scene->rows = assay_matrix_new (count, COLS, error);
  for (gsize i = 0; i < n && scene->rows != NULL; i++) {
    AssayPhoto *photo = assay_photo_new (SIDE, SIDE, 1, error);

    if (photo == NULL)
      return FALSE;
    g_ptr_array_add (scene->photos, photo);
    fill_photo (photo, stream, assay_matrix_row (scene->rows, i * KEYPOINTS),
                frames + 4 * i * KEYPOINTS);
    for (gsize k = 0; k < KEYPOINTS; k++)
      pictures[i * KEYPOINTS + k] = (gint64) i;
  }
  return scene->rows != NULL;
}

/* For each secret its photograph, in the size of the guess. */
static gboolean
take_originals (const Scene *scene, gsize side, AssayTruth *truth, GError **error)
{
  AssayMatrix *originals = assay_matrix_new (scene->rows->rows, side * side, error);
  const AssayPhotoWindow whole = assay_photo_whole (SIDE, SIDE);

  if (originals == NULL)
    return FALSE;
  for (gsize i = 0; i < originals->rows; i++)
    assay_photo_reduce (scene->photos->pdata[i / KEYPOINTS], &whole, side,
                        assay_matrix_row (originals, i));
  assay_arrays_take (&truth->arrays, "originals", assay_array_take_matrix (originals));
  assay_arrays_take (&truth->arrays, "groups", assay_array_copy (scene->pictures));
  return TRUE;
}

/* ---- Lifting ---- */

#define BESIDE 0.05 /* deviation of a database row from the row that it is near to */

/* A row near each of @known and of @secret. */
static AssayMatrix *
make_database (const Scene *known, const Scene *secret, AssayStream *stream, GError **error)
{
  const gsize n = known->rows->rows;
  AssayMatrix *database = assay_matrix_new (n + secret->rows->rows, COLS, error);

  for (gsize i = 0; database != NULL && i < database->rows; i++) {
    const float *row = i < n ? assay_matrix_row (known->rows, i)
                             : assay_matrix_row (secret->rows, i - n);

    for (gsize j = 0; j < COLS; j++)
      assay_matrix_row (database, i)[j] = row[j] + (float) (BESIDE * assay_stream_normal (stream));
  }
  return database;
}

/* @rows as they are or, with a database, lifted. */
static AssayRelease *
release_rows (const AssayMatrix *rows, AssayMatrix *database, AssayStream *stream, GError **error)
{
  g_autoptr (AssayMatrix) others = NULL;

  if (database == NULL)
    return assay_control_vectors (assay_matrix_view (rows), error);
  others = assay_matrix_new (rows->rows, COLS, error);
  for (gsize i = 0; others != NULL && i < rows->rows; i++)
    memcpy (assay_matrix_row (others, i),
            assay_matrix_row (database, assay_stream_below (stream, database->rows)),
            COLS * sizeof (float));
  return others != NULL ? subspace_control_release (assay_matrix_view (rows), others->data, 1, 2,
                                                    stream, error)
                        : NULL;
}

/* ---- The case ---- */

/* What was released of rows beside these. */
static gboolean
take_pairs (const Scene *scene, AssayRelease *own, AssayControlCase *ret_case, GError **error)
{
  const gsize n = scene->rows->rows;
  AssayMatrix *copy
      = own != NULL ? assay_matrix_copy (assay_matrix_view (scene->rows), error) : NULL;
  AssayTruth *truth;
  gsize *numbers;

  if (copy == NULL) {
    assay_release_free (own);
    return FALSE;
  }
  numbers = g_new (gsize, n);
  for (gsize i = 0; i < n; i++)
    numbers[i] = i;
  truth = assay_truth_new ();
  assay_arrays_take (&truth->arrays, "secrets", assay_array_take_matrix (copy));
  ret_case->pairs = assay_pairs_new (TRUE);
  g_ptr_array_add (ret_case->pairs->releases, assay_own_release_new (own, truth, numbers));
  return TRUE;
}

gboolean
photograph_case_make (const PhotographCase *control, AssayStreamKey key, AssayControlCase *ret_case,
                      GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  g_auto (Scene) known = { 0 };
  g_auto (Scene) secret = { 0 };
  g_autoptr (AssayMatrix) database = NULL;

  if (!scene_init (&known, control->n_public, &stream, error)
      || !scene_init (&secret, control->n_secret, &stream, error))
    return FALSE;
  database = control->is_lifted ? make_database (&known, &secret, &stream, error) : NULL;
  if ((control->is_lifted && database == NULL)
      || !take_pairs (&known, release_rows (known.rows, database, &stream, error), ret_case, error))
    return FALSE;
  ret_case->keypoints = assay_keypoints_new (secret.frames, secret.pictures, secret.photos, FALSE);
  ret_case->public_keypoints
      = assay_keypoints_new (known.frames, known.pictures, known.photos, TRUE);
  ret_case->release = release_rows (secret.rows, database, &stream, error);
  ret_case->truth = assay_truth_new ();
  if (ret_case->release == NULL || !take_originals (&secret, control->side, ret_case->truth, error))
    return FALSE;
  assay_arrays_take (&ret_case->truth->arrays, "secrets",
                     assay_array_take_matrix (g_steal_pointer (&secret.rows)));
  ret_case->public_rows = assay_rows_take_matrix (g_steal_pointer (&known.rows));
  if (database != NULL)
    ret_case->database = assay_rows_take_matrix (g_steal_pointer (&database));
  return TRUE;
}
