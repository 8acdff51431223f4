/* What an audit of Gaussian noise can certify, from the normal distribution alone: what the audits
 * of audit-calibration.c are held against. */
#pragma once

#include <glib.h>

/* What several audits certify. */
typedef struct {
  double mean, least, most;
  double deviation; /* of one */
} GaussianCertified;

GaussianCertified gaussian_certified (const double *certified, gsize n);

/* Of an audit. */
typedef struct {
  gsize training; /* runs a side that a threshold is chosen by */
  guint64 runs;   /* a side that are counted */
  double delta, level;
} GaussianSizes;

/* sigma of the exact (epsilon, delta) curve at sensitivity 1:
 * Phi (1/(2s) - eps s) - e^eps Phi (-1/(2s) - eps s) = delta. */
double gaussian_sigma (double epsilon, double delta);

/* What audits certify that cut at the threshold of which @sizes->training runs promise most, were
 * their counts exactly as expected: over counts of further runs that vary as binomial ones do. */
GaussianCertified gaussian_reference (double sensitivity, double sigma, const GaussianSizes *sizes);
