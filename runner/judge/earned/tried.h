/* The pairs of inputs that an audit tried: how many of how many, and whether they could have shown
 * what the claim is about. */
#pragma once

#include "runner/judge/hypothesis.h"

/* An audit that certifies less than this share of the claim, though it has the power to see one and
 * a half of it, was not given the inputs for which the claim is made. */
#define ASSAY_SHOWN_SHARE 0.2

/* "; of 7 pairs 3 were tried, decisive (0) and (1)"; of several trials the one that tried least.
 * NULL in @ret_note where the audit has no pairs. */
gboolean assay_tried_note (const AssayQuestion *question, gsize first, char **ret_note,
                           GError **error);

/* Why the pairs of an audit that has the power support no `unrefuted`; NULL in @ret_lacks: they
 * do. */
gboolean assay_tried_check (const AssayQuestion *question, const AssayResultHypothesis *hypothesis,
                            gsize first, char **ret_lacks, GError **error);
