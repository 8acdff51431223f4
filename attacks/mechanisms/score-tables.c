/* Scores of features that fall into a few cells (table-feature.h): with c_1, c_2
 * the numbers of training runs on either input in a cell,
 *   score (y) = sum over features of ln ((c_1 [cell (y)] + 1) / (c_2 [cell (y)] + 1)).
 * Features are kept by how far their counts are from those of one and the same distribution: the
 * likelihood ratio statistic G = 2 sum of c ln (c / expected), which is about chi-squared with as
 * many degrees of freedom as cells that occur, less one, where there is no leak. */
#include <math.h>
#include <string.h>

#include "attacks/mechanisms/table-feature.h"
#include "core/base/parallel.h"

#define MOST_KEPT 8
#define CLEARLY 5.0 /* standard deviations of G above its mean, for all features but the best */
#define MOST_CELLS_LEARNED (1u << 26) /* of features and runs together, on either input */

typedef struct {
  TableFeature feature;
  double scores[TABLE_MOST_CELLS];
} Table;

typedef struct {
  EventKind kind;
  gsize n_tables;
  Table tables[MOST_KEPT];
} Tables;

typedef struct {
  EventKind kind;
  const EventSample *sample;
  gsize rows; /* a side */
  double *strength;
} Learning;

static gsize
count_features (EventKind kind, gsize cols)
{
  return kind == EVENT_BITS    ? bit_feature_count (cols)
         : kind == EVENT_ORDER ? order_feature_count (cols)
                               : table_feature_count (kind, cols);
}

static void
make_feature (EventKind kind, gsize index, const EventSample *sample, TableFeature *ret_feature)
{
  if (kind == EVENT_BITS)
    bit_feature_make (index, sample, ret_feature);
  else if (kind == EVENT_ORDER)
    order_feature_make (index, sample->cols, ret_feature);
  else
    table_feature_make (kind, index, sample, ret_feature);
}

/* The counts of one feature, as scores; returns how many deviations G is above its mean. */
static double
learn_table (const Learning *learning, gsize index, Table *ret_table)
{
  const EventSample *sample = learning->sample;
  TableFeature *feature = &ret_table->feature;
  guint32 counts[2][TABLE_MOST_CELLS] = { { 0 } };
  double g = 0, freedom = -1;

  make_feature (learning->kind, index, sample, feature);
  if (feature->n_cells == 0)
    return 0;
  for (guint side = 0; side < 2; side++)
    for (gsize i = 0; i < learning->rows; i++)
      counts[side][feature->cell (feature, sample->outputs[side], i)]++;
  for (guint c = 0; c < feature->n_cells; c++) {
    const double first = counts[0][c], second = counts[1][c], expected = (first + second) / 2;

    ret_table->scores[c] = log ((first + 1) / (second + 1));
    freedom += expected > 0;
    g += first > 0 ? 2 * first * log (first / expected) : 0;
    g += second > 0 ? 2 * second * log (second / expected) : 0;
  }
  return freedom > 0 ? (g - freedom) / sqrt (2 * freedom) : 0;
}

static void
find_strength (gsize index, guint worker, gpointer data)
{
  const Learning *learning = data;
  Table table;

  (void) worker;
  learning->strength[index] = learn_table (learning, index, &table);
}

/* The strongest features, one after the other. */
static void
keep_strongest (const Learning *learning, gsize n_features, Tables *tables)
{
  while (tables->n_tables < MIN (MOST_KEPT, n_features)) {
    gsize best = 0;

    for (gsize f = 1; f < n_features; f++)
      if (learning->strength[f] > learning->strength[best])
        best = f;
    if (tables->n_tables > 0 && learning->strength[best] < CLEARLY)
      break;
    learn_table (learning, best, &tables->tables[tables->n_tables++]);
    learning->strength[best] = -G_MAXDOUBLE;
  }
}

static void
score_tables (gconstpointer data, G_GNUC_UNUSED const AssayOracle *oracle, AssayOutputs outputs,
              gsize count, double *ret_scores)
{
  const Tables *tables = data;

  memset (ret_scores, 0, count * sizeof *ret_scores);
  for (gsize t = 0; t < tables->n_tables; t++) {
    const Table *table = &tables->tables[t];

    for (gsize i = 0; i < count; i++)
      ret_scores[i] += table->scores[table->feature.cell (&table->feature, outputs, i)];
  }
}

static char *
describe_tables (gconstpointer data)
{
  const Tables *tables = data;
  g_autoptr (GArray) terms = event_terms_new ();

  for (gsize t = 0; t < tables->n_tables; t++) {
    const Table *table = &tables->tables[t];

    for (guint c = 0; c < table->feature.n_cells; c++)
      if (table->scores[c] != 0)
        event_terms_add (terms, table->scores[c], table->feature.describe (&table->feature, c));
  }
  return event_terms_join (terms, 0);
}

/* ", name=value" of a field that the formula of a feature takes. */
static void
append_argument (GString *text, const TableFeature *feature, const char *name)
{
  if (g_str_equal (name, "edges")) {
    g_string_append (text, ", edges=[");
    for (guint e = 0; e < feature->n_edges; e++)
      g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, e > 0 ? ", " : "", feature->edges[e]);
    g_string_append_c (text, ']');
  } else if (g_str_equal (name, "place") || g_str_equal (name, "scale")) {
    g_string_append_printf (text, ", %s=%.17g", name,
                            g_str_equal (name, "place") ? feature->place : feature->scale);
  } else {
    g_string_append_printf (text, ", %s=%zu", name,
                            g_str_equal (name, "column")  ? feature->column
                            : g_str_equal (name, "other") ? feature->other
                                                          : (gsize) feature->which);
  }
}

static char *
tables_in_python (gconstpointer data)
{
  const Tables *tables = data;
  GString *text = g_string_new ("total = numpy.zeros(len(y))\n");

  for (gsize t = 0; t < tables->n_tables; t++) {
    const Table *table = &tables->tables[t];
    g_auto (GStrv) words
        = g_strsplit (table->feature.n_cells > 0 ? table->feature.python : "", " ", -1);

    if (table->feature.n_cells == 0)
      continue;
    g_string_append (text, "total += numpy.array([");
    for (guint c = 0; c < table->feature.n_cells; c++)
      g_string_append_printf (text, "%s%.17g", c > 0 ? ", " : "", table->scores[c]);
    g_string_append_printf (text, "])[%s(y", words[0]);
    for (guint w = 1; words[w] != NULL; w++)
      append_argument (text, &table->feature, words[w]);
    g_string_append (text, ")]\n");
  }
  g_string_append (text, "return total\n");
  return g_string_free (text, FALSE);
}

static const char *
what_of (EventKind kind)
{
  switch (kind) {
  case EVENT_TAILS:
    return "score of the tails";
  case EVENT_DIGITS:
    return "score of the digits";
  case EVENT_ORDER:
    return "score of the order";
  case EVENT_BITS:
    return "score of the bits";
  default:
    return "score of what is finite";
  }
}

EventScore *
event_score_tables (EventKind kind, const EventSample *sample, GError **error)
{
  const gsize n_features = count_features (kind, sample->cols);
  g_autofree double *strength = NULL;
  Learning learning = { .kind = kind,
                        .sample = sample,
                        .rows = MIN (sample->count, MAX (MOST_CELLS_LEARNED / n_features, 1)) };
  EventScore *score;
  Tables *tables;

  if (kind == EVENT_ORDER && sample->cols < 2) {
    assay_error_set (error, ASSAY_ERROR_MISMATCH,
                     "score = order: outputs have one column; expected two or more");
    return NULL;
  }
  strength = assay_alloc (n_features, sizeof (double), "features", error);
  if (strength == NULL)
    return NULL;
  learning.strength = strength;
  assay_parallel_for (n_features, find_strength, &learning);
  tables = g_new0 (Tables, 1);
  tables->kind = kind;
  keep_strongest (&learning, n_features, tables);
  score = g_new0 (EventScore, 1);
  *score = (EventScore){ .what = what_of (kind),
                         .score = score_tables,
                         .data = tables,
                         .is_learned = TRUE,
                         .free_data = g_free,
                         .describe = describe_tables,
                         .python = tables_in_python };
  return score;
}
