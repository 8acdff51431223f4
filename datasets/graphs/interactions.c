/* Items with public features, and a private graph that joins them.
 *
 * Items are rows of files, of one modality or of two (an image and a text), or drawn: x = c + e,
 * c ~ separation N (0, 1) the centre of the item's class, e ~ N (0, 1), in each modality alike.
 *
 * The graph is a list of edges, or drawn (core/graph/interactions.h): few items are in many edges,
 * and hidden groups within a class are closer than the class. Node i of a list is the item i; where
 * `communities` are known, each takes items of one class (communities.h), so that real edges join
 * real items that have nothing to do with them but that groups of nodes are alike: there is no
 * public graph of interactions on items with features of two modalities.
 *
 * Roles: secrets (the items), test (queries, which are in no graph). */
#include "core/base/free.h"
#include "datasets/graphs/communities.h"
#include "datasets/graphs/items.h"

#include "core/data/row-file.h"
#include "core/data/row-table.h"
#include "core/graph/edge-array.h"
#include "core/graph/interactions.h"
#include "core/plugin/plugin.h"
#include "datasets/tables/row-labels.h"

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
  GraphCommunities communities;
  GraphItems items;
} Making;

ASSAY_LOCAL_CLEAR (Making, making_clear, assay_drop (self->list, assay_edge_list_free),
                   graph_communities_clear (&self->communities), graph_items_clear (&self->items))

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
          && graph_communities_read (communities, making->list, &making->communities, error))
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
  chosen = graph_communities_assign (&making->communities, n, items->labels, rows, items->n_classes,
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
