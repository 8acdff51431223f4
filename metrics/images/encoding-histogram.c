/* How the encodings of a secret are distributed, as a histogram (InstaHide, Huang, Song, Li and
 * Arora 2020, section 4.1, figure 2: "Distributions of encryptions of different images are
 * indistinguishable", by eye, of 400 encodings of each of 10 images).
 *
 * Release: mixtures x~, N x d, that are pictures; x~ belongs to the secret that it was made for
 * (`owners` of the truth). Of every x~, or of |x~|, seven numbers: mean and deviation of its
 * pixels, total variation, and the pixels of four places (metrics/images/image-statistics.h). Each
 * is set on the scale of all N encodings, u = (value - their mean) / their deviation, so that one
 * axis does for all; a number that is the same for all has u = 0.
 *   bar: the share of the encodings of `secret` with at - width / 2 <= u < at + width / 2
 * Swept over `at` it is a histogram, and over `secret` one for each image; -1 takes the encodings
 * of all. Whether two of them differ by more than chance is what the metric ks-test says. */
#include "metrics/images/image-statistics.h"

#include <math.h>

#include "core/base/parallel.h"

#define EVERY_SECRET (-1)

typedef struct {
  gint64 secret;
  double at;
  double width;
  bool absolute;
  gint64 places_seed;
} EncodingHistogram;

typedef struct {
  AssayView images;
  ImageStatistics statistics;
  double *values; /* N x IMAGE_N_STATISTICS */
} Describing;

static void
describe (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Describing *describing = data;

  image_statistics_of (&describing->statistics, assay_view_row (describing->images, index),
                       describing->values + index * IMAGE_N_STATISTICS);
}

/* Puts one number of all @n encodings on the scale of their mean and deviation. */
static void
standardise (gsize n, double *inout_values)
{
  double sum = 0, square = 0, mean, deviation;

  for (gsize i = 0; i < n; i++)
    sum += inout_values[i * IMAGE_N_STATISTICS];
  mean = sum / (double) n;
  for (gsize i = 0; i < n; i++) {
    const double off = inout_values[i * IMAGE_N_STATISTICS] - mean;

    square += off * off;
  }
  deviation = sqrt (square / (double) n);
  for (gsize i = 0; i < n; i++) {
    double *value = inout_values + i * IMAGE_N_STATISTICS;

    *value = deviation > 0 ? (*value - mean) / deviation : 0;
  }
}

static gboolean
count_own (const AssayArray *owners, gint64 secret, gsize n_images, gsize *ret_count,
           GError **error)
{
  const gsize n = assay_array_count (owners);

  if (n != n_images)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the truth has %zu owners, but the release has %zu images", n, n_images);
  *ret_count = 0;
  for (gsize i = 0; i < n; i++)
    *ret_count += secret == EVERY_SECRET || assay_array_int64 (owners)[i] == secret;
  return *ret_count > 0
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "secret = %" G_GINT64_FORMAT ": no image was made for it; expected the "
                        "number of a secret, from 0, or -1 for all",
                        secret);
}

static void
fill_bars (const EncodingHistogram *settings, const double *values, const AssayArray *owners,
           AssayOutcomes *outcomes)
{
  const double low = settings->at - settings->width / 2, high = settings->at + settings->width / 2;
  gsize unit = 0;

  for (gsize i = 0; i < assay_array_count (owners); i++) {
    if (settings->secret != EVERY_SECRET && assay_array_int64 (owners)[i] != settings->secret)
      continue;
    for (guint s = 0; s < IMAGE_N_STATISTICS; s++) {
      const double u = values[i * IMAGE_N_STATISTICS + s];

      outcomes->series[s][unit] = low <= u && u < high;
    }
    unit++;
  }
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth,
         G_GNUC_UNUSED const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error)
{
  const EncodingHistogram *settings = context->settings;
  const AssayRelease *release = context->release;
  const AssayArray *owners = assay_arrays_get (&truth->arrays, "owners");
  const AssayView images = assay_array_view (assay_arrays_get (&release->arrays, "images"));
  g_autofree double *values = NULL;
  Describing describing = { .images = images };
  gsize n_own;

  if (!image_statistics_init (&release->geometry, images.cols, settings->absolute,
                              (guint64) settings->places_seed, &describing.statistics, error)
      || !count_own (owners, settings->secret, images.rows, &n_own, error)
      || !assay_view_check_finite (images, "released images", error))
    return FALSE;
  values = assay_alloc (images.rows, IMAGE_N_STATISTICS * sizeof (double), "statistics", error);
  if (values == NULL || !assay_outcomes_alloc (ret_outcomes, IMAGE_N_STATISTICS, n_own, error))
    return FALSE;
  describing.values = values;
  assay_parallel_for (images.rows, describe, &describing);
  for (guint s = 0; s < IMAGE_N_STATISTICS; s++)
    standardise (images.rows, values + s);
  fill_bars (settings, values, owners, ret_outcomes);
  return TRUE;
}

#define BAR(series, name, what)                                                                    \
  ASSAY_MEASURE (series, "histogram-" name, RATE, 0, 1, "share of encodings",                      \
                 "Encodings of the secret whose " what " is in the bar", ASSAY_HEADLINE,           \
                 ASSAY_IS_REFERENCE)

ASSAY_METRIC (encoding_histogram, "encoding-histogram",
  .summary = "How encodings of one secret are distributed, bar by bar",
  .reference = { ASSAY_PAPER_INSTAHIDE, "section 4.1, figure 2" },
  ASSAY_SETTINGS (EncodingHistogram,
    ASSAY_PARAM_INT (EncodingHistogram, secret, EVERY_SECRET, EVERY_SECRET, 1000000000, "",
                     "Whose encodings, by its number in a trial, from 0; -1: those of all"),
    ASSAY_PARAM_REAL (EncodingHistogram, at, 0, -1000, 1000, "deviations",
                      "Middle of the bar, from the mean of all encodings"),
    ASSAY_PARAM_REAL (EncodingHistogram, width, 0.5, 1e-6, 1000, "deviations",
                      "Width of the bar"),
    ASSAY_PARAM_BOOL (EncodingHistogram, absolute, FALSE,
                      "Whether numbers are of absolute pixel values, which random signs do not "
                      "hide"),
    ASSAY_PARAM_INT (EncodingHistogram, places_seed, 1, 0, 4294967295, "",
                     "Seed for the places of the four pixels, as of ks-test")),
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets", "owners"),
  .reads = ASSAY_RELEASE_MIXTURES,
  .finds_order = TRUE,
  .on_request = TRUE,
  .has_own_units = TRUE,
  ASSAY_MEASURES (IMAGE_N_STATISTICS,
    BAR (IMAGE_MEAN, "mean", "mean pixel"),
    BAR (IMAGE_DEVIATION, "deviation", "deviation of pixels"),
    BAR (IMAGE_VARIATION, "variation", "total variation"),
    BAR (IMAGE_FIRST_PIXEL, "pixel-1", "pixel of the first place"),
    BAR (IMAGE_FIRST_PIXEL + 1, "pixel-2", "pixel of the second place"),
    BAR (IMAGE_FIRST_PIXEL + 2, "pixel-3", "pixel of the third place"),
    BAR (IMAGE_FIRST_PIXEL + 3, "pixel-4", "pixel of the fourth place")),
  .measure = measure);
