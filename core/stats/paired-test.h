/* Did an outcome get worse on the same units? One-sided tests of paired outcomes. */
#pragma once

#include "core/stats/estimate.h"
#include "core/stats/sample.h"

/* @before and @after hold the @n outcomes of the same units in the same order; @measure says which
 * direction leaks. Independent units of a rate: exact McNemar (the discordant pairs are
 * Binomial (b + c, 1/2)). Otherwise the mean difference, by paired bootstrap, or in groups as
 * sample.h judges them; where no resample reached 0, by the tail of t. Where k units
 * or groups changed at all, what is resampled is at least 2^-k, and so is t of groups of which some
 * did not change or that all changed by the same. @groups as there. */
AssayPairedTest assay_paired_test (const AssayMeasure *measure, const double *before,
                                   const double *after, const gint64 *groups, gsize n,
                                   AssayStreamKey stream);

/* Did an audit certify more than an earlier one of the same mechanism? One-sided normal test of the
 * difference of the log ratios ln ((hits / runs - delta) / (mistakes / runs)), counts with 1/2
 * added (delta method); of one-run audits, of the log odds of a right guess. The two audits are
 * independent unless they are the same run, whose difference is 0. */
AssayPairedTest assay_audit_test (const AssayAudit *before, const AssayAudit *after);
