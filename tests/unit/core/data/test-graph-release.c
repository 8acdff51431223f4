/* Releases of kind graph: what they must be, and how weights are read. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/base/error.h"
#include "core/data/kinds/graph.h"
#include "tests/reference/fixtures.h"

typedef struct {
  gint64 indptr[4];
  gint64 indices[4];
  float weights[4];
  const char *message; /* NULL: it is one */
} GraphCase;

/* A path 0 - 1 - 2, and what is wrong with others. */
static const GraphCase cases[] = {
  { { 0, 1, 3, 4 }, { 1, 0, 2, 1 }, { 0.5f, 0.5f, 1, 1 }, NULL },
  { { 1, 1, 3, 4 }, { 1, 0, 2, 1 }, { 0 }, "indptr begins with 1; expected 0" },
  { { 0, 3, 1, 4 },
    { 1, 0, 2, 1 },
    { 0 },
    "indptr 2 is 1, below the one before it; expected them to rise" },
  { { 0, 1, 3, 5 }, { 1, 0, 2, 1 }, { 0 }, "indptr ends with 5; expected 4, as there are indices" },
  { { 0, 1, 3, 4 },
    { 0, 0, 2, 1 },
    { 0 },
    "node 0 is joined to 0; expected another one from 0 to 2" },
  { { 0, 1, 3, 4 },
    { 3, 0, 2, 1 },
    { 0 },
    "node 0 is joined to 3; expected another one from 0 to 2" },
  { { 0, 1, 3, 4 },
    { 1, 2, 0, 1 },
    { 0 },
    "node 1: 0 stands behind 2; expected its neighbours to rise" },
  { { 0, 1, 3, 4 },
    { 2, 0, 2, 1 },
    { 0 },
    "nodes 0 and 2: expected their edge in the rows of both, of one weight" },
  { { 0, 1, 3, 4 },
    { 1, 0, 2, 1 },
    { 0.5f, 0.25f, 1, 1 },
    "nodes 0 and 1: expected their edge in the rows of both, of one weight" },
};

static AssayRelease *
release_of (const GraphCase *c)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_GRAPH, "made-up");

  assay_arrays_take (
      &release->arrays, "indptr",
      assay_array_take (ASSAY_INT64, 1, &(gsize){ 4 }, g_memdup2 (c->indptr, sizeof c->indptr)));
  assay_arrays_take (
      &release->arrays, "indices",
      assay_array_take (ASSAY_INT64, 1, &(gsize){ 4 }, g_memdup2 (c->indices, sizeof c->indices)));
  assay_arrays_take (&release->arrays, "weights",
                     assay_array_take (ASSAY_FLOAT32, 1, &(gsize){ 4 },
                                       g_memdup2 (c->weights, sizeof c->weights)));
  return release;
}

Test (graph_release, is_symmetric_and_in_order)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AssayRelease) release = release_of (&cases[i]);
    g_autoptr (GError) error = NULL;
    const gboolean is_one = assay_release_check (release, &error);

    cr_assert_eq (is_one, cases[i].message == NULL, "case %zu", i);
    if (cases[i].message != NULL)
      cr_assert (strstr (error->message, cases[i].message) != NULL, "%s instead of %s",
                 error->message, cases[i].message);
  }
}

Test (graph_release, weights_are_found)
{
  g_autoptr (AssayRelease) release = release_of (&cases[0]);
  const AssayKind *kind = assay_kind (ASSAY_RELEASE_GRAPH);
  const AssayWeightedGraph graph = assay_release_graph (release);
  float numbers[3];

  cr_assert_eq (graph.n, 3);
  cr_assert_eq (assay_weighted_graph_at (&graph, 0, 1), 0.5f);
  cr_assert_eq (assay_weighted_graph_at (&graph, 2, 1), 1);
  cr_assert_eq (assay_weighted_graph_at (&graph, 0, 2), 0);
  cr_assert_eq (kind->count_numbers (release, 0), 3);
  kind->numbers (release, 0, (AssayView){ 0 }, numbers);
  cr_assert (numbers[0] == 0.5f && numbers[1] == 0 && numbers[2] == 1);
}

Test (graph_release, truth_has_two_ends)
{
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (GError) error = NULL;

  assay_arrays_take (&truth->arrays, "secrets", fixture_numbers (ASSAY_FLOAT32, 2, 3, 2, 0));
  for (guint k = 0; k < 2; k++) {
    const char *name = k == 0 ? "edges" : "clipped-edges";
    g_autofree char *message
        = g_strdup_printf ("%s has 3 columns; expected 2, the ends of an edge", name);

    assay_arrays_take (&truth->arrays, name, fixture_numbers (ASSAY_INT64, 2, 4, 3, 0));
    cr_assert (!assay_truth_check (truth, &error));
    cr_assert (strstr (error->message, message) != NULL, "%s", error->message);
    g_clear_error (&error);
    assay_arrays_take (&truth->arrays, name,
                       assay_array_take (ASSAY_INT64, 2, (const gsize[]){ 0, 2 },
                                         g_new0 (gint64, 1)));
  }
}

/* Edges between secrets that are there, the lower end first; columns of two modalities. */
Test (graph_release, truth_is_of_its_secrets)
{
  static const gint64 wrong[][2] = { { 1, 1 }, { 2, 1 }, { 0, 3 }, { -1, 2 } };
  static const gint64 splits[][2] = { { 1, 1 }, { 2, 0 }, { 0, 2 }, { 1, 2 } };
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (GError) error = NULL;

  assay_arrays_take (&truth->arrays, "secrets", fixture_numbers (ASSAY_FLOAT32, 2, 3, 2, 0));
  for (guint k = 0; k < 4; k++) {
    assay_arrays_take (&truth->arrays, "edges",
                       assay_array_take (ASSAY_INT64, 2, (const gsize[]){ 1, 2 },
                                         g_memdup2 (wrong[k], sizeof wrong[k])));
    cr_assert (!assay_truth_check (truth, &error), "edge %u", k);
    cr_assert (strstr (error->message, "expected two of 3 secrets, the lower one first"), "%s",
               error->message);
    g_clear_error (&error);
  }
  assay_arrays_take (&truth->arrays, "edges",
                     assay_array_take (ASSAY_INT64, 2, (const gsize[]){ 1, 2 },
                                       g_memdup2 ((const gint64[]){ 0, 2 }, 16)));
  for (guint k = 0; k < 4; k++) {
    assay_arrays_take (&truth->arrays, "modalities",
                       assay_array_take (ASSAY_INT64, 1, (const gsize[]){ 2 },
                                         g_memdup2 (splits[k], sizeof splits[k])));
    cr_assert_eq (assay_truth_check (truth, &error), k == 0, "split %u", k);
    cr_assert_eq (assay_truth_first_cols (truth), (gsize) splits[k][0]);
    g_clear_error (&error);
  }
}
