/* Whether public images are on the scale of a release of mixtures. */
#pragma once

#include "attacks/whitened/whitening.h"

/* Mixtures of @inout_publics with @shares should have the mean square, and the ratio of the mean
 * fourth power to its square, that the @released ones (N x d, pixels of @channels interleaved; 0:
 * 1) have: the first tells units, the second whether means were taken away. Where their logarithms
 * are 0.7 or more away between them, public images are brought to mean 0 and deviation 1 in each
 * channel, as releases mostly are, times whatever the mean square asks for, if these fit better:
 * *@ret_is_changed. Those that are so already stay, if units are within a factor of 3: private
 * images may be of another kind. ASSAY_ERROR_MISMATCH where neither fits, by 2 or more. */
gboolean mixture_scale_match (AssayView released, const WhiteningShares *shares, gsize channels,
                              AssayMatrix *inout_publics, gboolean *ret_is_changed, GError **error);
