/* Which two images are in each row, how each was moved, and how much there is of it. */
#pragma once

#include "attacks/moved/moved-features.h"

/* One image in a row. */
typedef struct {
  gsize image;
  gsize move;
  float weight; /* at least 0 */
} MovedPart;

/* Of each of the rows the two of the @n images (n x d, two or more) whose moves explain most of its
 * features: the first of three of the largest cosines, the second of what each of these leaves.
 * Weights are for features of length 1 of images of length 1.
 *
 * @ret_parts: N x 2. @ret_left: the part of each row's square that is left, 0 to 1, N. Cost: 8 N n
 * W C multiplications. */
gboolean moved_explain (const Moves *moves, const MovedRows *rows, AssayView images,
                        MovedPart *ret_parts, double *ret_left, GError **error);
