/* What utilities of hash codes look up in what: the dataset's rows of the role test are the
 * queries, hashed by the release's function and never randomised; the released codes are the
 * database; a pair is relevant if it shares a label. */
#pragma once

#include "core/plugin/plugin.h"
#include "metrics/retrieval/ranking.h"

G_BEGIN_DECLS

typedef struct {
  AssayCodes *database;
  AssayCodes *queries; /* those that have a relevant item in the database: 1 or more */
  gsize *rows;         /* of them in the role test */
  gsize n_rows;        /* of the role test */
  guint64 *item_labels;
  guint64 *query_labels;
  gboolean are_sets; /* labels are (see RankingLabels) */
} Retrieval;

/* ASSAY_ERROR_MISMATCH where something of this is missing or of another size, and where no query
 * has a relevant item. The caller clears @ret_retrieval also where it fails. */
gboolean retrieval_init (const AssayMetricContext *context, const AssayReceived *received,
                         Retrieval *ret_retrieval, GError **error);
void retrieval_clear (Retrieval *retrieval);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Retrieval, retrieval_clear)

/* Rankings (ranking.h) of the queries, numbered as in @retrieval. */
gboolean retrieval_rank (const Retrieval *retrieval, gboolean has_stable, RankingJudge judge,
                         gpointer data, GError **error);

/* Two series that say the same of every query: the share of the test rows that were left out, as
 * they have no relevant item, and the number of codes in the database; and the row of the query,
 * by which units are named. */
void retrieval_fill_split (const Retrieval *retrieval, double *ret_left_out, double *ret_database,
                           double *ret_rows);
gboolean retrieval_alloc_series (const Retrieval *retrieval, guint n_series,
                                 AssayOutcomes *ret_outcomes, GError **error);

/* The callback `memory`. */
guint64 retrieval_memory (const AssayShape *shape);

G_END_DECLS
