/* Whether database descriptors near a subspace are near one of the descriptors that form it
 * (LDP-FEAT, Pittaluga and Zhuang 2023, section S3.1): the assumption behind the database and the
 * clustering attack. For each of the N database rows that come closest to the subspace, after those
 * that lie in it, the distances to the m/2 + 1 forming descriptors (the secret and the adversarial
 * ones) are taken; it is matched when the smallest is less than `ratio` of the second smallest. A
 * secret's outcome is the share of its N rows that are.
 *
 * The paper writes "(> 0.8)" beside its test; usually a match has a ratio below it. */
#include <math.h>

#include "core/base/vectors.h"
#include "core/plugin/plugin.h"

typedef struct {
  double ratio;
} RatioTest;

static const gsize counts[] = { 50, 20, 10, 5 };

/* Whether one of the forming descriptors is much nearer to @row than all others. */
static gboolean
is_matched (const float *row, const float *secret, const float *forming, gsize n_forming, gsize d,
            double ratio)
{
  double least = assay_squared_distance (row, secret, d), second = INFINITY;

  for (gsize i = 0; i < n_forming; i++) {
    const double square = assay_squared_distance (row, forming + i * d, d);

    second = MIN (second, MAX (least, square));
    least = MIN (least, square);
  }
  return least < ratio * ratio * second;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const RatioTest *settings = context->settings;
  const AssayView secrets = assay_array_view (assay_arrays_get (&truth->arrays, "secrets"));
  const AssayArray *forming = assay_arrays_get (&guess->arrays, "forming");
  const AssayArray *near = assay_arrays_get (&guess->arrays, "near");
  const gsize n_forming = forming->shape[1], n_near = near->shape[1], d = secrets.cols;

  if (near->shape[0] != secrets.rows || near->shape[2] != d || n_near < counts[0])
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "rows near the subspaces are %zu x %zu x %zu, expected %zu x %zu or more x "
                       "%zu",
                       near->shape[0], n_near, near->shape[2], secrets.rows, counts[0], d);
  if (!assay_outcomes_alloc (ret_outcomes, G_N_ELEMENTS (counts), secrets.rows, error))
    return FALSE;
  for (gsize i = 0; i < secrets.rows; i++)
    for (gsize r = 0; r < counts[0]; r++) {
      const gboolean matched
          = is_matched ((const float *) near->data + (i * n_near + r) * d,
                        assay_view_row (secrets, i),
                        (const float *) forming->data + i * n_forming * d, n_forming, d,
                        settings->ratio);

      for (guint s = 0; s < G_N_ELEMENTS (counts) && r < counts[s]; s++)
        ret_outcomes->series[s][i] += matched;
    }
  /* Counted first: a sum of shares would not be exactly 1 where all are matched. */
  for (guint s = 0; s < G_N_ELEMENTS (counts); s++)
    for (gsize i = 0; i < secrets.rows; i++)
      ret_outcomes->series[s][i] /= (double) counts[s];
  return TRUE;
}

/* The series are those of counts. */
#define MATCHED(count, place, ...)                                                                 \
  ASSAY_MEASURE (place, "matched-of-" #count, MEAN, 0, 1, "share of rows",                         \
                 "Database rows matched to one forming descriptor, of the " #count " nearest",     \
                 ASSAY_HIGHER_IS_WORSE, __VA_ARGS__)

ASSAY_METRIC (ratio_test, "ratio-test",
  .summary = "Share of database rows near a subspace that match one descriptor that forms it",
  .reference = { ASSAY_PAPER_LDP_FEAT, "section S3.1, table S2" },
  ASSAY_SETTINGS (RatioTest,
    ASSAY_PARAM_REAL (RatioTest, ratio, 0.8, 0, 1, "",
                      "A row is matched if its nearest distance over its second nearest is below "
                      "this")),
  .reads_truth = ASSAY_ARRAY_NAMES ("secrets"),
  .reads_guess = ASSAY_ARRAY_NAMES ("forming", "near"),
  ASSAY_MEASURES (4,
    MATCHED (50, 0, ASSAY_HEADLINE),
    MATCHED (20, 1),
    MATCHED (10, 2),
    MATCHED (5, 3, ASSAY_HEADLINE)),
  .measure = measure);
