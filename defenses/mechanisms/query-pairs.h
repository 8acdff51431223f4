/* Neighbouring answers to several queries, each of which one record changes by at most 1.
 *
 * The input categories of Ding, Wang, Wang, Zhang and Kifer 2018 ("Detecting Violations of
 * Differential Privacy", table "Database categories and samples"), here for 5 queries and the
 * centre 1:
 *   one above               1 1 1 1 1   2 1 1 1 1
 *   one below               1 1 1 1 1   0 1 1 1 1
 *   one above, rest below   1 1 1 1 1   2 0 0 0 0
 *   one below, rest above   1 1 1 1 1   0 2 2 2 2
 *   half half               1 1 1 1 1   0 0 0 2 2
 *   all above               1 1 1 1 1   2 2 2 2 2
 *   all below               1 1 1 1 1   0 0 0 0 0
 *   X shape                 1 1 0 0 0   0 0 1 1 1
 * The table's "all above and all below" are two of them. Of an odd number of queries the half that
 * comes last is the smaller one in "half half", the half that comes first in "X shape"; one query
 * alone is 1 and 0 in the former, 0 and 1 in the latter.
 *
 * Mechanisms that take them declare no domain: answers have no bounds to go to the ends of, the
 * categories are the directions in which all answers can move at once, and pairs that a domain
 * would add to them cost training. With one (any answers, each changed by at most 1) the audit
 * of tests/statistics/audit-calibration.c saw released values in 79 of 100 seeds, without in 95. */
#pragma once

#include <glib.h>

#include "core/base/rng.h"

typedef enum {
  QUERY_ONE_ABOVE,
  QUERY_ONE_BELOW,
  QUERY_ONE_ABOVE_REST_BELOW,
  QUERY_ONE_BELOW_REST_ABOVE,
  QUERY_HALF_HALF,
  QUERY_ALL_ABOVE,
  QUERY_ALL_BELOW,
  QUERY_X_SHAPE,
  QUERY_CATEGORIES, /* how many there are */
} QueryCategory;

typedef struct {
  const QueryCategory *order; /* QUERY_CATEGORIES, the most telling first */
  double centre;              /* at most 10^6, so that differences are exact in float32 */
} QueryPairs;

/* Neighbours number @index, @cols answers each: of category order[@index], and beyond the
 * QUERY_CATEGORIES of them drawn at random from @stream. They are whole numbers, around the centre
 * rounded. */
void query_pairs_fill (QueryPairs pairs, gsize cols, guint index, AssayStream *stream,
                       float *ret_first, float *ret_second);
