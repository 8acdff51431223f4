/* Score of outputs of any kind: the logit of a logistic regression that tells runs on the first
 * input from runs on the second (DP-Sniper: Bichsel et al. 2021). With the cells of each column and
 * its standardised value z,
 *   score (y) = b + sum_j (w_j z (y_j) + u_j[cell (y_j)]),
 * so that a score costs a binary search a column. Columns beyond what the features have room for
 * are left out, those first whose means differ least. */
#include <math.h>
#include <stdlib.h>

#include "attacks/mechanisms/event-score.h"
#include "core/base/each.h"
#include "core/base/free.h"
#include "core/math/logistic.h"

/* ---- Cells of a column ---- */

#define CELLS_MOST_ATOMS 32
#define CELLS_MOST_BINS 16
#define RUNS_PER_ATOM 100 /* a value with 1 % of them is an atom */
#define FEW_BINS 4
#define MOST_DEVIATIONS 8

/* One column of a mechanism's outputs, cut into cells on which a linear classifier can put its
 * weights. Atoms are values with 1 % of the mass or more (special marks, 0 and 1, indices), the
 * most frequent ones where there are too many. The rest is standardised by its mean and standard
 * deviation, and cut at its quantiles into 16 bins, or 4 where the budget is small. */
typedef struct {
  gsize column;
  guint n_atoms, n_bins;              /* cells 0 .. n_atoms - 1 are atoms, then come the bins */
  guint64 atoms[CELLS_MOST_ATOMS];    /* keys of outputs, ascending */
  guint64 edges[CELLS_MOST_BINS - 1]; /* the last key of each bin but the last */
  double centre, scale;               /* of values that are no atoms; scale 0: there are none */
  double contrast; /* between the two inputs: difference of means in standard deviations */
} OutputCells;

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

/* Learns from @n rows a side of column @column. At most @budget cells and values together.
 * @scratch: 2 x n numbers. */
static void
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

/* The cell of @value, less than n_atoms + n_bins + 1; the last number says: none of them. */
static guint
output_cells_find (const OutputCells *cells, double value)
{
  const guint64 key = assay_output_key (value);
  const guint at = lower_bound (cells->atoms, cells->n_atoms, key);

  if (at < cells->n_atoms && cells->atoms[at] == key)
    return at;
  return cells->n_atoms
         + (cells->n_bins > 0 ? lower_bound (cells->edges, cells->n_bins - 1, key) : 0);
}

/* (value - centre) / scale within +-8; 0 for atoms. @cell is the value's. */
static double
output_cells_standardise (const OutputCells *cells, guint cell, double value)
{
  if (cell < cells->n_atoms || cells->scale == 0)
    return 0;
  /* fmax passes over NaN. */
  return fmin (fmax ((value - cells->centre) / cells->scale, -MOST_DEVIATIONS), MOST_DEVIATIONS);
}

/* ---- The classifier ---- */

#define MOST_FEATURES 256
#define MOST_NUMBERS (1u << 22) /* rows times features, from which weights are learned */
#define MOST_CELL_ROWS 16384    /* a side, from which cells are learned */

typedef struct {
  OutputCells cells;
  gsize first; /* of its weights: value, then cells */
} Column;

typedef struct {
  gsize n_columns, n_features;
  Column *columns;
  double *weights; /* n_features, then b */
} Classifier;

ASSAY_LOCAL_FREE (Classifier, free_classifier, g_free (self->columns), g_free (self->weights))

static void
score_classifier (gconstpointer data, G_GNUC_UNUSED const AssayOracle *oracle, AssayOutputs outputs,
                  gsize count, double *ret_scores)
{
  const Classifier *classifier = data;

  for (gsize i = 0; i < count; i++) {
    double score = classifier->weights[classifier->n_features];

    for (gsize c = 0; c < classifier->n_columns; c++) {
      const OutputCells *cells = &classifier->columns[c].cells;
      const double *weights = classifier->weights + classifier->columns[c].first;
      const double value = assay_output_at (outputs, i, cells->column);
      const guint cell = output_cells_find (cells, value);

      score += weights[0] * output_cells_standardise (cells, cell, value);
      if (cell < cells->n_atoms + cells->n_bins)
        score += weights[1 + cell];
    }
    ret_scores[i] = score;
  }
}

/* The largest contrast first. */
static int
compare_columns (gconstpointer a, gconstpointer b)
{
  const OutputCells *x = &((const Column *) a)->cells, *y = &((const Column *) b)->cells;

  if (x->contrast != y->contrast)
    return x->contrast > y->contrast ? -1 : 1;
  return x->column < y->column ? -1 : x->column > y->column;
}

static gboolean
learn_columns (Classifier *classifier, const EventSample *sample, GError **error)
{
  const gsize rows = MIN (sample->count, MOST_CELL_ROWS);
  const guint budget = (guint) MAX (MOST_FEATURES / sample->cols, 1);
  g_autofree guint64 *scratch = assay_alloc (2 * rows, sizeof (guint64), "cells", error);

  classifier->columns = assay_alloc (sample->cols, sizeof (Column), "cells", error);
  if (scratch == NULL || classifier->columns == NULL)
    return FALSE;
  for (gsize j = 0; j < sample->cols; j++)
    output_cells_learn (&classifier->columns[j].cells, sample->outputs, rows, j, budget, scratch);
  if (sample->cols > MOST_FEATURES)
    qsort (classifier->columns, sample->cols, sizeof (Column), compare_columns);
  classifier->n_columns = MIN (sample->cols, MOST_FEATURES);
  for (gsize c = 0; c < classifier->n_columns; c++) {
    const OutputCells *cells = &classifier->columns[c].cells;

    classifier->columns[c].first = classifier->n_features;
    classifier->n_features += 1 + cells->n_atoms + cells->n_bins;
  }
  return TRUE;
}

/* Of each column its value, and a 1 in its cell where it is in one; else a 0 in place of that. */
static void
fill_entries (const Classifier *classifier, AssayOutputs outputs, gsize run, guint32 *ret_columns,
              float *ret_values)
{
  for (gsize c = 0; c < classifier->n_columns; c++) {
    const OutputCells *cells = &classifier->columns[c].cells;
    const guint32 first = (guint32) classifier->columns[c].first;
    const double value = assay_output_at (outputs, run, cells->column);
    const guint cell = output_cells_find (cells, value);
    const gboolean is_in_one = cell < cells->n_atoms + cells->n_bins;

    ret_columns[2 * c] = first;
    ret_values[2 * c] = (float) output_cells_standardise (cells, cell, value);
    ret_columns[2 * c + 1] = is_in_one ? first + 1 + cell : first;
    ret_values[2 * c + 1] = is_in_one ? 1 : 0;
  }
}

static gboolean
fit (Classifier *classifier, const EventSample *sample, GError **error)
{
  const gsize d = classifier->n_features, k = 2 * classifier->n_columns;
  const gsize rows = MIN (sample->count, MOST_NUMBERS / d / 2);
  g_autofree guint32 *columns = assay_alloc (2 * rows, k * sizeof (guint32), "features", error);
  g_autofree float *values = assay_alloc (2 * rows, k * sizeof (float), "features", error);
  g_autofree guint8 *labels = assay_alloc (2 * rows, 1, "labels", error);
  const AssaySparseRows entries = { 2 * rows, d, k, columns, values };

  classifier->weights = g_new (double, d + 1);
  if (columns == NULL || values == NULL || labels == NULL)
    return FALSE;
  for (gsize i = 0; i < rows; i++)
    for (guint side = 0; side < 2; side++) {
      const gsize row = 2 * i + side;

      labels[row] = side == 0;
      fill_entries (classifier, sample->outputs[side], i, columns + row * k, values + row * k);
    }
  /* As if each weight had a normal prior of variance 1. */
  return assay_logistic_fit_sparse (&entries, labels, 0.5 / (double) rows, classifier->weights,
                                    error);
}

/* What stands in a cell. */
static char *
describe_cell (const OutputCells *cells, guint cell)
{
  const gsize column = cells->column + 1;
  const guint bin = cell - cells->n_atoms;
  const gboolean is_atom = cell < cells->n_atoms;
  const gboolean is_first = !is_atom && bin == 0, is_last = !is_atom && bin == cells->n_bins - 1;
  const guint64 *low_key = is_atom ? &cells->atoms[cell] : is_first ? NULL : &cells->edges[bin - 1];
  const guint64 *high_key = is_atom || is_last ? NULL : &cells->edges[bin];
  g_autofree char *low = low_key != NULL ? event_number (assay_output_value (*low_key)) : NULL;
  g_autofree char *high = high_key != NULL ? event_number (assay_output_value (*high_key)) : NULL;

  if (is_atom)
    return g_strdup_printf ("where y%zu = %s", column, low);
  if (is_first)
    return g_strdup_printf ("where y%zu <= %s", column, high);
  if (is_last)
    return g_strdup_printf ("where y%zu > %s", column, low);
  return g_strdup_printf ("where %s < y%zu <= %s", low, column, high);
}

static char *
describe_classifier (gconstpointer data)
{
  const Classifier *classifier = data;
  g_autoptr (GArray) terms = event_terms_new ();
  g_autofree char *all = NULL;

  for (gsize c = 0; c < classifier->n_columns; c++) {
    const OutputCells *cells = &classifier->columns[c].cells;
    const double *weights = classifier->weights + classifier->columns[c].first;

    if (cells->scale > 0)
      event_terms_add (terms, weights[0],
                       g_strdup_printf ("times (y%zu - %.6g) / %.6g", cells->column + 1,
                                        cells->centre, cells->scale));
    for (guint cell = 0; cell < cells->n_atoms + cells->n_bins; cell++)
      event_terms_add (terms, weights[1 + cell], describe_cell (cells, cell));
  }
  all = event_terms_join (terms, 0);
  return g_strdup_printf ("%.4g, %s", classifier->weights[classifier->n_features], all);
}

static void
append_keys (GString *text, const char *name, const guint64 *keys, guint n)
{
  g_string_append_printf (text, "%s = [", name);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, i > 0 ? ", " : "", keys[i]);
  g_string_append (text, "]\n");
}

static char *
classifier_in_python (gconstpointer data)
{
  const Classifier *classifier = data;
  GString *text = g_string_new ("");

  g_string_append_printf (text, "total = numpy.full(len(y), %.17g)\n",
                          classifier->weights[classifier->n_features]);
  for (gsize c = 0; c < classifier->n_columns; c++) {
    const OutputCells *cells = &classifier->columns[c].cells;
    const double *weights = classifier->weights + classifier->columns[c].first;
    const guint n_cells = cells->n_atoms + cells->n_bins;

    append_keys (text, "atoms", cells->atoms, cells->n_atoms);
    append_keys (text, "edges", cells->edges, cells->n_bins > 0 ? cells->n_bins - 1 : 0);
    g_string_append_printf (text, "cell = find_cells(y[:, %zu], atoms, edges, %u)\n", cells->column,
                            cells->n_bins);
    g_string_append_printf (text,
                            "total += %.17g * standardise(y[:, %zu], cell, %u, %.17g, %.17g)\n"
                            "total += numpy.array([",
                            weights[0], cells->column, cells->n_atoms, cells->centre, cells->scale);
    /* A value in no cell adds nothing. */
    for (guint cell = 0; cell < n_cells; cell++)
      g_string_append_printf (text, "%.17g, ", weights[1 + cell]);
    g_string_append (text, "0.0])[cell]\n");
  }
  g_string_append (text, "return total\n");
  return g_string_free (text, FALSE);
}

EventScore *
event_score_classifier (const EventSample *sample, GError **error)
{
  Classifier *classifier = g_new0 (Classifier, 1);
  EventScore *score;

  if (!learn_columns (classifier, sample, error) || !fit (classifier, sample, error)) {
    free_classifier (classifier);
    return NULL;
  }
  score = g_new0 (EventScore, 1);
  *score = (EventScore){ .what = "score of the classifier",
                         .score = score_classifier,
                         .data = classifier,
                         .is_learned = TRUE,
                         .free_data = (GDestroyNotify) free_classifier,
                         .describe = describe_classifier,
                         .python = classifier_in_python };
  return score;
}
