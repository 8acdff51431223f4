/* Score of combinations of columns: boosted trees (Friedman 2001) with the logistic loss.
 *
 * Every tree asks three questions y_c > t, the same ones whatever the answers before were, so that
 * three bits name one of its eight leaves (oblivious trees: Prokhorenkova et al. 2018, CatBoost):
 *   score (y) = sum over trees of leaf [bits].
 * Thresholds are quantiles of the training runs, and the values on either side of one that is taken
 * often. Two columns may tell together what neither tells by itself (exclusive or); then no first
 * question is better than another. Every second tree therefore begins with a question that is not
 * chosen: the columns in turn, at quantiles in turn. */
#include <math.h>
#include <string.h>

#include "attacks/mechanisms/event-score.h"
#include "core/base/each.h"
#include "core/base/parallel.h"
#include "core/base/vectorise.h"

#define DEPTH 3
#define LEAVES (1 << DEPTH)
#define TREES 64
#define RATE 0.3
#define DAMPING 10.0 /* runs with an even chance that a leaf has beside its own */
#define MOST_COLUMNS 128
#define MOST_EDGES 48
#define MOST_NUMBERS (1u << 20)   /* rows times columns, of both sides */
#define LEAST_PARALLEL (1u << 16) /* of rows times columns; less is not worth a second thread */
#define MOST_EDGE_ROWS 16384      /* of both sides, from which thresholds are taken */

typedef struct {
  guint column[DEPTH]; /* among those that trees ask for */
  guint edge[DEPTH];   /* of the column's thresholds: is the key larger? */
  double leaves[LEAVES];
} Tree;

/* A column that is asked for, and its thresholds, ascending. */
typedef struct {
  gsize column;
  guint n;
  guint64 edges[MOST_EDGES];
} Edges;

typedef struct {
  guint n_columns;
  Edges columns[TREES * DEPTH];
  Tree trees[TREES];
} Trees;

/* ---- Scoring ---- */

/* Signed numbers are what processors compare many of at once. */
static inline gint64
signed_key (guint64 key)
{
  return (gint64) (key ^ (1ull << 63));
}

/* How many thresholds are below each key. */
ASSAY_VECTORISED static void
count_edges (const Edges *edges, const gint64 *keys, gsize count, guint8 *ret_bins)
{
  memset (ret_bins, 0, count);
  for (guint e = 0; e < edges->n; e++) {
    const gint64 edge = signed_key (edges->edges[e]);

    for (gsize i = 0; i < count; i++)
      ret_bins[i] = (guint8) (ret_bins[i] + (keys[i] > edge));
  }
}

ASSAY_VECTORISED static void
find_leaves (const Tree *tree, const guint8 *bins, gsize count, guint8 *ret_leaves)
{
  const guint8 *first = bins + tree->column[0] * count;
  const guint8 *second = bins + tree->column[1] * count;
  const guint8 *third = bins + tree->column[2] * count;
  const guint8 edges[DEPTH]
      = { (guint8) tree->edge[0], (guint8) tree->edge[1], (guint8) tree->edge[2] };

  for (gsize i = 0; i < count; i++)
    ret_leaves[i] = (guint8) ((first[i] > edges[0]) | (second[i] > edges[1]) << 1
                              | (third[i] > edges[2]) << 2);
}

static void
score_trees (gconstpointer data, G_GNUC_UNUSED const AssayOracle *oracle, AssayOutputs outputs,
             gsize count, double *ret_scores)
{
  const Trees *trees = data;
  g_autofree guint8 *bins = g_new (guint8, count * trees->n_columns + 1);
  gint64 keys[ASSAY_PANEL_RUNS];
  guint8 leaves[ASSAY_PANEL_RUNS];

  for (guint c = 0; c < trees->n_columns; c++) {
    for (gsize i = 0; i < count; i++)
      keys[i] = signed_key (event_key_at (outputs, i, trees->columns[c].column));
    count_edges (&trees->columns[c], keys, count, bins + c * count);
  }
  memset (ret_scores, 0, count * sizeof *ret_scores);
  for (gsize t = 0; t < TREES && trees->n_columns > 0; t++) {
    find_leaves (&trees->trees[t], bins, count, leaves);
    for (gsize i = 0; i < count; i++)
      ret_scores[i] += trees->trees[t].leaves[leaves[i]];
  }
}

/* ---- Thresholds ---- */

typedef struct {
  float g, h; /* first and second derivative of the loss, with the sign turned */
} Slope;

typedef struct {
  const EventSample *sample;
  gsize rows; /* of both sides; even ones are of the first */
  gsize cols;
  Edges *edges;    /* of each column */
  guint8 *bins;    /* column by column: edges that lie below the value */
  guint8 *leaves;  /* of each row, by the questions so far */
  Slope *slopes;   /* of each row */
  double *margins; /* of each row: the score so far */
  guint depth;     /* questions so far */
  double *gains;   /* of each column: the best edge's, */
  guint *best;     /* and which */
} Growing;

static guint64
key_at (const Growing *growing, gsize row, gsize column)
{
  return event_key_at (growing->sample->outputs[row % 2], row / 2, column);
}

static void
add_edge (Edges *edges, guint64 key)
{
  if (edges->n < MOST_EDGES && (edges->n == 0 || key > edges->edges[edges->n - 1]))
    edges->edges[edges->n++] = key;
}

/* Thresholds of one column, and its bins. */
static void
cut_column (gsize column, guint worker, gpointer data)
{
  const Growing *growing = data;
  const gsize n = MIN (growing->rows, MOST_EDGE_ROWS), steps = MOST_EDGES / 2;
  Edges *edges = &growing->edges[column];
  g_autofree guint64 *keys = g_new (guint64, n);

  (void) worker;
  edges->column = column;
  for (gsize i = 0; i < n; i++)
    keys[i] = key_at (growing, i, column);
  event_sort_keys (keys, n);
  for (gsize s = 1; s < steps; s++) {
    const guint64 key = keys[n * s / steps];

    /* Taken often: below it and up to it. */
    if (key == keys[n * (s - 1) / steps] && key > keys[0])
      add_edge (edges, key - 1);
    if (key < keys[n - 1])
      add_edge (edges, key);
  }
  for (gsize i = 0; i < growing->rows; i++) {
    const guint64 key = key_at (growing, i, column);
    guint low = 0, high = edges->n;

    ASSAY_BISECT (guint, edge, low, high, edges->edges[edge] < key)
    growing->bins[column * growing->rows + i] = (guint8) low;
  }
}

/* ---- Growing ---- */

/* The best threshold of one column for the next question. */
static void
find_question (gsize column, guint worker, gpointer data)
{
  const Growing *growing = data;
  const guint8 *bins = growing->bins + column * growing->rows;
  const guint n_leaves = 1u << growing->depth;
  double sums[LEAVES / 2][MOST_EDGES + 1][2], total[LEAVES / 2][2], below[LEAVES / 2][2];
  double best = -1;

  (void) worker;
  memset (sums, 0, sizeof sums);
  memset (total, 0, sizeof total);
  memset (below, 0, sizeof below);
  for (gsize i = 0; i < growing->rows; i++) {
    double *sum = sums[growing->leaves[i]][bins[i]];

    sum[0] += (double) growing->slopes[i].g;
    sum[1] += (double) growing->slopes[i].h;
  }
  for (guint l = 0; l < n_leaves; l++)
    for (guint b = 0; b <= growing->edges[column].n; b++)
      for (guint k = 0; k < 2; k++)
        total[l][k] += sums[l][b][k];
  for (guint e = 0; e < growing->edges[column].n; e++) {
    double gain = 0;

    for (guint l = 0; l < n_leaves; l++) {
      const double *all = total[l];
      double *low = below[l];

      low[0] += sums[l][e][0];
      low[1] += sums[l][e][1];
      gain += low[0] * low[0] / (low[1] + DAMPING / 4)
              + (all[0] - low[0]) * (all[0] - low[0]) / (all[1] - low[1] + DAMPING / 4);
    }
    if (gain > best) {
      best = gain;
      growing->best[column] = e;
    }
  }
  growing->gains[column] = best;
}

static void
ask (Growing *growing, gsize column, guint edge, Tree *tree)
{
  const guint8 *bins = growing->bins + column * growing->rows;

  for (gsize i = 0; i < growing->rows; i++)
    growing->leaves[i] |= (guint8) ((bins[i] > edge) << growing->depth);
  tree->column[growing->depth] = (guint) column;
  tree->edge[growing->depth] = edge;
  growing->depth++;
}

/* The first question of tree number @t where it is not chosen: FALSE where it is. */
static gboolean
ask_in_turn (Growing *growing, gsize t, Tree *tree)
{
  /* By halves, quarters, eighths. */
  static const double places[] = { 0.5, 0.25, 0.75, 0.125, 0.375, 0.625, 0.875 };
  const gsize turn = t / 2, column = turn % growing->cols;
  const guint n = growing->edges[column].n;

  if (t % 2 == 0 || n == 0)
    return FALSE;
  ask (growing, column, (guint) (places[turn / growing->cols % G_N_ELEMENTS (places)] * n), tree);
  return TRUE;
}

static void
find_slopes (Growing *growing)
{
  for (gsize i = 0; i < growing->rows; i++) {
    const double p = 1 / (1 + exp (-growing->margins[i]));

    growing->slopes[i] = (Slope){ (float) ((i % 2 == 0) - p), (float) (p * (1 - p)) };
  }
}

static void
fill_leaves (Growing *growing, Tree *tree)
{
  double g[LEAVES] = { 0 }, h[LEAVES] = { 0 };

  for (gsize i = 0; i < growing->rows; i++) {
    g[growing->leaves[i]] += (double) growing->slopes[i].g;
    h[growing->leaves[i]] += (double) growing->slopes[i].h;
  }
  for (guint l = 0; l < LEAVES; l++)
    tree->leaves[l] = RATE * g[l] / (h[l] + DAMPING / 4);
  for (gsize i = 0; i < growing->rows; i++)
    growing->margins[i] += tree->leaves[growing->leaves[i]];
}

static void
grow_tree (Growing *growing, gsize t, Tree *tree)
{
  memset (growing->leaves, 0, growing->rows);
  growing->depth = 0;
  find_slopes (growing);
  ask_in_turn (growing, t, tree);
  while (growing->depth < DEPTH) {
    gsize column = 0;

    if (growing->rows * growing->cols >= LEAST_PARALLEL)
      assay_parallel_for (growing->cols, find_question, growing);
    else
      for (gsize c = 0; c < growing->cols; c++)
        find_question (c, 0, growing);
    for (gsize c = 1; c < growing->cols; c++)
      if (growing->gains[c] > growing->gains[column])
        column = c;
    if (growing->gains[column] < 0)
      break; /* no column takes two values */
    ask (growing, column, growing->best[column], tree);
  }
  if (growing->depth == DEPTH)
    fill_leaves (growing, tree);
}

/* ---- The score ---- */

/* Columns that trees ask for, numbered from 0. */
static void
number_columns (Trees *trees, const Edges *edges)
{
  for (gsize t = 0; t < TREES; t++)
    for (guint d = 0; d < DEPTH; d++) {
      guint at = 0;

      while (at < trees->n_columns && trees->columns[at].column != trees->trees[t].column[d])
        at++;
      if (at == trees->n_columns)
        trees->columns[trees->n_columns++] = edges[trees->trees[t].column[d]];
      trees->trees[t].column[d] = at;
    }
}

/* The leaves, as terms. */
static char *
describe_trees (gconstpointer data)
{
  const Trees *trees = data;
  g_autoptr (GArray) terms = event_terms_new ();

  for (gsize t = 0; t < TREES; t++)
    for (guint leaf = 0; leaf < LEAVES; leaf++) {
      const Tree *tree = &trees->trees[t];
      GString *where = g_string_new ("where ");

      for (guint d = 0; d < DEPTH; d++) {
        const Edges *edges = &trees->columns[tree->column[d]];
        g_autofree char *edge = event_number (assay_output_value (edges->edges[tree->edge[d]]));

        g_string_append_printf (where, "%sy%zu %s %s", d > 0 ? " and " : "", edges->column + 1,
                                leaf >> d & 1 ? ">" : "<=", edge);
      }
      event_terms_add (terms, tree->leaves[leaf], g_string_free (where, FALSE));
    }
  return event_terms_join (terms, 0);
}

static char *
trees_in_python (gconstpointer data)
{
  const Trees *trees = data;
  GString *text = g_string_new ("total = numpy.zeros(len(y))\n");

  for (gsize t = 0; t < TREES && trees->n_columns > 0; t++) {
    const Tree *tree = &trees->trees[t];

    g_string_append (text, "total += numpy.array([");
    for (guint leaf = 0; leaf < LEAVES; leaf++)
      g_string_append_printf (text, "%s%.17g", leaf > 0 ? ", " : "", tree->leaves[leaf]);
    g_string_append (text, "])[0");
    for (guint d = 0; d < DEPTH; d++) {
      const Edges *edges = &trees->columns[tree->column[d]];

      g_string_append_printf (text,
                              " + %u * (key(y[:, %zu]) > numpy.uint64(%" G_GUINT64_FORMAT "))",
                              1u << d, edges->column, edges->edges[tree->edge[d]]);
    }
    g_string_append (text, "]\n");
  }
  g_string_append (text, "return total\n");
  return g_string_free (text, FALSE);
}

static gboolean
grow (Growing *growing, Trees *trees, GError **error)
{
  const gsize rows = growing->rows, cols = growing->cols;
  g_autofree Edges *edges = assay_alloc (cols, sizeof (Edges), "trees", error);
  g_autofree guint8 *bins = assay_alloc (rows, cols, "trees", error);
  g_autofree guint8 *leaves = assay_alloc (rows, 1, "trees", error);
  g_autofree Slope *slopes = assay_alloc (rows, sizeof (Slope), "trees", error);
  g_autofree double *margins = assay_alloc (rows, sizeof (double), "trees", error);
  g_autofree double *gains = g_new (double, cols);
  g_autofree guint *best = g_new0 (guint, cols);

  if (edges == NULL || bins == NULL || leaves == NULL || slopes == NULL || margins == NULL)
    return FALSE;
  memset (edges, 0, cols * sizeof *edges);
  memset (margins, 0, rows * sizeof *margins);
  growing->edges = edges;
  growing->bins = bins;
  growing->leaves = leaves;
  growing->slopes = slopes;
  growing->margins = margins;
  growing->gains = gains;
  growing->best = best;
  assay_parallel_for (cols, cut_column, growing);
  for (gsize t = 0; t < TREES; t++)
    grow_tree (growing, t, &trees->trees[t]);
  number_columns (trees, edges);
  return TRUE;
}

EventScore *
event_score_trees (const EventSample *sample, GError **error)
{
  const gsize cols = MIN (sample->cols, MOST_COLUMNS);
  Growing growing = { .sample = sample,
                      .rows = 2 * MIN (sample->count, MOST_NUMBERS / cols / 2),
                      .cols = cols };
  g_autofree Trees *trees = g_new0 (Trees, 1);
  EventScore *score;

  if (sample->cols < 2) {
    assay_error_set (error, ASSAY_ERROR_MISMATCH,
                     "score = trees: outputs have one column; expected two or more");
    return NULL;
  }
  if (!grow (&growing, trees, error))
    return NULL;
  score = g_new0 (EventScore, 1);
  *score = (EventScore){ .what = "score of the trees",
                         .score = score_trees,
                         .data = g_steal_pointer (&trees),
                         .is_learned = TRUE,
                         .free_data = g_free,
                         .describe = describe_trees,
                         .python = trees_in_python };
  return score;
}
