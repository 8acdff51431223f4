/* How well scores of pairs of mixtures tell those that share a secret (positives) from the others
 * (InstaHide, Huang, Song, Li and Arora 2020, section 2.1).
 *
 * The area under the ROC curve is the mean over the positives of their placement, the share of
 * negatives with a lower score (core/games/pair-scores.h). The true positive rate is that above the
 * threshold which at most `false_positives` of the negatives exceed.
 *
 * Pairs of the same secret are not independent of each other, so that the unit is the secret: its
 * outcome is the mean over the positive pairs that share it (a pair that shares several counts for
 * the one of lowest number), and a figure is the mean over the secrets with such a pair, all of the
 * same weight. Intervals are over secrets. The negatives, usually many times as many, are taken as
 * they are: their own scatter, which moves the placements of all units together, and that of the
 * threshold (a tenth of its rate where 100 of them exceed it) are not in the width. Where the rate
 * of false positives is less than one negative there is no such threshold: the true positives are
 * left out with that reason, and the area stays. */
#include "core/base/free.h"
#include "core/games/pair-scores.h"
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"

typedef struct {
  double false_positives;
} PairAuc;

enum { AREA, TRUE_POSITIVES, UNIT, N_SERIES };

typedef struct {
  gsize n; /* pairs */
  const float *scores;
  gint64 *shared;
  double *placements;
  float threshold;
  gsize n_negative;
} Scored;

ASSAY_LOCAL_CLEAR (Scored, scored_clear, g_free (self->shared), g_free (self->placements))

static gboolean
place_scores (const PairAuc *settings, const AssayArray *sources, const AssayArray *pairs,
              Scored *scored, GError **error)
{
  scored->shared = assay_alloc (scored->n, sizeof (gint64), "pairs", error);
  scored->placements = assay_alloc (scored->n, sizeof (double), "pairs", error);
  if (scored->shared == NULL || scored->placements == NULL)
    return FALSE;
  for (gsize i = 0; i < scored->n; i++) {
    const gint64 *pair = assay_array_int64 (pairs) + 2 * i;

    if (MIN (pair[0], pair[1]) < 0 || (guint64) MAX (pair[0], pair[1]) >= sources->shape[0])
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "pair %zu is of items %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                         ", expected two of %zu",
                         i, pair[0], pair[1], sources->shape[0]);
    scored->shared[i] = assay_pair_shared (sources, pair[0], pair[1]);
    scored->n_negative += scored->shared[i] < 0;
  }
  return assay_pair_placements (&(AssayPairScores){ scored->scores, scored->shared, scored->n },
                                settings->false_positives, scored->placements, &scored->threshold,
                                error);
}

/* The mean outcome of each secret with a positive pair, in the order of their numbers. */
static gboolean
mean_by_secret (const Scored *scored, const AssayTruth *truth, AssayOutcomes *ret_outcomes,
                GError **error)
{
  g_autofree gsize *counts = NULL;
  gsize n_secrets = 0;

  for (gsize i = 0; i < scored->n; i++)
    if (scored->shared[i] >= 0)
      n_secrets = MAX (n_secrets, (gsize) scored->shared[i] + 1);
  counts = assay_alloc (n_secrets, sizeof (gsize), "secrets of pairs", error);
  if (counts == NULL || !assay_outcomes_alloc (ret_outcomes, N_SERIES, n_secrets, error))
    return FALSE;
  ret_outcomes->n = 0; /* of secrets with a positive pair */
  for (gsize i = 0; i < scored->n; i++)
    if (scored->shared[i] >= 0) {
      counts[scored->shared[i]]++;
      ret_outcomes->series[AREA][scored->shared[i]] += scored->placements[i];
      ret_outcomes->series[TRUE_POSITIVES][scored->shared[i]]
          += scored->scores[i] > scored->threshold;
    }
  for (gsize i = 0; i < n_secrets; i++) {
    for (guint s = 0; s < UNIT && counts[i] > 0; s++)
      ret_outcomes->series[s][ret_outcomes->n] = ret_outcomes->series[s][i] / (double) counts[i];
    if (counts[i] > 0)
      ret_outcomes->series[UNIT][ret_outcomes->n] = metric_group_of (truth, (gint64) i);
    ret_outcomes->n += counts[i] > 0;
  }
  return TRUE;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayArray *pairs = assay_arrays_get (&guess->arrays, "pairs");
  const AssayArray *scores = assay_arrays_get (&guess->arrays, "scores");
  const PairAuc *settings = context->settings;
  g_auto (Scored) scored = { .n = pairs->shape[0], .scores = assay_array_view (scores).data };

  if (!place_scores (settings, assay_arrays_get (&truth->arrays, "sources"), pairs,
                     &scored, error)
      || !mean_by_secret (&scored, truth, ret_outcomes, error))
    return FALSE;
  if (settings->false_positives * (double) scored.n_negative < 1)
    metric_leave_out (ret_outcomes, TRUE_POSITIVES, TRUE_POSITIVES + 1,
                      "false_positives = %g of %zu pairs that share no secret is less than one: "
                      "expected more pairs, or a higher rate",
                      settings->false_positives, scored.n_negative);
  return TRUE;
}

ASSAY_METRIC (pair_auc, "pair-auc",
  .summary = "How well scores of pairs find mixtures that share a secret",
  .reference = { "Huang, Song, Li and Arora 2020, InstaHide; DeLong, DeLong and Clarke-Pearson "
                 "1988",
                 "section 2.1; placements: section 2" },
  ASSAY_SETTINGS (PairAuc,
    ASSAY_PARAM_REAL (PairAuc, false_positives, 0.01, 1e-9, 0.5, "",
                      "False positive rate: share of the pairs without a common secret that may be "
                      "taken for ones with it")),
  .reads_truth = ASSAY_ARRAY_NAMES ("sources"),
  .reads_guess = ASSAY_ARRAY_NAMES ("pairs", "scores"),
  .has_own_units = TRUE,
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (AREA, "pair-auc", MEAN, 0, 1, "area under the ROC curve",
                   "Probability that two mixtures of one secret score above two that share none",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (TRUE_POSITIVES, "pair-true-positives", MEAN, 0, 1, "share of pairs",
                   "Pairs of one secret that are found at the false positive rate false_positives",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE)),
  .measure = measure);
