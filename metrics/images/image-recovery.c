/* How much recovered pictures look like the secrets: MAE, PSNR, SSIM (core/math/image-quality.h)
 * and the correlation of pixels.
 *
 * Truth: secrets n x d that are pictures, and what black and white are among their numbers; their
 * difference is the range R, or, where every picture has a scale of its own, the secret's largest
 * less its least number. Guess: estimates. Which is of which secret:
 *   matching = order  the i-th is of secret i
 *   matching = best   an attack that finds secrets in an order of its own: one estimate for each
 *                     secret such that the sum of correlations is largest. Where there are fewer
 *                     estimates than secrets, a secret without one has a flat grey picture.
 *   sign = free       an attack that cannot know signs: every estimate may be negated, which it is
 *                     where its correlation with the secret is negative; matching is by the
 *                     absolute value
 *   matching = auto   best where the attack says that it could not tell (AssayGuess), or where
 *                     there are not as many estimates as secrets; otherwise order
 *   of = private-part every mixture is a unit, and the secrets it was made of, mixed among
 *                     themselves as they are in it (private-parts.h), are the secret: what
 *                     an attack on single mixtures can find
 *   of = mixture      the mixtures themselves, as they were made, are the secrets: what an attack
 *                     on what was computed of them can find
 * The best of many is better than chance even where nothing is known. The figures of chance are
 * those that the same estimates have, matched in the same way, with as many other images of the
 * dataset: what is not above them was not recovered. Where public images stand for others and were
 * mixed in, estimates that contain them are above chance themselves.
 * SSIM compares means too, and is therefore taken of pictures as they are shown, black being 0.
 * Correlation is that of Pearson over pixels, 0 where a picture is flat; it knows neither
 * brightness nor contrast. */
#include "core/base/free.h"
#include "core/base/vectors.h"
#include "core/math/image-quality.h"
#include "core/plugin/plugin.h"
#include "metrics/images/assignment.h"
#include "metrics/images/likeness.h"
#include "metrics/images/private-parts.h"
#include "metrics/recovery/errors.h"

enum { AUTO, ORDER, BEST };
enum { KNOWN, FREE };
enum { SECRETS, PRIVATE_PART, MIXTURE };

static const char *const matchings[] = { "auto", "order", "best", NULL };
static const char *const signs[] = { "known", "free", NULL };
static const char *const targets[] = { "secrets", "private-part", "mixture", NULL };

typedef struct {
  guint matching;
  guint sign;
  guint of;
} ImageRecovery;

enum {
  MAE,
  PSNR,
  SSIM,
  CORRELATION,
  ABOVE_50,
  ABOVE_80,
  ANOTHER,
  SSIM_CHANCE,
  CORRELATION_CHANCE,
  SSIM_GAIN,
  N_SERIES,
};

#define MOST_COMPARED 2000 /* secrets with each other */
#define CLEARLY 0.5        /* a correlation from which on a picture shows something */

typedef struct {
  const ImageRecovery *settings;
  guint matching; /* ORDER or BEST */
  const AssayGeometry *geometry;
  AssayMatrix *parts; /* what stands as secrets, where it is not the secrets themselves */
  AssayView secrets;
  AssayView estimates;
  gsize *estimate_of; /* n: or METRIC_NO_MATCH */
} Recovery;

ASSAY_LOCAL_CLEAR (Recovery, recovery_clear, assay_drop (self->parts, assay_matrix_free),
                   assay_drop (self->estimate_of, g_free))

/* ---- Matching ---- */

/* Which estimate is of which of the images that stand as secrets; free with g_free. */
static gboolean
match (Recovery *recovery, GError **error)
{
  const gsize n = recovery->secrets.rows;

  recovery->estimate_of = assay_alloc (n, sizeof (gsize), "matching", error);
  if (recovery->estimate_of == NULL)
    return FALSE;
  for (gsize i = 0; i < n && recovery->matching == ORDER; i++)
    recovery->estimate_of[i] = i;
  if (recovery->matching == ORDER
      || metric_match (recovery->secrets, recovery->estimates, recovery->settings->sign == FREE,
                       recovery->estimate_of, error))
    return TRUE;
  g_clear_pointer (&recovery->estimate_of, g_free);
  return FALSE;
}

static gboolean
take_mixtures (Recovery *recovery, const AssayRelease *release, const AssayTruth *truth,
               GError **error)
{
  const AssayArray *mixtures = assay_arrays_get (&truth->arrays, "mixtures");

  if (mixtures == NULL && release != NULL && release->kind == ASSAY_RELEASE_MIXTURES)
    mixtures = assay_arrays_get (&release->arrays, "images");
  if (mixtures == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the truth has no mixtures; of = mixture expects those that were released, "
                       "or that gradients are of");
  recovery->secrets = assay_array_view (mixtures);
  return TRUE;
}

/* The secrets, or @others in their place (NULL: none), as what estimates are compared with. */
static gboolean
take_targets (Recovery *recovery, const AssayMetricContext *context, const AssayTruth *truth,
              const AssayMatrix *others, GError **error)
{
  const AssayView images
      = others != NULL ? assay_matrix_view (others)
                       : assay_array_view (assay_arrays_get (&truth->arrays, "secrets"));

  recovery->secrets = images;
  if (recovery->settings->of == SECRETS)
    return TRUE;
  if (recovery->settings->of == MIXTURE && others == NULL)
    return take_mixtures (recovery, context->release, truth, error);
  recovery->parts = metric_private_parts (truth, images, error);
  if (recovery->parts == NULL)
    return FALSE;
  recovery->secrets = assay_matrix_view (recovery->parts);
  return TRUE;
}

static gboolean
prepare (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         Recovery *ret_recovery, GError **error)
{
  g_auto (Recovery) recovery
      = { .settings = context->settings,
          .geometry = &truth->geometry,
          .estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates")) };
  gsize n;

  if (!take_targets (&recovery, context, truth, NULL, error))
    return FALSE;
  n = recovery.secrets.rows;
  recovery.matching = recovery.settings->matching;
  if (recovery.matching == AUTO)
    recovery.matching = guess->is_unordered || recovery.estimates.rows != n ? BEST : ORDER;
  if (truth->geometry.height == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the truth does not say what images the secrets are; expected its "
                       "geometry");
  if (recovery.estimates.cols != recovery.secrets.cols
      || (recovery.matching == ORDER && recovery.estimates.rows != n))
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "estimates are %zu x %zu, but the secrets are %zu x %zu; with matching = "
                       "best their number may differ",
                       recovery.estimates.rows, recovery.estimates.cols, n, recovery.secrets.cols);
  if (!match (&recovery, error))
    return FALSE;
  *ret_recovery = recovery;
  recovery = (Recovery){ 0 };
  return TRUE;
}

/* ---- Comparing ---- */

/* What was recovered of secret @unit, with its sign. */
static void
recovered (const Recovery *recovery, gsize unit, float *ret_row)
{
  const gsize cols = recovery->secrets.cols, from = recovery->estimate_of[unit];
  const float *secret = assay_view_row (recovery->secrets, unit);
  const float *estimate
      = from != METRIC_NO_MATCH ? assay_view_row (recovery->estimates, from) : NULL;
  float sign = 1;
  double black, white;

  image_scale (recovery->geometry, secret, cols, &black, &white);
  if (estimate != NULL && recovery->settings->sign == FREE
      && assay_correlation (secret, estimate, cols) < 0)
    sign = -1;
  for (gsize j = 0; j < cols; j++)
    ret_row[j] = estimate != NULL ? sign * estimate[j] : (float) ((black + white) / 2);
}

/* What was recovered of secret @unit with the secret. @row has room for three pictures. */
static gboolean
compare (const Recovery *recovery, gsize unit, float *row, ImageLikeness *ret_likeness,
         GError **error)
{
  recovered (recovery, unit, row);
  return image_likeness (recovery->geometry, assay_view_row (recovery->secrets, unit), row,
                         row + recovery->secrets.cols, ret_likeness, error);
}

/* Whether what was recovered of each secret is more like another one, and clearly so. */
static gboolean
fill_another (const Recovery *recovery, AssayOutcomes *outcomes, GError **error)
{
  const gsize n = recovery->secrets.rows;
  double *of_another = outcomes->series[ANOTHER];
  g_autofree double *largest = NULL;

  if (n > MOST_COMPARED) {
    metric_leave_out (outcomes, ANOTHER, ANOTHER + 1,
                      "more than %d secrets are not compared with each other", MOST_COMPARED);
    return TRUE;
  }
  largest = assay_alloc (n, sizeof (double), "secrets", error);
  if (largest == NULL
      || !metric_largest_correlations (recovery->secrets, recovery->estimates,
                                       recovery->settings->sign == FREE, recovery->estimate_of,
                                       largest, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    of_another[i] = largest[i] > CLEARLY && largest[i] > outcomes->series[CORRELATION][i];
  return TRUE;
}

static gboolean
fill (const Recovery *recovery, float *row, AssayOutcomes *outcomes, GError **error)
{
  for (gsize i = 0; i < recovery->secrets.rows; i++) {
    ImageLikeness likeness;

    if (!compare (recovery, i, row, &likeness, error))
      return FALSE;
    outcomes->series[MAE][i] = likeness.mae;
    outcomes->series[PSNR][i] = likeness.psnr;
    outcomes->series[SSIM][i] = likeness.ssim;
    outcomes->series[CORRELATION][i] = likeness.correlation;
    outcomes->series[ABOVE_50][i] = likeness.correlation > 0.5;
    outcomes->series[ABOVE_80][i] = likeness.correlation > 0.8;
  }
  return fill_another (recovery, outcomes, error);
}

/* ---- What images resemble by chance ---- */

static gsize
count_of (const AssayRows *rows)
{
  return rows != NULL ? assay_rows_count (rows) : 0;
}

/* Trials share the images to draw from, but not the draw: its stream is that of the secrets. */
static AssayStream
stream_of (AssayView secrets)
{
  g_autoptr (GBytes) first
      = g_bytes_new_static (assay_view_row (secrets, 0), secrets.cols * sizeof (float));

  return assay_stream (assay_stream_key (0, 0, "metric", "other-images"), g_bytes_hash (first));
}

/* As many images as there are secrets (n x d), drawn without repetition from the dataset's test
 * images, or where these are too few from its public ones, and scaled as the release's secrets
 * were. The draw is the same wherever the first secret is. Where neither has as many, *@ret_others
 * stays NULL and *@ret_why says so. */
static gboolean
draw_others (const AssayMetricContext *context, const AssayTruth *truth, AssayMatrix **ret_others,
             char **ret_why, GError **error)
{
  const AssayView secrets = assay_array_view (assay_arrays_get (&truth->arrays, "secrets"));
  const AssayDataset *dataset = context->dataset;
  const gsize n_test = dataset != NULL ? count_of (dataset->test) : 0;
  const gsize n_public = dataset != NULL ? count_of (dataset->public_rows) : 0;
  const gsize n_pool = n_test >= secrets.rows ? n_test : n_public;
  const AssayRows *pool;
  AssayStream stream = stream_of (secrets);
  g_autofree gsize *order = NULL;
  AssayMatrix *others;

  if (n_pool < secrets.rows) {
    *ret_why = g_strdup_printf ("there are %zu test and %zu public images to compare with; "
                                "expected as many of one kind as secrets, %zu",
                                n_test, n_public, secrets.rows);
    return TRUE;
  }
  pool = n_test >= secrets.rows ? dataset->test : dataset->public_rows;
  if (assay_rows_cols (pool) != secrets.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "images of %zu numbers beside the secrets; expected %zu as these have",
                       assay_rows_cols (pool), secrets.cols);
  order = assay_alloc (n_pool, sizeof (gsize), "other images", error);
  others = order != NULL ? assay_matrix_new (secrets.rows, secrets.cols, error) : NULL;
  if (others == NULL)
    return FALSE;
  assay_stream_permutation (&stream, n_pool, order);
  assay_rows_gather (pool, order, secrets.rows,
                     context->release != NULL ? assay_release_scale (context->release)
                                              : ASSAY_SCALE_NONE,
                     others->data);
  *ret_others = others;
  return TRUE;
}

/* The same estimates with other images in place of the secrets. */
static gboolean
fill_chance (const AssayMetricContext *context, const AssayTruth *truth, const Recovery *judged,
             float *row, AssayOutcomes *outcomes, GError **error)
{
  g_auto (Recovery) recovery = { .settings = judged->settings,
                                 .matching = judged->matching,
                                 .geometry = judged->geometry,
                                 .estimates = judged->estimates };
  g_autoptr (AssayMatrix) others = NULL;
  g_autofree char *why = NULL;

  if (!draw_others (context, truth, &others, &why, error))
    return FALSE;
  if (others == NULL) {
    metric_leave_out (outcomes, SSIM_CHANCE, SSIM_GAIN + 1, "%s", why);
    return TRUE;
  }
  if (!take_targets (&recovery, context, truth, others, error)
      || !match (&recovery, error))
    return FALSE;
  for (gsize i = 0; i < recovery.secrets.rows; i++) {
    ImageLikeness likeness;

    if (!compare (&recovery, i, row, &likeness, error))
      return FALSE;
    outcomes->series[SSIM_CHANCE][i] = likeness.ssim;
    outcomes->series[SSIM_GAIN][i] = outcomes->series[SSIM][i] - likeness.ssim;
    outcomes->series[CORRELATION_CHANCE][i] = likeness.correlation;
  }
  return TRUE;
}

/* SSIM has no window in small pictures: the metric does not apply to them. */
static gboolean
is_too_small (const AssayGeometry *geometry)
{
  return geometry->height > 0 && MIN (geometry->height, geometry->width) < ASSAY_SSIM_WINDOW;
}

static char *
lacks (const AssayForeseen *foreseen, G_GNUC_UNUSED guint series)
{
  return is_too_small (&foreseen->geometry)
             ? g_strdup_printf ("images of %zu x %zu pixels are too small; expected %d on each "
                                "side at least",
                                foreseen->geometry.height, foreseen->geometry.width,
                                ASSAY_SSIM_WINDOW)
             : NULL;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  g_auto (Recovery) recovery = { 0 };
  g_autofree float *row = NULL;

  if (is_too_small (&truth->geometry))
    return TRUE;
  if (!prepare (context, truth, guess, &recovery, error))
    return FALSE;
  row = assay_alloc (recovery.secrets.cols, 3 * sizeof (float), "pictures", error);
  if (row == NULL || !assay_outcomes_alloc (ret_outcomes, N_SERIES, recovery.secrets.rows, error))
    return FALSE;
  return fill (&recovery, row, ret_outcomes, error)
         && fill_chance (context, truth, &recovery, row, ret_outcomes, error);
}

/* ---- Pictures ---- */

/* Both in the scale of the secret; of pictures that have a scale of their own, each in its own. */
static AssayPhoto *
draw (const Recovery *recovery, const float *row, GError **error)
{
  const AssayGeometry *geometry = recovery->geometry;
  AssayPhoto *photo
      = assay_photo_new (geometry->width, geometry->height, geometry->channels, error);
  double black, white;

  image_scale (geometry, row, recovery->secrets.cols, &black, &white);
  for (gsize j = 0; photo != NULL && j < recovery->secrets.cols; j++)
    photo->data[j] = (float) CLAMP (255 * (row[j] - black) / (white - black), 0, 255);
  return photo;
}

static gboolean
show (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
      gsize unit, AssayPictures *ret_pictures, GError **error)
{
  g_auto (Recovery) recovery = { 0 };
  g_autofree float *row = NULL;
  g_autoptr (AssayPhoto) original = NULL;
  g_autoptr (AssayPhoto) found = NULL;

  if (!prepare (context, truth, guess, &recovery, error))
    return FALSE;
  g_return_val_if_fail (unit < recovery.secrets.rows, FALSE);
  row = assay_alloc (recovery.secrets.cols, sizeof (float), "picture", error);
  original = draw (&recovery, assay_view_row (recovery.secrets, unit), error);
  if (row == NULL || original == NULL)
    return FALSE;
  if (recovery.estimate_of[unit] != METRIC_NO_MATCH) {
    recovered (&recovery, unit, row);
    found = draw (&recovery, row, error);
    if (found == NULL)
      return FALSE;
  }
  *ret_pictures = (AssayPictures){ g_steal_pointer (&original), g_steal_pointer (&found) };
  return TRUE;
}

ASSAY_METRIC (image_recovery, "image-recovery",
  .summary = "How much recovered pictures look like the secrets: SSIM, PSNR, MAE, correlation",
  .reference = { "Wang, Bovik, Sheikh and Simoncelli 2004; Huang, Song, Li and Arora 2020, "
                 "InstaHide",
                 "SSIM: equations 13 to 17; section 5.3, figure 7" },
  ASSAY_SETTINGS (ImageRecovery,
    ASSAY_PARAM_CHOICE (ImageRecovery, matching, AUTO, matchings,
                        "Whether estimate i is compared with secret i (order), or estimates are "
                        "matched with secrets (best); auto: as the attack says"),
    ASSAY_PARAM_CHOICE (ImageRecovery, sign, KNOWN, signs,
                        "Whether an estimate and its negative are taken for the same (free)"),
    ASSAY_PARAM_CHOICE (ImageRecovery, of, SECRETS, targets,
                        "What estimates are compared with: secrets, the part of each mixture that "
                        "is made of secrets, or the mixtures themselves",
                        ASSAY_PARAM_EXTRA)),
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates"),
  .needs = ASSAY_HAS_IMAGES,
  .lacks = lacks,
  .finds_order = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (SSIM, "image-ssim", MEAN, -1, 1, "SSIM",
                   "Mean structural similarity of secrets and recovered pictures", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (SSIM, "image-ssim-median", MEDIAN, -1, 1, "SSIM",
                   "Median structural similarity of secrets and recovered pictures",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (SSIM_CHANCE, "image-ssim-chance", MEAN, -1, 1, "SSIM",
                   "Mean structural similarity of the same pictures with other images of the "
                   "dataset, matched in the same way: what chance gives",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (SSIM_GAIN, "image-ssim-gain", MEAN, -2, 2, "SSIM",
                   "Mean structural similarity with the secret less that with another image",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (PSNR, "image-psnr", MEAN, -G_MAXDOUBLE, ASSAY_PSNR_MAX, "decibels",
                   "Mean peak signal-to-noise ratio of recovered pictures", ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (MAE, "image-mae", MEAN, 0, G_MAXDOUBLE, "share of the range",
                   "Mean absolute error of recovered pictures"),
    ASSAY_MEASURE (CORRELATION, "image-correlation", MEDIAN, -1, 1, "correlation",
                   "Median correlation of the pixels of secrets and recovered pictures",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (CORRELATION_CHANCE, "image-correlation-chance", MEDIAN, -1, 1, "correlation",
                   "Median correlation of the same pictures with other images of the dataset, "
                   "matched in the same way: what chance gives",
                   ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (ABOVE_50, "image-correlation-above-50", RATE, 0, 1, "share of secrets",
                   "Secrets whose picture has a correlation above 0.5", ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (ABOVE_80, "image-correlation-above-80", RATE, 0, 1, "share of secrets",
                   "Secrets whose picture has a correlation above 0.8", ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (ANOTHER, "image-shows-another", RATE, 0, 1, "share of secrets",
                   "Secrets whose picture is more like another secret, with a correlation above "
                   "0.5",
                   .mark = "shows another secret")),
  .measure = measure,
  .show = show);
