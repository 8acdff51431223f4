/* First images of secrets that were moved and mirrored, from mixtures of two of them. */
#pragma once

#include "attacks/moved/moved-features.h"

/* 1. Of some rows, those that are most like any move of them share a secret with them: moved back
 *    onto the row, and split in two along their leading direction, their means are candidates.
 * 2. Secrets are taken one by one: the candidate to which most others are like, in any move, and
 *    the mean of these moved back onto it.
 * @moves go as far as two moves of one image are apart. Replaces @ret_images (room for @n_secrets x
 * d); *@ret_found of them were found, fewer than two where no row is like another. */
gboolean moved_start (const Moves *moves, const MovedRows *rows, gsize n_secrets, float *ret_images,
                      gsize *ret_found, GError **error);
