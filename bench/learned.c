/* How fast does an attacker learn to undo a defense, and play? The attack learned-inversion on
 * pairs of rows that a random rotation turned, with noise of a tenth, beside ridge regression by
 * NumPy (bench/learned.py: the same steps on the same numbers and BLAS).
 *
 *   bench-learned [--runs N] [--threads N] [--numpy PYTHON --script FILE] [--quick] [--json]
 *
 * `ridge` is learner = ridge, which NumPy does too; `best` has the race of all learners before it.
 * --quick takes a tenth of the pairs and a quarter of the columns. */
#include <math.h>
#include <stdio.h>

#include "attacks/adaptive/own-examples.h"
#include "bench/measure.h"
#include "core/games/control-case.h"
#include "core/games/control.h"

#define SEED 1
#define NOISE 0.1

typedef struct {
  gsize pairs, cols, secrets;
  double wanted; /* seconds; 0: as they come */
} Case;

static const Case cases[]
    = { { 10000, 512, 200, 2 }, { 10000, 128, 200, 0 }, { 400, 512, 200, 0 } };

static void
add_noise (const AssayArray *vectors, guint64 item)
{
  AssayStream stream = assay_stream (assay_stream_key (SEED, 0, "noise", "bench-learned"), item);
  float *values = (float *) (gpointer) vectors->data;

  for (gsize i = 0; i < assay_array_count (vectors); i++)
    values[i] += (float) (NOISE * assay_stream_normal (&stream));
}

static const AssayArray *
vectors_of (const AssayRelease *release)
{
  return assay_arrays_get (&release->arrays, "vectors");
}

static Times
time_attack (const Report *report, const AssayControlCase *material, const char *assignments,
             double *ret_error)
{
  const AssayAttack *attack
      = (const AssayAttack *) measure_plugin (ASSAY_PLUGIN_ATTACK, "learned-inversion");
  g_autoptr (AssaySettings) settings = measure_settings (&attack->plugin, assignments);
  const AssayAttackContext context
      = { .settings = settings->values,
          .stream = assay_stream_key (SEED, 0, "attack", "bench-learned") };
  const AssayObservation seen = { .release = material->release, .pairs = material->pairs };
  const AssayView secrets
      = assay_array_view (assay_arrays_get (&material->truth->arrays, "secrets"));
  g_autoptr (GError) error = NULL;
  Samples samples = { 0 };

  for (int i = 0; i < report->options->runs; i++) {
    g_autoptr (AssayGuess) guess = assay_guess_new ();
    const Moment start = measure_moment ();
    const float *estimates;
    double sum = 0, length = 0;

    if (!assay_attack_run (attack, &context, &seen, guess, &error))
      measure_stop (assignments, error);
    measure_add (&samples, start);
    estimates = assay_array_view (assay_arrays_get (&guess->arrays, "estimates")).data;
    for (gsize j = 0; j < secrets.rows * secrets.cols; j++) {
      sum += pow ((double) estimates[j] - (double) secrets.data[j], 2);
      length += pow ((double) secrets.data[j], 2);
    }
    *ret_error = sqrt (sum / length);
  }
  return measure_times (&samples);
}

/* ---- NumPy ---- */

static void
write_numbers (const char *folder, const char *name, AssayView view)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  if (!g_file_set_contents (path, (const char *) view.data,
                            (gssize) (view.rows * view.cols * sizeof (float)), &error))
    measure_stop ("learned", error);
}

/* Seconds; NAN: no NumPy. */
static double
ask_numpy (const MeasureOptions *options, const Case *c, const AssayControlCase *material)
{
  const AssayOwnRelease *own = assay_pairs_get (material->pairs, 0);
  g_auto (MeasureFolder) folder = NULL;
  g_autofree char *pairs = g_strdup_printf ("%zu", c->pairs);
  g_autofree char *cols = g_strdup_printf ("%zu", c->cols);
  g_autofree char *secrets = g_strdup_printf ("%zu", c->secrets);
  g_autofree char *out = NULL;
  double seconds = NAN;

  if (options->python == NULL)
    return NAN;
  folder = measure_folder_new ();
  write_numbers (folder, "inputs", assay_array_view (vectors_of (own->release)));
  write_numbers (folder, "outputs", assay_own_rows (own));
  write_numbers (folder, "seen", assay_array_view (vectors_of (material->release)));
  out = measure_ask_python (options, (const char *[]){ folder, pairs, cols, secrets, NULL });
  if (out != NULL)
    seconds = g_ascii_strtod (out, NULL);
  return seconds > 0 ? seconds : NAN;
}

static void
run_case (Report *report, Case c)
{
  const AssayStreamKey key = assay_stream_key (SEED, 0, "case", "bench-learned");
  AssayControlCase material = { 0 };
  g_autoptr (GError) error = NULL;
  double ridge_error = 0, best_error = 0, numpy;
  Times ridge, best;

  if (report->options->is_quick) {
    c.pairs /= 10;
    c.cols /= 4;
  }
  if (!own_control_make (
          &(OwnControl){ .n_secrets = c.secrets, .n_pairs = c.pairs, .cols = c.cols }, key,
          &material, &error))
    measure_stop ("learned", error);
  add_noise (vectors_of (material.release), 0);
  add_noise (vectors_of (assay_pairs_get (material.pairs, 0)->release), 1);
  ridge = time_attack (report, &material, "learner=ridge", &ridge_error);
  best = time_attack (report, &material, "learner=best", &best_error);
  numpy = ask_numpy (report->options, &c, &material);
  report_case (report, "%zu pairs x %zu", c.pairs, c.cols);
  report_number (report, "error", ridge_error, 3);
  report_times (report, "ridge s", ridge);
  report_times (report, "best s", best);
  report_number (report, "wanted s", c.wanted > 0 ? c.wanted : NAN, 0);
  report_number (report, "NumPy s", numpy, 2);
  report_number (report, "ridge / NumPy", ridge.minimum / numpy, 2);
  assay_control_case_clear (&material);
}

int
main (int argc, char **argv)
{
  g_auto (MeasureOptions) options = measure_options ("learned", 3, NULL, argc, argv);
  g_autoptr (Report) report
      = report_new (&options, SEED, "Pairs x columns: learned from, and 200 secrets inverted");

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    run_case (report, cases[i]);
  return 0;
}
