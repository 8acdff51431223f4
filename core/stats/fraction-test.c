/* Is a mean of values from 0 to 1 above or below a bound? (Of differences: of a range that is moved
 * and scaled to 0 to 1.)
 *
 * Gaffke's statistic (Gaffke 2005, Mathematical Methods of Statistics 14; Learned-Miller and Thomas
 * 2019, arXiv:1905.06208). Groups g = 1 .. G have sizes n_g and means m_g; "the mean is at least b"
 * has the p-value
 *
 *   P (sum_g E_g n_g (m_g - b) + E_0 max_g (n_g) (1 - b) >= 0),   E_0 .. E_G exponential, mean 1:
 *
 * a bootstrap with smooth weights of the groups and of one more, as large as the largest, in which
 * every outcome is 1. Where all m_g are 0 or 1 and sizes are equal this is the exact binomial tail,
 * and with many groups it is the bootstrap. The largest size stands there because n_g (m_g - b) has
 * only that bound: a group of the largest size may be missing, and weighs more than those seen.
 *
 * That it holds its level for every distribution is proved in special cases only; no counterexample
 * is known (docs/statistics.md). */
#include "core/stats/fraction-test.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/vectors.h"

/* More units than anybody would collect. */
#define MOST_UNITS 1e15

/* Of probabilities that are none in a double. */
#define LEAST_LOG (-700)

static gboolean
is_share (const AssaySample *sample)
{
  return sample->p < 0
         && (sample->is_difference
             || (sample->measure->low == 0 && sample->measure->high == 1
                 && !sample->measure->is_influence));
}

/* Of quantiles those in many groups, where outcomes beyond the bound can be counted as in the sign
 * test. With few groups the statistic is the mean of the groups' own quantiles: no share. */
gboolean
assay_fraction_is_tested (const AssaySample *sample)
{
  switch (sample->method) {
  case ASSAY_SAMPLE_BOOTSTRAP:
  case ASSAY_SAMPLE_GROUP_T:
    return is_share (sample);
  case ASSAY_SAMPLE_GROUP_BOOTSTRAP:
    return is_share (sample) || sample->p >= 0;
  case ASSAY_SAMPLE_EXTREME:
    return sample->n_groups > 0;
  case ASSAY_SAMPLE_BINOMIAL:
  case ASSAY_SAMPLE_ORDER:
  case ASSAY_SAMPLE_TOO_SMALL:
  case ASSAY_SAMPLE_CROSSED:
  case ASSAY_SAMPLE_EXCESS:
  case ASSAY_SAMPLE_AUDIT:
    break;
  }
  return FALSE;
}

/* One side of the test: is the mean above, or below, the bound? */
typedef struct {
  double *means; /* of groups, or the values of independent units */
  double *sizes;
  gsize n;
  double bound;
  gboolean is_above;
  gboolean is_weighted; /* by size; otherwise the statistic is the mean of the means */
} Shares;

ASSAY_LOCAL_CLEAR (Shares, shares_clear, g_free (self->means), g_free (self->sizes))

/* A number of the measure's range as a share of it. */
static double
scaled (const AssaySample *sample, double value)
{
  const AssayMeasure *measure = sample->measure;

  return sample->is_difference
             ? CLAMP ((value - measure->low) / (measure->high - measure->low), 0, 1)
             : value;
}

/* A p-quantile above b leaves more than a share 1 - p of values above b; one below b more than a
 * share p below, of which this counts the others. */
static double
value_of (const AssaySample *sample, double value, double bound, gboolean is_above)
{
  if (sample->p < 0)
    return scaled (sample, value);
  return is_above ? value > bound : value >= bound;
}

static Shares
shares_of (const AssaySample *sample, double bound, gboolean is_above)
{
  const gsize n = assay_sample_n_independent (sample);
  Shares shares = { .means = g_new0 (double, n),
                    .sizes = g_new0 (double, n),
                    .n = n,
                    .bound = sample->p < 0 ? scaled (sample, bound) : 1 - sample->p,
                    .is_above = is_above,
                    .is_weighted = sample->method != ASSAY_SAMPLE_GROUP_T };

  for (gsize i = 0; i < sample->n; i++) {
    const gsize place = sample->n_groups > 0 ? sample->units[i].group : i;

    shares.means[place] += value_of (sample, sample->units[i].value, bound, is_above);
    shares.sizes[place] += 1;
  }
  for (gsize g = 0; g < n; g++)
    shares.means[g] /= shares.sizes[g];
  return shares;
}

/* sum_g a_g E_g with a largest a_g of 1. E_g is Gamma with shape counts[g] (exponential: 1). Its
 * transform divided by s is exp (phi (s)), phi (s) = -log s - sum_g counts[g] log (1 - a_g s). */
typedef struct {
  double *a;
  double *counts;
  gsize n;
} Tail;

ASSAY_LOCAL_CLEAR (Tail, tail_clear, g_free (self->a), g_free (self->counts))

static double complex
tail_phi (const Tail *tail, double complex s)
{
  double complex sum = clog (s);

  for (gsize g = 0; g < tail->n; g++)
    sum += tail->counts[g] * clog (1 - tail->a[g] * s);
  return -sum;
}

/* Where phi, convex between its poles at 0 and 1, is least. */
static double
tail_saddle (const Tail *tail)
{
  double low = 0, high = 1, c = 0.5;

  for (gsize step = 0; step < 200; step++) {
    double slope = -1 / c, curvature = 1 / (c * c), next;

    for (gsize g = 0; g < tail->n; g++) {
      const double term = tail->a[g] / (1 - tail->a[g] * c);

      slope += tail->counts[g] * term;
      curvature += tail->counts[g] * term * term;
    }
    *(slope < 0 ? &low : &high) = c;
    next = c - slope / curvature;
    if (fabs (next - c) < 1e-4 * MIN (c, 1 - c))
      break;
    c = next > low && next < high ? next : (low + high) / 2;
  }
  return c;
}

/* P (sum > 0), the integral of exp (phi (s)) / (2 pi i) along a line upwards between the poles. On
 * s = c + i r sinh (u) the trapezoidal rule errs by exp (-pi^2 / step): each halving of the step
 * doubles the correct digits, so that a change of 1e-7 leaves none to be seen. */
static double
tail_integral (const Tail *tail)
{
  const double c = tail_saddle (tail), radius = MIN (c, 1 - c);
  const double height = creal (tail_phi (tail, c));
  double sum = 0.5, step = 1, integral = 0, before;
  gsize halvings = 0;

  if (height < LEAST_LOG)
    return 0;
  do {
    before = integral;
    step /= 2;
    /* All points at first, then those between. */
    for (gsize i = 1;; i += halvings > 0 ? 2 : 1) {
      const double u = step * (double) i;
      const double complex s = c + I * radius * sinh (u);
      const double complex f = cexp (tail_phi (tail, s) - height) * cosh (u);

      sum += creal (f);
      if (cabs (f) < 1e-17 * fabs (sum))
        break;
    }
    integral = sum * step;
  } while (++halvings < 12 && fabs (integral - before) > 1e-7 * integral);
  return exp (height) * radius / G_PI * integral;
}

/* P (sum_g a_g E_g + E_0 > 0) with @copies of each E_g; @a is sorted. Of what is more likely than
 * not, the opposite is computed. */
static double
gaffke_tail (double *a, gsize n, double copies)
{
  g_auto (Tail) tail = { .a = g_new (double, n + 1), .counts = g_new (double, n + 1) };
  double mean = 1, scale;

  qsort (a, n, sizeof *a, assay_compare_doubles);
  for (gsize g = 0; g < n; g++) {
    mean += copies * a[g];
    if (tail.n == 0 || a[g] != tail.a[tail.n - 1]) {
      tail.counts[tail.n] = 0;
      tail.a[tail.n++] = a[g];
    }
    tail.counts[tail.n - 1] += copies;
  }
  tail.a[tail.n] = 1;
  tail.counts[tail.n++] = 1;
  scale = mean > 0 ? a[0] : 1;
  for (gsize g = 0; g < tail.n; g++)
    tail.a[g] /= scale;
  return mean > 0 ? 1 - tail_integral (&tail) : tail_integral (&tail);
}

/* With every mean moved by @shift, but not past 0 and 1, and with @copies of each group. */
static double
gaffke_p (const Shares *shares, gboolean is_weighted, double shift, double copies)
{
  const double room = shares->is_above ? shares->bound : 1 - shares->bound;
  g_autofree double *a = g_new (double, shares->n);
  double largest = 0, log_p = 0;
  gsize n_positive = 0, n_negative = 0;

  for (gsize g = 0; g < shares->n; g++)
    largest = MAX (largest, is_weighted ? shares->sizes[g] : 1);
  for (gsize g = 0; g < shares->n; g++) {
    const double mean = CLAMP (shares->means[g] + shift, 0, 1);
    const double excess = shares->is_above ? shares->bound - mean : mean - shares->bound;

    a[g] = excess * (is_weighted ? shares->sizes[g] / largest : 1);
    n_positive += excess > 0;
    n_negative += excess < 0;
  }
  if (n_negative == 0)
    return 1;
  if (room <= 0)
    return 0;
  for (gsize g = 0; g < shares->n; g++) {
    a[g] = MIN (a[g] / room, 1);
    log_p -= copies * log1p (-MIN (a[g], 0));
  }
  /* Only E_0 has a positive weight: it exceeds sum_g -a_g E_g by the product of transforms. */
  return n_positive == 0 ? exp (log_p) : CLAMP (gaffke_tail (a, shares->n, copies), 0, 1);
}

/* As clear as so many groups can be: all of them on one side. */
static double
least_share_p (const Shares *shares, double copies)
{
  return gaffke_p (shares, TRUE, shares->is_above ? 1 : -1, copies);
}

/* A sample with a success never speaks for a low rate more clearly than one without, whose groups
 * count by their sizes whatever their number. */
static double
share_p (const Shares *shares, double shift, double copies)
{
  const double p = gaffke_p (shares, shares->is_weighted, shift, copies);

  return shares->is_weighted ? p : MAX (p, least_share_p (shares, copies));
}

double
assay_fraction_p (const AssaySample *sample, double bound, gboolean is_above)
{
  g_auto (Shares) shares = shares_of (sample, bound, is_above);

  return share_p (&shares, 0, 1);
}

double
assay_fraction_least_p (const AssaySample *sample, double bound, gboolean is_above)
{
  g_auto (Shares) shares = shares_of (sample, bound, is_above);

  return least_share_p (&shares, 1);
}

/* The mean of this sample moved as far from the bound as its p-value needs. */
static double
detectable_share (const AssaySample *sample, double bound, gboolean is_above, double alpha)
{
  g_auto (Shares) shares = shares_of (sample, bound, is_above);
  double decides = is_above ? 1 : -1, does_not = -decides, sum = 0, total = 0;

  while (fabs (decides - does_not) > 1e-6) {
    const double middle = (decides + does_not) / 2;

    *(share_p (&shares, middle, 1) < alpha ? &decides : &does_not) = middle;
  }
  for (gsize g = 0; g < shares.n; g++) {
    const double size = shares.is_weighted ? shares.sizes[g] : 1;

    sum += size * CLAMP (shares.means[g] + decides, 0, 1);
    total += size;
  }
  if (sample->is_difference)
    return sample->measure->low + (sample->measure->high - sample->measure->low) * sum / total;
  return sum / total;
}

/* The bound moved by the distance from the estimate to the last outcome that this quantile is told
 * from; all outcomes are at hand, so that the end of the range stands for none. */
static double
detectable_quantile (const AssaySample *sample, double bound, gboolean is_above, double alpha)
{
  const AssayMeasure *measure = sample->measure;
  gsize low = 0, high = sample->n; /* outcomes that it is told from, counted from the far end */
  double limit = is_above ? measure->low : measure->high, moved;

  while (low < high) {
    const gsize middle = (low + high) / 2;
    const AssayUnit *unit = &sample->units[is_above ? middle : sample->n - 1 - middle];

    if (assay_fraction_p (sample, unit->value, is_above) < alpha) {
      limit = unit->value;
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  moved = bound + sample->estimate - limit;
  return moved >= measure->low && moved <= measure->high ? moved : NAN;
}

double
assay_fraction_detectable (const AssaySample *sample, double bound, gboolean is_above, double alpha)
{
  if (assay_fraction_least_p (sample, bound, is_above) >= alpha)
    return NAN;
  return is_share (sample) ? detectable_share (sample, bound, is_above, alpha)
                           : detectable_quantile (sample, bound, is_above, alpha);
}

double
assay_fraction_units_needed (const AssaySample *sample, double bound, gboolean is_above,
                             double alpha)
{
  g_auto (Shares) shares = shares_of (sample, bound, is_above);
  const double n_groups = (double) shares.n, most = MOST_UNITS / (double) sample->n * n_groups;
  double enough = 1;

  while (enough < most && share_p (&shares, 0, enough / n_groups) >= alpha)
    enough *= 2;
  if (enough >= most)
    return 0;
  for (guint64 step = (guint64) (enough / 4); step >= 1; step /= 2)
    if (share_p (&shares, 0, (enough - (double) step) / n_groups) < alpha)
      enough -= (double) step;
  return ceil (enough / n_groups * (double) sample->n);
}
