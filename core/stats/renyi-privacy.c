/* Privacy of many rounds, by Renyi divergences. */
#include "core/stats/renyi-privacy.h"

#include <math.h>

#include "core/base/each.h"

#define MOST_ORDER 256
#define HALVINGS 60
#define LEAST_NOISE 1e-3
#define MOST_NOISE 1e6

/* ln k! for k up to the largest order: lgamma would take most of the time. */
static void
fill_log_factorials (double *ret_logs)
{
  ret_logs[0] = 0;
  for (guint k = 1; k <= MOST_ORDER; k++)
    ret_logs[k] = ret_logs[k - 1] + log (k);
}

static double
divergence (const AssaySampledGaussian *mechanism, guint order, const double *log_factorials)
{
  const double log_in = log (mechanism->rate), log_out = log1p (-mechanism->rate);
  const double scale = 1 / (2 * mechanism->noise * mechanism->noise);
  double terms[MOST_ORDER + 1], most = -G_MAXDOUBLE, sum = 0;

  if (mechanism->rate >= 1)
    return order * scale;
  for (guint k = 0; k <= order; k++) {
    const double b = k;

    terms[k] = log_factorials[order] - log_factorials[k] - log_factorials[order - k]
               + (order - b) * log_out + b * log_in + (b * b - b) * scale;
    most = fmax (most, terms[k]);
  }
  for (guint k = 0; k <= order; k++)
    sum += exp (terms[k] - most);
  return (most + log (sum)) / (order - 1);
}

double
assay_sampled_gaussian_divergence (const AssaySampledGaussian *mechanism, guint order)
{
  double log_factorials[MOST_ORDER + 1];

  g_return_val_if_fail (order >= 2 && order <= MOST_ORDER, NAN);
  fill_log_factorials (log_factorials);
  return divergence (mechanism, order, log_factorials);
}

double
assay_sampled_gaussian_epsilon (const AssaySampledGaussian *mechanism, double delta)
{
  double log_factorials[MOST_ORDER + 1], least = G_MAXDOUBLE;

  fill_log_factorials (log_factorials);
  for (guint order = 2; order <= MOST_ORDER; order++) {
    const double a = order;

    least = fmin (least, (double) mechanism->rounds * divergence (mechanism, order, log_factorials)
                             + log ((a - 1) / a) - (log (delta) + log (a)) / (a - 1));
  }
  return fmax (least, 0);
}

/* Epsilon falls as noise grows. */
double
assay_sampled_gaussian_noise (const AssaySampledGaussian *mechanism, double epsilon, double delta)
{
  double low = log (LEAST_NOISE), high = log (MOST_NOISE);

  ASSAY_BISECT_REAL (
      HALVINGS, middle, low, high,
      assay_sampled_gaussian_epsilon (
          &(AssaySampledGaussian){ mechanism->rate, exp (middle), mechanism->rounds }, delta)
          > epsilon)
  return exp (high);
}
