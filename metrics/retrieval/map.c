/* Mean average precision of retrieval with hash codes.
 *
 * Queries are the dataset's rows of the role test, hashed by the function that was released and not
 * randomised; the database is the n released codes, those of the cell's secrets, randomised or not;
 * what the function was learned from is the defense's to say (its setting `training`). Items are
 * ranked by Hamming distance from the query, and are relevant if they share a label with it. With
 * rel(s) = 1 where the item at place s is relevant, R of all n are, and
 *   precision(s) = (rel(1) + ... + rel(s)) / s,
 *   AP   = (1 / R) sum_{s=1..n} rel(s) precision(s)                              (map)
 *   AP@k = sum_{s=1..k} rel(s) precision(s) / sum_{s=1..k} rel(s), 0 where none is  (map-at-k)
 *   precision@k = precision(min(k, n)),   recall@n = (rel(1) + ... + rel(n)) / R.
 * AP@k is divided by the relevant items that were found, as in the code that most papers on hashing
 * share; divided by R it would be smaller, and with k = n both are AP.
 *
 * Codes of c bits have c + 1 distances, so that nearly all places are shared. All figures are the
 * expected value over random order within ties, exactly (ranking.c). Programs sort instead,
 * and what they report depends on how items happen to stand: map-stable-order has ties in database
 * order, as a stable sort leaves them. The two differ much where a database is ordered by class.
 *
 * Units are the queries; one that has no relevant item has no average precision, is left out and
 * counted in queries-without-relevant. Intervals are over queries, given the database. */
#include "metrics/retrieval/retrieval.h"

enum { AP, STABLE, AP_AT_K, PRECISION, RECALL, LEFT_OUT, DATABASE, QUERY, N_SERIES };

typedef struct {
  gint64 k;
  gint64 n;
} Map;

static void
judge (gsize query, const Ranking *ranking, gpointer data)
{
  const RetrievalJudging *judging = data;
  const Map *settings = judging->settings;
  const guint64 items = ranking_items (ranking);
  const guint64 k = MIN ((guint64) settings->k, items);
  const guint64 n = MIN ((guint64) settings->n, items);
  double *const *series = judging->series;

  series[AP][query] = ranking_average_precision (ranking);
  series[STABLE][query] = ranking->stable_precision;
  series[AP_AT_K][query] = ranking_average_precision_at (ranking, k);
  series[PRECISION][query] = ranking_found (ranking, k) / (double) k;
  series[RECALL][query] = ranking_found (ranking, n) / (double) ranking_relevant (ranking);
}

static gboolean
assess (const AssayUtilityContext *context, const AssayReceived *received,
        AssayOutcomes *ret_outcomes, GError **error)
{
  static const RetrievalUtility utility
      = { .n_series = N_SERIES, .has_stable = TRUE, .judge = judge };

  return retrieval_assess (&utility, context, received, ret_outcomes, error);
}

RETRIEVAL_UTILITY (map, "map",
  .summary = "How well released hash codes retrieve items that share a label with a query",
  .reference = { "McSherry and Najork 2008, Computing information retrieval performance measures "
                 "efficiently in the presence of tied scores",
                 "average precision" },
  ASSAY_SETTINGS (Map,
    ASSAY_PARAM_INT (Map, k, 1000, 1, G_MAXUINT32, "items",
                     "Nearest items that map-at-k and precision-at-k look at; all, where there are "
                     "fewer"),
    ASSAY_PARAM_INT (Map, n, 1000, 1, G_MAXUINT32, "items",
                     "Nearest items that recall-at-n looks at")),
  ASSAY_MEASURES (N_SERIES,
    ASSAY_MEASURE (AP, "map", MEAN, 0, 1, "mean average precision",
                   "Test rows are queries; all released codes are ranked, ties in random order",
                   ASSAY_HEADLINE),
    ASSAY_MEASURE (STABLE, "map-stable-order", MEAN, 0, 1, "mean average precision",
                   "The same with ties in the order of the database, as a stable sort leaves "
                   "them"),
    ASSAY_MEASURE (AP_AT_K, "map-at-k", MEAN, 0, 1, "mean average precision",
                   "The same over the k nearest items, relative to the relevant ones among them"),
    ASSAY_MEASURE (PRECISION, "precision-at-k", MEAN, 0, 1, "share of items",
                   "Relevant items among the k nearest"),
    ASSAY_MEASURE (RECALL, "recall-at-n", MEAN, 0, 1, "share of relevant items",
                   "Relevant items that are found among the n nearest"),
    RETRIEVAL_MEASURES (N_SERIES, "queries-without-relevant", "database-codes")));
