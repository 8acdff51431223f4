#include "core/math/column-units.h"

#include <math.h>

#include "core/base/error.h"
#include "core/base/vectors.h"

#define CHUNK (gsize) 1024
#define LOOKED_AT (gsize) 4096 /* rows that tell how columns compare */
#define LARGE_SHARE 0.9        /* of the variance: distances see little of the other columns */
#define MAX_EXPONENT 120       /* of a unit: its square and inverse stay finite in float32 */

/* In two passes over the rows: sums of squares would cancel. */
double *
assay_column_deviations (const AssayRows *rows, gsize limit, GError **error)
{
  const gsize d = assay_rows_cols (rows);
  const gsize n = MIN (assay_rows_count (rows), limit > 0 ? limit : G_MAXSIZE);
  g_autofree double *means = assay_alloc (d, sizeof *means, "means", error);
  g_autofree double *squares = assay_alloc (d, sizeof *squares, "deviations", error);
  g_autofree float *chunk = assay_alloc (MIN (n, CHUNK) * d, sizeof *chunk, "rows", error);

  if (means == NULL || squares == NULL || chunk == NULL)
    return NULL;
  for (guint pass = 0; pass < 2; pass++)
    for (gsize first = 0; first < n; first += CHUNK) {
      const gsize count = MIN (CHUNK, n - first);

      assay_rows_read (rows, first, count, ASSAY_SCALE_NONE, chunk);
      for (gsize i = 0; i < count; i++)
        for (gsize j = 0; j < d; j++) {
          const double value = (double) chunk[i * d + j];

          if (pass == 0)
            means[j] += value / (double) n;
          else
            squares[j] += (value - means[j]) * (value - means[j]) / (double) n;
        }
    }
  for (gsize j = 0; j < d; j++)
    squares[j] = sqrt (squares[j]);
  return g_steal_pointer (&squares);
}

gboolean
assay_column_deviation_range (const AssayRows *rows, double *ret_low, double *ret_high,
                              GError **error)
{
  const gsize d = assay_rows_cols (rows);
  g_autofree double *deviations = assay_column_deviations (rows, 0, error);

  if (deviations == NULL)
    return FALSE;
  *ret_low = G_MAXDOUBLE;
  *ret_high = 0;
  for (gsize j = 0; j < d; j++) {
    *ret_low = deviations[j] > 0 ? MIN (*ret_low, deviations[j]) : *ret_low;
    *ret_high = MAX (*ret_high, deviations[j]);
  }
  return TRUE;
}

float *
assay_column_units (const AssayRows *rows, GError **error)
{
  const gsize d = assay_rows_cols (rows);
  g_autofree double *deviations = assay_column_deviations (rows, 0, error);
  float *units = deviations != NULL ? assay_alloc (d, sizeof *units, "units", error) : NULL;

  for (gsize j = 0; units != NULL && j < d; j++) {
    const double exponent = deviations[j] > 0 ? round (log2 (deviations[j])) : 0;

    units[j] = ldexpf (1, (int) CLAMP (exponent, -MAX_EXPONENT, MAX_EXPONENT));
  }
  return units;
}

/* @descending are @n deviations above 0. */
static void
find_large (const double *descending, gsize n, double total, AssayColumnSpread *inout_spread)
{
  double sum = 0;

  for (gsize k = 1; 2 * k <= n; k++) {
    sum += descending[k - 1] * descending[k - 1];
    if (sum < LARGE_SHARE * total || descending[k - 1] < ASSAY_UNLIKE_UNITS * descending[k])
      continue;
    inout_spread->n_large = k;
    inout_spread->large_share = sum / total;
    return;
  }
}

gboolean
assay_column_spread (const AssayRows *rows, AssayColumnSpread *ret_spread, GError **error)
{
  const gsize d = assay_rows_cols (rows);
  g_autofree double *deviations = assay_column_deviations (rows, LOOKED_AT, error);
  g_autofree AssayRanked *ranked = assay_alloc (d, sizeof *ranked, "columns", error);
  AssayColumnSpread spread = { 0 };
  double total = 0;
  gsize n_varying = 0;

  if (deviations == NULL || ranked == NULL)
    return FALSE;
  for (gsize j = 0; j < d; j++) {
    total += deviations[j] * deviations[j];
    n_varying += deviations[j] > 0;
    ranked[j] = (AssayRanked){ -deviations[j], j };
  }
  assay_rank (ranked, d);
  for (gsize k = 0; k < d; k++)
    deviations[k] = -ranked[k].value;
  if (total > 0) {
    spread.widest = ranked[0].place;
    spread.share = deviations[0] * deviations[0] / total;
    find_large (deviations, n_varying, total, &spread);
  }
  *ret_spread = spread;
  return TRUE;
}

static AssayMatrix *
scale (AssayView view, const float *units, gboolean divides, GError **error)
{
  AssayMatrix *matrix = assay_matrix_new (view.rows, view.cols, error);

  for (gsize i = 0; matrix != NULL && i < view.rows; i++) {
    const float *from = assay_view_row (view, i);
    float *to = assay_matrix_row (matrix, i);

    for (gsize j = 0; j < view.cols; j++)
      to[j] = divides ? from[j] / units[j] : from[j] * units[j];
  }
  return matrix;
}

AssayMatrix *
assay_columns_multiply (AssayView view, const float *units, GError **error)
{
  return scale (view, units, FALSE, error);
}

AssayMatrix *
assay_columns_divide (AssayView view, const float *units, GError **error)
{
  return scale (view, units, TRUE, error);
}
