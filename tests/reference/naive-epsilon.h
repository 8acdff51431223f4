/* The obvious forms of what core/stats/epsilon.c computes. */
#pragma once

#include "core/stats/epsilon.h"

G_BEGIN_DECLS

/* eps_low at level @alpha of two inputs: tails added up, their inverses by bisection. */
double naive_epsilon_lower (guint64 hits, guint64 mistakes, guint64 runs, double delta,
                            double alpha);

/* p (eps) of a one-run audit: every term, every window. O (guesses). */
double naive_one_run_p (guint64 right, guint64 guesses, guint64 canaries, double delta,
                        double epsilon);

/* The probability of an eps_low above @epsilon: the sum over all pairs of counts. */
double naive_epsilon_power (guint64 runs, double p_first, double p_second, double delta,
                            double epsilon, double alpha);

/* Audits in one line: counts of two inputs, of one run, and what is said of them. */
AssayAudit audit_two_inputs (guint64 hits, guint64 mistakes, guint64 runs, double delta);
AssayAudit audit_one_run (guint64 right, guint64 guesses, guint64 canaries, double delta);
double audit_lower (AssayAudit audit, double alpha);
double audit_p (AssayAudit audit, double epsilon);

G_END_DECLS
