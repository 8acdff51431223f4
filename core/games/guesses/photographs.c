/* What a guess may say of photographs whose descriptors were released. */
#include "core/games/guesses/photographs.h"

#include "core/base/error.h"
#include "core/base/vectors.h"

static const AssayArray *
pictures_of (const AssayGuess *guess)
{
  return assay_arrays_get (&guess->arrays, "photographs");
}

static const gint64 *
groups_of (const AssayGuess *guess)
{
  return assay_array_int64 (assay_arrays_get (&guess->arrays, "photograph-groups"));
}

gboolean
assay_guess_is_of_photographs (const AssayGuess *guess)
{
  return pictures_of (guess) != NULL;
}

static gboolean
is_square (gsize n)
{
  gsize side = 1;

  while (side * side < n)
    side++;
  return side * side == n;
}

gboolean
assay_photographs_check (const AssayObservation *seen, const AssayGuess *guess, GError **error)
{
  const AssayArray *pictures = pictures_of (guess);
  const gsize known = seen->keypoints != NULL ? seen->keypoints->sides->shape[0] : 0;
  const gint64 *groups;

  if (assay_arrays_get (&guess->arrays, "photograph-groups") == NULL || pictures->shape[0] == 0
      || !is_square (pictures->shape[1]))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "expected photographs (u x p, u >= 1, p the square of a side) and "
                       "photograph-groups (u), found photographs of %zu x %zu",
                       pictures->shape[0], pictures->shape[1]);
  groups = groups_of (guess);
  for (gsize u = 0; u < pictures->shape[0]; u++) {
    if (groups[u] < 0 || groups[u] >= (gint64) known
        || assay_keypoints_sides (seen->keypoints, (gsize) groups[u])[0] == 0)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "photograph %zu is of group %" G_GINT64_FORMAT
                         ", of which no keypoint was granted",
                         u, groups[u]);
    if (u > 0 && groups[u] <= groups[u - 1])
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "photograph-groups: %" G_GINT64_FORMAT " follows %" G_GINT64_FORMAT
                         ", expected rising numbers",
                         groups[u], groups[u - 1]);
  }
  return TRUE;
}

/* The photograph of a group, or NULL. */
static const float *
original_of (const AssayControlCase *control_case, gint64 group)
{
  const AssayArrays *truth = &control_case->truth->arrays;
  const AssayArray *groups = assay_arrays_get (truth, "groups");
  const AssayView originals = assay_array_view (assay_arrays_get (truth, "originals"));

  for (gsize i = 0; i < originals.rows; i++)
    if (assay_array_int64 (groups)[i] == group)
      return assay_view_row (originals, i);
  return NULL;
}

gboolean
assay_photographs_judge (const AssayControlCase *control_case, const AssayGuess *guess,
                         AssayControlOutcome *ret_outcome, GError **error)
{
  const AssayView pictures = assay_array_view (pictures_of (guess));
  const AssayArray *originals = assay_arrays_get (&control_case->truth->arrays, "originals");
  gsize right = 0;

  if (originals == NULL || originals->shape[1] != pictures.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "photographs of %zu pixels, expected as many as the originals have",
                       pictures.cols);
  for (gsize u = 0; u < pictures.rows; u++) {
    const float *picture = assay_view_row (pictures, u);
    const double own = assay_correlation (picture, original_of (control_case, groups_of (guess)[u]),
                                          pictures.cols);
    gboolean is_first = TRUE;

    for (gsize v = 0; v < pictures.rows; v++)
      is_first
          = is_first
            && (v == u
                || assay_correlation (picture, original_of (control_case, groups_of (guess)[v]),
                                      pictures.cols)
                       < own);
    right += is_first;
  }
  ret_outcome->n = pictures.rows;
  ret_outcome->share = (double) right / (double) pictures.rows;
  return TRUE;
}
