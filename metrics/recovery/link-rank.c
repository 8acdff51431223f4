/* How early the partners of a released item stand in a ranking of all public rows: the public
 * images of a mixture (InstaHide, Huang, Song, Li and Arora 2020, sections 2.2, 5.3 and 9, figure
 * 8), or another record of the secret that a code was made of.
 *
 * Guess: for each of N released items, public rows, best first. Truth: the p partners of each. The
 * rank of a partner is its place among the candidates, from 1. One that is not among the c
 * candidates that an attack names is no hit, however far one counts, and its rank is the mean of
 * the places that are left, of c + 1 to the number of public rows (in folders, which do not say how
 * many there are, c + 1): as if the attack had put the rest in random order.
 *
 * Units are the released items. Each has coefficients, partners and signs of its own; but those of
 * one secret are alike, as one secret hides what is beside it better than another does. So an item
 * belongs to the secret that it was made for and to the other one that is in it, and intervals are
 * about other secrets too (core/stats/crossed.h).
 *   rank         of one partner of the item, the (i mod p)-th of item i: partners stand in no
 *                order, so that this is a random one, and the ranks that a median is of are
 *                independent, which those of the partners of one item are not
 *   mean rank    over the item's partners
 *   hit@c        whether some partner is among the first c: the paper's hit rate
 *   found@p      the share of the partners that are among the first p
 *   area         the chance that a partner stands before a row that is none: that under the ROC
 *                curve of one item, whose mean over the items it is
 *
 * Hits beside chance are another metric: metrics/recovery/link-excess.c. */
#include "core/plugin/plugin.h"
#include "metrics/recovery/ranking-hits.h"

typedef struct {
  gint64 m;
} LinkRank;

enum { RANK, MEAN_RANK, HIT_1, HIT_10, HIT_M, FOUND, AREA, OTHER, UNIT, N_SERIES };

#define NOT_NAMED G_MAXSIZE

/* Places of the partners, from 1. */
static void
find_ranks (const gint64 *candidates, gsize c, const gint64 *partners, gsize p, gsize *ret_ranks)
{
  for (gsize j = 0; j < p; j++)
    ret_ranks[j] = NOT_NAMED;
  for (gsize i = 0; i < c; i++)
    for (gsize j = 0; j < p; j++)
      if (candidates[i] == partners[j] && ret_ranks[j] == NOT_NAMED)
        ret_ranks[j] = i + 1;
}

/* @otherwise: the rank of a partner that is not named. */
static void
judge_item (const LinkRank *settings, gsize item, const gsize *ranks, gsize p, double otherwise,
            AssayOutcomes *outcomes)
{
  gsize best = NOT_NAMED;
  double sum = 0, n_found = 0;

  for (gsize j = 0; j < p; j++) {
    best = MIN (best, ranks[j]);
    sum += ranks[j] != NOT_NAMED ? (double) ranks[j] : otherwise;
    n_found += ranks[j] <= p;
  }
  outcomes->series[RANK][item]
      = ranks[item % p] != NOT_NAMED ? (double) ranks[item % p] : otherwise;
  outcomes->series[MEAN_RANK][item] = sum / (double) p;
  outcomes->series[HIT_1][item] = best <= 1;
  outcomes->series[HIT_10][item] = best <= 10;
  outcomes->series[HIT_M][item] = best <= (gsize) settings->m;
  outcomes->series[FOUND][item] = n_found / (double) p;
}

/* From mean ranks among @rows public rows. */
static void
judge_area (gsize rows, gsize p, AssayOutcomes *outcomes)
{
  for (gsize i = 0; i < outcomes->n; i++) {
    const double before = outcomes->series[MEAN_RANK][i] - ((double) p + 1) / 2;

    outcomes->series[AREA][i] = CLAMP (1 - before / (double) MAX (rows - MIN (rows, p), 1), 0, 1);
  }
}

static gboolean
measure (const AssayMetricContext *context, const AssayTruth *truth, const AssayGuess *guess,
         AssayOutcomes *ret_outcomes, GError **error)
{
  g_autofree gsize *found = NULL;
  RankingHits ranking;
  gsize rows, c, p;
  double otherwise;

  if (!ranking_hits_read (context, truth, guess, &ranking, error)
      || !assay_outcomes_alloc (ret_outcomes, N_SERIES, ranking.n, error))
    return FALSE;
  c = ranking.c;
  p = ranking.p;
  rows = MAX (ranking.rows, c + 1);
  otherwise = ((double) c + 1 + (double) rows) / 2;
  found = assay_alloc (p, sizeof (gsize), "ranks", error);
  if (found == NULL)
    return FALSE;
  for (gsize i = 0; i < ranking.n; i++) {
    find_ranks (ranking.candidates + i * c, c, ranking.partners + i * p, p, found);
    judge_item (context->settings, i, found, p, otherwise, ret_outcomes);
  }
  ranking_hits_set_units (&ranking, truth, UNIT, ret_outcomes);
  for (gsize i = 0; i < ranking.n; i++)
    ret_outcomes->series[OTHER][i] = ranking_hits_second (&ranking, truth, i);
  judge_area (rows, p, ret_outcomes);
  return TRUE;
}

RANKING_METRIC (link_rank, "link-rank",
  .summary = "Ranks of the public rows that belong to a released item, and hit rates",
  .reference = { ASSAY_PAPER_INSTAHIDE, "sections 2.2, 5.3 and 9, figure 8" },
  ASSAY_SETTINGS (LinkRank,
    ASSAY_PARAM_INT (LinkRank, m, 100, 1, 1000000000, "public rows",
                     "How many candidates partner-hit-at-m looks at")),
  .names_pairs = TRUE,
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (RANK, "partner-rank-median", MEDIAN, 1, G_MAXDOUBLE, "rank",
                   "Median rank among the candidates of a public row that belongs to the item, "
                   "from 1",
                   ASSAY_HEADLINE),
    ASSAY_MEASURE (RANK, "partner-rank-lower-quartile", LOWER_QUARTILE, 1, G_MAXDOUBLE, "rank",
                   "Lower quartile of the same ranks"),
    ASSAY_MEASURE (MEAN_RANK, "partner-rank-mean", MEAN, 1, G_MAXDOUBLE, "rank",
                   "Mean rank of the public rows that belong to an item"),
    ASSAY_MEASURE (HIT_1, "partner-hit-at-1", RATE, 0, 1, "share of items",
                   "Items whose first candidate belongs to them", ASSAY_HEADLINE,
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (HIT_10, "partner-hit-at-10", RATE, 0, 1, "share of items",
                   "Items for which a public row that belongs to them is among the first 10 "
                   "candidates",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (HIT_M, "partner-hit-at-m", RATE, 0, 1, "share of items",
                   "Items for which a public row that belongs to them is among the first m "
                   "candidates",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (FOUND, "partners-found", MEAN, 0, 1, "share of partners",
                   "Public rows of an item that are among its first candidates, of which as many "
                   "are looked at as it has public rows",
                   ASSAY_HIGHER_IS_WORSE),
    ASSAY_MEASURE (AREA, "partner-auc", MEAN, 0, 1, "area under the ROC curve",
                   "Probability that a public row that belongs to an item ranks before one that "
                   "does not",
                   ASSAY_HIGHER_IS_WORSE)));
