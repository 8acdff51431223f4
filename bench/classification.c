/* How well and how fast does the utility `classification` learn Fashion-MNIST: the training images
 * as they are, and their mixtures, tested clean and encrypted.
 *
 *   bench-classification [--data FOLDER] [--secrets N] [--threads N] [--quick] [--json]
 *                        [DEFENSE/ASSIGNMENTS/...]
 *
 * An argument like "instahide-inside/k=4/input=absolute encryptions=10" takes the place of the
 * built-in cases: a defense, its settings, those of the utility. Seconds are of protecting the
 * images (not counted) apart from training and testing: by the clock, and of the processor over all
 * threads. Each case runs once; --quick takes 1,000 images. */

#include "bench/measure.h"
#include "core/stats/interval.h"
#include "runner/run/steps.h"

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
open_data (const char *folder, AssayDataset *ret_dataset)
{
  static const char assignments[]
      = "images=train-images-idx3-ubyte.gz labels=train-labels-idx1-ubyte.gz "
        "test_images=t10k-images-idx3-ubyte.gz test_labels=t10k-labels-idx1-ubyte.gz";
  const AssayDatasetPlugin *plugin
      = (const AssayDatasetPlugin *) measure_plugin (ASSAY_PLUGIN_DATASET, "idx");
  g_autoptr (AssaySettings) settings = measure_settings (&plugin->plugin, assignments);
  g_autofree char *images = g_build_filename (folder, "fashion_mnist", NULL);
  const char *const folders[] = { images, NULL };
  const AssayDatasetContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (SEED, 0, "dataset", "bench"),
                                        .folders = folders };
  g_autoptr (GError) error = NULL;

  if (!plugin->open (&context, ret_dataset, &error))
    measure_stop (folder, error);
}

static void
run_case (Report *report, const char *text, const AssayDataset *dataset, AssayView secrets)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 3);
  const AssayDefense *defense;
  const AssayUtility *utility
      = (const AssayUtility *) measure_plugin (ASSAY_PLUGIN_UTILITY, "classification");
  g_autoptr (AssaySettings) defense_settings = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayTruth) truth = NULL;
  g_autoptr (GError) error = NULL;
  AssayReceived received;
  AssayOutcomes outcomes = { 0 };
  AssayInterval accuracy;
  Moment start;
  Times times;

  if (g_strv_length (parts) != 3) {
    g_set_error (&error, ASSAY_ERROR, ASSAY_ERROR_PARAMETER, "expected defense/settings/settings");
    measure_stop (text, error);
  }
  defense = (const AssayDefense *) measure_plugin (ASSAY_PLUGIN_DEFENSE, parts[0]);
  defense_settings = measure_settings (&defense->plugin, parts[1]);
  settings = measure_settings (&utility->plugin, parts[2]);
  if (!assay_step_protect (
          defense,
          &(AssayProtecting){ .settings = defense_settings,
                              .stream = assay_stream_key (SEED, 0, "defense", "bench"),
                              .common = assay_stream_key (SEED, 0, "defense", "common"),
                              .knowledge
                              = &(AssayKnowledge){ .public_rows = dataset->public_rows } },
          &(AssaySecrets){ .rows = secrets,
                           .labels = assay_array_int64 (dataset->secret_data.labels),
                           .n_classes = dataset->n_classes },
          &release, &truth, &error))
    measure_stop (text, error);
  start = measure_moment ();
  received = (AssayReceived){ release, truth };
  if (!assay_step_assess (
          utility,
          &(AssayUtilityContext){ .settings = settings->values,
                                  .dataset = dataset,
                                  .stream = assay_stream_key (SEED, 0, "utility", "bench") },
          &received, &outcomes, &error))
    measure_stop (text, error);
  times = measure_once (start);
  accuracy = assay_interval (&utility->measures[0], outcomes.series[0], NULL, outcomes.n, 0.95,
                             assay_stream_key (SEED, 0, "interval", "bench"));
  report_case (report, "%s", text);
  report_interval (report, "accuracy", accuracy.estimate, accuracy.lower, accuracy.upper, 4);
  report_times (report, "s", times);
  report_number (report, "CPU s", times.cpu, 1);
  assay_outcomes_clear (&outcomes);
}

int
main (int argc, char **argv)
{
  g_autofree char *data = NULL;
  g_auto (GStrv) chosen = NULL;
  int n = ALL;
  const GOptionEntry own[] = {
    { "data", 0, 0, G_OPTION_ARG_STRING, &data, "Folder that holds fashion_mnist", "FOLDER" },
    { "secrets", 0, 0, G_OPTION_ARG_INT, &n, "Training images", "N" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &chosen, NULL, NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (MeasureOptions) options = measure_options ("classification", 1, own, argc, argv);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayMatrix) secrets = NULL;
  g_autofree char *about = NULL;
  g_autoptr (Report) report = NULL;
  const char *const *texts;
  AssayDataset dataset = { 0 };

  if (data == NULL)
    data = g_strdup (g_getenv ("ASSAY_DATA"));
  if (data == NULL || n < 1) {
    g_set_error (&error, ASSAY_ERROR, ASSAY_ERROR_PARAMETER,
                 "expected the folder of data, by --data or ASSAY_DATA, and one training image or "
                 "more");
    measure_stop ("options", error);
  }
  open_data (data, &dataset);
  n = options.is_quick ? MIN (n, 1000) : n;
  secrets = assay_matrix_new (MIN ((gsize) n, assay_rows_count (dataset.secrets)),
                              assay_rows_cols (dataset.secrets), &error);
  if (secrets == NULL)
    measure_stop ("secrets", error);
  assay_rows_read (dataset.secrets, 0, secrets->rows, ASSAY_SCALE_NONE, secrets->data);
  about = g_strdup_printf ("Fashion-MNIST, %" G_GSIZE_FORMAT " training images; accuracy on 10,000 "
                           "test images with 95 %% interval",
                           secrets->rows);
  report = report_new (&options, SEED, about);
  texts = chosen != NULL ? (const char *const *) chosen : cases;
  for (guint i = 0; texts[i] != NULL; i++)
    run_case (report, texts[i], &dataset, assay_matrix_view (secrets));
  assay_dataset_clear (&dataset);
  return 0;
}
