/* Whom an `upheld` or `unrefuted` withstood: a verdict is worth as much as the attackers behind
 * it. */
#pragma once

#include "runner/judge/hypothesis.h"

/* Fills the claim's attackers: those of its cells, by game and knowledge, and those that could be
 * played on the same releases in the same game and that the scenario does not have. @evidence is
 * of its hypotheses. */
void assay_attackers_find (const AssayQuestion *question, const GArray *evidence);

/* Sets @ret_lacks, where the claim demands adaptive attackers, to the first defense against which
 * none was played; NULL: it demands none, or has them. */
void assay_attackers_check (const AssayQuestion *question, const GArray *evidence,
                            char **ret_lacks);
