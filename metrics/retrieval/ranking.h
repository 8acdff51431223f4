/* Rankings of a database of codes by Hamming distance from queries, and what is read off them.
 *
 * Most items share their distance with others. Of the items at each distance, how many there are
 * and how many are relevant says all about a ranking whose ties are broken at random, and the
 * figures here are exact expectations over that; see ranking.c for the formulas. */
#pragma once

#include "core/data/codes.h"

/* Items of one query, by distance. */
typedef struct {
  gsize bits;
  const guint32 *items;    /* bits + 1: at each distance */
  const guint32 *relevant; /* of these */
  double stable_precision; /* average precision where ties stand in database order */
} Ranking;

guint64 ranking_relevant (const Ranking *ranking); /* R */
guint64 ranking_items (const Ranking *ranking);    /* n */

/* (1 / R) sum over the relevant items of the precision at their place; R > 0. */
double ranking_average_precision (const Ranking *ranking);
/* The same of the first @k >= 1 items, over the relevant ones among these (which are a random
 * number where @k divides a tie); 0 where there are none. */
double ranking_average_precision_at (const Ranking *ranking, guint64 k);
/* Relevant items among the first @k. */
double ranking_found (const Ranking *ranking, guint64 k);

/* Fewer than 2^32 items are ranked for each query. Labels are numbers of classes, of which a pair
 * must share its only one; or sets of so many words (core/data/formats/label-sets.h), which must
 * have one in common: of queries set after set, of items word after word. */
typedef struct {
  const AssayCodes *items;
  const AssayCodes *queries;
  const guint64 *item_labels;
  const guint64 *query_labels;
  gsize set_words;     /* 0: labels are numbers */
  gboolean has_stable; /* also in database order, which takes a second pass */
} RankingTask;

typedef void (*RankingJudge) (gsize query, const Ranking *ranking, gpointer data);

/* Calls @judge for the ranking of each query, in parallel and in any order. */
gboolean ranking_for_each (const RankingTask *task, RankingJudge judge, gpointer data,
                           GError **error);
