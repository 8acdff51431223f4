/* Mean and covariance of mixtures of k images from one set, and of their squares.
 *
 * With the mean image m and c = x - m, a mixture is z = m + u, u = sum_j l_j c_j, as shares sum to
 * 1; c_j are independent with mean 0, and E over mixtures factors into expected power sums of the
 * shares, p2 = E sum l^2, p3, p4, and p22 = E (sum l^2)^2, and moments of the set,
 *   G_ab = E c_a c_b,   T_ab = E c_a^2 c_b,   Q_ab = E c_a^2 c_b^2,   v_a = G_aa:
 *   E z = m,                 Cov z = p2 G,
 *   E z_a^2 = m_a^2 + p2 v_a,
 *   Cov (z_a^2, z_b^2) = 4 p2 m_a m_b G_ab + 2 p3 (m_a T_ba + m_b T_ab) + p4 (Q_ab - v_a v_b)
 *                        + 2 (p22 - p4) G_ab^2 + (p22 - p2^2) v_a v_b.
 * The last term is what mixtures of even shares and of uneven ones differ by. Images may be drawn
 * twice in this; of sets of hundreds that is rare. */
#include "attacks/whitened/whitening.h"

#include <math.h>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/math/linalg.h"

#define DRAWS 20000
#define BLOCK 128 /* columns, or rows, of one piece of work */

/* ---- Shares ---- */

void
whitening_draw_shares (const WhiteningShares *shares, AssayStream *stream, double *ret_shares)
{
  double largest;

  g_return_if_fail (shares->k >= 2 && shares->k <= WHITENING_MAX_IMAGES
                    && shares->max_coefficient * (double) shares->k > 1);
  do {
    double sum = 0;

    largest = 0;
    for (gsize j = 0; j < shares->k; j++) {
      ret_shares[j] = assay_stream_uniform (stream);
      sum += ret_shares[j];
      largest = MAX (largest, ret_shares[j]);
    }
    for (gsize j = 0; j < shares->k; j++)
      ret_shares[j] /= sum;
    largest /= sum;
  } while (!(largest <= shares->max_coefficient));
}

WhiteningMoments
whitening_moments (const WhiteningShares *shares)
{
  AssayStream stream = assay_stream (assay_stream_key (0, 0, "whitening-shares", ""), 0);
  WhiteningMoments sum = { 0 };
  double drawn[WHITENING_MAX_IMAGES];

  for (gsize i = 0; i < DRAWS; i++) {
    double second = 0;

    whitening_draw_shares (shares, &stream, drawn);
    for (gsize j = 0; j < shares->k; j++) {
      const double square = drawn[j] * drawn[j];

      second += square;
      sum.third += square * drawn[j] / DRAWS;
      sum.fourth += square * square / DRAWS;
    }
    sum.second += second / DRAWS;
    sum.second_squared += second * second / DRAWS;
  }
  return sum;
}

/* ---- Moments of the set ---- */

ASSAY_CLEAR_FUNC (Whitening, whitening_clear, assay_drop (self->image, g_free),
                  assay_drop (self->mean, g_free), assay_drop (self->covariance, g_free))

typedef struct {
  const WhiteningMoments *moments;
  Whitening *whitening;
  const AssayMatrix *centred; /* c, M x d */
  const AssayMatrix *squares; /* c o c; NULL: plain */
  double *variance;           /* v */
  float *panels;              /* 4 x BLOCK x d a worker */
} Learning;

/* Mean image, and variance of every pixel. */
static gboolean
learn_pixels (AssayView images, Learning *job, GError **error)
{
  const double n = (double) images.rows;
  double total = 0;

  for (gsize i = 0; i < images.rows; i++)
    for (gsize a = 0; a < images.cols; a++)
      job->whitening->image[a] += assay_view_row (images, i)[a] / n;
  for (gsize i = 0; i < images.rows; i++)
    for (gsize a = 0; a < images.cols; a++) {
      const double c = assay_view_row (images, i)[a] - job->whitening->image[a];

      job->variance[a] += c * c / n;
      total += c * c / n;
    }
  if (total > 0)
    return TRUE;
  return assay_fail (error, ASSAY_ERROR_NUMERIC,
                     "the %zu public images are all alike; expected several, from which to learn "
                     "how their mixtures vary",
                     images.rows);
}

static AssayMatrix *
centre (AssayView images, const double *mean, gboolean is_squared, GError **error)
{
  AssayMatrix *rows = assay_matrix_new (images.rows, images.cols, error);

  for (gsize i = 0; rows != NULL && i < images.rows; i++)
    for (gsize a = 0; a < images.cols; a++) {
      const double c = assay_view_row (images, i)[a] - mean[a];

      assay_matrix_row (rows, i)[a] = (float) (is_squared ? c * c : c);
    }
  return rows;
}

/* sum_i left_ia right_ib of the columns a in [first, first + count) and b < width. */
static void
multiply (const AssayMatrix *left, const AssayMatrix *right, gsize first, gsize count, gsize width,
          float *ret_products)
{
  assay_linalg_product (ASSAY_TN, (AssayView){ left->rows, count, left->cols, left->data + first },
                        (AssayView){ right->rows, width, right->cols, right->data }, ret_products,
                        right->cols);
}

/* Rows a of a block up to the diagonal's end. */
static void
learn_block (gsize index, guint worker, gpointer data)
{
  const Learning *job = data;
  const Whitening *whitening = job->whitening;
  const WhiteningMoments *p = job->moments;
  const gsize cols = whitening->cols, first = index * BLOCK, count = MIN (BLOCK, cols - first);
  const gsize width = first + count;
  float *g = job->panels + worker * 4 * BLOCK * cols, *t = g + BLOCK * cols, *s = t + BLOCK * cols;
  float *q = s + BLOCK * cols;
  const double n = (double) job->centred->rows;

  multiply (job->centred, job->centred, first, count, width, g);
  if (job->squares != NULL) {
    multiply (job->squares, job->centred, first, count, width, t);
    multiply (job->centred, job->squares, first, count, width, s);
    multiply (job->squares, job->squares, first, count, width, q);
  }
  for (gsize i = 0; i < count; i++)
    for (gsize b = 0; b < width; b++) {
      const gsize a = first + i, at = i * cols + b;
      const double m_a = whitening->image[a], m_b = whitening->image[b], g_ab = g[at] / n;
      const double v_ab = job->variance[a] * job->variance[b];

      whitening->covariance[a * cols + b]
          = job->squares == NULL
                ? p->second * g_ab
                : 4 * p->second * m_a * m_b * g_ab + 2 * p->third * (m_a * s[at] + m_b * t[at]) / n
                      + p->fourth * (q[at] / n - v_ab)
                      + 2 * (p->second_squared - p->fourth) * g_ab * g_ab
                      + (p->second_squared - p->second * p->second) * v_ab;
    }
}

gboolean
whitening_learn (AssayView images, WhiteningForm form, const WhiteningMoments *moments,
                 Whitening *ret_whitening, GError **error)
{
  const gsize cols = images.cols;
  g_auto (Whitening) whitening = { .form = form, .cols = cols };
  g_autofree double *variance = assay_alloc (cols, sizeof (double), "covariance", error);
  g_autofree float *panels = assay_alloc (assay_parallel_threads () * 4 * BLOCK,
                                          cols * sizeof (float), "covariance", error);
  g_autoptr (AssayMatrix) centred = NULL, squares = NULL;
  Learning job = { .moments = moments, .whitening = &whitening, .variance = variance };

  whitening.image = assay_alloc (cols, sizeof (double), "mean image", error);
  whitening.mean = assay_alloc (cols, sizeof (double), "mean image", error);
  whitening.covariance = assay_alloc (cols, cols * sizeof (double), "covariance", error);
  if (variance == NULL || panels == NULL || whitening.image == NULL || whitening.mean == NULL
      || whitening.covariance == NULL || !learn_pixels (images, &job, error))
    return FALSE;
  centred = centre (images, whitening.image, FALSE, error);
  if (form == WHITENING_SQUARED)
    squares = centre (images, whitening.image, TRUE, error);
  if (centred == NULL || (form == WHITENING_SQUARED && squares == NULL))
    return FALSE;
  job.centred = centred;
  job.squares = squares;
  job.panels = panels;
  assay_parallel_for ((cols + BLOCK - 1) / BLOCK, learn_block, &job);
  for (gsize a = 0; a < cols; a++) {
    const double m = whitening.image[a];

    whitening.mean[a] = form == WHITENING_PLAIN ? m : m * m + moments->second * variance[a];
    for (gsize b = a + 1; b < cols; b++)
      whitening.covariance[a * cols + b] = whitening.covariance[b * cols + a];
  }
  *ret_whitening = whitening;
  whitening = (Whitening){ 0 };
  return TRUE;
}

/* (z + e)^2 has the mean E z^2 + s^2, and 4 s^2 E z^2 + 2 s^4 more variance. */
void
whitening_add_noise (Whitening *whitening, double variance)
{
  g_return_if_fail (whitening->form == WHITENING_SQUARED);
  for (gsize a = 0; a < whitening->cols; a++) {
    whitening->covariance[a * whitening->cols + a]
        += 4 * variance * whitening->mean[a] + 2 * variance * variance;
    whitening->mean[a] += variance;
  }
}

/* ---- Use ---- */

AssayMatrix *
whitening_features (const Whitening *whitening, AssayView mixtures, GError **error)
{
  AssayMatrix *features = assay_matrix_new (mixtures.rows, mixtures.cols, error);

  g_return_val_if_fail (mixtures.cols == whitening->cols, NULL);
  for (gsize i = 0; features != NULL && i < mixtures.rows; i++)
    for (gsize a = 0; a < mixtures.cols; a++) {
      const double z = assay_view_row (mixtures, i)[a];

      assay_matrix_row (features, i)[a]
          = (float) ((whitening->form == WHITENING_PLAIN ? z : z * z) - whitening->mean[a]);
    }
  return features;
}

double
whitening_mean_variance (const Whitening *whitening)
{
  double sum = 0;

  for (gsize a = 0; a < whitening->cols; a++)
    sum += whitening->covariance[a * whitening->cols + a];
  return sum / (double) whitening->cols;
}

gboolean
whitening_inverse (const Whitening *whitening, double ridge, float *ret_inverse, GError **error)
{
  const gsize cols = whitening->cols;
  const double scale = whitening_mean_variance (whitening);
  g_autofree double *matrix = assay_alloc (cols, cols * sizeof (double), "covariance", error);

  if (matrix == NULL)
    return FALSE;
  for (gsize i = 0; i < cols * cols; i++)
    matrix[i] = whitening->covariance[i] / scale;
  for (gsize a = 0; a < cols; a++)
    matrix[a * cols + a] += ridge;
  if (!assay_linalg_invert_spd (cols, matrix, error))
    return assay_prefix (
        error,
        "covariance of mixtures of %zu numbers, ridge = %g (a larger one is needed for "
        "fewer public images): ",
        cols, ridge);
  for (gsize i = 0; i < cols * cols; i++)
    ret_inverse[i] = (float) (matrix[i] / scale);
  return TRUE;
}

AssayMatrix *
whitening_directions (const Whitening *whitening, gsize count, double ridge, GError **error)
{
  const gsize cols = whitening->cols;
  const double floor = ridge * whitening_mean_variance (whitening);
  g_autofree double *values = assay_alloc (count, sizeof (double), "components", error);
  g_autofree double *vectors = assay_alloc (count, cols * sizeof (double), "components", error);
  g_autoptr (AssayMatrix) directions = assay_matrix_new (count, cols, error);

  g_return_val_if_fail (count >= 1 && count <= cols, NULL);
  if (values == NULL || vectors == NULL || directions == NULL
      || !assay_linalg_symmetric_eigen (cols, count, whitening->covariance, values, vectors, error))
    return NULL;
  for (gsize i = 0; i < count; i++) {
    /* Fewer images than components: what is left of the variance is rounding. */
    if (!(values[i] > 1e-7 * values[0]))
      return assay_fail_null (
          error, ASSAY_ERROR_NUMERIC,
          "component %zu of the covariance has the variance %g of the first one's %g; "
          "expected at most %zu components, as there are too few public images for more",
          i + 1, values[i], values[0], i);
    for (gsize a = 0; a < cols; a++)
      assay_matrix_row (directions, i)[a]
          = (float) (vectors[i * cols + a] / sqrt (values[i] + floor));
  }
  return g_steal_pointer (&directions);
}

AssayMatrix *
whitening_project (AssayView rows, AssayView directions, GError **error)
{
  AssayMatrix *projected = assay_matrix_new (rows.rows, directions.rows, error);

  if (projected != NULL)
    assay_linalg_product_in_parallel (ASSAY_NT, rows, directions, projected->data);
  return projected;
}
