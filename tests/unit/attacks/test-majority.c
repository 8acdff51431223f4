/* Sets released again and again: the entry that stands in most of them, and priors for ties. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/sets/vector-sets.h"
#include "core/games/control.h"
#include "runner/run/steps.h"
#include "tests/reference/fixtures.h"
#include "tests/reference/naive-k-means.h"
#include "tests/unit/assert-near.h"

extern const AssayDefense assay_defense_ldp_feat;
extern const AssayAttack assay_attack_majority;
extern const AssayAttack assay_attack_set_guess;

#define DEVIATIONS 4.9 /* that a normal number exceeds with a chance of 1e-6, either way */

static void
free_releases (GPtrArray *releases)
{
  g_ptr_array_unref (releases);
}

typedef GPtrArray Releases;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Releases, free_releases)

static Releases *
releases_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) assay_release_free);
}

/* The guess of @attack from the first of @releases, with the others as its repeats. */
static AssayGuess *
guess (const AssayAttack *attack, const char *assignments, const Releases *releases,
       AssayRows *public_rows, GError **error)
{
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, assignments);
  const AssayKnowledge knowledge = { .public_rows = public_rows };
  g_autoptr (GPtrArray) repeats = g_ptr_array_new ();
  AssayGuess *found = NULL;

  for (guint r = 1; r < releases->len; r++)
    g_ptr_array_add (repeats, releases->pdata[r]);
  if (!assay_step_attack (attack, settings, (AssayStreamKey){ { 1, 2 } },
                          &(AssayGranted){ .release = releases->pdata[0],
                                           .grants = ASSAY_GRANT_PUBLIC | ASSAY_GRANT_REPEATS,
                                           .knowledge = &knowledge,
                                           .repeats = repeats },
                          &found, error))
    return NULL;
  return found;
}

static AssayView
estimates_of (const AssayGuess *found)
{
  return assay_array_view (assay_arrays_get (&found->arrays, "estimates"));
}

/* ---- How often it is right ---- */

enum { K = 64, COLS = 8, EACH = 50, SECRETS = K * EACH };

/* What LDP-FEAT releases, again and again, of secrets that are its entries themselves, each of them
 * EACH times: whoever finds the entry has the secret to the bit. */
static Releases *
release_entries (const char *settings_text, gsize count, guint64 seed, AssayMatrix **ret_secrets)
{
  g_autofree char *text
      = g_strconcat ("dictionary=64 iterations=0 normalize=no ", settings_text, NULL);
  g_autoptr (AssaySettings) settings = fixture_settings (&assay_defense_ldp_feat.plugin, text);
  g_autoptr (AssayRows) database = fixture_normal_rows (200, COLS, 7);
  g_autoptr (AssayMatrix) secrets = fixture_normal (SECRETS, COLS, 8);
  Releases *releases = releases_new ();

  for (gsize r = 0; r <= count; r++) {
    AssayRelease *release;
    g_autoptr (AssayTruth) truth = NULL;
    AssayView entries;

    cr_assert (fixture_protect (&assay_defense_ldp_feat, settings,
                                assay_stream_key (seed, r, "defense", "test"),
                                assay_matrix_view (secrets), database, &release, &truth, NULL));
    entries = assay_array_view (assay_arrays_get (&release->arrays, "dictionary"));
    for (gsize i = 0; i < SECRETS; i++)
      memcpy (assay_matrix_row (secrets, i), assay_view_row (entries, i % K),
              COLS * sizeof (float));
    /* The first only told what the entries are. */
    if (r == 0)
      assay_release_free (release);
    else
      g_ptr_array_add (releases, release);
  }
  *ret_secrets = g_steal_pointer (&secrets);
  return releases;
}

static double
share_found (const AssayGuess *found, const AssayMatrix *secrets)
{
  gsize right = 0;

  for (gsize i = 0; i < secrets->rows; i++)
    right += memcmp (assay_view_row (estimates_of (found), i), secrets->data + i * COLS,
                     COLS * sizeof (float))
             == 0;
  return (double) right / (double) secrets->rows;
}

static double
choose (double n, double k)
{
  return k < 0 || k > n ? 0 : exp (lgamma (n + 1) - lgamma (k + 1) - lgamma (n - k + 1));
}

static double
inclusion (double m, double epsilon)
{
  return m * exp (epsilon) / (m * exp (epsilon) + K - m);
}

/* Two sets. The entry is in both and so are x others, drawn twice as m - 1 of K - 1: one of x + 1.
 * Or it is in one of them, and no other is in both: one of 2 m. */
static double
right_of_two (double m, double p)
{
  double both = 0;

  for (double x = 0; x < m; x++)
    both += choose (m - 1, x) * choose (K - m, m - 1 - x) / choose (K - 1, m - 1) / (x + 1);
  return p * p * both + 2 * p * (1 - p) * choose (K - m, m) / choose (K - 1, m) / (2 * m);
}

enum { MOST = 16 };

/* @inout_a times @b, up to degree MOST. */
static void
multiply (double *inout_a, const double *b)
{
  double product[MOST + 1] = { 0 };

  for (int i = 0; i <= MOST; i++)
    for (int j = 0; i + j <= MOST; j++)
      product[i + j] += inout_a[i] * b[j];
  memcpy (inout_a, product, sizeof product);
}

/* @n sets of one member each. With the entry in c of them, the other n - c members fall on K - 1
 * entries alike. That t of these are hit c times and none oftener has probability
 *   (n - c)! / (K - 1)^(n - c) [z^(n - c)] C (K - 1, t) (z^c / c!)^t f (z)^(K - 1 - t)
 * with f the sum of z^j / j! over j < c, and then one of t + 1 is the entry. */
static double
right_of_singles (int n, double p)
{
  double right = 0;

  for (int c = 1; c <= n; c++) {
    const int rest = n - c;

    for (int t = 0; t * c <= rest; t++) {
      double fewer[MOST + 1] = { 0 }, power[MOST + 1] = { 1 };

      for (int j = 0; j < c && j <= MOST; j++)
        fewer[j] = 1 / tgamma (j + 1);
      for (int i = 0; i < K - 1 - t; i++)
        multiply (power, fewer);
      right += choose (n, c) * pow (p, c) * pow (1 - p, rest) * tgamma (rest + 1)
               * pow (K - 1, -rest) * choose (K - 1, t) * pow (tgamma (c + 1), -t)
               * power[rest - t * c] / (t + 1);
    }
  }
  return right;
}

/* The closed forms, where what they must give is plain. */
Test (majority, closed_forms_agree)
{
  for (double p = 0.1; p < 1; p += 0.2) {
    assert_near (right_of_singles (1, p), p, 1e-12, "one set, p %g", p);
    /* Two single sets: the entry twice, or once against one other. A second look gains nothing. */
    assert_near (right_of_singles (2, p), p, 1e-12, "two sets, p %g", p);
    assert_near (right_of_two (1, p), p, 1e-12, "two sets, p %g", p);
    assert_near (right_of_singles (3, p),
                 p * p * p + 3 * p * p * (1 - p) + p * (1 - p) * (1 - p) * (1 - 1.0 / (K - 1)),
                 1e-12, "three sets, p %g", p);
  }
}

/* Shares of 3200 secrets; ties fall to the lowest number, which is the entry's one time in as many
 * as are tied, as every entry is as often a secret. */
Test (majority, share_found_is_exact)
{
  static const struct {
    double m, epsilon;
    gsize repeats;
  } cases[] = { { 1, 2, 1 },  { 1, 2, 2 }, { 1, 2, 3 }, { 1, 2, 7 }, { 1, 3, 4 },
                { 1, 1, 7 }, { 3, 2, 1 }, { 3, 4, 1 }, { 8, 2, 1 }, { 20, 3, 1 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    const double p = inclusion (cases[i].m, cases[i].epsilon);
    const double expected = cases[i].repeats == 1
                                ? right_of_two (cases[i].m, p)
                                : right_of_singles ((int) cases[i].repeats + 1, p);
    g_autofree char *text = g_strdup_printf ("members=%g epsilon=%g", cases[i].m, cases[i].epsilon);
    g_autoptr (AssayMatrix) secrets = NULL;
    g_autoptr (Releases) releases = release_entries (text, cases[i].repeats + 1, i + 1, &secrets);
    g_autoptr (AssayGuess) found = guess (&assay_attack_majority, "", releases, NULL, NULL);

    assert_near (share_found (found, secrets), expected,
                 DEVIATIONS * sqrt (expected * (1 - expected) / SECRETS), "%s, %zu repeats", text,
                 cases[i].repeats);
  }
}

/* ---- Against counting as it is defined ---- */

enum { N = 300, ENTRIES = 40, W = 3, RELEASES = 4, PUBLIC = 90 };

static AssayRelease *
random_sets (const AssayArray *dictionary, gsize n, gsize w, guint64 trial)
{
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_VECTOR_SETS, "test");
  AssayStream stream = assay_stream (assay_stream_key (5, trial, "sets", ""), 0);
  gint64 *sets = g_new (gint64, n * w);

  /* Members may repeat, as in a release that another program wrote. */
  for (gsize i = 0; i < n * w; i++)
    sets[i] = (gint64) assay_stream_below (&stream, 8) + (gint64) (i / w % 4) * 8;
  release->is_unit_norm = TRUE;
  assay_arrays_take (&release->arrays, "sets",
                     assay_array_take (ASSAY_INT64, 2, (const gsize[]){ n, w }, sets));
  assay_arrays_take (&release->arrays, "dictionary", assay_array_copy (dictionary));
  return release;
}

static AssayArray *
random_dictionary (gsize entries, guint64 trial)
{
  g_autoptr (AssayRows) raw = fixture_normal_rows (entries, COLS, trial);
  AssayMatrix *unit = assay_matrix_new (entries, COLS, NULL);

  assay_rows_read (raw, 0, entries, ASSAY_SCALE_UNIT, unit->data);
  return assay_array_take_matrix (unit);
}

/* What the prior says of each entry, by brute force: higher for the likelier. */
static void
naive_scores (const char *prior, AssayView entries, const AssayMatrix *public_rows, double *scores)
{
  gsize masses[ENTRIES] = { 0 };
  double square;

  for (gsize i = 0; i < public_rows->rows; i++)
    masses[naive_nearest_entry (entries, public_rows->data + i * COLS, &square)]++;
  for (gsize e = 0; e < entries.rows; e++) {
    double distance;

    naive_nearest_entry (assay_matrix_view (public_rows), assay_view_row (entries, e), &square);
    distance = sqrt (square);
    if (g_str_equal (prior, "nearest"))
      scores[e] = -distance;
    else if (g_str_equal (prior, "mass"))
      scores[e] = 1e3 * (double) masses[e] - distance;
    else if (g_str_equal (prior, "both"))
      scores[e] = (double) (masses[e] + 1) / pow (distance, 4);
    else
      scores[e] = -(double) e;
  }
}

/* The entry in most sets, and of these the one of highest score. */
static gsize
naive_majority (const Releases *releases, gsize secret, const double *scores)
{
  gsize best = 0, counts[ENTRIES] = { 0 };

  for (guint r = 0; r < releases->len; r++) {
    const AssayRelease *release = releases->pdata[r];
    const gint64 *set
        = assay_array_int64 (assay_arrays_get (&release->arrays, "sets")) + secret * W;

    for (gint64 e = 0; e < ENTRIES; e++)
      counts[e] += set[0] == e || set[1] == e || set[2] == e;
  }
  for (gsize e = 1; e < ENTRIES; e++)
    if (counts[e] > counts[best] || (counts[e] == counts[best] && scores[e] > scores[best]))
      best = e;
  return best;
}

/* The public rows as an attack reads them, of unit length. */
static AssayMatrix *
unit_rows (const AssayRows *rows)
{
  AssayMatrix *unit = assay_matrix_new (assay_rows_count (rows), COLS, NULL);

  assay_rows_read (rows, 0, unit->rows, ASSAY_SCALE_UNIT, unit->data);
  return unit;
}

Test (majority, agrees_with_counting)
{
  static const char *const priors[] = { "none", "nearest", "mass", "both" };
  g_autoptr (AssayArray) dictionary = random_dictionary (ENTRIES, 3);
  g_autoptr (AssayRows) public_rows = fixture_normal_rows (PUBLIC, COLS, 4);
  g_autoptr (AssayMatrix) unit = unit_rows (public_rows);
  const AssayView entries = assay_array_view (dictionary);
  gsize guesses[4][N];

  for (gsize p = 0; p < G_N_ELEMENTS (priors); p++) {
    g_autofree char *text = g_strdup_printf ("prior=%s", p > 0 ? priors[p] : "nearest");
    g_autoptr (Releases) releases = releases_new ();
    double scores[ENTRIES];

    naive_scores (priors[p], entries, unit, scores);
    for (guint64 r = 0; r < RELEASES; r++) {
      g_autoptr (AssayGuess) found = NULL;

      g_ptr_array_add (releases, random_sets (dictionary, N, W, r));
      if (r == 0)
        continue;
      found = guess (&assay_attack_majority, text, releases, p > 0 ? public_rows : NULL, NULL);
      for (gsize i = 0; i < N; i++) {
        guesses[p][i] = naive_majority (releases, i, scores);
        cr_assert (memcmp (assay_view_row (estimates_of (found), i),
                           assay_view_row (entries, guesses[p][i]), COLS * sizeof (float))
                       == 0,
                   "prior %s, %d repeats, secret %zu", priors[p], (int) r, i);
      }
    }
  }
  /* The priors are told apart: each pair of them disagrees on some secret. */
  for (gsize p = 0; p < 4; p++)
    for (gsize q = 0; q < p; q++)
      cr_assert (memcmp (guesses[p], guesses[q], sizeof guesses[p]) != 0, "%s, %s", priors[p],
                 priors[q]);
}

/* One set alone: set-guess under each prior is the majority of one. */
Test (majority, set_guess_ranks_by_the_same_priors)
{
  static const char *const priors[] = { "nearest", "mass", "both" };
  g_autoptr (AssayArray) dictionary = random_dictionary (ENTRIES, 3);
  g_autoptr (AssayRows) public_rows = fixture_normal_rows (PUBLIC, COLS, 4);
  g_autoptr (AssayMatrix) unit = unit_rows (public_rows);
  const AssayView entries = assay_array_view (dictionary);
  g_autoptr (Releases) releases = releases_new ();

  g_ptr_array_add (releases, random_sets (dictionary, N, W, 11));
  for (gsize p = 0; p < G_N_ELEMENTS (priors); p++) {
    g_autofree char *text = g_strdup_printf ("prior=%s", priors[p]);
    g_autoptr (AssayGuess) found
        = guess (&assay_attack_set_guess, text, releases, public_rows, NULL);
    double scores[ENTRIES];

    naive_scores (priors[p], entries, unit, scores);
    for (gsize i = 0; i < N; i++)
      cr_assert (memcmp (assay_view_row (estimates_of (found), i),
                         assay_view_row (entries, naive_majority (releases, i, scores)),
                         COLS * sizeof (float))
                     == 0,
                 "prior %s, secret %zu", priors[p], i);
  }
}

/* ---- Masses ---- */

/* More rows than are quantised together, against entries of unit length and of any; a row that is
 * no number counts for none, nor does one of zeros where rows are brought to unit length. */
Test (majority, masses_are_counts_of_nearest_entries)
{
  enum { ROWS = 9000 };
  g_autoptr (AssayArray) dictionary = random_dictionary (ENTRIES, 3);
  g_autoptr (AssayArray) unscaled = assay_array_take_matrix (fixture_normal (ENTRIES, COLS, 9));
  g_autoptr (AssayRelease) release = random_sets (dictionary, N, W, 1);
  g_autoptr (AssayRelease) other = random_sets (unscaled, N, W, 1);
  g_autoptr (AssayMatrix) raw = naive_clustered (ROWS, COLS, 6);
  g_autoptr (AssayMatrix) unit = NULL;
  g_autoptr (AssayRows) rows = NULL;
  g_autoptr (AssayArray) masses = NULL, again = NULL, others = NULL;
  gint64 expected[2][ENTRIES] = { { 0 } };
  VectorSets sets, other_sets;
  double square;

  memset (assay_matrix_row (raw, 4200), 0, COLS * sizeof (float));
  assay_matrix_row (raw, 17)[3] = NAN;
  rows = fixture_rows (raw);
  unit = unit_rows (rows);
  other->is_unit_norm = FALSE;
  sets = vector_sets_of (release);
  other_sets = vector_sets_of (other);
  for (gsize i = 0; i < ROWS; i++) {
    if (i != 17)
      expected[1][naive_nearest_entry (other_sets.entries, raw->data + i * COLS, &square)]++;
    if (i != 17 && i != 4200)
      expected[0][naive_nearest_entry (sets.entries, unit->data + i * COLS, &square)]++;
  }
  masses = vector_sets_masses (&sets, rows, NULL);
  others = vector_sets_masses (&other_sets, rows, NULL);
  again = vector_sets_masses (&sets, rows, NULL);
  cr_assert (memcmp (assay_array_int64 (masses), expected[0], sizeof expected[0]) == 0);
  cr_assert (memcmp (assay_array_int64 (others), expected[1], sizeof expected[1]) == 0);
  cr_assert (again->data == masses->data, "they were not kept");
}

/* ---- What is refused, and the control ---- */

static void
check_refused (const Releases *releases, const char *message)
{
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (guess (&assay_attack_majority, "", releases, NULL, &error) == NULL, "%s", message);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, message, NULL, &why), "%s", why);
}

Test (majority, refuses_what_does_not_fit)
{
  g_autoptr (AssayArray) dictionary = random_dictionary (ENTRIES, 3);
  g_autoptr (AssayArray) other = random_dictionary (ENTRIES, 4);
  g_autoptr (AssayArray) larger = random_dictionary (ENTRIES + 1, 3);
  g_autoptr (Releases) releases = releases_new ();
  g_autoptr (AssayRows) wide = fixture_normal_rows (9, COLS + 1, 1);
  g_autoptr (GError) error = NULL;
  VectorSets sets;

  g_ptr_array_add (releases, random_sets (dictionary, N, W, 1));
  check_refused (releases, "attack 'majority' needs 'repeats', which was not granted");
  g_ptr_array_add (releases, random_sets (dictionary, N, W, 2));
  g_ptr_array_add (releases, random_sets (other, N, W, 3));
  check_refused (releases, "attack majority: repeat 2: expected the dictionary of the release, "
                           "40 x 8, found another, 40 x 8");
  g_ptr_array_remove_index (releases, 2);
  g_ptr_array_add (releases, random_sets (larger, N, W, 3));
  check_refused (releases, "attack majority: repeat 2: expected the dictionary of the release, "
                           "40 x 8, found another, 41 x 8");
  g_ptr_array_remove_index (releases, 1);
  g_ptr_array_insert (releases, 1, random_sets (dictionary, N - 1, W, 3));
  check_refused (releases, "attack majority: repeat 1: expected sets of 300 secrets, as the "
                           "release has, found 299");
  sets = vector_sets_of (releases->pdata[0]);
  cr_assert (
      vector_sets_masses (&sets, wide, &error) == NULL
      && g_str_equal (error->message, "the public set has 9 columns, but the dictionary has 8"));
}

/* The attack as if there were the first repeat alone, or none. */
static gboolean
count_none (const AssayAttackContext *context, const AssayObservation *seen, AssayGuess *ret_guess,
            GError **error)
{
  AssayObservation once = *seen;

  once.n_repeats = 0;
  return assay_attack_majority.attack (context, &once, ret_guess, error);
}

Test (majority, control_is_won_by_counting_alone)
{
  static const char *const repeats[] = { "repeats=1", "repeats=4", "repeats=63" };
  AssayAttack blind = assay_attack_majority;

  blind.attack = count_none;
  for (guint64 seed = 0; seed < 20; seed++)
    for (gsize r = 0; r < G_N_ELEMENTS (repeats); r++) {
      g_autoptr (AssaySettings) settings = fixture_settings (&blind.plugin, repeats[r]);
      AssayControlOutcome outcome;

      cr_assert (assay_control_run (&assay_attack_majority, settings, seed, &outcome, NULL)
                     && outcome.is_won && outcome.share == 1,
                 "%s, seed %d: %g", repeats[r], (int) seed, outcome.share);
      cr_assert (assay_control_run (&blind, settings, seed, &outcome, NULL) && !outcome.is_won);
    }
}
