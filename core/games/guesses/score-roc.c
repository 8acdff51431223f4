/* The ROC curve of scores. */
#include "core/games/guesses/score-roc.h"

#include <stdlib.h>

#include "core/base/each.h"
#include "core/base/error.h"
#include "core/base/free.h"
#include "core/base/vectors.h"

typedef struct {
  float *values; /* ascending */
  gsize n;
} Side;

ASSAY_LOCAL_CLEAR (Side, side_clear, g_free (self->values))

static Side
side_of (const AssayRoc *roc, gboolean is_positive)
{
  Side side = { .values = g_new (float, roc->n + 1) };

  for (gsize i = 0; i < roc->n; i++)
    if ((roc->is_positive[i] != 0) == is_positive)
      side.values[side.n++] = roc->scores[i * roc->stride];
  qsort (side.values, side.n, sizeof (float), assay_compare_floats);
  return side;
}

/* The share of @side below @score, equal ones counted half. */
static double
share_below (const Side *side, float score)
{
  gsize bounds[2];

  for (guint with_equal = 0; with_equal < 2; with_equal++) {
    gsize low = 0, high = side->n;

    ASSAY_BISECT (gsize, i, low, high,
                  side->values[i] < score || (with_equal && side->values[i] <= score))
    bounds[with_equal] = low;
  }
  return 0.5 * ((double) bounds[0] + (double) bounds[1]) / (double) side->n;
}

gboolean
assay_roc_area (const AssayRoc *roc, double *ret_area, double *ret_influence, GError **error)
{
  g_auto (Side) positives = side_of (roc, TRUE);
  g_auto (Side) negatives = side_of (roc, FALSE);
  const double n = (double) roc->n;
  double area = 0;

  if (positives.n == 0 || negatives.n == 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "%s of the %zu units is positive; expected some that are and some that are "
                       "not",
                       positives.n == 0 ? "none" : "each", roc->n);
  for (gsize i = 0; i < positives.n; i++)
    area += share_below (&negatives, positives.values[i]) / (double) positives.n;
  for (gsize i = 0; ret_influence != NULL && i < roc->n; i++) {
    const float score = roc->scores[i * roc->stride];

    ret_influence[i]
        = roc->is_positive[i]
              ? n / (double) positives.n * (share_below (&negatives, score) - area)
              : n / (double) negatives.n * (1 - share_below (&positives, score) - area);
  }
  *ret_area = area;
  return TRUE;
}

static float
threshold_of (const Side *negatives, double rate)
{
  const gsize above = MIN ((gsize) (rate * (double) negatives->n), negatives->n - 1);

  return negatives->values[negatives->n - 1 - above];
}

float
assay_roc_threshold (const AssayRoc *roc, double rate)
{
  g_auto (Side) negatives = side_of (roc, FALSE);

  return threshold_of (&negatives, rate);
}

void
assay_roc_placements (const AssayRoc *roc, double rate, double *ret_placements,
                      float *ret_threshold)
{
  g_auto (Side) negatives = side_of (roc, FALSE);

  for (gsize i = 0; i < roc->n; i++)
    if (roc->is_positive[i])
      ret_placements[i] = share_below (&negatives, roc->scores[i * roc->stride]);
  if (ret_threshold != NULL)
    *ret_threshold = threshold_of (&negatives, rate);
}
