/* How well and how fast does the utility `classification` learn Fashion-MNIST: the training images
 * as they are, and their mixtures, tested clean and encrypted.
 *
 *   bench-classification [--data FOLDER] [--secrets N] [--threads N] [DEFENSE/ASSIGNMENTS/...]
 *
 * An argument like "instahide-inside/k=4/input=absolute encryptions=10" takes the place of the
 * built-in cases: a defense, its settings, those of the utility. Seconds are of protecting the
 * images (not counted) apart from training and testing: by the clock, and of the processor over all
 * threads. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/interval.h"
#include "core/parallel.h"
#include "core/registry.h"
#include "runner/steps.h"

#define SEED 1
#define ALL 60000

static const char *const cases[] = {
  "none//model=softmax",
  "none//",
  "mixup/k=4 max_coefficient=0.65/",
  "mixup/k=4 max_coefficient=0.65/encryptions=10 mask=no",
  "instahide-inside/k=4/input=plain",
  "instahide-inside/k=4/input=absolute",
  "instahide-inside/k=4/input=absolute encryptions=10",
  NULL,
};

static void
stop (const char *where, const GError *error)
{
  fprintf (stderr, "bench-classification: %s: %s\n", where, error->message);
  exit (1);
}

static AssaySettings *
read_settings (const AssayPlugin *plugin, const char *assignments)
{
  AssaySettings *settings = assay_settings_new (plugin->parameters, plugin->settings_size);
  g_auto (GStrv) words = g_strsplit (assignments, " ", -1);

  for (guint i = 0; words[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);
    g_autoptr (GError) error = NULL;

    if (pair[0] != NULL && pair[1] != NULL
        && !assay_settings_set (settings, pair[0], pair[1], &error))
      stop (assignments, error);
  }
  return settings;
}

static const AssayPlugin *
find (AssayPluginType type, const char *id)
{
  g_autoptr (GError) error = NULL;
  const AssayPlugin *plugin = assay_registry_find (type, id, &error);

  if (plugin == NULL)
    stop ("plugin", error);
  return plugin;
}

static void
open_data (const char *folder, AssayDataset *ret_dataset)
{
  static const char assignments[]
      = "images=train-images-idx3-ubyte.gz labels=train-labels-idx1-ubyte.gz "
        "test_images=t10k-images-idx3-ubyte.gz test_labels=t10k-labels-idx1-ubyte.gz";
  const AssayDatasetPlugin *plugin
      = (const AssayDatasetPlugin *) find (ASSAY_PLUGIN_DATASET, "idx");
  g_autoptr (AssaySettings) settings = read_settings (&plugin->plugin, assignments);
  g_autofree char *images = g_build_filename (folder, "fashion_mnist", NULL);
  const char *const folders[] = { images, NULL };
  const AssayDatasetContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (SEED, 0, "dataset", "bench"),
                                        .folders = folders };
  g_autoptr (GError) error = NULL;

  if (!plugin->open (&context, ret_dataset, &error))
    stop (folder, error);
}

static double
seconds_of (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static void
run_case (const char *text, const AssayDataset *dataset, AssayView secrets)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 3);
  const AssayDefense *defense;
  const AssayMetric *utility = (const AssayMetric *) find (ASSAY_PLUGIN_METRIC, "classification");
  g_autoptr (AssaySettings) defense_settings = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayTruth) truth = NULL;
  g_autoptr (GError) error = NULL;
  AssayReceived received;
  AssayOutcomes outcomes = { 0 };
  AssayInterval accuracy;
  double clock, cpu;

  if (g_strv_length (parts) != 3) {
    fprintf (stderr, "bench-classification: %s: expected defense/settings/settings\n", text);
    exit (2);
  }
  defense = (const AssayDefense *) find (ASSAY_PLUGIN_DEFENSE, parts[0]);
  defense_settings = read_settings (&defense->plugin, parts[1]);
  settings = read_settings (&utility->plugin, parts[2]);
  if (!assay_step_protect (
          defense, defense_settings, assay_stream_key (SEED, 0, "defense", "bench"),
          &(AssaySecrets){ .rows = secrets,
                           .labels = assay_array_int64 (dataset->secret_data.labels),
                           .n_classes = dataset->n_classes },
          &(AssayKnowledge){ .public_rows = dataset->public_rows }, &release, &truth, &error))
    stop (text, error);
  clock = seconds_of (CLOCK_MONOTONIC);
  cpu = seconds_of (CLOCK_PROCESS_CPUTIME_ID);
  received = (AssayReceived){ release, truth };
  if (!assay_step_assess (utility, settings, assay_stream_key (SEED, 0, "utility", "bench"),
                          dataset, &received, &outcomes, &error))
    stop (text, error);
  clock = seconds_of (CLOCK_MONOTONIC) - clock;
  cpu = seconds_of (CLOCK_PROCESS_CPUTIME_ID) - cpu;
  accuracy = assay_interval (&utility->measures[0], outcomes.series[0], NULL, outcomes.n, 0.95,
                             assay_stream_key (SEED, 0, "interval", "bench"));
  printf ("%-78s %.4f [%.4f, %.4f] %7.1f %7.1f\n", text, accuracy.estimate, accuracy.lower,
          accuracy.upper, clock, cpu);
  fflush (stdout);
  assay_outcomes_clear (&outcomes);
}

int
main (int argc, char **argv)
{
  g_autofree char *data = NULL;
  g_auto (GStrv) chosen = NULL;
  int n = ALL, threads = 0;
  const GOptionEntry options[] = {
    { "data", 0, 0, G_OPTION_ARG_STRING, &data, "Folder that holds fashion_mnist", "FOLDER" },
    { "secrets", 0, 0, G_OPTION_ARG_INT, &n, "Training images", "N" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &threads, "0: one per processor", "N" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &chosen, NULL, NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[DEFENSE/SETTINGS/SETTINGS ...]");
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayMatrix) secrets = NULL;
  const char *const *texts;
  AssayDataset dataset = { 0 };

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    stop ("options", error);
  if (data == NULL)
    data = g_strdup (g_getenv ("ASSAY_DATA"));
  if (data == NULL || n < 1 || threads < 0) {
    fprintf (stderr, "bench-classification: expected the folder of data, by --data or ASSAY_DATA, "
                     "one training image or more, and no negative number of threads\n");
    return 2;
  }
  assay_parallel_set_threads ((guint) threads);
  open_data (data, &dataset);
  secrets = assay_matrix_new (MIN ((gsize) n, assay_rows_count (dataset.secrets)),
                              assay_rows_cols (dataset.secrets), &error);
  if (secrets == NULL)
    stop ("secrets", error);
  assay_rows_read (dataset.secrets, 0, secrets->rows, ASSAY_SCALE_NONE, secrets->data);
  printf ("Fashion-MNIST, %" G_GSIZE_FORMAT " training images, seed %d, %u threads; accuracy on "
          "10,000 test images with 95 %% interval, seconds by the clock, of the processor\n",
          secrets->rows, SEED, assay_parallel_threads ());
  texts = chosen != NULL ? (const char *const *) chosen : cases;
  for (guint i = 0; texts[i] != NULL; i++)
    run_case (texts[i], &dataset, assay_matrix_view (secrets));
  assay_dataset_clear (&dataset);
  return 0;
}
