/* Hash lookup: precision and recall of all items within a Hamming radius of a query. Swept over
 * radius = 0 .. bits, a precision-recall curve; at radius 2 the usual single figure.
 *
 * Queries, database and relevance are those of the utility `map`. Of a query with R relevant items
 * in the database, f items within the radius and r of these relevant:
 *   precision = r / f, and 0 where f = 0: a lookup that finds nothing has failed (the convention of
 *               Liu et al. 2012, "Supervised hashing with kernels", section 4); how many do is
 *               measured by itself (empty-lookups)
 *   recall    = r / R.
 * Both are means over queries, each of the same weight. A query without relevant items is left out
 * and counted. A radius of the code's length or more finds everything. No order is involved, so
 * that ties do not matter. */
#include "metrics/retrieval/retrieval.h"

enum { PRECISION, RECALL, EMPTY, LEFT_OUT, DATABASE, QUERY, N_SERIES };

typedef struct {
  gint64 radius;
} PrCurve;

static void
judge (gsize query, const Ranking *ranking, gpointer data)
{
  const RetrievalJudging *judging = data;
  const PrCurve *settings = judging->settings;
  const gsize radius = MIN ((gsize) settings->radius, ranking->bits);
  guint64 found = 0, relevant = 0;

  for (gsize d = 0; d <= radius; d++) {
    found += ranking->items[d];
    relevant += ranking->relevant[d];
  }
  judging->series[PRECISION][query] = found > 0 ? (double) relevant / (double) found : 0;
  judging->series[RECALL][query] = (double) relevant / (double) ranking_relevant (ranking);
  judging->series[EMPTY][query] = found == 0;
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  static const RetrievalUtility utility
      = { .n_series = N_SERIES, .has_stable = FALSE, .judge = judge };

  return retrieval_assess (&utility, context, received, ret_outcomes, error);
}

RETRIEVAL_UTILITY (pr_curve, "pr-curve",
  .summary = "Precision and recall of released hash codes within a Hamming radius of a query",
  .reference = { "Liu, Wang, Ji, Jiang and Chang 2012, Supervised Hashing with Kernels",
                 "section 4, hash lookup" },
  ASSAY_SETTINGS (PrCurve,
    ASSAY_PARAM_INT (PrCurve, radius, 2, 0, ASSAY_CODE_MAX_BITS, "bits",
                     "Items that differ from the query in at most so many bits are found")),
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (PRECISION, "precision-at-radius", MEAN, 0, 1, "share of found items",
                   "Relevant items among those within the radius; 0 where there is none",
                   ASSAY_HEADLINE),
    ASSAY_MEASURE (RECALL, "recall-at-radius", MEAN, 0, 1, "share of relevant items",
                   "Relevant items that are within the radius of the query", ASSAY_HEADLINE),
    ASSAY_MEASURE (EMPTY, "empty-lookups", RATE, 0, 1, "share of queries",
                   "Queries without any item within the radius; their precision counts as 0",
                   ASSAY_HIGHER_IS_WORSE),
    RETRIEVAL_MEASURES (N_SERIES, "lookups-without-relevant", "lookup-database-codes")));
