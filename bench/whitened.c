/* What each step of the attacks `whitened` and `whitened-removal` gains: ranks of the public images
 * of mixtures, then how like what is left without them is to the private images as they were mixed,
 * up to its sign.
 *
 *   bench-whitened [--data FOLDER] [--secrets N] [--threads N] [--quick] [--json]
 *                  [DEFENSE/ATTACK/ASSIGNMENTS ...]
 *
 * Private images of CIFAR-10, each mixed once, and 3,718 public patches of photographs, from the
 * folder or ASSAY_DATA; without either, generated smooth images, which say little of real ones. An
 * argument like "instahide-cross k=6/whitened/refine=3" takes the place of the built-in cases: a
 * defense with its settings, an attack, and those of the attack. Ranks are of one public image of
 * each mixture, with 95 % intervals; `found` is the share of the p public images of a mixture that
 * are among the first p. Attacks that reconstruct have a table of their own. Each case runs once.
 * --quick takes 20 private images. */
#include <math.h>
#include <string.h>

#include "bench/measure.h"
#include "core/stats/interval.h"
#include "runner/run/steps.h"

#define SEED 1
#define SECRETS 200
#define SIDE 16 /* of generated images */
#define GENERATED 600

static const char *const cases[] = {
  "instahide-cross k=4/braverman/",
  "instahide-cross k=4/whitened/components=400 template=squares refine=0",
  "instahide-cross k=4/whitened/components=800 template=squares refine=0",
  "instahide-cross k=4/whitened/components=1600 template=squares refine=0",
  "instahide-cross k=4/whitened/ridge=0.1 template=squares refine=0",
  "instahide-cross k=4/whitened/ridge=0.01 template=squares refine=0",
  "instahide-cross k=4/whitened/template=squares refine=0",
  "instahide-cross k=4/whitened/refine=0",
  "instahide-cross k=4/whitened/refine=1",
  "instahide-cross k=4/whitened/refine=2",
  "instahide-cross k=4/whitened/refine=2 starts=1",
  "instahide-cross k=4/whitened/refine=2 starts=2",
  "instahide-cross k=6/braverman/",
  "instahide-cross k=6/whitened/components=800 template=squares refine=0",
  "instahide-cross k=6/whitened/template=squares refine=0",
  "instahide-cross k=6/whitened/refine=0",
  "instahide-cross k=6/whitened/refine=1",
  "instahide-cross k=6/whitened/refine=2",
  "instahide-cross k=6/whitened/refine=4",
  "instahide-cross k=6/whitened/refine=4 starts=1",
  "instahide-cross k=6/whitened/refine=4 starts=2",
  "instahide-cross k=4 mask=no/inner-product/",
  "instahide-cross k=4 mask=no/whitened/transform=plain refine=0",
  "instahide-cross k=4 mask=no/whitened/transform=plain refine=2",
  "instahide-cross k=6 mask=no/whitened/transform=plain refine=0",
  "instahide-cross k=6 mask=no/whitened/transform=plain refine=4",
  "instahide-cross k=4 mask=no/whitened/transform=plain refine=2 starts=1",
  "instahide-cross k=6 mask=no/whitened/transform=plain refine=4 starts=1",
  "instahide-cross k=4/whitened-removal/partners=0",
  "instahide-cross k=4/whitened-removal/starts=1",
  "instahide-cross k=4/whitened-removal/starts=2",
  "instahide-cross k=6/whitened-removal/partners=0",
  "instahide-cross k=6/whitened-removal/starts=1",
  "instahide-cross k=6/whitened-removal/starts=2",
  "instahide-cross k=4 mask=no/whitened-removal/transform=plain partners=0",
  "instahide-cross k=4 mask=no/whitened-removal/transform=plain",
  "instahide-cross k=6 mask=no/whitened-removal/transform=plain partners=0",
  "instahide-cross k=6 mask=no/whitened-removal/transform=plain",
  "mixup variant=public-once k=4/whitened-removal/transform=plain partners=3",
  "mixup variant=public-once k=6/whitened-removal/transform=plain partners=5",
  NULL,
};

static const char *const ranks[]
    = { "partner-rank-median", "partner-hit-at-1", "partner-hit-at-10", "partners-found", NULL };
static const char *const likenesses[] = { "image-correlation", "image-correlation-above-50",
                                          "image-correlation-above-80", "image-ssim", NULL };

static void
open_data (const char *folder, AssayDataset *ret_dataset)
{
  static const char assignments[] = "images=cifar10/cifar10_train10k.bin test_share=0 "
                                    "public=photos/imagenet_patches32.bin scale=dataset";
  const AssayDatasetPlugin *plugin
      = (const AssayDatasetPlugin *) measure_plugin (ASSAY_PLUGIN_DATASET, "cifar");
  g_autoptr (AssaySettings) settings = measure_settings (&plugin->plugin, assignments);
  const char *const folders[] = { folder, NULL };
  const AssayDatasetContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (SEED, 0, "dataset", "bench"),
                                        .folders = folders };
  g_autoptr (GError) error = NULL;

  if (!plugin->open (&context, ret_dataset, &error))
    measure_stop (folder, error);
}

/* Sums of a few waves, and what is left in no direction. */
static AssayMatrix *
generate (const char *role, gsize n)
{
  const AssayStreamKey key = assay_stream_key (SEED, 0, role, "bench");
  AssayMatrix *images = assay_matrix_new (n, SIDE * SIDE, NULL);

  for (gsize i = 0; i < n; i++) {
    AssayStream stream = assay_stream (key, i);
    float *image = assay_matrix_row (images, i);

    for (gsize a = 0; a < SIDE * SIDE; a++)
      image[a] = (float) (0.1 * assay_stream_normal (&stream));
    for (gsize y = 0; y < 6; y++)
      for (gsize x = 0; x < 6; x++) {
        const double size = assay_stream_normal (&stream) / (double) (1 + x * x + y * y);
        const double phase = assay_stream_between (&stream, 0, 2 * G_PI);

        for (gsize a = 0; a < SIDE * SIDE; a++)
          image[a]
              += (float) (size
                          * cos (phase + G_PI / SIDE * (double) (a / SIDE * y + a % SIDE * x)));
      }
  }
  return images;
}

static void
report_measure (Report *report, const char *column, const AssayMeasure *measure,
                const AssayOutcomes *outcomes, int digits)
{
  const AssayInterval interval
      = assay_interval (measure, outcomes->series[measure->series], NULL, outcomes->n, 0.95,
                        assay_stream_key (SEED, 0, "interval", measure->name));

  report_interval (report, column, interval.estimate, interval.lower, interval.upper, digits);
}

static void
report_outcomes (Report *report, const AssayMetric *metric, const AssayOutcomes *outcomes)
{
  const gboolean is_link = g_str_equal (metric->plugin.id, "link-rank");
  const char *const *names = is_link ? ranks : likenesses;

  for (guint i = 0; names[i] != NULL; i++)
    for (const AssayMeasure *m = metric->measures; m->name != NULL; m++)
      if (g_str_equal (m->name, names[i])) {
        AssayMeasure upper = *m;

        report_measure (report, m->name, m, outcomes, is_link && i == 0 ? 1 : 3);
        upper.statistic = ASSAY_STATISTIC_UPPER_QUARTILE;
        if (is_link && i == 0)
          report_measure (report, "partner-rank-upper-quartile", &upper, outcomes, 1);
      }
}

static void
run_case (Report *report, const char *text, const AssayDataset *dataset, AssayView secrets)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 3);
  g_auto (GStrv) words = g_strsplit (parts[0], " ", 2);
  const AssayDefense *defense = (const AssayDefense *) measure_plugin (
      ASSAY_PLUGIN_DEFENSE, words[0] != NULL ? words[0] : "");
  const AssayAttack *attack = (const AssayAttack *) measure_plugin (
      ASSAY_PLUGIN_ATTACK, parts[1] != NULL ? parts[1] : "");
  g_autoptr (AssaySettings) defense_settings
      = measure_settings (&defense->plugin, words[0] == NULL || words[1] == NULL ? "" : words[1]);
  g_autoptr (AssaySettings) attack_settings
      = measure_settings (&attack->plugin, g_strv_length (parts) == 3 ? parts[2] : "");
  const gboolean is_link = attack->game == ASSAY_GAME_LINK;
  const AssayMetric *metric = (const AssayMetric *) measure_plugin (
      ASSAY_PLUGIN_METRIC, is_link ? "link-rank" : "image-recovery");
  g_autoptr (AssaySettings) settings
      = measure_settings (&metric->plugin, is_link ? "" : "of=private-part sign=free");
  const AssayKnowledge knowledge = { .public_rows = dataset->public_rows };
  g_autoptr (AssayRelease) release = NULL;
  g_autoptr (AssayTruth) truth = NULL;
  g_autoptr (AssayGuess) guess = NULL;
  g_autoptr (GError) error = NULL;
  const AssayMetricContext context = { .settings = settings->values };
  const AssayAttackContext playing = { .settings = attack_settings->values,
                                       .stream = assay_stream_key (SEED, 0, "attack", "bench") };
  AssayObservation seen = { .public_rows = dataset->public_rows };
  AssayOutcomes outcomes = { 0 };
  Moment start;
  Times times;

  if (!assay_step_protect (
          defense,
          &(AssayProtecting){ .settings = defense_settings,
                              .stream = assay_stream_key (SEED, 0, "defense", "bench"),
                              .common = assay_stream_key (SEED, 0, "defense", "common"),
                              .knowledge = &knowledge },
          &(AssaySecrets){ .rows = secrets, .geometry = dataset->geometry }, &release, &truth,
          &error))
    measure_stop (text, error);
  seen.release = release;
  guess = assay_guess_new ();
  start = measure_moment ();
  if (!attack->attack (&playing, &seen, guess, &error))
    measure_stop (text, error);
  times = measure_once (start);
  if (!metric->measure (&context, truth, guess, &outcomes, &error))
    measure_stop (text, error);
  report_case (report, "%s", text);
  report_outcomes (report, metric, &outcomes);
  report_times (report, "s", times);
  assay_outcomes_clear (&outcomes);
}

int
main (int argc, char **argv)
{
  g_autofree char *data = NULL;
  g_auto (GStrv) chosen = NULL;
  int n = SECRETS;
  const GOptionEntry own[] = {
    { "data", 0, 0, G_OPTION_ARG_STRING, &data, "Folder that holds cifar10 and photos", "FOLDER" },
    { "secrets", 0, 0, G_OPTION_ARG_INT, &n, "Private images, and mixtures", "N" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &chosen, NULL, NULL },
    G_OPTION_ENTRY_NULL,
  };
  g_auto (MeasureOptions) options = measure_options ("whitened", 1, own, argc, argv);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayMatrix) secrets = NULL;
  g_autofree char *about = NULL;
  g_autoptr (Report) report = NULL;
  const char *const *texts;
  AssayDataset dataset = { 0 };

  if (n < 2) {
    g_set_error (&error, ASSAY_ERROR, ASSAY_ERROR_PARAMETER, "expected two private images or more");
    measure_stop ("--secrets", error);
  }
  n = options.is_quick ? MIN (n, 20) : n;
  if (data == NULL)
    data = g_strdup (g_getenv ("ASSAY_DATA"));
  if (data != NULL) {
    open_data (data, &dataset);
  } else {
    dataset.secrets = assay_rows_take_matrix (generate ("secrets", (gsize) n));
    dataset.public_rows = assay_rows_take_matrix (generate ("public", GENERATED));
    dataset.geometry
        = (AssayGeometry){ .height = SIDE, .width = SIDE, .channels = 1, .black = -3, .white = 3 };
  }
  secrets = assay_matrix_new (MIN ((gsize) n, assay_rows_count (dataset.secrets)),
                              assay_rows_cols (dataset.secrets), &error);
  if (secrets == NULL)
    measure_stop ("secrets", error);
  assay_rows_read (dataset.secrets, 0, secrets->rows, ASSAY_SCALE_NONE, secrets->data);
  about
      = g_strdup_printf ("%s, %" G_GSIZE_FORMAT " mixtures, %" G_GSIZE_FORMAT " public images",
                         data != NULL ? "CIFAR-10 and patches of photographs" : "Generated images",
                         secrets->rows, assay_rows_count (dataset.public_rows));
  report = report_new (&options, SEED, about);
  texts = chosen != NULL ? (const char *const *) chosen : cases;
  for (guint i = 0; texts[i] != NULL; i++) {
    const gboolean is_first_of_game = i == 0 || strstr (texts[i - 1], "removal") == NULL;

    if (is_first_of_game && strstr (texts[i], "removal") != NULL)
      report_next_table (report);
    run_case (report, texts[i], &dataset, assay_matrix_view (secrets));
  }
  assay_dataset_clear (&dataset);
  return 0;
}
