/* What the difference of two models tells of the gradient between them. */
#pragma once

#include "core/learn/linear-training.h"

/* How users train, by the public parameters of the release. ASSAY_ERROR_MISMATCH naming one that is
 * withheld or missing. Several local steps on the same samples are read as one step of their length
 * together: exact under the hinge loss as long as no margin is crossed in between, and else up to
 * how much the slopes change on the way. */
gboolean update_training_of (const AssayRelease *release, AssayLinearTraining *ret_training,
                             GError **error);

/* What users sent in clear (`locals`). ASSAY_ERROR_MISMATCH where the release does not have it. */
gboolean update_messages_of (const AssayRelease *release, AssayView *ret_messages, GError **error);

/* The mean gradient G of the loss (classes x width) of one step from a model w to w+. Where w+ is
 * not 0 it is exact, up to the rounding of float32:
 *   G = ((1 - gamma lambda (1 - rho)) w - w+ - gamma lambda rho sign (w+)) / gamma
 * and where the L1 penalty made it 0 it is known to an interval of width 2 lambda rho. */
typedef struct {
  gsize classes;
  gsize width;
  double *middle;   /* classes x width */
  double *half;     /* ... half of the interval; 0: exact */
  double *noise;    /* ... rounding errors */
  guint8 *is_moved; /* classes: the row says that its gradient is not 0 */
} UpdateGradient;

/* Arrays for models of @training. */
gboolean update_gradient_init (const AssayLinearTraining *training, UpdateGradient *ret_gradient,
                               GError **error);
ASSAY_DECLARE_CLEAR (UpdateGradient, update_gradient_clear)

/* @after: w+, or, with @users above 1, the sum of so many of them, whose gradients are added up;
 * those are exact without L1 alone. */
void update_gradient_read (const AssayLinearTraining *training, const float *before,
                           const double *after, gsize users, UpdateGradient *inout_gradient);
