/* Sums of the gradients of single examples, each shortened to a length first: what a round of
 * DP-SGD adds noise to (Abadi et al. 2016, "Deep Learning with Differential Privacy", algorithm 1).
 *
 * An example goes through the tape by itself: with four at a time its gradient would take a pass
 * back of all four. Sums are in the order of the examples, and so the same to the bit for any
 * number of threads. */
#pragma once

#include "core/network/train.h"

typedef struct _AssayClippedSum AssayClippedSum;

/* Of a finished tape with `images` = 1, which it goes by and which may change its weights between
 * sums. ASSAY_ERROR_MEMORY. */
AssayClippedSum *assay_clipped_sum_new (const AssayTape *tape, GError **error);
ASSAY_DECLARE_FREE (AssayClippedSum, assay_clipped_sum_free)

/* Adds over the examples @items g_i min (1, clip / |g_i|), g_i the gradient of an example's loss
 * by the tape's parameters. One whose gradient is not finite counts for nothing.
 * ASSAY_ERROR_CANCELLED upon Ctrl-C. */
gboolean assay_clipped_sum_add (AssayClippedSum *sum, const AssayTapeExamples *examples,
                                const gsize *items, gsize count, double clip, GError **error);
/* The sum since the last call, which begins anew: @ret_sum, of the tape's parameters. */
void assay_clipped_sum_take (AssayClippedSum *sum, float *ret_sum);

/* Bytes of it, for a tape that was not finished. */
guint64 assay_clipped_sum_bytes (const AssayTapeSize *size);
