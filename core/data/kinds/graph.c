/* Releases of kind graph: sizes, checks and public parameters. */
#include "core/data/kinds/graph.h"

#include "core/base/each.h"
#include "core/base/error.h"

static const AssayArraySpec arrays[] = {
  { "indptr", "r", ASSAY_INT64, FALSE, 0 },
  { "indices", "e", ASSAY_INT64, FALSE, 0 },
  { "weights", "e", ASSAY_FLOAT32, FALSE, 0 },
  { .name = NULL },
};

static const AssayArraySpec truth[] = {
  { "clipped-edges", "h2", ASSAY_INT64, TRUE, 0 }, /* what was left of the private ones */
  { .name = NULL },
};

static const AssayParam parameters[]
    = { ASSAY_PARAM_INT (AssayGraphParameters, bound, 0, 0, 1000000000, "",
                         "Largest degree of the graph that it was made from; 0: not bounded"),
        ASSAY_PARAM_INT (AssayGraphParameters, rounds, 1, 1, 1000000000, "",
                         "In which it was made"),
        ASSAY_PARAM_REAL (AssayGraphParameters, scale, 0, 0, G_MAXDOUBLE, "",
                          "Standard deviation of the noise of each round"),
        ASSAY_PARAM_REAL (AssayGraphParameters, largest, 0, 0, G_MAXDOUBLE, "",
                         "Of the logarithms of weights, by which they were divided"),
        ASSAY_PARAM_END };

AssayWeightedGraph
assay_release_graph (const AssayRelease *release)
{
  const AssayArray *indptr = assay_arrays_get (&release->arrays, "indptr");

  return (AssayWeightedGraph){
    .n = indptr->shape[0] - 1,
    .indptr = assay_array_int64 (indptr),
    .indices = assay_array_int64 (assay_arrays_get (&release->arrays, "indices")),
    .weights = assay_array_view (assay_arrays_get (&release->arrays, "weights")).data,
  };
}

/* The slot of @j in the row of @i; -1: none. */
static gint64
find (const AssayWeightedGraph *graph, gsize i, gint64 j)
{
  gint64 low = graph->indptr[i], high = graph->indptr[i + 1];
  /* Where it stands if the row has all nodes. */
  const gint64 dense = low + j - (j > (gint64) i);

  if (high - low == (gint64) graph->n - 1 && j != (gint64) i)
    return dense; /* the row has all others */
  if (dense >= low && dense < high && graph->indices[dense] == j)
    return dense;
  ASSAY_BISECT (gint64, edge, low, high, graph->indices[edge] < j)
  return low < graph->indptr[i + 1] && graph->indices[low] == j ? low : -1;
}

float
assay_weighted_graph_at (const AssayWeightedGraph *graph, gsize i, gsize j)
{
  const gint64 slot = find (graph, i, (gint64) j);

  return slot >= 0 ? graph->weights[slot] : 0;
}

/* ---- Checks ---- */

static gboolean
check_indptr (const AssayWeightedGraph *graph, gsize n_indices, GError **error)
{
  if (graph->indptr[0] != 0)
    return assay_fail (error, ASSAY_ERROR_DATA,
                       "indptr begins with %" G_GINT64_FORMAT "; expected 0", graph->indptr[0]);
  for (gsize i = 0; i < graph->n; i++)
    if (graph->indptr[i + 1] < graph->indptr[i])
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "indptr %zu is %" G_GINT64_FORMAT ", below the one before it; expected "
                         "them to rise",
                         i + 1, graph->indptr[i + 1]);
  return graph->indptr[graph->n] == (gint64) n_indices
         || assay_fail (error, ASSAY_ERROR_MISMATCH,
                        "indptr ends with %" G_GINT64_FORMAT "; expected %zu, as there are indices",
                        graph->indptr[graph->n], n_indices);
}

static gboolean
check_row (const AssayWeightedGraph *graph, gsize i, GError **error)
{
  for (gint64 s = graph->indptr[i]; s < graph->indptr[i + 1]; s++) {
    const gint64 j = graph->indices[s];

    if (j < 0 || j >= (gint64) graph->n || j == (gint64) i)
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "node %zu is joined to %" G_GINT64_FORMAT "; expected another one from 0 "
                         "to %zu",
                         i, j, graph->n - 1);
    if (s > graph->indptr[i] && j <= graph->indices[s - 1])
      return assay_fail (error, ASSAY_ERROR_DATA,
                         "node %zu: %" G_GINT64_FORMAT " stands behind %" G_GINT64_FORMAT
                         "; expected its neighbours to rise",
                         i, j, graph->indices[s - 1]);
  }
  return TRUE;
}

static gboolean
check_symmetry (const AssayWeightedGraph *graph, gsize i, GError **error)
{
  for (gint64 s = graph->indptr[i]; s < graph->indptr[i + 1]; s++) {
    const gsize j = (gsize) graph->indices[s];
    const gint64 twin = find (graph, j, (gint64) i);

    if (twin < 0 || graph->weights[twin] != graph->weights[s])
      return assay_fail (
          error, ASSAY_ERROR_DATA,
          "nodes %zu and %zu: expected their edge in the rows of both, of one weight", i, j);
  }
  return TRUE;
}

static gboolean
check (const AssayRelease *release, GError **error)
{
  const gsize rows = assay_arrays_get (&release->arrays, "indptr")->shape[0];
  AssayWeightedGraph graph;

  if (rows < 2)
    return assay_fail (error, ASSAY_ERROR_MISMATCH,
                       "indptr has %zu numbers; expected one more than there are nodes", rows);
  graph = assay_release_graph (release);
  if (!check_indptr (&graph, assay_arrays_get (&release->arrays, "indices")->shape[0], error))
    return FALSE;
  for (gsize i = 0; i < graph.n; i++)
    if (!check_row (&graph, i, error))
      return FALSE;
  for (gsize i = 0; i < graph.n; i++)
    if (!check_symmetry (&graph, i, error))
      return FALSE;
  return TRUE;
}

static gboolean
check_truth (const AssayTruth *truth_of, GError **error)
{
  for (const AssayArraySpec *spec = truth; spec->name != NULL; spec++) {
    const AssayArray *edges = assay_arrays_get (&truth_of->arrays, spec->name);

    if (edges != NULL && edges->shape[1] != 2)
      return assay_fail (error, ASSAY_ERROR_MISMATCH,
                         "%s has %zu columns; expected 2, the ends of an edge", spec->name,
                         edges->shape[1]);
  }
  return TRUE;
}

/* ---- Numbers: the weights of all pairs i < j ---- */

static gsize
count_numbers (const AssayRelease *release, G_GNUC_UNUSED gsize n_probes)
{
  const gsize n = assay_release_graph (release).n;

  return n * (n - 1) / 2;
}

static void
numbers (const AssayRelease *release, G_GNUC_UNUSED gsize item, G_GNUC_UNUSED AssayView probes,
         float *ret_numbers)
{
  const AssayWeightedGraph graph = assay_release_graph (release);

  for (gsize i = 0; i < graph.n; i++)
    for (gsize j = i + 1; j < graph.n; j++)
      *ret_numbers++ = assay_weighted_graph_at (&graph, i, j);
}

const AssayKind assay_kind_graph = {
  .arrays = arrays,
  .truth = truth,
  .parameters = parameters,
  .parameters_size = sizeof (AssayGraphParameters),
  .items = ASSAY_ITEM_OF_ALL_SECRETS,
  .check = check,
  .check_truth = check_truth,
  .count_numbers = count_numbers,
  .numbers = numbers,
};
