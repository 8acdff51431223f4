/* How likely a released code is of a row: each bit a threshold along a direction of the row,
 * flipped now and then, as an attacker learns it from codes of rows of their own.
 *
 * Bit j is 1 with the probability
 *   P_j (x) = b + (1 - 2 b) / (1 + exp (-a (w_j . x + c_j)))
 * where w_j and c_j are of a logistic regression, whose direction flips do not turn, and the flips
 * b and the slope a are those of all bits together that make codes of rows that were held out most
 * likely; so is the penalty of the regression. A record that
 * differs from the row by noise has a slope less by 1 / sqrt (1 + pi / 8 (a s_j)^2), s_j the noise
 * along w_j (MacKay 1992, "The Evidence Framework Applied to Classification Networks"). */
#pragma once

#include "core/data/matrix.h"

typedef struct _BitModel BitModel;

/* From @rows (n x d) and their @bits (n x k, 1 or -1); @noise: the variance by which each number of
 * a known record differs from that of the row. */
BitModel *bit_model_new (AssayView rows, AssayView bits, double noise, GError **error);
ASSAY_DECLARE_FREE (BitModel, bit_model_free)

double bit_model_flips (const BitModel *model);

/* For each of @rows numbers (x k) whose product with the bits of a code, added to @ret_own, is the
 * logarithm of how likely the code is of the row. */
AssayMatrix *bit_model_see (const BitModel *model, AssayView rows, double *ret_own,
                            GError **error);
