/* What an audit of epsilon would have seen of a mechanism that leaks more than is claimed. */
#pragma once

#include "runner/judge/hypothesis.h"

typedef struct {
  double epsilon; /* that the mechanism would have: what the claim must have been able to see */
  double chance;  /* of a lower bound above the claim's; NAN: not known */
  gboolean is_measured; /* on an injected leak; otherwise from the density, or of one run from the
                         * best guesser */
} AssayPower;

/* The power of the hypothesis about epsilon tested on @evidence, at level @alpha. Known from the
 * density by the tight event of pair 0; measured where a leak was injected (core/games/leak.h);
 * computed for one-run audits. */
gboolean assay_power_of (const AssayQuestion *question, const AssayResultHypothesis *hypothesis,
                         const AssayEvidence *evidence, double alpha, AssayPower *ret_power,
                         GError **error);

/* How many runs on each input (or guesses) would give it a chance of @wanted, the rest as it is; 0:
 * no number up to 10^12, or not known; -1 with an error. */
double assay_power_runs_needed (const AssayQuestion *question,
                                const AssayResultHypothesis *hypothesis,
                                const AssayEvidence *evidence, double alpha, double wanted,
                                GError **error);
