/* What the difference of two models tells of the gradient between them. */
#include "attacks/updates/samples/update-gradient.h"

#include <float.h>
#include <math.h>

#include "core/base/error.h"

/* A gradient is not 0 where it stands so many rounding errors above it. */
#define MOVED 16

#define PARAMETER(release, field, type, into)                                                      \
  {                                                                                                \
    const __typeof__ (((AssayUpdatesParameters *) 0)->field) *value                                \
        = ASSAY_PARAMETER (release, AssayUpdatesParameters, field);                                \
                                                                                                   \
    if (value == NULL)                                                                             \
      return lacks (#field, error);                                                                \
    into = (type) *value;                                                                          \
  }

static gboolean
lacks (const char *name, GError **error)
{
  return assay_fail (error, ASSAY_ERROR_MISMATCH,
                     "of how users train, '%s' is not known: the release does not say it, or the "
                     "scenario withholds its parameters (no-parameters)",
                     name);
}

gboolean
update_training_of (const AssayRelease *release, AssayLinearTraining *ret_training, GError **error)
{
  const guint *trainer = ASSAY_PARAMETER (release, AssayUpdatesParameters, trainer);
  double local_steps;

  if (trainer != NULL && *trainer == ASSAY_TRAINER_CLUSTERS)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "models are centroids of clusters (trainer = clusters), and what users send "
                       "are means of samples; expected classifiers, whose gradient tells of them");
  if (trainer != NULL && *trainer == ASSAY_TRAINER_OPTIMUM)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "users train to the optimum (trainer = optimum), and what they send is no "
                       "gradient step from the public model; expected step or pass");
  PARAMETER (release, classes, gsize, ret_training->classes)
  PARAMETER (release, bias, gboolean, ret_training->has_bias)
  PARAMETER (release, loss, AssayLoss, ret_training->loss)
  PARAMETER (release, rate, double, ret_training->rate)
  PARAMETER (release, penalty, double, ret_training->penalty)
  PARAMETER (release, mix, double, ret_training->mix)
  PARAMETER (release, local_steps, double, local_steps)
  if (!(ret_training->rate > 0))
    return lacks ("rate", error);
  ret_training->rate *= local_steps;
  ret_training->cols = assay_release_cols (release);
  return TRUE;
}

gboolean
update_messages_of (const AssayRelease *release, AssayView *ret_messages, GError **error)
{
  const AssayArray *messages = assay_arrays_get (&release->arrays, "locals");

  if (messages == NULL)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the release has no messages in clear: expected 'locals', updates as users "
                       "sent them");
  *ret_messages = assay_array_view (messages);
  return TRUE;
}

gboolean
update_gradient_init (const AssayLinearTraining *training, UpdateGradient *ret_gradient,
                      GError **error)
{
  const gsize weights = assay_linear_weights (training);

  *ret_gradient = (UpdateGradient){
    .classes = training->classes,
    .width = assay_linear_width (training),
    .middle = assay_alloc (3 * weights, sizeof (double), "gradients", error),
    .is_moved = g_new0 (guint8, training->classes),
  };
  if (ret_gradient->middle == NULL)
    return FALSE;
  ret_gradient->half = ret_gradient->middle + weights;
  ret_gradient->noise = ret_gradient->half + weights;
  return TRUE;
}

ASSAY_CLEAR_FUNC (UpdateGradient, update_gradient_clear, assay_drop (self->middle, g_free),
                  assay_drop (self->is_moved, g_free))

static gboolean
is_moved (const UpdateGradient *gradient, gsize row)
{
  double signal = 0, noise = 0;

  for (gsize j = 0; j < gradient->width; j++) {
    const gsize i = row * gradient->width + j;
    const double middle = fabs (gradient->middle[i]);

    if (middle > gradient->half[i] + MOVED * gradient->noise[i])
      return TRUE;
    if (gradient->half[i] == 0) {
      signal += middle * middle;
      noise += gradient->noise[i] * gradient->noise[i];
    }
  }
  return signal > 4 * noise;
}

void
update_gradient_read (const AssayLinearTraining *training, const float *before, const double *after,
                      gsize users, UpdateGradient *inout_gradient)
{
  const double rate = training->rate, n = (double) users;
  const double shrink = 1 - rate * training->penalty * (1 - training->mix);
  const double threshold = rate * training->penalty * training->mix;

  for (gsize k = 0; k < training->classes; k++) {
    for (gsize j = 0; j < inout_gradient->width; j++) {
      const gsize i = k * inout_gradient->width + j;
      const gboolean is_penalised = j < training->cols;
      const double from = n * (double) before[i];
      const double start = is_penalised ? shrink * from : from;
      const double size = MAX (fabs (from), fabs (after[i]));
      const gboolean is_cut = is_penalised && threshold > 0 && after[i] == 0;
      const double back = is_penalised && !is_cut ? copysign (n * threshold, after[i]) : 0;

      inout_gradient->middle[i] = (start - after[i] - back) / rate;
      inout_gradient->half[i] = is_cut ? n * threshold / rate : 0;
      inout_gradient->noise[i] = size * (double) FLT_EPSILON / rate;
    }
    inout_gradient->is_moved[k] = is_moved (inout_gradient, k) ? 1 : 0;
  }
}
