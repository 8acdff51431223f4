/* The attacker who links two releases under different keys, against defenses with known answers. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/games/control-case.h"
#include "core/games/control.h"
#include "core/games/guesses/scored.h"
#include "core/math/linalg.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/seeds.h"

extern const AssayAttack assay_attack_cross_linkage;

enum { COLS = 6, SECRETS = 60, PUBLIC = 400 };

/* Rows with noise, turned by a rotation that is the key, or numbers that have nothing to do with
 * them. */
typedef enum { NOISE, ROTATION, NOTHING } Kind;

typedef struct {
  Kind kind;
  guint64 seed;
} Defense;

static AssayMatrix *
normals (gsize rows, guint64 seed, const char *role)
{
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, role, ""), 0);
  AssayMatrix *matrix = assay_control_normals (rows, COLS, &stream, NULL);

  /* Axes of other lengths. */
  for (gsize i = 0; i < rows * COLS; i++)
    matrix->data[i] *= (float) (1 + i % COLS);
  return matrix;
}

static AssayRelease *
defend (const Defense *defense, AssayView rows, guint64 number)
{
  AssayStream stream = assay_stream (assay_stream_key (defense->seed, 0, "defense", ""), number);
  g_autoptr (AssayMatrix) released = assay_matrix_new (rows.rows, COLS, NULL);
  double turn[COLS * COLS];

  for (gsize i = 0; i < COLS * COLS; i++)
    turn[i] = assay_stream_normal (&stream);
  cr_assert (assay_linalg_orthonormalize (turn, COLS, COLS, NULL));
  for (gsize i = 0; i < rows.rows; i++)
    for (gsize j = 0; j < COLS; j++) {
      float *value = &assay_matrix_row (released, i)[j];

      *value = (float) (0.1 * assay_stream_normal (&stream));
      if (defense->kind == NOISE)
        *value += assay_view_row (rows, i)[j];
      for (gsize k = 0; defense->kind == ROTATION && k < COLS; k++)
        *value += (float) turn[j * COLS + k] * assay_view_row (rows, i)[k];
    }
  return assay_control_vectors (assay_matrix_view (released), NULL);
}

static gboolean
run_defense (gconstpointer data, guint64 number, const AssayOwnRows *own, AssayShadowMade *ret_made,
             G_GNUC_UNUSED GError **error)
{
  ret_made->truth = assay_truth_new ();
  assay_arrays_take (&ret_made->truth->arrays, "secrets",
                     assay_array_take_matrix (assay_matrix_copy (own->rows, NULL)));
  ret_made->release = defend (data, own->rows, number + 2);
  return TRUE;
}

/* The area under the ROC curve; below 0: @error. */
static double
play (const Defense *defense, guint64 runs, gboolean has_key, char **ret_says, GError **error)
{
  const gsize n = SECRETS;
  g_autoptr (AssayMatrix) secrets = normals (n, defense->seed, "secrets");
  g_autoptr (AssayMatrix) known = normals (PUBLIC, defense->seed, "public");
  g_autoptr (AssayMatrix) reversed = assay_matrix_new (n, COLS, NULL);
  g_autoptr (AssayRows) public_rows = assay_rows_borrow (assay_matrix_view (known));
  g_autoptr (AssaySettings) settings = fixture_settings (&assay_attack_cross_linkage.plugin, "");
  g_autoptr (AssayShadow) shadow = assay_shadow_new (
      &(AssayShadowTerms){ .run = run_defense,
                           .data = (gpointer) defense,
                           .runs = runs,
                           .choice = assay_stream_key (defense->seed, 0, "choice", ""),
                           .n_secrets = n,
                           .has_key = has_key });
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayRelease) crossed = NULL;
  gint64 *mates = g_new (gint64, n);
  AssayControlOutcome outcome;
  const AssayAttackContext context
      = { .settings = settings->values,
          .stream = assay_stream_key (defense->seed, 0, "attack", "") };
  AssayObservation seen = { .public_rows = public_rows, .shadow = shadow };

  for (gsize i = 0; i < n; i++) {
    mates[i] = (gint64) (n - 1 - i);
    memcpy (assay_matrix_row (reversed, i), assay_matrix_row (secrets, n - 1 - i),
            COLS * sizeof (float));
  }
  assay_arrays_take (&truth->arrays, "mates", assay_array_take (ASSAY_INT64, 1, &n, mates));
  seen.release = release = defend (defense, assay_matrix_view (secrets), 0);
  seen.crossed = crossed = defend (defense, assay_matrix_view (reversed), 1);
  if (!assay_attack_run (&assay_attack_cross_linkage, &context, &seen, guess, error))
    return -1;
  cr_assert (assay_cross_judge (truth, guess, &outcome, NULL));
  if (ret_says != NULL)
    *ret_says = g_strdup (guess->says);
  return outcome.share;
}

Test (cross_linkage, what_stays_the_same_under_another_key_links)
{
  g_autofree char *of_noise = NULL;
  g_autofree char *of_rotation = NULL;

  cr_assert_gt (play (&(Defense){ NOISE, 1 }, 20, FALSE, &of_noise, NULL), 0.99);
  cr_assert (g_str_has_prefix (of_noise, "links by numbers"), "%s", of_noise);
  cr_assert_gt (play (&(Defense){ ROTATION, 2 }, 20, FALSE, &of_rotation, NULL), 0.99);
  cr_assert (g_str_has_prefix (of_rotation, "links by axes"), "%s", of_rotation);
}

/* 200 seeds of releases that say nothing: the attacker says so but for a few, whose share the three
 * standard errors allow, and the mean area is one half. */
Test (cross_linkage, independent_releases_are_not_linked)
{
  TEST_OF_CHANCE ();

  double sum = 0;
  gsize n_learned = 0;

  for (guint64 seed = 1; seed <= 200; seed++) {
    g_autofree char *says = NULL;

    sum += play (&(Defense){ NOTHING, seed }, 8, FALSE, &says, NULL) / 200;
    n_learned += !g_str_has_prefix (says, "learned nothing");
  }
  cr_assert_leq (n_learned, 3, "%zu of 200", n_learned);
  /* The deviation of an area of 60 mates is sqrt (1 / 12 / 60). */
  cr_assert (fabs (sum - 0.5) < 4 * sqrt (1 / 12.0 / 60 / 200), "%g", sum);
}

Test (cross_linkage, what_it_needs)
{
  g_autoptr (GError) error = NULL;

  cr_assert_lt (play (&(Defense){ NOISE, 1 }, 20, TRUE, NULL, &error), 0);
  cr_assert (strstr (error->message, "the second release has a key of its own"), "%s",
             error->message);
  g_clear_error (&error);
  cr_assert_lt (play (&(Defense){ NOISE, 1 }, 7, FALSE, NULL, &error), 0);
  cr_assert (strstr (error->message, "mechanism_runs: 7 are left; expected 8 at least"), "%s",
             error->message);
}
