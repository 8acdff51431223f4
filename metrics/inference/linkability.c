/* How well items of two releases under different keys are told to be of one secret: the
 * unlinkability that ISO/IEC 24745 asks of protected templates and ISO/IEC 30136 measures.
 *
 * A pair of items is a mate pair, or not. Beside the area under the ROC curve stand the equal error
 * rate, the share of items of the second release whose mate has the highest score of all (of k
 * equal highest ones it counts 1 / k), and
 *   D_sys = integral of p (s | mate) D (s) ds,
 *   D (s) = max (0, p (mate | s) - p (not | s)) = max (0, (w r - 1) / (w r + 1))
 * (Gomez-Barrero, Galbally, Rathgeb and Busch 2018, "General Framework to Evaluate Unlinkability in
 * Biometric Template Protection Systems", equations 3 to 10), where r = p (s | mate) / p (s | not)
 * and w = p (mate) / p (not): 0, nothing is linked; 1, everything is.
 *
 * With densities put in by bins, as there, D_sys is above 0 of releases that have nothing to do
 * with each other: bins in which there happen to be more mates count, the others do not. Here D, a
 * step function that does not fall as higher scores are to say "mate", is learned of one half of
 * the secrets and judged on the other. With the mixture M of both densities,
 * p (s | mate) is M (1 + D) (1 + w) / (2 w) where D is not cut, so that
 *   D_sys = 1 / (2 w) [ w P (A | mate) - P (A | not) + 2 (w E [g | mate] - E [g | not])
 *                       - (w E [g^2 | mate] + E [g^2 | not]) ]
 * with A = {D > 0} and g = max (0, D); any other A and g give less. So what one half learns never
 * gives too much on the other in the mean: 0 or a little below where nothing is linked.
 *
 * The unit is the secret; pairs that are none share two of them. The outcome of one is what it does
 * to the measure as a mate, and with all pairs of its row and column (Hoeffding 1948). */
#include <math.h>
#include <stdlib.h>

#include "core/base/vectors.h"
#include "core/games/guesses/score-roc.h"
#include "core/plugin/plugin.h"
#include "metrics/inference/score-ratio.h"
#include "metrics/recovery/errors.h"

#define MIN_MATES 20

enum { AREA, EQUAL_ERRORS, FIRST, D_SYS, UNIT, N_SERIES };

typedef struct {
  double omega;
} Linkability;

/* Scores of n x m pairs, and the row that is the mate of each column. */
typedef struct {
  gsize n, m;
  const float *scores;
  const gint64 *mates;
} Pairs;

static float
score_at (const Pairs *pairs, gsize row, gsize column)
{
  return pairs->scores[row * pairs->m + column];
}

static gboolean
is_mate (const Pairs *pairs, gsize row, gsize column)
{
  return pairs->mates[column] == (gint64) row;
}

/* ---- Outcomes of pairs to outcomes of secrets ---- */

/* Sums over a row or a column of pairs that are no mates. */
typedef struct {
  double *sums;
  double *counts;
} Side;

static void
add (Side *side, gsize place, double value)
{
  side->sums[place] += value;
  side->counts[place]++;
}

/* From outcomes of n x m pairs the mean of mates plus that of others, and for each column what its
 * secret does to it. Pairs whose outcome is NAN do not count. */
static void
take_secrets (const Pairs *pairs, const double *outcomes, double *ret_outcomes)
{
  const gsize n = pairs->n, m = pairs->m;
  g_autofree double *room = g_new0 (double, 2 * (n + m) + m);
  Side rows = { room, room + n }, columns = { room + 2 * n, room + 2 * n + m };
  double *of_mate = room + 2 * (n + m), mates = 0, others = 0, n_mates = 0, n_others = 0;
  double mean = 0;

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < m; j++) {
      const double outcome = outcomes[i * m + j];

      if (outcome != outcome)
        continue;
      if (is_mate (pairs, i, j)) {
        of_mate[j] = outcome;
        mates += outcome;
        n_mates++;
        continue;
      }
      add (&rows, i, outcome);
      add (&columns, j, outcome);
      others += outcome;
      n_others++;
    }
  mates /= n_mates;
  others /= n_others;
  for (gsize j = 0; j < m; j++) {
    const gsize row = (gsize) pairs->mates[j];

    ret_outcomes[j] = of_mate[j] - mates + columns.sums[j] / MAX (columns.counts[j], 1)
                      + rows.sums[row] / MAX (rows.counts[row], 1) - 2 * others;
    mean += ret_outcomes[j] / (double) m;
  }
  for (gsize j = 0; j < m; j++)
    ret_outcomes[j] += mates + others - mean;
}

/* ---- The ROC curve ---- */

static gboolean
judge_area (const Pairs *pairs, double *pair_outcomes, double *ret_outcomes, GError **error)
{
  const gsize n = pairs->n, m = pairs->m;
  g_autofree guint8 *mated = assay_alloc (n, m, "pairs of items", error);
  const AssayRoc roc = { pairs->scores, 1, mated, n * m };
  double area;

  if (mated == NULL)
    return FALSE;
  for (gsize j = 0; j < m; j++)
    mated[(gsize) pairs->mates[j] * m + j] = 1;
  if (!assay_roc_area (&roc, &area, pair_outcomes, error))
    return FALSE;
  /* An influence is its own deviation times the pairs and over those of its side. */
  for (gsize i = 0; i < n * m; i++)
    pair_outcomes[i] = area / 2
                       + pair_outcomes[i] * (double) (mated[i] ? m : n * m - m)
                             / (double) (n * m);
  take_secrets (pairs, pair_outcomes, ret_outcomes);
  return TRUE;
}

/* The threshold at which as many mates are below it as others are not. */
static float
equal_threshold (const Pairs *pairs, float *mates, float *others)
{
  gsize n_mates = 0, n_others = 0, low = 0, high;

  for (gsize i = 0; i < pairs->n; i++)
    for (gsize j = 0; j < pairs->m; j++)
      if (is_mate (pairs, i, j))
        mates[n_mates++] = score_at (pairs, i, j);
      else
        others[n_others++] = score_at (pairs, i, j);
  qsort (mates, n_mates, sizeof *mates, assay_compare_floats);
  qsort (others, n_others, sizeof *others, assay_compare_floats);
  /* The first of the others whose error as a threshold has fallen to that of the mates. */
  high = n_others - 1;
  for (gsize below = 0; low < high;) {
    const gsize middle = low + (high - low) / 2;
    const double taken = (double) (n_others - middle) / (double) n_others;

    below = 0;
    for (gsize step = n_mates; step > 0; step /= 2)
      while (below + step <= n_mates && mates[below + step - 1] < others[middle])
        below += step;
    if ((double) below / (double) n_mates >= taken)
      high = middle;
    else
      low = middle + 1;
  }
  return others[low];
}

static gboolean
judge_equal_errors (const Pairs *pairs, double *pair_outcomes, double *ret_outcomes,
                    GError **error)
{
  g_autofree float *scores = assay_alloc (pairs->n, pairs->m * sizeof (float), "scores", error);
  float threshold;

  if (scores == NULL)
    return FALSE;
  threshold = equal_threshold (pairs, scores, scores + pairs->m);
  /* Equal scores are on both sides by half. */
  for (gsize i = 0; i < pairs->n; i++)
    for (gsize j = 0; j < pairs->m; j++) {
      const float score = score_at (pairs, i, j);
      const double above = score > threshold ? 1 : score < threshold ? 0 : 0.5;

      pair_outcomes[i * pairs->m + j] = (is_mate (pairs, i, j) ? 1 - above : above) / 2;
    }
  take_secrets (pairs, pair_outcomes, ret_outcomes);
  return TRUE;
}

/* ---- Ranks ---- */

static void
judge_first (const Pairs *pairs, double *ret_outcomes)
{
  for (gsize j = 0; j < pairs->m; j++) {
    const float own = score_at (pairs, (gsize) pairs->mates[j], j);
    gsize above = 0, equal = 0;

    for (gsize i = 0; i < pairs->n; i++) {
      above += score_at (pairs, i, j) > own;
      equal += score_at (pairs, i, j) == own;
    }
    ret_outcomes[j] = above > 0 ? 0 : 1 / (double) equal;
  }
}

/* ---- D_sys ---- */

/* Columns fall into two halves, and rows with their mates; rows without one by their number. */
static guint8 *
halves_of_rows (const Pairs *pairs)
{
  guint8 *halves = g_new (guint8, pairs->n);

  for (gsize i = 0; i < pairs->n; i++)
    halves[i] = i % 2;
  for (gsize j = 0; j < pairs->m; j++)
    halves[pairs->mates[j]] = j % 2;
  return halves;
}

static ScoreRatio
learn_half (const Pairs *pairs, const guint8 *halves, guint half, double omega, float *room)
{
  float *mates = room, *others = room + pairs->m;
  gsize n_mates = 0, n_others = 0;

  for (gsize i = 0; i < pairs->n; i++)
    for (gsize j = half; halves[i] == half && j < pairs->m; j += 2)
      if (is_mate (pairs, i, j))
        mates[n_mates++] = score_at (pairs, i, j);
      else
        others[n_others++] = score_at (pairs, i, j);
  return score_ratio ((ScoreSample){ mates, n_mates }, (ScoreSample){ others, n_others }, omega);
}

static gboolean
judge_d_sys (const Linkability *settings, const Pairs *pairs, double *pair_outcomes,
             double *ret_outcomes, GError **error)
{
  const double omega = settings->omega;
  g_autofree guint8 *halves = halves_of_rows (pairs);
  g_autofree float *room
      = assay_alloc (pairs->n + 1, pairs->m * sizeof (float), "scores", error);

  if (room == NULL)
    return FALSE;
  for (gsize i = 0; i < pairs->n * pairs->m; i++)
    pair_outcomes[i] = NAN;
  for (guint half = 0; half < 2; half++) {
    g_auto (ScoreRatio) ratio = learn_half (pairs, halves, 1 - half, omega, room);

    for (gsize i = 0; i < pairs->n; i++)
      for (gsize j = half; halves[i] == half && j < pairs->m; j += 2) {
        const double d = score_ratio_at (&ratio, score_at (pairs, i, j));
        const double g = MAX (d, 0), in = d > 0;

        pair_outcomes[i * pairs->m + j] = is_mate (pairs, i, j)
                                              ? in / 2 + g - g * g / 2
                                              : -(in / 2 + g + g * g / 2) / omega;
      }
  }
  take_secrets (pairs, pair_outcomes, ret_outcomes);
  return TRUE;
}

/* ---- The metric ---- */

static char *
why_too_few (gsize mates)
{
  return mates < MIN_MATES ? g_strdup_printf ("%zu items of the second release have a mate; "
                                              "expected %d at least",
                                              mates, MIN_MATES)
                           : NULL;
}

static char *
lacks (const AssayForeseen *foreseen, G_GNUC_UNUSED guint series)
{
  return why_too_few (foreseen->secrets);
}

static gboolean
check_pairs (const Pairs *pairs, const AssayArray *scores, const AssayArray *mates, GError **error)
{
  g_autofree char *too_few = why_too_few (pairs->m);

  if (mates->shape[0] != scores->shape[1])
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "cross-scores are %zu x %zu; expected a column for each of %zu mates",
                       scores->shape[0], scores->shape[1], mates->shape[0]);
  if (too_few != NULL)
    return assay_fail (error, ASSAY_ERROR_DATA, "%s", too_few);
  for (gsize j = 0; j < pairs->m; j++)
    if (pairs->mates[j] < 0 || (guint64) pairs->mates[j] >= pairs->n)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "the mate of item %zu is %" G_GINT64_FORMAT "; expected one of %zu", j,
                         pairs->mates[j], pairs->n);
  return TRUE;
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  const AssayArray *mates = assay_arrays_get (&truth->arrays, "mates");
  const AssayArray *scores = assay_arrays_get (&guess->arrays, "cross-scores");
  const Pairs pairs = { .n = scores->shape[0],
                        .m = scores->shape[1],
                        .scores = assay_array_view (scores).data,
                        .mates = assay_array_int64 (mates) };
  g_autofree double *room = NULL;

  if (!check_pairs (&pairs, scores, mates, error))
    return FALSE;
  room = assay_alloc (pairs.n, pairs.m * sizeof (double), "pairs of items", error);
  if (room == NULL || !assay_outcomes_alloc (ret_outcomes, N_SERIES, pairs.m, error)
      || !judge_area (&pairs, room, ret_outcomes->series[AREA], error)
      || !judge_equal_errors (&pairs, room, ret_outcomes->series[EQUAL_ERRORS], error)
      || !judge_d_sys (context->settings, &pairs, room, ret_outcomes->series[D_SYS], error))
    return FALSE;
  judge_first (&pairs, ret_outcomes->series[FIRST]);
  for (gsize j = 0; j < pairs.m; j++)
    ret_outcomes->series[UNIT][j] = metric_group_of (truth, pairs.mates[j]);
  return TRUE;
}

ASSAY_METRIC (linkability, "linkability",
  .summary = "How well items of two releases under different keys are linked",
  .reference = { "Gomez-Barrero, Galbally, Rathgeb and Busch 2018, General Framework to Evaluate "
                 "Unlinkability in Biometric Template Protection Systems",
                 "equations 3 to 10" },
  ASSAY_SETTINGS (Linkability,
    ASSAY_PARAM_REAL (Linkability, omega, 1, 1e-6, 1e6, "",
                      "Weight w: how probable a pair of one secret is, relative to a pair of two, "
                      "before its score is known")),
  .reads_truth = ASSAY_ARRAY_NAMES ("mates"),
  .reads_guess = ASSAY_ARRAY_NAMES ("cross-scores"),
  .has_own_units = TRUE,
  .counts_secrets = TRUE,
  .lacks = lacks,
  .names_units = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (AREA, "cross-auc", MEAN, 0, 1, "area under the ROC curve",
                   "Probability that a pair of items of one secret scores above one of two secrets",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE),
    ASSAY_MEASURE (EQUAL_ERRORS, "cross-eer", MEAN, 0, 1, "share of pairs",
                   "Equal error rate: share of the pairs of one secret that are missed where as "
                   "large a share of the others is accepted",
                   .is_influence = TRUE),
    ASSAY_MEASURE (FIRST, "cross-rank-1", MEAN, 0, 1, "share of items",
                   "Items whose counterpart in the other release scores above all other items "
                   "there",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (D_SYS, "linkability", MEAN, -1, 1, "D_sys",
                   "D_sys: 0, items of two releases cannot be linked; 1, all can", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE, .is_influence = TRUE)),
  .measure = measure);
