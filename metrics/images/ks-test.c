/* Do the encodings of one secret differ in distribution from those of the others? (Huang, Song, Li
 * and Arora 2020, "InstaHide", appendix E.3, table 4.)
 *
 * Release: mixtures x~, N x d, that are pictures; x~ belongs to the secret that it was made for
 * (`owners` of the truth), whatever else it holds. Of every x~, or with `absolute` of |x~|, which
 * no random sign hides, seven numbers:
 *   the mean and the deviation of its d pixels,
 *   its total variation, sum |x_(r+1)c - x_rc| + sum |x_r(c+1) - x_rc| in each channel,
 *   the pixels of four places drawn at random, the same for all.
 * For each secret and each of these the two-sample Kolmogorov-Smirnov test (core/stats/ks.h) of all
 * its encodings (400 in the paper) against all those of the others (3,600). A secret is told apart
 * where 7 times the least of the seven p (Bonferroni; Holm's correction rejects one or more in the
 * same cases) is below `level`: with chance `level` at most if its encodings are distributed like
 * the others.
 *
 * The paper tests samples of one value: an x~ against all encodings or those of the others. p is
 * then twice the share of values at least as extreme, and its mean over all encodings, tested
 * against all of them, is 1/2 whatever the distributions are: N different values have N different
 * ranks. It can show nothing, and is here for comparison with table 4.
 *
 * Encodings count as independent of each other. Those that defenses mix among the secrets are
 * nearly so: another secret's encoding may hold this one, and partners are drawn without
 * replacement. */
#include <stdlib.h>

#include "core/base/free.h"
#include "core/base/parallel.h"
#include "core/stats/ks.h"
#include "metrics/images/image-statistics.h"

enum {
  TOLD_APART,
  CORRECTED_P,
  DISTANCE,
  BY_MEAN,
  BY_DEVIATION,
  BY_VARIATION,
  BY_PIXELS,
  ONE_IN_ALL,
  ONE_IN_OTHERS,
  N_SERIES
};

typedef struct {
  double level;
  bool absolute;
  gint64 places_seed;
} KsTest;

typedef struct {
  double value;
  gint64 owner;
} Encoded;

typedef struct {
  const KsTest *settings;
  AssayView images;
  ImageStatistics statistics;
  const gint64 *owners; /* N */
  Encoded *encoded;     /* statistics x N, each ascending */
  gsize *counts;        /* encodings of each secret */
  AssayOutcomes *outcomes;
} Testing;

ASSAY_LOCAL_CLEAR (Testing, testing_clear, g_free (self->encoded), g_free (self->counts))

/* ---- Statistics ---- */

static void
describe (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Testing *testing = data;
  double values[IMAGE_N_STATISTICS];

  image_statistics_of (&testing->statistics, assay_view_row (testing->images, index), values);
  for (guint s = 0; s < IMAGE_N_STATISTICS; s++)
    testing->encoded[s * testing->images.rows + index]
        = (Encoded){ values[s], testing->owners[index] };
}

static int
compare_encoded (gconstpointer a, gconstpointer b)
{
  const Encoded *x = a, *y = b;

  if (x->value != y->value)
    return x->value > y->value ? 1 : -1;
  return x->owner < y->owner ? -1 : x->owner > y->owner;
}

static void
sort_statistic (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Testing *testing = data;
  const gsize n = testing->images.rows;

  qsort (testing->encoded + index * n, n, sizeof *testing->encoded, compare_encoded);
}

/* ---- Tests ---- */

typedef struct {
  AssayKs test;
  double one_in_all; /* sums over the secret's encodings */
  double one_in_others;
} Tested;

/* Splits the values of a statistic into those of @secret and those of the others. */
static Tested
test_statistic (const Testing *testing, guint statistic, gsize secret, double *own, double *others)
{
  const gsize n = testing->images.rows;
  const Encoded *all = testing->encoded + statistic * n;
  gsize n_own = 0, n_others = 0;
  Tested tested = { 0 };

  for (gsize start = 0, end = 0; start < n; start = end) {
    const gsize others_below = n_others, own_below = n_own;
    gsize n_equal;

    for (; end < n && all[end].value == all[start].value; end++)
      if (all[end].owner == (gint64) secret)
        own[n_own++] = all[end].value;
      else
        others[n_others++] = all[end].value;
    n_equal = n_own - own_below;
    if (n_equal == 0)
      continue;
    tested.one_in_all += (double) n_equal * assay_ks_value_p (n, start, n - end);
    tested.one_in_others += (double) n_equal
                            * assay_ks_value_p (n - testing->counts[secret], others_below,
                                                n - testing->counts[secret] - n_others);
  }
  tested.test = assay_ks_test (own, n_own, others, n_others);
  return tested;
}

static void
test_secret (gsize secret, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Testing *testing = data;
  const double level = testing->settings->level, count = (double) testing->counts[secret];
  g_autofree double *own = g_new (double, testing->counts[secret]);
  g_autofree double *others = g_new (double, testing->images.rows - testing->counts[secret]);
  double *const *series = testing->outcomes->series;
  double p[IMAGE_N_STATISTICS], least = 1, least_pixel = 1;

  for (guint s = 0; s < IMAGE_N_STATISTICS; s++) {
    const Tested tested = test_statistic (testing, s, secret, own, others);

    p[s] = tested.test.p;
    least = MIN (least, p[s]);
    if (s >= IMAGE_FIRST_PIXEL)
      least_pixel = MIN (least_pixel, p[s]);
    series[DISTANCE][secret] = MAX (series[DISTANCE][secret], tested.test.distance);
    series[ONE_IN_ALL][secret] += tested.one_in_all / (IMAGE_N_STATISTICS * count);
    series[ONE_IN_OTHERS][secret] += tested.one_in_others / (IMAGE_N_STATISTICS * count);
  }
  series[CORRECTED_P][secret] = MIN (1, IMAGE_N_STATISTICS * least);
  series[TOLD_APART][secret] = IMAGE_N_STATISTICS * least < level;
  series[BY_MEAN][secret] = p[IMAGE_MEAN] < level;
  series[BY_DEVIATION][secret] = p[IMAGE_DEVIATION] < level;
  series[BY_VARIATION][secret] = p[IMAGE_VARIATION] < level;
  series[BY_PIXELS][secret] = IMAGE_N_PLACES * least_pixel < level;
}

/* ---- Checks ---- */

/* Every image has its secret, and every secret an image and others to be compared with. */
static gboolean
count_owners (const AssayArray *owners, gsize n_images, gsize n_secrets, gsize **ret_counts,
              GError **error)
{
  const gsize n = assay_array_count (owners);
  g_autofree gsize *counts = assay_alloc (n_secrets, sizeof (gsize), "secrets", error);

  if (counts == NULL)
    return FALSE;
  if (n != n_images)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "the truth has %zu owners, but the release has %zu images", n, n_images);
  for (gsize i = 0; i < n; i++) {
    const gint64 owner = assay_array_int64 (owners)[i];

    if (owner < 0 || (guint64) owner >= n_secrets)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "image %zu was made for secret %" G_GINT64_FORMAT "; expected one of %zu",
                         i, owner, n_secrets);
    counts[owner]++;
  }
  if (n_secrets < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "one secret cannot be told from others; expected at least 2");
  for (gsize i = 0; i < n_secrets; i++)
    if (counts[i] == 0)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "no image was made for secret %zu; expected one or more", i);
  *ret_counts = g_steal_pointer (&counts);
  return TRUE;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth,
         G_GNUC_UNUSED const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error)
{
  const KsTest *settings = context->settings;
  const AssayRelease *release = context->release;
  const AssayArray *owners = assay_arrays_get (&truth->arrays, "owners");
  const gsize n_secrets = assay_array_view (assay_arrays_get (&truth->arrays, "secrets")).rows;
  g_auto (Testing) testing
      = { .settings = settings,
          .images = assay_array_view (assay_arrays_get (&release->arrays, "images")),
          .owners = assay_array_int64 (owners),
          .outcomes = ret_outcomes };

  if (!image_statistics_init (&release->geometry, testing.images.cols, settings->absolute,
                              (guint64) settings->places_seed, &testing.statistics, error)
      || !count_owners (owners, testing.images.rows, n_secrets, &testing.counts, error)
      || !assay_view_check_finite (testing.images, "released images", error))
    return FALSE;
  testing.encoded = assay_alloc (testing.images.rows, IMAGE_N_STATISTICS * sizeof (Encoded),
                                 "statistics", error);
  if (testing.encoded == NULL)
    return FALSE;
  if (!assay_outcomes_alloc (ret_outcomes, N_SERIES, n_secrets, error))
    return FALSE;
  assay_parallel_for (testing.images.rows, describe, &testing);
  assay_parallel_for (IMAGE_N_STATISTICS, sort_statistic, &testing);
  assay_parallel_for (n_secrets, test_secret, &testing);
  return TRUE;
}

ASSAY_METRIC (ks_test, "ks-test",
  .summary = "Whether encodings of one secret differ in distribution from those of others",
  .reference = { ASSAY_PAPER_INSTAHIDE, "appendix E.3, table 4; all encodings at once: ours" },
  ASSAY_SETTINGS (KsTest,
    ASSAY_PARAM_REAL (KsTest, level, 0.05, 1e-9, 0.5, "",
                      "Significance level: the probability, at most, with which a secret is told "
                      "apart by chance"),
    ASSAY_PARAM_BOOL (KsTest, absolute, FALSE,
                      "Whether statistics are of absolute pixel values, which random signs do not "
                      "hide"),
    ASSAY_PARAM_INT (KsTest, places_seed, 1, 0, 4294967295, "",
                     "Seed for the places of the four pixels; not the scenario's seed, so that "
                     "cells share them")),
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets", "owners"),
  .reads = ASSAY_RELEASE_MIXTURES,
  .finds_order = TRUE,
  .on_request = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (TOLD_APART, "ks-told-apart", RATE, 0, 1, "share of secrets",
                   "Secrets whose encodings differ from the others' by one of seven statistics, "
                   "corrected for seven tests; without any difference a share of at most `level`",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (CORRECTED_P, "ks-corrected-p", MEDIAN, 0, 1, "p-value",
                   "Median over secrets of 7 times the smallest of the seven p-values"),
    ASSAY_MEASURE (DISTANCE, "ks-distance", MEDIAN, 0, 1, "difference of shares",
                   "Median over secrets of the largest distance between the two distribution "
                   "functions, over seven statistics",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (BY_MEAN, "ks-told-by-mean", RATE, 0, 1, "share of secrets",
                   "Secrets told apart by the mean pixel alone, at `level`",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (BY_DEVIATION, "ks-told-by-deviation", RATE, 0, 1, "share of secrets",
                   "Secrets told apart by the standard deviation of pixels alone, at `level`",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (BY_VARIATION, "ks-told-by-variation", RATE, 0, 1, "share of secrets",
                   "Secrets told apart by the total variation alone, at `level`",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (BY_PIXELS, "ks-told-by-pixels", RATE, 0, 1, "share of secrets",
                   "Secrets told apart by one of the four pixels, corrected for four tests",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (ONE_IN_ALL, "ks-one-value-in-all", MEAN, 0, 1, "p-value",
                   "The paper's number: mean p-value of single encodings against all; it is 1/2 "
                   "whatever the distributions are, and so shows nothing"),
    ASSAY_MEASURE (ONE_IN_OTHERS, "ks-one-value-in-others", MEAN, 0, 1, "p-value",
                   "The paper's other number: mean p-value of single encodings against those of "
                   "other secrets; only large differences move it from 1/2")),
  .measure = measure);
