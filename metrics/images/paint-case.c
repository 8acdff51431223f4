/* Photographs that are painted from estimates of their descriptors. */
#include "metrics/images/paint-case.h"

#include <math.h>
#include <string.h>

#include "core/base/free.h"
#include "core/base/vectors.h"
#include "core/math/image-quality.h"
#include "metrics/recovery/errors.h"

ASSAY_CLEAR_FUNC (PaintCase, paint_case_clear, g_free (self->members), g_free (self->starts))

/* ---- Checks ---- */

static gboolean
check_array (const AssayArray *array, const char *what, AssayType type, gsize rows, gsize cols,
             GError **error)
{
  g_autofree char *found = array != NULL ? assay_array_describe (array) : g_strdup ("not there");
  const guint n_dimensions = cols > 0 ? 2 : 1;

  if (array != NULL && array->type == type && array->n_dimensions == n_dimensions
      && array->shape[0] == rows && (cols == 0 || array->shape[1] == cols))
    return TRUE;
  if (cols > 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH, "%s: %s, expected %s %zu x %zu", what, found,
                       assay_type_name (type), rows, cols);
  return assay_fail (error, ASSAY_ERROR_MISMATCH, "%s: %s, expected %s %zu", what, found,
                     assay_type_name (type), rows);
}

static gboolean
check_frame (const AssayPaintFrame *frame, const char *what, gsize row, GError **error)
{
  if (isfinite (frame->x) && isfinite (frame->y) && isfinite (frame->angle)
      && isfinite (frame->size) && frame->size > 0)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_DATA,
                     "the keypoint of %s %zu is (x %g, y %g, size %g, angle %g), expected numbers "
                     "and a size above 0",
                     what, row, (double) frame->x, (double) frame->y, (double) frame->size,
                     (double) frame->angle);
}

static gboolean
check_public (const AssayDataset *dataset, gsize cols, GError **error)
{
  const AssayRoleData *data;
  gsize n;

  if (dataset == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "photographs are needed: a run of a dataset that has them, expected in "
                       "place of folders");
  data = &dataset->public_data;
  if (dataset->public_rows == NULL || data->photos == NULL || dataset->secret_data.photos == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the dataset has no %s, expected public rows with photographs and keypoints",
                       dataset->public_rows == NULL ? "public rows"
                       : data->photos == NULL       ? "photographs of the public rows"
                                                    : "photographs of the secrets");
  n = assay_rows_count (dataset->public_rows);
  if (assay_rows_cols (dataset->public_rows) != cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "public rows have %zu columns, expected %zu as the secrets",
                       assay_rows_cols (dataset->public_rows), cols);
  return check_array (data->frames, "keypoints of the public rows", ASSAY_FLOAT32, n, 4, error)
         && check_array (data->pictures, "photographs' numbers of the public rows", ASSAY_INT64, n,
                         0, error);
}

static gboolean
is_unit_norm (AssayView rows)
{
  gsize n = 0;

  for (gsize i = 0; i < rows.rows; i++) {
    const double square = assay_squared_norm (assay_view_row (rows, i), rows.cols);

    if (square > 0 && fabs (sqrt (square) - 1) > 1e-3)
      return FALSE;
    n += square > 0;
  }
  return n > 0;
}

/* ---- Units ---- */

static gint
compare_members (gconstpointer a, gconstpointer b, gpointer data)
{
  const gsize x = *(const gsize *) a, y = *(const gsize *) b;
  const gint64 *groups = data;

  if (groups[x] != groups[y])
    return groups[x] < groups[y] ? -1 : 1;
  return (x > y) - (x < y);
}

static gboolean
sort_members (PaintCase *input, gsize n, GError **error)
{
  input->members = assay_alloc (n, sizeof (gsize), "secrets by photograph", error);
  input->starts = input->members != NULL
                      ? assay_alloc (n + 1, sizeof (gsize), "secrets by photograph", error)
                      : NULL;
  if (input->starts == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    input->members[i] = i;
  g_qsort_with_data (input->members, (gint) n, sizeof (gsize), compare_members,
                     (gpointer) input->groups);
  for (gsize i = 0; i < n; i++)
    if (i == 0 || input->groups[input->members[i]] != input->groups[input->members[i - 1]])
      input->starts[input->n_units++] = i;
  input->starts[input->n_units] = n;
  return TRUE;
}

static gint64
group_of (const PaintCase *input, gsize unit)
{
  return input->groups[input->members[input->starts[unit]]];
}

/* The photograph of a unit, large enough for SSIM. */
const AssayPhoto *
paint_case_original (const PaintCase *input, gsize unit, GError **error)
{
  const GPtrArray *photos = input->dataset->secret_data.photos;
  const gint64 group = group_of (input, unit);
  const AssayPhoto *photo
      = group >= 0 && group < (gint64) photos->len ? photos->pdata[group] : NULL;
  AssaySsim ssim;

  if (photo == NULL)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "group %" G_GINT64_FORMAT
                            " has no photograph, expected a number below %u",
                            group, photos->len);
  ssim = (AssaySsim){ .shape = { photo->height, photo->width, 1 }, .range = 255.0 };
  if (!assay_ssim_check (&ssim, error))
    return assay_prefix_null (error, "photograph of group %" G_GINT64_FORMAT ": ", group);
  return photo;
}

gboolean
paint_case_init (PaintCase *input, const AssayMetricContext *context, double patch,
                 const AssayTruth *truth, const AssayGuess *guess, GError **error)
{
  const AssayArray *frames = assay_arrays_get (&truth->arrays, "frames");
  const AssayArray *groups = assay_arrays_get (&truth->arrays, "groups");
  AssayView secrets, estimates;
  const GPtrArray *photos;

  *input = (PaintCase){ .dataset = context->dataset, .patch = patch, .channels = 1 };
  if (!metric_pair (truth, guess, &secrets, &estimates, error)
      || !check_public (context->dataset, secrets.cols, error)
      || !check_array (frames, "keypoints of the secrets", ASSAY_FLOAT32, secrets.rows, 4, error)
      || !check_array (groups, "groups of the secrets", ASSAY_INT64, secrets.rows, 0, error)
      || !assay_view_check_finite (estimates, "estimates", error))
    return FALSE;
  input->estimates = estimates;
  input->groups = assay_array_int64 (groups);
  input->frames = (const AssayPaintFrame *) frames->data;
  input->public_frames = (const AssayPaintFrame *) context->dataset->public_data.frames->data;
  input->public_pictures = assay_array_int64 (context->dataset->public_data.pictures);
  input->scale = is_unit_norm (secrets) ? ASSAY_SCALE_UNIT : ASSAY_SCALE_NONE;
  for (gsize i = 0; i < secrets.rows; i++)
    if (!check_frame (&input->frames[i], "secret", i, error))
      return FALSE;
  photos = context->dataset->public_data.photos;
  for (guint i = 0; i < photos->len; i++)
    if (photos->pdata[i] != NULL)
      input->channels = MAX (input->channels, ((const AssayPhoto *) photos->pdata[i])->channels);
  return sort_members (input, secrets.rows, error);
}

/* ---- Painting ---- */

/* The public row nearest to each of the members [first, first + count). */
AssayNearest *
paint_case_nearest (const PaintCase *input, gsize first, gsize count, GError **error)
{
  g_autoptr (AssayMatrix) wanted = assay_matrix_new (count, input->estimates.cols, error);
  AssaySubspaces points;

  if (wanted == NULL)
    return NULL;
  for (gsize i = 0; i < count; i++)
    memcpy (assay_matrix_row (wanted, i),
            assay_view_row (input->estimates, input->members[first + i]),
            wanted->cols * sizeof (float));
  points = (AssaySubspaces){ .count = count, .cols = wanted->cols, .translation = wanted->data };
  return assay_scan_subspaces (&points, input->dataset->public_rows, input->scale, 1, error);
}

/* @nearest: public rows of the unit's members, in their order. */
AssayPhoto *
paint_case_picture (const PaintCase *input, gsize unit, const gsize *nearest, GError **error)
{
  const GPtrArray *photos = input->dataset->public_data.photos;
  const gsize first = input->starts[unit], n = input->starts[unit + 1] - first;
  const AssayPhoto *original = paint_case_original (input, unit, error);
  g_autofree AssayPaintPatch *patches = NULL;
  AssayPaintCanvas canvas;

  if (original == NULL)
    return NULL;
  patches = assay_alloc (n, sizeof *patches, "patches", error);
  if (patches == NULL)
    return NULL;
  for (gsize i = 0; i < n; i++) {
    const gsize row = nearest[i];
    const gint64 picture = input->public_pictures[row];

    if (picture < 0 || picture >= (gint64) photos->len || photos->pdata[picture] == NULL)
      return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                              "public row %zu is of photograph %" G_GINT64_FORMAT
                              ", expected one of the %u that are there",
                              row, picture, photos->len);
    if (!check_frame (&input->public_frames[row], "public row", row, error))
      return NULL;
    patches[i] = (AssayPaintPatch){ .source = photos->pdata[picture],
                               .from = input->public_frames[row],
                               .to = input->frames[input->members[first + i]] };
  }
  canvas = (AssayPaintCanvas){ .width = original->width,
                          .height = original->height,
                          .channels = input->channels,
                          .patch = input->patch };
  return assay_paint_picture (&canvas, patches, n, NULL, error);
}
