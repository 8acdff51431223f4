/* How likely a released code is of a row. */
#include "attacks/adaptive/bit-model.h"

#include <math.h>

#include "core/base/parallel.h"
#include "core/learn/standard.h"
#include "core/math/linalg.h"
#include "core/math/logistic.h"

#define MOST_ROWS (gsize) 10000 /* that are learned from */
#define HELD_SHARE 5 /* one row in so many is held out */
#define JUDGED (gsize) 1000 /* of them */
#define LEAST 1e-4 /* a probability: nothing is certain of rows that were not seen */

struct _BitModel {
  AssayStandard *standard;
  AssayMatrix *directions; /* k x d, of standardised rows */
  double *offsets;         /* k */
  double *noise;           /* k: variance along them of what a record differs by */
  double flips, slope;
  double likelihood; /* of a bit that was held out */
};

ASSAY_FREE_FUNC (BitModel, bit_model_free, assay_standard_free (self->standard),
                 assay_matrix_free (self->directions), g_free (self->offsets), g_free (self->noise))

/* ---- Directions ---- */

typedef struct {
  BitModel *model;
  AssayView rows, bits;
  double noise, penalty;
} Learning;

static gboolean
learn_bit (gsize bit, G_GNUC_UNUSED guint worker, gpointer data, GError **error)
{
  const Learning *job = data;
  BitModel *model = job->model;
  const gsize n = job->rows.rows, d = job->rows.cols;
  g_autofree guint8 *labels = g_new (guint8, n);
  g_autofree double *weights = g_new (double, d + 1);
  gsize n_ones = 0;

  for (gsize i = 0; i < n; i++) {
    labels[i] = assay_view_row (job->bits, i)[bit] > 0;
    n_ones += labels[i];
  }
  /* A bit that never changes says nothing. */
  if (n_ones == 0 || n_ones == n)
    return TRUE;
  if (!assay_logistic_fit (job->rows, labels, job->penalty, weights, error))
    return FALSE;
  for (gsize j = 0; j < d; j++) {
    const double scale = model->standard->factor[j];

    assay_matrix_row (model->directions, bit)[j] = (float) weights[j];
    model->noise[bit] += job->noise * pow (weights[j] * scale, 2);
  }
  model->offsets[bit] = weights[d];
  return TRUE;
}

/* w_j . x + c_j of standardised rows. */
static AssayMatrix *
margins_of (const BitModel *model, AssayView scaled, GError **error)
{
  const gsize k = model->directions->rows;
  AssayMatrix *margins = assay_matrix_new (scaled.rows, k, error);

  if (margins == NULL)
    return NULL;
  assay_linalg_product_in_parallel (ASSAY_NT, scaled, assay_matrix_view (model->directions),
                                    margins->data);
  for (gsize i = 0; i < scaled.rows * k; i++)
    margins->data[i] = (float) ((double) margins->data[i] + model->offsets[i % k]);
  return margins;
}

/* ---- Flips ---- */

static double
chance (double flips, double slope, double margin)
{
  const double one = 1 / (1 + exp (-slope * margin));

  return CLAMP (flips + (1 - 2 * flips) * one, LEAST, 1 - LEAST);
}

typedef struct {
  const AssayMatrix *margins;
  AssayView bits;
  double *likelihoods; /* of each choice */
} Choosing;

enum { N_FLIPS = 24, N_SLOPES = 13 };

static double
flips_at (gsize choice)
{
  return 0.02 * (double) (choice / N_SLOPES);
}

static double
slope_at (gsize choice)
{
  return pow (2, (double) (choice % N_SLOPES) / 2 - 1);
}

static void
try_choice (gsize choice, G_GNUC_UNUSED guint worker, gpointer data)
{
  const Choosing *job = data;
  const gsize k = job->margins->cols, n = job->margins->rows;
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < k; j++) {
      const double p = chance (flips_at (choice), slope_at (choice),
                               (double) job->margins->data[i * k + j]);

      sum += log (assay_view_row (job->bits, i)[j] > 0 ? p : 1 - p);
    }
  job->likelihoods[choice] = sum;
}

static void
choose_flips (BitModel *model, const AssayMatrix *margins, AssayView bits)
{
  double likelihoods[N_FLIPS * N_SLOPES];
  Choosing job = { margins, bits, likelihoods };
  gsize best = 0;

  assay_parallel_for (N_FLIPS * N_SLOPES, try_choice, &job);
  for (gsize c = 1; c < N_FLIPS * N_SLOPES; c++)
    if (likelihoods[c] > likelihoods[best])
      best = c;
  model->likelihood = likelihoods[best];
  model->flips = flips_at (best);
  model->slope = slope_at (best);
}

/* ---- The model ---- */

static BitModel *
model_new (AssayView rows, gsize k, GError **error)
{
  g_autoptr (BitModel) model = g_new0 (BitModel, 1);

  model->standard = assay_standard_new (rows, error);
  model->directions = assay_matrix_new (k, rows.cols, error);
  model->offsets = assay_alloc (k, sizeof (double), "bits", error);
  model->noise = assay_alloc (k, sizeof (double), "bits", error);
  return model->standard != NULL && model->directions != NULL && model->offsets != NULL
                 && model->noise != NULL
             ? g_steal_pointer (&model)
             : NULL;
}

/* Learns from the first @learned rows and chooses flips on the others. */
static BitModel *
learn (AssayView rows, AssayView bits, gsize learned, double noise, double penalty, GError **error)
{
  const gsize held = MIN (rows.rows - learned, JUDGED);
  g_autoptr (BitModel) model = model_new (assay_view_rows (rows, 0, learned), bits.cols, error);
  g_autoptr (AssayMatrix) scaled
      = model != NULL ? assay_standard_apply (model->standard, rows, error) : NULL;
  g_autoptr (AssayMatrix) margins = NULL;
  Learning job = { .model = model, .bits = bits, .noise = noise, .penalty = penalty };

  if (scaled == NULL)
    return NULL;
  job.rows = assay_view_rows (assay_matrix_view (scaled), 0, learned);
  if (!assay_parallel_try (bits.cols, learn_bit, &job, error))
    return NULL;
  margins = margins_of (model, assay_view_rows (assay_matrix_view (scaled), learned, held), error);
  if (margins == NULL)
    return NULL;
  choose_flips (model, margins, assay_view_rows (bits, learned, held));
  return g_steal_pointer (&model);
}

BitModel *
bit_model_new (AssayView rows, AssayView bits, double noise, GError **error)
{
  static const double penalties[] = { 1e-4, 1e-3, 1e-2, 1e-1 };
  const gsize n = MIN (rows.rows, MOST_ROWS), learned = n - MAX (n / HELD_SHARE, 1);
  g_autoptr (BitModel) best = NULL;

  for (guint p = 0; p < G_N_ELEMENTS (penalties); p++) {
    BitModel *model = learn (assay_view_rows (rows, 0, n), bits, learned, noise, penalties[p],
                             error);

    if (model == NULL)
      return NULL;
    if (best != NULL && best->likelihood >= model->likelihood) {
      bit_model_free (model);
      continue;
    }
    bit_model_free (best);
    best = model;
  }
  return g_steal_pointer (&best);
}

double
bit_model_flips (const BitModel *model)
{
  return model->flips;
}

AssayMatrix *
bit_model_see (const BitModel *model, AssayView rows, double *ret_own, GError **error)
{
  g_autoptr (AssayMatrix) scaled = assay_standard_apply (model->standard, rows, error);
  AssayMatrix *seen
      = scaled != NULL ? margins_of (model, assay_matrix_view (scaled), error) : NULL;

  for (gsize i = 0; seen != NULL && i < rows.rows; i++) {
    ret_own[i] = 0;
    for (gsize j = 0; j < seen->cols; j++) {
      const double slope
          = model->slope
            / sqrt (1 + G_PI / 8 * model->slope * model->slope * model->noise[j]);
      const double p
          = chance (model->flips, slope, (double) assay_matrix_row (seen, i)[j]);

      assay_matrix_row (seen, i)[j] = (float) ((log (p) - log (1 - p)) / 2);
      ret_own[i] += (log (p) + log (1 - p)) / 2;
    }
  }
  return seen;
}
