/* How much of a known noise g is in rows x = s + a g: the most likely a of normal s of any
 * covariance, by generalised least squares. The covariance is that of x - a g with the a before: at
 * the true a it is that of the secrets, and smallest. Of many columns plain least squares. */
#pragma once

#include "core/data/matrix.h"

gboolean noise_scale_find (const AssayMatrix *rows, const AssayMatrix *noise, double *ret_scale,
                           GError **error);
