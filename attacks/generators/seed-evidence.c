#include "attacks/generators/seed-evidence.h"

#include <math.h>
#include <string.h>

#include "core/data/codes.h"
#include "core/math/linalg.h"

#define MOST_COLS 2048 /* of a covariance; beyond, each column stands for itself */
#define ROUNDS 8       /* of the noise's scale */
#define RIDGE 1e-4     /* of the mean variance */
#define OUTLIER 5.0    /* root mean squares beyond which a weight counts no more */

void
seed_evidence_clear (SeedEvidence *evidence)
{
  for (gsize s = 0; s < SEED_EVIDENCE_SETS; s++)
    g_clear_pointer (&evidence->weights[s], g_free);
  g_clear_pointer (&evidence->inverse, assay_matrix_free);
}

static AssayMatrix *
bits_of (const AssayRelease *release, GError **error)
{
  const AssayArray *codes = assay_arrays_get (&release->arrays, "codes");
  AssayMatrix *rows = assay_matrix_new (codes->shape[0], release->bits, error);

  for (gsize i = 0; rows != NULL && i < rows->rows; i++)
    for (gsize j = 0; j < rows->cols; j++)
      assay_matrix_row (rows, i)[j]
          = assay_code_bit (codes->data + i * codes->shape[1], j) ? 1 : -1;
  return rows;
}

AssayMatrix *
seed_release_rows (const AssayRelease *release, GError **error)
{
  if (release->kind == ASSAY_RELEASE_CODES)
    return bits_of (release, error);
  return assay_matrix_copy (
      assay_array_view (assay_arrays_get (
          &release->arrays, release->kind == ASSAY_RELEASE_VECTORS ? "vectors" : "images")),
      error);
}

/* ---- Rows that are alike ---- */

/* Takes from @rows the mean of each column, which it returns. */
static void
centre (AssayMatrix *rows, double *ret_mean)
{
  for (gsize j = 0; j < rows->cols; j++)
    ret_mean[j] = 0;
  for (gsize i = 0; i < rows->rows; i++)
    for (gsize j = 0; j < rows->cols; j++)
      ret_mean[j] += (double) assay_matrix_row (rows, i)[j] / (double) rows->rows;
  for (gsize i = 0; i < rows->rows; i++)
    for (gsize j = 0; j < rows->cols; j++)
      assay_matrix_row (rows, i)[j] -= (float) ret_mean[j];
}

/* (C + ridge I)^-1 for the covariance C of centred @rows; NULL with an error. */
static AssayMatrix *
inverse_covariance (const AssayMatrix *rows, GError **error)
{
  const gsize d = rows->cols;
  g_autoptr (AssayMatrix) products = assay_matrix_new (d, d, error);
  g_autofree double *matrix = assay_alloc (d, d * sizeof (double), "covariance", error);
  g_autofree double *inverse = assay_alloc (d, d * sizeof (double), "covariance", error);
  double trace = 0;

  if (products == NULL || matrix == NULL || inverse == NULL)
    return NULL;
  assay_linalg_product (ASSAY_TN, assay_matrix_view (rows), assay_matrix_view (rows),
                        products->data, d);
  for (gsize i = 0; i < d * d; i++)
    matrix[i] = (double) products->data[i] / (double) rows->rows;
  for (gsize j = 0; j < d; j++)
    trace += matrix[j * d + j];
  for (gsize j = 0; j < d; j++) {
    matrix[j * d + j] += trace > 0 ? RIDGE * trace / (double) d : 1;
    inverse[j * d + j] = 1;
  }
  if (!assay_linalg_solve_spd (d, d, matrix, inverse, error))
    return assay_prefix_null (error, "covariance of the release: ");
  for (gsize i = 0; i < d * d; i++)
    products->data[i] = (float) inverse[i];
  return g_steal_pointer (&products);
}

/* The weights of vectors, and of codes, of the first @n rows. */
static gboolean
weigh_rows (const AssayRelease *release, AssayMatrix *rows, gsize n, SeedEvidence *evidence,
            GError **error)
{
  const gsize d = rows->cols;
  const gboolean is_code = release->kind == ASSAY_RELEASE_CODES;
  g_autofree double *mean = assay_alloc (d, sizeof (double), "mean", error);
  float *weights = evidence->weights[0];

  if (mean == NULL)
    return FALSE;
  centre (rows, mean);
  if (d <= MOST_COLS) {
    evidence->inverse = inverse_covariance (rows, error);
    if (evidence->inverse == NULL)
      return FALSE;
    assay_linalg_product_in_parallel (ASSAY_NN, assay_view_rows (assay_matrix_view (rows), 0, n),
                                      assay_matrix_view (evidence->inverse), weights);
  } else
    memcpy (weights, rows->data, n * d * sizeof (float));
  for (gsize i = 0; is_code && i < n; i++)
    for (gsize j = 0; j < d; j++) {
      const double bit = (double) assay_matrix_row (rows, i)[j] + mean[j];
      const double own
          = evidence->inverse != NULL ? (double) assay_matrix_row (evidence->inverse, j)[j] : 1;
      const double unexplained = evidence->inverse != NULL ? (double) weights[i * d + j] / own
                                                           : (double) assay_matrix_row (rows, i)[j];

      weights[i * d + j] = (float) (-bit * (bit - unexplained));
    }
  return TRUE;
}

/* ---- Neighbouring pixels ---- */

static gboolean
weigh_neighbours (const AssayRelease *release, const AssayMatrix *rows, gsize n,
                  SeedEvidence *evidence, GError **error)
{
  const AssayGeometry *geometry = &release->geometry;
  const gsize d = rows->cols, step = MAX (geometry->channels, 1);
  const gsize line = geometry->width > 0 ? geometry->width * step : d;

  evidence->n_sets = line < d ? 2 : 1;
  evidence->steps[0] = step;
  evidence->steps[1] = line;
  if (evidence->n_sets == 2) {
    evidence->weights[1] = assay_alloc (n, d * sizeof (float), "neighbours", error);
    if (evidence->weights[1] == NULL)
      return FALSE;
  }
  for (gsize i = 0; i < n; i++) {
    const float *row = rows->data + i * d;

    for (gsize j = 0; j + step < d; j++)
      if (j % line + step < line)
        evidence->weights[0][i * d + j] = row[j] * row[j + step];
    for (gsize j = 0; evidence->n_sets == 2 && j + line < d; j++)
      evidence->weights[1][i * d + j] = row[j] * row[j + line];
  }
  return TRUE;
}

/* ---- All of it ---- */

/* Few large weights would make a sum that is not normal. */
static void
limit_weights (SeedEvidence *evidence)
{
  double squares = 0;
  float most;

  for (gsize s = 0; s < evidence->n_sets; s++)
    for (gsize i = 0; i < evidence->count; i++)
      squares += (double) evidence->weights[s][i] * (double) evidence->weights[s][i];
  most = (float) (OUTLIER * sqrt (squares / (double) (evidence->n_sets * evidence->count)));
  squares = 0;
  for (gsize s = 0; s < evidence->n_sets; s++)
    for (gsize i = 0; i < evidence->count; i++) {
      float *weight = evidence->weights[s] + i;

      *weight = CLAMP (*weight, -most, most);
      squares += (double) *weight * (double) *weight;
    }
  evidence->norm = sqrt (squares);
}

gboolean
seed_evidence_find (const AssayRelease *release, gsize numbers, SeedEvidence *ret_evidence,
                    GError **error)
{
  g_autoptr (AssayMatrix) rows = seed_release_rows (release, error);
  gsize n;

  *ret_evidence = (SeedEvidence){ .n_sets = 1 };
  if (rows == NULL)
    return FALSE;
  n = MIN (rows->rows, (numbers + rows->cols - 1) / rows->cols);
  ret_evidence->count = n * rows->cols;
  ret_evidence->weights[0] = assay_alloc (n, rows->cols * sizeof (float), "evidence", error);
  if (ret_evidence->weights[0] == NULL
      || !(release->kind == ASSAY_RELEASE_MIXTURES
               ? weigh_neighbours (release, rows, n, ret_evidence, error)
               : weigh_rows (release, rows, n, ret_evidence, error))) {
    seed_evidence_clear (ret_evidence);
    return FALSE;
  }
  limit_weights (ret_evidence);
  return TRUE;
}

double
seed_evidence_score (const SeedEvidence *evidence, const double *g, gsize count, double variance)
{
  double sum = 0, squares = 0;

  for (gsize s = 0; s < evidence->n_sets; s++) {
    const float *weights = evidence->weights[s];
    const gsize step = evidence->steps[s];
    const gsize end = count > step ? count - step : 0;

    for (gsize i = 0; i < end; i++)
      sum += (double) weights[i] * (step > 0 ? g[i] * g[i + step] : g[i]);
    for (gsize i = 0; i < end && count < evidence->count; i++)
      squares += (double) weights[i] * (double) weights[i];
  }
  squares = count < evidence->count ? squares : evidence->norm * evidence->norm;
  return squares > 0 ? sum / sqrt (squares * variance) : 0;
}

/* ---- How much of it is there ---- */

/* What of @noise is in @rows by generalised least squares, <P g, x> / <P g, g> of centred x and g,
 * for P the inverse covariance of @clean rows (NULL: the identity). */
static gboolean
noise_in (const AssayMatrix *clean, const AssayMatrix *rows, const AssayMatrix *noise,
          double *ret_scale, GError **error)
{
  const gsize n = rows->rows, d = rows->cols;
  g_autoptr (AssayMatrix) inverse = NULL;
  g_autofree float *scored = assay_alloc (n, d * sizeof (float), "noise", error);
  double with_rows = 0, with_noise = 0;

  if (clean != NULL && scored != NULL)
    inverse = inverse_covariance (clean, error);
  if (scored == NULL || (clean != NULL && inverse == NULL))
    return FALSE;
  if (inverse != NULL)
    assay_linalg_product_in_parallel (ASSAY_NN, assay_matrix_view (noise),
                                      assay_matrix_view (inverse), scored);
  else
    memcpy (scored, noise->data, n * d * sizeof (float));
  for (gsize i = 0; i < n * d; i++) {
    with_rows += (double) scored[i] * (double) rows->data[i];
    with_noise += (double) scored[i] * (double) noise->data[i];
  }
  *ret_scale = with_noise > 0 ? with_rows / with_noise : 0;
  return TRUE;
}

gboolean
seed_noise_scale (const AssayMatrix *rows, const AssayMatrix *noise, double *ret_scale,
                  GError **error)
{
  g_autoptr (AssayMatrix) centred = assay_matrix_copy (assay_matrix_view (rows), error);
  g_autoptr (AssayMatrix) shaken = assay_matrix_copy (assay_matrix_view (noise), error);
  g_autoptr (AssayMatrix) clean = NULL;
  g_autofree double *means = assay_alloc (rows->cols, sizeof (double), "means", error);
  const gsize rounds = rows->cols <= MOST_COLS ? ROUNDS : 0;

  if (centred == NULL || shaken == NULL || means == NULL)
    return FALSE;
  centre (centred, means);
  centre (shaken, means);
  clean = assay_matrix_copy (assay_matrix_view (centred), error);
  if (clean == NULL || !noise_in (rounds > 0 ? clean : NULL, centred, shaken, ret_scale, error))
    return FALSE;
  for (gsize round = 0; round < rounds; round++) {
    for (gsize i = 0; i < rows->rows * rows->cols; i++)
      clean->data[i] = centred->data[i] - (float) *ret_scale * shaken->data[i];
    if (!noise_in (clean, centred, shaken, ret_scale, error))
      return FALSE;
  }
  return TRUE;
}
