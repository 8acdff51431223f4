#include "core/learn/sign-codes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"

/* D^-1/2 A D^-1/2 */
static double *
normalised_adjacency (const AssayGraph *graph, GError **error)
{
  const gsize n = graph->n;
  double *matrix = assay_alloc (n, n * sizeof (double), "pairs", error);

  for (gsize i = 0; matrix != NULL && i < n; i++)
    for (gsize s = graph->starts[i]; s < graph->starts[i + 1]; s++)
      matrix[i * n + graph->ends[s]]
          = 1
            / sqrt ((double) assay_graph_degree (graph, i)
                    * (double) assay_graph_degree (graph, graph->ends[s]));
  return matrix;
}

guint8 *
assay_graph_sign_codes (const AssayGraph *graph, gsize bits, GError **error)
{
  const gsize n = graph->n, bytes = (bits + 7) / 8;
  g_autofree double *matrix = NULL, *values = NULL, *vectors = NULL, *sorted = NULL;
  guint8 *codes;

  if (n < bits + 1)
    return assay_fail_null (error, ASSAY_ERROR_MISMATCH,
                            "a graph of %zu nodes has no %zu eigenvectors beside the first", n,
                            bits);
  matrix = normalised_adjacency (graph, error);
  if (matrix == NULL)
    return NULL;
  values = g_new (double, bits + 1);
  vectors = g_new (double, (bits + 1) * n);
  if (!assay_linalg_symmetric_eigen (n, bits + 1, matrix, values, vectors, error))
    return NULL;
  sorted = g_new (double, n);
  codes = g_new0 (guint8, n * bytes);
  for (gsize b = 0; b < bits; b++) {
    const double *vector = vectors + (b + 1) * n;

    memcpy (sorted, vector, n * sizeof *sorted);
    qsort (sorted, n, sizeof *sorted, assay_compare_doubles);
    for (gsize i = 0; i < n; i++)
      if (vector[i] > sorted[n / 2])
        codes[i * bytes + b / 8] |= (guint8) (1u << (b % 8));
  }
  return codes;
}
