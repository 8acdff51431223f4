/* Prim's algorithm on the grid of pixels, with a heap of edges. */
#include "attacks/retrieval/sign-tree.h"

#include <math.h>

typedef struct {
  float strength; /* |correlation| */
  gint8 sign;
  guint32 to;
} Edge;

typedef struct {
  const MixtureState *state;
  float *vectors; /* d x n, of length 1 */
  GArray *heap;   /* of Edge, strongest first */
} Tree;

static gboolean
is_stronger (const Edge *a, const Edge *b)
{
  return a->strength > b->strength || (a->strength == b->strength && a->to < b->to);
}

static void
push (GArray *heap, Edge edge)
{
  gsize at = heap->len;
  Edge *edges;

  g_array_append_val (heap, edge);
  edges = (Edge *) (gpointer) heap->data;
  for (; at > 0 && is_stronger (&edge, &edges[(at - 1) / 2]); at = (at - 1) / 2)
    edges[at] = edges[(at - 1) / 2];
  edges[at] = edge;
}

static Edge
pop (GArray *heap)
{
  Edge *edges = (Edge *) (gpointer) heap->data;
  const Edge first = edges[0], last = edges[heap->len - 1];
  const gsize n = heap->len - 1;
  gsize at = 0;

  for (;;) {
    gsize child = 2 * at + 1;

    if (child + 1 < n && is_stronger (&edges[child + 1], &edges[child]))
      child++;
    if (child >= n || !is_stronger (&edges[child], &last))
      break;
    edges[at] = edges[child];
    at = child;
  }
  edges[at] = last;
  g_array_set_size (heap, (guint) n);
  return first;
}

static float *
unit_vectors (const MixtureState *state, GError **error)
{
  const gsize n = state->n_secrets, d = state->cols;
  float *vectors = assay_alloc (d, n * sizeof (float), "vectors of pixels", error);

  for (gsize p = 0; vectors != NULL && p < d; p++) {
    double square = 0;

    for (gsize i = 0; i < n; i++)
      square += (double) state->images[i * d + p] * state->images[i * d + p];
    for (gsize i = 0; square > 0 && i < n; i++)
      vectors[p * n + i] = (float) (state->images[i * d + p] / sqrt (square));
  }
  return vectors;
}

static void
push_edge (const Tree *tree, gsize from, gsize to)
{
  const gsize n = tree->state->n_secrets;
  double product = 0;

  for (gsize i = 0; i < n; i++)
    product += (double) tree->vectors[from * n + i] * tree->vectors[to * n + i];
  push (tree->heap, (Edge){ .strength = (float) fabs (product),
                            .sign = product < 0 ? -1 : 1,
                            .to = (guint32) to });
}

static void
push_edges (const Tree *tree, gsize from)
{
  const AssayGeometry *shape = &tree->state->geometry;
  const gsize channels = shape->channels, line = shape->width * channels;
  const gsize channel = from % channels, x = from / channels % shape->width, y = from / line;

  for (gsize other = 0; other < channels; other++)
    if (other != channel)
      push_edge (tree, from, from - channel + other);
  if (x > 0)
    push_edge (tree, from, from - channels);
  if (x + 1 < shape->width)
    push_edge (tree, from, from + channels);
  if (y > 0)
    push_edge (tree, from, from - line);
  if (y + 1 < shape->height)
    push_edge (tree, from, from + line);
}

static void
turn_to_mean (const double *mean, gsize n, gsize d, float *inout_images)
{
  double likeness = 0;

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < d; j++)
      likeness += mean[j] * inout_images[i * d + j];
  for (gsize i = 0; likeness < 0 && i < n * d; i++)
    inout_images[i] *= -1;
}

gboolean
sign_tree_align (MixtureState *state, const double *mean, GError **error)
{
  const gsize n = state->n_secrets, d = state->cols;
  g_autofree float *vectors = unit_vectors (state, error);
  g_autofree gint8 *signs = g_new0 (gint8, d); /* 0: not reached yet */
  g_autoptr (GArray) heap = g_array_new (FALSE, FALSE, sizeof (Edge));
  const Tree tree = { .state = state, .vectors = vectors, .heap = heap };

  if (vectors == NULL)
    return FALSE;
  signs[0] = 1;
  push_edges (&tree, 0);
  while (heap->len > 0) {
    const Edge edge = pop (heap);

    if (signs[edge.to] != 0)
      continue;
    /* The edge's sign was taken before its start was turned, if it was: vectors follow. */
    signs[edge.to] = edge.sign;
    for (gsize i = 0; edge.sign < 0 && i < n; i++)
      vectors[edge.to * n + i] *= -1;
    push_edges (&tree, edge.to);
  }
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < d; j++)
      state->images[i * d + j] *= signs[j];
  turn_to_mean (mean, n, d, state->images);
  return TRUE;
}
