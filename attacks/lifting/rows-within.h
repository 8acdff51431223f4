/* Which rows of a database lie in the subspaces of a release: counted from the data. */
#pragma once

#include "core/plugin/plugin.h"
#include "core/search/scan.h"

/* Of each subspace the rows that lie in it, then those beside it, nearest first. Of rows that are
 * copies of each other the first alone is listed. */
typedef struct {
  gsize n, k;
  gsize *within;    /* n: how many lie in it */
  gsize *listed;    /* n: how many are listed, at most k */
  gsize *rows;      /* n x k */
  float *distances; /* n x k: never 0 (core/search/scan.h) */
  gsize usual;      /* how many lie in most subspaces; 0 where that is none */
  double level;     /* how far from a subspace rows in it are, as a share of their length */
} RowsWithin;

typedef struct {
  const AssayRows *rows;
  AssayScale scale;
  AssaySubspaces subspaces;
  const gsize *first_of; /* NULL: no row is a copy */
} WithinSearch;

/* @forced: so many of the nearest are taken to lie in each; G_MAXSIZE: they are counted. NULL: no
 * memory. */
RowsWithin *rows_within_find (const WithinSearch *search, const AssayNearest *nearest, gsize forced,
                              GError **error);
ASSAY_DECLARE_FREE (RowsWithin, rows_within_free)

/* The least number that is listed beside a subspace. */
gsize rows_within_least_beside (const RowsWithin *within);

/* Whether the one row in each subspace could be the secret: rows beside it are no nearer to it than
 * they would be to random directions through that row. */
gboolean rows_within_are_secrets (const WithinSearch *search, const RowsWithin *within);

/* For each row the first that equals it as it is scaled; NULL where no row has a copy, or with an
 * error. */
gsize *rows_within_find_copies (const AssayRows *rows, AssayScale scale, GError **error);
