/* The defenses prr10-updates and ra12-updates against their rules written out, row by row, and the
 * rows that users of both train on. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/data/kinds/updates.h"
#include "core/plugin/registry.h"
#include "defenses/updates/user-rows.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/defenses/federation-run.h"

#define ROWS FEDERATION_RUN_ROWS
#define COLS FEDERATION_RUN_COLS
#define CLASSES FEDERATION_RUN_CLASSES
#define WEIGHTS FEDERATION_RUN_WEIGHTS
#define USERS FEDERATION_RUN_USERS
#define STEPS FEDERATION_RUN_STEPS

#define PRR10 "users=4 standardise=no public_rows=no penalty=0.3 "
#define RA12 "users=4 standardise=no public_rows=no steps=3 rate=2 penalty=0.1 "

static const float *
row_of (const AssayArrays *arrays, const char *name, gsize row)
{
  return assay_view_row (assay_array_view (assay_arrays_get (arrays, name)), row);
}

static void
play (const char *defense, const char *settings, const char *more, FederationRun *ret_run)
{
  g_autofree char *assignments = g_strconcat (settings, more, NULL);
  g_autoptr (GError) error = NULL;

  cr_assert (federation_run_play_alone (defense, assignments, ret_run, &error), "%s",
             error != NULL ? error->message : "");
}

/* Row @index at most 1 long. */
static void
short_row (const FederationRun *run, gsize index, double *ret_row)
{
  const float *row = row_of (&run->truth->arrays, "secrets", index);
  double length = 0;

  for (gsize j = 0; j < COLS; j++)
    length += (double) row[j] * (double) row[j];
  for (gsize j = 0; j < COLS; j++)
    ret_row[j] = (double) row[j] / MAX (1, sqrt (length));
}

/* The mean over the rows of @user of a_i s_i x_i, where a_i is what @slope makes of the margin of
 * class @class at @weights; 10 rows each. */
static void
mean_of_rows (const FederationRun *run, gsize user, gsize class, const float *weights,
              double (*slope) (double margin), double *ret_mean)
{
  const gint64 *users = assay_array_int64 (assay_arrays_get (&run->truth->arrays, "users"));
  gsize count = 0;

  memset (ret_mean, 0, COLS * sizeof *ret_mean);
  for (gsize i = 0; i < ROWS; i++) {
    const double sign = i % CLASSES == class ? 1 : -1;
    double row[COLS], margin = 0;

    if ((gsize) users[i] != user)
      continue;
    count++;
    short_row (run, i, row);
    for (gsize j = 0; j < COLS; j++)
      margin += sign * row[j] * (double) weights[class * COLS + j];
    for (gsize j = 0; j < COLS; j++)
      ret_mean[j] += slope (margin) * sign * row[j] / (ROWS / USERS);
  }
  cr_assert_eq (count, ROWS / USERS);
}

static double
logistic (double margin)
{
  return 1 / (1 + exp (margin));
}

static double
hinge (double margin)
{
  return margin <= 1;
}

/* ---- PRR10 ---- */

/* At the optimum lambda w is the mean of slopes times rows; and the model is the mean of users'. */
Test (noisy_updates, users_train_to_the_optimum)
{
  g_auto (FederationRun) run = { 0 };

  play ("prr10-updates", PRR10, "noise=none", &run);
  for (gsize u = 0; u < USERS; u++) {
    const float *weights = row_of (&run.truth->arrays, "updates", u);

    for (gsize k = 0; k < CLASSES; k++) {
      double mean[COLS];

      mean_of_rows (&run, u, k, weights, logistic, mean);
      for (gsize j = 0; j < COLS; j++)
        assert_near (0.3 * (double) weights[k * COLS + j], mean[j], 1e-7, "user %zu, class %zu",
                     u, k);
    }
  }
  for (gsize i = 0; i < WEIGHTS; i++) {
    double mean = 0;

    for (gsize u = 0; u < USERS; u++)
      mean += (double) row_of (&run.truth->arrays, "updates", u)[i] / USERS;
    assert_near ((double) row_of (&run.release->arrays, "models", 1)[i], mean, 1e-6, "%zu", i);
    cr_assert (row_of (&run.release->arrays, "models", 0)[i] == 0);
  }
}

/* The noise of the model, of which 2 / (n epsilon lambda) is the scale: twice as much for half of
 * epsilon, and on the mean over 18 weights of that size. */
static double
prr10_noise (const char *more)
{
  g_auto (FederationRun) noisy = { 0 };
  g_auto (FederationRun) plain = { 0 };
  double sum = 0;

  play ("prr10-updates", PRR10, more, &noisy);
  play ("prr10-updates", PRR10, "noise=none", &plain);
  for (gsize i = 0; i < WEIGHTS; i++)
    sum += fabs ((double) row_of (&noisy.release->arrays, "models", 1)[i]
                 - (double) row_of (&plain.release->arrays, "models", 1)[i])
           / WEIGHTS;
  return sum;
}

Test (noisy_updates, prr10_noise_has_the_scale)
{
  const double scale = 2 / (10 * 0.2 * 0.3), found = prr10_noise ("");

  assert_near (found, scale, 5 * scale / sqrt (WEIGHTS), "on coordinates");
  assert_near (prr10_noise ("epsilon=0.1"), 2 * found, 1e-5 * found, "half of epsilon");
  cr_assert (prr10_noise ("noise=spherical") > 1.5 * scale);
}

/* ---- RA12 ---- */

/* w_t - rate (lambda w_t - mean of rows below their margin). */
Test (noisy_updates, users_take_a_step)
{
  g_auto (FederationRun) run = { 0 };
  gsize moved = 0;

  play ("ra12-updates", RA12, "", &run);
  for (gsize t = 0; t < STEPS; t++)
    for (gsize u = 0; u < USERS; u++) {
      const float *before = row_of (&run.release->arrays, "models", t);
      const float *made = row_of (&run.truth->arrays, "updates", t * USERS + u);
      const float *sent = row_of (&run.release->arrays, "locals", t * USERS + u);

      for (gsize k = 0; k < CLASSES; k++) {
        double mean[COLS];

        mean_of_rows (&run, u, k, before, hinge, mean);
        for (gsize j = 0; j < COLS; j++) {
          const double old = (double) before[k * COLS + j];
          const double expected = old - 2 * (0.1 * old - mean[j]);

          assert_near ((double) made[k * COLS + j], expected, 1e-5 * (1 + fabs (expected)),
                       "step %zu, user %zu", t, u);
          moved += made[k * COLS + j] != sent[k * COLS + j];
        }
      }
    }
  cr_assert_eq (moved, STEPS * USERS * WEIGHTS);
}

/* What is sent less what was made, over - rate / n: the sum of the noises of a weight. */
static double
ra12_noise (const FederationRun *run, gsize t, gsize u, gsize i)
{
  return ((double) row_of (&run->release->arrays, "locals", t * USERS + u)[i]
          - (double) row_of (&run->truth->arrays, "updates", t * USERS + u)[i])
         * -(ROWS / USERS) / 2.0;
}

/* One Gaussian for all steps of a user, Laplace noise of each step; both of the scale of epsilon.
 * 72 and 216 numbers: variances within 6 standard errors, of which Laplace's is sqrt (5 / n). */
Test (noisy_updates, ra12_noise_once_and_in_each_step)
{
  g_auto (FederationRun) once = { 0 };
  g_auto (FederationRun) steps = { 0 };
  const double deviation = 2 * sqrt (2 * log (1.25 / 0.05)) / 0.5, scale = 2 / 0.5;
  double square = 0, step_square = 0;
  gsize same = 0;

  play ("ra12-updates", RA12, "epsilon=0.5 noise=objective", &once);
  play ("ra12-updates", RA12, "epsilon=0.5 noise=gradient", &steps);
  for (gsize u = 0; u < USERS; u++)
    for (gsize i = 0; i < WEIGHTS; i++) {
      const double first = ra12_noise (&once, 0, u, i);

      square += first * first / (USERS * WEIGHTS);
      for (gsize t = 0; t < STEPS; t++) {
        const double drawn = ra12_noise (&steps, t, u, i);

        assert_near (ra12_noise (&once, t, u, i), first, 1e-4 * deviation, "step %zu", t);
        step_square += drawn * drawn / (STEPS * USERS * WEIGHTS);
        same += t > 0 && fabs (drawn - ra12_noise (&steps, 0, u, i)) < 1e-3;
      }
    }
  assert_near (square / (deviation * deviation), 1, 6 * sqrt (2.0 / (USERS * WEIGHTS)), "once");
  assert_near (step_square / (2 * scale * scale), 1, 6 * sqrt (5.0 / (STEPS * USERS * WEIGHTS)),
               "in each step");
  cr_assert (same < 5, "%zu", same);
}

/* Sums and models are of what was sent, and the first user knows what it sent. */
Test (noisy_updates, sums_are_of_what_is_sent)
{
  g_auto (FederationRun) run = { 0 };

  play ("ra12-updates", RA12, "", &run);
  for (gsize t = 0; t < STEPS; t++)
    for (gsize i = 0; i < WEIGHTS; i++) {
      double sum = 0;

      for (gsize u = 0; u < USERS; u++)
        sum += (double) row_of (&run.release->arrays, "locals", t * USERS + u)[i];
      assert_near ((double) row_of (&run.release->arrays, "sums", t)[i], sum, 1e-4, "step %zu", t);
      assert_near ((double) row_of (&run.release->arrays, "models", t + 1)[i], sum / USERS, 1e-4,
                   "step %zu", t);
      cr_assert (row_of (&run.release->arrays, "own", t)[i]
                 == row_of (&run.release->arrays, "locals", t * USERS)[i]);
    }
}

/* ---- What is public ---- */

Test (noisy_updates, who_sees_what)
{
  g_auto (FederationRun) prr10 = { 0 };
  g_auto (FederationRun) ra12 = { 0 };
  g_autoptr (AssayRelease) outsider = NULL;

  play ("prr10-updates", PRR10, "", &prr10);
  play ("ra12-updates", RA12, "", &ra12);
  outsider = assay_release_granted (ra12.release, 0);
  cr_assert (assay_arrays_get (&prr10.release->arrays, "locals") == NULL);
  cr_assert (assay_arrays_get (&outsider->arrays, "locals") == NULL
             && assay_arrays_get (&outsider->arrays, "models") != NULL);
  cr_assert (*ASSAY_PARAMETER (prr10.release, AssayUpdatesParameters, shortened));
  cr_assert (*ASSAY_PARAMETER (prr10.release, AssayUpdatesParameters, epsilon) == 0.2);
  cr_assert (*ASSAY_PARAMETER (prr10.release, AssayUpdatesParameters, penalty) == 0.3);
  cr_assert (*ASSAY_PARAMETER (prr10.release, AssayUpdatesParameters, trainer)
             == ASSAY_TRAINER_OPTIMUM);
}

Test (noisy_updates, an_optimum_needs_a_penalty)
{
  const AssayDefense *average
      = (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, "average", NULL);
  g_autoptr (AssaySettings) settings
      = fixture_settings (&average->plugin, "trainer=optimum loss=logistic mix=0");
  const AssayShape shape = { .n_secrets = 40, .cols = 6, .n_classes = 3 };
  g_autoptr (GError) error = NULL;

  cr_assert (!average->check (settings->values, &shape, &error));
  cr_assert_str_eq (error->message,
                    "trainer = optimum: expected loss = logistic, a penalty above 0 with mix = 0, "
                    "sparsity = 0 and bias = no");
}

/* ---- Rows ---- */

/* Two users of three samples, and two public rows that both have; (6, 8) becomes (.6, .8). */
Test (noisy_updates, public_rows_are_in_every_part)
{
  static const float secrets[] = { 6, 8, 0.5F, 0, 0, -2 }, public[] = { 0, 1, 30, 40 };
  static const gint64 labels[] = { 0, 1, 0 }, public_labels[] = { 1, 0 };
  g_autoptr (AssayRows) public_rows = assay_rows_borrow ((AssayView){ 2, 2, 2, public });
  const AssayDefenseContext context = { .labels = labels,
                                        .n_classes = 2,
                                        .public_rows = public_rows,
                                        .public_labels = public_labels };
  const UserRowsForm form = { .shares_public = TRUE, .is_shortened = TRUE };
  static const float expected[] = { 0.6F, 0.8F, 0.5F, 0, 0, -1, 0, 1, 0.6F, 0.8F };
  g_auto (UserRows) rows = { 0 };

  cr_assert (user_rows_init (&context, (AssayView){ 3, 2, 2, secrets }, &form, &rows, NULL));
  rows.samples = (UserSamples){ .n_users = 2,
                                .order = g_memdup2 ((gsize[]){ 2, 0, 1 }, 3 * sizeof (gsize)),
                                .first = g_memdup2 ((gsize[]){ 0, 1, 3 }, 3 * sizeof (gsize)) };
  for (gsize i = 0; i < G_N_ELEMENTS (expected); i++)
    assert_near ((double) rows.rows->data[i], (double) expected[i], 1e-7, "number %zu", i);
  cr_assert (user_rows_count (&rows, 0) == 3 && user_rows_count (&rows, 1) == 4);
  cr_assert (user_rows_at (&rows, 0, 0) == 2 && user_rows_at (&rows, 0, 1) == 3
             && user_rows_at (&rows, 0, 2) == 4);
  cr_assert (user_rows_at (&rows, 1, 1) == 1 && user_rows_at (&rows, 1, 3) == 4);
  cr_assert (rows.labels[2] == 0 && rows.labels[3] == 1 && rows.labels[4] == 0);
}

Test (noisy_updates, public_rows_need_labels)
{
  static const float values[] = { 1, 0 };
  static const gint64 labels[] = { 0 };
  g_autoptr (AssayRows) public_rows = assay_rows_borrow ((AssayView){ 1, 2, 2, values });
  const AssayDefenseContext context
      = { .labels = labels, .n_classes = 2, .public_rows = public_rows };
  const UserRowsForm form = { .shares_public = TRUE };
  g_auto (UserRows) rows = { 0 };
  g_autoptr (GError) error = NULL;

  cr_assert (!user_rows_init (&context, (AssayView){ 1, 2, 2, values }, &form, &rows, &error));
  cr_assert_str_eq (error->message,
                    "users train a classifier: expected labels of the 1 public rows, which are in "
                    "each user's part, found none");
}
