/* Members told by how models moved, against scores worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/data/kinds/updates.h"
#include "core/games/control.h"
#include "core/math/linalg.h"
#include "core/plugin/registry.h"
#include "tests/reference/fixtures.h"

enum { CLASSES = 2, COLS = 2, RECORDS = 4 };

static const float records[RECORDS * COLS] = { 1, 2, 3, 0, -1, 1, 0, 4 };
static const gint64 labels[RECORDS] = { 0, 0, 1, 1 };

static AssayRelease *
release_of (const float *models, gsize steps, const float *locals, gsize users, gsize weights)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_UPDATES, "test");
  AssayMatrix *public_models = assay_matrix_new (steps + 1, weights, NULL);
  AssayMatrix *sent = locals != NULL ? assay_matrix_new (steps * users, weights, NULL) : NULL;

  memcpy (public_models->data, models, (steps + 1) * weights * sizeof (float));
  assay_arrays_take_matrix (&release->arrays, "models", &public_models);
  if (sent != NULL) {
    memcpy (sent->data, locals, steps * users * weights * sizeof (float));
    assay_arrays_take_matrix (&release->arrays, "locals", &sent);
  }
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, users, (gint64) users);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, classes, CLASSES);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, bias, weights > CLASSES * COLS);
  return release;
}

static gboolean
attack (const AssayRelease *release, const char *text, const gint64 *known, gsize cols,
        float *ret_scores, GError **error)
{
  const AssayAttack *plugin
      = (const AssayAttack *) assay_registry_find (ASSAY_PLUGIN_ATTACK, "update-membership", NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (&plugin->plugin, text);
  const AssayAttackContext context = { .settings = settings->values };
  g_autoptr (AssayRows) rows
      = assay_rows_borrow (assay_view_of (records, RECORDS * COLS / cols, cols));
  const AssayObservation seen = { .release = release, .records = rows, .record_labels = known };
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  if (!assay_attack_run (plugin, &context, &seen, guess, error))
    return FALSE;
  memcpy (ret_scores, assay_arrays_get (&guess->arrays, "member-scores")->data,
          assay_rows_count (rows) * sizeof (float));
  return TRUE;
}

/* Of two records of a class the one with the higher margin is at 1, the other at -1. */
static void
expect_pairs (const float *scores, const double *margins)
{
  for (gsize i = 0; i < RECORDS; i++)
    cr_assert_float_eq ((double) scores[i], margins[i] > margins[i ^ 1] ? 1 : -1, 1e-5);
}

Test (update_membership, the_margin_along_the_change_is_the_score)
{
  /* The change is (1, 0) of class 0, (0, 2) of class 1. */
  const float models[] = { 1, 1, 1, 1, 2, 1, 1, 3 };
  g_autoptr (AssayRelease) release = release_of (models, 1, NULL, 1, CLASSES * COLS);
  float scores[RECORDS];

  cr_assert (attack (release, "", labels, COLS, scores, NULL));
  expect_pairs (scores, (const double[]){ 1 - 4, 3 - 0, 2 - -1, 8 - 0 });
}

Test (update_membership, an_unknown_class_is_the_one_of_the_highest_score)
{
  const float models[] = { 1, 1, 1, 1, 2, 1, 1, 3 };
  g_autoptr (AssayRelease) release = release_of (models, 1, NULL, 1, CLASSES * COLS);
  const gint64 strange[RECORDS] = { 0, 7, 0, 0 };
  const double margins[RECORDS] = { 3, 3, 3, 8 };
  double mean = 0, square = 0, deviation;
  float scores[RECORDS];

  for (gsize i = 0; i < RECORDS; i++) {
    mean += margins[i] / RECORDS;
    square += margins[i] * margins[i] / RECORDS;
  }
  deviation = sqrt (square - mean * mean);
  for (gsize known = 0; known < 2; known++) {
    cr_assert (attack (release, "", known ? strange : NULL, COLS, scores, NULL));
    for (gsize i = 0; i < RECORDS; i++)
      cr_assert_float_eq ((double) scores[i], (margins[i] - mean) / deviation, 1e-5);
  }
}

Test (update_membership, records_are_scaled_as_users_scale_them)
{
  /* With a bias, which moves nothing; the first column is divided by 10, and rows cut to 1. */
  const float models[] = { 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 3, 1 };
  g_autoptr (AssayRelease) release = release_of (models, 1, NULL, 1, CLASSES * (COLS + 1));
  const float mean[] = { 1, 0 }, deviation[] = { 10, 1 };
  const gsize shape = COLS;
  double margins[RECORDS];
  float scores[RECORDS];

  assay_arrays_take (&release->arrays, "mean",
                     assay_array_take (ASSAY_FLOAT32, 1, &shape, g_memdup2 (mean, sizeof mean)));
  assay_arrays_take (
      &release->arrays, "deviation",
      assay_array_take (ASSAY_FLOAT32, 1, &shape, g_memdup2 (deviation, sizeof deviation)));
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, shortened, true);
  for (gsize i = 0; i < RECORDS; i++) {
    const double x = ((double) records[2 * i] - 1) / 10, y = (double) records[2 * i + 1];
    const double cut = MAX (1, sqrt (x * x + y * y));

    margins[i] = (labels[i] == 0 ? 1 : -1) * (x - 2 * y) / cut;
  }
  cr_assert (attack (release, "", labels, COLS, scores, NULL));
  expect_pairs (scores, margins);
}

Test (update_membership, of_several_users_the_highest_score_counts)
{
  const float models[] = { 1, 1, 1, 1, 1.5F, 1, 1, 2 };
  const float locals[] = { 2, 1, 1, 1, 1, 1, 1, 3 };
  g_autoptr (AssayRelease) release = release_of (models, 1, locals, 2, CLASSES * COLS);
  const double margins[2][RECORDS] = { { 1, 3, 1, 0 }, { -4, 0, 2, 8 } };
  float scores[RECORDS], change[RECORDS];

  cr_assert (attack (release, "", labels, COLS, scores, NULL));
  for (gsize i = 0; i < RECORDS; i++) {
    const gboolean is_above
        = margins[0][i] > margins[0][i ^ 1] || margins[1][i] > margins[1][i ^ 1];

    cr_assert_float_eq ((double) scores[i], is_above ? 1 : -1, 1e-5);
  }
  cr_assert (attack (release, "direction=change", labels, COLS, change, NULL));
  expect_pairs (change, (const double[]){ -3, 3, 3, 8 });
}

/* The penalty took 0.5 of each weight and halved it before; what was learned is orthogonal to both,
 * and all that is left of the message. */
Test (update_membership, what_the_penalty_took_is_not_learned)
{
  enum { WIDE = 8 };
  const float before[WIDE] = { 4, 4, 4, 4, 2, 2, 2, 0.1F };
  const float learned[WIDE] = { -0.1F, 0.1F, -0.1F, 0.1F, -0.2F, 0.1F, 0.1F, 0 };
  float models[2 * WIDE], scores[2];
  g_autoptr (AssayRelease) release = NULL;

  for (gsize i = 0; i < WIDE; i++) {
    models[i] = before[i];
    models[WIDE + i] = i + 1 < WIDE ? before[i] / 2 - 0.5F + learned[i] : 0;
  }
  release = release_of (models, 1, NULL, 1, WIDE);
  ASSAY_SET_PARAMETER (release, AssayUpdatesParameters, bias, false);
  /* Of the classes' difference (.1, 0, -.2, .1); the penalty's would rank them the other way. */
  cr_assert (attack (release, "", (const gint64[]){ 0, 0 }, WIDE / CLASSES, scores, NULL));
  cr_assert_float_eq ((double) scores[0], -1, 1e-4);
  cr_assert_float_eq ((double) scores[1], 1, 1e-4);
}

Test (update_membership, what_is_missing_is_said)
{
  const float models[] = { 1, 1, 1, 1, 2, 1, 1, 3 };
  g_autoptr (AssayRelease) release = release_of (models, 1, NULL, 1, CLASSES * COLS);
  g_autoptr (GError) messages = NULL, columns = NULL;
  float scores[RECORDS];

  cr_assert_not (attack (release, "direction=messages", labels, COLS, scores, &messages));
  cr_assert (strstr (messages->message, "no messages in clear") != NULL, "%s", messages->message);
  cr_assert_not (attack (release, "", labels, 2 * COLS, scores, &columns));
  cr_assert (strstr (columns->message, "records have 4 columns") != NULL, "%s", columns->message);
}
