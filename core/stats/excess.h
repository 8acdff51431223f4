/* How far right guesses about people exceed those of a control: (a - c) / (1 - c), where a is the
 * share of right guesses and c that of the same attack where the release cannot have helped it
 * (Giomi, Boenisch, Wehmeyer and Tasnadi 2023, Anonymeter, equation 4). 0: no better than the
 * control; 1: always right. Where the control is what guesses and answers agree in by chance, it is
 * Cohen's kappa (Cohen 1960).
 *
 * "The excess is at most b" says that the mean over people of d_i = a_i - b - (1 - b) c_i is at
 * most 0. Both outcomes of a person stand in one difference, so that they may depend on each other,
 * and with a_i from 0 to 1 and c_i from -1 to 2 it lies between b - 2 and 2 - 2 b: a mean of
 * bounded numbers, which is tested as every other (fraction-test.h). The interval holds the b that
 * are not refused. */
#pragma once

#include "core/stats/estimate.h"
#include "core/stats/sample.h"

/* Of samples of method EXCESS: the p-value of "the excess is at most @bound" (-1 to 1), or, with
 * @is_above FALSE, "at least". */
double assay_excess_p (const AssaySample *sample, double bound, gboolean is_above);

/* As assay_bound_least_p: of people who were all guessed right, or all wrong, where the control is
 * as it is. */
double assay_excess_least_p (const AssaySample *sample, double bound, gboolean is_above);

/* What each of @n units does to the excess: numbers whose mean it is, from its right guess and its
 * control. The mean of the controls must be below 1. */
void assay_excess_influence (const double *right, const double *control, gsize n,
                             double *ret_outcomes);

/* Both sides at level @a, cut to the range of the measure. */
void assay_excess_interval (const AssaySample *sample, double a, AssayInterval *inout_interval);
