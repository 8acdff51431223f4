/* Similarities that are learned: which public image, which pairs, windows, labels that say nothing,
 * and what is refused. */
#include <criterion/criterion.h>
#include <string.h>

#include "attacks/mixtures/mixture-control.h"
#include "core/base/parallel.h"
#include "core/data/kinds/mixtures.h"
#include "core/games/control.h"
#include "core/math/mixture.h"
#include "tests/reference/fixtures.h"

extern const AssayAttack assay_attack_learned_similarity;

enum { SIDE = 8, COLS = SIDE * SIDE, N = 30, PUBLIC = 40 };

/* Smooth images: of two public ones each, or, without public ones, two of ten secrets. */
static AssayControlCase
make_case (gboolean is_link, gboolean has_mask)
{
  MixtureControl control = { .n_secrets = is_link ? N : 10,
                             .n_public = is_link ? PUBLIC : 0,
                             .side = SIDE,
                             .n_sources = is_link ? 1 : 2,
                             .n_partners = is_link ? 2 : 0,
                             .n_epochs = is_link ? 1 : 3,
                             .window = 3,
                             .has_mask = has_mask };
  AssayControlCase made = { 0 }, own = { 0 };

  cr_assert (mixture_control_make (&control, assay_stream_key (2, 0, "case", ""), &made, NULL));
  control.n_secrets *= 10;
  control.public_rows = made.public_rows;
  cr_assert (mixture_control_make (&control, assay_stream_key (2, 1, "case", ""), &own, NULL));
  made.pairs = assay_pairs_new (FALSE);
  g_ptr_array_add (
      made.pairs->releases,
      assay_own_release_new (g_steal_pointer (&own.release), g_steal_pointer (&own.truth), NULL));
  assay_control_case_clear (&own);
  return made;
}

static AssayGuess *
play (const AssayControlCase *of, const char *assignments, GError **error)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_learned_similarity.plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (5, 0, "attack", "") };
  const AssayObservation seen
      = { .release = of->release, .public_rows = of->public_rows, .pairs = of->pairs };
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  return assay_attack_run (&assay_attack_learned_similarity, &context, &seen, guess, error)
             ? g_steal_pointer (&guess)
             : NULL;
}

/* The mean rank, from 0, of the public images of each mixture. By chance it is that of two of
 * PUBLIC, 19.5, with a deviation of 1.5 for 60 of them. */
static double
mean_rank (const AssayControlCase *of, const AssayGuess *guess)
{
  const gint64 *candidates = assay_array_int64 (assay_arrays_get (&guess->arrays, "candidates"));
  const gint64 *partners = assay_array_int64 (assay_arrays_get (&of->truth->arrays, "partners"));
  double sum = 0;

  for (gsize i = 0; i < N; i++)
    for (gsize c = 0; c < PUBLIC; c++)
      for (gsize j = 0; j < 2; j++)
        sum += candidates[i * PUBLIC + c] == partners[2 * i + j] ? (double) c : 0;
  return sum / (2 * N);
}

Test (learned_similarity, ranks_public_images)
{
  AssayControlCase of = make_case (TRUE, FALSE);
  g_autoptr (AssayGuess) guess = play (&of, "", NULL);
  g_autoptr (AssayGuess) again = NULL;
  const AssayArray *candidates = assay_arrays_get (&guess->arrays, "candidates");
  const double rank = mean_rank (&of, guess);

  cr_log_info ("mean rank %g; %s", rank, guess->says);
  cr_assert_lt (rank, 9.0);
  assay_parallel_set_threads (1);
  again = play (&of, "", NULL);
  cr_assert_eq (memcmp (candidates->data, assay_arrays_get (&again->arrays, "candidates")->data,
                        N * PUBLIC * sizeof (gint64)),
                0);
  assay_control_case_clear (&of);
}

/* Signs that are drawn at random hide the sign of an image, and not how large its numbers are. */
Test (learned_similarity, sees_through_a_mask)
{
  AssayControlCase of = make_case (TRUE, TRUE);
  g_autoptr (AssayGuess) guess = play (&of, "epochs=8", NULL);
  const double rank = mean_rank (&of, guess);

  cr_log_info ("mean rank %g; %s", rank, guess->says);
  cr_assert_lt (rank, 19.5 - 4 * 1.5);
  assay_control_case_clear (&of);
}

/* The mixtures of a release that are moved are those of moved public images, and the network has
 * seen others only. */
Test (learned_similarity, tries_all_windows)
{
  AssayControlCase of = make_case (TRUE, FALSE);
  float *images = (float *) assay_arrays_get (&of.release->arrays, "images")->data;
  g_autoptr (AssayGuess) without = NULL;
  g_autoptr (AssayGuess) with = NULL;

  for (gsize i = 0; i < N; i++) {
    float moved[COLS];

    assay_mixture_window (&of.release->geometry, 2, -1, FALSE, images + i * COLS, moved);
    memcpy (images + i * COLS, moved, sizeof moved);
  }
  without = play (&of, "", NULL);
  with = play (&of, "all_windows=yes shift=2", NULL);
  cr_assert_lt (mean_rank (&of, with), mean_rank (&of, without) - 2, "%g, %g",
                mean_rank (&of, with), mean_rank (&of, without));
  assay_control_case_clear (&of);
}

/* The share of pairs with a common secret and pairs without of which the former score higher. */
static double
area (const AssayControlCase *of, const AssayGuess *guess)
{
  const AssayArray *pairs = assay_arrays_get (&guess->arrays, "pairs");
  const float *scores = (const float *) assay_arrays_get (&guess->arrays, "scores")->data;
  const gint64 *sources = assay_array_int64 (assay_arrays_get (&of->truth->arrays, "sources"));
  const gsize p = pairs->shape[0];
  g_autofree gboolean *shares = g_new (gboolean, p);
  double right = 0, all = 0;

  for (gsize i = 0; i < p; i++) {
    const gint64 *a = sources + 2 * assay_array_int64 (pairs)[2 * i];
    const gint64 *b = sources + 2 * assay_array_int64 (pairs)[2 * i + 1];

    shares[i] = a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1];
  }
  for (gsize i = 0; i < p; i++)
    for (gsize j = 0; j < p; j++)
      if (shares[i] && !shares[j]) {
        right += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
        all++;
      }
  return right / all;
}

Test (learned_similarity, scores_pairs)
{
  AssayControlCase of = make_case (FALSE, FALSE);
  g_autoptr (AssayGuess) guess = play (&of, "game=pair", NULL);

  cr_log_info ("area %g; %s", area (&of, guess), guess->says);
  cr_assert_eq (assay_arrays_get (&guess->arrays, "pairs")->shape[0], 30 * 29 / 2);
  cr_assert_gt (area (&of, guess), 0.8);
  assay_control_case_clear (&of);
}

/* Other public images are said to be in them. */
Test (learned_similarity, says_that_it_learned_nothing)
{
  AssayControlCase of = make_case (TRUE, FALSE);
  const AssayOwnRelease *own = assay_pairs_get (of.pairs, 0);
  AssayArray *partners = (AssayArray *) assay_arrays_get (&own->known, "partners");
  AssayStream stream = assay_stream (assay_stream_key (7, 0, "others", ""), 0);
  g_autoptr (AssayGuess) guess = NULL;
  g_autoptr (AssayGuess) true_guess = play (&of, "epochs=1", NULL);

  cr_assert (strstr (true_guess->says, "they learned nothing") == NULL, "%s", true_guess->says);
  for (gsize i = 0; i < partners->shape[0] * 2; i++)
    ((gint64 *) partners->data)[i] = (gint64) assay_stream_below (&stream, PUBLIC);
  guess = play (&of, "epochs=1", NULL);
  cr_assert (strstr (guess->says, "they learned nothing") != NULL, "%s", guess->says);
  assay_control_case_clear (&of);
}

static void
refused (const AssayControlCase *of, const char *assignments, AssayErrorCode code,
         const char *message)
{
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (play (of, assignments, &error) == NULL);
  cr_assert (fixture_error_is (&error, code, message, NULL, &why), "%s", why);
}

Test (learned_similarity, is_refused)
{
  AssayControlCase of = make_case (FALSE, FALSE), few = make_case (TRUE, FALSE);
  const AssayOwnRelease *own = assay_pairs_get (few.pairs, 0);
  g_autoptr (AssaySettings) odd
      = fixture_settings (&assay_attack_learned_similarity.plugin, "width=12");
  g_autoptr (AssayRows) rows = fixture_normal_rows (20, COLS, 1);
  GError *error = NULL;
  g_autofree char *why = NULL;

  refused (
      &of, "game=pair levels=2", ASSAY_ERROR_PARAMETER,
      "attack learned-similarity: levels = 2: images are 8 x 8 pixels; expected sides that can "
      "be halved so often, to 4 or more");
  of.public_rows = g_steal_pointer (&rows);
  refused (&of, "", ASSAY_ERROR_MISMATCH,
           "attack learned-similarity: encodings of the attacker's own have no public images in "
           "them; expected a defense that mixes some in, and tells which (partners of the truth)");
  of.release->geometry.height = 0;
  refused (&of, "game=pair", ASSAY_ERROR_MISMATCH,
           "attack learned-similarity: the release does not say what images its rows are; expected "
           "its geometry");
  for (gsize i = 0; i < assay_arrays_get (&own->known, "partners")->shape[0] * 2; i++)
    ((gint64 *) assay_arrays_get (&own->known, "partners")->data)[i] = i < 10 ? 0 : PUBLIC;
  refused (&few, "", ASSAY_ERROR_MISMATCH,
           "attack learned-similarity: 5 pairs of images of the attacker's own belong together; "
           "expected some of 20 or more left images");
  cr_assert (!assay_attack_learned_similarity.check (odd->values, &(AssayShape){ 0 }, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "width = 12: expected a multiple of 8", NULL, &why),
             "%s", why);
  assay_control_case_clear (&of);
  assay_control_case_clear (&few);
}
