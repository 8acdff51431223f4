/* The obvious forms of what metrics/retrieval/ranking.c computes. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  double map;       /* of the whole list */
  double map_at_k;  /* of the first k, over the relevant ones among them */
  double precision; /* of the first k */
  double recall;    /* of the first k */
} NaiveRetrieval;

/* Of a list in which item i is relevant or not. */
NaiveRetrieval naive_retrieval_of_list (const gboolean *relevant, gsize n, gsize k);
/* Ties in the order in which they stand: an insertion sort by distance. */
NaiveRetrieval naive_retrieval_stable (const gsize *distances, const gboolean *relevant, gsize n,
                                       gsize k);
/* The mean over every order that the distances allow, each built place by place. */
NaiveRetrieval naive_retrieval_of_all_orders (const gsize *distances, const gboolean *relevant,
                                              gsize n, gsize k);
/* The expectation of the whole list's by its definition, place by place: the sum over places of the
 * probability that a relevant item stands there times the precision that is then expected. */
double naive_expected_map (const gsize *distances, const gboolean *relevant, gsize n);

gsize naive_hamming (const guint8 *a, const guint8 *b, gsize bits);

G_END_DECLS
