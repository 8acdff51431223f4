/* Items with public features, and a private graph that joins them.
 *
 * Items are rows of files, of one modality or of two (an image and a text), or drawn: x = c + e,
 * c ~ separation N (0, 1) the centre of the item's class, e ~ N (0, 1), in each modality alike.
 *
 * The graph is a list of edges, or drawn (core/graph/interactions.h): few items are in many edges,
 * and hidden groups within a class are closer than the class. Node i of a list is the item i; where
 * `communities` are known, each takes items of one class, so that real edges join
 * real items that have nothing to do with them but that groups of nodes are alike: there is no
 * public graph of interactions on items with features of two modalities.
 *
 * Roles: secrets (the items), test (queries, which are in no graph). */
#include <stdlib.h>

#include "core/base/error.h"
#include "core/base/free.h"
#include "core/base/vectors.h"
#include "core/data/row-file.h"
#include "core/data/row-table.h"
#include "core/graph/edge-array.h"
#include "core/graph/edge-list.h"
#include "core/graph/interactions.h"
#include "core/plugin/plugin.h"
#include "datasets/graphs/items.h"
#include "datasets/tables/row-labels.h"

/* ---- Communities of the nodes of a graph ---- */

#define NOBODY -1

typedef struct {
  gint64 *of_node; /* of each node of the graph, numbered from 0 by rising id */
  gsize count;
} Communities;

ASSAY_LOCAL_CLEAR (Communities, communities_clear, assay_drop (self->of_node, g_free))

/* Ids of communities become their ranks. */
static void
number_communities (Communities *communities, gsize n)
{
  g_autofree gint64 *ids = g_memdup2 (communities->of_node, n * sizeof (gint64));
  gsize count = 0;

  qsort (ids, n, sizeof *ids, assay_compare_int64s);
  for (gsize i = 0; i < n; i++)
    if (i == 0 || ids[i] != ids[count - 1])
      ids[count++] = ids[i];
  for (gsize i = 0; i < n; i++)
    communities->of_node[i]
        = (gint64 *) bsearch (&communities->of_node[i], ids, count, sizeof *ids,
                              assay_compare_int64s)
          - ids;
  communities->count = count;
}

static gboolean
take_pairs (const GArray *pairs, const AssayEdgeList *list, gint64 *of_node, GError **error)
{
  const gint64 *numbers = (const gint64 *) (gconstpointer) pairs->data;
  const gsize n = list->graph->n;

  for (gsize i = 0; i < n; i++)
    of_node[i] = NOBODY;
  for (guint k = 0; k < pairs->len; k += 2) {
    const gint64 *id = bsearch (&numbers[k], list->ids, n, sizeof (gint64), assay_compare_int64s);

    if (id == NULL)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "node %" G_GINT64_FORMAT " is not in the list of edges", numbers[k]);
    if (of_node[id - list->ids] != NOBODY)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "node %" G_GINT64_FORMAT " stands there twice; expected one community of "
                         "each",
                         numbers[k]);
    of_node[id - list->ids] = numbers[k + 1];
  }
  for (gsize i = 0; i < n; i++)
    if (of_node[i] == NOBODY)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "node %" G_GINT64_FORMAT " is missing; expected the community of each of "
                         "%zu nodes",
                         list->ids[i], n);
  return TRUE;
}

/* A file with the id of a node and that of its community in each line. ASSAY_ERROR_DATA for nodes
 * that the graph does not have, that stand there twice, or that are missing. */
static gboolean
communities_read (const char *path, const AssayEdgeList *list, Communities *ret_communities,
                  GError **error)
{
  g_autoptr (GArray) pairs = assay_number_pairs_read (path, "a node and its community", error);
  g_auto (Communities) communities = { 0 };

  if (pairs == NULL)
    return FALSE;
  communities.of_node = g_new (gint64, list->graph->n);
  if (!take_pairs (pairs, list, communities.of_node, error))
    return assay_prefix (error, "%s: ", path);
  number_communities (&communities, list->graph->n);
  *ret_communities = communities;
  communities.of_node = NULL;
  return TRUE;
}

/* The largest of @sizes, the lowest of equal ones. */
static gsize
largest_of (const gsize *sizes, gsize count)
{
  gsize best = 0;

  for (gsize i = 1; i < count; i++)
    if (sizes[i] > sizes[best])
      best = i;
  return best;
}

/* An item for each of @n nodes, so that communities are of one class: by falling size (of equal
 * ones the lower number first) each takes the class with the most items that are left (the lower
 * one of equals), and its nodes in order the next of them. @labels are the classes of @n_items
 * items. ASSAY_ERROR_DATA where a community is larger than what is left of any class. */
static gsize *
communities_assign (const Communities *communities, gsize n, const gint64 *labels, gsize n_items,
                    gsize n_classes, GError **error)
{
  g_autofree gsize *sizes = g_new0 (gsize, communities->count + 1);
  g_autofree gsize *left = g_new0 (gsize, n_classes + 1);
  g_autofree gsize *next = g_new0 (gsize, n_classes + 1); /* where to look for an unused item */
  g_autofree gsize *items = g_new (gsize, MAX (n, 1));

  for (gsize i = 0; i < n; i++)
    sizes[communities->of_node[i]]++;
  for (gsize i = 0; i < n_items; i++)
    left[labels[i]]++;
  for (gsize round = 0; round < communities->count; round++) {
    const gsize community = largest_of (sizes, communities->count);
    const gsize class = largest_of (left, n_classes);

    if (left[class] < sizes[community])
      return assay_fail_null (error, ASSAY_ERROR_DATA,
                              "a community has %zu nodes, and of no class are more than %zu items "
                              "left; expected an item for each node",
                              sizes[community], left[class]);
    left[class] -= sizes[community];
    sizes[community] = 0;
    for (gsize i = 0; i < n; i++)
      if (communities->of_node[i] == (gint64) community) {
        while (labels[next[class]] != (gint64) class)
          next[class]++;
        items[i] = next[class]++;
      }
  }
  return g_steal_pointer (&items);
}

/* ---- The dataset ---- */

typedef struct {
  char *first;
  char *second;
  char *labels;
  char *test_first;
  char *test_second;
  char *test_labels;
  char *edges;
  char *communities;
  gint64 count;
  gint64 columns;
  gint64 second_columns;
  gint64 classes;
  gint64 test_count;
  double separation;
  double mean_degree;
  double exponent;
} Interactions;

/* The stream of the graph; those of items begin with a role below it. */
#define ITEM_GRAPH (G_GUINT64_CONSTANT (1) << 60)

typedef struct {
  const AssayDatasetContext *context;
  const Interactions *settings;
  AssayEdgeList *list; /* NULL: the graph is drawn */
  Communities communities;
  GraphItems items;
} Making;

ASSAY_LOCAL_CLEAR (Making, making_clear, assay_drop (self->list, assay_edge_list_free),
                   communities_clear (&self->communities), graph_items_clear (&self->items))

/* ---- Files of the graph ---- */

static gboolean
read_list (Making *making, GError **error)
{
  const char *const *folders = making->context->folders;
  g_autofree char *path = assay_row_file_find (making->settings->edges, folders, error);
  g_autofree char *communities = NULL;

  making->list = path != NULL ? assay_edge_list_read (path, error) : NULL;
  if (making->list == NULL)
    return assay_prefix (error, "edges: ");
  if (*making->settings->communities == '\0')
    return TRUE;
  communities = assay_row_file_find (making->settings->communities, folders, error);
  return (communities != NULL
          && communities_read (communities, making->list, &making->communities, error))
         || assay_prefix (error, "communities: ");
}

/* ---- Items ---- */

static gsize
count_drawn (const Making *making)
{
  return making->list != NULL ? making->list->graph->n : (gsize) making->settings->count;
}

static gboolean
draw_items (Making *making, GError **error)
{
  const Interactions *settings = making->settings;
  const gsize communities = making->communities.count;

  return graph_items_draw (
      &(GraphItemDraw){ .count = count_drawn (making),
                        .test_count = (gsize) settings->test_count,
                        .first_cols = (gsize) settings->columns,
                        .second_cols = (gsize) settings->second_columns,
                        .classes = communities > 0 ? communities : (gsize) settings->classes,
                        .separation = settings->separation,
                        .labels = making->communities.of_node },
      making->context->stream, &making->items, error);
}

/* Items for the nodes of a list. */
static gboolean
fit_items (Making *making, GError **error)
{
  GraphItems *items = &making->items;
  const gsize n = making->list->graph->n, rows = items->rows->rows;
  g_autofree gsize *chosen = NULL;

  if (making->communities.count == 0)
    return rows == n
           || assay_fail (error, ASSAY_ERROR_DATA,
                          "edges: %s has %zu nodes and first has %zu rows; expected features of "
                          "each node, and no others",
                          making->settings->edges, n, rows);
  if (items->labels == NULL)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "communities: expected labels, by whose classes they take items");
  chosen = communities_assign (&making->communities, n, items->labels, rows, items->n_classes,
                               error);
  return chosen != NULL ? graph_items_choose (items, chosen, n, error)
                        : assay_prefix (error, "communities: ");
}

static gboolean
take_items (Making *making, GError **error)
{
  const Interactions *settings = making->settings;
  const GraphItemFiles files = { .first = settings->first,
                                 .second = settings->second,
                                 .labels = settings->labels,
                                 .test_first = settings->test_first,
                                 .test_second = settings->test_second,
                                 .test_labels = settings->test_labels,
                                 .folders = making->context->folders };

  if (*settings->first == '\0')
    return draw_items (making, error);
  return graph_items_read (&files, &making->items, error)
         && (making->list == NULL || fit_items (making, error));
}

static gboolean
make (const AssayDatasetContext *context, Making *making, GError **error)
{
  making->context = context;
  making->settings = context->settings;
  return (*making->settings->edges == '\0' || read_list (making, error))
         && take_items (making, error);
}

/* ---- The dataset ---- */

static AssayArray *
make_edges (const Making *making, GError **error)
{
  AssayStream stream = assay_stream (making->context->stream, ITEM_GRAPH);
  g_autoptr (AssayGraph) drawn = NULL;

  if (making->list != NULL)
    return assay_edge_array_new (making->list->graph, error);
  drawn
      = assay_interactions_draw (&(AssayInteractions){ .n = making->items.rows->rows,
                                                       .classes = making->items.labels,
                                                       .mean_degree = making->settings->mean_degree,
                                                       .exponent = making->settings->exponent },
                                 &stream, error);
  return drawn != NULL ? assay_edge_array_new (drawn, error) : NULL;
}

static void
hash_bytes (GChecksum *checksum, gconstpointer data, gsize bytes)
{
  if (data != NULL)
    g_checksum_update (checksum, data, (gssize) bytes);
}

static char *
hash_of (const GraphItems *items, const AssayArray *edges)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  const AssayMatrix *rows = items->rows, *test = items->test;

  hash_bytes (checksum, rows->data, rows->rows * rows->cols * sizeof (float));
  hash_bytes (checksum, items->labels, rows->rows * sizeof (gint64));
  if (test != NULL) {
    hash_bytes (checksum, test->data, test->rows * test->cols * sizeof (float));
    hash_bytes (checksum, items->test_labels, test->rows * sizeof (gint64));
  }
  hash_bytes (checksum, edges->data, assay_array_count (edges) * sizeof (gint64));
  return g_strdup (g_checksum_get_string (checksum));
}

static gboolean
open_dataset (const AssayDatasetContext *context, AssayDataset *ret_dataset, GError **error)
{
  g_auto (Making) making = { 0 };
  GraphItems *items = &making.items;
  gsize n, n_test;

  if (!make (context, &making, error))
    return FALSE;
  ret_dataset->edges = make_edges (&making, error);
  if (ret_dataset->edges == NULL)
    return FALSE;
  n = items->rows->rows;
  n_test = items->test != NULL ? items->test->rows : 0;
  ret_dataset->sha256 = hash_of (items, ret_dataset->edges);
  ret_dataset->first_cols = items->first_cols;
  ret_dataset->n_classes = items->n_classes;
  ret_dataset->secrets = assay_rows_take_matrix (g_steal_pointer (&items->rows));
  if (items->test != NULL)
    ret_dataset->test = assay_rows_take_matrix (g_steal_pointer (&items->test));
  if (items->labels != NULL)
    ret_dataset->secret_data.labels
        = assay_array_take (ASSAY_INT64, 1, &n, g_steal_pointer (&items->labels));
  if (items->test_labels != NULL)
    ret_dataset->test_data.labels
        = assay_array_take (ASSAY_INT64, 1, &n_test, g_steal_pointer (&items->test_labels));
  return TRUE;
}

static gboolean
probe (const AssayDatasetContext *context, AssayProbe *ret_probe, GError **error)
{
  g_auto (Making) making = { 0 };
  const GraphItems *items = &making.items;

  if (!make (context, &making, error))
    return FALSE;
  *ret_probe = (AssayProbe){
    .n_secrets = items->rows->rows,
    .n_test = items->test != NULL ? items->test->rows : 0,
    .n_classes = items->n_classes,
    .cols = items->rows->cols,
    .holdings = ASSAY_HAS_GRAPH | (items->first_cols > 0 ? ASSAY_HAS_MODALITIES : 0)
                | (items->labels != NULL ? ASSAY_HAS_LABELS : 0)
                | (items->test_labels != NULL ? ASSAY_HAS_TEST_LABELS : 0),
  };
  if (making.list != NULL) {
    g_autofree char *counts = assay_edge_list_describe (making.list);

    g_snprintf (ret_probe->remark, sizeof ret_probe->remark, "%s: %s", making.settings->edges,
                counts);
  }
  ret_probe->memory
      = (guint64) (ret_probe->n_secrets + ret_probe->n_test)
            * (ret_probe->cols * sizeof (float) + sizeof (gint64))
        + (making.list != NULL
               ? 40 * (guint64) assay_graph_edges (making.list->graph)
               : (guint64) (40 * making.settings->mean_degree * (double) ret_probe->n_secrets));
  return TRUE;
}

static gboolean
check (gconstpointer data, G_GNUC_UNUSED const AssayShape *shape, GError **error)
{
  const Interactions *settings = data;
  const char *const of_items[][2] = { { "second", settings->second },
                                      { "labels", settings->labels },
                                      { "test_first", settings->test_first } };

  for (guint i = 0; i < G_N_ELEMENTS (of_items); i++)
    if (*of_items[i][1] != '\0' && *settings->first == '\0')
      return assay_fail (error, ASSAY_ERROR_PARAMETER,
                         "%s: there are no items that they belong to; expected first",
                         of_items[i][0]);
  if (*settings->test_first == '\0'
      && (*settings->test_second != '\0' || *settings->test_labels != '\0'))
    return assay_fail (error, ASSAY_ERROR_PARAMETER,
                       "test_second, test_labels: expected test_first beside them");
  return *settings->communities == '\0' || *settings->edges != '\0'
         || assay_fail (error, ASSAY_ERROR_PARAMETER,
                        "communities: of nodes of a file; expected edges");
}

ASSAY_DATASET (interactions, "interactions",
  .summary = "Items with public features of one or two modalities, and a private graph on them",
  .reference = { "Assay; SNAP edge lists (Leskovec and Krevl 2014)",
                 "power-law interactions in hidden groups" },
  ASSAY_SETTINGS (Interactions,
    ASSAY_PARAM_STRING (Interactions, first, "",
                        "Features of the items, or those of their first modality (images): "
                        "FILE, FILE[100:200], or several separated by commas; " ASSAY_ROW_FORMATS
                        "; without it items are generated"),
    ASSAY_PARAM_STRING (Interactions, second, "",
                        "Features of a second modality (text), with as many rows"),
    ASSAY_PARAM_STRING (Interactions, labels, "",
                        "Classes of the items: a file of whole numbers in one column; the smallest "
                        "is the first class"),
    ASSAY_PARAM_STRING (Interactions, test_first, "",
                        "Features of the test items, which are the queries and in no graph, in the "
                        "same form as first"),
    ASSAY_PARAM_STRING (Interactions, test_second, "",
                        "Features of the second modality of the test items"),
    ASSAY_PARAM_STRING (Interactions, test_labels, "", "Classes of the test items"),
    ASSAY_PARAM_STRING (Interactions, edges, "",
                        "The private graph: a file with the ids of two nodes in each line; items "
                        "are numbered by rising id; without it interactions are generated"),
    ASSAY_PARAM_STRING (Interactions, communities, "",
                        "A file with the id of a node and its community in each line: each "
                        "community is given items of one class"),
    ASSAY_PARAM_INT (Interactions, count, 2000, 2, 1000000, "items",
                     "How many items are generated"),
    ASSAY_PARAM_INT (Interactions, columns, 64, 1, 65536, "",
                     "Numbers in a generated row of the first modality"),
    ASSAY_PARAM_INT (Interactions, second_columns, 16, 0, 65536, "",
                     "Numbers in a generated row of the second modality; 0: there is none"),
    ASSAY_PARAM_INT (Interactions, classes, 10, 1, ROW_LABELS_MAX_CLASSES, "",
                     "How many classes there are"),
    ASSAY_PARAM_INT (Interactions, test_count, 200, 0, 1000000, "items",
                     "How many test items are generated: the queries of a search"),
    ASSAY_PARAM_REAL (Interactions, separation, 0.4, 0, 1000, "",
                      "Standard deviation of the class centres in each number, relative to that of "
                      "an item about its centre"),
    ASSAY_PARAM_REAL (Interactions, mean_degree, 40, 0, 10000, "",
                      "Mean degree of the interactions that are generated, with loops and "
                      "repeats"),
    ASSAY_PARAM_REAL (Interactions, exponent, 2.5, 1.1, 100, "",
                      "Exponent of the power law that activities follow")),
  .check = check,
  .probe = probe,
  .open = open_dataset,
  .keeps_order = TRUE);
