/* Inner products, squared norms and distances of rows of numbers. */
#include "core/base/vectors.h"

#include <float.h>
#include <math.h>

#include "core/base/vectorise.h"

double
assay_dot (const float *a, const float *b, gsize n)
{
  double sum = 0;

  for (gsize j = 0; j < n; j++)
    sum += (double) a[j] * (double) b[j];
  return sum;
}

double
assay_dot_double (const double *a, const double *b, gsize n)
{
  double sum = 0;

  for (gsize j = 0; j < n; j++)
    sum += a[j] * b[j];
  return sum;
}

double
assay_squared_norm (const float *a, gsize n)
{
  return assay_dot (a, a, n);
}

double
assay_squared_distance (const float *a, const float *b, gsize n)
{
  double sum = 0;

  for (gsize j = 0; j < n; j++)
    sum += ((double) a[j] - (double) b[j]) * ((double) a[j] - (double) b[j]);
  return sum;
}

/* ---- In lanes ---- */

/* Defines the static function NAME: the sum of TERM, an expression of a, b and j, in LANES partial
 * sums; what is left of the row comes first when they are added up. */
#define SUM_IN_LANES(NAME, SUM, LANES, A, B, TERM)                                                 \
  ASSAY_VECTORISED static SUM NAME (const A *a, const B *b, gsize n)                               \
  {                                                                                                \
    SUM lanes[LANES] = { 0 }, sum = 0;                                                             \
    gsize first = 0;                                                                               \
                                                                                                   \
    (void) b;                                                                                      \
    for (; first + LANES <= n; first += LANES)                                                     \
      for (gsize l = 0; l < LANES; l++) {                                                          \
        const gsize j = first + l;                                                                 \
                                                                                                   \
        lanes[l] += TERM;                                                                          \
      }                                                                                            \
    for (gsize j = first; j < n; j++)                                                              \
      sum += TERM;                                                                                 \
    for (gsize l = 0; l < LANES; l++)                                                              \
      sum += lanes[l];                                                                             \
    return sum;                                                                                    \
  }

/* The same as assay_lanes_NAME too: what is compiled for several processors is static
 * (vectorise.h). */
#define SHARED_SUM_IN_LANES(NAME, SUM, LANES, A, B, TERM)                                          \
  SUM_IN_LANES (NAME, SUM, LANES, A, B, TERM)                                                      \
                                                                                                   \
  SUM assay_lanes_##NAME (const A *a, const B *b, gsize n)                                         \
  {                                                                                                \
    return NAME (a, b, n);                                                                         \
  }

SUM_IN_LANES (sum_double, double, 8, double, double, a[j])
SUM_IN_LANES (dot_wide, double, 8, float, float, (double) a[j] * (double) b[j])
SHARED_SUM_IN_LANES (dot_double, double, 8, double, double, a[j] * b[j])
SHARED_SUM_IN_LANES (dot_mixed, double, 8, float, double, (double) a[j] * b[j])
SHARED_SUM_IN_LANES (squared_distance, double, 8, float, double, (a[j] - b[j]) * (a[j] - b[j]))
SHARED_SUM_IN_LANES (squared_distance_float, float, 16, float, float, (a[j] - b[j]) * (a[j] - b[j]))

ASSAY_VECTORISED static float
dot_float (const float *a, const float *b, gsize n)
{
  float sums[8] = { 0 };

  for (gsize j = 0; j + 8 <= n; j += 8)
    for (gsize l = 0; l < 8; l++)
      sums[l] += a[j + l] * b[j + l];
  for (gsize j = n / 8 * 8; j < n; j++)
    sums[0] += a[j] * b[j];
  return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

double
assay_lanes_sum (const double *a, gsize n)
{
  return sum_double (a, a, n);
}

double
assay_lanes_squared_norm (const float *a, gsize n)
{
  return dot_wide (a, a, n);
}

float
assay_lanes_dot_float (const float *a, const float *b, gsize n)
{
  return dot_float (a, b, n);
}

void
assay_standardise (float *inout_row, gsize n)
{
  double mean = 0, square = 0, deviation;

  for (gsize i = 0; i < n; i++)
    mean += inout_row[i] / (double) n;
  for (gsize i = 0; i < n; i++)
    square += (inout_row[i] - mean) * (inout_row[i] - mean) / (double) n;
  deviation = square > 0 ? sqrt (square) : 1;
  for (gsize i = 0; i < n; i++)
    inout_row[i] = (float) ((inout_row[i] - mean) / deviation);
}

double
assay_correlation (const float *a, const float *b, gsize n)
{
  double mean_a = 0, mean_b = 0, of_a = 0, of_b = 0, of_both = 0;

  for (gsize j = 0; j < n; j++) {
    mean_a += a[j] / (double) n;
    mean_b += b[j] / (double) n;
  }
  for (gsize j = 0; j < n; j++) {
    of_a += (a[j] - mean_a) * (a[j] - mean_a);
    of_b += (b[j] - mean_b) * (b[j] - mean_b);
    of_both += (a[j] - mean_a) * (b[j] - mean_b);
  }
  return of_a > 0 && of_b > 0 ? of_both / sqrt (of_a * of_b) : 0;
}

gboolean
assay_turn_up (double *inout_vector, gsize n)
{
  gsize largest = 0;

  for (gsize j = 1; j < n; j++)
    if (fabs (inout_vector[j]) > fabs (inout_vector[largest]))
      largest = j;
  if (!(inout_vector[largest] < 0))
    return FALSE;
  for (gsize j = 0; j < n; j++)
    inout_vector[j] = -inout_vector[j];
  return TRUE;
}

/* For qsort: the smallest first. */
#define ORDER(Type, name)                                                                          \
  int name (gconstpointer a, gconstpointer b)                                                      \
  {                                                                                                \
    const Type x = *(const Type *) a, y = *(const Type *) b;                                       \
                                                                                                   \
    return (x > y) - (x < y);                                                                      \
  }

ORDER (gsize, assay_compare_sizes)
ORDER (gint64, assay_compare_int64s)
ORDER (guint64, assay_compare_uint64s)
ORDER (float, assay_compare_floats)
ORDER (double, assay_compare_doubles)

static int
compare_ranked (gconstpointer a, gconstpointer b)
{
  const AssayRanked *x = a, *y = b;

  return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                              : (x->place > y->place) - (x->place < y->place);
}

void
assay_rank (AssayRanked *inout_numbers, gsize n)
{
  if (n > 0) /* qsort takes no NULL */
    qsort (inout_numbers, n, sizeof *inout_numbers, compare_ranked);
}

void
assay_softmax (float *inout_row, gsize n)
{
  float largest = inout_row[0];
  double sum = 0;

  for (gsize c = 1; c < n; c++)
    largest = MAX (largest, inout_row[c]);
  for (gsize c = 0; c < n; c++)
    sum += exp ((double) inout_row[c] - (double) largest);
  for (gsize c = 0; c < n; c++)
    inout_row[c] = (float) (exp ((double) inout_row[c] - (double) largest) / sum);
}

double
assay_cross_entropy (const float *targets, const float *shares, gsize n)
{
  double sum = 0;

  for (gsize c = 0; c < n; c++)
    if (targets[c] > 0)
      sum -= (double) targets[c] * log (MAX ((double) shares[c], (double) FLT_MIN));
  return sum;
}
