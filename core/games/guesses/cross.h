/* The game cross: which items of two releases are of one secret? The same defense released secrets
 * twice, with keys of their own; the second release (`crossed`) has some or all of the secrets of
 * the first, in random order. A guess has `cross-scores`, n x m: higher, the more likely item i of
 * the first and item j of the second are of one secret; the truth has `mates` (m): the item of the
 * first release that item j is a mate of. It is the question of unlinkability (ISO/IEC 24745 and
 * 30136; Gomez-Barrero, Galbally, Rathgeb and Busch 2018). */
#pragma once

#include "core/plugin/attack.h"

/* ---- For the one way in which attacks are called ---- */

gboolean assay_cross_check (const AssayObservation *seen, const AssayGuess *guess, GError **error);
/* What is won is the area under the ROC curve: mates against all other pairs. */
gboolean assay_cross_judge (const AssayTruth *truth, const AssayGuess *guess,
                            AssayControlOutcome *ret_outcome, GError **error);
