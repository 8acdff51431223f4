/* Lower bounds on epsilon from what a distinguishing game counted. Binomial tails come from
 * libRmath; p-values are read off tails, not off inverted bounds, so that they are right wherever a
 * double can hold them. */
#include "core/stats/epsilon.h"

#include <float.h>
#include <math.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#include "core/base/each.h"
#include "core/stats/binomial.h"

/* More runs than anybody would make. */
#define MOST_RUNS 1e15

/* Halvings of an interval of 700 or less, the range of a double's logarithm, to its last digit. */
#define HALVINGS 64

/* Where the power is summed over every count, and into how many slices of equal probability the
 * counts are cut where they are more. What is summed falls from 1 to 0 at most, so that its mean
 * over slices by their medians is wrong by 1 / (2 POWER_SLICES) at most. */
#define MOST_SUMMED 4096
#define POWER_SLICES 1024
/* Of the counts, what both ends leave out. */
#define LEFT_OUT 1e-12
#define SURE 0.9999 /* a power that needs no more looking for a larger one */

static double
at_least_0 (double epsilon)
{
  return epsilon > 0 ? epsilon : 0;
}

/* ---- One run ---- */

/* max of P[k < Y <= k + i] / i over 1 <= i <= @most, of Y ~ Binomial (n, @chance). The terms rise
 * up to the mode and fall beyond, so their mean over a window that begins at k + 1 rises until the
 * next term is below it and falls from there on; that i is found by bisection, from the mode on,
 * so that differences of nearly equal tails decide nothing. */
static double
densest_window (double k, double n, double chance, double most)
{
  const double before = pbinom (k, n, chance, TRUE, FALSE);
  const double to_mode = floor ((n + 1) * chance) - k;
  double low = CLAMP (to_mode, 1, most), high = to_mode < 1 ? 1 : most;

  while (low < high) {
    const double i = floor ((low + high) / 2);
    const double mass = pbinom (k + i, n, chance, TRUE, FALSE) - before;

    if (mass / i < dbinom (k + i + 1, n, chance, FALSE))
      low = i + 1;
    else
      high = i;
  }
  /* One term as it is: as a difference of tails it would lose digits. */
  if (low == 1)
    return dbinom (k + 1, n, chance, FALSE);
  return (pbinom (k + low, n, chance, TRUE, FALSE) - before) / low;
}

/* p (eps) of the header, in wrong guesses Y = r - X: P[X >= v] = P[Y <= r - v], and their chance
 * 1 - q keeps its digits where epsilon is large.
 *
 * It rises with epsilon. The second term, c max ..., falls where v - 1 is below the mode and i = 1
 * the densest window; but for the sum to fall, c must be above 1 / (1 - t), t < 1 the ratio of
 * P[X = v - 2] to P[X = v - 1], and as further ratios are smaller still, P[X < v] is at most
 * P[X = v - 1] / (1 - t): the sum is above 1 there. */
static double
one_run_p (const AssayAudit *audit, double epsilon)
{
  const double guesses = (double) audit->runs, right = (double) audit->hits;
  const double wrong = guesses - right, chance = 1 / (1 + exp (epsilon));
  double p = pbinom (wrong, guesses, chance, TRUE, FALSE);

  if (audit->delta > 0 && right > 0)
    p += 2 * (double) audit->mistakes * audit->delta
         * densest_window (wrong, guesses, chance, right);
  return MIN (p, 1);
}

/* Without delta, p (eps) < alpha means q < L (v, r, alpha); and 1 - L (v) = U (r - v). */
static double
one_run_lower (const AssayAudit *audit, double alpha)
{
  const double guesses = (double) audit->runs, right = (double) audit->hits;
  double low = 0;
  double high = at_least_0 (log (assay_binomial_lower (right, guesses, alpha)
                                 / assay_binomial_upper (guesses - right, guesses, alpha)));

  if (!(audit->delta > 0))
    return high;
  ASSAY_BISECT_REAL (HALVINGS, epsilon, low, high, one_run_p (audit, epsilon) < alpha)
  return low;
}

/* ---- Two inputs ---- */

static double
two_inputs_lower (const AssayAudit *audit, double alpha)
{
  const double n = (double) audit->runs;
  const double first = assay_binomial_lower ((double) audit->hits, n, alpha / 2);
  const double second = assay_binomial_upper ((double) audit->mistakes, n, alpha / 2);

  return at_least_0 (log (MAX (first - audit->delta, 0) / second));
}

/* eps_low (2 t) exceeds epsilon where L (tp, N, t) > delta + e^epsilon U (fp, N, t). With
 * u = U (fp, N, t) both sides meet where
 *   P[Binomial (N, u) <= fp] = P[Binomial (N, delta + e^epsilon u) >= tp] = t;
 * the left falls and the right rises with u, which is bisected in its logarithm. The tails are not
 * compared in theirs, because libRmath prints warnings where those are very low. Where both sides
 * are 0 at the crossing, the end is where the left becomes 0, which is below DBL_MIN as
 * it should be. */
static double
two_inputs_p (const AssayAudit *audit, double epsilon)
{
  const double n = (double) audit->runs, hits = (double) audit->hits;
  const double mistakes = (double) audit->mistakes, ratio = exp (epsilon);
  double low = DBL_MIN, high = (1 - audit->delta) / ratio;

  if (mistakes >= n || hits <= 0 || high <= low)
    return 1;
  for (guint i = 0; i < HALVINGS; i++) {
    const double middle = sqrt (low) * sqrt (high);

    if (pbinom (mistakes, n, middle, TRUE, FALSE)
        > pbinom (hits - 1, n, MIN (audit->delta + ratio * middle, 1), FALSE, FALSE))
      low = middle;
    else
      high = middle;
  }
  return MIN (2 * pbinom (mistakes, n, low, TRUE, FALSE), 1);
}

/* ---- Audits ---- */

static gboolean
is_counted (const AssayAudit *audit)
{
  return audit->hits <= audit->runs && audit->delta >= 0 && audit->delta <= 1
         && (audit->kind == ASSAY_AUDIT_ONE_RUN || audit->mistakes <= audit->runs);
}

double
assay_epsilon_estimate (const AssayAudit *audit)
{
  const double n = (double) audit->runs;
  double first = (double) audit->hits, second = (double) audit->mistakes;

  g_return_val_if_fail (is_counted (audit), 0);
  if (audit->kind == ASSAY_AUDIT_ONE_RUN)
    second = n - first;
  else
    first -= audit->delta * n;
  if (first <= 0)
    return 0;
  return second > 0 ? at_least_0 (log (first / second)) : G_MAXDOUBLE;
}

double
assay_epsilon_lower (const AssayAudit *audit, double alpha)
{
  g_return_val_if_fail (is_counted (audit) && alpha > 0 && alpha < 1, 0);
  return audit->kind == ASSAY_AUDIT_ONE_RUN ? one_run_lower (audit, alpha)
                                            : two_inputs_lower (audit, alpha);
}

double
assay_epsilon_ceiling (const AssayAudit *audit, double alpha)
{
  AssayAudit best = *audit;

  best.hits = best.runs;
  if (best.kind == ASSAY_AUDIT_TWO_INPUTS)
    best.mistakes = 0;
  return assay_epsilon_lower (&best, alpha);
}

double
assay_epsilon_p_value (const AssayAudit *audit, double epsilon)
{
  double p;

  g_return_val_if_fail (is_counted (audit) && epsilon >= 0, 1);
  p = audit->kind == ASSAY_AUDIT_ONE_RUN ? one_run_p (audit, epsilon)
                                         : two_inputs_p (audit, epsilon);
  return MAX (p, DBL_MIN);
}

/* ---- Planning ---- */

/* Whether @runs would show more than @epsilon with the shares of @audit, each count rounded against
 * the audit: so an audit that shows nothing is never told that fewer runs would have. */
static gboolean
would_show (const AssayAudit *audit, guint64 runs, double epsilon, double alpha)
{
  const double scale = (double) runs, n = (double) audit->runs;
  const double hits = (double) audit->hits * scale / n;
  const double mistakes = (double) audit->mistakes * scale / n;
  AssayAudit scaled = *audit;

  scaled.runs = runs;
  scaled.hits = (guint64) MIN (floor (hits * (1 + DBL_EPSILON)), scale);
  /* There may be far more canaries than guesses. */
  scaled.mistakes = (guint64) MIN (ceil (mistakes * (1 - DBL_EPSILON)), (double) G_MAXINT64);
  return assay_epsilon_p_value (&scaled, epsilon) < alpha;
}

double
assay_epsilon_runs_needed (const AssayAudit *audit, double epsilon, double alpha)
{
  const guint64 most = (guint64) MOST_RUNS;
  guint64 too_few = 0, enough = 1;

  g_return_val_if_fail (is_counted (audit) && epsilon >= 0 && alpha > 0 && alpha < 1, 0);
  if (audit->runs == 0)
    return 0;
  while (!would_show (audit, enough, epsilon, alpha)) {
    if (enough == most)
      return 0;
    too_few = enough;
    enough = MIN (2 * enough, most);
  }
  ASSAY_BISECT_BETWEEN (guint64, runs, too_few, enough, !would_show (audit, runs, epsilon, alpha))
  return (double) enough;
}

typedef struct {
  double runs, p_first, delta, ratio, level;
} Game;

/* The probability that the hits are enough if there are so many mistakes. L (x) exceeds a bar b
 * where P[Binomial (N, b) >= x] is below the level. */
static double
chance_beside (const Game *game, double mistakes)
{
  const double bar
      = game->delta + game->ratio * assay_binomial_upper (mistakes, game->runs, game->level);
  double enough;

  if (!(bar < 1))
    return 0;
  enough = qbinom (game->level, game->runs, bar, FALSE, FALSE) + 1;
  return pbinom (enough - 1, game->runs, game->p_first, FALSE, FALSE);
}

double
assay_epsilon_power (guint64 runs, double p_first, double p_second, double delta, double epsilon,
                     double alpha)
{
  const double n = (double) runs;
  const Game game = { n, p_first, delta, exp (epsilon), alpha / 2 };
  const double fewest = qbinom (LEFT_OUT, n, p_second, TRUE, FALSE);
  const double most = qbinom (LEFT_OUT, n, p_second, FALSE, FALSE);
  double power = 0;

  g_return_val_if_fail (epsilon >= 0 && alpha > 0 && alpha < 1, 0);
  if (most - fewest < MOST_SUMMED) {
    for (double mistakes = fewest; mistakes <= most; mistakes++)
      power += dbinom (mistakes, n, p_second, FALSE) * chance_beside (&game, mistakes);
    return MIN (power, 1);
  }
  for (guint i = 0; i < POWER_SLICES; i++)
    power += chance_beside (&game, qbinom ((i + 0.5) / POWER_SLICES, n, p_second, TRUE, FALSE));
  return power / POWER_SLICES;
}

double
assay_epsilon_most_power (guint64 runs, double true_epsilon, double delta, double epsilon,
                          double alpha)
{
  const double step = pow (10, 1 / 64.);
  double most = 0;

  /* Of rarer events than one run in ten thousand runs a side, nothing is counted. */
  for (double second = MIN (1e-4 / (double) runs, 0.5); second < 1 && most < SURE; second *= step) {
    const double first = MIN (exp (true_epsilon) * second + delta,
                              1 - exp (-true_epsilon) * MAX (1 - second - delta, 0));

    most = MAX (most, assay_epsilon_power (runs, MIN (first, 1), second, delta, epsilon, alpha));
  }
  return most;
}

/* The p-value falls as right guesses rise: the fewest that show it are looked for. */
double
assay_epsilon_one_run_power (const AssayAudit *audit, double right, double epsilon, double alpha)
{
  AssayAudit shown = *audit;
  double low = -1, high = (double) audit->runs + 1;

  while (high - low > 1) {
    const double middle = floor ((low + high) / 2);

    shown.hits = (guint64) middle;
    if (assay_epsilon_p_value (&shown, epsilon) < alpha)
      high = middle;
    else
      low = middle;
  }
  return pbinom (high - 1, (double) audit->runs, right, FALSE, FALSE);
}
