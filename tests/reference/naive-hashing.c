/* Principal components and spectral hashing, by definition. */
#include "tests/reference/naive-hashing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Makes the entry (p, q) of the symmetric @a zero. */
static void
rotate (gsize d, double *a, double *vectors, gsize p, gsize q)
{
  const double angle = 0.5 * atan2 (2 * a[p * d + q], a[q * d + q] - a[p * d + p]);
  const double c = cos (angle), s = sin (angle);

  for (gsize k = 0; k < d; k++) {
    const double kp = a[k * d + p], kq = a[k * d + q];

    a[k * d + p] = c * kp - s * kq;
    a[k * d + q] = s * kp + c * kq;
  }
  for (gsize k = 0; k < d; k++) {
    const double pk = a[p * d + k], qk = a[q * d + k];
    const double vp = vectors[p * d + k], vq = vectors[q * d + k];

    a[p * d + k] = c * pk - s * qk;
    a[q * d + k] = s * pk + c * qk;
    vectors[p * d + k] = c * vp - s * vq;
    vectors[q * d + k] = s * vp + c * vq;
  }
}

static void
swap_rows (gsize d, double *vectors, gsize a, gsize b)
{
  for (gsize k = 0; k < d; k++) {
    const double kept = vectors[a * d + k];

    vectors[a * d + k] = vectors[b * d + k];
    vectors[b * d + k] = kept;
  }
}

static void
sort_and_sign (gsize d, double *values, double *vectors)
{
  for (gsize i = 0; i < d; i++) {
    gsize largest = i, place = 0;
    double value;

    for (gsize j = i; j < d; j++)
      if (values[j] > values[largest])
        largest = j;
    value = values[largest];
    values[largest] = values[i];
    values[i] = value;
    swap_rows (d, vectors, i, largest);
    for (gsize k = 0; k < d; k++)
      if (fabs (vectors[i * d + k]) > fabs (vectors[i * d + place]))
        place = k;
    for (gsize k = 0, is_down = vectors[i * d + place] < 0; is_down && k < d; k++)
      vectors[i * d + k] = -vectors[i * d + k];
  }
}

void
naive_principal (AssayView rows, double *ret_mean, double *ret_values, double *ret_vectors)
{
  const gsize n = rows.rows, d = rows.cols;
  g_autofree double *a = g_new0 (double, d *d);

  memset (ret_mean, 0, d * sizeof (double));
  memset (ret_vectors, 0, d * d * sizeof (double));
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < d; j++)
      ret_mean[j] += (double) assay_view_row (rows, i)[j] / (double) n;
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < d; j++)
      for (gsize k = 0; k < d; k++)
        a[j * d + k] += ((double) assay_view_row (rows, i)[j] - ret_mean[j])
                        * ((double) assay_view_row (rows, i)[k] - ret_mean[k]) / (double) n;
  for (gsize j = 0; j < d; j++)
    ret_vectors[j * d + j] = 1;
  for (guint sweep = 0; sweep < 30; sweep++)
    for (gsize p = 0; p < d; p++)
      for (gsize q = p + 1; q < d; q++)
        rotate (d, a, ret_vectors, p, q);
  for (gsize j = 0; j < d; j++)
    ret_values[j] = a[j * d + j];
  sort_and_sign (d, ret_values, ret_vectors);
}

typedef struct {
  gsize number;
  double eigenvalue;
} Mode;

static int
compare_modes (const void *a, const void *b)
{
  const Mode *first = a, *second = b;

  if (first->eigenvalue != second->eigenvalue)
    return first->eigenvalue > second->eigenvalue ? -1 : 1;
  return first->number < second->number ? -1 : 1;
}

/* The table of modes (ret_count x k), of which each has one number that is not 0, and the first
 * none. */
static double *
make_modes (gsize bits, gsize k, const double *width, gsize *ret_count)
{
  double *modes, widest = 0;
  gsize count = 1;

  for (gsize i = 0; i < k; i++)
    widest = MAX (widest, width[i]);
  modes = g_new0 (double, (k * (bits + 2) + 1) * k);
  for (gsize i = 0; i < k; i++) {
    const gsize most = (gsize) ceil ((double) (bits + 1) * width[i] / widest);

    for (gsize m = 1; m < most; m++)
      modes[count++ * k + i] = (double) m;
  }
  *ret_count = count;
  return modes;
}

double *
naive_spectral_margins (AssayView rows, gsize bits)
{
  const gsize n = rows.rows, d = rows.cols, k = MIN (bits, d);
  g_autofree double *mean = g_new (double, d), *values = g_new (double, d);
  g_autofree double *vectors = g_new (double, d *d), *y = g_new0 (double, n *k);
  g_autofree double *low = g_new (double, k), *width = g_new (double, k);
  g_autofree double *modes = NULL;
  g_autofree Mode *order = NULL;
  double *margins = g_new (double, n *bits);
  gsize count;

  naive_principal (rows, mean, values, vectors);
  for (gsize i = 0; i < k; i++) {
    double high = -G_MAXDOUBLE;

    low[i] = G_MAXDOUBLE;
    for (gsize r = 0; r < n; r++) {
      for (gsize a = 0; a < d; a++)
        y[r * k + i] += ((double) assay_view_row (rows, r)[a] - mean[a]) * vectors[i * d + a];
      low[i] = MIN (low[i], y[r * k + i]);
      high = MAX (high, y[r * k + i]);
    }
    width[i] = high - low[i];
  }
  modes = make_modes (bits, k, width, &count);
  order = g_new (Mode, count);
  for (gsize m = 0; m < count; m++) {
    order[m] = (Mode){ .number = m };
    for (gsize i = 0; i < k; i++)
      order[m].eigenvalue -= pow (modes[m * k + i] * G_PI / width[i], 2);
  }
  qsort (order, count, sizeof (Mode), compare_modes);
  for (gsize r = 0; r < n; r++)
    for (gsize j = 0; j < bits; j++) {
      margins[r * bits + j] = 1;
      for (gsize i = 0; i < k; i++) {
        const double omega = modes[order[j + 1].number * k + i] * G_PI / width[i];

        margins[r * bits + j] *= sin (omega * (y[r * k + i] - low[i]) + G_PI / 2);
      }
    }
  return margins;
}
