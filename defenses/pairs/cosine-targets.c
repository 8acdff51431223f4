/* What djsrh and jdsh take for how alike items are: djsrh.c and jdsh.c have the formulas. */
#include <math.h>

#include "defenses/pairs/cosine-loss.h"

/* ---- djsrh ---- */

static void
djsrh_target (gsize count, double *const inout_alike[ASSAY_N_PAIRED], G_GNUC_UNUSED double *work,
              double *ret_target)
{
  double *alike = inout_alike[ASSAY_PAIRED_IMAGE];

  for (gsize k = 0; k < count * count; k++)
    alike[k] = 0.3 * alike[k] + 0.7 * inout_alike[ASSAY_PAIRED_TEXT][k];
  pair_products (alike, alike, count, count, ret_target);
  for (gsize k = 0; k < count * count; k++)
    ret_target[k] = 1.5 * (0.6 * alike[k] + 0.4 * ret_target[k] / (double) count);
}

const CosineMethod cosine_djsrh
    = { .cross = 1, .intra = 0.3, .aligned = 0, .target = djsrh_target };

/* ---- jdsh ---- */

/* Rows to length 1, in place. */
static void
to_units (gsize count, double *inout_rows)
{
  for (gsize i = 0; i < count; i++) {
    double *row = inout_rows + i * count, square = 0;

    for (gsize j = 0; j < count; j++)
      square += row[j] * row[j];
    for (gsize j = 0; square > 0 && j < count; j++)
      row[j] /= sqrt (square);
  }
}

/* The number at @place of the @count values in rising order: before it is then none that is higher,
 * behind it none that is lower (Hoare 1961, as Wirth wrote it down). */
static double
select_value (double *values, gssize count, gssize place)
{
  gssize low = 0, high = count - 1;

  while (low < high) {
    const double pivot = values[place];
    gssize i = low, j = high;

    do {
      while (values[i] < pivot)
        i++;
      while (pivot < values[j])
        j--;
      if (i <= j) {
        const double value = values[i];

        values[i++] = values[j];
        values[j--] = value;
      }
    } while (i <= j);
    if (j < place)
      low = i;
    if (place < i)
      high = j;
  }
  return values[place];
}

typedef struct {
  double lowest, highest, low, high; /* l and r */
} Bounds;

/* @work has room for all pairs. */
static Bounds
bounds_of (gsize count, const double *alike, double *work)
{
  Bounds bounds = { .lowest = INFINITY, .highest = -INFINITY };
  double median, below = 0, above = 0;
  gssize pairs = 0;
  gsize n_below = 0, n_above = 0;

  for (gsize i = 0; i < count; i++)
    for (gsize j = i + 1; j < count; j++)
      work[pairs++] = alike[i * count + j];
  median = select_value (work, pairs, pairs / 2);
  if (pairs % 2 == 0)
    median = (median + select_value (work, pairs, pairs / 2 - 1)) / 2;
  for (gssize k = 0; k < pairs; k++) {
    const double gap = work[k] - median;

    bounds.lowest = MIN (bounds.lowest, work[k]);
    bounds.highest = MAX (bounds.highest, work[k]);
    below += gap < 0 ? gap * gap : 0;
    above += gap > 0 ? gap : 0;
    n_below += gap < 0;
    n_above += gap > 0;
  }
  bounds.low = median - (n_below > 0 ? 2 * sqrt (below / (double) n_below) : 0);
  bounds.high = median + (n_above > 0 ? 4 * above / (double) n_above : 0);
  return bounds;
}

static void
jdsh_target (gsize count, double *const inout_alike[ASSAY_N_PAIRED], double *work,
             double *ret_target)
{
  double *image = inout_alike[ASSAY_PAIRED_IMAGE], *text = inout_alike[ASSAY_PAIRED_TEXT];
  Bounds bounds;

  for (gsize k = 0; k < count * count; k++)
    ret_target[k] = 0.3 * image[k] + 0.3 * text[k];
  to_units (count, image);
  to_units (count, text);
  pair_products (image, text, count, count, work);
  for (gsize i = 0; i < count; i++)
    for (gsize j = i; j < count; j++)
      ret_target[i * count + j] = ret_target[j * count + i]
          = ret_target[i * count + j] + 0.2 * (work[i * count + j] + work[j * count + i]);
  bounds = bounds_of (count, ret_target, work);
  for (gsize k = 0; k < count * count; k++) {
    const double s = ret_target[k];

    if (s < bounds.low)
      ret_target[k] *= 1 + 0.1 * exp (bounds.lowest - s);
    else if (s > bounds.high)
      ret_target[k] *= 1 + 0.2 * exp (s - bounds.highest);
    ret_target[k] *= 1.47;
  }
}

const CosineMethod cosine_jdsh = { .cross = 2, .intra = 0.1, .aligned = 1, .target = jdsh_target };
