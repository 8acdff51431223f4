/* How much photographs that an attack painted look like those whose descriptors were released: mean
 * absolute error, structural similarity, peak signal-to-noise ratio (core/math/image-quality.h),
 * and whether a picture is more like its own photograph than like all others of the trial, by the
 * correlation of pixels.
 *
 * Truth: groups, which number the private photographs of the dataset; guess: `photographs`, square
 * and in grey, and which group each is of. A photograph is made as small and square, each pixel by
 * the mean of what it covers, and compared so. `reconstruction` with the same `side` measures what
 * patches of the nearest public descriptors show, in the same size.
 *
 * Units are the pictures. */
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/photographs/photo-window.h"
#include "core/math/image-quality.h"
#include "core/plugin/plugin.h"

enum { MAE, SSIM, PSNR, FIRST, UNIT, N_SERIES };

#define WHITE 255.0

typedef struct {
  AssayView pictures;
  const gint64 *groups;
  AssayMatrix *originals;
  AssaySsim ssim;
  double *const *series;
} Photographs;

static gsize
side_of (gsize pixels)
{
  gsize side = 1;

  while (side * side < pixels)
    side++;
  return side;
}

static gboolean
take_original (const AssayPhoto *photo, gsize side, float *ret_pixels, GError **error)
{
  g_autoptr (AssayPhoto) grey = assay_photo_grey (photo, error);
  AssayPhotoWindow whole;

  if (grey == NULL)
    return FALSE;
  whole = assay_photo_whole (grey->width, grey->height);
  assay_photo_reduce (grey, &whole, side, ret_pixels);
  return TRUE;
}

static gboolean
prepare (const AssayMetricContext *context, const AssayGuess *guess, Photographs *of,
         GError **error)
{
  const GPtrArray *photos = context->dataset != NULL ? context->dataset->secret_data.photos : NULL;
  gsize side;

  of->pictures = assay_array_view (assay_arrays_get (&guess->arrays, "photographs"));
  of->groups = assay_array_int64 (assay_arrays_get (&guess->arrays, "photograph-groups"));
  side = side_of (of->pictures.cols);
  of->ssim = (AssaySsim){ { side, side, 1 }, WHITE };
  if (photos == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "photographs are needed: a run of a dataset that has them, expected in "
                       "place of folders");
  if (side * side != of->pictures.cols || side > ASSAY_PHOTO_WINDOW_MOST)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "pictures have %zu pixels, expected the square of a side of %d at most",
                       of->pictures.cols, ASSAY_PHOTO_WINDOW_MOST);
  if (!assay_ssim_check (&of->ssim, error)
      || !assay_view_check_finite (of->pictures, "photographs", error))
    return FALSE;
  of->originals = assay_matrix_new (of->pictures.rows, of->pictures.cols, error);
  for (gsize u = 0; of->originals != NULL && u < of->pictures.rows; u++) {
    const gint64 group = of->groups[u];
    const AssayPhoto *photo
        = group >= 0 && group < (gint64) photos->len ? photos->pdata[group] : NULL;

    if (photo == NULL)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "group %" G_GINT64_FORMAT " has no photograph, expected a number below %u",
                         group, photos->len);
    if (!take_original (photo, side, assay_matrix_row (of->originals, u), error))
      return FALSE;
  }
  return of->originals != NULL;
}

/* Whether it is more like photograph @unit than like any other. */
static gboolean
is_first (const Photographs *of, const float *picture, gsize unit)
{
  const gsize n = of->pictures.cols;
  const double own = assay_correlation (picture, assay_matrix_row (of->originals, unit), n);

  for (gsize v = 0; v < of->pictures.rows; v++)
    if (v != unit && assay_correlation (picture, assay_matrix_row (of->originals, v), n) >= own)
      return FALSE;
  return TRUE;
}

static gboolean
compare_unit (gsize unit, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Photographs *of = data;
  const float *original = assay_matrix_row (of->originals, unit);
  const float *picture = assay_view_row (of->pictures, unit);
  const gsize n = of->pictures.cols;

  of->series[UNIT][unit] = (double) of->groups[unit];
  of->series[MAE][unit] = assay_image_mae (original, picture, n) / WHITE;
  of->series[PSNR][unit] = assay_image_psnr (original, picture, n, WHITE);
  of->series[FIRST][unit] = is_first (of, picture, unit);
  return assay_image_ssim (&of->ssim, original, picture, &of->series[SSIM][unit], error);
}

static gboolean
measure (const AssayMetricContext *context, G_GNUC_UNUSED const AssayTruth *truth,
         const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error)
{
  Photographs of = { 0 };
  const gboolean is_ok = prepare (context, guess, &of, error)
                         && assay_outcomes_alloc (ret_outcomes, N_SERIES, of.pictures.rows, error)
                         && (of.series = ret_outcomes->series,
                             assay_parallel_try (of.pictures.rows, compare_unit, &of, error));

  assay_matrix_free (of.originals);
  return is_ok;
}

static AssayPhoto *
picture_of (const float *pixels, gsize side, GError **error)
{
  AssayPhoto *photo = assay_photo_new (side, side, 1, error);

  for (gsize i = 0; photo != NULL && i < side * side; i++)
    photo->data[i] = pixels[i];
  return photo;
}

static gboolean
show (const AssayMetricContext *context, G_GNUC_UNUSED const AssayTruth *truth,
      const AssayGuess *guess, gsize unit, AssayPictures *ret_pictures, GError **error)
{
  Photographs of = { 0 };
  gboolean is_ok = prepare (context, guess, &of, error);

  if (is_ok && unit >= of.pictures.rows)
    is_ok = assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "there is no photograph number %zu, expected one below %zu", unit,
                        of.pictures.rows);
  if (is_ok) {
    const gsize side = of.ssim.shape.height;

    ret_pictures->original = picture_of (assay_matrix_row (of.originals, unit), side, error);
    ret_pictures->recovered = ret_pictures->original != NULL
                                  ? picture_of (assay_view_row (of.pictures, unit), side, error)
                                  : NULL;
    is_ok = ret_pictures->recovered != NULL;
  }
  assay_matrix_free (of.originals);
  return is_ok;
}

ASSAY_METRIC (photograph_recovery, "photograph-recovery",
  .summary = "Photographs that an attack painted, compared with the private ones in the same size",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section 6.1, tables 1 and 4" },
  .reads_truth = ASSAY_ARRAY_NAMES ("groups"),
  .reads_guess = ASSAY_ARRAY_NAMES ("photographs", "photograph-groups"),
  .needs = ASSAY_HAS_FRAMES,
  .has_own_units = TRUE,
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (MAE, "photograph-mae", MEAN, 0, 1, "share of the range",
                   "Mean absolute error of the painted photograph in grey"),
    ASSAY_MEASURE (SSIM, "photograph-ssim", MEAN, -1, 1, "similarity",
                   "Structural similarity of the painted photograph to the private one",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (PSNR, "photograph-psnr", MEAN, 0, ASSAY_PSNR_MAX, "decibels",
                   "Peak signal-to-noise ratio of the painted photograph in grey",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (FIRST, "photograph-first", RATE, 0, 1, "share",
                   "Painted photographs that are more like their own than like any other of the "
                   "trial",
                   ASSAY_HIGHER_IS_WORSE)),
  .measure = measure,
  .show = show);
