/* Linear assignment where only few columns come into question for a row. */
#pragma once

#include <glib.h>

#define SPARSE_ASSIGNMENT_NONE G_MAXSIZE

/* Of @n rows each has @candidates columns with their costs (n x candidates; SPARSE_ASSIGNMENT_NONE
 * ends those of a row). */
typedef struct {
  gsize n;
  gsize n_columns;
  gsize candidates;
  const gsize *columns;
  const float *costs;
  double bid; /* by so much prices rise at least: the sum of costs is the least up to n times it */
  double give_up; /* a row is left without a column before it pays so much above its least cost */
} SparseAssignment;

/* @ret_columns: of each row its own; SPARSE_ASSIGNMENT_NONE: it has none. By auction (Bertsekas
 * 1988, "The Auction Algorithm: A Distributed Relaxation Method for the Assignment Problem"): rows
 * without a column bid for the one that is cheapest with its price, by as much as the next is
 * dearer. */
void sparse_assignment_solve (const SparseAssignment *problem, gsize *ret_columns);

/* Puts @row among the @n candidates of a weight, the dearest of which goes; they are sorted by
 * cost. */
void sparse_assignment_keep (gsize *columns, float *costs, gsize n, gsize row, float cost);
