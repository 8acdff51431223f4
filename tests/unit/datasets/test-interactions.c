/* The dataset `interactions`: items of files and drawn, lists of edges, communities. */
#include <criterion/criterion.h>
#include <math.h>

#include "core/graph/edge-array.h"
#include "core/plugin/plugin.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

extern const AssayDatasetPlugin assay_dataset_interactions;

static char *folder;

static void
set_up (void)
{
  folder = fixture_folder ();
  /* Items of three classes, 5 to 7. */
  g_free (fixture_write (folder, "first.csv", "a,b\n0,1\n1,2\n2,3\n3,4\n4,5\n5,6\n6,7\n"));
  g_free (fixture_write (folder, "second.csv", "c\n10\n11\n12\n13\n14\n15\n16\n"));
  g_free (fixture_write (folder, "labels.csv", "l\n7\n5\n5\n6\n5\n6\n7\n"));
  g_free (fixture_write (folder, "queries.csv", "a,b\n9,9\n8,8\n"));
  g_free (fixture_write (folder, "words.csv", "c\n1\n2\n"));
  g_free (fixture_write (folder, "asked.csv", "l\n5\n8\n"));
  g_free (fixture_write (folder, "few.csv", "c\n1\n2\n3\n"));
  /* Loops, both directions, one repeated; nodes 10, 20, 30, 40, 50. */
  g_free (fixture_write (folder, "edges.txt",
                         "10 10\n10 20\n20 10\n10 20\n30 20\n40 50\n10 50\n50 50\n"));
  g_free (fixture_write (folder, "five.csv", "a\n1\n2\n3\n4\n5\n"));
  g_free (fixture_write (folder, "towns.txt", "10 3\n20 8\n30 3\n40 8\n50 8\n"));
  g_free (fixture_write (folder, "twice.txt", "10 3\n20 8\n30 3\n40 8\n50 8\n10 8\n"));
  g_free (fixture_write (folder, "short.txt", "10 3\n20 8\n30 3\n40 8\n"));
  g_free (fixture_write (folder, "strange.txt", "11 3\n"));
  g_free (fixture_write (folder, "alone.txt", "10 1\n20 1\n30 1\n40 1\n50 1\n"));
}

static void
tear_down (void)
{
  fixture_remove (folder);
  g_free (folder);
}

static gboolean
open_with (const char *assignments, AssayDataset *ret_dataset, AssayProbe *ret_probe,
           GError **error)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings ((const AssayPlugin *) &assay_dataset_interactions, assignments);
  const char *folders[] = { folder, NULL };
  const AssayDatasetContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (3, 0, "dataset", ""),
                                        .folders = folders };

  return assay_dataset_interactions.check (settings->values, &(AssayShape){ 0 }, error)
         && assay_dataset_interactions.probe (&context, ret_probe, error)
         && assay_dataset_interactions.open (&context, ret_dataset, error);
}

#define TWO_MODALITIES                                                                             \
  "first=first.csv second=second.csv labels=labels.csv test_first=queries.csv "                   \
  "test_second=words.csv test_labels=asked.csv"

/* Both modalities side by side; classes from 0; the probe says what is opened. */
Test (interactions, items_of_files, .init = set_up, .fini = tear_down)
{
  static const gint64 labels[] = { 2, 0, 0, 1, 0, 1, 2 };
  AssayDataset dataset = { 0 };
  AssayProbe probe;
  g_autoptr (GError) error = NULL;
  float row[3];

  cr_assert (open_with (TWO_MODALITIES, &dataset, &probe, &error), "%s",
             error != NULL ? error->message : "");
  assay_rows_read (dataset.secrets, 3, 1, ASSAY_SCALE_NONE, row);
  cr_assert (row[0] == 3 && row[1] == 4 && row[2] == 13);
  assay_rows_read (dataset.test, 1, 1, ASSAY_SCALE_NONE, row);
  cr_assert (row[0] == 8 && row[1] == 8 && row[2] == 2);
  cr_assert_eq (dataset.first_cols, 2);
  cr_assert_eq (dataset.n_classes, 4);
  cr_assert_arr_eq (assay_role_labels (&dataset.secret_data), labels, sizeof labels);
  cr_assert_eq (assay_role_labels (&dataset.test_data)[1], 3);
  cr_assert_eq (probe.n_secrets, 7);
  cr_assert_eq (probe.n_test, 2);
  cr_assert_eq (probe.cols, 3);
  cr_assert_eq (probe.holdings, assay_dataset_holdings (&dataset));
  cr_assert_eq (probe.holdings, ASSAY_HAS_GRAPH | ASSAY_HAS_MODALITIES | ASSAY_HAS_LABELS
                                    | ASSAY_HAS_TEST_LABELS);
  assay_dataset_clear (&dataset);
}

/* Node i by rising id is item i; what is no simple edge is counted. */
Test (interactions, edges_of_a_file, .init = set_up, .fini = tear_down)
{
  static const gint64 edges[] = { 0, 1, 0, 4, 1, 2, 3, 4 };
  AssayDataset dataset = { 0 };
  AssayProbe probe;
  g_autoptr (GError) error = NULL;

  cr_assert (open_with ("first=five.csv edges=edges.txt", &dataset, &probe, &error), "%s",
             error != NULL ? error->message : "");
  cr_assert_eq (dataset.edges->shape[0], 4);
  cr_assert_arr_eq (assay_array_int64 (dataset.edges), edges, sizeof edges);
  cr_assert_eq (dataset.first_cols, 0);
  cr_assert_str_eq (probe.remark, "edges.txt: 2 loops left out, 1 repeated link taken once, 3 of 4 "
                                  "edges in one direction alone");
  assay_dataset_clear (&dataset);
}

/* Town 8 has three nodes, town 3 two. Of class 0 there are three items (1, 2, 4), of classes 1 and
 * 2 two each: town 8 takes class 0, town 3 class 1 (items 3 and 5). */
Test (interactions, communities_take_items_of_a_class, .init = set_up, .fini = tear_down)
{
  static const float firsts[] = { 3, 1, 5, 2, 4 };
  static const gint64 labels[] = { 1, 0, 1, 0, 0 };
  AssayDataset dataset = { 0 };
  AssayProbe probe;
  g_autoptr (GError) error = NULL;

  cr_assert (open_with (TWO_MODALITIES " edges=edges.txt communities=towns.txt", &dataset, &probe,
                        &error),
             "%s", error != NULL ? error->message : "");
  for (gsize i = 0; i < 5; i++) {
    float row[3];

    assay_rows_read (dataset.secrets, i, 1, ASSAY_SCALE_NONE, row);
    cr_assert (row[0] == firsts[i] && row[2] == 10 + firsts[i], "node %zu", i);
  }
  cr_assert_arr_eq (assay_role_labels (&dataset.secret_data), labels, sizeof labels);
  assay_dataset_clear (&dataset);
}

/* Drawn items of communities are about the centre of each. */
Test (interactions, items_are_drawn, .init = set_up, .fini = tear_down)
{
  AssayDataset dataset = { 0 }, again = { 0 };
  AssayProbe probe;
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayMatrix) rows = NULL;
  double within = 0, between = 0;
  gsize n_within = 0, n_between = 0;

  cr_assert (open_with ("count=120 columns=30 second_columns=10 classes=3 separation=2 "
                        "mean_degree=12",
                        &dataset, &probe, &error),
             "%s", error != NULL ? error->message : "");
  cr_assert (open_with ("count=120 columns=30 second_columns=10 classes=3 separation=2 "
                        "mean_degree=12",
                        &again, &probe, &error));
  cr_assert_str_eq (dataset.sha256, again.sha256);
  cr_assert_eq (dataset.first_cols, 30);
  cr_assert (dataset.edges->shape[0] > 300 && dataset.edges->shape[0] <= 720);
  rows = assay_rows_matrix (dataset.secrets, ASSAY_SCALE_NONE, NULL);
  for (gsize i = 0; i < 120; i++)
    for (gsize j = i + 1; j < 120; j++) {
      const gint64 *labels = assay_role_labels (&dataset.secret_data);
      const gboolean is_same = labels[i] == labels[j];
      double square = 0;

      for (gsize k = 0; k < 40; k++)
        square += pow ((double) rows->data[i * 40 + k] - (double) rows->data[j * 40 + k], 2);
      *(is_same ? &within : &between) += square;
      *(is_same ? &n_within : &n_between) += 1;
    }
  /* 2 a column within a class; 2 + 2 * 4 between two of many, as centres differ. */
  assert_near (within / (double) n_within / 80, 1, 0.05, "within");
  cr_assert_gt (between / (double) n_between / 80, 2.5);
  assay_dataset_clear (&dataset);
  assay_dataset_clear (&again);
}

Test (interactions, what_does_not_fit_is_refused, .init = set_up, .fini = tear_down)
{
  static const struct {
    const char *settings, *message;
  } cases[] = {
    { "first=first.csv edges=edges.txt",
      "edges: edges.txt has 5 nodes and first has 7 rows; expected features of each node, and no "
      "others" },
    { "first=first.csv second=few.csv",
      "first.csv has 7 rows and few.csv has 3; expected one of each for an item" },
    { "first=first.csv labels=few.csv", "labels: few.csv has labels of 3 rows; expected 7" },
    { "first=first.csv second=second.csv test_first=queries.csv",
      "test_second: expected a file where second is one, and none where not" },
    { "second=second.csv", "second: there are no items that they belong to; expected first" },
    { "communities=towns.txt", "communities: of nodes of a file; expected edges" },
    { "first=first.csv edges=edges.txt communities=towns.txt",
      "communities: expected labels, by whose classes they take items" },
    { TWO_MODALITIES " edges=edges.txt communities=alone.txt",
      "communities: a community has 5 nodes, and of no class are more than 3 items left; expected "
      "an item for each node" },
    { TWO_MODALITIES " edges=edges.txt communities=twice.txt",
      "communities: @/twice.txt: node 10 stands there twice; expected one community of each" },
    { TWO_MODALITIES " edges=edges.txt communities=short.txt",
      "communities: @/short.txt: node 50 is missing; expected the community of each of 5 nodes" },
    { TWO_MODALITIES " edges=edges.txt communities=strange.txt",
      "communities: @/strange.txt: node 11 is not in the list of edges" },
  };

  for (gsize k = 0; k < G_N_ELEMENTS (cases); k++) {
    AssayDataset dataset = { 0 };
    AssayProbe probe;
    GError *error = NULL;
    g_auto (GStrv) parts = g_strsplit (cases[k].message, "@", -1);
    g_autofree char *message = g_strjoinv (folder, parts);

    cr_assert (!open_with (cases[k].settings, &dataset, &probe, &error), "%s", cases[k].settings);
    cr_assert_str_eq (error->message, message);
    g_error_free (error);
    assay_dataset_clear (&dataset);
  }
}

/* The part of a graph between some of its nodes, by their places. */
Test (interactions, graph_among_chosen_nodes)
{
  static const gint64 edges[] = { 0, 1, 0, 4, 1, 2, 3, 4 };
  static const gsize chosen[] = { 4, 3, 0 };
  g_autoptr (AssayArray) array = assay_array_take (ASSAY_INT64, 2, (const gsize[]){ 4, 2 },
                                                   g_memdup2 (edges, sizeof edges));
  g_autoptr (AssayArray) part = assay_edge_array_among (array, 5, chosen, 3, NULL);
  g_autoptr (AssayGraph) graph = assay_edge_array_graph (5, array, NULL);
  g_autoptr (GError) error = NULL;

  /* 4 - 3 becomes 0 - 1, and 4 - 0 becomes 0 - 2. */
  cr_assert_eq (part->shape[0], 2);
  cr_assert_eq (assay_array_int64 (part)[0], 0);
  cr_assert_eq (assay_array_int64 (part)[1], 1);
  cr_assert_eq (assay_array_int64 (part)[3], 2);
  cr_assert_eq (assay_graph_edges (graph), 4);
  cr_assert_null (assay_edge_array_graph (4, array, &error));
  cr_assert_str_eq (error->message,
                    "edge 1 joins 0 and 4; expected two different nodes from 0 to 3");
}
