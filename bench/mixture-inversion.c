/* How far does mixture-inversion take cross-dataset InstaHide back, and in what time? CIFAR-10
 * secrets mixed with photographs' patches (data of ASSAY_DATA), each pixel normalised by its
 * channel's mean and deviation over the set, and each estimate compared with the secret that it is
 * most like: magnitude of the correlation, best pairs first. 5,000 mixtures of 100 secrets where a
 * row does not say otherwise; the table main is the last step of steps, and one of the sizes.
 *
 *   bench-mixture-inversion [--table main|steps|labels|epochs|public|sizes|all] [--threads N]
 *                           [--seed N] [--quick] [--json]
 *
 * The tables of docs/papers/instahide.md are what it prints. Each case runs once; --quick takes
 * 10 secrets, each in 10 mixtures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "core/games/control.h"

#define SIDE 32
#define CHANNELS 3
#define COLS (SIDE * SIDE * CHANNELS)
#define RECORD (COLS + 1)
#define CLASSES 10

typedef struct {
  gsize n_secrets;
  gsize epochs;
  gsize k;
  gboolean labels;
  const char *public_known; /* file of the attack's public images */
  int matchings;            /* negative: the default */
  int rounds;
} Case;

typedef struct {
  double median;
  gsize above_8; /* of the secrets, at a correlation above 0.8 */
  gsize above_5;
  Times times;
} Outcome;

/* ---- Data ---- */

/* Normalised images of a CIFAR file, height x width x channels. */
static AssayMatrix *
read_images (const char *name, gint64 **ret_labels)
{
  const char *folder = g_getenv ("ASSAY_DATA");
  g_autofree char *path = g_build_filename (folder != NULL ? folder : ".", name, NULL);
  g_autofree char *bytes = NULL;
  g_autoptr (GError) error = NULL;
  AssayMatrix *images;
  gsize size, n;

  if (!g_file_get_contents (path, &bytes, &size, &error))
    measure_stop (path, error);
  n = size / RECORD;
  images = assay_matrix_new (n, COLS, &error);
  if (images == NULL)
    measure_stop (path, error);
  if (ret_labels != NULL)
    *ret_labels = g_new (gint64, n);
  for (gsize channel = 0; channel < CHANNELS; channel++) {
    const gsize plane = COLS / CHANNELS;
    double sum = 0, square = 0, mean, deviation;

    for (int pass = 0; pass < 2; pass++) {
      mean = sum / (double) (n * plane);
      deviation = sqrt (MAX (square / (double) (n * plane) - mean * mean, 1e-9));
      for (gsize i = 0; i < n; i++)
        for (gsize p = 0; p < plane; p++) {
          const double value = (guint8) bytes[i * RECORD + 1 + channel * plane + p];

          if (pass == 0) {
            sum += value;
            square += value * value;
          } else {
            images->data[i * COLS + p * CHANNELS + channel] = (float) ((value - mean) / deviation);
          }
        }
    }
  }
  for (gsize i = 0; ret_labels != NULL && i < n; i++)
    (*ret_labels)[i] = (guint8) bytes[i * RECORD];
  return images;
}

static void
set_number (AssaySettings *settings, const char *name, gsize number)
{
  g_autofree char *text = g_strdup_printf ("%" G_GSIZE_FORMAT, number);
  g_autoptr (GError) error = NULL;

  if (!assay_settings_set (settings, name, text, &error))
    measure_stop (name, error);
}

static AssayRelease *
protect (const Case *c, const AssayMatrix *secrets, const gint64 *labels, AssayRows *mixed_with,
         guint64 seed)
{
  const AssayDefense *defense
      = (const AssayDefense *) assay_registry_find (ASSAY_PLUGIN_DEFENSE, "instahide-cross", NULL);
  g_autoptr (AssaySettings) settings
      = assay_settings_new (defense->parameters, defense->settings_size);
  AssayRelease *release = assay_release_new (ASSAY_RELEASE_MIXTURES, defense->id);
  g_autoptr (AssayTruth) truth = assay_truth_new ();
  g_autoptr (GError) error = NULL;
  AssayDefenseContext context
      = { .stream = assay_stream_key (seed, 0, "defense", "bench"),
          .public_rows = mixed_with,
          .labels = labels,
          .n_classes = CLASSES,
          .geometry = { .height = SIDE, .width = SIDE, .channels = CHANNELS } };

  set_number (settings, "k", c->k);
  set_number (settings, "epochs", c->epochs);
  context.settings = settings->values;
  release->geometry = context.geometry;
  if (!defense->protect (&context, assay_matrix_view (secrets), release, truth, &error))
    measure_stop (defense->id, error);
  g_free (release->settings);
  release->settings = g_strdup_printf (
      "{\"k\": %" G_GSIZE_FORMAT ", \"epochs\": %" G_GSIZE_FORMAT "}", c->k, c->epochs);
  return release;
}

/* ---- Measuring ---- */

static void
standardise (float *row)
{
  double mean = 0, square = 0;

  for (gsize j = 0; j < COLS; j++)
    mean += row[j] / (double) COLS;
  for (gsize j = 0; j < COLS; j++)
    square += (row[j] - mean) * (row[j] - mean);
  for (gsize j = 0; j < COLS; j++)
    row[j] = (float) ((row[j] - mean) / sqrt (MAX (square, 1e-30)));
}

static int
compare (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
compare_images (const AssayMatrix *secrets, const AssayArray *guess, Outcome *ret_outcome)
{
  const gsize n = secrets->rows;
  g_autoptr (AssayMatrix) truth = assay_matrix_copy (assay_matrix_view (secrets), NULL);
  g_autoptr (AssayMatrix) estimates = assay_matrix_copy (assay_array_view (guess), NULL);
  g_autofree double *likeness = g_new0 (double, n *n);
  g_autofree double *found = g_new0 (double, n);

  for (gsize i = 0; i < n; i++) {
    standardise (assay_matrix_row (truth, i));
    standardise (assay_matrix_row (estimates, i));
  }
  for (gsize i = 0; i < n; i++)
    for (gsize e = 0; e < n; e++) {
      for (gsize j = 0; j < COLS; j++)
        likeness[i * n + e] += (double) truth->data[i * COLS + j] * estimates->data[e * COLS + j];
      likeness[i * n + e] = fabs (likeness[i * n + e]);
    }
  for (gsize round = 0; round < n; round++) {
    gsize best = 0;

    for (gsize i = 1; i < n * n; i++)
      if (likeness[i] > likeness[best])
        best = i;
    found[best / n] = likeness[best];
    for (gsize i = 0; i < n; i++)
      likeness[best / n * n + i] = likeness[i * n + best % n] = -1;
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
run_case (const Case *c, guint64 seed)
{
  const AssayAttack *inversion
      = (const AssayAttack *) assay_registry_find (ASSAY_PLUGIN_ATTACK, "mixture-inversion", NULL);
  g_autoptr (AssaySettings) settings
      = assay_settings_new (inversion->parameters, inversion->settings_size);
  g_autofree gint64 *all_labels = NULL;
  g_autofree gint64 *labels = g_new (gint64, c->n_secrets);
  g_autoptr (AssayMatrix) all = read_images ("cifar10/cifar10_train10k.bin", &all_labels);
  g_autoptr (AssayMatrix) secrets = assay_matrix_new (c->n_secrets, COLS, NULL);
  g_autofree gsize *chosen = g_new (gsize, c->n_secrets);
  AssayStream stream = assay_stream (assay_stream_key (seed, 0, "secrets", "bench"), 0);
  g_autoptr (AssayRows) mixed_with
      = assay_rows_take_matrix (read_images ("photos/imagenet_patches32.bin", NULL));
  g_autoptr (AssayRows) known = assay_rows_take_matrix (read_images (c->public_known, NULL));
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayGuess) guess = assay_guess_new ();
  g_autoptr (GError) error = NULL;
  AssayAttackContext context = { .stream = assay_stream_key (seed, 0, "attack", "bench") };
  AssayObservation seen = { .public_rows = known };
  Outcome outcome;
  Moment start;

  assay_stream_choose (&stream, all->rows, c->n_secrets, chosen);
  for (gsize i = 0; i < c->n_secrets; i++) {
    memcpy (assay_matrix_row (secrets, i), assay_matrix_row (all, chosen[i]),
            COLS * sizeof (float));
    labels[i] = all_labels[chosen[i]];
  }
  release = protect (c, secrets, labels, mixed_with, seed);
  if (!c->labels)
    assay_settings_set (settings, "labels", "no", NULL);
  if (c->matchings >= 0)
    set_number (settings, "matchings", (gsize) c->matchings);
  if (c->rounds >= 0)
    set_number (settings, "rounds", (gsize) c->rounds);
  context.settings = settings->values;
  seen.release = release;
  start = measure_moment ();
  if (!assay_attack_run (inversion, &context, &seen, guess, &error))
    measure_stop ("attack", error);
  outcome.times = measure_once (start);
  compare_images (secrets, assay_arrays_get (&guess->arrays, "estimates"), &outcome);
  return outcome;
}

/* ---- Tables ---- */

#define USED "photos/imagenet_patches32.bin"
#define OTHER "cifar10/cifar10_test2k.bin"
#define DEFAULT -1

typedef struct {
  const char *name;
  const char *row; /* what the case is called */
  Case c;
} Row;

/* What stands in each line: secrets, epochs, k, labels, public set, matchings, rounds. */
static const Row rows[] = {
  { "main", "k 4", { 100, 50, 4, TRUE, USED, DEFAULT, DEFAULT } },
  { "main", "k 6", { 100, 50, 6, TRUE, USED, DEFAULT, DEFAULT } },
  { "steps", "k 4: clusters, images", { 100, 50, 4, TRUE, USED, 0, 0 } },
  { "steps", "k 4: pairs by squares", { 100, 50, 4, TRUE, USED, 1, 0 } },
  { "steps", "k 4: public images, once", { 100, 50, 4, TRUE, USED, 1, 1 } },
  { "steps", "k 4: the same, twice", { 100, 50, 4, TRUE, USED, 1, 2 } },
  { "steps", "k 6: clusters, images", { 100, 50, 6, TRUE, USED, 0, 0 } },
  { "steps", "k 6: pairs by squares", { 100, 50, 6, TRUE, USED, 1, 0 } },
  { "steps", "k 6: public images, once", { 100, 50, 6, TRUE, USED, 1, 1 } },
  { "steps", "k 6: the same, twice", { 100, 50, 6, TRUE, USED, 1, 2 } },
  { "labels", "k 4, no labels", { 100, 50, 4, FALSE, USED, DEFAULT, DEFAULT } },
  { "labels", "k 6, no labels", { 100, 50, 6, FALSE, USED, DEFAULT, DEFAULT } },
  { "labels", "k 4, no labels: clusters, images", { 100, 50, 4, FALSE, USED, 0, 0 } },
  { "labels", "k 6, no labels: clusters, images", { 100, 50, 6, FALSE, USED, 0, 0 } },
  { "epochs", "k 4, 10 mixtures each", { 100, 10, 4, TRUE, USED, DEFAULT, DEFAULT } },
  { "epochs", "k 4, 20 mixtures each", { 100, 20, 4, TRUE, USED, DEFAULT, DEFAULT } },
  { "epochs", "k 6, 10 mixtures each", { 100, 10, 6, TRUE, USED, DEFAULT, DEFAULT } },
  { "epochs", "k 6, 20 mixtures each", { 100, 20, 6, TRUE, USED, DEFAULT, DEFAULT } },
  { "public", "k 4, other public set", { 100, 50, 4, TRUE, OTHER, DEFAULT, DEFAULT } },
  { "public", "k 6, other public set", { 100, 50, 6, TRUE, OTHER, DEFAULT, DEFAULT } },
  { "sizes", "k 4, 25 secrets, 1,250 mixtures", { 25, 50, 4, TRUE, USED, DEFAULT, DEFAULT } },
  { "sizes", "k 4, 50 secrets, 2,500 mixtures", { 50, 50, 4, TRUE, USED, DEFAULT, DEFAULT } },
  { "sizes", "k 4, 200 secrets, 10,000 mixtures", { 200, 50, 4, TRUE, USED, DEFAULT, DEFAULT } },
};

static void
report_row (Report *report, const Row *row, guint64 seed)
{
  Case c = row->c;
  Outcome outcome;

  if (report->options->is_quick) {
    c.n_secrets = 10;
    c.epochs = 10;
  }
  outcome = run_case (&c, seed);
  report_case (report, "%s", row->row);
  report_number (report, "median", outcome.median, 3);
  report_number (report, "secrets", (double) c.n_secrets, 0);
  report_number (report, "above .8", (double) outcome.above_8, 0);
  report_number (report, "above .5", (double) outcome.above_5, 0);
  report_times (report, "s", outcome.times);
  report_number (report, "CPU s", outcome.times.cpu, 1);
}

int
main (int argc, char **argv)
{
  g_autofree char *table = NULL;
  int seed = 1;
  const GOptionEntry own[]
      = { { "table", 0, 0, G_OPTION_ARG_STRING, &table,
            "main, steps, labels, epochs, public, sizes or all (all)", "NAME" },
          { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "Which secrets and mixtures (1)", "N" },
          G_OPTION_ENTRY_NULL };
  g_auto (MeasureOptions) options = measure_options ("mixture-inversion", 1, own, argc, argv);
  g_autoptr (Report) report = NULL;

  if (seed < 0)
    measure_stop ("--seed: expected 0 or more", NULL);
  report = report_new (&options, (guint64) seed, "Correlations of estimates with secrets");
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (table == NULL || g_str_equal (table, "all") || g_str_equal (table, rows[i].name))
      report_row (report, &rows[i], (guint64) seed);
  return 0;
}
