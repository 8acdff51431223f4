/* Games whose guess is a score, and in which the area under the ROC curve is won.
 *
 * Member: was each of these records among the secrets that were released? Half of them were; the
 * truth has `members`, 1 or 0 for each, and a guess `member-scores`.
 *
 * Cross: which items of two releases are of one secret? The same defense released secrets twice,
 * with keys of their own; the second release (`crossed`) has some or all of the secrets of the
 * first, in random order. A guess has `cross-scores`, n x m: higher, the more likely item i of the
 * first and item j of the second are of one secret; the truth has `mates` (m): the item of the
 * first release that item j is a mate of. It is the question of unlinkability (ISO/IEC 24745 and
 * 30136; Gomez-Barrero, Galbally, Rathgeb and Busch 2018): mates against all other pairs. */
#pragma once

#include "core/plugin/attack.h"

gboolean assay_member_check (const AssayObservation *seen, const AssayGuess *guess, GError **error);
gboolean assay_member_judge (const AssayTruth *truth, const AssayGuess *guess,
                             AssayControlOutcome *ret_outcome, GError **error);

gboolean assay_cross_check (const AssayObservation *seen, const AssayGuess *guess, GError **error);
gboolean assay_cross_judge (const AssayTruth *truth, const AssayGuess *guess,
                            AssayControlOutcome *ret_outcome, GError **error);
