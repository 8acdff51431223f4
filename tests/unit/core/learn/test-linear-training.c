/* Steps and passes of linear classifiers against obvious second implementations. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/learn/linear-training.h"
#include "tests/reference/fixtures.h"

enum { ROWS = 7, COLS = 5, CLASSES = 3 };

static const gint64 labels[ROWS] = { 0, 1, 2, 0, 1, 2, 2 };
static const gsize all[ROWS] = { 0, 1, 2, 3, 4, 5, 6 };

static double
score (const AssayLinearTraining *t, const double *w, const float *x, gsize k)
{
  const gsize width = t->cols + (t->has_bias ? 1 : 0);
  double sum = t->has_bias ? w[k * width + t->cols] : 0;

  for (gsize j = 0; j < t->cols; j++)
    sum += w[k * width + j] * (double) x[j];
  return sum;
}

/* The mean loss of all rows, without penalty. */
static double
loss (const AssayLinearTraining *t, const double *w, const AssayMatrix *rows)
{
  double sum = 0;

  for (gsize i = 0; i < ROWS; i++)
    for (gsize k = 0; k < CLASSES; k++) {
      const double y = (gint64) k == labels[i] ? 1 : -1;
      const double m = y * score (t, w, rows->data + i * COLS, k);

      sum += t->loss == ASSAY_LOSS_HINGE ? MAX (0, 1 - m) : log1p (exp (-m));
    }
  return sum / ROWS;
}

static void
fill (double *w, gsize n)
{
  g_autoptr (AssayMatrix) numbers = fixture_normal (1, n, 5);

  for (gsize i = 0; i < n; i++)
    w[i] = 0.3 * (double) numbers->data[i];
}

/* A step without penalty goes along the gradient, which differences of the loss give. */
Test (linear_training, a_step_descends_the_loss)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (ROWS, COLS, 1);

  for (guint c = 0; c < 4; c++) {
    const AssayLinearTraining t = { .classes = CLASSES,
                                    .cols = COLS,
                                    .has_bias = c % 2 == 1,
                                    .loss = c < 2 ? ASSAY_LOSS_HINGE : ASSAY_LOSS_LOGISTIC,
                                    .rate = 1e-3 };
    const AssayLinearSamples samples = { assay_matrix_view (rows), labels, all, ROWS };
    const gsize n = assay_linear_weights (&t);
    double before[CLASSES * (COLS + 1)] = { 0 }, after[CLASSES * (COLS + 1)];

    fill (before, n);
    memcpy (after, before, sizeof after);
    assay_linear_step (&t, &samples, after);
    for (gsize i = 0; i < n; i++) {
      double up[CLASSES * (COLS + 1)], down[CLASSES * (COLS + 1)];
      double slope;

      memcpy (up, before, sizeof up);
      memcpy (down, before, sizeof down);
      up[i] += 1e-6;
      down[i] -= 1e-6;
      slope = (loss (&t, up, rows) - loss (&t, down, rows)) / 2e-6;
      cr_assert_float_eq ((before[i] - after[i]) / t.rate, slope, 1e-6, "case %u, weight %zu", c,
                          i);
    }
  }
}

/* The proximal step solves what it is defined by: w+ minimises
 * |v - u|^2 / 2 + t |v|, u the plain step; so 0 is in v - u + t sign (v). */
Test (linear_training, a_penalised_step_is_proximal)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (ROWS, COLS, 1);
  AssayLinearTraining t = {
    .classes = CLASSES, .cols = COLS, .has_bias = TRUE, .rate = 0.1, .loss = ASSAY_LOSS_LOGISTIC
  };
  const AssayLinearSamples samples = { assay_matrix_view (rows), labels, all, ROWS };
  const gsize n = assay_linear_weights (&t), width = assay_linear_width (&t);
  double plain[CLASSES * (COLS + 1)] = { 0 }, penalised[CLASSES * (COLS + 1)] = { 0 };
  gsize zeros = 0;

  fill (plain, n);
  fill (penalised, n);
  assay_linear_step (&t, &samples, plain);
  t.penalty = 2;
  t.mix = 1;
  assay_linear_step (&t, &samples, penalised);
  for (gsize i = 0; i < n; i++) {
    const double off = plain[i] - penalised[i];

    if (i % width == COLS)
      cr_assert_float_eq (off, 0, 1e-12, "a bias is penalised");
    else if (penalised[i] == 0)
      cr_assert (fabs (off) <= 0.2 + 1e-12, "weight %zu", i);
    else
      cr_assert_float_eq (off, copysign (0.2, penalised[i]), 1e-12, "weight %zu", i);
    zeros += penalised[i] == 0;
  }
  cr_assert (zeros > 0 && zeros < n);
}

/* The cumulative penalty by its definition (Tsuruoka et al. 2009, figure 2), weight by weight. */
static void
pass_by_hand (const AssayLinearTraining *t, const AssayMatrix *rows, double *w)
{
  const gsize width = t->cols + (t->has_bias ? 1 : 0);
  double u = 0, q[CLASSES * (COLS + 1)] = { 0 };

  for (gsize i = 0; i < ROWS; i++) {
    const float *x = rows->data + i * COLS;
    double slopes[CLASSES];

    for (gsize k = 0; k < CLASSES; k++) {
      const double y = (gint64) k == labels[i] ? 1 : -1, m = y * score (t, w, x, k);

      slopes[k] = t->loss == ASSAY_LOSS_HINGE ? (m <= 1 ? -y : 0) : -y / (1 + exp (m));
    }
    u += t->rate * t->penalty * t->mix;
    for (gsize k = 0; k < CLASSES; k++)
      for (gsize j = 0; j < width; j++) {
        double *v = w + k * width + j, was;

        if (j == t->cols) {
          *v -= t->rate * slopes[k];
          continue;
        }
        *v = *v * (1 - t->rate * t->penalty * (1 - t->mix)) - t->rate * slopes[k] * (double) x[j];
        was = *v;
        if (*v > 0)
          *v = MAX (0, *v - (u + q[k * width + j]));
        else if (*v < 0)
          *v = MIN (0, *v + (u - q[k * width + j]));
        q[k * width + j] += *v - was;
      }
  }
}

Test (linear_training, a_pass_pays_the_penalty_cumulatively)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (ROWS, COLS, 1);

  for (guint c = 0; c < 4; c++) {
    const AssayLinearTraining t = { .classes = CLASSES,
                                    .cols = COLS,
                                    .has_bias = c % 2 == 1,
                                    .loss = c < 2 ? ASSAY_LOSS_HINGE : ASSAY_LOSS_LOGISTIC,
                                    .rate = 0.05,
                                    .penalty = 0.8,
                                    .mix = 0.6 };
    const AssayLinearSamples samples = { assay_matrix_view (rows), labels, all, ROWS };
    const gsize n = assay_linear_weights (&t);
    double fast[CLASSES * (COLS + 1)] = { 0 }, slow[CLASSES * (COLS + 1)];

    fill (fast, n);
    memcpy (slow, fast, sizeof slow);
    assay_linear_pass (&t, &samples, fast);
    pass_by_hand (&t, rows, slow);
    for (gsize i = 0; i < n; i++)
      cr_assert_float_eq (fast[i], slow[i], 1e-12, "case %u, weight %zu", c, i);
  }
}

Test (linear_training, classes_are_those_of_the_highest_score)
{
  const AssayLinearTraining t = { .classes = CLASSES, .cols = 2 };
  const double w[] = { 1, 0, 0, 1, -1, -1 };

  cr_assert_eq (assay_linear_classify (&t, w, (const float[]){ 2, 1 }), 0);
  cr_assert_eq (assay_linear_classify (&t, w, (const float[]){ 1, 2 }), 1);
  cr_assert_eq (assay_linear_classify (&t, w, (const float[]){ -3, -2 }), 2);
  cr_assert_eq (assay_linear_classify (&t, w, (const float[]){ 1, 1 }), 0,
                "not the first of equals");
}
