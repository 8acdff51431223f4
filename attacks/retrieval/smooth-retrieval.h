/* Images by squares alone, where no public image of the mixtures is known.
 *
 * Phase retrieval of each pixel by itself has errors in every direction alike, and natural images
 * have little in most directions. Between its rounds a Wiener filter of the public set's covariance
 * C, x - m -> C (C + r I)^-1 (x - m), takes these errors out: signs are expected of better images,
 * which the next round turns into better ones still. The filter is applied 16 times a round at
 * first, as a narrow one, and once in the end; weights and pairs stay as they are. It needs a
 * public set of the same nature as the one that was used, and not that set. */
#pragma once

#include "attacks/inversion/mixture-intake.h"

/* Replaces the state's images, each up to its sign, in which those of pixels agree before (see
 * sign-tree.h). Cost: 28 rounds of phase retrieval and 172 n d^2 multiplications. */
gboolean smooth_retrieval (MixtureIntake *intake, GError **error);

/* The filter, @times in a row, on @count images of the intake's pixels. */
gboolean smooth_retrieval_filter (const MixtureIntake *intake, gsize times, gsize count,
                                  float *inout_images, GError **error);
