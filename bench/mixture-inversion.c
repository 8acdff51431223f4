/* How far does mixture-inversion take cross-dataset InstaHide back, and in what time? CIFAR-10
 * secrets mixed with photographs' patches (data of ASSAY_DATA), each pixel normalised by its
 * channel's mean and deviation over the set, and each estimate compared with the secret that it is
 * most like: magnitude of the correlation, best pairs first. 5,000 mixtures of 100 secrets where a
 * row does not say otherwise; the table main is the last step of steps, and one of the sizes.
 *
 *   bench-mixture-inversion [--table main|steps|labels|epochs|public|sizes|hard|
 *                                   phases|crops|all] [--row TEXT]
 *                           [--grey] [--threads N] [--seed N] [--seeds N] [--secrets N]
 *                           [--quick] [--json]
 *   bench-mixture-inversion --table reliability --grey --seed 101 --seeds 2
 *
 * The second line is what the confidences of pictures are fitted to (mixture-confidence.h): rows
 * that succeed and that fail, of public images alone, and the coefficients. Behind this table and
 * that of hard rows stands one of confidences beside the share that is right.
 *
 * The tables of docs/papers/instahide.md are what it prints. Each case runs once; --quick takes
 * 10 secrets, each in 10 mixtures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/mixture-cases.h"
#include "bench/reliability.h"
#include "core/games/control.h"

typedef struct {
  double median;
  gsize above_8; /* of the secrets, at a correlation above 0.8 */
  gsize above_5;
  double confidence;
  Times times;
} Outcome;

static void
set_number (AssaySettings *settings, const char *name, gsize number)
{
  g_autofree char *text = g_strdup_printf ("%" G_GSIZE_FORMAT, number);
  g_autoptr (GError) error = NULL;

  if (!assay_settings_set (settings, name, text, &error))
    measure_stop (name, error);
}

static AssayRelease *
protect (const Case *c, const Scene *scene, guint64 seed)
{
  const AssayDefense *defense
      = (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, "instahide-cross", NULL);
  g_autoptr (AssaySettings) settings
      = assay_settings_new (defense->parameters, defense->settings_size);
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_MIXTURES, defense->id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (GError) error = NULL;
  AssayDefenseContext context = { .stream = assay_stream_key (seed, 0, "defense", "bench"),
                                  .public_rows = scene->mixed_with,
                                  .labels = scene->labels,
                                  .n_classes = MIXTURE_CLASSES,
                                  .geometry = scene->geometry };
  g_auto (GStrv) more = g_strsplit (c->made != NULL ? c->made : "", " ", -1);

  for (gsize i = 0; c->made != NULL && more[i] != NULL; i++) {
    g_auto (GStrv) words = g_strsplit (more[i], "=", 2);

    if (!assay_settings_set (settings, words[0], words[1], &error))
      measure_stop (more[i], error);
  }
  set_number (settings, "k", c->k);
  set_number (settings, "epochs", c->epochs);
  context.settings = settings->values;
  release->geometry = context.geometry;
  if (!defense->protect (&context, assay_matrix_view (scene->secrets), release, truth, &error))
    measure_stop (defense->id, error);
  g_free (release->settings);
  release->settings = g_strdup_printf (
      "{\"k\": %" G_GSIZE_FORMAT ", \"epochs\": %" G_GSIZE_FORMAT "}", c->k, c->epochs);
  return release;
}

/* ---- Twists ---- */

/* Each mixture gets the label of another. */
static void
invent_labels (AssayRelease *release, guint64 seed)
{
  const AssayView labels = assay_array_view (assay_arrays_get (&release->arrays, "labels"));
  g_autofree gsize *order = g_new (gsize, labels.rows);
  g_autofree float *kept = g_memdup2 (labels.data, labels.rows * labels.cols * sizeof (float));
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "labels", "bench"), 0);

  assay_stream_permutation (&stream, labels.rows, order);
  for (gsize i = 0; i < labels.rows; i++)
    memcpy ((float *) (gpointer) labels.data + i * labels.cols, kept + order[i] * labels.cols,
            labels.cols * sizeof (float));
}

/* ---- Measuring ---- */

static void
standardise (float *row, gsize cols)
{
  double mean = 0, square = 0;

  for (gsize j = 0; j < cols; j++)
    mean += row[j] / (double) cols;
  for (gsize j = 0; j < cols; j++)
    square += (row[j] - mean) * (row[j] - mean);
  for (gsize j = 0; j < cols; j++)
    row[j] = (float) ((row[j] - mean) / sqrt (MAX (square, 1e-30)));
}

static int
compare (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Of each picture the likeness with the secret that it is most like; of two that are mirror images
 * of one another, the better one's. */
static void
gather_pictures (const double *likeness, gsize n, const AssayGuess *given, gboolean is_twice,
                 Reliability *gathered)
{
  const AssayArray *sure = assay_arrays_get (&given->arrays, "confidences");
  const double *confidences = (const double *) (gconstpointer) sure->data;
  const double *evidence
      = (const double *) (gconstpointer) assay_arrays_get (&given->arrays, "evidence")->data;
  const gsize m = sure->shape[0], count = is_twice ? m / 2 : m;

  for (gsize e = 0; e < count; e++) {
    Picture picture = { .confidence = confidences[e] };

    for (gsize i = 0; i < n; i++) {
      picture.likeness = MAX (picture.likeness, likeness[i * m + e]);
      if (is_twice)
        picture.likeness = MAX (picture.likeness, likeness[i * m + count + e]);
    }
    memcpy (picture.evidence, evidence + e * RELIABILITY_EVIDENCE, sizeof picture.evidence);
    g_array_append_val (gathered->pictures, picture);
  }
}

static void
compare_images (const AssayMatrix *secrets, const AssayGuess *given, Reliability *gathered,
                Outcome *ret_outcome)
{
  const AssayArray *guess = assay_arrays_get (&given->arrays, "estimates");
  const gboolean is_twice = strstr (given->says, "are given both ways") != NULL;
  const gsize n = secrets->rows, m = guess->shape[0], cols = secrets->cols;
  g_autoptr (AssayMatrix) truth = assay_matrix_copy (assay_matrix_view (secrets), NULL);
  g_autoptr (AssayMatrix) estimates = assay_matrix_copy (assay_array_view (guess), NULL);
  g_autofree double *likeness = g_new0 (double, n *m);
  g_autofree double *found = g_new0 (double, n);

  for (gsize i = 0; i < n; i++)
    standardise (assay_matrix_row (truth, i), cols);
  for (gsize e = 0; e < m; e++)
    standardise (assay_matrix_row (estimates, e), cols);
  for (gsize i = 0; i < n; i++)
    for (gsize e = 0; e < m; e++) {
      for (gsize j = 0; j < cols; j++)
        likeness[i * m + e] += (double) truth->data[i * cols + j] * estimates->data[e * cols + j];
      likeness[i * m + e] = fabs (likeness[i * m + e]);
    }
  gather_pictures (likeness, n, given, is_twice, gathered);
  for (gsize round = 0; round < MIN (n, m); round++) {
    gsize best = 0;

    for (gsize i = 1; i < n * m; i++)
      if (likeness[i] > likeness[best])
        best = i;
    found[best / m] = likeness[best];
    for (gsize e = 0; e < m; e++)
      likeness[best / m * m + e] = -1;
    for (gsize i = 0; i < n; i++)
      likeness[i * m + best % m] = -1;
  }
  ret_outcome->above_8 = ret_outcome->above_5 = 0;
  for (gsize i = 0; i < n; i++) {
    ret_outcome->above_8 += found[i] > 0.8;
    ret_outcome->above_5 += found[i] > 0.5;
  }
  qsort (found, n, sizeof *found, compare);
  ret_outcome->median = (found[(n - 1) / 2] + found[n / 2]) / 2;
}

static Outcome
run_case (const Case *c, gboolean is_grey, guint64 seed, Reliability *gathered)
{
  const AssayAttack *inversion
      = (const AssayAttack *) assay_registry_find (ASSAY_PLUGIN_ATTACK, "mixture-inversion", NULL);
  g_autoptr (AssaySettings) settings
      = assay_settings_new (inversion->parameters, inversion->settings_size);
  g_auto (Scene) scene = scene_make (c, is_grey, seed);
  g_autoptr (AssayRelease) release = protect (c, &scene, seed);
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (GError) error = NULL;
  AssayAttackContext context = { .stream = assay_stream_key (seed, 0, "attack", "bench") };
  const AssayObservation seen = { .release = release, .public_rows = scene.known };
  Outcome outcome;
  Moment start;

  if (c->twist == INVENTED_LABELS)
    invent_labels (release, seed);
  if (!c->labels)
    assay_settings_set (settings, "labels", "no", NULL);
  if (c->matchings >= 0)
    set_number (settings, "matchings", (gsize) c->matchings);
  if (c->rounds >= 0)
    set_number (settings, "rounds", (gsize) c->rounds);
  context.settings = settings->values;
  start = measure_moment ();
  if (!assay_attack_run (inversion, &context, &seen, guess, &error))
    measure_stop ("attack", error);
  outcome.times = measure_once (start);
  outcome.confidence = guess->confidence;
  compare_images (scene.secrets, guess, gathered, &outcome);
  return outcome;
}

/* ---- Tables ---- */

typedef struct {
  gboolean is_grey;
  int n_secrets; /* of each row; 0: its own */
} Options;

static void
report_row (Report *report, const Row *row, const Options *options, guint64 seed,
            Reliability *gathered)
{
  Case c = row->c;
  Outcome outcome;

  if (options->n_secrets > 0)
    c.n_secrets = (gsize) options->n_secrets;

  if (report->options->is_quick) {
    c.n_secrets = 10;
    c.epochs = 10;
  }
  outcome = run_case (&c, options->is_grey, seed, gathered);
  report_case (report, "%s", row->row);
  report_number (report, "seed", (double) seed, 0);
  report_number (report, "median", outcome.median, 3);
  report_number (report, "secrets", (double) c.n_secrets, 0);
  report_number (report, "above .8", (double) outcome.above_8, 0);
  report_number (report, "above .5", (double) outcome.above_5, 0);
  report_number (report, "confidence", outcome.confidence, 3);
  report_times (report, "s", outcome.times);
  report_number (report, "CPU s", outcome.times.cpu, 1);
}

int
main (int argc, char **argv)
{
  g_autofree char *table = NULL;
  g_autofree char *only = NULL;
  Options chosen = { 0 };
  int seed = 1, seeds = 1;
  const GOptionEntry own[]
      = { { "table", 0, 0, G_OPTION_ARG_STRING, &table,
            "main, steps, labels, epochs, public, sizes, hard, phases, crops, reliability or all "
            "(all)",
            "NAME" },
          { "grey", 0, 0, G_OPTION_ARG_NONE, &chosen.is_grey, "Means of the three channels", NULL },
          { "row", 0, 0, G_OPTION_ARG_STRING, &only, "Rows whose name holds TEXT", "TEXT" },
          { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Which secrets and mixtures (1)", "N" },
          { "seeds", 0, 0, G_OPTION_ARG_INT, &seeds, "Seeds from there on (1)", "N" },
          { "secrets", 0, 0, G_OPTION_ARG_INT, &chosen.n_secrets, "Secrets in each row (its own)",
            "N" },
          G_OPTION_ENTRY_NULL };
  g_auto (MeasureOptions) options = measure_options ("mixture-inversion", 1, own, argc, argv);
  g_autoptr (Report) report = NULL;
  gsize n_rows;
  const Row *rows = mixture_rows (&n_rows);
  g_auto (Reliability) gathered = reliability_new ();

  if (seed < 0)
    measure_stop ("--seed: expected 0 or more", NULL);
  report = report_new (&options, (guint64) seed, "Correlations of estimates with secrets");
  for (gsize i = 0; i < n_rows; i++)
    if ((table == NULL || g_str_equal (table, "all") || g_str_equal (table, rows[i].name))
        && (only == NULL || strstr (rows[i].row, only) != NULL))
      for (int s = 0; s < seeds; s++)
        report_row (report, &rows[i], &chosen, (guint64) (seed + s), &gathered);
  if (g_strcmp0 (table, "reliability") == 0 || g_strcmp0 (table, "hard") == 0)
    reliability_report (&gathered, report);
  if (g_strcmp0 (table, "reliability") == 0)
    reliability_report_fit (&gathered, report);
  return 0;
}
