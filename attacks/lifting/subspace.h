/* What the attacks on subspaces share. */
#pragma once

#include "core/plugin/plugin.h"
#include "core/search/scan.h"

/* What guesses of these attacks may hold beside estimates, for metrics to look at. */
extern const AssayArraySpec subspace_guess_arrays[];

/* The point of subspace @index nearest to @point: t + B'B (point - t). In place allowed. */
void subspace_project (const AssaySubspaces *subspaces, gsize index, const float *point,
                       float *ret_projected);

/* Mean of @count rows (count x d) with weights 1 / distance (equation 1 of LDP-FEAT). */
void subspace_weighted_centre (const float *rows, const float *distances, gsize count, gsize cols,
                               float *ret_centre);

/* Places @first to @first + @count - 1 of each of the n lists of nearest rows, as rows: an array
 * n x count x d, or NULL with an error. */
AssayArray *subspace_gather_places (const AssayNearest *nearest, gsize first, gsize count,
                                    const AssayRows *rows, AssayScale scale, GError **error);

/* The release of a control: an affine subspace of @dimension m for each row of @secrets, through
 * that row and its @n_others rows of @others (n x n_others x d), and beyond them in random
 * directions. Written without the defense, so that a fault there cannot hide one here. */
AssayRelease *subspace_control_release (AssayView secrets, const float *others, gsize n_others,
                                        gsize dimension, AssayStream *stream, GError **error);
