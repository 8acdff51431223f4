/* How well scores put rows that have a label before those that have not. */
#pragma once

#include <glib.h>

/* Average precision over thresholds. With rows in the order of falling scores and a threshold
 * between any two different ones,
 *   AP = sum over thresholds s of (recall (s) - recall (before s)) precision (s),
 * so that rows of equal scores stand on one side together: a model that scores all rows alike has
 * the share of rows that have the label. n scores, none of them a NaN, and at least one row that
 * @has the label.
 *
 * Adds to each @inout_influences what row i does to AP: AP + n dAP / dw_i at the weights w = 1 of
 * the rows. Their mean is AP, and intervals of that mean are those of AP as far as AP is linear in
 * the weights (infinitesimal jackknife: Efron 1982, "The Jackknife, the Bootstrap and Other
 * Resampling Plans", chapter 6). */
double average_precision (const double *scores, const gboolean *has, gsize n,
                          double *inout_influences);
