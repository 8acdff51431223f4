/* Ridge regression of many outputs at once. */
#include "core/learn/ridge.h"

#include <math.h>

#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/math/linalg.h"
#include "core/math/principal.h"

#define PANEL 256    /* rows */
#define BLOCK 64     /* columns of a left operand that is transposed */
#define SKETCH 32    /* combinations of outputs */
#define PENALTIES 19 /* from 1e-8 to 10 times the largest eigenvalue, half a decade apart */
#define LOWEST (-8.0)

/* Eigenvalues below this share of the largest are rounding: of float32 inputs, and of inner
 * products in float32. */
#define MIN_SHARE 1e-9
#define MIN_SHARE_OF_PRODUCTS 1e-6
/* Of a row that alone decides its own prediction, nothing is known. */
#define MIN_LEFT 1e-6

ASSAY_FREE_FUNC (AssayRidge, assay_ridge_free, assay_standard_free (self->standard),
                 g_free (self->offset), assay_matrix_free (self->weights))

/* ---- Products of a transposed left operand, by blocks of its columns ---- */

typedef struct {
  AssayView a, b;
  float *c;
} Transposed;

static void
multiply_block (gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Transposed *job = data;
  const gsize first = index * BLOCK, count = MIN (BLOCK, job->a.cols - first);

  assay_linalg_product (ASSAY_TN,
                        (AssayView){ job->a.rows, count, job->a.stride, job->a.data + first },
                        job->b, job->c + first * job->b.cols, job->b.cols);
}

/* A'B. */
static AssayMatrix *
transposed_product (AssayView a, AssayView b, GError **error)
{
  Transposed job = { .a = a, .b = b };
  AssayMatrix *product = assay_matrix_new (a.cols, b.cols, error);

  if (product == NULL)
    return NULL;
  job.c = product->data;
  assay_parallel_for (assay_pieces (a.cols, BLOCK), multiply_block, &job);
  return product;
}

static AssayMatrix *
plain_product (AssayForm form, AssayView a, AssayView b, GError **error)
{
  AssayMatrix *product = assay_matrix_new (a.rows, form == ASSAY_NT ? b.rows : b.cols, error);

  if (product != NULL)
    assay_linalg_product_in_parallel (form, a, b, product->data);
  return product;
}

/* ---- The factorization ---- */

typedef struct {
  gsize rank;
  double *values;          /* rank: e, descending */
  AssayMatrix *scores;     /* n x rank: Z */
  AssayMatrix *directions; /* rank x d: V' */
} Factors;

ASSAY_LOCAL_CLEAR (Factors, factors_clear, g_free (self->values), assay_matrix_free (self->scores),
                   assay_matrix_free (self->directions))

static gsize
rank_of (const double *values, gsize count, double share)
{
  gsize rank = 0;

  while (rank < count && values[rank] > share * values[0])
    rank++;
  return rank;
}

static gboolean
factor_columns (AssayView inputs, Factors *factors, GError **error)
{
  const gsize d = inputs.cols;
  g_autoptr (AssayPrincipal) principal = assay_principal_new (inputs, d, error);
  gsize rank;

  if (principal == NULL)
    return FALSE;
  factors->rank = rank = rank_of (principal->values, d, MIN_SHARE);
  factors->values = assay_alloc (rank, sizeof (double), "eigenvalues", error);
  factors->directions = assay_matrix_new (rank, d, error);
  if (factors->values == NULL || factors->directions == NULL)
    return FALSE;
  for (gsize j = 0; j < rank; j++)
    factors->values[j] = principal->values[j] * (double) inputs.rows;
  for (gsize i = 0; i < rank * d; i++)
    factors->directions->data[i] = (float) principal->vectors[i];
  factors->scores
      = plain_product (ASSAY_NT, inputs, assay_matrix_view (factors->directions), error);
  return factors->scores != NULL;
}

static gboolean
factor_rows (AssayView inputs, Factors *factors, GError **error)
{
  const gsize n = inputs.rows;
  g_autoptr (AssayMatrix) gram = plain_product (ASSAY_NT, inputs, inputs, error);
  g_autofree double *matrix = assay_alloc (n, n * sizeof (double), "inner products", error);
  g_autofree double *vectors = assay_alloc (n, n * sizeof (double), "eigenvectors", error);
  gsize rank;

  factors->values = assay_alloc (n, sizeof (double), "eigenvalues", error);
  if (gram == NULL || matrix == NULL || vectors == NULL || factors->values == NULL)
    return FALSE;
  for (gsize i = 0; i < n * n; i++)
    matrix[i] = (double) gram->data[i];
  if (!assay_linalg_symmetric_eigen (n, n, matrix, factors->values, vectors, error))
    return FALSE;
  /* Centred rows have one dimension less, of which float32 leaves some rounding. */
  factors->rank = rank = MIN (rank_of (factors->values, n, MIN_SHARE_OF_PRODUCTS), n - 1);
  factors->scores = assay_matrix_new (n, rank, error);
  if (factors->scores == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < rank; j++)
      factors->scores->data[i * rank + j]
          = (float) (vectors[j * n + i] * sqrt (MAX (factors->values[j], 0)));
  factors->directions = transposed_product (assay_matrix_view (factors->scores), inputs, error);
  for (gsize j = 0; factors->directions != NULL && j < rank; j++)
    for (gsize c = 0; c < inputs.cols; c++)
      assay_matrix_row (factors->directions, j)[c] /= (float) factors->values[j];
  return factors->directions != NULL;
}

/* ---- The penalty ---- */

/* Z'Y, each row divided by its e + lambda. */
static void
shrink (const Factors *factors, const AssayMatrix *products, double lambda, float *ret_shrunk)
{
  for (gsize j = 0; j < factors->rank; j++)
    for (gsize c = 0; c < products->cols; c++)
      ret_shrunk[j * products->cols + c] = (float) ((double) products->data[j * products->cols + c]
                                                    / (factors->values[j] + lambda));
}

typedef struct {
  const Factors *factors;
  AssayView outputs;
  const float *shrunk;       /* PENALTIES x rank x outputs */
  const double *reciprocals; /* PENALTIES x rank: 1 / (e + lambda) */
  double *sums;              /* panels x PENALTIES */
  float *predicted;          /* a worker: PANEL x outputs */
  double *squares;           /* a worker: rank */
} LeavingOut;

static void
leave_out_panel (gsize panel, guint worker, gpointer data)
{
  const LeavingOut *job = data;
  const gsize rank = job->factors->rank, q = job->outputs.cols;
  const gsize first = panel * PANEL, count = MIN (PANEL, job->outputs.rows - first);
  const AssayView scores = assay_view_rows (assay_matrix_view (job->factors->scores), first, count);
  float *predicted = job->predicted + worker * PANEL * q;
  double *squares = job->squares + worker * rank;
  double left[PANEL][PENALTIES];

  for (gsize i = 0; i < count; i++) {
    const float *row = assay_view_row (scores, i);

    for (gsize j = 0; j < rank; j++)
      squares[j] = (double) row[j] * (double) row[j];
    for (guint l = 0; l < PENALTIES; l++)
      left[i][l] = 1 - 1 / (double) job->outputs.rows
                   - assay_lanes_dot_double (squares, job->reciprocals + l * rank, rank);
  }
  for (guint l = 0; l < PENALTIES; l++) {
    assay_linalg_product (ASSAY_NN, scores, assay_view_of (job->shrunk + l * rank * q, rank, q),
                          predicted, q);
    for (gsize i = 0; i < count; i++)
      job->sums[panel * PENALTIES + l]
          += assay_squared_distance (assay_view_row (job->outputs, first + i), predicted + i * q, q)
             / pow (MAX (left[i][l], MIN_LEFT), 2);
  }
}

/* At most SKETCH random combinations of the outputs, whose sum of squares is as expected. */
static AssayMatrix *
combine (AssayView outputs, AssayStreamKey key, GError **error)
{
  g_autoptr (AssayMatrix) signs = NULL;
  AssayStream stream = assay_stream (key, 0);

  if (outputs.cols <= SKETCH)
    return assay_matrix_copy (outputs, error);
  signs = assay_matrix_new (outputs.cols, SKETCH, error);
  if (signs == NULL)
    return NULL;
  for (gsize i = 0; i < outputs.cols * SKETCH; i++)
    signs->data[i] = (float) ((assay_stream_u32 (&stream) & 1 ? 1 : -1) / sqrt (SKETCH));
  return plain_product (ASSAY_NN, outputs, assay_matrix_view (signs), error);
}

static double
penalty (const Factors *factors, guint index)
{
  return factors->values[0] * pow (10, LOWEST + 0.5 * index);
}

/* Finds the penalty of the least leave-one-out error of centred @outputs. */
static gboolean
choose_penalty (const Factors *factors, AssayView outputs, AssayStreamKey key, double *ret_lambda,
                double *ret_error, GError **error)
{
  const gsize panels = assay_pieces (outputs.rows, PANEL), rank = factors->rank;
  const gsize threads = assay_parallel_threads ();
  g_autoptr (AssayMatrix) seen = combine (outputs, key, error);
  g_autoptr (AssayMatrix) products = NULL;
  g_autofree float *shrunk = NULL;
  g_autofree double *reciprocals
      = assay_alloc (PENALTIES, rank * sizeof (double), "penalties", error);
  g_autofree double *sums = assay_alloc (panels, PENALTIES * sizeof (double), "errors", error);
  g_autofree double *squares = assay_alloc (threads, rank * sizeof (double), "scores", error);
  g_autofree float *predicted = NULL;
  LeavingOut job;
  guint best = 0;

  if (seen == NULL || reciprocals == NULL || sums == NULL || squares == NULL)
    return FALSE;
  products
      = transposed_product (assay_matrix_view (factors->scores), assay_matrix_view (seen), error);
  shrunk = assay_alloc (PENALTIES * rank, seen->cols * sizeof (float), "penalties", error);
  predicted = assay_alloc (threads * PANEL, seen->cols * sizeof (float), "predictions", error);
  if (products == NULL || shrunk == NULL || predicted == NULL)
    return FALSE;
  for (guint l = 0; l < PENALTIES; l++) {
    shrink (factors, products, penalty (factors, l), shrunk + l * rank * seen->cols);
    for (gsize j = 0; j < rank; j++)
      reciprocals[l * rank + j] = 1 / (factors->values[j] + penalty (factors, l));
  }
  job = (LeavingOut){ factors, assay_matrix_view (seen), shrunk, reciprocals, sums, predicted,
                      squares };
  assay_parallel_for (panels, leave_out_panel, &job);
  for (gsize p = 1; p < panels; p++)
    for (guint l = 0; l < PENALTIES; l++)
      sums[l] += sums[p * PENALTIES + l];
  for (guint l = 1; l < PENALTIES; l++)
    if (sums[l] < sums[best])
      best = l;
  *ret_lambda = penalty (factors, best);
  *ret_error = sums[best] / (double) outputs.rows;
  return TRUE;
}

/* ---- The regression ---- */

static AssayMatrix *
centre (AssayView outputs, double *ret_mean, GError **error)
{
  AssayMatrix *centred;

  if (!assay_principal_mean (outputs, ret_mean, error))
    return NULL;
  centred = assay_matrix_copy (outputs, error);
  for (gsize i = 0; centred != NULL && i < outputs.rows; i++)
    for (gsize j = 0; j < outputs.cols; j++)
      assay_matrix_row (centred, i)[j]
          = (float) ((double) assay_matrix_row (centred, i)[j] - ret_mean[j]);
  return centred;
}

/* No input varies: every prediction is the mean. */
static gboolean
learn_nothing (AssayRidge *ridge, AssayView centred, GError **error)
{
  double sum = 0;

  for (gsize i = 0; i < centred.rows; i++)
    sum += assay_squared_norm (assay_view_row (centred, i), centred.cols);
  ridge->left_out = sum / (double) centred.rows;
  ridge->weights = assay_matrix_new (ridge->standard->cols, centred.cols, error);
  return ridge->weights != NULL;
}

static gboolean
learn (AssayRidge *ridge, AssayView inputs, AssayView centred, AssayStreamKey key, GError **error)
{
  g_auto (Factors) factors = { 0 };
  g_autoptr (AssayMatrix) products = NULL;
  double lambda, trace = 0;

  ridge->is_dual = inputs.rows < inputs.cols;
  if (!(ridge->is_dual ? factor_rows : factor_columns) (inputs, &factors, error))
    return FALSE;
  if (factors.rank == 0)
    return learn_nothing (ridge, centred, error);
  if (!choose_penalty (&factors, centred, key, &lambda, &ridge->left_out, error))
    return FALSE;
  products = transposed_product (assay_matrix_view (factors.scores), centred, error);
  if (products == NULL)
    return FALSE;
  shrink (&factors, products, lambda, products->data);
  ridge->weights = transposed_product (assay_matrix_view (factors.directions),
                                       assay_matrix_view (products), error);
  for (gsize j = 0; j < factors.rank; j++)
    trace += factors.values[j];
  ridge->lambda = lambda / (trace / (double) factors.rank);
  return ridge->weights != NULL;
}

static gsize
rows_learned_from (AssayView inputs)
{
  return inputs.cols > ASSAY_RIDGE_MOST_ROWS ? MIN (inputs.rows, ASSAY_RIDGE_MOST_ROWS)
                                             : inputs.rows;
}

AssayRidge *
assay_ridge_new (AssayView inputs, AssayView outputs, AssayStreamKey key, GError **error)
{
  const gsize n = rows_learned_from (inputs);
  const AssayView used = assay_view_rows (inputs, 0, n), wanted = assay_view_rows (outputs, 0, n);
  g_autoptr (AssayRidge) ridge = g_new0 (AssayRidge, 1);
  g_autoptr (AssayMatrix) scaled = NULL;
  g_autoptr (AssayMatrix) centred = NULL;

  g_return_val_if_fail (inputs.rows == outputs.rows && inputs.rows >= 2, NULL);
  if (!assay_view_check_finite (used, "inputs", error)
      || !assay_view_check_finite (wanted, "outputs", error))
    return NULL;
  ridge->outputs = outputs.cols;
  ridge->standard = assay_standard_new (used, error);
  ridge->offset = assay_alloc (outputs.cols, sizeof (double), "means", error);
  if (ridge->standard == NULL || ridge->offset == NULL)
    return NULL;
  scaled = assay_standard_apply (ridge->standard, used, error);
  centred = centre (wanted, ridge->offset, error);
  if (scaled == NULL || centred == NULL
      || !learn (ridge, assay_matrix_view (scaled), assay_matrix_view (centred), key, error))
    return NULL;
  return g_steal_pointer (&ridge);
}

AssayMatrix *
assay_ridge_predict (const AssayRidge *ridge, AssayView inputs, GError **error)
{
  g_autoptr (AssayMatrix) scaled = assay_standard_apply (ridge->standard, inputs, error);
  AssayMatrix *predicted = scaled != NULL
                               ? plain_product (ASSAY_NN, assay_matrix_view (scaled),
                                                assay_matrix_view (ridge->weights), error)
                               : NULL;

  for (gsize i = 0; predicted != NULL && i < predicted->rows; i++)
    for (gsize j = 0; j < ridge->outputs; j++)
      assay_matrix_row (predicted, i)[j]
          = (float) ((double) assay_matrix_row (predicted, i)[j] + ridge->offset[j]);
  return predicted;
}
