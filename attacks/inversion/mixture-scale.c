/* Moments of mixtures, released and drawn. */
#include "attacks/inversion/mixture-scale.h"

#include <math.h>

#include "core/base/error.h"

#define DRAWS 400
#define SUSPICIOUS 0.7
#define HOPELESS 2.0
#define ALREADY 0.1
#define USUAL 1.1

/* Of all numbers. */
typedef struct {
  double square;
  double ratio; /* of the mean fourth power to the square of the mean square */
} Moments;

static Moments
moments_of (AssayView rows)
{
  const gsize n = MIN (rows.rows, DRAWS);
  double square = 0, fourth = 0;

  for (gsize i = 0; i < n; i++) {
    const float *row = assay_view_row (rows, i * rows.rows / n);

    for (gsize j = 0; j < rows.cols; j++) {
      const double s = (double) row[j] * row[j];

      square += s / (double) (n * rows.cols);
      fourth += s * s / (double) (n * rows.cols);
    }
  }
  return (Moments){ square, square > 0 ? fourth / (square * square) : 1 };
}

/* DRAWS mixtures of public images, by a stream of their own. */
static AssayMatrix *
mix (const AssayMatrix *publics, const WhiteningShares *shares, GError **error)
{
  AssayMatrix *mixtures = assay_matrix_new (DRAWS, publics->cols, error);
  AssayStream stream = assay_stream (assay_stream_key (0, 0, "mixture-scale", ""), 0);
  double drawn[WHITENING_MAX_IMAGES];

  for (gsize i = 0; mixtures != NULL && i < DRAWS; i++) {
    whitening_draw_shares (shares, &stream, drawn);
    for (gsize j = 0; j < shares->k; j++) {
      const float *image
          = publics->data + assay_stream_below (&stream, publics->rows) * publics->cols;

      for (gsize c = 0; c < publics->cols; c++)
        assay_matrix_row (mixtures, i)[c] += (float) (drawn[j] * image[c]);
    }
  }
  return mixtures;
}

/* How far drawn mixtures are from the released ones. */
static gboolean
compare (const Moments *released, const WhiteningShares *shares, const AssayMatrix *publics,
         double *ret_units, double *ret_shape, GError **error)
{
  g_autoptr (AssayMatrix) mixtures = mix (publics, shares, error);
  Moments drawn;

  if (mixtures == NULL)
    return FALSE;
  drawn = moments_of (assay_matrix_view (mixtures));
  *ret_units = log (MAX (released->square, 1e-30) / MAX (drawn.square, 1e-30));
  *ret_shape = log (released->ratio / drawn.ratio);
  return TRUE;
}

static void
standardise (AssayMatrix *images, gsize channels)
{
  const double n = (double) images->rows * (double) images->cols / (double) channels;

  for (gsize c = 0; c < channels; c++) {
    double sum = 0, square = 0, mean, deviation;

    for (gsize i = c; i < images->rows * images->cols; i += channels) {
      sum += images->data[i];
      square += (double) images->data[i] * images->data[i];
    }
    mean = sum / n;
    deviation = sqrt (MAX (square / n - mean * mean, 1e-30));
    for (gsize i = c; i < images->rows * images->cols; i += channels)
      images->data[i] = (float) ((images->data[i] - mean) / deviation);
  }
}

gboolean
mixture_scale_match (AssayView released, const WhiteningShares *shares, gsize channels,
                     AssayMatrix *inout_publics, gboolean *ret_is_changed, GError **error)
{
  const Moments wanted = moments_of (released);
  g_autoptr (AssayMatrix) changed = NULL;
  double units, shape, other_units, other_shape, factor;

  if (!compare (&wanted, shares, inout_publics, &units, &shape, error))
    return FALSE;
  *ret_is_changed = FALSE;
  if (fabs (units) + fabs (shape) < SUSPICIOUS)
    return TRUE;
  changed = assay_matrix_copy (assay_matrix_view (inout_publics), error);
  if (changed == NULL)
    return FALSE;
  standardise (changed, MAX (channels, 1));
  if (!compare (&wanted, shares, changed, &other_units, &other_shape, error))
    return FALSE;
  /* Normalised already, and in units that private images of another kind may have. */
  if (fabs (units - other_units) < ALREADY && fabs (units) < USUAL)
    return TRUE;
  *ret_is_changed = fabs (other_shape) < MIN (SUSPICIOUS, (fabs (units) + fabs (shape)) / 2);
  if (!*ret_is_changed && fabs (units) + fabs (shape) >= HOPELESS)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the mean square of the mixtures is %.3g, and that of mixtures of these "
                       "public images %.3g: expected public images on the scale of the release",
                       wanted.square, wanted.square * exp (-units));
  /* Means were taken away from the release, and units are its own: within a third they are 1. */
  factor = fabs (other_units) < log (1.33) ? 1 : exp (other_units / 2);
  for (gsize i = 0; *ret_is_changed && i < changed->rows * changed->cols; i++)
    inout_publics->data[i] = (float) (factor * (double) changed->data[i]);
  return TRUE;
}
