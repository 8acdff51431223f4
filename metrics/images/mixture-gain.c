/* How much more an attack shows of secrets than the mixtures do that they went into: whoever
 * computes something of mixtures, such as gradients, hides nothing more than these do where it is
 * 0, and an attack knows more than a mixture shows where it is above.
 *
 * Truth: secrets x_1 .. x_n (n x d) that are pictures, and the mixtures x~ as they were made (those
 * that gradients are of, or those that were released). Guess: estimates y. For each secret
 *   gain = s (y_i, x_i) - s (x~_i, x_i),   s: SSIM, or the correlation of pixels
 * so that both are compared with the very same secret, in the very same mixture. x~_i is the one
 * that was made for secret i. Where an attack could not tell which estimate is of which secret
 * (AssayGuess), or where there are not as many of them, or more mixtures, as secrets, estimates and
 * mixtures are each assigned to secrets such that the sum of correlations is largest, as
 * image-recovery does it (a secret without an estimate has a flat grey picture). Then there is luck
 * on both sides, but a smooth picture has more of it than noise: what of a small gain is luck, the
 * figures of chance of image-recovery tell. */
#include "core/base/free.h"
#include "core/plugin/plugin.h"
#include "metrics/images/assignment.h"
#include "metrics/images/likeness.h"

enum { SSIM_GAIN, CORRELATION_GAIN, SSIM, CORRELATION, N_SERIES };

/* Pictures, and which of them is of which secret. */
typedef struct {
  AssayView rows;
  gsize *of_secret;
} Pictures;

typedef struct {
  const AssayGeometry *geometry;
  AssayView secrets;
  Pictures mixtures, estimates;
} Gain;

ASSAY_LOCAL_CLEAR (Gain, gain_clear, g_free (self->mixtures.of_secret),
                   g_free (self->estimates.of_secret))

static gboolean
open_gain (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
           Gain *ret_gain, GError **error)
{
  const AssayArray *mixtures = assay_arrays_get (&truth->arrays, "mixtures");
  const AssayRelease *release = context->release;
  const AssayView secrets = assay_array_view (assay_arrays_get (&truth->arrays, "secrets"));
  const AssayView estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  AssayView mixed;

  if (mixtures == NULL && release != NULL && release->kind == ASSAY_RELEASE_MIXTURES)
    mixtures = assay_arrays_get (&release->arrays, "images");
  if (mixtures == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the truth has no mixtures; expected those that were released, or that "
                       "gradients are of");
  mixed = assay_array_view (mixtures);
  if (estimates.cols != secrets.cols || mixed.cols != secrets.cols || mixed.rows < secrets.rows)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "estimates have %zu columns, and mixtures are %zu x %zu; expected as many "
                       "columns as secrets have, and a mixture for each: %zu x %zu",
                       estimates.cols, mixed.rows, mixed.cols, secrets.rows, secrets.cols);
  *ret_gain = (Gain){ .geometry = &truth->geometry,
                      .secrets = secrets,
                      .mixtures = { .rows = mixed },
                      .estimates = { .rows = estimates } };
  return TRUE;
}

static gboolean
match (AssayView secrets, gboolean is_ordered, Pictures *pictures, GError **error)
{
  pictures->of_secret = assay_alloc (secrets.rows, sizeof (gsize), "matching", error);
  for (gsize i = 0; i < secrets.rows && pictures->of_secret != NULL && is_ordered; i++)
    pictures->of_secret[i] = i;
  return pictures->of_secret != NULL
         && (is_ordered
             || metric_match (secrets, pictures->rows, FALSE, pictures->of_secret, error));
}

/* The picture of secret @unit with the secret; without one a flat grey picture. @room is for
 * three. */
static gboolean
compare (const Gain *gain, const Pictures *pictures, gsize unit, float *room,
         ImageLikeness *ret_likeness, GError **error)
{
  const float *secret = assay_view_row (gain->secrets, unit);
  const gsize cols = gain->secrets.cols, row = pictures->of_secret[unit];
  double black, white;

  image_scale (gain->geometry, secret, cols, &black, &white);
  for (gsize j = 0; j < cols && row == METRIC_NO_MATCH; j++)
    room[j] = (float) ((black + white) / 2);
  return image_likeness (gain->geometry, secret,
                         row != METRIC_NO_MATCH ? assay_view_row (pictures->rows, row) : room,
                         room + cols, ret_likeness, error);
}

static gboolean
fill (const Gain *gain, AssayOutcomes *outcomes, GError **error)
{
  g_autofree float *room = assay_alloc (gain->secrets.cols, 3 * sizeof (float), "pictures", error);

  for (gsize i = 0; room != NULL && i < gain->secrets.rows; i++) {
    ImageLikeness found, mixed;

    if (!compare (gain, &gain->estimates, i, room, &found, error)
        || !compare (gain, &gain->mixtures, i, room, &mixed, error))
      return FALSE;
    outcomes->series[SSIM_GAIN][i] = found.ssim - mixed.ssim;
    outcomes->series[CORRELATION_GAIN][i] = found.correlation - mixed.correlation;
    outcomes->series[SSIM][i] = mixed.ssim;
    outcomes->series[CORRELATION][i] = mixed.correlation;
  }
  return room != NULL;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  g_auto (Gain) gain = { 0 };
  gboolean is_ordered;

  if (!open_gain (context, truth, guess, &gain, error))
    return FALSE;
  is_ordered = !guess->is_unordered && gain.estimates.rows.rows == gain.secrets.rows
               && gain.mixtures.rows.rows == gain.secrets.rows;
  return match (gain.secrets, is_ordered, &gain.estimates, error)
         && match (gain.secrets, is_ordered, &gain.mixtures, error)
         && assay_outcomes_alloc (ret_outcomes, N_SERIES, gain.secrets.rows, error)
         && fill (&gain, ret_outcomes, error);
}

ASSAY_METRIC (mixture_gain, "mixture-gain",
  .summary = "How much more recovered pictures show of secrets than the mixtures do",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 5.3, figure 5; paired differences are ours" },
  .reads = ASSAY_RELEASE_MIXTURES | ASSAY_RELEASE_GRADIENTS,
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets"),
  .reads_guess = ASSAY_ARRAY_NAMES ("estimates"),
  .needs = ASSAY_HAS_IMAGES,
  .finds_order = TRUE,
  .on_request = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (SSIM_GAIN, "mixture-gain-ssim", MEAN, -2, 2, "SSIM",
                   "Mean structural similarity of a secret with its recovered picture less that "
                   "with its mixture",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (CORRELATION_GAIN, "mixture-gain-correlation", MEAN, -2, 2, "correlation",
                   "Mean correlation of the pixels of a secret with its recovered picture less "
                   "that with its mixture",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (SSIM, "mixture-ssim", MEAN, -1, 1, "SSIM",
                   "Mean structural similarity of secrets and their mixtures: what these show "
                   "without any attack",
                   ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (CORRELATION, "mixture-correlation", MEDIAN, -1, 1, "correlation",
                   "Median correlation of the pixels of secrets and their mixtures",
                   ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE)),
  .measure = measure);
