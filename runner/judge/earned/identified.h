/* Secrets that nobody can tell in full and that can be told apart all the same: a claim that little
 * is recovered is upheld where half of a row was released, and most people are identified by it. */
#pragma once

#include "runner/judge/results.h"

/* "; but these secrets can be told apart: ... 91 % [86, 95] of them (identification-rate)", where
 * the guesses of one of the claim's cells, at the lower end of the interval, point at more of their
 * own secrets than the claim allows to be recovered, or at more than one in ten where it allows no
 * share; "": none do, or the claim is about identification itself. */
char *assay_identified_note (const AssayResultClaim *claim);
