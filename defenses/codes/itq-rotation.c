/* The iteration of ITQ and PITQ. */
#include "defenses/codes/itq-rotation.h"

#include <math.h>

#include "core/base/error.h"
#include "core/base/interrupt.h"
#include "core/base/parallel.h"
#include "core/math/linalg.h"
#include "defenses/codes/random-flipping.h"

#define PANEL (gsize) 256      /* rows that are multiplied at once */
#define MOST_SLICES (gsize) 32 /* sums of their own, added in order */

/* Relative falls of the loss that count as none: products are float32, of precision 6e-8, and what
 * falls by less may as well be falling by rounding. */
#define LEAST_FALL 1e-7

/* ---- One pass over the rows ---- */

typedef struct {
  AssayView projected; /* V */
  const ItqSettings *settings;
  gsize iteration;
  gboolean is_last;      /* only the loss is wanted */
  const float *rotation; /* R, c x c */
  gsize slice_rows;
  float *scratch;   /* a worker: V R and signs, PANEL x c each; a panel's U'V, c x c */
  double *products; /* a slice: U'V, c x c */
  double *losses;   /* a slice */
} Pass;

static gsize
scratch_numbers (gsize bits)
{
  return 2 * PANEL * bits + bits * bits;
}

/* Signs of @rotated (+1 above 0, as a bit is set, and -1), and their squared distance from it. */
static double
quantise (const float *rotated, gsize count, float *ret_signs)
{
  double loss = 0;

  for (gsize i = 0; i < count; i++) {
    const double off = fabs ((double) rotated[i]) - 1;

    ret_signs[i] = rotated[i] > 0 ? 1 : -1;
    loss += off * off;
  }
  return loss;
}

static void
flip (const Pass *pass, gsize first, gsize count, float *inout_signs)
{
  const gsize bits = pass->projected.cols;

  for (gsize i = 0; i < count; i++) {
    AssayStream stream
        = assay_stream (pass->settings->flips, pass->iteration * pass->projected.rows + first + i);

    random_flipping_signs (pass->settings->beta, &stream, bits, inout_signs + i * bits);
  }
}

static void
work_slice (gsize slice, guint worker, gpointer data)
{
  const Pass *pass = data;
  const gsize bits = pass->projected.cols;
  const gsize end = MIN ((slice + 1) * pass->slice_rows, pass->projected.rows);
  float *rotated = pass->scratch + worker * scratch_numbers (bits);
  float *signs = rotated + PANEL * bits, *panel_products = signs + PANEL * bits;
  double *products = pass->products + slice * bits * bits;
  double loss = 0;

  for (gsize first = slice * pass->slice_rows; first < end; first += PANEL) {
    const gsize n = MIN (PANEL, end - first);
    const float *rows = assay_view_row (pass->projected, first);

    assay_linalg_product (ASSAY_NN, (AssayView){ n, bits, pass->projected.stride, rows },
                          assay_view_of (pass->rotation, bits, bits), rotated, bits);
    loss += quantise (rotated, n * bits, signs);
    if (pass->is_last)
      continue;
    if (pass->settings->beta > 0)
      flip (pass, first, n, signs);
    assay_linalg_product (ASSAY_TN, assay_view_of (signs, n, bits),
                          (AssayView){ n, bits, pass->projected.stride, rows }, panel_products,
                          bits);
    for (gsize j = 0; j < bits * bits; j++)
      products[j] = (first == slice * pass->slice_rows ? 0 : products[j]) + panel_products[j];
  }
  pass->losses[slice] = loss;
}

/* ---- The iteration ---- */

/* A random orthonormal matrix: Gaussian rows, orthonormalised. */
static gboolean
draw_rotation (AssayStreamKey key, gsize bits, double *ret_rotation, GError **error)
{
  AssayStream stream = assay_stream (key, 0);

  assay_stream_fast_normals (&stream, bits * bits, ret_rotation);
  return assay_linalg_orthonormalize (ret_rotation, bits, bits, error);
}

/* R = M N' of N O M' = U'V, the transposed product of N and M'. */
static gboolean
solve_procrustes (gsize bits, const double *products, double *ret_rotation, GError **error)
{
  const gsize square = bits * bits;
  g_autofree double *block = assay_alloc (3 * square + bits, sizeof (double), "rotation", error);
  double *n, *mt, *product;

  if (block == NULL)
    return FALSE;
  n = block;
  mt = n + square;
  product = mt + square;
  if (!assay_linalg_svd (bits, bits, products, &(AssaySvd){ n, product + square, mt }, error))
    return FALSE;
  assay_linalg_product_double (ASSAY_NN, assay_view_of_doubles (n, bits, bits),
                               assay_view_of_doubles (mt, bits, bits), product, bits);
  for (gsize i = 0; i < bits; i++)
    for (gsize j = 0; j < bits; j++)
      ret_rotation[i * bits + j] = product[j * bits + i];
  return TRUE;
}

/* Runs a pass and adds up its slices, the products in those of the first. */
static double
run_pass (Pass *pass, gsize slices)
{
  const gsize square = pass->projected.cols * pass->projected.cols;
  double loss = 0;

  assay_parallel_for (slices, work_slice, pass);
  for (gsize s = 0; s < slices; s++)
    loss += pass->losses[s];
  for (gsize s = 1; s < slices && !pass->is_last; s++)
    for (gsize j = 0; j < square; j++)
      pass->products[j] += pass->products[s * square + j];
  return loss;
}

static gboolean
iterate (Pass *pass, gsize slices, double *rotation, ItqRotation *ret, GError **error)
{
  const ItqSettings *settings = pass->settings;
  const gsize bits = pass->projected.cols;

  for (gsize t = 0;; t++) {
    for (gsize j = 0; j < bits * bits; j++)
      ret->rotation->data[j] = (float) rotation[j];
    pass->iteration = t;
    pass->is_last = t == settings->iterations;
    ret->losses[t] = run_pass (pass, slices);
    ret->n_iterations = t;
    if (pass->is_last) {
      ret->end = ITQ_ITERATIONS;
      return TRUE;
    }
    if (settings->beta == 0 && t > 0 && ret->losses[t] >= (1 - LEAST_FALL) * ret->losses[t - 1]) {
      ret->end = ITQ_CONVERGED;
      return TRUE;
    }
    if (!assay_interrupt_goes_on (error)
        || !solve_procrustes (bits, pass->products, rotation, error))
      return FALSE;
  }
}

ItqRotation *
itq_rotation_new (AssayView projected, const ItqSettings *settings, GError **error)
{
  const gsize bits = projected.cols, panels = (projected.rows + PANEL - 1) / PANEL;
  const gsize slices = MIN (panels, MOST_SLICES);
  g_autoptr (ItqRotation) result = g_new0 (ItqRotation, 1);
  g_autofree double *rotation = assay_alloc (bits, bits * sizeof (double), "rotation", error);
  g_autofree double *products
      = assay_alloc (slices, bits * bits * sizeof (double), "rotation", error);
  g_autofree double *losses = assay_alloc (slices, sizeof (double), "rotation", error);
  g_autofree float *scratch = assay_alloc (
      assay_parallel_threads (), scratch_numbers (bits) * sizeof (float), "rotation", error);
  Pass pass = { .projected = projected, .settings = settings };

  g_return_val_if_fail (projected.rows >= 1 && bits >= 1, NULL);
  if (!random_flipping_check (settings->beta, error))
    return NULL;
  result->rotation = assay_matrix_new (bits, bits, error);
  result->losses = assay_alloc (settings->iterations + 1, sizeof (double), "losses", error);
  if (rotation == NULL || products == NULL || losses == NULL || scratch == NULL
      || result->rotation == NULL || result->losses == NULL
      || !draw_rotation (settings->start, bits, rotation, error))
    return NULL;
  pass.slice_rows = (panels + slices - 1) / slices * PANEL;
  pass.rotation = result->rotation->data;
  pass.scratch = scratch;
  pass.products = products;
  pass.losses = losses;
  if (!iterate (&pass, (projected.rows + pass.slice_rows - 1) / pass.slice_rows, rotation, result,
                error))
    return NULL;
  return g_steal_pointer (&result);
}

ASSAY_FREE_FUNC (ItqRotation, itq_rotation_free, assay_matrix_free (self->rotation),
                 g_free (self->losses))

/* ---- From rows ---- */

ItqEmbedding *
itq_embedding_new (AssayView rows, gsize bits, GError **error)
{
  g_autoptr (ItqEmbedding) embedding = g_new0 (ItqEmbedding, 1);

  embedding->principal = assay_principal_new (rows, bits, error);
  if (embedding->principal == NULL)
    return NULL;
  embedding->projected = assay_principal_project (embedding->principal, rows, error);
  return embedding->projected != NULL ? g_steal_pointer (&embedding) : NULL;
}

ASSAY_FREE_FUNC (ItqEmbedding, itq_embedding_free, assay_principal_free (self->principal),
                 assay_matrix_free (self->projected))

gboolean
pitq_run (const ItqEmbedding *embedding, const ItqSettings *settings, float *ret_signs,
          float *ret_rotation, GError **error)
{
  const AssayView v = assay_matrix_view (embedding->projected);
  g_autoptr (ItqRotation) rotation = itq_rotation_new (v, settings, error);

  if (rotation == NULL)
    return FALSE;
  if (ret_signs != NULL) {
    assay_linalg_product (ASSAY_NN, v, assay_view_of (rotation->rotation->data, v.cols, v.cols),
                          ret_signs, v.cols);
    for (gsize i = 0; i < v.rows * v.cols; i++)
      ret_signs[i] = ret_signs[i] > 0 ? 1 : -1;
  }
  for (gsize j = 0; ret_rotation != NULL && j < v.cols * v.cols; j++)
    ret_rotation[j] = rotation->rotation->data[j];
  return TRUE;
}

/* (W R)' = R'W'. */
static AssayHashFunction *
assemble (const AssayPrincipal *principal, const ItqRotation *rotation, GError **error)
{
  const gsize bits = principal->count, cols = principal->cols;
  g_autoptr (AssayHashFunction) function
      = assay_hash_function_linear (principal->mean, cols, bits, error);
  g_autoptr (AssayMatrix) basis = function != NULL ? assay_matrix_new (bits, cols, error) : NULL;

  if (basis == NULL)
    return NULL;
  for (gsize j = 0; j < bits * cols; j++)
    basis->data[j] = (float) principal->vectors[j];
  assay_linalg_product (ASSAY_TN, assay_view_of (rotation->rotation->data, bits, bits),
                        assay_view_of (basis->data, bits, cols), function->projection->data, cols);
  return g_steal_pointer (&function);
}

AssayHashFunction *
itq_function_new (AssayView rows, gsize bits, const ItqSettings *settings,
                  ItqRotation **ret_rotation, GError **error)
{
  const gsize most = rows.rows > 0 ? MIN (rows.rows - 1, rows.cols) : 0;
  g_autoptr (ItqEmbedding) embedding = NULL;
  g_autoptr (ItqRotation) rotation = NULL;
  AssayHashFunction *function;

  if (bits > most)
    return assay_fail_null (
        error, ASSAY_ERROR_MISMATCH,
        "bits = %zu: %zu training rows of %zu numbers have at most %zu principal "
        "components",
        bits, rows.rows, rows.cols, most);
  embedding = itq_embedding_new (rows, bits, error);
  if (embedding == NULL)
    return NULL;
  if (embedding->principal->rank < bits)
    return assay_fail_null (
        error, ASSAY_ERROR_DATA,
        "bits = %zu: the %zu training rows vary in %zu directions only; expected one for "
        "each bit (are features constant, or rows duplicates?)",
        bits, rows.rows, embedding->principal->rank);
  rotation = itq_rotation_new (assay_matrix_view (embedding->projected), settings, error);
  if (rotation == NULL)
    return NULL;
  function = assemble (embedding->principal, rotation, error);
  if (function != NULL && ret_rotation != NULL)
    *ret_rotation = g_steal_pointer (&rotation);
  return function;
}

guint64
itq_memory (gsize rows, gsize cols, gsize bits)
{
  const guint64 square = (guint64) bits * bits;

  return assay_principal_memory (cols, bits) + (guint64) rows * bits * sizeof (float)
         + (MOST_SLICES + 4) * square * sizeof (double)
         + (guint64) assay_parallel_threads () * (scratch_numbers (bits) + PANEL * 2 * cols)
               * sizeof (float);
}
