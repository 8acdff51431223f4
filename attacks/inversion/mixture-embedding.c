/* Subspace iteration: Q = orthonormal (C Q), six times; then the eigenvectors of Q' C Q. */
#include "attacks/inversion/mixture-embedding.h"

#include <math.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/arena.h"
#include "core/math/linalg.h"

#define STEPS 6
#define SPARE 16 /* vectors beyond those that are wanted */
#define PANEL 256

typedef struct {
  AssayView features;
  AssayView precision; /* P, d x d */
  gsize count;
  float *scales;  /* D, N */
  float *scaled;  /* D Q, N x count */
  float *inner;   /* F' D Q, d x count */
  float *turned;  /* P F' D Q */
  float *product; /* C Q, N x count */
} Operator;

static void
measure_panel (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Operator *job = data;
  const gsize first = index * PANEL, height = MIN (PANEL, job->features.rows - first);
  const gsize d = job->features.cols;
  g_autofree float *whitened = g_new (float, height *d);

  assay_linalg_product (ASSAY_NN, assay_view_rows (job->features, first, height), job->precision,
                        whitened, d);
  for (gsize i = 0; i < height; i++) {
    const double square
        = assay_dot (assay_view_row (job->features, first + i), whitened + i * d, d);

    job->scales[first + i] = square > 0 ? (float) (1 / sqrt (square)) : 0;
  }
}

static void
multiply_columns (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Operator *job = data;
  const gsize first = index * PANEL, width = MIN (PANEL, job->features.cols - first);

  assay_linalg_product (
      ASSAY_TN,
      (AssayView){ job->features.rows, width, job->features.stride, job->features.data + first },
      assay_view_of (job->scaled, job->features.rows, job->count), job->inner + first * job->count,
      job->count);
}

static void
multiply_rows (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Operator *job = data;
  const gsize first = index * PANEL, height = MIN (PANEL, job->features.rows - first);

  assay_linalg_product (ASSAY_NN, assay_view_rows (job->features, first, height),
                        assay_view_of (job->turned, job->features.cols, job->count),
                        job->product + first * job->count, job->count);
  for (gsize i = first; i < first + height; i++)
    for (gsize j = 0; j < job->count; j++)
      job->product[i * job->count + j] *= job->scales[i];
}

/* product = C Q for the vectors in the rows of @vectors (count x N). */
static void
apply (const Operator *job, const double *vectors)
{
  const gsize n = job->features.rows, d = job->features.cols;

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < job->count; j++)
      job->scaled[i * job->count + j] = (float) (job->scales[i] * vectors[j * n + i]);
  assay_parallel_for ((d + PANEL - 1) / PANEL, multiply_columns, (gpointer) job);
  assay_linalg_product_in_parallel (ASSAY_NN, job->precision,
                                    assay_view_of (job->inner, d, job->count), job->turned);
  assay_parallel_for ((n + PANEL - 1) / PANEL, multiply_rows, (gpointer) job);
}

/* Takes the vectors' leading combinations with the eigenvectors of Q' C Q, whose values are C's. */
static gboolean
rotate (const Operator *job, const double *vectors, AssayMatrix *ret_embedding, GError **error)
{
  const gsize n = job->features.rows, r = job->count, wanted = ret_embedding->cols;
  g_auto (AssayArena) arena = { 0 };
  double *product = assay_arena_alloc (&arena, n, r * sizeof (double), "embedding", error);
  double *gram = assay_arena_alloc (&arena, r * r, sizeof (double), "embedding", error);
  double *values = assay_arena_alloc (&arena, wanted, sizeof (double), "embedding", error);
  double *rotation = assay_arena_alloc (&arena, wanted, r * sizeof (double), "embedding", error);
  double *turned = assay_arena_alloc (&arena, r, wanted * sizeof (double), "embedding", error);

  if (arena.has_failed)
    return FALSE;
  for (gsize i = 0; i < n * r; i++)
    product[i] = job->product[i];
  assay_linalg_product_double (ASSAY_NN, assay_view_of_doubles (vectors, r, n),
                               assay_view_of_doubles (product, n, r), gram, r);
  if (!assay_linalg_symmetric_eigen (r, wanted, gram, values, rotation, error))
    return FALSE;
  for (gsize i = 0; i < r; i++)
    for (gsize j = 0; j < wanted; j++)
      turned[i * wanted + j] = rotation[j * r + i] * sqrt (MAX (values[j], 0));
  assay_linalg_product_double (ASSAY_TN, assay_view_of_doubles (vectors, r, n),
                               assay_view_of_doubles (turned, r, wanted), product, wanted);
  for (gsize i = 0; i < n; i++) {
    double square = 0;

    for (gsize j = 0; j < wanted; j++)
      square += product[i * wanted + j] * product[i * wanted + j];
    for (gsize j = 0; square > 0 && j < wanted; j++)
      ret_embedding->data[i * wanted + j] = (float) (product[i * wanted + j] / sqrt (square));
  }
  return TRUE;
}

AssayMatrix *
mixture_embedding (AssayView features, AssayView precision, gsize count, AssayStreamKey key,
                   guint64 start, GError **error)
{
  const gsize n = features.rows, most = MIN (n, features.cols), r = MIN (count + SPARE, most);
  AssayStream stream = assay_stream (key, start);
  g_autoptr (AssayMatrix) embedding = assay_matrix_new (n, MIN (count, most), error);
  g_auto (AssayArena) arena = { 0 };
  double *vectors = assay_arena_alloc (&arena, r, n * sizeof (double), "embedding", error);
  Operator job
      = { .features = features,
          .precision = precision,
          .count = r,
          .scales = assay_arena_alloc (&arena, n, sizeof (float), "embedding", error),
          .scaled = assay_arena_alloc (&arena, n, r * sizeof (float), "embedding", error),
          .inner
          = assay_arena_alloc (&arena, features.cols, r * sizeof (float), "embedding", error),
          .turned
          = assay_arena_alloc (&arena, features.cols, r * sizeof (float), "embedding", error),
          .product = assay_arena_alloc (&arena, n, r * sizeof (float), "embedding", error) };

  if (embedding == NULL || arena.has_failed)
    return NULL;
  assay_parallel_for ((n + PANEL - 1) / PANEL, measure_panel, &job);
  assay_stream_fast_normals (&stream, r * n, vectors);
  for (gsize step = 0; step < STEPS; step++) {
    if (!assay_linalg_orthonormalize (vectors, r, n, error))
      return assay_prefix_null (error, "embedding of mixtures: ");
    apply (&job, vectors);
    for (gsize i = 0; step + 1 < STEPS && i < n; i++)
      for (gsize j = 0; j < r; j++)
        vectors[j * n + i] = job.product[i * r + j];
  }
  return rotate (&job, vectors, embedding, error) ? g_steal_pointer (&embedding) : NULL;
}
