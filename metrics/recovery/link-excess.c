/* How many released items are linked beside chance: the hit rates of link-rank, those of a baseline
 * that never sees the release, and those of control people, whose records are among the public rows
 * and not in the release (Giomi, Boenisch, Wehmeyer and Tasnadi 2023, Anonymeter, sections 4 and
 * 5).
 *
 * Guess: for each of n released items, public rows, best first. Truth: the p partners of each. Each
 * figure is a share of items of which one of the first k candidates is right.
 *   baseline  without the release no row is likelier than another: of the first k rows of a random
 *             order
 *   control   of the same candidates, were the partners of an item as many rows that belong to no
 *             item: the mean over all choices of these
 *   excess    (hits - control) / (1 - control), core/stats/excess.h
 *
 * Candidates that an attack does not name are no hits, neither of its own nor of the others. The
 * units are those of link-rank. */
#include "core/plugin/plugin.h"
#include "core/stats/excess.h"
#include "metrics/recovery/errors.h"
#include "metrics/recovery/ranking-hits.h"

/* Of the first candidate, and of the first 10 in the same order. */
enum {
  HIT_1,
  BASELINE_1,
  CONTROL_1,
  EXCESS_1,
  HIT_10,
  BASELINE_10,
  CONTROL_10,
  EXCESS_10,
  UNIT,
  N_SERIES
};

/* Which public rows belong to an item, and how many belong to none. */
static guint8 *
find_others (const RankingHits *ranking, gsize *ret_n_others)
{
  guint8 *belongs = g_new0 (guint8, ranking->rows);

  *ret_n_others = ranking->rows;
  for (gsize i = 0; i < ranking->n * ranking->p; i++)
    if (ranking->partners[i] >= 0 && (gsize) ranking->partners[i] < ranking->rows
        && !belongs[ranking->partners[i]]) {
      belongs[ranking->partners[i]] = 1;
      (*ret_n_others)--;
    }
  return belongs;
}

/* Rows among the first @k candidates that belong to no item, each once. */
static gsize
count_others (const gint64 *candidates, gsize k, const guint8 *belongs, gsize rows)
{
  gsize count = 0;

  for (gsize i = 0; i < k; i++) {
    gboolean is_new = candidates[i] >= 0 && (gsize) candidates[i] < rows;

    for (gsize before = 0; is_new && before < i; before++)
      is_new = candidates[before] != candidates[i];
    count += is_new && !belongs[candidates[i]];
  }
  return count;
}

/* ---- The metric ---- */

/* The first @k candidates, into four series from @first on. */
static void
judge (const RankingHits *ranking, gsize k, guint first, AssayOutcomes *outcomes)
{
  double *const *series = outcomes->series + first;
  const gsize n = ranking->n, p = ranking->p, named = MIN (k, ranking->c);
  gsize n_others;
  g_autofree guint8 *belongs = find_others (ranking, &n_others);

  for (gsize i = 0; i < n; i++) {
    series[HIT_1][i] = ranking_hits_at (ranking, i, named);
    series[BASELINE_1][i] = ranking_hits_by_chance (ranking->rows, named, p);
    series[CONTROL_1][i] = ranking_hits_by_chance (
        n_others,
        count_others (ranking->candidates + i * ranking->c, named, belongs, ranking->rows), p);
  }
  if (n_others >= k + p) {
    assay_excess_influence (series[HIT_1], series[CONTROL_1], n, series[EXCESS_1]);
  } else {
    /* With fewer of them, every guess would be right of the control. */
    metric_leave_out (outcomes, first + CONTROL_1, first + EXCESS_1 + 1,
                      "%zu of %zu public rows belong to no released item; expected %zu at least, "
                      "of people who are not in the release",
                      n_others, ranking->rows, k + p);
  }
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  RankingHits ranking;

  if (!ranking_hits_read (context, truth, guess, &ranking, error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, ranking.n, error))
    return FALSE;
  if (ranking.rows >= ranking.p) {
    judge (&ranking, 1, HIT_1, ret_outcomes);
    judge (&ranking, 10, HIT_10, ret_outcomes);
  } else {
    metric_leave_out (ret_outcomes, HIT_1, UNIT,
                      "how many public rows there are is not known here");
  }
  ranking_hits_set_units (&ranking, truth, UNIT, ret_outcomes);
  return TRUE;
}

RANKING_METRIC (link_excess, "link-excess",
  .summary = "Hit rates of a ranking of public rows beside a baseline and control people",
  .reference = { "Giomi, Boenisch, Wehmeyer and Tasnadi 2023, A Unified Framework for Quantifying "
                 "Privacy Risk in Synthetic Data (Anonymeter)",
                 "sections 4 and 5" },
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (BASELINE_1, "partner-baseline-at-1", MEAN, 0, 1, "share of items",
                   "Hits at 1 of a guess that never sees the release", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (CONTROL_1, "partner-control-at-1", MEAN, 0, 1, "share of items",
                   "Hits at 1 when the same candidates are compared with public rows of people who "
                   "are not in the release",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (EXCESS_1, "partner-excess-at-1", EXCESS, -1, 1, "share",
                   "(hits at 1 - control) / (1 - control): 0, no more than for people who are not "
                   "in the release; 1, always right",
                   ASSAY_HEADLINE, ASSAY_HIGHER_IS_WORSE, .success = HIT_1, .control = CONTROL_1,
                   .is_influence = TRUE),
    ASSAY_MEASURE (BASELINE_10, "partner-baseline-at-10", MEAN, 0, 1, "share of items",
                   "Hits at 10 of a guess that never sees the release", ASSAY_HIGHER_IS_WORSE,
                   ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (CONTROL_10, "partner-control-at-10", MEAN, 0, 1, "share of items",
                   "Hits at 10 when the same candidates are compared with public rows of people "
                   "who are not in the release",
                   ASSAY_HIGHER_IS_WORSE, ASSAY_IS_REFERENCE),
    ASSAY_MEASURE (EXCESS_10, "partner-excess-at-10", EXCESS, -1, 1, "share",
                   "(hits at 10 - control) / (1 - control)", ASSAY_HIGHER_IS_WORSE,
                   .success = HIT_10, .control = CONTROL_10, .is_influence = TRUE)));
