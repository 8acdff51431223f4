/* What the attacks on subspaces share. */
#pragma once

#include "core/plugin/plugin.h"
#include "core/search/scan.h"

/* What guesses of these attacks may hold beside estimates, for metrics to look at. */
extern const AssayArraySpec subspace_guess_arrays[];

/* Estimates, one for each subspace (count x cols), for the attack to fill; the guess holds them. */
float *subspace_guess (const AssaySubspaces *subspaces, AssayGuess *ret_guess, GError **error);

/* The point of subspace @index nearest to @point: t + B'B (point - t). In place allowed. */
void subspace_project (const AssaySubspaces *subspaces, gsize index, const float *point,
                       float *ret_projected);

/* Mean of @count rows (count x d) with weights 1 / distance (equation 1 of LDP-FEAT); equal weights
 * where there are no @distances (NULL). */
void subspace_weighted_centre (const float *rows, const float *distances, gsize count, gsize cols,
                               float *ret_centre);

/* Places @first to @first + @count - 1 of each of the n lists of nearest rows, as rows: an array
 * n x count x d, or NULL with an error. */
AssayArray *subspace_gather_places (const AssayNearest *nearest, gsize first, gsize count,
                                    const AssayRows *rows, AssayScale scale, GError **error);
