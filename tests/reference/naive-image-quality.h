/* The obvious form of SSIM: every window by itself. */
#pragma once

#include "core/math/image-quality.h"

G_BEGIN_DECLS

/* Equations 13 to 17 of Wang et al. 2004, with all 121 weights of a window from the formula and
 * moments about its own means. */
double naive_ssim (AssayImageShape shape, double range, const float *a, const float *b);

G_END_DECLS
