/* Whether the assumptions of the clustering attack hold (LDP-FEAT, Pittaluga and Zhuang 2023,
 * sections 4.2 and S3.2): that other subspaces of the release meet that of a secret, and that their
 * distances then point to the candidate that is the secret's. The paper calls it a collision when
 * they do not, because one of them passes close to the secret, and reports how many secrets have
 * none (table S3). What comes nearest to that and can be counted is whether the guess is, of all
 * candidates, the one nearest to the secret. It is a rate of the attack with its settings: with one
 * candidate it is 1, and a secret that nothing meets counts by the guess that stands in. Outcomes
 * of two secrets whose subspaces meet depend on each other, more than intervals know. */
#include "core/plugin.h"
#include "metrics/errors.h"

static double
square_between (const float *a, const float *b, gsize d)
{
  double sum = 0;

  for (gsize j = 0; j < d; j++)
    sum += ((double) a[j] - b[j]) * ((double) a[j] - b[j]);
  return sum;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  /* The guess was checked: its arrays have the same n and d. */
  const AssayArray *candidates = assay_arrays_get (&guess->arrays, "considered");
  const gint64 *counts
      = assay_array_int64 (assay_arrays_get (&guess->arrays, "intersecting"));
  const gsize k = candidates->shape[1], d = candidates->shape[2];
  AssayView secrets, estimates;

  (void) context;
  if (!metric_pair (truth, guess, &secrets, &estimates, error))
    return FALSE;
  for (guint s = 0; s < 2; s++) {
    ret_outcomes->series[s] = assay_alloc (secrets.rows, sizeof (double), "intersections", error);
    if (ret_outcomes->series[s] == NULL)
      return FALSE;
  }
  for (gsize i = 0; i < secrets.rows; i++) {
    const float *secret = assay_view_row (secrets, i);
    const float *own = (const float *) candidates->data + i * k * d;
    double least = G_MAXDOUBLE;

    for (gsize c = 0; c < k; c++)
      least = MIN (least, square_between (own + c * d, secret, d));
    ret_outcomes->series[0][i] = counts[i] > 0;
    ret_outcomes->series[1][i]
        = square_between (assay_view_row (estimates, i), secret, d) <= least;
  }
  ret_outcomes->n = secrets.rows;
  return TRUE;
}

static const AssayMeasure measures[] = {
  { .name = "intersecting", .is_headline = TRUE, .statistic = ASSAY_STATISTIC_RATE,
    .higher_is_worse = TRUE, .low = 0, .high = 1, .unit = "share of secrets",
    .help = "Secrets whose subspace at least one other of the release meets" },
  { .name = "nearest-candidate", .series = 1, .is_headline = TRUE,
    .statistic = ASSAY_STATISTIC_RATE, .higher_is_worse = TRUE, .low = 0, .high = 1,
    .unit = "share of secrets",
    .help = "Secrets to which the guess is, of all candidates, the nearest; those that no other "
            "subspace meets count by the guess that stands in" },
  { .name = NULL },
};

static const char *const truth_arrays[] = { "secrets", NULL };
static const char *const guess_arrays[] = { "estimates", "intersecting", "considered", NULL };

const AssayMetric assay_metric_intersections = {
  .id = "intersections",
  .summary = "Share of subspaces that others meet, and to whom that gave the secret away",
  .reference = { "Pittaluga and Zhuang 2023, LDP-FEAT", "section S3.2, table S3" },
  .reads_truth = truth_arrays,
  .reads_guess = guess_arrays,
  .n_series = 2,
  .measures = measures,
  .measure = measure,
};
