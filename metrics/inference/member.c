/* How well records that were released are told from those that were not (Carlini et al. 2022,
 * "Membership Inference Attacks From First Principles", section III).
 *
 * As many records were released as not. A unit is one of each: member i and the i-th of the others,
 * which are in random order. The area under the ROC curve is a mean over members and one over the
 * others, so that what a unit does to it is what its two records do
 * (core/games/guesses/score-roc.h). True positives are the members above the threshold that at most
 * the share 0.01, or 0.001, of the others exceed; where that is less than one record, they are left
 * out: the threshold would be a guess. Its own scatter is not in the interval.
 *
 * Chance is 0.5 for the area and the rate of false positives itself for true positives: the others
 * are the control people.
 *
 * As for attributes and links, three shares stand beside each other (Giomi, Boenisch, Wehmeyer and
 * Tasnadi 2023, Anonymeter, sections 4 and 5), for which a guess has to be made of each record:
 * half of the records were released, which the attacker knows, and those with the higher scores are
 * taken for them. Equal scores where the line falls share what is left of the half.
 *   hits      members that are taken for members
 *   baseline  the same without the release: records were drawn by a coin, which nothing else tells
 *   control   the others, who are not in the release, that are taken for members
 *   excess    (hits - control) / (1 - control), core/stats/excess.h
 * The line is drawn by the scores alone, so that hits and control have the sum 1, and spread less
 * than those of independent records: the interval is too wide rather than too narrow. */
#include <stdlib.h>

#include "core/base/vectors.h"
#include "core/games/guesses/score-roc.h"
#include "core/plugin/plugin.h"
#include "core/stats/excess.h"
#include "metrics/recovery/errors.h"

enum {
  AREA,
  AT_100,
  AT_1000,
  AT_33,
  AT_10,
  AT_3,
  HIT,
  BASELINE,
  CONTROL,
  EXCESS,
  N_SERIES,
};

static const double rates[HIT] = { 0, 0.01, 0.001, 0.03, 0.1, 0.3 };

static gboolean
check_sizes (const AssayArray *members, const AssayArray *scores, gsize *ret_half, GError **error)
{
  const gsize n = members->shape[0];
  gsize n_in = 0;

  for (gsize i = 0; i < n; i++)
    n_in += assay_array_int64 (members)[i] != 0;
  *ret_half = n_in;
  if (scores->shape[0] != n)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "member-scores are of %zu records; expected %zu", scores->shape[0], n);
  return (n_in > 0 && 2 * n_in == n)
         || assay_fail (error, ASSAY_ERROR_DATA,
                        "%zu of %zu records were released; expected half of them", n_in, n);
}

/* Why such a share of @n records is no threshold; NULL: it is one. */
static char *
why_no_rate (guint series, gsize n)
{
  if (series == AREA || series >= HIT || rates[series] * (double) n >= 1)
    return NULL;
  return g_strdup_printf ("a share %g of %zu records that were not released is less than one; "
                          "expected %.0f records or more",
                          rates[series], n, 1 / rates[series]);
}

static char *
lacks (const AssayForeseen *foreseen, guint series)
{
  return why_no_rate (series, foreseen->secrets);
}

static void
judge_rate (const AssayRoc *roc, guint series, AssayOutcomes *outcomes)
{
  const float threshold = assay_roc_threshold (roc, rates[series]);
  gsize unit = 0;

  outcomes->omitted[series] = why_no_rate (series, outcomes->n);
  if (outcomes->omitted[series] != NULL) {
    g_clear_pointer (&outcomes->series[series], g_free);
    return;
  }
  for (gsize i = 0; i < roc->n; i++)
    if (roc->is_positive[i])
      outcomes->series[series][unit++] = roc->scores[i] > threshold;
}

/* Whether each record is taken for a member, 0 or 1, or the share of equal scores that are. */
static double *
take_half (const AssayRoc *roc, GError **error)
{
  const gsize n = roc->n, half = n / 2;
  g_autofree double *sorted = assay_alloc (n, sizeof (double), "records", error);
  double *taken = assay_alloc (n, sizeof (double), "records", error);
  double line;
  gsize above = 0, on = 0;

  if (sorted == NULL || taken == NULL) {
    g_free (taken);
    return NULL;
  }
  for (gsize i = 0; i < n; i++)
    sorted[i] = (double) roc->scores[i];
  qsort (sorted, n, sizeof *sorted, assay_compare_doubles);
  line = sorted[n - half];
  for (gsize i = 0; i < n; i++) {
    above += sorted[i] > line;
    on += sorted[i] == line;
  }
  for (gsize i = 0; i < n; i++) {
    const double score = (double) roc->scores[i];

    taken[i] = score > line ? 1 : score == line ? (double) (half - above) / (double) on : 0;
  }
  return taken;
}

/* Unit i is the i-th member and the i-th of the others. */
static gboolean
judge_excess (const AssayRoc *roc, AssayOutcomes *outcomes, GError **error)
{
  g_autofree double *taken = take_half (roc, error);
  double *const *series = outcomes->series;
  gsize units[2] = { 0, 0 };
  double control = 0;

  if (taken == NULL)
    return FALSE;
  for (gsize i = 0; i < roc->n; i++) {
    const guint side = roc->is_positive[i];

    series[side ? HIT : CONTROL][units[side]++] = taken[i];
    control += side ? 0 : taken[i] / (double) outcomes->n;
  }
  for (gsize u = 0; u < outcomes->n; u++)
    series[BASELINE][u] = 0.5;
  if (control < 1) {
    assay_excess_influence (series[HIT], series[CONTROL], outcomes->n, series[EXCESS]);
    return TRUE;
  }
  metric_leave_out (outcomes, EXCESS, EXCESS + 1,
                    "every record that was not released is taken for a member: nothing is left "
                    "that could exceed that");
  return TRUE;
}

static gboolean
measure (G_GNUC_UNUSED const AssayMetricContext *context, const AssayTruth *truth,
         const AssayGuess *guess, AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayArray *members = assay_arrays_get (&truth->arrays, "members");
  const AssayArray *scores = assay_arrays_get (&guess->arrays, "member-scores");
  const gsize n = members->shape[0];
  g_autofree guint8 *is_in = assay_alloc (n, 1, "records", error);
  g_autofree double *influence = assay_alloc (n, sizeof (double), "records", error);
  const AssayRoc roc = { assay_array_view (scores).data, 1, is_in, n };
  gsize half, units[2] = { 0, 0 };
  double area;

  if (is_in == NULL || influence == NULL || !check_sizes (members, scores, &half, error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, half, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    is_in[i] = assay_array_int64 (members)[i] != 0;
  if (!assay_roc_area (&roc, &area, influence, error))
    return FALSE;
  /* An influence is twice what its record is off by: half of the records are of each side. */
  for (gsize i = 0; i < n; i++)
    ret_outcomes->series[AREA][units[is_in[i]]++] += area / 2 + influence[i] / 2;
  for (guint s = AT_100; s < HIT; s++)
    judge_rate (&roc, s, ret_outcomes);
  return judge_excess (&roc, ret_outcomes, error);
}

ASSAY_METRIC (member, "member",
  .summary = "How well records that were released are told from others",
  .reference = { "Carlini, Chien, Nasr, Song, Terzis and Tramer 2022, Membership Inference Attacks "
                 "From First Principles; Giomi, Boenisch, Wehmeyer and Tasnadi 2023, Anonymeter",
                 "section III; sections 4 and 5" },
  .reads_truth = ASSAY_ARRAY_NAMES ("members"),
  .reads_guess = ASSAY_ARRAY_NAMES ("member-scores"),
  .has_own_units = TRUE,
  .counts_secrets = TRUE,
  .lacks = lacks,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (AREA, "member-auc", MEAN, 0, 1, "area under the ROC curve",
                   "Probability that a record that was released scores above one that was not",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (AT_100, "member-true-positives-at-1-percent", RATE, 0, 1, "share of members",
                   "Members that are recognised where 1 % of other records are taken for members",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (AT_1000, "member-true-positives-at-0-1-percent", RATE, 0, 1, "share of members",
                   "Members that are recognised where 0.1 % of other records are taken for members",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (AT_33, "member-true-positives-at-3-percent", RATE, 0, 1, "share of members",
                   "The same where 3 % of other records are", ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (AT_10, "member-true-positives-at-10-percent", RATE, 0, 1, "share of members",
                   "The same where 10 % of other records are", ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (AT_3, "member-true-positives-at-30-percent", RATE, 0, 1, "share of members",
                   "The same where 30 % of other records are", ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (HIT, "member-hits", MEAN, 0, 1, "share of members",
                   "Members among the half of the records that scores higher", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (BASELINE, "member-baseline", MEAN, 0, 1, "share of members",
                   "The same for a guess that never sees the release", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (CONTROL, "member-control", MEAN, 0, 1, "share of other records",
                   "Records that were not released among the half that scores higher",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (EXCESS, "member-excess", EXCESS, -1, 1, "share",
                   "(hits - control) / (1 - control): 0, no more than for people who are not in "
                   "the release; 1, always right",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .success = HIT, .control = CONTROL,
                   .is_influence = TRUE)),
  .measure = measure);
