/* What an `upheld` or `unrefuted` verdict must have earned beside its own tests: exit 0 is not to
 * be had by asking less (docs/what-a-verdict-means.md). */
#pragma once

#include "runner/judge/hypothesis.h"

/* The power that an audit must have had. */
#define ASSAY_WANTED_POWER 0.8

/* Sets @ret_lacks to why the claim, whose hypotheses all hold, has not earned its verdict, with
 * what would earn it; NULL: it has. @evidence is of its hypotheses, and @n_hypotheses all those of
 * the scenario. Looks at:
 *   - changed claims: whether they are those that were sealed before the first cell;
 *   - attackers that it demands;
 *   - attacks that it leaves out, and whether one of them breaks the bound;
 *   - effort: whether audits were asked for all that they can (runner/judge/earned/asks-less.h);
 *   - power: of every audit, to see the epsilon that the claim must be able to see;
 *   - pairs: whether every audit tried all pairs of inputs, and whether they show some of the claim
 *     (runner/judge/earned/tried.h);
 *   - support: whether against each defense, on each dataset, one attack was played that knows more
 *     than generic ones, was asked for all that it can, and breaks the bound on the same data where
 *     less is protected. */
gboolean assay_earned_check (const AssayQuestion *question, const GArray *evidence,
                             guint n_hypotheses, char **ret_lacks, GError **error);

/* What the verdict has to say of itself: "; it names 1 of 3 attacks", or "" . */
char *assay_earned_note (const AssayQuestion *question);
