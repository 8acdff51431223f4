/* The cumulative match characteristic of a ranking (ISO/IEC 19795-1; Phillips, Moon, Rizvi and
 * Rauss 2000, The FERET Evaluation Methodology for Face-Recognition Algorithms): the share of
 * released items of which a partner is among the first k candidates, for five k, and what a random
 * order would give. The report draws it.
 *
 * Guess: for each of n released items, public rows, best first. Truth: the p partners of each.
 * Candidates that an attack does not name are no hits, neither of its own nor of chance. Of as many
 * candidates as there are public rows one is always right: such a k is left out. Units are those of
 * link-rank. */
#include "core/plugin/plugin.h"
#include "metrics/recovery/errors.h"
#include "metrics/recovery/ranking-hits.h"

#define N_RANKS 5

enum { HIT, CHANCE = N_RANKS, UNIT = 2 * N_RANKS, N_SERIES };

static const gsize ranks[N_RANKS] = { 1, 3, 10, 30, 100 };

/* The first @k candidates of every item. */
static void
judge (const RankingHits *ranking, guint rank, AssayOutcomes *outcomes)
{
  const gsize named = MIN (ranks[rank], ranking->c);
  const double chance = ranking_hits_by_chance (ranking->rows, named, ranking->p);

  for (gsize i = 0; i < ranking->n; i++) {
    outcomes->series[HIT + rank][i] = ranking_hits_at (ranking, i, named);
    outcomes->series[CHANCE + rank][i] = chance;
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
  for (guint r = 0; r < N_RANKS; r++) {
    judge (&ranking, r, ret_outcomes);
    if (ranking.rows == 0)
      metric_leave_out (ret_outcomes, CHANCE + r, CHANCE + r + 1,
                        "how many public rows there are is not known here");
    if (ranking.rows > 0 && ranks[r] >= ranking.rows && r > 0) {
      metric_leave_out (ret_outcomes, HIT + r, HIT + r + 1,
                        "so many candidates are all public rows");
      metric_leave_out (ret_outcomes, CHANCE + r, CHANCE + r + 1,
                        "so many candidates are all public rows");
    }
  }
  ranking_hits_set_units (&ranking, truth, UNIT, ret_outcomes);
  return TRUE;
}

#define AT(rank, k)                                                                                \
  ASSAY_MEASURE (HIT + (rank), "partner-cmc-at-" #k, RATE, 0, 1, "share of items",                 \
                 "Items for which a public row that belongs to them is among the first " #k        \
                 " candidates",                                                                    \
                 ASSAY_HIGHER_IS_WORSE),                                                           \
      ASSAY_MEASURE (CHANCE + (rank), "partner-cmc-chance-at-" #k, MEAN, 0, 1, "share of items",   \
                     "The same for candidates in random order", ASSAY_HIGHER_IS_WORSE,             \
                     ASSAY_IS_REFERENCE)

RANKING_METRIC (cumulative_match, "cumulative-match",
  .summary = "Cumulative match characteristic of a ranking of public rows, beside chance",
  .reference = { "ISO/IEC 19795-1, Biometric performance testing and reporting",
                 "cumulative match characteristic" },
  ASSAY_MEASURES (N_SERIES,
    AT (0, 1),
    AT (1, 3),
    AT (2, 10),
    AT (3, 30),
    AT (4, 100)));
