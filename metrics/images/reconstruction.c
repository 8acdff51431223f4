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
#include <string.h>

#include "core/base/parallel.h"
#include "core/data/photographs/photo-window.h"
#include "core/math/image-quality.h"
#include "core/plugin/plugin.h"
#include "metrics/images/paint-case.h"

typedef struct {
  double patch;
  gint64 side;
} Reconstruction;

enum { MAE, SSIM, PSNR, UNIT, N_SERIES };

#define WHITE 255.0

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
  const AssayPhoto *original = paint_case_original (work->input, unit, error);
  g_autoptr (AssayPhoto) painted
      = original != NULL
            ? paint_case_picture (work->input, unit, work->nearest->rows + first, error)
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
    if (paint_case_original (input, unit, error) == NULL)
      return FALSE;
  if (!assay_outcomes_alloc (ret_outcomes, N_SERIES, input->n_units, error))
    return FALSE;
  nearest = paint_case_nearest (input, 0, input->estimates.rows, error);
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
  photo = paint_case_original (input, unit, error);
  original = photo != NULL ? copy_photo (photo, error) : NULL;
  if (original == NULL)
    return FALSE;
  nearest = paint_case_nearest (input, input->starts[unit],
                                input->starts[unit + 1] - input->starts[unit], error);
  painted = nearest != NULL ? paint_case_picture (input, unit, nearest->rows, error) : NULL;
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
