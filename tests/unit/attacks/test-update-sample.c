/* Samples read off updates: every loss, with and without bias and L1, and what is not told. */
#include <criterion/criterion.h>
#include <math.h>

#include "attacks/updates/samples/update-sample.h"
#include "tests/reference/fixtures.h"

enum { SAMPLES = 40, COLS = 20, CLASSES = 5 };

/* What was found of one sample. */
typedef struct {
  gboolean is_told;
  double error;       /* relative */
  double known_error; /* over the columns that are told */
  double known;       /* share of columns */
  gboolean has_label;
} Found;

/* Sample @i through a step of @training from weights of size @scale, and back. */
static Found
play (const AssayLinearTraining *training, double scale, gsize i)
{
  const gsize weights = assay_linear_weights (training), first = 0;
  const gint64 label = (gint64) (i % training->classes);
  g_autoptr (AssayMatrix) row = fixture_normal (1, COLS, 100 + i);
  g_autoptr (AssayMatrix) model = fixture_normal (1, weights, 7);
  g_autofree double *after = g_new (double, weights);
  g_auto (UpdateGradient) gradient = { 0 };
  g_auto (UpdateSample) sample = { 0 };
  double off = 0, length = 0, known_off = 0, known_length = 0;
  Found found = { 0 };

  for (gsize j = 0; j < weights; j++) {
    model->data[j] *= (float) scale;
    after[j] = (double) model->data[j];
  }
  assay_linear_step (training, &(AssayLinearSamples){ assay_matrix_view (row), &label, &first, 1 },
                     after);
  for (gsize j = 0; j < weights; j++)
    after[j] = (double) (float) after[j]; /* as it is sent */
  cr_assert (update_gradient_init (training, &gradient, NULL));
  cr_assert (update_sample_init (COLS, &sample, NULL));
  update_gradient_read (training, model->data, after, 1, &gradient);
  found.is_told = update_sample_solve (training, model->data, &gradient, &sample);
  for (gsize j = 0; j < COLS; j++) {
    const double x = (double) row->data[j], difference = sample.values[j] - x;

    off += difference * difference;
    length += x * x;
    if (!sample.is_exact[j])
      continue;
    found.known += 1.0 / COLS;
    known_off += difference * difference;
    known_length += x * x;
  }
  found.error = sqrt (off / length);
  found.known_error = known_length > 0 ? sqrt (known_off / known_length) : 0;
  found.has_label = sample.label == label;
  return found;
}

Test (update_sample, is_found_from_one_step)
{
  for (guint c = 0; c < 8; c++) {
    const AssayLinearTraining training = { .classes = CLASSES,
                                           .cols = COLS,
                                           .has_bias = c & 1,
                                           .loss = c & 2 ? ASSAY_LOSS_LOGISTIC : ASSAY_LOSS_HINGE,
                                           .rate = 1e-3,
                                           .penalty = c & 4 ? 3 : 0 }; /* L2 alone */

    for (gsize i = 0; i < SAMPLES; i++) {
      const Found found = play (&training, 0.02, i);

      cr_assert (found.is_told && found.error < 1e-4 && found.known > 0.99 && found.has_label,
                 "case %u, sample %zu: told %d, error %g, label %d", c, i, found.is_told,
                 found.error, found.has_label);
    }
  }
}

/* Where margins are large some rows of the logistic gradient have two roots, and the smaller is
 * not always the one: rows together tell. */
Test (update_sample, takes_the_root_that_all_rows_share)
{
  const AssayLinearTraining training
      = { .classes = CLASSES, .cols = COLS, .loss = ASSAY_LOSS_LOGISTIC, .rate = 1e-3 };

  for (gsize i = 0; i < SAMPLES; i++) {
    const Found found = play (&training, 0.7, i);

    cr_assert (found.error < 1e-2 && found.has_label, "sample %zu: error %g", i, found.error);
  }
}

/* L1 hides columns, and what is told is right. */
Test (update_sample, knows_what_a_sparse_update_hides)
{
  for (guint c = 0; c < 2; c++) {
    const AssayLinearTraining training = { .classes = CLASSES,
                                           .cols = COLS,
                                           .rate = 1e-3,
                                           .loss = c ? ASSAY_LOSS_LOGISTIC : ASSAY_LOSS_HINGE,
                                           .penalty = 30,
                                           .mix = 1 };
    double known = 0;

    for (gsize i = 0; i < SAMPLES; i++) {
      const Found found = play (&training, 0.02, i);

      known += found.known / SAMPLES;
      cr_assert (found.is_told && (c || found.known_error < 1e-4), "sample %zu: %g", i,
                 found.known_error);
    }
    cr_assert (known > 0.1 && known < 0.9, "%g of the columns", known);
  }
}

/* A sample that meets every margin leaves the model as it is. */
Test (update_sample, is_silent_where_nothing_is_told)
{
  const AssayLinearTraining training = { .classes = 2, .cols = COLS, .rate = 1e-3 };
  g_autoptr (AssayMatrix) row = fixture_normal (1, COLS, 1);
  g_autofree float *model = g_new (float, 2 * COLS);
  g_autofree double *after = g_new (double, 2 * COLS);
  g_auto (UpdateGradient) gradient = { 0 };
  g_auto (UpdateSample) sample = { 0 };
  const gint64 label = 0;
  const gsize first = 0;

  for (gsize j = 0; j < COLS; j++) {
    model[j] = row->data[j];
    model[COLS + j] = -row->data[j];
    after[j] = (double) model[j];
    after[COLS + j] = (double) model[COLS + j];
  }
  assay_linear_step (&training, &(AssayLinearSamples){ assay_matrix_view (row), &label, &first, 1 },
                     after);
  cr_assert (update_gradient_init (&training, &gradient, NULL));
  cr_assert (update_sample_init (COLS, &sample, NULL));
  update_gradient_read (&training, model, after, 1, &gradient);
  cr_assert (!update_sample_solve (&training, model, &gradient, &sample));
  for (gsize j = 0; j < COLS; j++)
    cr_assert (sample.values[j] == 0 && !sample.is_exact[j]);
}
