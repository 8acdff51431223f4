/* How long do attacks on the permutations and the sums of model updates take at large sizes?
 *
 *   bench-update-attacks [--runs N] [--threads N] [--quick] [--json]
 *
 * permutation-match: 20,480 weights, five users who hold a tenth of them each, 60 steps through one
 * permutation that stays. sum-unmix: one step of ten users with one sample of 512 columns each, so
 * that the sum has rank 10, which takes eleven classes under the hinge loss and nineteen under the
 * logistic one. --threads 1 is what "on one core" means. --quick: 2,048 weights, 12 steps; four
 * users. */
#include "attacks/updates/samples/update-control.h"
#include "attacks/updates/weights/weight-control.h"
#include "bench/measure.h"
#include "core/games/control.h"
#include "core/games/guesses/weights.h"
#include "core/math/linalg.h"

#define SEED 1
#define FOUND 0.05 /* relative error of a sample that counts as found */

/* Plays the attack @id on @made; the guess of the last run. */
static AssayGuess *
play (Report *report, const MeasureOptions *options, const char *id, const AssayControlCase *made)
{
  const AssayAttack *attack = assay_attack_of (measure_plugin (ASSAY_PLUGIN_ATTACK, id));
  g_autoptr (AssaySettings) settings = measure_settings (&attack->plugin, "");
  const AssayAttackContext context
      = { .settings = settings->values,
          .stream = assay_stream_key (SEED, 0, "attack", "bench-update-attacks") };
  const AssayObservation seen = { .release = made->release };
  AssayGuess *guess = NULL;
  Samples samples = { 0 };
  g_autoptr (GError) error = NULL;

  for (int run = 0; run < options->runs; run++) {
    Moment start;

    g_clear_pointer (&guess, assay_guess_free);
    guess = assay_guess_new ();
    start = measure_moment ();
    if (!assay_attack_run (attack, &context, &seen, guess, &error))
      measure_stop (id, error);
    measure_add (&samples, start);
  }
  report_times (report, "all s", measure_times (&samples));
  report_number (report, "processor s", measure_times (&samples).cpu, 2);
  return guess;
}

/* ---- Permutations ---- */

static void
run_permutation (Report *report, const MeasureOptions *options)
{
  const WeightControl sizes = { .users = 5,
                                .steps = options->is_quick ? 12 : 60,
                                .weights = options->is_quick ? 2048 : 20480,
                                .held = 0.1,
                                .has_messages = TRUE };
  AssayControlCase made = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) guess = NULL;
  AssayControlOutcome outcome = { 0 };

  if (!weight_control_make (&sizes, assay_stream_key (SEED, 0, "data", "bench-update-attacks"),
                            &made, &error))
    measure_stop ("updates", error);
  report_case (report, "permutation-match, P = %zu, %zu steps", sizes.weights, sizes.steps);
  guess = play (report, options, "permutation-match", &made);
  if (!assay_weights_judge (&made, guess, &outcome, &error))
    measure_stop ("claims", error);
  report_number (report, "right %", 100 * outcome.share, 1);
  assay_control_case_clear (&made);
}

/* ---- Sums ---- */

/* Secrets to which an estimate is near. */
static gsize
count_found (const AssayControlCase *made, const AssayGuess *guess)
{
  const AssayView secrets = assay_array_view (assay_arrays_get (&made->truth->arrays, "secrets"));
  const AssayView estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates"));
  gsize found = 0;

  for (gsize i = 0; i < secrets.rows; i++) {
    gboolean is_found = FALSE;

    for (gsize e = 0; e < estimates.rows && !is_found; e++) {
      double off = 0, length = 0;

      for (gsize j = 0; j < secrets.cols; j++) {
        const double x = (double) assay_view_row (secrets, i)[j];
        const double y = (double) assay_view_row (estimates, e)[j];

        off += (x - y) * (x - y);
        length += x * x;
      }
      is_found = off <= FOUND * FOUND * length;
    }
    found += is_found;
  }
  return found;
}

static void
run_sum (Report *report, const MeasureOptions *options, AssayLoss loss)
{
  const gsize users = options->is_quick ? 4 : 10;
  const UpdateControl sizes
      = { .training = { .classes = loss == ASSAY_LOSS_HINGE ? users + 1 : 2 * users - 1,
                        .cols = 512,
                        .loss = loss,
                        .rate = 1e-3 },
          .users = users,
          .steps = 1 };
  AssayStream stream
      = assay_stream (assay_stream_key (SEED, 0, "data", "bench-update-attacks"), 1 + loss);
  AssayControlCase made = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGuess) guess = NULL;

  if (!update_control_draw (&sizes, &stream, &made, &error))
    measure_stop ("updates", error);
  report_case (report, "sum-unmix, r = %zu, %s", users, assay_losses[loss]);
  guess = play (report, options, "sum-unmix", &made);
  report_number (report, "right %", 100 * (double) count_found (&made, guess) / (double) users, 1);
  assay_control_case_clear (&made);
}

int
main (int argc, char **argv)
{
  g_auto (MeasureOptions) options = measure_options ("update-attacks", 3, NULL, argc, argv);
  g_autoptr (Report) report
      = report_new (&options, SEED, "model updates: permutations that stay, and sums of samples");

  run_permutation (report, &options);
  run_sum (report, &options, ASSAY_LOSS_HINGE);
  run_sum (report, &options, ASSAY_LOSS_LOGISTIC);
  return 0;
}
