/* What utilities of hash codes look up in what: the dataset's rows of the role test are the
 * queries, hashed by the release's function and never randomised; the released codes are the
 * database; a pair is relevant if it shares a label. */
#pragma once

#include "core/plugin/plugin.h"
#include "metrics/retrieval/ranking.h"

typedef struct {
  AssayCodes *database;
  AssayCodes *queries; /* those that have a relevant item in the database: 1 or more */
  gsize *rows;         /* of them in the role test */
  gsize n_rows;        /* of the role test */
  guint64 *item_labels;
  guint64 *query_labels;
  gsize set_words; /* see RankingTask */
} Retrieval;

/* Whether two items share a label. */
gboolean retrieval_share_label (const Retrieval *retrieval, gsize a, gsize b);

/* ASSAY_ERROR_MISMATCH where something of this is missing or of another size, and where no query
 * has a relevant item. The caller clears @ret_retrieval also where it fails. */
gboolean retrieval_init (const AssayUtilityContext *context, const AssayReceived *received,
                         Retrieval *ret_retrieval, GError **error);
/* Where codes come from that are not those of a release of kind codes. */
typedef struct {
  const char *codes; /* the array of the release that is the database */
  /* All rows of the role test as codes. */
  AssayCodes *(*hash) (const AssayRelease *release, const AssayDataset *dataset, gconstpointer data,
                       GError **error);
  gconstpointer data; /* of hash */
} RetrievalSource;

/* The same, for a release of any kind with codes. */
gboolean retrieval_init_from (const AssayUtilityContext *context, const AssayReceived *received,
                              const RetrievalSource *source, Retrieval *ret_retrieval,
                              GError **error);
ASSAY_DECLARE_CLEAR (Retrieval, retrieval_clear)

/* Rankings (ranking.h) of the queries, numbered as in @retrieval. */
gboolean retrieval_rank (const Retrieval *retrieval, gboolean has_stable, RankingJudge judge,
                         gpointer data, GError **error);

/* ---- Utilities of one outcome a query ---- */

/* The last three series of all of them: two that say the same of every query, the share of the test
 * rows that were left out, as they have no relevant item, and the number of codes in the database;
 * and the row of the query, by which units are named. */
#define RETRIEVAL_LEFT_OUT(n_series) ((n_series) - 3)
#define RETRIEVAL_DATABASE(n_series) ((n_series) - 2)
#define RETRIEVAL_QUERY(n_series) ((n_series) - 1)

typedef struct {
  gconstpointer settings;
  double *const *series;
} RetrievalJudging;

typedef struct {
  guint n_series;
  gboolean has_stable;
  RankingJudge judge; /* fills the other series; its data are RetrievalJudging */
} RetrievalUtility;

/* The last three series, of all queries. */
void retrieval_fill_split (const Retrieval *retrieval, guint n_series, double *const *series);

/* The callback `assess`. */
gboolean retrieval_assess (const RetrievalUtility *utility, const AssayUtilityContext *context,
                           const AssayReceived *received, AssayOutcomes *ret_outcomes,
                           GError **error);

/* The measures of them, under these names. */
#define RETRIEVAL_MEASURES(n_series, omitted, database)                                            \
  ASSAY_MEASURE (RETRIEVAL_LEFT_OUT (n_series), omitted, MEAN, 0, 1, "share of test rows",         \
                 "Test rows without a relevant item in the database, which the other measures "    \
                 "leave out",                                                                      \
                 ASSAY_HIGHER_IS_WORSE),                                                           \
      ASSAY_MEASURE (RETRIEVAL_DATABASE (n_series), database, MEAN, 0, G_MAXDOUBLE, "codes",       \
                     "Codes in the database that every query is compared with")

/* Their descriptor. */
#define RETRIEVAL_UTILITY(symbol, name, ...)                                                       \
  ASSAY_UTILITY (symbol, name, .holds = { .items = 2, .per_thread = 1 << 20 },                     \
                 .reads = ASSAY_RELEASE_CODES,                                                     \
                 .needs = ASSAY_HAS_LABELS | ASSAY_HAS_TEST_LABELS, .has_own_units = TRUE,         \
                 .names_units = TRUE, .assess = assess, __VA_ARGS__)
