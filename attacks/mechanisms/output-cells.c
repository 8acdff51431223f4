/* Cells of a column: see the header.
 *
 * Atoms are values with 1 % of the mass or more, the most frequent ones where there are too many.
 * The rest is standardised by its mean and standard deviation, and cut at its quantiles into 16
 * bins, or 4 where the budget is small. */
#include "attacks/mechanisms/output-cells.h"

#include <math.h>
#include <stdlib.h>

#include "attacks/mechanisms/event-score.h"
#include "core/base/each.h"

#define RUNS_PER_ATOM 100 /* a value with 1 % of them is an atom */
#define FEW_BINS 4
#define MOST_DEVIATIONS 8

typedef struct {
  guint64 key;
  gsize count;
} Atom;

/* The most frequent first; of equally frequent ones the smaller key. */
static int
compare_atoms (gconstpointer a, gconstpointer b)
{
  const Atom *x = a, *y = b;

  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  return x->key < y->key ? -1 : x->key > y->key;
}

/* Sorted keys -> atoms. */
static void
find_atoms (OutputCells *cells, const guint64 *keys, gsize n, guint most)
{
  Atom atoms[RUNS_PER_ATOM + 1];
  gsize count = 0;

  for (gsize i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && keys[end] == keys[i]; end++)
      ;
    if (end - i > 1 && (end - i) * RUNS_PER_ATOM >= n)
      atoms[count++] = (Atom){ keys[i], end - i };
  }
  qsort (atoms, count, sizeof *atoms, compare_atoms);
  cells->n_atoms = MIN ((guint) count, most);
  for (guint a = 0; a < cells->n_atoms; a++)
    cells->atoms[a] = atoms[a].key;
  event_sort_keys (cells->atoms, cells->n_atoms);
}

/* The first of @count ascending keys that is at least @key. */
static guint
lower_bound (const guint64 *keys, guint count, guint64 key)
{
  guint low = 0, high = count;

  ASSAY_BISECT (guint, i, low, high, keys[i] < key)
  return low;
}

static gboolean
is_atom (const OutputCells *cells, guint64 key)
{
  const guint at = lower_bound (cells->atoms, cells->n_atoms, key);

  return at < cells->n_atoms && cells->atoms[at] == key;
}

/* Sorted keys that are no atoms -> edges. Bins that would be empty are left out. */
static void
find_bins (OutputCells *cells, const guint64 *keys, gsize n, guint bins)
{
  guint edges = 0;

  for (guint b = 1; b < bins && n > 0; b++) {
    const guint64 edge = keys[n * b / bins];

    if (edge < keys[n - 1] && (edges == 0 || edge > cells->edges[edges - 1]))
      cells->edges[edges++] = edge;
  }
  /* One bin alone says nothing that the atoms beside it leave open. */
  cells->n_bins = edges > 0 ? edges + 1 : 0;
}

typedef struct {
  double count, sum, square;
} Moments;

/* Of the finite values that are no atoms, on one input, as distances from @centre. */
static Moments
find_moments (const OutputCells *cells, AssayOutputs outputs, gsize n, double centre)
{
  Moments moments = { 0 };

  for (gsize i = 0; i < n; i++) {
    const double value = assay_output_at (outputs, i, cells->column);

    if (isfinite (value) && !is_atom (cells, assay_output_key (value))) {
      moments.count++;
      moments.sum += value - centre;
      moments.square += (value - centre) * (value - centre);
    }
  }
  return moments;
}

static void
find_scale (OutputCells *cells, const AssayOutputs outputs[2], gsize n)
{
  Moments moments[2];
  double count = 0, sum = 0, square = 0;

  for (guint pass = 0; pass < 2; pass++) {
    count = sum = square = 0;
    for (guint side = 0; side < 2; side++) {
      moments[side] = find_moments (cells, outputs[side], n, cells->centre);
      count += moments[side].count;
      sum += moments[side].sum;
      square += moments[side].square;
    }
    if (pass == 0 && count > 0)
      cells->centre = sum / count;
  }
  if (count == 0 || square == 0)
    return;
  cells->scale = sqrt (square / count);
  if (moments[0].count > 0 && moments[1].count > 0)
    cells->contrast = fabs (moments[0].sum / moments[0].count - moments[1].sum / moments[1].count)
                      / cells->scale;
}

void
output_cells_learn (OutputCells *cells, const AssayOutputs outputs[2], gsize n, gsize column,
                    guint budget, guint64 *scratch)
{
  gsize count = 0;
  guint left;

  *cells = (OutputCells){ .column = column };
  for (guint side = 0; side < 2; side++)
    for (gsize i = 0; i < n; i++)
      scratch[count++] = event_key_at (outputs[side], i, column);
  event_sort_keys (scratch, count);
  if (budget > FEW_BINS + 1)
    find_atoms (cells, scratch, count, MIN (budget - FEW_BINS - 1, CELLS_MOST_ATOMS));
  count = 0;
  for (gsize i = 0; i < 2 * n; i++)
    if (!is_atom (cells, scratch[i]))
      scratch[count++] = scratch[i];
  left = budget - 1 - cells->n_atoms;
  if (left >= FEW_BINS)
    find_bins (cells, scratch, count, left >= CELLS_MOST_BINS ? CELLS_MOST_BINS : FEW_BINS);
  find_scale (cells, outputs, n);
}

guint
output_cells_find (const OutputCells *cells, double value)
{
  const guint64 key = assay_output_key (value);
  const guint at = lower_bound (cells->atoms, cells->n_atoms, key);

  if (at < cells->n_atoms && cells->atoms[at] == key)
    return at;
  return cells->n_atoms
         + (cells->n_bins > 0 ? lower_bound (cells->edges, cells->n_bins - 1, key) : 0);
}

double
output_cells_standardise (const OutputCells *cells, guint cell, double value)
{
  if (cell < cells->n_atoms || cells->scale == 0)
    return 0;
  /* fmax passes over NaN. */
  return fmin (fmax ((value - cells->centre) / cells->scale, -MOST_DEVIATIONS), MOST_DEVIATIONS);
}
