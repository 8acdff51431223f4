/* Pictures out of sparse updates: hidden columns by formulas written out, and messages of which the
 * attack has to be silent. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/updates/samples/column-completion.h"
#include "core/games/control.h"
#include "core/math/linalg.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"

enum { COLS = 20, CLASSES = 5 };

static const AssayAttack *
attack_named (const char *id)
{
  return (const AssayAttack *) assay_registry_find (ASSAY_PLUGIN_ATTACK, id, NULL);
}

/* ---- Columns that are filled in ---- */

/* Three columns, of which the first alone is told. */
static const float few[] = { 0, 0, 5, 1, 2, 5, 2, 4, 5, 3, 2, 5 };

static void
fill (gboolean by_nearest, double penalty, const double *interval, double *ret_values)
{
  g_auto (ColumnCompletion) completion = { 0 };
  g_auto (UpdateSample) sample = { 0 };

  cr_assert (column_completion_init (&(ColumnCompletionSettings){ by_nearest, penalty },
                                     assay_view_of (few, 4, 3), &completion, NULL));
  cr_assert (update_sample_init (3, &sample, NULL));
  sample.values[0] = 2.2;
  sample.is_exact[0] = 1;
  for (gsize j = 0; j < 3; j++) {
    sample.low[j] = j == 0 ? 2.2 : interval[0];
    sample.high[j] = j == 0 ? 2.2 : interval[1];
  }
  cr_assert (column_completion_fill (&completion, &sample, NULL));
  memcpy (ret_values, sample.values, 3 * sizeof *ret_values);
}

/* Means 1.5, 2, 5; variances 1.25, 2, 0; covariance 1 of the first two. */
Test (image_inversion, hidden_columns_follow_from_those_that_are_told)
{
  const double wide[] = { -100, 100 }, narrow[] = { 2.1, 3 };
  const double penalised = 2 + 1 / (1.25 + 0.5 * (1.25 + 2) / 3) * (2.2 - 1.5);
  double values[3];

  fill (FALSE, 0, wide, values);
  cr_assert_float_eq (values[1], 2 + 1 / 1.25 * (2.2 - 1.5), 1e-12, "%g", values[1]);
  cr_assert_float_eq (values[2], 5, 1e-12);
  fill (FALSE, 0.5, wide, values);
  cr_assert_float_eq (values[1], penalised, 1e-12, "%g; expected %g", values[1], penalised);
  fill (FALSE, 0, narrow, values);
  cr_assert (values[0] == 2.2 && values[2] == 3, "%g %g", values[0], values[2]);
  fill (TRUE, 0, wide, values);
  cr_assert (values[0] == 2.2 && fabs (values[1] - 4) < 1e-12 && fabs (values[2] - 5) < 1e-12);
  fill (TRUE, 0, narrow, values);
  cr_assert (values[1] == 3 && values[2] == 3);
}

/* As many rows as columns, and no penalty: there are many regressions. */
Test (image_inversion, rows_that_do_not_decide_are_refused)
{
  g_autoptr (AssayMatrix) rows = fixture_normal (3, COLS, 1);
  g_auto (ColumnCompletion) completion = { 0 };
  g_auto (UpdateSample) sample = { 0 };
  g_autoptr (GError) error = NULL;

  cr_assert (column_completion_init (&(ColumnCompletionSettings){ FALSE, 0 },
                                     assay_matrix_view (rows), &completion, NULL));
  cr_assert (update_sample_init (COLS, &sample, NULL));
  memset (sample.is_exact, 1, COLS - 1);
  cr_assert (!column_completion_fill (&completion, &sample, &error));
  cr_assert (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_NUMERIC));
}

/* ---- Messages of several samples ---- */

/* What a step on @count samples leaves of the gradient beside multiples of what is found. */
static double
misfit_of (AssayLoss loss, gsize count, guint64 number)
{
  const AssayLinearTraining training
      = { .classes = CLASSES, .cols = COLS, .loss = loss, .rate = 1e-3, .penalty = 3, .mix = 0.5 };
  const gsize weights = assay_linear_weights (&training), all[] = { 0, 1, 2 };
  const gint64 labels[] = { 0, 1, 2 };
  g_autoptr (AssayMatrix) rows = fixture_normal (3, COLS, 300 + number);
  g_autoptr (AssayMatrix) model = fixture_normal (1, weights, number);
  g_autofree double *after = g_new (double, weights);
  g_auto (UpdateGradient) gradient = { 0 };
  g_auto (UpdateSample) sample = { 0 };

  for (gsize i = 0; i < weights; i++) {
    model->data[i] *= 0.02F;
    after[i] = (double) model->data[i];
  }
  assay_linear_step (&training,
                     &(AssayLinearSamples){ assay_matrix_view (rows), labels, all, count }, after);
  for (gsize i = 0; i < weights; i++)
    after[i] = (double) (float) after[i];
  cr_assert (update_gradient_init (&training, &gradient, NULL));
  cr_assert (update_sample_init (COLS, &sample, NULL));
  update_gradient_read (&training, model->data, after, 1, &gradient);
  cr_assert (update_sample_solve (&training, model->data, &gradient, &sample));
  return update_sample_misfit (&gradient, &sample);
}

Test (image_inversion, one_sample_is_told_from_several)
{
  for (guint64 i = 0; i < 40; i++)
    for (guint loss = 0; loss < 2; loss++) {
      const double one = misfit_of ((AssayLoss) loss, 1, i);
      const double two = misfit_of ((AssayLoss) loss, 2, i);

      cr_assert (one < 1e-4, "loss %u, number %d: %g of one", loss, (int) i, one);
      cr_assert (two > 0.01, "loss %u, number %d: %g of two", loss, (int) i, two);
      cr_assert (misfit_of ((AssayLoss) loss, 3, i) > 0.01);
    }
}

/* ---- The attack ---- */

/* Won with either method, and lost by one that leaves hidden columns at their mean. */
Test (image_inversion, control)
{
  static const char *const methods[] = { "method=ridge", "method=nearest" };
  const AssayAttack *attack = attack_named ("image-inversion");
  AssayAttack blind = *attack;
  AssayControlOutcome outcome;

  blind.attack = attack_named ("update-leak")->attack;
  for (guint64 seed = 1; seed <= 5; seed++)
    for (gsize m = 0; m < G_N_ELEMENTS (methods); m++) {
      g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, methods[m]);

      cr_assert (assay_control_run (attack, settings, seed, &outcome, NULL));
      cr_assert (outcome.is_won, "%s, seed %d: %g", methods[m], (int) seed, outcome.share);
      cr_assert (assay_control_run (&blind, settings, seed, &outcome, NULL));
      cr_assert (!outcome.is_won && outcome.share < 0.5, "blind, seed %d: %g", (int) seed,
                 outcome.share);
    }
}

/* Of a control's case, with @change made to it. */
static AssayGuess *
attack_changed (void (*change) (AssayRelease *release), gsize cols, GError **error)
{
  const AssayAttack *attack = attack_named ("image-inversion");
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, "");
  const AssayAttackContext context = { .settings = settings->values };
  g_autoptr (AssayRows) other = fixture_normal_rows (50, cols, 1);
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  AssayControlCase made = { 0 };
  gboolean is_done;

  cr_assert (attack->control.make (settings->values, assay_stream_key (1, 0, "test", ""), &made,
                                   NULL));
  change (made.release);
  is_done = assay_attack_run (
      attack, &context,
      &(AssayObservation){ .release = made.release,
                           .public_rows = cols == 24 ? made.public_rows : other },
      guess, error);
  assay_control_case_clear (&made);
  return is_done ? g_steal_pointer (&guess) : NULL;
}

static void
leave (G_GNUC_UNUSED AssayRelease *release)
{
}

static void
make_pass (AssayRelease *release)
{
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, trainer, (guint) ASSAY_TRAINER_PASS);
}

static void
make_batch (AssayRelease *release)
{
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, batch, 2);
}

/* Each message a mean of two: what training says is as it was, and rows give it away. */
static void
blend (AssayRelease *release)
{
  const AssayArray *locals = assay_arrays_get (&release->arrays, "locals");
  const gsize n = locals->shape[0], p = locals->shape[1];
  float *values = g_memdup2 (assay_array_view (locals).data, n * p * sizeof (float));

  for (gsize i = 0; i < n * p; i++)
    values[i] = values[i] / 2 + assay_array_view (locals).data[(i + p) % (n * p)] / 2;
  assay_arrays_take (&release->arrays, "locals",
                     assay_array_take (ASSAY_FLOAT32, 2, (const gsize[]){ n, p }, values));
}

/* Of 24 messages how many are said to be of several samples. */
static guint
count_blends (void (*change) (AssayRelease *release), gsize *ret_told)
{
  g_autoptr (AssayGuess) guess = attack_changed (change, 24, NULL);
  const AssayArray *known = assay_arrays_get (&guess->arrays, "known-columns");
  const char *said = strstr (guess->says, "tell a sample; ");

  cr_assert (said != NULL, "%s", guess->says);
  *ret_told = 0;
  for (gsize e = 0; e < known->shape[0]; e++)
    *ret_told += memchr ((const guint8 *) known->data + e * known->shape[1], 1, known->shape[1])
                 != NULL;
  return (guint) g_ascii_strtoull (said + strlen ("tell a sample; "), NULL, 10);
}

Test (image_inversion, is_silent_about_several_samples)
{
  gsize told;

  cr_assert_eq (count_blends (leave, &told), 0);
  cr_assert_eq (told, 24);
  cr_assert_eq (count_blends (make_pass, &told), 24);
  cr_assert_eq (told, 0);
  cr_assert_eq (count_blends (make_batch, &told), 24);
  cr_assert_eq (told, 0);
  /* Samples of two dimensions: a pair may have nearly one direction, and is not told from one. */
  cr_assert (count_blends (blend, &told) >= 22 && told <= 2, "%zu", told);
}

Test (image_inversion, public_rows_are_like_samples)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) guess = attack_changed (leave, 7, &error);

  cr_assert_null (guess);
  cr_assert (strstr (error->message, "public rows have 7 columns; expected 24") != NULL, "%s",
             error->message);
}
