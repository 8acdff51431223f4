/* What the owner of a test image makes of the predictions for its encryptions. */
#include "metrics/learning/owner-reading.h"

#include <float.h>
#include <math.h>

#include "core/math/linalg.h"

/* Of the mean variance: g has none along (1, ..., 1), and u may be 0 throughout. */
#define RIDGE 1e-6

struct OwnerReading {
  gsize n_classes;
  double *products; /* sum of s s^T, (C + 1)^2 */
  double *means;    /* sum of s g^T, then M: (C + 1) x C */
  double *inverse;  /* of the covariance of v - m_y at a weight of 1, C x C */
};

/* Of an image, over its encryptions. */
typedef struct {
  double *values; /* sum a g: C */
  double *others; /* sum a s, without the image itself: C + 1 */
  double *weight; /* sum a^2 */
} Sums;

OwnerReading *
owner_reading_new (gsize n_classes)
{
  OwnerReading *reading = g_new0 (OwnerReading, 1);

  reading->n_classes = n_classes;
  reading->products = g_new0 (double, (n_classes + 1) * (n_classes + 1));
  reading->means = g_new0 (double, (n_classes + 1) * n_classes);
  reading->inverse = g_new0 (double, n_classes * n_classes);
  return reading;
}

ASSAY_FREE_FUNC (OwnerReading, owner_reading_free, g_free (self->products), g_free (self->means),
                 g_free (self->inverse))

gsize
owner_reading_sums (gsize n_classes)
{
  return 2 * n_classes + 2;
}

static Sums
sums_of (gsize n_classes, double *sums)
{
  return (Sums){ sums, sums + n_classes, sums + 2 * n_classes + 1 };
}

/* g */
static void
take_logarithms (gsize n, const float *shares, double *ret_values)
{
  double mean = 0;

  for (gsize c = 0; c < n; c++) {
    ret_values[c] = log (MAX ((double) shares[c], (double) FLT_MIN));
    mean += ret_values[c] / (double) n;
  }
  for (gsize c = 0; c < n; c++)
    ret_values[c] -= mean;
}

static void
take_others (gsize n_classes, const OwnerEncryption *encryption, double *ret_parts)
{
  for (gsize c = 0; c <= n_classes; c++)
    ret_parts[c] = 0;
  for (gsize j = 1; j < encryption->k; j++) {
    const gint64 label = encryption->labels[j - 1];

    ret_parts[label < 0 ? n_classes : (gsize) label] += (double) encryption->coefficients[j];
  }
}

static void
add (gsize n_classes, double weight, const double *values, const double *parts, double *inout_sums)
{
  const Sums sums = sums_of (n_classes, inout_sums);

  for (gsize c = 0; c < n_classes; c++)
    sums.values[c] += weight * values[c];
  for (gsize c = 0; c <= n_classes; c++)
    sums.others[c] += weight * parts[c];
  *sums.weight += weight * weight;
}

void
owner_reading_add (const OwnerReading *reading, const OwnerEncryption *encryption,
                   double *inout_sums)
{
  const gsize n = reading->n_classes;
  double *values = g_newa (double, n), *parts = g_newa (double, n + 1);

  take_logarithms (n, encryption->shares, values);
  take_others (n, encryption, parts);
  add (n, (double) encryption->coefficients[0], values, parts, inout_sums);
}

void
owner_reading_add_labelled (OwnerReading *reading, const OwnerEncryption *encryption, gsize label,
                            double *inout_sums)
{
  const gsize n = reading->n_classes;
  double *values = g_newa (double, n), *parts = g_newa (double, n + 1);

  take_logarithms (n, encryption->shares, values);
  take_others (n, encryption, parts);
  add (n, (double) encryption->coefficients[0], values, parts, inout_sums);
  parts[label] += (double) encryption->coefficients[0];
  for (gsize i = 0; i <= n; i++) {
    for (gsize j = 0; j <= n; j++)
      reading->products[i * (n + 1) + j] += parts[i] * parts[j];
    for (gsize c = 0; c < n; c++)
      reading->means[i * n + c] += parts[i] * values[c];
  }
}

/* v - m of class @label. */
static void
take_difference (const OwnerReading *reading, const double *sums, gsize label,
                 double *ret_difference)
{
  const gsize n = reading->n_classes;
  const Sums of = sums_of (n, (double *) sums);

  for (gsize c = 0; c < n; c++) {
    double value = of.values[c];

    for (gsize i = 0; i <= n; i++)
      value -= of.others[i] * reading->means[i * n + c];
    ret_difference[c] = value / *of.weight - reading->means[label * n + c];
  }
}

static void
add_ridge (gsize n, double *inout_matrix)
{
  double trace = 0;

  for (gsize i = 0; i < n; i++)
    trace += inout_matrix[i * n + i];
  for (gsize i = 0; i < n; i++)
    inout_matrix[i * n + i] += RIDGE * trace / (double) n + DBL_MIN;
}

gboolean
owner_reading_learn (OwnerReading *reading, gsize n_images, const double *sums,
                     const gint64 *labels, GError **error)
{
  const gsize n = reading->n_classes;
  double *difference = g_newa (double, n);

  add_ridge (n + 1, reading->products);
  if (!assay_linalg_solve_spd (n + 1, n, reading->products, reading->means, error))
    return FALSE;
  for (gsize image = 0; image < n_images; image++) {
    const double *of_image = sums + image * owner_reading_sums (n);
    const double weight = *sums_of (n, (double *) of_image).weight;

    take_difference (reading, of_image, (gsize) labels[image], difference);
    for (gsize i = 0; i < n; i++)
      for (gsize j = 0; j < n; j++)
        reading->inverse[i * n + j] += weight * difference[i] * difference[j] / (double) n_images;
  }
  add_ridge (n, reading->inverse);
  return assay_linalg_invert_spd (n, reading->inverse, error);
}

void
owner_reading_judge (const OwnerReading *reading, const double *sums, double *ret_probabilities)
{
  const gsize n = reading->n_classes;
  const double weight = *sums_of (n, (double *) sums).weight;
  double *difference = g_newa (double, n);
  double most = -INFINITY, total = 0;

  for (gsize label = 0; label < n; label++) {
    double square = 0;

    take_difference (reading, sums, label, difference);
    for (gsize i = 0; i < n; i++)
      for (gsize j = 0; j < n; j++)
        square += difference[i] * reading->inverse[i * n + j] * difference[j];
    ret_probabilities[label] = -weight * square / 2;
    most = MAX (most, ret_probabilities[label]);
  }
  for (gsize label = 0; label < n; label++)
    total += ret_probabilities[label] = exp (ret_probabilities[label] - most);
  for (gsize label = 0; label < n; label++)
    ret_probabilities[label] /= total;
}
