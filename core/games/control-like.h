/* A control like the real case: for programs of others, which a small case of fixed size would tell
 * that it is the control. (That of other attacks: control-shape.h.)
 *
 * The case is made from what an attack was handed in a cell (AssayControl.make_like): same kind,
 * sizes, parameters, names and grants. Whether a guess is right to a relative error is no question
 * that it can put, since the attack may undo a scaling or shrink for the noise that this defense
 * has and the case has not. What is asked is whether the guess of an item is about this item:
 *   reconstruct  the mean placement of "the estimate is as near to its own secret" among the same
 *                of other secrets (DeLong et al. 1988; the area under the ROC curve). What near is,
 *                is the best of three: the absolute correlation of the two rows; their distance
 *                after each column was standardised over the items; and how alike the inner
 *                products with other items are, which rotations and other widths leave as they
 *                are. The last two with 16 items or more. Where estimates come in no order, the
 *                best estimate of each secret against that of rows of the same kind that are none.
 *                Of codes: the bits that agree. Of statistics, which are of all secrets together:
 *                how much nearer all estimates are to all secrets than to sets of as many other
 *                rows (energy distance, Szekely and Rizzo 2013); the case is one item.
 *   link         the share of right first candidates, beyond chance
 *   pair, member, cross   the area under the ROC curve
 *   infer        that of each value against the others, in the mean
 * Won from 0.75 on; with fewer than seven items more, such that a guess of nothing wins in at most
 * one of a hundred: that the mean of n uniform placements is y below 1 has a probability of at most
 * (n y)^n / n!, and exactly so for y <= 1/n.
 * A guess that is the same for all items, zeros say, has 0.5. */
#pragma once

#include "core/plugin/plugin.h"

/* Plays it with what the attack @seen in a cell; @key is that of the case, and another than that
 * of the attack's own stream, which a program is told. No such case of this kind can be made:
 * nothing was played, and n of @ret_outcome is 0. */
gboolean assay_control_play_like (const AssayAttack *attack, const AssayAttackContext *context,
                                  AssayStreamKey key, const AssayObservation *seen,
                                  AssayControlOutcome *ret_outcome, GError **error);

/* The share from which a control like the real case is won, with so many items. */
double assay_control_like_at_least (gsize n);
