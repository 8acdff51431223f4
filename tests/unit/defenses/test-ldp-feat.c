/* LDP-FEAT: the sets that a dictionary makes of descriptors, and the guesses made of those. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "core/base/parallel.h"
#include "core/games/control.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-k-means.h"
#include "tests/reference/sample-tests.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/seeds.h"

extern const AssayDefense assay_defense_ldp_feat;
extern const AssayAttack assay_attack_set_guess;
extern const AssayMetric assay_metric_recovery_rate;

#define ALPHA 1e-6
#define DEVIATIONS 4.9 /* that a normal number exceeds with a chance of ALPHA, either way */

/* ---- The sets ---- */

typedef struct {
  AssayRelease *release;
  AssayTruth *truth;
} Protected;

static void
protected_clear (Protected *protected)
{
  g_clear_pointer (&protected->release, assay_release_free);
  g_clear_pointer (&protected->truth, assay_truth_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Protected, protected_clear)

static gboolean
protect (const char *assignments, const AssayMatrix *secrets, AssayRows *database,
         guint64 seed, Protected *ret_protected, GError **error)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_defense_ldp_feat.plugin, assignments);

  return fixture_protect (&assay_defense_ldp_feat, settings,
                          assay_stream_key (seed, 0, "defense", "test"),
                          assay_matrix_view (secrets), database, &ret_protected->release,
                          &ret_protected->truth, error);
}

static void
protect_or_die (const char *assignments, const AssayMatrix *secrets, AssayRows *database,
                guint64 seed, Protected *ret_protected)
{
  g_autoptr (GError) error = NULL;

  cr_assert (protect (assignments, secrets, database, seed, ret_protected, &error), "%s: %s",
             assignments, error != NULL ? error->message : "");
}

static AssayView
dictionary_view (const Protected *protected)
{
  return assay_array_view (assay_arrays_get (&protected->release->arrays, "dictionary"));
}

static const gint64 *
sets_of (const Protected *protected)
{
  return assay_array_int64 (assay_arrays_get (&protected->release->arrays, "sets"));
}

static double
length_of (const float *row, gsize cols)
{
  double square = 0;

  for (gsize i = 0; i < cols; i++)
    square += (double) row[i] * (double) row[i];
  return sqrt (square);
}

/* The nearest entry is in a set as often as equation 5 says, at each place as often as at any
 * other, and all entries but it are as frequent as each other. (Members of one set exclude each
 * other, which makes the counts vary less than the chi-square allows for.) */
Test (ldp_feat, sets_hold_the_nearest_entry_as_often_as_stated)
{
  TEST_OF_CHANCE ();

  enum { SECRETS = 6000, K = 50, M = 4, COLS = 10 };
  static const double epsilons[] = { 0, 1, 2.5, 6 };
  g_autoptr (AssayMatrix) secrets = naive_clustered (SECRETS, COLS, 5);
  g_autoptr (AssayMatrix) raw = naive_clustered (800, COLS, 1);
  g_autoptr (AssayRows) database = fixture_rows (raw);

  for (gsize e = 0; e < G_N_ELEMENTS (epsilons); e++) {
    const double p = M * exp (epsilons[e]) / (M * exp (epsilons[e]) + K - M);
    g_autofree char *text = g_strdup_printf ("epsilon=%g dictionary=50 members=4 normalize=%s",
                                             epsilons[e], e % 2 ? "yes" : "no");
    g_auto (Protected) protected = { 0 };
    AssayView truth;
    gsize n_in = 0, places[M] = { 0 }, others[K - 1] = { 0 };

    protect_or_die (text, secrets, database, 7, &protected);
    truth = assay_array_view (assay_arrays_get (&protected.truth->arrays, "secrets"));
    cr_assert (protected.release->is_unit_norm == (e % 2 == 1));
    for (gsize i = 0; i < SECRETS; i++) {
      const float *secret = assay_view_row (truth, i);
      double square;
      const gsize own = naive_nearest_entry (dictionary_view (&protected), secret, &square);

      if (e % 2)
        assert_near (length_of (secret, COLS), 1, 1e-6, "length of secret %zu", i);
      for (gsize j = 0; j < M; j++) {
        const gsize member = (gsize) sets_of (&protected)[i * M + j];

        n_in += member == own;
        places[j] += member == own;
        if (member != own)
          others[(member + K - own) % K - 1]++;
      }
    }
    assert_near ((double) n_in / SECRETS, p, DEVIATIONS * sqrt (p * (1 - p) / SECRETS), "%s", text);
    cr_assert (sample_chi_square (places, M) < sample_chi_square_bound (M, ALPHA), "%s", text);
    cr_assert (sample_chi_square (others, K - 1) < sample_chi_square_bound (K - 1, ALPHA), "%s",
               text);
  }
}

/* The epsilons that the header comment names for the paper's probabilities. */
Test (ldp_feat, published_probabilities)
{
  static const struct {
    double k, epsilon, p;
  } cases[] = { { 256000, 10, 0.147 },    { 256000, 12, 0.560 },   { 256000, 16, 0.986 },
                { 16384, 7.2525, 0.147 }, { 16384, 9.252, 0.560 }, { 16384, 13.2654, 0.986 },
                { 256, 5, 0.539 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double weight = 2 * exp (cases[i].epsilon);

    assert_near (weight / (weight + cases[i].k - 2), cases[i].p, 6e-4, "K %g", cases[i].k);
  }
}

/* Releases of other epsilons, members and seeds have the dictionary in the same memory; another
 * dictionary is another. */
Test (ldp_feat, dictionary_is_made_once)
{
  static const char *const shared[] = { "", "epsilon=1", "epsilon=9 members=5" };
  static const char *const others[]
      = { "dictionary=255", "iterations=1", "dictionary_seed=2", "normalize=no" };
  g_autoptr (AssayMatrix) secrets = naive_clustered (20, 8, 5);
  g_autoptr (AssayMatrix) raw = naive_clustered (500, 8, 1);
  g_autoptr (AssayRows) database = fixture_rows (raw);
  g_auto (Protected) first = { 0 };

  protect_or_die ("", secrets, database, 1, &first);
  for (gsize i = 0; i < G_N_ELEMENTS (shared); i++) {
    g_auto (Protected) again = { 0 };

    protect_or_die (shared[i], secrets, database, 2 + i, &again);
    cr_assert (dictionary_view (&again).data == dictionary_view (&first).data, "%s", shared[i]);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (others); i++) {
    g_auto (Protected) other = { 0 };

    protect_or_die (others[i], secrets, database, 1, &other);
    cr_assert (dictionary_view (&other).data != dictionary_view (&first).data
                   && memcmp (dictionary_view (&other).data, dictionary_view (&first).data,
                              255 * 8 * sizeof (float)),
               "%s", others[i]);
  }
}

Test (ldp_feat, sets_do_not_depend_on_threads)
{
  g_autoptr (AssayMatrix) secrets = naive_clustered (300, 8, 5);
  g_autoptr (AssayMatrix) raw = naive_clustered (500, 8, 1);
  g_auto (Protected) first = { 0 };

  for (guint threads = 1; threads <= 2; threads++) {
    g_autoptr (AssayRows) database = fixture_rows (raw);
    g_auto (Protected) protected = { 0 };

    assay_parallel_set_threads (threads);
    protect_or_die ("members=3", secrets, database, 1, threads == 1 ? &first : &protected);
    cr_assert (threads == 1
               || (memcmp (sets_of (&first), sets_of (&protected), 900 * sizeof (gint64)) == 0
                   && memcmp (dictionary_view (&first).data, dictionary_view (&protected).data,
                              256 * 8 * sizeof (float))
                          == 0));
  }
}

static void
check_refused (const char *assignments, const AssayMatrix *secrets, AssayRows *database,
               gint code, const char *message)
{
  g_auto (Protected) protected = { 0 };
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (!protect (assignments, secrets, database, 1, &protected, &error), "%s", message);
  cr_assert (fixture_error_is (&error, code, message, NULL, &why), "%s", why);
}

Test (ldp_feat, refuses_what_does_not_fit)
{
  g_autoptr (AssayMatrix) secrets = naive_clustered (20, 8, 5);
  g_autoptr (AssayMatrix) raw = naive_clustered (300, 8, 1);
  g_autoptr (AssayRows) database = fixture_rows (raw);
  g_autoptr (AssayRows) wide = fixture_normal_rows (300, 9, 1);
  g_autoptr (AssayRows) broken = NULL;

  check_refused ("", secrets, NULL, ASSAY_ERROR_MISMATCH,
                 "defense ldp-feat: expected a database of 8 columns, found none");
  check_refused ("", secrets, wide, ASSAY_ERROR_MISMATCH,
                 "defense ldp-feat: expected a database of 8 columns, found 9");
  check_refused ("dictionary=301", secrets, database, ASSAY_ERROR_PARAMETER,
                 "defense ldp-feat: dictionary = 301: expected no more entries than the database "
                 "has rows, 300");
  check_refused ("dictionary=4 members=4", secrets, database, ASSAY_ERROR_PARAMETER,
                 "defense ldp-feat: members = 4: expected less than dictionary = 4");
  raw->data[123 * 8 + 3] = NAN;
  broken = fixture_rows (raw);
  check_refused ("iterations=1", secrets, broken, ASSAY_ERROR_NUMERIC,
                 "defense ldp-feat: rows of the dictionary: row 123, column 3 is not a finite "
                 "number");
  memset (assay_matrix_row (secrets, 6), 0, 8 * sizeof (float));
  check_refused ("", secrets, database, ASSAY_ERROR_DATA,
                 "defense ldp-feat: secret 6 is all zeros and cannot be normalised");
}

/* ---- The guesses ---- */

/* Two sets of four entries of unit length in the plane, at 0, 20, ... degrees, and the sets' prior:
 * public rows of any length. */
enum { GUESSED = 6000, W = 4 };

static AssayRelease *
sets_by_hand (void)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_VECTOR_SETS, "test");
  AssayMatrix *dictionary = assay_matrix_new (9, 2, NULL);
  gint64 *sets = g_new (gint64, GUESSED * W);

  for (gsize i = 0; i < 9; i++) {
    dictionary->data[2 * i] = (float) cos ((double) i * G_PI / 9);
    dictionary->data[2 * i + 1] = (float) sin ((double) i * G_PI / 9);
  }
  for (gsize i = 0; i < GUESSED * W; i++)
    sets[i] = (gint64) ((i % W) * 2 + (i / W) % 2);
  release->is_unit_norm = TRUE;
  assay_arrays_take (&release->arrays, "sets",
                     assay_array_take (ASSAY_INT64, 2, (const gsize[]){ GUESSED, W }, sets));
  assay_arrays_take (&release->arrays, "dictionary", assay_array_take_matrix (dictionary));
  return release;
}

static AssayGuess *
guess (const char *assignments, const AssayRelease *release, AssayRows *public_rows)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_set_guess.plugin, assignments);
  const AssayKnowledge knowledge = { .public_rows = public_rows };
  g_autoptr (GError) error = NULL;
  AssayGuess *found = NULL;

  cr_assert (assay_step_attack (&assay_attack_set_guess, settings, (AssayStreamKey){ { 1, 2 } },
                                &(AssayGranted){ .release = release,
                                                 .grants = ASSAY_GRANT_PUBLIC,
                                                 .knowledge = &knowledge },
                                &found, &error),
             "%s", error != NULL ? error->message : "");
  return found;
}

static const float *
estimates_of (const AssayGuess *found)
{
  return assay_array_view (assay_arrays_get (&found->arrays, "estimates")).data;
}

/* Sets hold the angles 0, 40, 80, 120 and 20, 60, 100, 140 degrees. Public rows stand at 75 and 112
 * degrees, ten times as long: nearest are 80 (at 5) and 100 (at 12; 60 is at 15). Unscaled, no row
 * would be nearer to one of the members than to the next by angle alone. */
Test (ldp_feat, guess_is_the_member_nearest_to_public_rows)
{
  g_autoptr (AssayRelease) release = sets_by_hand ();
  g_autoptr (AssayMatrix) prior = assay_matrix_new (2, 2, NULL);
  g_autoptr (AssayRows) public_rows = NULL;
  g_autoptr (AssayGuess) found = NULL;

  for (gsize i = 0; i < 2; i++) {
    const double angle = (i == 0 ? 75 : 112) * G_PI / 180;

    prior->data[2 * i] = (float) (10 * cos (angle));
    prior->data[2 * i + 1] = (float) (10 * sin (angle));
  }
  public_rows = fixture_rows (prior);
  found = guess ("", release, public_rows);
  for (gsize i = 0; i < GUESSED; i++) {
    const double angle = (i % 2 == 0 ? 80 : 100) * G_PI / 180;

    assert_near ((double) estimates_of (found)[2 * i], cos (angle), 1e-7, "secret %zu", i);
    assert_near ((double) estimates_of (found)[2 * i + 1], sin (angle), 1e-7, "secret %zu", i);
  }
}

/* The mean of four directions 40 degrees apart points to their middle, 60 or 80 degrees. */
Test (ldp_feat, guess_is_the_first_member_or_the_middle)
{
  g_autoptr (AssayRelease) release = sets_by_hand ();
  g_autoptr (AssayGuess) first = guess ("rule=first", release, NULL);
  g_autoptr (AssayGuess) middle = guess ("rule=centroid", release, NULL);
  g_autoptr (AssayGuess) mean = NULL;
  /* |1 + 2 cos 40 + ...| of e^(i theta) at -60, -20, 20, 60 degrees, by four. */
  const double length = (cos (G_PI / 3) + cos (G_PI / 9)) / 2;

  release->is_unit_norm = FALSE;
  mean = guess ("rule=centroid", release, NULL);
  for (gsize i = 0; i < GUESSED; i++) {
    const double own = (double) (i % 2) * G_PI / 9, angle = own + G_PI / 3;

    assert_near ((double) estimates_of (first)[2 * i], cos (own), 1e-7, "secret %zu", i);
    assert_near ((double) estimates_of (middle)[2 * i + 1], sin (angle), 2e-7, "secret %zu", i);
    assert_near ((double) estimates_of (mean)[2 * i + 1], length * sin (angle), 2e-7, "secret %zu",
                 i);
  }
}

/* Without public rows every place of a set is guessed as often as any other. */
Test (ldp_feat, guess_without_a_prior_is_any_member)
{
  g_autoptr (AssayRelease) release = sets_by_hand ();
  g_autoptr (AssayGuess) found = guess ("", release, NULL);
  const float *entries = assay_array_view (assay_arrays_get (&release->arrays, "dictionary")).data;
  gsize places[W] = { 0 };

  for (gsize i = 0; i < GUESSED; i++)
    for (gsize j = 0; j < W; j++)
      places[j] += memcmp (estimates_of (found) + 2 * i, entries + 2 * (2 * j + i % 2),
                           2 * sizeof (float))
                   == 0;
  cr_assert (places[0] + places[1] + places[2] + places[3] == GUESSED);
  cr_assert (sample_chi_square (places, W) < sample_chi_square_bound (W, ALPHA), "%zu %zu %zu %zu",
             places[0], places[1], places[2], places[3]);
}

/* The attack as if nothing were public: a member at random. */
static gboolean
guess_blindly (const AssayAttackContext *context, const AssayObservation *seen,
               AssayGuess *ret_guess, GError **error)
{
  AssayObservation blind = *seen;

  blind.public_rows = NULL;
  return assay_attack_set_guess.attack (context, &blind, ret_guess, error);
}

/* Every rule wins its control; who takes one of eight members at random finds an eighth of 16 x 50
 * secrets, and never wins. */
Test (ldp_feat, control_is_won_by_each_rule_and_lost_by_chance)
{
  enum { SEEDS = 50 };
  static const char *const rules[] = { "rule=likeliest", "rule=first", "rule=centroid",
                                       "prior=mass", "prior=both" };
  AssayAttack blind = assay_attack_set_guess;
  double share = 0;

  blind.attack = guess_blindly;
  for (guint64 seed = 0; seed < SEEDS; seed++) {
    g_autoptr (AssaySettings) defaults = fixture_settings (&blind.plugin, "");
    AssayControlOutcome outcome;

    for (gsize r = 0; r < G_N_ELEMENTS (rules); r++) {
      g_autoptr (AssaySettings) settings = fixture_settings (&blind.plugin, rules[r]);

      cr_assert (assay_control_run (&assay_attack_set_guess, settings, seed, &outcome, NULL)
                     && outcome.is_won,
                 "%s, seed %d: %g", rules[r], (int) seed, outcome.share);
    }
    cr_assert (assay_control_run (&blind, defaults, seed, &outcome, NULL) && !outcome.is_won);
    share += outcome.share / SEEDS;
  }
  assert_near (share, 1.0 / 8, DEVIATIONS * sqrt (7.0 / 64 / (16 * SEEDS)), "found by chance");
}

/* With one member and an epsilon that leaves it no doubt, the guess is the nearest entry, and what
 * the metric counts as recovered is what the dictionary's quantisation error leaves. */
Test (ldp_feat, recovery_is_bounded_by_the_dictionary)
{
  enum { SECRETS = 400, COLS = 8 };
  g_autoptr (AssayMatrix) secrets = naive_clustered (SECRETS, COLS, 5);
  g_autoptr (AssayMatrix) raw = naive_clustered (500, COLS, 1);
  g_autoptr (AssayRows) database = fixture_rows (raw);
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_metric_recovery_rate.plugin, "tau=0.35");
  g_auto (Protected) protected = { 0 };
  g_autoptr (AssayGuess) found = NULL;
  AssayOutcomes outcomes = { 0 };
  double n_near = 0, n_recovered = 0;

  protect_or_die ("epsilon=40 members=1", secrets, database, 1, &protected);
  found = guess ("", protected.release, database);
  cr_assert (assay_step_measure (&assay_metric_recovery_rate,
                                 &(AssayMetricContext){ .settings = settings->values },
                                 protected.truth, found, &outcomes, NULL));
  for (gsize i = 0; i < SECRETS; i++) {
    const AssayView truth
        = assay_array_view (assay_arrays_get (&protected.truth->arrays, "secrets"));
    double square;

    naive_nearest_entry (dictionary_view (&protected), assay_view_row (truth, i), &square);
    n_near += sqrt (square) <= 0.35;
    n_recovered += outcomes.series[0][i];
  }
  cr_assert (n_near == n_recovered && n_near > 40 && n_near < 360, "%g against %g", n_recovered,
             n_near);
  assay_outcomes_clear (&outcomes);
}
