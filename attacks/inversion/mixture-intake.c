/* Reading an observation, and learning its metrics. */
#include "attacks/inversion/mixture-intake.h"

#include <math.h>

#include "attacks/inversion/mixture-noise.h"
#include "attacks/inversion/mixture-scale.h"
#include "attacks/mixtures/mixture-scores.h"
#include "core/data/kinds/mixtures.h"

#define RIDGE 0.1
#define SPREAD 0.2 /* of the public or the private part of a mixture, where an image has 1 */

void
mixture_intake_clear (MixtureIntake *intake)
{
  assay_arena_clear (&intake->arena);
  g_free (intake->state.images);
  g_free (intake->state.known);
  assay_matrix_free (intake->public_images);
  assay_matrix_free (intake->features);
  whitening_clear (&intake->plain);
}

gboolean
mixture_intake_numbers (const MixtureNumbers *numbers, const AssayRelease *release,
                        WhiteningShares *ret_shares, gsize *ret_n, GError **error)
{
  const gint64 *said_k = ASSAY_PARAMETER (release, AssayMixturesParameters, k);
  const gint64 *epochs = ASSAY_PARAMETER (release, AssayMixturesParameters, epochs);
  const double *said_largest = ASSAY_PARAMETER (release, AssayMixturesParameters, max_coefficient);
  const gint64 k = said_k != NULL ? *said_k : numbers->k;
  const double largest = said_largest != NULL ? *said_largest : numbers->max_coefficient;
  const gsize total = assay_release_count (release);
  gsize n = (gsize) numbers->secrets;

  if (k < MIXTURE_PRIVATE || k > WHITENING_MAX_IMAGES)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "k = %" G_GINT64_FORMAT ": expected the release, or the setting k, to say "
                       "how many images are in a mixture, %d to %d",
                       k, MIXTURE_PRIVATE, WHITENING_MAX_IMAGES);
  if (epochs != NULL && total % (gsize) *epochs == 0)
    n = total / (gsize) *epochs;
  if (n == 0)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "secrets = 0: expected a number, as the release does not say how many "
                       "mixtures there are of each secret (epochs, a divisor of %zu)",
                       total);
  if (n < MIXTURE_PRIVATE || n > total)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "%zu mixtures of %zu secrets: expected 2 or more secrets, and as many "
                       "mixtures",
                       total, n);
  if (largest * (double) k < 1.2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "max_coefficient = %g: expected at least %.3g, 1.2 / k, for mixtures of "
                       "k = %" G_GINT64_FORMAT " images",
                       largest, 1.2 / (double) k, k);
  *ret_shares = (WhiteningShares){ .k = (gsize) k, .max_coefficient = largest };
  *ret_n = n;
  return TRUE;
}

static gboolean
make_room (MixtureState *state, AssayArena *arena, GError **error)
{
  const gsize total = state->n_mixtures, d = state->cols;
  const gsize n_partners = MAX (state->n_partners, 1);

  state->variance = assay_arena_alloc (arena, d, sizeof (float), "variances", error);
  state->pairs = assay_arena_alloc (arena, total, 2 * sizeof (guint32), "pairs", error);
  state->weights = assay_arena_alloc (arena, total, 2 * sizeof (float), "weights", error);
  state->noise = assay_arena_alloc (arena, total, sizeof (float), "noise", error);
  state->partners
      = assay_arena_alloc (arena, total, n_partners * sizeof (gint32), "partners", error);
  return !arena->has_failed;
}

/* Of each pixel over the public images, from its mean in all; none below a thousandth of that. */
static void
measure_variance (AssayView images, const double *mean, float *ret_variance)
{
  double all = 0;

  for (gsize j = 0; j < images.cols; j++) {
    double sum = 0;

    for (gsize i = 0; i < images.rows; i++) {
      const double gap = assay_view_row (images, i)[j] - mean[j];

      sum += gap * gap / (double) images.rows;
    }
    ret_variance[j] = (float) sum;
    all += sum / (double) images.cols;
  }
  for (gsize j = 0; j < images.cols; j++)
    ret_variance[j] = MAX (ret_variance[j], (float) (all / 1000));
}

static gboolean
take_observation (const MixtureNumbers *numbers, const AssayObservation *seen,
                  MixtureIntake *ret_intake, GError **error)
{
  const AssayRelease *release = seen->release;
  const AssayView images = assay_array_view (assay_arrays_get (&release->arrays, "images"));
  const AssayArray *labels = assay_arrays_get (&release->arrays, "labels");
  MixtureState *state = &ret_intake->state;

  if (!mixture_intake_numbers (numbers, release, &ret_intake->shares, &state->n_secrets, error))
    return FALSE;
  ret_intake->public_images = mixture_public (release, seen->public_rows, error);
  if (ret_intake->public_images == NULL
      || !mixture_scale_match (images, &ret_intake->shares, release->geometry.channels,
                               ret_intake->public_images, &ret_intake->is_rescaled, error))
    return FALSE;
  state->n_mixtures = images.rows;
  state->cols = images.cols;
  state->n_public = ret_intake->public_images->rows;
  state->n_partners = ret_intake->shares.k - MIXTURE_PRIVATE;
  state->geometry = release->geometry;
  if (state->geometry.height == 0) /* rows of which nothing is known are lines of pixels */
    state->geometry = (AssayGeometry){ .height = 1, .width = images.cols, .channels = 1 };
  state->public_images = ret_intake->public_images->data;
  if (numbers->use_labels && labels != NULL) {
    state->labels = assay_array_view (labels).data;
    state->n_classes = labels->shape[1];
  }
  if (!make_room (state, &ret_intake->arena, error))
    return FALSE;
  for (gsize i = 0; i < images.rows * state->n_partners; i++)
    state->partners[i] = -1;
  return TRUE;
}

/* |x~|, after the metrics: these are what takes most memory, without it. */
static gboolean
copy_magnitudes (AssayView images, MixtureIntake *intake, GError **error)
{
  MixtureState *state = &intake->state;

  state->magnitudes = assay_arena_alloc (&intake->arena, images.rows, images.cols * sizeof (float),
                                         "magnitudes", error);
  for (gsize i = 0; state->magnitudes != NULL && i < images.rows; i++)
    for (gsize j = 0; j < images.cols; j++)
      state->magnitudes[i * images.cols + j] = fabsf (assay_view_row (images, i)[j]);
  return state->magnitudes != NULL;
}

/* The two metrics: of squared mixtures, and of public images. */
static gboolean
learn_metrics (AssayView images, MixtureIntake *intake, GError **error)
{
  MixtureState *state = &intake->state;
  const gsize d = state->cols;
  const AssayView public_images = assay_matrix_view (intake->public_images);
  const WhiteningMoments moments = whitening_moments (&intake->shares);
  g_auto (Whitening) squared = { 0 };
  double variance = 0;

  intake->precision = assay_arena_alloc (&intake->arena, d, d * sizeof (float), "metric", error);
  intake->plain_precision
      = assay_arena_alloc (&intake->arena, d, d * sizeof (float), "metric", error);
  intake->mean = assay_arena_alloc (&intake->arena, d, sizeof (float), "metric", error);
  if (intake->arena.has_failed
      || !whitening_learn (public_images, WHITENING_SQUARED, &moments, &squared, error))
    return FALSE;
  intake->noise = mixture_noise_estimate (images, &state->geometry, &squared);
  whitening_add_noise (&squared, intake->noise);
  for (gsize j = 0; j < d; j++)
    intake->mean[j] = (float) squared.mean[j];
  if (!whitening_inverse (&squared, RIDGE, intake->precision, error))
    return FALSE;
  g_clear_pointer (&squared.covariance, g_free);
  measure_variance (public_images, squared.image, state->variance);
  for (gsize j = 0; j < d; j++)
    variance += state->variance[j] / (double) d;
  state->added_noise = (float) (intake->noise / variance);
  if (!whitening_learn (public_images, WHITENING_PLAIN, &moments, &intake->plain, error)
      || !whitening_inverse (&intake->plain, RIDGE + state->added_noise / SPREAD,
                             intake->plain_precision, error))
    return FALSE;
  intake->plain_ridge
      = (RIDGE + state->added_noise / SPREAD) * whitening_mean_variance (&intake->plain);
  g_clear_pointer (&intake->plain.covariance, g_free);
  if (!copy_magnitudes (images, intake, error))
    return FALSE;
  return public_filter_init (state, intake->plain_precision, intake->plain.image, &intake->arena,
                             &intake->filter, error);
}

gboolean
mixture_intake_init (const MixtureNumbers *numbers, const AssayObservation *seen,
                     MixtureIntake *ret_intake, GError **error)
{
  const AssayView images = assay_array_view (assay_arrays_get (&seen->release->arrays, "images"));

  return take_observation (numbers, seen, ret_intake, error)
         && learn_metrics (images, ret_intake, error);
}

gboolean
mixture_intake_make_features (MixtureIntake *intake, GError **error)
{
  const MixtureState *state = &intake->state;
  const gsize d = state->cols;

  if (intake->features != NULL)
    return TRUE;
  g_clear_pointer (&intake->state.known, g_free);
  intake->features = assay_matrix_new (state->n_mixtures, d, error);
  if (intake->features == NULL)
    return FALSE;
  for (gsize i = 0; i < state->n_mixtures * d; i++)
    intake->features->data[i] = state->magnitudes[i] * state->magnitudes[i] - intake->mean[i % d];
  return TRUE;
}

gboolean
mixture_intake_make_known (MixtureIntake *intake, GError **error)
{
  MixtureState *state = &intake->state;

  g_clear_pointer (&intake->features, assay_matrix_free);
  g_free (state->known);
  state->known
      = assay_alloc (state->n_mixtures, state->cols * sizeof (float), "public parts", error);
  return state->known != NULL;
}
