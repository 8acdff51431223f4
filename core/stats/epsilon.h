/* Lower bounds on epsilon from what a distinguishing game counted (docs/statistics.md, "Epsilon").
 *
 * Two inputs, N fresh runs on each, an event fixed before any of them was seen, true in tp runs on
 * the first input and in fp on the second:
 *   eps_low (a) = max (0, ln ((L (tp, N, a/2) - delta) / U (fp, N, a/2)))
 * with the Clopper-Pearson bounds L and U of binomial.h; true with probability 1 - a at least.
 *
 * One-run audits (Steinke, Nasr and Jagielski 2023, Privacy Auditing with One (1) Training Run,
 * theorem 5.2): m canaries each included with probability 1/2, r guesses of which v were right,
 *   q = 1 / (1 + exp (-eps)), X ~ Binomial (r, q),
 *   p (eps) = min (1, P[X >= v] + 2 m delta max_{1<=i<=v} P[v - i <= X < v] / i),
 * and eps_low (a) is the largest eps with p (eps) < a; p rises with eps. */
#pragma once

#include <glib.h>

#include "core/stats/measure.h"

G_BEGIN_DECLS

/* ln ((tp / N - delta) / (fp / N)), at least 0: no bound. G_MAXDOUBLE where fp = 0 and what stands
 * above it is not. One run: ln (v / (r - v)), the epsilon of the share of right guesses, whatever
 * delta is. */
double assay_epsilon_estimate (const AssayAudit *audit);

/* eps_low at level @alpha, 0 < alpha < 1; never below 0. */
double assay_epsilon_lower (const AssayAudit *audit, double alpha);

/* The largest eps_low that so many runs (guesses) could have shown: tp = N, fp = 0; v = r. */
double assay_epsilon_ceiling (const AssayAudit *audit, double alpha);

/* The smallest a at which eps_low (a) exceeds @epsilon >= 0: the one-sided p-value of "epsilon is
 * at most this"; 1 where none does. Below alpha exactly where eps_low (alpha) exceeds @epsilon.
 * Right down to DBL_MIN, which stands for everything below it too. One run: p (epsilon) itself. */
double assay_epsilon_p_value (const AssayAudit *audit, double epsilon);

/* How many runs a side (or guesses) would give an eps_low above @epsilon at level @alpha if the
 * shares stayed as they are, counts rounded against the audit; canaries stay in proportion to
 * guesses. 0: no number up to 10^15 would. */
double assay_epsilon_runs_needed (const AssayAudit *audit, double epsilon, double alpha);

/* The probability that @runs runs a side show an eps_low above @epsilon at level @alpha, when the
 * event has probability @p_first on the first input and @p_second on the second. A sum over all
 * counts; where fp takes thousands of values, over its quantiles, with an error below 10^-3. */
double assay_epsilon_power (guint64 runs, double p_first, double p_second, double delta,
                            double epsilon, double alpha);
/* The most that such a power can be for any event of any mechanism whose (@true_epsilon, @delta) is
 * right: over the largest p_first that each p_second allows. */
double assay_epsilon_most_power (guint64 runs, double true_epsilon, double delta, double epsilon,
                                 double alpha);

/* The same of a one-run audit with @audit's guesses, canaries and delta, each guess being right
 * with probability @right. */
double assay_epsilon_one_run_power (const AssayAudit *audit, double right, double epsilon,
                                    double alpha);

G_END_DECLS
