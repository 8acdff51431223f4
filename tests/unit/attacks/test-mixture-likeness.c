/* The control of mixture-inversion that has the shape of a cell: what is in it, that the attack
 * wins it, and that one which does not do its work loses it. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/mixtures/mixture-likeness.h"
#include "core/data/kinds/mixtures.h"
#include "core/games/control-like.h"
#include "core/games/control-shape.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"
#include "tests/unit/attacks/inversion-sizes.h"

extern const AssayAttack assay_attack_mixture_inversion;

enum { K = 4, CLASSES = 4 };

typedef struct {
  InstaHide *made;
  AssayRelease *release;
  AssayRows *public_rows;
  AssayObservation seen;
} Cell;

static void
cell_clear (Cell *cell)
{
  instahide_free (cell->made);
  assay_release_free (cell->release);
  assay_rows_unref (cell->public_rows);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cell, cell_clear)

/* 360 mixtures of 12 secrets, with labels, behind 200 public images. */
static void
cell_make (const InstaHideSizes *wanted, Cell *cell)
{
  InstaHide *made = cell->made = instahide_new (wanted);
  AssayRelease *release = cell->release = assay_release_new (ASSAY_RELEASE_MIXTURES, "test");

  release->geometry
      = (AssayGeometry){ .height = wanted->side, .width = wanted->side, .channels = 1 };
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, k, K);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, partners, K - 2);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, epochs, (gint64) wanted->n_epochs);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, max_coefficient, 0.65);
  ASSAY_SET_PARAMETER (release, AssayMixturesParameters, private_share, 0.3);
  assay_arrays_take (
      &release->arrays, "images",
      assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (made->mixtures), NULL)));
  assay_arrays_take (
      &release->arrays, "labels",
      assay_array_take_matrix (assay_matrix_copy (assay_matrix_view (made->labels), NULL)));
  cell->public_rows = fixture_rows (made->publics);
  cell->seen = (AssayObservation){ .release = release, .public_rows = cell->public_rows };
}

static AssayStreamKey
case_key (void)
{
  return assay_stream_key (1, 0, "case", "");
}

/* ---- What is in it ---- */

static void
make (const MixtureLikeness *like, const Cell *cell, AssayControlCase *ret_case)
{
  g_autoptr (GError) error = NULL;

  cr_assert (mixture_likeness_make (like, case_key (), &cell->seen, ret_case, &error), "%s",
             error != NULL ? error->message : "");
}

/* Pixels, images in a mixture, mixtures of a secret and secrets are those of the cell, and each
 * secret is in twice as many mixtures as were made of it. */
Test (mixture_likeness, has_the_shape_of_the_cell)
{
  g_auto (Cell) cell = { 0 };
  AssayControlCase made = { 0 };
  const AssayArray *images, *labels, *sources;
  guint uses[12] = { 0 };

  cell_make (&sizes, &cell);
  make (&(MixtureLikeness){ K, 12, 0.65 }, &cell, &made);
  images = assay_arrays_get (&made.release->arrays, "images");
  labels = assay_arrays_get (&made.release->arrays, "labels");
  sources = assay_arrays_get (&made.truth->arrays, "sources");
  cr_assert (images->shape[0] == 360 && images->shape[1] == 24 * 24);
  cr_assert (labels->shape[0] == 360 && labels->shape[1] == CLASSES);
  cr_assert_eq (made.release->geometry.height, 24);
  cr_assert_eq (*ASSAY_PARAMETER (made.release, AssayMixturesParameters, k), K);
  cr_assert_eq (*ASSAY_PARAMETER (made.release, AssayMixturesParameters, epochs), 30);
  cr_assert_eq (assay_arrays_get (&made.truth->arrays, "secrets")->shape[0], 12);
  cr_assert_eq (assay_rows_count (made.public_rows), 200 - 12);
  for (gsize i = 0; i < 360; i++) {
    const gint64 *pair = assay_array_int64 (sources) + 2 * i;
    const float *shares = assay_view_row (assay_array_view (labels), i);
    float sum = 0;

    cr_assert (pair[0] != pair[1]);
    uses[pair[0]]++;
    uses[pair[1]]++;
    for (gsize c = 0; c < CLASSES; c++)
      sum += shares[c];
    cr_assert (sum > 0.2999f && sum < 1, "mixture %zu: %g", i, (double) sum);
  }
  for (gsize i = 0; i < 12; i++)
    cr_assert_eq (uses[i], 60, "secret %zu is in %u", i, uses[i]);
  assay_control_case_clear (&made);
}

/* The secrets are public images of the cell, and no longer public. */
Test (mixture_likeness, is_of_public_images)
{
  g_auto (Cell) cell = { 0 };
  AssayControlCase made = { 0 };
  g_autoptr (AssayMatrix) others = NULL;
  AssayView secrets;

  cell_make (&sizes, &cell);
  make (&(MixtureLikeness){ K, 12, 0.65 }, &cell, &made);
  others = assay_rows_matrix (made.public_rows, ASSAY_SCALE_NONE, NULL);
  secrets = assay_array_view (assay_arrays_get (&made.truth->arrays, "secrets"));
  for (gsize i = 0; i < 12; i++) {
    const gsize bytes = secrets.cols * sizeof (float);
    gsize in_public = 0, in_others = 0;

    for (gsize p = 0; p < cell.made->publics->rows; p++)
      in_public
          += memcmp (assay_view_row (secrets, i), assay_matrix_row (cell.made->publics, p), bytes)
             == 0;
    for (gsize p = 0; p < others->rows; p++)
      in_others += memcmp (assay_view_row (secrets, i), assay_matrix_row (others, p), bytes) == 0;
    cr_assert (in_public == 1 && in_others == 0, "secret %zu", i);
  }
  assay_control_case_clear (&made);
}

/* Fewer secrets where the public set or the cost asks for it, and the same of everything else; none
 * where nothing is left. */
Test (mixture_likeness, is_smaller_where_it_must_be)
{
  InstaHideSizes few = sizes;
  g_auto (Cell) cell = { 0 };
  AssayControlCase made = { 0 };

  few.n_public = 24;
  cell_make (&few, &cell);
  make (&(MixtureLikeness){ K, 12, 0.65 }, &cell, &made);
  cr_assert_eq (assay_arrays_get (&made.truth->arrays, "secrets")->shape[0], 6);
  cr_assert_eq (assay_release_count (made.release), 6 * 30);
  assay_control_case_clear (&made);
  /* 22 secrets in each mixture. */
  make (&(MixtureLikeness){ 24, 12, 0.65 }, &cell, &made);
  cr_assert_null (made.release);
  cell.seen.public_rows = NULL;
  make (&(MixtureLikeness){ K, 12, 0.65 }, &cell, &made);
  cr_assert_null (made.release);
}

/* ---- Who wins it ---- */

/* A right estimate with noise has a correlation of 0.7 with its secret: nearer than others are to
 * it, and not recovered. */
static gboolean
attack_with_noise (const AssayAttackContext *context, const AssayObservation *seen,
                   AssayGuess *ret_guess, GError **error)
{
  AssayStream stream = assay_stream (context->stream, 1);
  AssayArray *noisy;
  AssayView estimates;

  if (!assay_attack_mixture_inversion.attack (context, seen, ret_guess, error))
    return FALSE;
  estimates = assay_array_view (assay_arrays_get (&ret_guess->arrays, "estimates"));
  noisy = assay_array_take_matrix (assay_matrix_copy (estimates, NULL));
  for (gsize i = 0; i < estimates.rows * estimates.cols; i++)
    ((float *) (gpointer) noisy->data)[i] += (float) assay_stream_normal (&stream);
  assay_arrays_take (&ret_guess->arrays, "estimates", noisy);
  return TRUE;
}

static AssayControlOutcome
play (const AssayAttack *attack, const char *assignments)
{
  g_auto (Cell) cell = { 0 };
  g_autoptr (AssaySettings) settings = fixture_settings (&attack->plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (1, 0, "attack", "") };
  AssayControlOutcome outcome;
  g_autoptr (GError) error = NULL;

  cell_make (&sizes, &cell);
  cr_assert (assay_control_play_like (attack, &context, case_key (), &cell.seen, &outcome, &error),
             "%s", error != NULL ? error->message : "");
  return outcome;
}

Test (mixture_likeness, the_attack_wins_it)
{
  const AssayControlOutcome outcome = play (&assay_attack_mixture_inversion, "");

  cr_assert_eq (outcome.n, 12);
  cr_assert (outcome.is_won && outcome.share > 0.8, "%g", outcome.share);
}

Test (mixture_likeness, who_recovers_less_loses_it)
{
  AssayAttack noisy = assay_attack_mixture_inversion;
  AssayControlOutcome outcome;

  noisy.attack = attack_with_noise;
  outcome = play (&noisy, "");
  cr_assert_eq (outcome.n, 12);
  cr_assert (!outcome.is_won && outcome.share < 0.2, "%g", outcome.share);
}

/* Of pairs nobody says what share would be enough. */
Test (mixture_likeness, of_pairs_there_is_none)
{
  cr_assert_eq (play (&assay_attack_mixture_inversion, "game=pair").n, 0);
}

/* What is judged is a share of secrets by their best estimate, up to the sign. */
Test (mixture_likeness, judges_by_correlation)
{
  static const float secrets[] = { 1, 2, 3, 4, 4, 1, 3, 1 };
  static const float estimates[] = { 2, 4, 6, 8, 0, 0, 1, 0 };
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  AssayControlOutcome outcome;

  assay_arrays_take_rows (&truth->arrays, "secrets", ASSAY_FLOAT32, 2, 4,
                          g_memdup2 (secrets, sizeof secrets));
  assay_arrays_take_rows (&guess->arrays, "estimates", ASSAY_FLOAT32, 2, 4,
                          g_memdup2 (estimates, sizeof estimates));
  outcome = assay_control_shape_judge (&assay_attack_mixture_inversion, truth, guess);
  cr_assert (outcome.is_won && outcome.n == 2);
  assert_near (outcome.share, 0.5, 1e-12, "one of two");
}
