/* Is a statistic above or below a stated bound? */
#include "core/bound-test.h"

#include <math.h>
#include <stdlib.h>

#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#include "core/interval.h"

/* More units than anybody would collect. */
#define MOST_UNITS 1e15

/* P (X >= x) of X ~ Binomial (n, p). */
static double
upper_tail (double x, double n, double p)
{
  return x <= 0 ? 1 : pbinom (x - 1, n, p, FALSE, FALSE);
}

static AssayBoundTest
binomial_test (double x, double n, double bound)
{
  return (AssayBoundTest){ .p_above = upper_tail (x, n, bound),
                           .p_below = pbinom (x, n, bound, TRUE, FALSE) };
}

/* If the p-quantile is at most b, at most a share 1 - p of values is above b. */
static AssayBoundTest
sign_test (const AssaySample *sample, double bound)
{
  const double n = (double) sample->n;
  gsize below, above;

  assay_sample_count (sample, bound, &below, &above);
  return (AssayBoundTest){ .p_above = upper_tail ((double) above, n, 1 - sample->p),
                           .p_below = upper_tail ((double) below, n, sample->p) };
}

static AssayBoundTest
bootstrap_test (const AssaySample *sample, double bound, AssayStreamKey stream)
{
  g_autofree double *resampled = assay_sample_resample (sample, stream);
  gsize at_most = 0, at_least = 0;

  for (gsize b = 0; b < ASSAY_RESAMPLES; b++) {
    at_most += resampled[b] <= bound;
    at_least += resampled[b] >= bound;
  }
  return (AssayBoundTest){ .p_above = (double) (at_most + 1) / (ASSAY_RESAMPLES + 1),
                           .p_below = (double) (at_least + 1) / (ASSAY_RESAMPLES + 1) };
}

static AssayBoundTest
t_test (const AssaySample *sample, double bound)
{
  /* Equal group means would make any bound beside them certain. */
  const double error = MAX (assay_sample_group_error (sample), 1e-12);
  const double t = (sample->estimate - bound) / error;
  const double freedom = (double) (sample->n_groups - 1);

  return (AssayBoundTest){ .p_above = pt (t, freedom, FALSE, FALSE),
                           .p_below = pt (t, freedom, TRUE, FALSE) };
}

AssayBoundTest
assay_bound_test (const AssaySample *sample, double bound, AssayStreamKey stream)
{
  const double count = (double) assay_sample_n_independent (sample);

  switch (sample->method) {
  case ASSAY_SAMPLE_BINOMIAL:
  case ASSAY_SAMPLE_EXTREME:
    return binomial_test (round (sample->estimate * count), count, bound);
  case ASSAY_SAMPLE_ORDER:
    return sign_test (sample, bound);
  case ASSAY_SAMPLE_BOOTSTRAP:
  case ASSAY_SAMPLE_GROUP_BOOTSTRAP:
    return bootstrap_test (sample, bound, stream);
  case ASSAY_SAMPLE_GROUP_T:
    return t_test (sample, bound);
  case ASSAY_SAMPLE_TOO_SMALL:
    break;
  }
  return (AssayBoundTest){ .p_above = 1, .p_below = 1 };
}

typedef struct {
  double p;
  gsize place;
} Ranked;

static int
compare_ranked (gconstpointer a, gconstpointer b)
{
  const Ranked *x = a, *y = b;

  if (x->p != y->p)
    return x->p > y->p ? 1 : -1;
  return x->place < y->place ? -1 : x->place > y->place;
}

void
assay_holm (const double *p, gsize n, double *ret_adjusted)
{
  g_autofree Ranked *ranked = g_new (Ranked, n);
  double largest = 0;

  for (gsize i = 0; i < n; i++)
    ranked[i] = (Ranked){ p[i], i };
  qsort (ranked, n, sizeof *ranked, compare_ranked);
  for (gsize i = 0; i < n; i++) {
    largest = MAX (largest, MIN (1, (double) (n - i) * ranked[i].p));
    ret_adjusted[ranked[i].place] = largest;
  }
}

/* Counts that can be told from @bound begin beyond these. */
static double
detectable_rate (double count, double bound, gboolean is_above, double alpha)
{
  double x;

  if (is_above) {
    x = qbinom (alpha, count, bound, FALSE, FALSE);
    while (x <= count && upper_tail (x, count, bound) >= alpha)
      x++;
    return MIN (x / count, 1);
  }
  x = qbinom (alpha, count, bound, TRUE, FALSE);
  while (x >= 0 && pbinom (x, count, bound, TRUE, FALSE) >= alpha)
    x--;
  return MAX (x / count, 0);
}

double
assay_bound_detectable (const AssaySample *sample, double bound, gboolean is_above, double alpha,
                        AssayStreamKey stream)
{
  const AssayMeasure *measure = sample->measure;
  AssayInterval interval;

  if (sample->method == ASSAY_SAMPLE_BINOMIAL || sample->method == ASSAY_SAMPLE_EXTREME)
    return detectable_rate ((double) assay_sample_n_independent (sample), bound, is_above, alpha);
  interval = assay_sample_interval (sample, 1 - 2 * alpha, stream);
  return is_above ? MIN (bound + (interval.estimate - interval.lower), measure->high)
                  : MAX (bound - (interval.upper - interval.estimate), measure->low);
}

/* The smallest n at which a rate that stays at @rate is told from @bound. */
static double
units_for_rate (double rate, double bound, double alpha)
{
  const gboolean is_above = rate > bound;
  double enough = 1;

  while (enough < MOST_UNITS) {
    const AssayBoundTest test = binomial_test (round (rate * enough), enough, bound);

    if ((is_above ? test.p_above : test.p_below) < alpha)
      break;
    enough *= 2;
  }
  for (double step = floor (enough / 4); step >= 1; step = floor (step / 2)) {
    const double fewer = enough - step;
    const AssayBoundTest test = binomial_test (round (rate * fewer), fewer, bound);

    if ((is_above ? test.p_above : test.p_below) < alpha)
      enough = fewer;
  }
  return enough;
}

double
assay_bound_units_needed (const AssaySample *sample, double bound, double alpha,
                          AssayStreamKey stream)
{
  const gboolean is_above = sample->estimate > bound;
  AssayBoundTest test;
  double now, needed;

  if (sample->estimate == bound || sample->method == ASSAY_SAMPLE_TOO_SMALL)
    return 0;
  if (sample->method == ASSAY_SAMPLE_BINOMIAL)
    return units_for_rate (sample->estimate, bound, alpha);
  test = assay_bound_test (sample, bound, stream);
  now = qnorm (is_above ? test.p_above : test.p_below, 0, 1, FALSE, FALSE);
  needed = qnorm (alpha, 0, 1, FALSE, FALSE);
  if (!(now > 0))
    return 0;
  return ceil ((double) sample->n * (needed / now) * (needed / now));
}
