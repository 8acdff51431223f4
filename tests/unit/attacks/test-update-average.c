/* Averages read off updates, against samples added up by hand. */
#include <criterion/criterion.h>
#include <string.h>

#include "core/games/control.h"
#include "core/learn/linear-training.h"
#include "core/math/linalg.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"

enum { CLASSES = 4, COLS = 3, SAMPLES = 3 };

/* No sample is of class 2. */
static const float rows[SAMPLES * COLS] = { 1, 2, 0, -1, 3, 1, 0.5F, 0, 4 };
static const gint64 labels[SAMPLES] = { 0, 1, 3 };

/* One user who took a step on the samples that are @chosen, from a model of @height in column 0. */
static AssayRelease *
release_of (const AssayLinearTraining *training, const gsize *chosen, gsize count, float height)
{
  const gsize width = assay_linear_width (training), weights = assay_linear_weights (training);
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_UPDATES, "test");
  AssayMatrix *models = assay_matrix_new (2, weights, NULL);
  AssayMatrix *locals = assay_matrix_new (1, weights, NULL);
  g_autofree double *w = g_new0 (double, weights);

  for (gsize k = 0; k < CLASSES; k++)
    models->data[k * width] = height;
  for (gsize i = 0; i < weights; i++)
    w[i] = (double) models->data[i];
  assay_linear_step (
      training, &(AssayLinearSamples){ assay_view_of (rows, SAMPLES, COLS), labels, chosen, count },
      w);
  for (gsize i = 0; i < weights; i++)
    locals->data[i] = (float) w[i];
  memcpy (assay_matrix_row (models, 1), locals->data, weights * sizeof (float));
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, users, 1);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, classes, CLASSES);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, local_steps, 1);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, bias, training->has_bias ? true : false);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, loss, (guint) training->loss);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, rate, training->rate);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, penalty, training->penalty);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, mix, training->mix);
  assay_arrays_take_matrix (&release->arrays, "models", &models);
  assay_arrays_take_matrix (&release->arrays, "locals", &locals);
  return release;
}

static AssayGuess *
attack_of (const AssayRelease *release, const char *text, GError **error)
{
  const AssayAttack *attack
      = (const AssayAttack *) assay_registry_find (ASSAY_PLUGIN_ATTACK, "update-average", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, text);
  const AssayAttackContext context = { .settings = settings->values };
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  if (!assay_attack_run (attack, &context, &(AssayObservation){ .release = release }, guess, error))
    return NULL;
  return g_steal_pointer (&guess);
}

static void
expect (const AssayGuess *guess, gint64 row, const double *average)
{
  const float *found = assay_array_view (assay_arrays_get (&guess->arrays, "estimates")).data;

  cr_assert_eq (*assay_array_int64 (assay_arrays_get (&guess->arrays, "of-rows")), row);
  for (gsize j = 0; j < COLS; j++)
    cr_assert_float_eq ((double) found[j], average[j], 1e-4, "column %zu is %g; expected %g", j,
                        (double) found[j], average[j]);
}

static AssayLinearTraining
training_of (AssayLoss loss, gboolean has_bias)
{
  return (AssayLinearTraining){
    .classes = CLASSES, .cols = COLS, .has_bias = has_bias, .loss = loss, .rate = 1e-2
  };
}

/* All samples of the absent class miss its margin at a model of zeros: 1/K of all of them, and with
 * the bias their mean, under the logistic loss half of it without. */
Test (update_average, is_the_sum_over_the_absent_class)
{
  const gsize all[] = { 0, 1, 2 };
  const double mean[] = { 0.5 / 3, 5.0 / 3, 5.0 / 3 }, half[] = { 0.25 / 3, 2.5 / 3, 2.5 / 3 };

  for (guint c = 0; c < 4; c++) {
    const AssayLinearTraining training
        = training_of (c & 1 ? ASSAY_LOSS_LOGISTIC : ASSAY_LOSS_HINGE, c & 2);
    g_autoptr (AssayRelease) release = release_of (&training, all, SAMPLES, 0);
    g_autoptr (AssayGuess) found = attack_of (release, "", NULL);
    g_autoptr (AssayGuess) told = attack_of (release, "class=2", NULL);

    expect (found, 2, c == 1 ? half : mean);
    expect (told, 2, c == 1 ? half : mean);
  }
}

/* With -5 in column 0 samples 0 and 2 meet the margins of classes they are not of; sample 1 alone
 * is in the sum. */
Test (update_average, samples_that_meet_the_margin_are_not_in_it)
{
  const gsize all[] = { 0, 1, 2 };
  const double third[] = { -1.0 / 3, 1, 1.0 / 3 }, whole[] = { -1, 3, 1 };

  for (guint has_bias = 0; has_bias < 2; has_bias++) {
    const AssayLinearTraining training = training_of (ASSAY_LOSS_HINGE, has_bias != 0);
    g_autoptr (AssayRelease) release = release_of (&training, all, SAMPLES, -5);
    g_autoptr (AssayGuess) found = attack_of (release, "class=2", NULL);

    expect (found, 2, has_bias ? whole : third);
  }
}

/* A row of one class only: the bias goes up, and nothing is said; nor where no margin is missed. */
Test (update_average, is_silent_where_no_class_is_absent)
{
  const gsize first = 0;
  const double nothing[COLS] = { 0 };
  const AssayLinearTraining training = training_of (ASSAY_LOSS_HINGE, TRUE);
  g_autoptr (AssayRelease) release = release_of (&training, &first, 1, 0);
  g_autoptr (AssayGuess) present = attack_of (release, "class=0", NULL);
  AssayRelease *still = release_of (&training, &first, 1, 0);
  g_autoptr (AssayGuess) silent = NULL;
  const AssayArray *models = assay_arrays_get (&still->arrays, "models");

  assay_arrays_take (&still->arrays, "locals",
                     assay_array_take (ASSAY_FLOAT32, 2, (const gsize[]){ 1, models->shape[1] },
                                       g_memdup2 (models->data, models->shape[1] * 4)));
  silent = attack_of (still, "", NULL);
  expect (present, -1, nothing);
  expect (silent, -1, nothing);
  cr_assert (strstr (silent->says, "1 tell nothing") != NULL, "%s", silent->says);
  assay_release_free (still);
}

Test (update_average, a_class_that_is_none_is_refused)
{
  const gsize all[] = { 0, 1, 2 };
  const AssayLinearTraining training = training_of (ASSAY_LOSS_HINGE, FALSE);
  g_autoptr (AssayRelease) release = release_of (&training, all, SAMPLES, 0);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) guess = attack_of (release, "class=4", &error);

  cr_assert_null (guess);
  cr_assert (strstr (error->message, "class = 4: the models have classes 0 to 3") != NULL, "%s",
             error->message);
}
