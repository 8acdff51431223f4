/* Score of outputs of any kind: the logit of a logistic regression that tells runs on the first
 * input from runs on the second (DP-Sniper: Bichsel et al. 2021). With the cells of each column
 * (output-cells.h) and its standardised value z,
 *   score (y) = b + sum_j (w_j z (y_j) + u_j[cell (y_j)]),
 * so that a score costs a binary search a column. Columns beyond what the features have room for
 * are left out, those first whose means differ least. */
#include <stdlib.h>

#include "attacks/mechanisms/event-score.h"
#include "attacks/mechanisms/output-cells.h"
#include "core/math/linalg.h"
#include "core/math/logistic.h"

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

static void
free_classifier (gpointer data)
{
  Classifier *classifier = data;

  g_free (classifier->columns);
  g_free (classifier->weights);
  g_free (classifier);
}

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
                         .free_data = free_classifier,
                         .describe = describe_classifier,
                         .python = classifier_in_python };
  return score;
}
