/* Mechanisms that leak where an additive score of their columns does not look. All take the
 * settings and the inputs (1 and 0) of known-mechanisms.h, and claim epsilon 1. */
#pragma once

#include "tests/reference/known-mechanisms.h"

/* interaction: two normal columns, whose signs agree in 95 of 100 runs on 1, in 5 on 0.
 * rare: Laplace noise of epsilon 1, and in one run of 1000 0.625 or 0.125, as the input is.
 * tails: the same noise, and in one run of 250 a number of either sign between 50 and 100 on 1,
 * between 100 and 200 on 0.
 * digits: noise of the same epsilon at scale 1000, rounded to 0.01, and 0.003 more on 1.
 * order: three columns beside a common normal of deviation 100, whose order is an even permutation
 * in 95 of 100 runs on 1, in 5 on 0.
 * nan: the same Laplace noise, and in one run of 400 on 1 NaN.
 * generator: the same Laplace noise from 16 random bits.
 * rows: 8 columns of 100 values, and in one run of 100 one of 50 rows, others on 1 than on 0.
 * reused: the input and a half, each with the same Laplace noise of epsilon 1.
 * off_by_one: a sparse vector of 8 answers, the first six of which are 0 on 1 and 1 on 0, the
 * others 1 on 1 and 0 on 0, with a budget for one answer above the threshold of 0, that stops after
 * the second.
 * unclamped: the same Laplace noise on 1 and 0 times 3, as a value outside of its domain has.
 * first: the same Laplace noise, but in the first run of a batch, which has none. */
extern const AssayMechanism leaky_interaction, leaky_rare, leaky_tails, leaky_digits, leaky_order,
    leaky_nan, leaky_generator, leaky_rows, leaky_reused, leaky_off_by_one, leaky_unclamped,
    leaky_first;

/* ln of how much more probable it is that the last of so many answers are above the threshold and
 * the @not_above before them are not, on the one input than on the other; by integration. */
double leaky_off_by_one_epsilon (guint answers, guint not_above);

/* Honest runs of epsilon 1 that are not independent.
 * constant: every start of the generator gives the same noise.
 * counter: the noise of run i of a start is made from i alone.
 * repeated: the noise of run i is that of run i - 500. */
extern const AssayMechanism dependent_constant, dependent_counter, dependent_repeated;
