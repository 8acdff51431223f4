/* The game member: was each of these records among the secrets that were released? Half of them
 * were; the truth has `members`, 1 or 0 for each, and a guess `member-scores`. */
#pragma once

#include "core/plugin/attack.h"

/* ---- For the one way in which attacks are called ---- */

gboolean assay_member_check (const AssayObservation *seen, const AssayGuess *guess, GError **error);
/* What is won is the area under the ROC curve. */
gboolean assay_member_judge (const AssayTruth *truth, const AssayGuess *guess,
                             AssayControlOutcome *ret_outcome, GError **error);
