/* Lower bounds on epsilon as their definitions say. */
#include "tests/reference/naive-epsilon.h"

#include <math.h>

#include "tests/reference/naive-interval.h"

/* ln ((first - delta) / second), never below 0. */
static double
epsilon_between (double first, double second, double delta)
{
  return first - delta > second ? log ((first - delta) / second) : 0;
}

double
naive_epsilon_lower (guint64 hits, guint64 mistakes, guint64 runs, double delta, double alpha)
{
  return epsilon_between (naive_binomial_lower (hits, runs, alpha / 2),
                          naive_binomial_upper (mistakes, runs, alpha / 2), delta);
}

double
naive_one_run_p (guint64 right, guint64 guesses, guint64 canaries, double delta, double epsilon)
{
  const double q = 1 / (1 + exp (-epsilon));
  /* Below the mean, terms begin too small for a double. */
  const double tail = right > 0 && (double) right < q * (double) guesses
                          ? 1 - naive_binomial_at_most (right - 1, guesses, q)
                          : naive_binomial_at_least (right, guesses, q);
  long double window = 0, densest = 0;

  for (guint64 i = 1; i <= right; i++) {
    window += naive_binomial_term (right - i, guesses, q);
    densest = fmaxl (densest, window / (long double) i);
  }
  return fmin (1, tail + 2 * (double) canaries * delta * (double) densest);
}

double
naive_epsilon_power (guint64 runs, double p_first, double p_second, double delta, double epsilon,
                     double alpha)
{
  g_autofree double *lower = g_new (double, runs + 1);
  g_autofree double *upper = g_new (double, runs + 1);
  g_autofree double *first = g_new (double, runs + 1);
  double power = 0;

  for (guint64 x = 0; x <= runs; x++) {
    lower[x] = naive_binomial_lower (x, runs, alpha / 2);
    upper[x] = naive_binomial_upper (x, runs, alpha / 2);
    first[x] = naive_binomial_term (x, runs, p_first);
  }
  for (guint64 hits = 0; hits <= runs; hits++)
    for (guint64 mistakes = 0; mistakes <= runs; mistakes++)
      if (epsilon_between (lower[hits], upper[mistakes], delta) > epsilon)
        power += first[hits] * naive_binomial_term (mistakes, runs, p_second);
  return power;
}

AssayAudit
audit_two_inputs (guint64 hits, guint64 mistakes, guint64 runs, double delta)
{
  return (AssayAudit){ ASSAY_AUDIT_TWO_INPUTS, delta, runs, hits, mistakes };
}

AssayAudit
audit_one_run (guint64 right, guint64 guesses, guint64 canaries, double delta)
{
  return (AssayAudit){ ASSAY_AUDIT_ONE_RUN, delta, guesses, right, canaries };
}

double
audit_lower (AssayAudit audit, double alpha)
{
  return assay_epsilon_lower (&audit, alpha);
}

double
audit_p (AssayAudit audit, double epsilon)
{
  return assay_epsilon_p_value (&audit, epsilon);
}
