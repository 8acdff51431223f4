/* What a photograph looks like when it is painted from recovered descriptors and their keypoints
 * (Weinzaepfel, Jegou and Perez 2011): each estimate is replaced by
 * the neighbourhood of the nearest public descriptor in its photograph, warped to the keypoint of
 * the secret (core/math/painting/paint.c), and the picture is compared with the private photograph.
 *
 * Nearest is nearest in L2 over all public rows; these are scaled to unit norm where the secrets
 * are (within 0.001; rows of zeros do not count). The brightness is that of the public patches: the
 * attacker does not know the private one, and descriptors do not tell. Both pictures are compared
 * in grey, as whole numbers; MAE is divided by 255. With `side` both are made that small before,
 * each pixel the mean of what it covers, as `photograph-recovery` compares them.
 *
 * Units are the photographs: the groups among the secrets, in ascending order.
 *
 * SSIM is not 0 for a picture that shows nothing, as it is near 1 where both pictures are flat: on
 * the photographs in paint.c's header mid-grey has 0.446, and estimates in random order 0.374.
 * Compare with what estimates that know nothing give. */
#include <math.h>
#include <string.h>

#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/photographs/photo-window.h"
#include "core/math/image-quality.h"
#include "core/math/painting/paint.h"
#include "core/plugin/plugin.h"
#include "core/search/scan.h"
#include "metrics/recovery/errors.h"

typedef struct {
  double patch;
  gint64 side;
} Reconstruction;

enum { MAE, SSIM, PSNR, UNIT, N_SERIES };

#define WHITE 255.0

/* ---- The case ---- */

/* What is given, checked. Units are the photographs: the groups among the secrets, in ascending
 * order. All but what is allocated is borrowed. */
typedef struct {
  const AssayDataset *dataset;
  double patch;
  AssayView estimates;
  const gint64 *groups; /* of the secrets */
  const AssayPaintFrame *frames;
  const AssayPaintFrame *public_frames;
  const gint64 *public_pictures;
  AssayScale scale; /* of the public rows */
  gsize channels;   /* of what is painted: 3 if any public photograph is in colour */
  gsize *members;   /* the secrets by group, then by number */
  gsize *starts;    /* where unit u begins among them; n_units + 1 */
  gsize n_units;
} PaintCase;

ASSAY_LOCAL_CLEAR (PaintCase, paint_case_clear, g_free (self->members), g_free (self->starts))

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

/* The photograph of a unit. ASSAY_ERROR_MISMATCH names its group: it is not there, or too small for
 * SSIM. */
static const AssayPhoto *
original_of (const PaintCase *input, gsize unit, GError **error)
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

/* ASSAY_ERROR_MISMATCH: no dataset, or one without public photographs and keypoints; arrays that
 * are missing or do not fit. ASSAY_ERROR_NUMERIC: estimates that are not finite. ASSAY_ERROR_DATA:
 * keypoints that are none. To be cleared in any case. */
static gboolean
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
static AssayNearest *
nearest_rows (const PaintCase *input, gsize first, gsize count, GError **error)
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

/* The picture of a unit; @nearest: public rows of its members, in their order. */
static AssayPhoto *
paint_unit (const PaintCase *input, gsize unit, const gsize *nearest, GError **error)
{
  const GPtrArray *photos = input->dataset->public_data.photos;
  const gsize first = input->starts[unit], n = input->starts[unit + 1] - first;
  const AssayPhoto *original = original_of (input, unit, error);
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

/* ---- Callbacks ---- */

typedef struct {
  const PaintCase *input;
  gsize side; /* 0: as large as they are */
  const AssayNearest *nearest; /* of all members */
  double *const *series;
} Work;

/* In grey, and as small as it is to be compared. */
static AssayPhoto *
reduced (const AssayPhoto *photo, gsize side, GError **error)
{
  g_autoptr (AssayPhoto) grey = assay_photo_grey (photo, error);
  AssayPhotoWindow whole;
  AssayPhoto *small;

  if (grey == NULL || side == 0)
    return g_steal_pointer (&grey);
  small = assay_photo_new (side, side, 1, error);
  whole = assay_photo_whole (grey->width, grey->height);
  if (small != NULL)
    assay_photo_reduce (grey, &whole, side, small->data);
  return small;
}

static gboolean
compare_unit (gsize unit, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Work *work = data;
  const gsize first = work->input->starts[unit];
  const AssayPhoto *original = original_of (work->input, unit, error);
  g_autoptr (AssayPhoto) painted
      = original != NULL
            ? paint_unit (work->input, unit, work->nearest->rows + first, error)
            : NULL;
  g_autoptr (AssayPhoto) a = painted != NULL ? reduced (original, work->side, error) : NULL;
  g_autoptr (AssayPhoto) b = a != NULL ? reduced (painted, work->side, error) : NULL;
  AssaySsim ssim;
  gsize pixels;

  if (b == NULL)
    return FALSE;
  pixels = a->width * a->height;
  ssim = (AssaySsim){ .shape = { a->height, a->width, 1 }, .range = WHITE };
  work->series[MAE][unit] = assay_image_mae (a->data, b->data, pixels) / WHITE;
  work->series[PSNR][unit] = assay_image_psnr (a->data, b->data, pixels, WHITE);
  return assay_image_ssim (&ssim, a->data, b->data, &work->series[SSIM][unit], error);
}

static gboolean
measure_case (const PaintCase *input, gsize side, AssayOutcomes *ret_outcomes, GError **error)
{
  g_autoptr (AssayNearest) nearest = NULL;
  Work work = { .input = input, .side = side, .series = ret_outcomes->series };

  /* What cannot be compared is found before the search, which takes long. */
  for (gsize unit = 0; unit < input->n_units; unit++)
    if (original_of (input, unit, error) == NULL)
      return FALSE;
  if (!assay_outcomes_alloc (ret_outcomes, N_SERIES, input->n_units, error))
    return FALSE;
  nearest = nearest_rows (input, 0, input->estimates.rows, error);
  if (nearest == NULL)
    return FALSE;
  work.nearest = nearest;
  for (gsize unit = 0; unit < input->n_units; unit++)
    ret_outcomes->series[UNIT][unit]
        = (double) input->groups[input->members[input->starts[unit]]];
  return assay_parallel_try (input->n_units, compare_unit, &work, error);
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const Reconstruction *settings = context->settings;
  g_auto (PaintCase) input = { 0 };

  return paint_case_init (&input, context, settings->patch, truth, guess, error)
         && measure_case (&input, (gsize) settings->side, ret_outcomes, error);
}

static AssayPhoto *
copy_photo (const AssayPhoto *photo, GError **error)
{
  AssayPhoto *copy = assay_photo_new (photo->width, photo->height, photo->channels, error);

  if (copy != NULL)
    memcpy (copy->data, photo->data,
            photo->width * photo->height * photo->channels * sizeof (float));
  return copy;
}

static gboolean
show_case (const PaintCase *input, gsize unit, AssayPictures *ret_pictures, GError **error)
{
  const AssayPhoto *photo;
  g_autoptr (AssayPhoto) original = NULL;
  g_autoptr (AssayNearest) nearest = NULL;
  AssayPhoto *painted;

  if (unit >= input->n_units)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "there is no photograph number %zu, expected one below %zu", unit,
                       input->n_units);
  photo = original_of (input, unit, error);
  original = photo != NULL ? copy_photo (photo, error) : NULL;
  if (original == NULL)
    return FALSE;
  nearest = nearest_rows (input, input->starts[unit],
                          input->starts[unit + 1] - input->starts[unit], error);
  painted = nearest != NULL ? paint_unit (input, unit, nearest->rows, error) : NULL;
  if (painted == NULL)
    return FALSE;
  *ret_pictures = (AssayPictures){ g_steal_pointer (&original), painted };
  return TRUE;
}

static gboolean
show (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
      gsize unit, AssayPictures *ret_pictures, GError **error)
{
  const Reconstruction *settings = context->settings;
  g_auto (PaintCase) input = { 0 };

  return paint_case_init (&input, context, settings->patch, truth, guess, error)
         && show_case (&input, unit, ret_pictures, error);
}

/* ---- The plugin ---- */

ASSAY_METRIC (reconstruction, "reconstruction",
  .summary = "Photographs painted from recovered descriptors and their keypoints",
  .reference = { "Weinzaepfel, Jegou, Perez 2011, Reconstructing an image from its local "
                 "descriptors",
                 "sections 3 and 4" },
  ASSAY_SETTINGS (Reconstruction,
    ASSAY_PARAM_REAL (Reconstruction, patch, 8, 0.5, 40, "keypoint sizes",
                      "Side of the square that is painted for a keypoint; SIFT looks at 6"),
    ASSAY_PARAM_INT (Reconstruction, side, 0, 0, ASSAY_PHOTO_WINDOW_MOST, "pixels",
                     "Side of the squares to which both pictures are reduced before they are "
                     "compared, 11 or more; 0: they are compared as they are",
                     ASSAY_PARAM_EXTRA)),
  /* Sizes of photographs are not known here: one of 640 x 640 pixels, the most that `photos` gives
   * by default, for each thread. */
  .holds = { .items = 1, .per_thread = 64 << 20 },
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets", "groups", "frames"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates"),
  .needs = ASSAY_HAS_FRAMES | ASSAY_HAS_PUBLIC_FRAMES,
  .has_own_units = TRUE,
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (MAE, "reconstruction-mae", MEAN, 0, 1, "share of the range",
                   "Mean absolute error of the painted photograph in grey"),
    ASSAY_MEASURE (SSIM, "reconstruction-ssim", MEAN, -1, 1, "similarity",
                   "Structural similarity of the painted photograph to the private one",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (PSNR, "reconstruction-psnr", MEAN, 0, ASSAY_PSNR_MAX, "decibels",
                   "Peak signal-to-noise ratio of the painted photograph in grey",
                   ASSAY_HIGHER_IS_WORSE)),
  .measure = measure,
  .show = show);
