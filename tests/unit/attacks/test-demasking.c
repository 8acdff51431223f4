/* Signs of masked mixtures: what a network learns, how they are counted, what is refused. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "attacks/mixtures/mixture-control.h"
#include "core/base/parallel.h"
#include "core/data/kinds/mixtures.h"
#include "core/games/control.h"
#include "tests/reference/fixtures.h"
#include "tests/unit/assert-near.h"

extern const AssayAttack assay_attack_demasking;
extern const AssayMetric assay_metric_sign_recovery;

enum { SIDE = 12, COLS = SIDE * SIDE, N = 40 };

/* Squares of normal numbers less their mean 1, and mixtures of four of them: above 0 rarely, but
 * then far above, where |z| > 1 has no other reason. */
static AssayControlCase
make_case (void)
{
  const MixtureControl control = { .n_secrets = N,
                                   .n_public = 150,
                                   .side = SIDE,
                                   .n_sources = 2,
                                   .n_partners = 2,
                                   .is_positive = TRUE };
  AssayStream stream = assay_stream (assay_stream_key (3, 0, "mask", ""), 0);
  g_autoptr (AssayMatrix) rows = assay_matrix_new (150, COLS, NULL);
  AssayControlCase made = { 0 };
  float *images;

  cr_assert (mixture_control_make (&control, assay_stream_key (2, 0, "case", ""), &made, NULL));
  assay_rows_read (made.public_rows, 0, 150, ASSAY_SCALE_NONE, rows->data);
  for (gsize i = 0; i < 150 * COLS; i++)
    rows->data[i] -= 1;
  assay_rows_unref (made.public_rows);
  made.public_rows = fixture_rows (rows);
  images = (float *) assay_arrays_get (&made.release->arrays, "images")->data;
  for (gsize i = 0; i < N * COLS; i++)
    images[i] = (images[i] - 1) * (assay_stream_below (&stream, 2) == 1 ? -1.0F : 1.0F);
  return made;
}

static AssayGuess *
play (const AssayControlCase *of, const char *assignments, AssayRows *public_rows, GError **error)
{
  g_autoptr (AssaySettings) settings
      = fixture_settings (&assay_attack_demasking.plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values, .stream = assay_stream_key (5, 0, "attack", "") };
  const AssayObservation seen = { .release = of->release, .public_rows = public_rows };
  g_autoptr (AssayGuess) guess = assay_guess_new ();

  return assay_attack_run (&assay_attack_demasking, &context, &seen, guess, error)
             ? g_steal_pointer (&guess)
             : NULL;
}

/* Whether z is above 0 more often, and what follows from |z| > 1 as well. Signs are independent of
 * those of other pixels: of 5,760 one half of a percent is a deviation. */
Test (demasking, learns_what_absolute_values_tell)
{
  AssayControlCase of = make_case ();
  g_autoptr (AssayGuess) guess = play (&of, "", of.public_rows, NULL);
  g_autoptr (AssayGuess) again = NULL;
  const float *found = assay_array_view (assay_arrays_get (&guess->arrays, "estimates")).data;
  const float *images = assay_array_view (assay_arrays_get (&of.release->arrays, "images")).data;
  AssayStream stream = assay_stream (assay_stream_key (3, 0, "mask", ""), 0);
  double above = 0, right = 0, n_far = 0;

  for (gsize i = 0; i < N * COLS; i++) {
    const float z = images[i] * (assay_stream_below (&stream, 2) == 1 ? -1.0F : 1.0F);

    above += z > 0;
    right += (found[i] > 0) == (z > 0);
    n_far += fabsf (z) > 1.2F && found[i] < 0;
    cr_assert_leq (fabsf (found[i]), fabsf (z) * 1.0001F);
  }
  above /= N * COLS;
  right /= N * COLS;
  cr_log_info ("above 0: %g, right: %g; %s", above, right, guess->says);
  cr_assert_gt (right, fmax (above, 1 - above) + 0.02);
  cr_assert_lt (n_far, 5.0);
  assay_parallel_set_threads (1);
  again = play (&of, "", of.public_rows, NULL);
  cr_assert_eq (memcmp (found, assay_arrays_get (&again->arrays, "estimates")->data,
                        N * COLS * sizeof (float)),
                0);
  assay_control_case_clear (&of);
}

static double
mean_rank (const AssayControlCase *of, const AssayGuess *guess)
{
  const gint64 *candidates = assay_array_int64 (assay_arrays_get (&guess->arrays, "candidates"));
  const gint64 *partners = assay_array_int64 (assay_arrays_get (&of->truth->arrays, "partners"));
  double sum = 0;

  for (gsize i = 0; i < N; i++)
    for (gsize c = 0; c < 150; c++)
      for (gsize j = 0; j < 2; j++)
        sum += candidates[i * 150 + c] == partners[2 * i + j] ? (double) c : 0;
  return sum / (2 * N);
}

/* By chance the mean rank of two of 150 is 74.5, of 40 mixtures with a deviation of 4.8. The
 * inner product with what is masked knows no more. */
Test (demasking, then_public_images_are_ranked)
{
  AssayControlCase of = make_case ();
  g_autoptr (AssayGuess) product = play (&of, "then=inner-product", of.public_rows, NULL);
  g_autoptr (AssayGuess) squares = play (&of, "then=braverman", of.public_rows, NULL);

  cr_log_info ("mean ranks: %g, %g", mean_rank (&of, product), mean_rank (&of, squares));
  cr_assert_lt (mean_rank (&of, product), 74.5 - 4 * 4.8);
  cr_assert_lt (mean_rank (&of, squares), 74.5 - 4 * 4.8);
  assay_control_case_clear (&of);
}

Test (demasking, control_is_won)
{
  static const char *const cases[]
      = { "encodings=800", "encodings=800 then=inner-product centre=yes",
          "encodings=800 then=braverman" };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (AssaySettings) settings
        = fixture_settings (&assay_attack_demasking.plugin, cases[i]);
    AssayControlOutcome outcome;

    cr_assert (assay_control_run (&assay_attack_demasking, settings, 1, &outcome, NULL));
    cr_assert (outcome.is_won, "%s: %g", cases[i], outcome.share);
  }
}

/* A public image that is so far out that sums of its pixels are infinite: the first epochs, as they
 * are drawn here, have no mixture of it, and a later one has. */
Test (demasking, a_training_that_diverged_is_doubted)
{
  enum { PUBLIC = 1500 };
  AssayControlCase of = make_case ();
  g_autoptr (AssayMatrix) rows = fixture_normal (PUBLIC, COLS, 4);
  AssayRows *public_rows = fixture_rows (rows);
  g_autoptr (AssayGuess) guess = play (&of, "encodings=64 epochs=40", public_rows, NULL);
  g_autoptr (AssayGuess) doubted = NULL;

  cr_assert (isnan (guess->confidence), "%s", guess->says);
  assay_rows_unref (public_rows);
  for (gsize a = 0; a < COLS; a++)
    assay_matrix_row (rows, 700)[a] = 3e38F;
  public_rows = fixture_rows (rows);
  doubted = play (&of, "encodings=64 epochs=40", public_rows, NULL);
  cr_assert (doubted != NULL && strstr (doubted->says, " (then it diverged)") != NULL, "%s",
             doubted != NULL ? doubted->says : "");
  cr_assert_eq (doubted->confidence, 0);
  assay_rows_unref (public_rows);
  assay_control_case_clear (&of);
}

/* Three pixels, two secrets and one public row: z = 0.5 x_0 + 0.25 x_1 + 0.25 s. */
Test (demasking, signs_by_hand)
{
  static float secrets[] = { 2, -2, 4, 0, 4, -4 }, row[] = { 4, 0, -8 };
  static gint64 sources[] = { 0, 1 }, partners[] = { 0 };
  static float shares[] = { 0.5F, 0.25F, 0.25F };
  static const float guessed[] = { 5, 1, -1 }; /* z is 2, 0, -1 */
  AssayMatrix public_row = { .rows = 1, .cols = 3, .data = row };
  AssayDataset dataset = { .public_rows = fixture_rows (&public_row) };
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (AssaySettings) known = fixture_settings (&assay_metric_sign_recovery.plugin, "");
  g_autoptr (AssaySettings) free
      = fixture_settings (&assay_metric_sign_recovery.plugin, "sign=free");
  AssayMetricContext context = { .settings = known->values, .dataset = &dataset };
  AssayOutcomes outcomes = { 0 }, turned = { 0 }, lacking = { 0 };
  GError *error = NULL;
  g_autofree char *why = NULL;
  float *estimates;

  assay_arrays_take_rows (&truth->arrays, "secrets", ASSAY_FLOAT32, 2, 3,
                          g_memdup2 (secrets, sizeof secrets));
  assay_arrays_take_rows (&truth->arrays, "sources", ASSAY_INT64, 1, 2,
                          g_memdup2 (sources, sizeof sources));
  assay_arrays_take_rows (&truth->arrays, "partners", ASSAY_INT64, 1, 1,
                          g_memdup2 (partners, sizeof partners));
  assay_arrays_take_rows (&truth->arrays, "coefficients", ASSAY_FLOAT32, 1, 3,
                          g_memdup2 (shares, sizeof shares));
  assay_arrays_take_rows (&guess->arrays, "estimates", ASSAY_FLOAT32, 1, 3,
                          g_memdup2 (guessed, sizeof guessed));
  cr_assert (assay_metric_sign_recovery.measure (&context, truth, guess, &outcomes, NULL));
  assert_near (outcomes.series[0][0], 2.5 / 3, 1e-12, "right");
  assert_near (outcomes.series[1][0], 1, 1e-12, "weighted");
  estimates = (float *) assay_arrays_get (&guess->arrays, "estimates")->data;
  for (gsize a = 0; a < 3; a++)
    estimates[a] = -estimates[a];
  context.settings = free->values;
  cr_assert (assay_metric_sign_recovery.measure (&context, truth, guess, &turned, NULL));
  assert_near (turned.series[0][0], 2.5 / 3, 1e-12, "right but for the sign of all");
  context.dataset = NULL;
  cr_assert (!assay_metric_sign_recovery.measure (&context, truth, guess, &lacking, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH,
                               "public images were mixed in; expected the dataset that has them",
                               NULL, &why),
             "%s", why);
  assay_outcomes_clear (&outcomes);
  assay_outcomes_clear (&turned);
  assay_outcomes_clear (&lacking);
  assay_rows_unref (dataset.public_rows);
}

static void
refused (const AssayControlCase *of, AssayRows *rows, const char *message)
{
  g_autofree char *why = NULL;
  GError *error = NULL;

  cr_assert (play (of, "", rows, &error) == NULL);
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_MISMATCH, message, NULL, &why), "%s", why);
}

Test (demasking, is_refused)
{
  AssayControlCase of = make_case ();
  g_autoptr (AssayRows) wide = fixture_normal_rows (20, COLS + 1, 1);
  g_autoptr (AssayRows) few = fixture_normal_rows (3, COLS, 1);
  g_autoptr (AssaySettings) odd = fixture_settings (&assay_attack_demasking.plugin, "width=12");
  GError *error = NULL;
  g_autofree char *why = NULL;

  refused (&of, wide,
           "attack demasking: public images have 145 numbers; expected 144, as the mixtures have");
  refused (&of, few, "attack demasking: 3 public images; expected 4 or more to mix");
  of.release->geometry.height = 0;
  refused (&of, of.public_rows,
           "attack demasking: the release does not say what images its rows are; expected its "
           "geometry");
  cr_assert (!assay_attack_demasking.check (odd->values, &(AssayShape){ 0 }, &error));
  cr_assert (fixture_error_is (&error, ASSAY_ERROR_PARAMETER,
                               "width = 12: expected a multiple of 8", NULL, &why),
             "%s", why);
  assay_control_case_clear (&of);
}
