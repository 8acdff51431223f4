/* Rankings of public rows, one a released item, and how often the first of them are right. */
#pragma once

#include "core/plugin/plugin.h"

typedef struct {
  gsize n, p, c; /* items; partners and candidates of each */
  gsize rows;    /* public rows; 0: how many there are is not known here */
  const gint64 *partners, *candidates;
  const gint64 *owners; /* the secret of each item; NULL: none is said */
} RankingHits;

/* Of truth's "partners" and "owners" and the guess's "candidates". ASSAY_ERROR_MISMATCH. */
gboolean ranking_hits_read (const AssayMetricContext *context, const AssayTruth *truth,
                            const AssayGuess *guess, RankingHits *ret_ranking, GError **error);
/* 1 where a partner of @item is among its first @k <= c candidates, else 0. */
double ranking_hits_at (const RankingHits *ranking, gsize item, gsize k);
/* The chance that some of @p rows, drawn from @rows without replacement, are among @k of these. */
double ranking_hits_by_chance (gsize rows, gsize k, gsize p);
/* The units of link-rank: the number of an item's secret (metric_number_of_secret), into series
 * @unit; and of the second secret in @item, where there is one. */
void ranking_hits_set_units (const RankingHits *ranking, const AssayTruth *truth, guint unit,
                             AssayOutcomes *outcomes);
double ranking_hits_second (const RankingHits *ranking, const AssayTruth *truth, gsize item);

/* The descriptor of a metric of such rankings, with the callback `measure`. */
#define RANKING_METRIC(symbol, name, ...)                                                          \
  ASSAY_METRIC (symbol, name, .reads_truth = ASSAY_ARRAY_NAMES ("partners"),                       \
                .reads_guess = ASSAY_ARRAY_NAMES ("candidates"), .has_own_units = TRUE,            \
                .names_units = TRUE, .measure = measure, __VA_ARGS__)
