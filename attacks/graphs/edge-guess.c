/* Guesses of the game edge, and cases with a known outcome. */
#include "attacks/graphs/edge-guess.h"

#include <math.h>

#include "core/data/kinds/graph.h"
#include "core/data/kinds/paired-codes.h"
#include "core/graph/edge-array.h"
#include "core/graph/interactions.h"
#include "core/graph/likeness.h"
#include "core/graph/motifs.h"
#include "core/learn/sign-codes.h"

enum { ITEMS = 240, FIRST = 12, COLS = 18, CLASSES = 4, BITS = 32 };

#define ALIKE 0.5
#define KNOWN (ITEMS / 2)

float *
edge_guess_scores (gsize n, GError **error)
{
  return assay_alloc (MAX (assay_pair_count (n), 1), sizeof (float), "pairs of secrets", error);
}

void
edge_guess_take (AssayGuess *guess, gsize count, float *scores, gint64 *pairs)
{
  assay_arrays_take (&guess->arrays, "edge-scores",
                     assay_array_take (ASSAY_FLOAT32, 1, &count, scores));
  if (pairs != NULL)
    assay_arrays_take_rows (&guess->arrays, "edge-pairs", ASSAY_INT64, count, 2, pairs);
}

static float *
score_graph (const AssayRelease *release, gsize *ret_count, GError **error)
{
  const AssayWeightedGraph graph = assay_release_graph (release);
  float *scores = edge_guess_scores (graph.n, error);

  *ret_count = assay_pair_count (graph.n);
  for (gsize i = 0; scores != NULL && i < graph.n; i++)
    for (gint64 s = graph.indptr[i]; s < graph.indptr[i + 1]; s++)
      if (graph.indices[s] > (gint64) i)
        scores[assay_pair_number (graph.n, i, (gsize) graph.indices[s])] = graph.weights[s];
  return scores;
}

static guint
distance (const guint8 *a, const guint8 *b, gsize bytes)
{
  guint sum = 0;

  for (gsize k = 0; k < bytes; k++)
    sum += (guint) __builtin_popcount (a[k] ^ b[k]);
  return sum;
}

static float *
score_codes (const AssayRelease *release, gsize *ret_count, GError **error)
{
  const AssayPairedCodes codes = assay_release_paired_codes (release);
  const gsize bytes = codes.bytes;
  float *scores = edge_guess_scores (codes.n, error);

  *ret_count = assay_pair_count (codes.n);
  for (gsize i = 0; scores != NULL && i < codes.n; i++)
    for (gsize j = i + 1; j < codes.n; j++) {
      const guint8 *a[] = { codes.first + i * bytes, codes.second + i * bytes };
      const guint8 *b[] = { codes.first + j * bytes, codes.second + j * bytes };

      scores[assay_pair_number (codes.n, i, j)]
          = -(float) (distance (a[0], b[0], bytes) + distance (a[1], b[1], bytes)
                      + distance (a[0], b[1], bytes) + distance (a[1], b[0], bytes));
    }
  return scores;
}

float *
edge_guess_of_release (const AssayRelease *release, gsize *ret_count, GError **error)
{
  return release->kind == ASSAY_RELEASE_GRAPH ? score_graph (release, ret_count, error)
                                              : score_codes (release, ret_count, error);
}

gboolean
edge_guess_attack (G_GNUC_UNUSED const AssayAttackContext *context, const AssayObservation *seen,
                   AssayGuess *ret_guess, GError **error)
{
  gsize count;
  float *scores = edge_guess_of_release (seen->release, &count, error);

  if (scores == NULL)
    return FALSE;
  edge_guess_take (ret_guess, count, scores, NULL);
  return TRUE;
}

guint
edge_guess_wants (G_GNUC_UNUSED gconstpointer settings)
{
  return ASSAY_HAS_GRAPH;
}

/* ---- Cases ---- */

static AssayMatrix *
draw_items (AssayStream *stream, gint64 *ret_labels, GError **error)
{
  AssayMatrix *items = assay_matrix_new (ITEMS, COLS, error);
  float centres[CLASSES][COLS];

  for (guint k = 0; k < CLASSES * COLS; k++)
    centres[k / COLS][k % COLS] = (float) assay_stream_normal (stream);
  for (gsize i = 0; items != NULL && i < ITEMS; i++) {
    ret_labels[i] = (gint64) (i % CLASSES);
    for (gsize j = 0; j < COLS; j++)
      assay_matrix_row (items, i)[j]
          = centres[ret_labels[i]][j] + 0.7f * (float) assay_stream_normal (stream);
  }
  return items;
}

static AssayGraph *
join_alike (const AssayMatrix *items, GError **error)
{
  g_autoptr (AssayMatrix) rows
      = assay_likeness_rows (assay_matrix_view (items), FIRST, ASSAY_SIMILARITY_JOINT, error);
  g_autoptr (GArray) links = g_array_new (FALSE, FALSE, sizeof (AssayLink));

  if (rows == NULL)
    return NULL;
  for (guint32 i = 0; i < ITEMS; i++)
    for (guint32 j = i + 1; j < ITEMS; j++)
      if (assay_likeness_of_pair (rows, i, j) > ALIKE)
        g_array_append_vals (links, &((AssayLink){ i, j }), 1);
  return assay_graph_new (ITEMS, (const AssayLink *) (gconstpointer) links->data, links->len, NULL,
                          error);
}

/* Weights of the edges alone: others are 0. */
static gboolean
release_triangles (const AssayGraph *graph, AssayRelease *release, GError **error)
{
  const gsize slots = assay_graph_slots (graph);
  gint64 *indptr = assay_alloc (graph->n + 1, sizeof (gint64), "rows", error);
  gint64 *indices = assay_alloc (MAX (slots, 1), sizeof (gint64), "edges", error);
  float *weights = assay_alloc (MAX (slots, 1), sizeof (float), "edges", error);

  if (indptr == NULL || indices == NULL || weights == NULL) {
    g_free (indptr);
    g_free (indices);
    g_free (weights);
    return FALSE;
  }
  for (gsize i = 0; i < graph->n; i++) {
    indptr[i + 1] = (gint64) graph->starts[i + 1];
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++) {
      indices[s] = graph->ends[s];
      weights[s] = (float) log1p (
          assay_motif_of_pair (graph, ASSAY_MOTIF_TRIANGLES, 0, i, graph->ends[s]));
    }
  }
  assay_arrays_take (&release->arrays, "indptr",
                     assay_array_take (ASSAY_INT64, 1, &(gsize){ graph->n + 1 }, indptr));
  assay_arrays_take (&release->arrays, "indices",
                     assay_array_take (ASSAY_INT64, 1, &slots, indices));
  assay_arrays_take (&release->arrays, "weights",
                     assay_array_take (ASSAY_FLOAT32, 1, &slots, weights));
  return TRUE;
}

static gboolean
release_signs (const AssayGraph *graph, AssayRelease *release, GError **error)
{
  const gsize size = graph->n * BITS / 8;
  guint8 *codes = assay_graph_sign_codes (graph, BITS, error);

  if (codes == NULL)
    return FALSE;
  release->bits = BITS;
  assay_arrays_take_rows (&release->arrays, "image-codes", ASSAY_UINT8, graph->n, BITS / 8,
                          g_memdup2 (codes, size));
  assay_arrays_take_rows (&release->arrays, "text-codes", ASSAY_UINT8, graph->n, BITS / 8, codes);
  return TRUE;
}

static gboolean
take_knowledge (const AssayGraph *graph, AssayControlCase *control_case, GError **error)
{
  AssayArray *edges = assay_edge_array_new (graph, error);
  gsize half[KNOWN];

  if (edges == NULL)
    return FALSE;
  for (gsize i = 0; i < KNOWN; i++)
    half[i] = i;
  assay_arrays_take (&control_case->truth->arrays, "edges", edges);
  control_case->known_edges = assay_edge_array_among (edges, ITEMS, half, KNOWN, error);
  return control_case->known_edges != NULL;
}

gboolean
edge_case_make (const EdgeCase *made, AssayStreamKey key, AssayControlCase *ret_case,
                GError **error)
{
  AssayStream stream = assay_stream (key, 0);
  gint64 labels[ITEMS];
  g_autoptr (AssayMatrix) items = draw_items (&stream, labels, error);
  AssayMatrix *secrets
      = items != NULL ? assay_matrix_copy (assay_matrix_view (items), error) : NULL;
  g_autoptr (AssayGraph) graph = NULL;

  if (secrets == NULL)
    return FALSE;
  ret_case->release = assay_release_new (
      made->has_codes ? ASSAY_RELEASE_PAIRED_CODES : ASSAY_RELEASE_GRAPH, "control");
  ret_case->truth = assay_truth_new ();
  assay_arrays_take_matrix (&ret_case->truth->arrays, "secrets", &secrets);
  graph = made->is_alike
              ? join_alike (items, error)
              : assay_interactions_draw (
                  &(AssayInteractions){
                      .n = ITEMS, .classes = labels, .mean_degree = 20, .exponent = 2.5 },
                  &stream, error);
  ret_case->features = g_steal_pointer (&items);
  ret_case->first_cols = FIRST;
  return graph != NULL
         && (made->has_codes ? release_signs (graph, ret_case->release, error)
                             : release_triangles (graph, ret_case->release, error))
         && take_knowledge (graph, ret_case, error);
}
