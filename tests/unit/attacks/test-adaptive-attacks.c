/* Attackers who run the defense on rows of their own, against defenses with known answers. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/adaptive/own-examples.h"
#include "core/base/parallel.h"
#include "core/base/vectors.h"
#include "core/data/kinds/mixtures.h"
#include "core/games/control.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/seeds.h"

extern const AssayAttack assay_attack_learned_inversion, assay_attack_learned_linkage;

enum { COLS = 12, SECRETS = 50, PUBLIC = 600 };

static AssayStreamKey
key_of (guint64 seed, const char *role)
{
  return assay_stream_key (seed, 0, role, "");
}

/* A defense that an attacker runs: @n_runs releases of public rows, with the key of the one under
 * attack or with their own. */
typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
  AssayRows *public_rows;
  AssayPairs *pairs;
} Case;

static void
case_clear (Case *c)
{
  assay_release_free (c->release);
  assay_truth_free (c->truth);
  assay_rows_unref (c->public_rows);
  assay_pairs_free (c->pairs);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

typedef struct {
  const AssayDefense *defense;
  const AssaySettings *settings;
  guint64 seed;
  gboolean has_key;
  AssayRows *database;
} Protecting;

static void
protect (const Protecting *by, AssayView rows, const char *role, const char *key_role,
         AssayRelease **ret_release, AssayTruth **ret_truth)
{
  const AssayDefenseContext context = { .settings = by->settings->values,
                                        .stream = key_of (by->seed, role),
                                        .common_stream = key_of (by->seed, key_role),
                                        .database = by->database,
                                        .public_rows = by->database };
  g_autoptr (GError) error = NULL;

  *ret_release = assay_release_new (assay_defense_produces (by->defense, by->settings->values),
                                    by->defense->id);
  *ret_truth = assay_truth_new ();
  assay_arrays_take (&(*ret_truth)->arrays, "secrets",
                     assay_array_take_matrix (assay_matrix_copy (rows, NULL)));
  cr_assert (by->defense->protect (&context, rows, *ret_release, *ret_truth, &error), "%s",
             error != NULL ? error->message : "");
}

/* Secrets are rows SECRETS of the trial, public rows the others, which hold the secrets first where
 * @has_records. */
static Case
make_case (const Protecting *by, guint n_runs, gsize n_pairs)
{
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, COLS, 100000 * by->seed);
  g_autoptr (AssayMatrix) others = fixture_normal (n_pairs, COLS, 100000 * by->seed + 5000);
  AssayMatrix *public_rows = fixture_normal (PUBLIC, COLS, 100000 * by->seed + 20000);
  Case c = { .pairs = assay_pairs_new (by->has_key) };

  memcpy (public_rows->data, secrets->data, SECRETS * COLS * sizeof (float));
  c.public_rows = assay_rows_take_matrix (public_rows);
  protect (by, assay_matrix_view (secrets), "release", "key", &c.release, &c.truth);
  for (guint r = 0; r < n_runs; r++) {
    const gsize first = r * n_pairs / n_runs, end = (r + 1) * n_pairs / n_runs;
    g_autofree char *role = g_strdup_printf ("own-%u", r);
    g_autofree char *own_key = g_strdup_printf ("own-key-%u", r);
    AssayRelease *release;
    AssayTruth *truth;

    protect (by, assay_view_rows (assay_matrix_view (others), first, end - first), role,
             by->has_key ? "key" : own_key, &release, &truth);
    g_ptr_array_add (c.pairs->releases, assay_own_release_new (release, truth, NULL));
  }
  return c;
}

static AssayGuess *
play (const AssayAttack *attack, const Case *c, const char *assignments)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = key_of (1, "attack") };
  const AssayObservation seen
      = { .release = c->release, .public_rows = c->public_rows, .pairs = c->pairs };
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (GError) error = NULL;

  cr_assert (assay_pairs_check (c->pairs, c->release, &error)
                 && assay_attack_run (attack, &context, &seen, guess, &error),
             "%s", error != NULL ? error->message : "");
  return g_steal_pointer (&guess);
}

/* Mean over secrets of ||estimate - secret||^2 / ||secret||^2. */
static double
error_of (const Case *c, const AssayGuess *guess)
{
  const AssayView secrets = assay_array_view (assay_arrays_get (&c->truth->arrays, "secrets"));
  const AssayView estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  double sum = 0;

  cr_assert_eq (estimates.rows, secrets.rows);
  for (gsize i = 0; i < secrets.rows; i++)
    sum += assay_squared_distance (assay_view_row (estimates, i), assay_view_row (secrets, i), COLS)
           / assay_squared_norm (assay_view_row (secrets, i), COLS) / (double) secrets.rows;
  return sum;
}

static guint
count_hits (const AssayGuess *guess, gsize within)
{
  const AssayArray *candidates = assay_arrays_get (&guess->arrays, "candidates");
  guint hits = 0;

  for (gsize i = 0; i < SECRETS; i++)
    for (gsize k = 0; k < within; k++)
      hits += assay_array_int64 (candidates)[i * candidates->shape[1] + k] == (gint64) i;
  return hits;
}

#define PROTECTING(id, assignments, ...)                                                           \
  g_autoptr (AssaySettings) settings = fixture_settings (&assay_defense_##id.plugin, assignments); \
  Protecting by = { .defense = &assay_defense_##id, .settings = settings, .seed = 1, __VA_ARGS__ }

extern const AssayDefense assay_defense_random_rotation, assay_defense_gaussian,
    assay_defense_affine_lifting;

Test (adaptive, a_rotation_with_200_pairs_is_undone)
{
  PROTECTING (random_rotation, "", .has_key = TRUE);
  g_auto (Case) c = make_case (&by, 1, 200);
  g_autoptr (AssayGuess) guess = play (&assay_attack_learned_inversion, &c, "");
  g_autoptr (AssayGuess) links = play (&assay_attack_learned_linkage, &c, "");

  cr_assert_lt (error_of (&c, guess), 0.05 * 0.05);
  cr_assert (g_str_has_prefix (guess->says, "ridge, from 200 pairs: expected relative error 0.0"),
             "%s", guess->says);
  cr_assert_eq (count_hits (links, 1), SECRETS);
}

Test (adaptive, a_rotation_without_its_key_is_not_and_the_attack_says_so)
{
  PROTECTING (random_rotation, "");
  g_auto (Case) c = make_case (&by, 10, 500);
  g_autoptr (AssayGuess) guess = play (&assay_attack_learned_inversion, &c, "");
  g_autoptr (AssayGuess) links = play (&assay_attack_learned_linkage, &c, "");

  cr_assert (g_str_has_prefix (guess->says, "learned nothing from 500 pairs"), "%s", guess->says);
  cr_assert (g_str_has_prefix (links->says, "learned nothing"), "%s", links->says);
  cr_assert_gt (error_of (&c, guess), 0.8);
}

/* Half the columns of noise .1: what is kept comes back, the rest does not. The best linear
 * estimator has the error 1/2 + 1/2 s / (2 + s) for y = sqrt 2 x + e, s = .01. */
Test (adaptive, half_a_projection_comes_back)
{
  PROTECTING (random_rotation, "columns=6 noise=0.1", .has_key = TRUE);
  g_auto (Case) c = make_case (&by, 1, 1000);
  g_autoptr (AssayGuess) guess = play (&assay_attack_learned_inversion, &c, "");
  g_autoptr (AssayGuess) links = play (&assay_attack_learned_linkage, &c, "");

  /* 50 secrets, each of which lost a share of deviation about .14. */
  cr_assert_float_eq (error_of (&c, guess), 0.5 + 0.5 * 0.01 / 2.01, 0.06);
  cr_assert_geq (count_hits (links, 1), 45, "%u", count_hits (links, 1));
}

/* Of two random directions in twelve, a sixth of the secret is lost, whatever basis was drawn. */
Test (adaptive, subspaces_are_learned_from)
{
  g_autoptr (AssayRows) database = fixture_normal_rows (300, COLS, 777777);
  PROTECTING (affine_lifting, "variant=random dimension=2 normalize=no", .has_key = FALSE,
              .database = database);
  g_auto (Case) c = make_case (&by, 5, 1000);
  g_autoptr (AssayGuess) guess = play (&assay_attack_learned_inversion, &c, "");

  cr_assert (strstr (guess->says, "learned nothing") == NULL, "%s", guess->says);
  cr_assert_float_eq (error_of (&c, guess), 2.0 / COLS, 0.06, "%g: %s", error_of (&c, guess),
                      guess->says);
}

/* 200 seeds of a defense that says nothing: noise of a thousand times the secrets. The attack must
 * not claim to have learned beyond its level, nor find more than chance does. */
Test (adaptive, what_is_private_is_not_found)
{
  guint n_claims = 0, n_hits = 0;

  for (guint64 seed = 1; seed <= 200; seed++) {
    PROTECTING (random_rotation, "noise=1000", .has_key = TRUE);
    Case c;

    by.seed = seed;
    c = make_case (&by, 1, 80);
    {
      g_autoptr (AssayGuess) guess = play (&assay_attack_learned_inversion, &c, "learner=ridge");
      g_autoptr (AssayGuess) links = play (&assay_attack_learned_linkage, &c, "learner=ridge");

      n_claims += !g_str_has_prefix (guess->says, "learned nothing") ? 1 : 0;
      n_hits += count_hits (links, 1);
    }
    case_clear (&c);
  }
  /* z = 3 has a level of .0013: two of 200 already have a chance of 3 %. */
  cr_assert_leq (n_claims, 2, "%u", n_claims);
  /* Of 10,000 items a chance of 1/600 each: 16.7, deviation 4.1. */
  cr_assert_leq (n_hits, 16.7 + 5 * 4.1, "%u", n_hits);
}

/* What was released of all together gives one estimate, for as many secrets as there are. */
Test (adaptive, statistics_give_one_estimate_for_all)
{
  g_auto (Case) c = { .release = assay_release_new (ASSAY_RELEASE_STATISTICS, "mean"),
                      .truth = assay_truth_new (),
                      .pairs = assay_pairs_new (TRUE) };
  g_autoptr (AssayGuess) guess = NULL;
  const AssayArray *estimates;

  for (guint r = 0; r <= 40; r++) {
    AssayMatrix *rows = fixture_normal (20, 3, 1000 * r);
    AssayMatrix *mean = assay_matrix_new (1, 3, NULL);
    AssayRelease *release
        = r == 0 ? c.release : assay_release_new (ASSAY_RELEASE_STATISTICS, "mean");
    AssayTruth *truth = r == 0 ? c.truth : assay_truth_new ();

    for (gsize i = 0; i < 60; i++)
      rows->data[i] += (float) r / 10;
    for (gsize i = 0; i < 60; i++)
      mean->data[i % 3] += 2 * rows->data[i] / 20;
    assay_arrays_take (&release->arrays, "statistics", assay_array_take_matrix (mean));
    assay_arrays_take (&truth->arrays, "secrets", assay_array_take_matrix (rows));
    if (r > 0)
      g_ptr_array_add (c.pairs->releases, assay_own_release_new (release, truth, NULL));
  }
  guess = play (&assay_attack_learned_inversion, &c, "");
  estimates = assay_arrays_get (&guess->arrays, "estimates");
  cr_assert (estimates->shape[0] == 20 && estimates->shape[1] == 3);
  /* Half of the statistic is the mean, whose secrets are around 0. */
  for (gsize i = 0; i < 60; i++)
    cr_assert_float_eq (
        (double) assay_array_view (estimates).data[i],
        (double) assay_array_view (assay_arrays_get (&c.release->arrays, "statistics")).data[i % 3]
            / 2,
        0.2);
}

Test (adaptive, the_same_on_any_number_of_threads)
{
  TEST_OF_RESULTS ();

  PROTECTING (random_rotation, "noise=0.5", .has_key = TRUE);
  g_auto (Case) c = make_case (&by, 3, 600);
  AssayGuess *guesses[2];

  for (guint t = 0; t < 2; t++) {
    assay_parallel_set_threads (1 + 2 * t);
    guesses[t] = play (&assay_attack_learned_linkage, &c, "");
  }
  cr_assert_eq (memcmp (assay_arrays_get (&guesses[0]->arrays, "candidates")->data,
                        assay_arrays_get (&guesses[1]->arrays, "candidates")->data,
                        SECRETS * 100 * sizeof (gint64)),
                0);
  cr_assert_str_eq (guesses[0]->says, guesses[1]->says);
  assay_guess_free (guesses[0]);
  assay_guess_free (guesses[1]);
}

/* But by those that find a row only roughly: by its neighbours, or by its direction alone. */
Test (adaptive, controls_are_won)
{
  const AssayAttack *attacks[] = { &assay_attack_learned_inversion, &assay_attack_learned_linkage };

  for (guint a = 0; a < 2; a++)
    for (guint l = 0; assay_learner_names[l] != NULL; l++) {
      g_autofree char *assignment = g_strdup_printf ("learner=%s", assay_learner_names[l]);
      g_autoptr (AssaySettings) settings = fixture_settings (&attacks[a]->plugin, assignment);
      AssayControlOutcome outcome;

      cr_assert (assay_control_run (attacks[a], settings, 1, &outcome, NULL));
      cr_assert (outcome.is_won || l == ASSAY_LEARNER_NEIGHBOURS || l == ASSAY_LEARNER_DIRECTIONS,
                 "%s %s: %g", attacks[a]->id, assignment, outcome.share);
    }
}
