/* Which rows of a database lie in the subspaces of a release.
 *
 * What a release says of itself is not believed here: whoever mislabels it would pass. A row lies
 * in D where its distance, in double, is what float32 leaves of 0; if hardly a subspace has such a
 * row, what a coarser rounding would leave, level by level: releases in float16 or with far-away
 * translations are no better hidden. Copies of a row count once: they would otherwise crowd out
 * what the attack looks at. */
#include "attacks/lifting/rows-within.h"

#include <math.h>
#include <stdlib.h>

#include "attacks/lifting/subspace.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/math/row-copies.h"

/* Distances of rows that lie in a subspace, as shares of their lengths: rounding to float32, a
 * hundred times as much, float16 and more. */
static const double levels[] = { 2e-5, 2e-4, 2e-3, 1e-2 };

#define CHUNK 1024 /* rows read at a time */

typedef struct {
  const WithinSearch *search;
  const AssayNearest *nearest;
  gsize forced;
  RowsWithin *within;
} Sorting;

ASSAY_FREE_FUNC (RowsWithin, rows_within_free, g_free (self->within), g_free (self->listed),
                 g_free (self->rows), g_free (self->distances))

/* ---- Copies ---- */

typedef struct {
  const AssayRows *rows;
  AssayScale scale;
  AssayKeyedRow *keyed;
} Hashing;

static void
hash_chunk (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Hashing *hashing = data;
  const gsize d = assay_rows_cols (hashing->rows), first = index * CHUNK;
  const gsize count = MIN (CHUNK, assay_rows_count (hashing->rows) - first);
  g_autofree float *rows = g_new (float, count *d);

  assay_rows_read (hashing->rows, first, count, hashing->scale, rows);
  for (gsize i = 0; i < count; i++)
    hashing->keyed[first + i] = (AssayKeyedRow){ assay_row_key (rows + i * d, d), first + i };
}

/* Of 64 bits: that two rows of ten million which differ have one key has a chance of 3e-6. */
gsize *
rows_within_find_copies (const AssayRows *rows, AssayScale scale, GError **error)
{
  const gsize n = assay_rows_count (rows);
  g_autofree AssayKeyedRow *keyed = assay_alloc (n, sizeof *keyed, "copies of rows", error);
  g_autofree gsize *first_of = assay_alloc (n, sizeof (gsize), "copies of rows", error);
  gboolean has_copies = FALSE;

  if (keyed == NULL || first_of == NULL)
    return NULL;
  assay_parallel_for (assay_pieces (n, CHUNK), hash_chunk, &(Hashing){ rows, scale, keyed });
  qsort (keyed, n, sizeof *keyed, assay_compare_keyed_rows);
  for (gsize i = 0; i < n; i++) {
    const gboolean is_copy = i > 0 && keyed[i].key == keyed[i - 1].key;

    first_of[keyed[i].row] = is_copy ? first_of[keyed[i - 1].row] : keyed[i].row;
    has_copies = has_copies || is_copy;
  }
  return has_copies ? g_steal_pointer (&first_of) : NULL;
}

/* ---- Rows of one subspace ---- */

/* Distance of row number @row to the subspace as a share of the row's length, in double. */
static double
share_of (const WithinSearch *search, gsize item, gsize row, float *scratch)
{
  const gsize d = search->subspaces.cols;
  float *projected = scratch + d;
  double square = 0, length;

  assay_rows_gather (search->rows, &row, 1, search->scale, scratch);
  length = assay_squared_norm (scratch, d);
  subspace_project (&search->subspaces, item, scratch, projected);
  for (gsize j = 0; j < d; j++)
    square += ((double) scratch[j] - projected[j]) * ((double) scratch[j] - projected[j]);
  return length > 0 ? sqrt (square / length) : INFINITY;
}

/* Lists one subspace's rows, those in it first. Rows in it are looked for as long as the scan
 * cannot tell their distances from 0. */
static void
sort_one (gsize item, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Sorting *sorting = data;
  const WithinSearch *search = sorting->search;
  RowsWithin *within = sorting->within;
  const gsize k = within->k, d = search->subspaces.cols;
  const gsize *rows = sorting->nearest->rows + item * k;
  const float *distances = sorting->nearest->distances + item * k;
  gsize *listed = within->rows + item * k;
  float *listed_distances = within->distances + item * k;
  g_autofree float *scratch = g_new (float, 2 * d);
  g_autofree guint8 *is_in = g_new0 (guint8, k + 1);
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  gboolean may_be_in = sorting->forced == G_MAXSIZE;
  gsize n = 0;

  for (gsize i = 0; i < k; i++) {
    is_in[i] = may_be_in ? share_of (search, item, rows[i], scratch) <= within->level
                         : i < sorting->forced && sorting->forced != G_MAXSIZE;
    if (may_be_in && !is_in[i]) {
      const double length = sqrt (assay_squared_norm (scratch, d));
      const double reach = assay_scan_tolerance (d, search->subspaces.dimension, length);

      may_be_in = distances[i] <= 1.01 * (reach + within->level * length);
    }
  }
  for (guint pass = 0; pass < 2; pass++) {
    for (gsize i = 0; i < k; i++) {
      const gsize row = search->first_of != NULL ? search->first_of[rows[i]] : rows[i];

      if (is_in[i] != (pass == 0)
          || (search->first_of != NULL && !g_hash_table_add (known, GSIZE_TO_POINTER (row))))
        continue;
      listed[n] = row;
      listed_distances[n++] = distances[i];
    }
    if (pass == 0)
      within->within[item] = n;
  }
  within->listed[item] = n;
}

/* ---- All of them ---- */

/* The most frequent; of equally frequent ones the least. */
static gsize
find_usual (const gsize *counts, gsize n)
{
  g_autofree gsize *sorted = g_memdup2 (counts, n * sizeof *counts);
  gsize usual = 0, most = 0;

  qsort (sorted, n, sizeof *sorted, assay_compare_sizes);
  for (gsize i = 0, next; i < n; i = next) {
    for (next = i; next < n && sorted[next] == sorted[i];)
      next++;
    if (next - i > most) {
      most = next - i;
      usual = sorted[i];
    }
  }
  return usual;
}

RowsWithin *
rows_within_find (const WithinSearch *search, const AssayNearest *nearest, gsize forced,
                  GError **error)
{
  const gsize n = nearest->n, k = nearest->k;
  g_autoptr (RowsWithin) within = g_new0 (RowsWithin, 1);
  Sorting sorting = { search, nearest, forced, within };

  within->n = n;
  within->k = k;
  within->within = g_new0 (gsize, n + 1);
  within->listed = g_new0 (gsize, n + 1);
  within->rows = assay_alloc (n, k * sizeof (gsize), "nearest rows", error);
  within->distances = assay_alloc (n, k * sizeof (float), "nearest rows", error);
  if (within->rows == NULL || within->distances == NULL)
    return NULL;
  for (guint l = 0; l < G_N_ELEMENTS (levels) && (l == 0 || within->usual == 0); l++) {
    within->level = levels[l];
    assay_parallel_for (n, sort_one, &sorting);
    within->usual = find_usual (within->within, n);
    if (forced != G_MAXSIZE)
      break;
  }
  return g_steal_pointer (&within);
}

gsize
rows_within_least_beside (const RowsWithin *within)
{
  gsize least = G_MAXSIZE;

  for (gsize i = 0; i < within->n; i++)
    least = MIN (least, within->listed[i] - within->within[i]);
  return least;
}

/* ---- Whether the row in a subspace is the secret ---- */

/* A row v at distance r from the row in D is at r sqrt (beta) from D under random directions, beta
 * of Beta ((d - m) / 2, m / 2); for m = 2 the least of N has the median (ln 2 / N)^(2 / (d - 2)).
 * Where D holds a secret besides, rows near that are much nearer to D. */
gboolean
rows_within_are_secrets (const WithinSearch *search, const RowsWithin *within)
{
  const gsize d = search->subspaces.cols, k = within->k;
  const double rows = (double) assay_rows_count (search->rows);
  const double expected = sqrt (pow (G_LN2 / rows, 2 / MAX ((double) d - 2, 1)));
  g_autofree double *least = g_new (double, within->n + 1);
  g_autofree float *pair = g_new (float, 2 * d);
  gsize n = 0;

  for (gsize i = 0; i < within->n; i++) {
    double best = INFINITY;

    if (within->within[i] != 1 || within->listed[i] < 2)
      continue;
    for (gsize p = 1; p < MIN (within->listed[i], 100); p++) {
      const gsize two[] = { within->rows[i * k], within->rows[i * k + p] };

      assay_rows_gather (search->rows, two, 2, search->scale, pair);
      best = MIN (best, within->distances[i * k + p]
                            / sqrt (assay_lanes_squared_distance_float (pair, pair + d, d)));
    }
    least[n++] = best;
  }
  qsort (least, n, sizeof *least, assay_compare_doubles);
  return n > 0 && least[n / 2] >= 0.9 * expected;
}
