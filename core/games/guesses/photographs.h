/* What a guess may say of photographs whose descriptors were released, in place of the descriptors:
 * `photographs` (u x p: square pictures in grey, row by row, of 0 .. 255, each of a whole
 * photograph, whatever its sides), and `photograph-groups` (u, rising), the group of secrets that
 * each is of. */
#pragma once

#include "core/plugin/attack.h"

gboolean assay_guess_is_of_photographs (const AssayGuess *guess);

/* ---- For the one way in which attacks are called ---- */

gboolean assay_photographs_check (const AssayObservation *seen, const AssayGuess *guess,
                                  GError **error);
/* The share of pictures that are more like their own photograph than like any other, by the
 * correlation of pixels. The truth has `groups` and `originals`, which are the photographs of the
 * secrets in the size of the guess. */
gboolean assay_photographs_judge (const AssayControlCase *control_case, const AssayGuess *guess,
                                  AssayControlOutcome *ret_outcome, GError **error);
