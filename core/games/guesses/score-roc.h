/* The ROC curve of scores: its area, with what each unit does to it (DeLong, DeLong and
 * Clarke-Pearson 1988, section 2), and its height at a rate of false positives. */
#pragma once

#include <glib.h>

typedef struct {
  const float *scores; /* of unit i: scores[i * stride]; higher: the more likely positive */
  gsize stride;
  const guint8 *is_positive;
  gsize n;
} AssayRoc;

/* The area: the share of pairs of a positive and a negative in which the positive scores higher,
 * equal ones counted half. @ret_influence (n numbers; may be NULL): for a positive n / n_positive
 * times its share of negatives below it less the area, for a negative n / n_negative times its
 * share of positives above it less the area. They have the mean 0, and the variance of their mean
 * is DeLong's. ASSAY_ERROR_DATA without a positive, or without a negative. */
gboolean assay_roc_area (const AssayRoc *roc, double *ret_area, double *ret_influence,
                         GError **error);

/* Of each positive the share of negatives with a lower score, equal ones counted half: its
 * placement, whose mean is the area. Entries of negatives are left alone. @ret_threshold (may be
 * NULL): as below. Needs one of each. */
void assay_roc_placements (const AssayRoc *roc, double rate, double *ret_placements,
                           float *ret_threshold);

/* The least score that at most the share @rate of the negatives exceeds; needs one of each. */
float assay_roc_threshold (const AssayRoc *roc, double rate);
