/* What was recovered of each mixture: the measures of the InstaHide challenge (Huang et al. 2020,
 * README of the challenge), which asks for one picture of every encoding, and scores it by the two
 * private images that were mixed into it.
 *
 * Truth: secrets n x d, sources N x s (s >= 1 of them in each mixture). Guess: estimates, one for
 * each mixture (N x d); or one for each secret, with `mixture-estimates` N x q, the rows of those
 * that the attack found in a mixture, the one with the largest share first, which is taken (-1:
 * none, a flat grey picture).
 *   encoding-ssim-max, encoding-ssim-mean   the largest, and the mean, SSIM of the picture with the
 *                                           sources (the challenge's Max_SSIM, Mean_SSIM)
 *   encoding-l2-max, encoding-l2-mean       of the Euclidean distances from them, numbers being 0
 *                                           (black) to 1 (white) (its Max_L2, Mean_L2)
 * Units are the mixtures; each belongs to the first two of its secrets (core/stats/crossed.h). */
#include "core/base/vectors.h"
#include "core/math/image-quality.h"
#include "core/plugin/plugin.h"
#include "metrics/images/likeness.h"
#include "metrics/recovery/errors.h"

enum { KNOWN, FREE };

static const char *const signs[] = { "known", "free", NULL };

typedef struct {
  guint sign;
} EncodingRecovery;

enum { SSIM_MAX, SSIM_MEAN, L2_MAX, L2_MEAN, OTHER, UNIT, N_SERIES };

/* What there is to compare; all of it borrowed. */
typedef struct {
  const EncodingRecovery *settings;
  const AssayTruth *truth;
  AssayView secrets, estimates;
  const AssayArray *sources, *found; /* found: NULL where estimates are of mixtures */
} Comparing;

static gboolean
check (const Comparing *comparing, GError **error)
{
  const gsize total = comparing->sources->shape[0];

  if (comparing->estimates.cols != comparing->secrets.cols)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "estimates have %zu columns, but the secrets %zu", comparing->estimates.cols,
                       comparing->secrets.cols);
  if (comparing->found == NULL && comparing->estimates.rows != total)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%zu estimates for %zu mixtures; expected one for each, or an attack that "
                       "says which are in each (mixture-estimates)",
                       comparing->estimates.rows, total);
  return comparing->found == NULL || comparing->found->shape[0] == total
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "mixture-estimates are of %zu mixtures, expected %zu",
                        comparing->found->shape[0], total);
}

/* The row of the estimate of mixture @item; NULL: there is none. */
static const float *
estimate_of (const Comparing *comparing, gsize item)
{
  const AssayArray *found = comparing->found;
  const gint64 row
      = found != NULL ? assay_array_int64 (found)[item * found->shape[1]] : (gint64) item;

  return row >= 0 && (guint64) row < comparing->estimates.rows
             ? assay_view_row (comparing->estimates, (gsize) row)
             : NULL;
}

/* @row: the estimate as it is compared with @secret. */
static void
take_estimate (const Comparing *comparing, const float *estimate, const float *secret, float *row)
{
  const gsize cols = comparing->secrets.cols;
  float sign = 1;
  double black, white;

  image_scale (&comparing->truth->geometry, secret, cols, &black, &white);
  if (estimate != NULL && comparing->settings->sign == FREE
      && assay_correlation (secret, estimate, cols) < 0)
    sign = -1;
  for (gsize j = 0; j < cols; j++)
    row[j] = estimate != NULL ? sign * estimate[j] : (float) ((black + white) / 2);
}

/* @room: three pictures. */
static gboolean
judge (const Comparing *comparing, gsize item, float *room, AssayOutcomes *outcomes, GError **error)
{
  const gsize s = comparing->sources->shape[1], cols = comparing->secrets.cols;
  const gint64 *sources = assay_array_int64 (comparing->sources) + item * s;
  double ssim = -1, distance = 0;

  for (gsize j = 0; j < s; j++) {
    const gsize secret = (gsize) MAX (sources[j], 0);
    ImageLikeness likeness;

    take_estimate (comparing, estimate_of (comparing, item),
                   assay_view_row (comparing->secrets, secret), room);
    if (!image_likeness (&comparing->truth->geometry, assay_view_row (comparing->secrets, secret),
                         room, room + cols, &likeness, error))
      return FALSE;
    ssim = MAX (ssim, likeness.ssim);
    distance = MAX (distance, likeness.distance);
    outcomes->series[SSIM_MEAN][item] += likeness.ssim / (double) s;
    outcomes->series[L2_MEAN][item] += likeness.distance / (double) s;
  }
  outcomes->series[SSIM_MAX][item] = ssim;
  outcomes->series[L2_MAX][item] = distance;
  outcomes->series[UNIT][item] = metric_number_of_secret (comparing->truth, sources[0]);
  outcomes->series[OTHER][item] = metric_number_of_secret (comparing->truth, sources[s > 1]);
  return TRUE;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const Comparing comparing
      = { .settings = context->settings,
          .truth = truth,
          .secrets = assay_array_view (assay_arrays_get (&truth->arrays, "secrets")),
          .estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates")),
          .sources = assay_arrays_get (&truth->arrays, "sources"),
          .found = assay_arrays_get (&guess->arrays, "mixture-estimates") };
  g_autofree float *room = NULL;

  /* SSIM has no window in such pictures: the metric does not apply to them. */
  if (MIN (truth->geometry.height, truth->geometry.width) < ASSAY_SSIM_WINDOW)
    return TRUE;
  if (!check (&comparing, error))
    return FALSE;
  room = assay_alloc (comparing.secrets.cols, 3 * sizeof (float), "pictures", error);
  if (room == NULL
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, comparing.sources->shape[0], error))
    return FALSE;
  for (gsize item = 0; item < ret_outcomes->n; item++)
    if (!judge (&comparing, item, room, ret_outcomes, error))
      return FALSE;
  return TRUE;
}

ASSAY_METRIC (encoding_recovery, "encoding-recovery",
  .summary = "Pictures recovered of single mixtures, by the measures of the InstaHide challenge",
  .reference = { "Huang, Song, Li and Arora 2020, A Challenge for InstaHide",
                 "Max_SSIM, Mean_SSIM, Max_L2, Mean_L2" },
  ASSAY_SETTINGS (EncodingRecovery,
    ASSAY_PARAM_CHOICE (EncodingRecovery, sign, FREE, signs,
                        "Whether an estimate and its negative are the same")),
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets", "sources"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates"),
  .needs = ASSAY_HAS_IMAGES,
  .has_own_units = TRUE,
  .names_units = TRUE,
  .names_pairs = TRUE,
  .finds_order = TRUE,
  .on_request = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (SSIM_MAX, "encoding-ssim-max", MEAN, -1, 1, "SSIM",
                   "Mean over the mixtures of the largest structural similarity of the picture "
                   "that was recovered of it with a secret in it",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (SSIM_MEAN, "encoding-ssim-mean", MEAN, -1, 1, "SSIM",
                   "The same of the mean over the secrets in it", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (L2_MAX, "encoding-l2-max", MEAN, 0, G_MAXDOUBLE, "distance",
                   "Mean over the mixtures of the largest Euclidean distance of that picture from "
                   "a secret in it, black being 0 and white 1"),
    ASSAY_MEASURE (L2_MEAN, "encoding-l2-mean", MEAN, 0, G_MAXDOUBLE, "distance",
                   "The same of the mean over the secrets in it")),
  .measure = measure);
