/* Which windows of public images are in mixtures whose private parts are known in part. */
#pragma once

#include "attacks/whitened/window-removal.h"

/* For each mixture the best window of each image, as of window_removal_rank, but by the message of
 * the signs (mask-signs.h) that the private part `joint.known` of @removal leads to, rather than by
 * squares: of the rest r = y - q its matched filter for each window z,
 *   <r, P z> / sqrt (<z, P z>), P = (t G + s I)^-1,
 * s the message's noise and t G the covariance of what is not known. Windows on a grid of every
 * other pixel come first, by COMPONENTS components and with the mean of all mixtures' P in the
 * norm; of the images that are best so, all windows between follow, by all components.
 *
 * Cost: with W windows of the grid, about n_public W 2 C (d + N) multiplications, and 30 N d^2. */
gboolean window_search (const WindowRemoval *removal, const ImagePrior *prior,
                        const RankedWindows *windows, GError **error);
