/* Training of one-against-all linear classifiers. */
#include "core/learn/linear-training.h"

#include <math.h>

#include "core/base/vectors.h"
#include "core/learn/logistic-optimum.h"

void
assay_linear_scores (const AssayLinearTraining *training, const double *weights, const float *row,
                     double *ret_scores)
{
  const gsize width = assay_linear_width (training), d = training->cols;

  for (gsize k = 0; k < training->classes; k++)
    ret_scores[k] = assay_lanes_dot_mixed (row, weights + k * width, d)
                    + (training->has_bias ? weights[k * width + d] : 0);
}

void
assay_linear_slopes (const AssayLinearTraining *training, const double *scores, gint64 label,
                     double *ret_slopes)
{
  for (gsize k = 0; k < training->classes; k++) {
    const double sign = (gint64) k == label ? 1 : -1, margin = sign * scores[k];

    if (training->loss == ASSAY_LOSS_HINGE)
      ret_slopes[k] = margin <= 1 ? -sign : 0;
    else
      ret_slopes[k] = -sign / (1 + exp (margin));
  }
}

/* w_k -= @factor a_k x in every class. */
static void
descend (const AssayLinearTraining *training, const double *slopes, const float *row, double factor,
         double *inout_weights)
{
  const gsize width = assay_linear_width (training), d = training->cols;

  for (gsize k = 0; k < training->classes; k++) {
    const double by = factor * slopes[k];
    double *weights = inout_weights + k * width;

    if (by == 0)
      continue;
    for (gsize j = 0; j < d; j++)
      weights[j] -= by * (double) row[j];
    if (training->has_bias)
      weights[d] -= by;
  }
}

void
assay_linear_step (const AssayLinearTraining *training, const AssayLinearSamples *samples,
                   double *inout_weights)
{
  const gsize width = assay_linear_width (training), d = training->cols;
  const double factor = training->rate / (double) samples->count;
  const double shrink = 1 - training->rate * training->penalty * (1 - training->mix);
  const double threshold = training->rate * training->penalty * training->mix;
  g_autofree double *slopes = g_new (double, training->classes *(samples->count + 1));
  double *scores = slopes + training->classes * samples->count;

  /* All gradients are at the weights of before the step. */
  for (gsize i = 0; i < samples->count; i++) {
    assay_linear_scores (training, inout_weights,
                         assay_view_row (samples->rows, samples->chosen[i]), scores);
    assay_linear_slopes (training, scores, samples->labels[samples->chosen[i]],
                         slopes + i * training->classes);
  }
  for (gsize k = 0; k < training->classes; k++)
    for (gsize j = 0; j < d; j++)
      inout_weights[k * width + j] *= shrink;
  for (gsize i = 0; i < samples->count; i++)
    descend (training, slopes + i * training->classes,
             assay_view_row (samples->rows, samples->chosen[i]), factor, inout_weights);
  for (gsize k = 0; threshold > 0 && k < training->classes; k++)
    for (gsize j = 0; j < d; j++) {
      double *v = inout_weights + k * width + j;

      *v = copysign (MAX (fabs (*v) - threshold, 0), *v);
    }
}

/* The penalty of one sample on a weight whose penalties so far are @q. */
static double
penalise (double v, double u, double *inout_q)
{
  const double after = v > 0 ? MAX (0, v - (u + *inout_q)) : MIN (0, v + (u - *inout_q));

  *inout_q += after - v;
  return after;
}

void
assay_linear_pass (const AssayLinearTraining *training, const AssayLinearSamples *samples,
                   double *inout_weights)
{
  const gsize width = assay_linear_width (training), d = training->cols;
  const double shrink = 1 - training->rate * training->penalty * (1 - training->mix);
  const double threshold = training->rate * training->penalty * training->mix;
  g_autofree double *slopes = g_new (double, 2 * training->classes);
  g_autofree double *paid = g_new0 (double, training->classes *d);
  double *scores = slopes + training->classes;

  for (gsize i = 0; i < samples->count; i++) {
    const float *row = assay_view_row (samples->rows, samples->chosen[i]);
    const double u = threshold * (double) (i + 1);

    assay_linear_scores (training, inout_weights, row, scores);
    assay_linear_slopes (training, scores, samples->labels[samples->chosen[i]], slopes);
    for (gsize k = 0; shrink != 1 && k < training->classes; k++)
      for (gsize j = 0; j < d; j++)
        inout_weights[k * width + j] *= shrink;
    descend (training, slopes, row, training->rate, inout_weights);
    for (gsize k = 0; threshold > 0 && k < training->classes; k++)
      for (gsize j = 0; j < d; j++) {
        double *v = inout_weights + k * width + j;

        *v = penalise (*v, u, paid + k * d + j);
      }
  }
}

void
assay_linear_optimum (const AssayLinearTraining *training, const AssayLinearSamples *samples,
                      double *ret_weights)
{
  AssaySignedRows rows = { .rows = samples->rows,
                           .chosen = samples->chosen,
                           .count = samples->count,
                           .labels = samples->labels };

  for (gsize k = 0; k < training->classes; k++) {
    rows.positive = (gint64) k;
    assay_logistic_optimum (&rows, training->penalty, ret_weights + k * training->cols);
  }
}

gsize
assay_linear_classify (const AssayLinearTraining *training, const double *weights, const float *row)
{
  g_autofree double *scores = g_new (double, training->classes);
  gsize best = 0;

  assay_linear_scores (training, weights, row, scores);
  for (gsize k = 1; k < training->classes; k++)
    if (scores[k] > scores[best])
      best = k;
  return best;
}
