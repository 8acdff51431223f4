/* What each step of the attacks `whitened` and `whitened-removal` gains: ranks of the public images
 * of mixtures, then
 * how like what is left without them is to the private images as they were mixed, up to its sign.
 *
 *   bench-whitened [--data FOLDER] [--secrets N] [--threads N] [DEFENSE/ATTACK/ASSIGNMENTS ...]
 *
 * Private images of CIFAR-10, each mixed once, and 3,718 public patches of photographs, from the
 * folder or ASSAY_DATA; without either, generated smooth images, which say little of real ones. An
 * argument like "instahide-cross k=6/whitened/refine=3" takes the place of the built-in cases: a
 * defense with its settings, an attack, and those of the attack. Ranks are of one public image of
 * each mixture, with 95 % intervals; `found` is the share of the p public images of a mixture that
 * are among the first p. Attacks that reconstruct have a table of their own. Seconds are by the
 * clock. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/interval.h"
#include "core/parallel.h"
#include "core/registry.h"
#include "runner/steps.h"

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
stop (const char *where, const GError *error)
{
  fprintf (stderr, "bench-whitened: %s: %s\n", where, error->message);
  exit (1);
}

static AssaySettings *
read_settings (const AssayPlugin *plugin, char **words)
{
  AssaySettings *settings = assay_settings_new (plugin->parameters, plugin->settings_size);

  for (guint i = 0; words[i] != NULL; i++) {
    g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);
    g_autoptr (GError) error = NULL;

    if (pair[0] != NULL && pair[1] != NULL
        && !assay_settings_set (settings, pair[0], pair[1], &error))
      stop (words[i], error);
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
  g_auto (GStrv) words = g_strsplit ("images=cifar10/cifar10_train10k.bin test_share=0 "
                                     "public=photos/imagenet_patches32.bin scale=dataset",
                                     " ", -1);
  const AssayDatasetPlugin *plugin
      = (const AssayDatasetPlugin *) find (ASSAY_PLUGIN_DATASET, "cifar");
  g_autoptr (AssaySettings) settings = read_settings (&plugin->plugin, words);
  const char *const folders[] = { folder, NULL };
  const AssayDatasetContext context = { .settings = settings->values,
                                        .stream = assay_stream_key (SEED, 0, "dataset", "bench"),
                                        .folders = folders };
  g_autoptr (GError) error = NULL;

  if (!plugin->open (&context, ret_dataset, &error))
    stop (folder, error);
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
print_interval (const char *format, const AssayMeasure *measure, const AssayOutcomes *outcomes)
{
  const AssayInterval interval
      = assay_interval (measure, outcomes->series[measure->series], NULL, outcomes->n, 0.95,
                        assay_stream_key (SEED, 0, "interval", measure->name));
  g_autofree char *text = NULL;

  text = g_strdup_printf (format[0] == 'r' ? "%.1f [%.1f, %.1f]" : "%.3f [%.3f, %.3f]",
                          interval.estimate, interval.lower, interval.upper);
  printf (" | %s", text);
}

static void
print_outcomes (const AssayMetric *metric, const AssayOutcomes *outcomes)
{
  const char *const *names = g_str_equal (metric->plugin.id, "link-rank") ? ranks : likenesses;

  for (guint i = 0; names[i] != NULL; i++)
    for (const AssayMeasure *m = metric->measures; m->name != NULL; m++)
      if (g_str_equal (m->name, names[i])) {
        AssayMeasure upper = *m;

        print_interval (names == ranks && i == 0 ? "rank" : "share", m, outcomes);
        upper.statistic = ASSAY_STATISTIC_UPPER_QUARTILE;
        if (names == ranks && i == 0)
          print_interval ("rank", &upper, outcomes);
      }
}

static void
run_case (const char *text, const AssayDataset *dataset, AssayView secrets)
{
  g_auto (GStrv) parts = g_strsplit (text, "/", 3);
  g_auto (GStrv) words = g_strsplit (parts[0], " ", -1);
  g_auto (GStrv) attack_words = g_strsplit (g_strv_length (parts) == 3 ? parts[2] : "", " ", -1);
  const AssayDefense *defense = (const AssayDefense *) find (ASSAY_PLUGIN_DEFENSE, words[0]);
  const AssayAttack *attack
      = (const AssayAttack *) find (ASSAY_PLUGIN_ATTACK, parts[1] != NULL ? parts[1] : "");
  g_autoptr (AssaySettings) defense_settings = read_settings (&defense->plugin, words + 1);
  g_autoptr (AssaySettings) attack_settings = read_settings (&attack->plugin, attack_words);
  const gboolean is_link = attack->game == ASSAY_GAME_LINK;
  const AssayMetric *metric
      = (const AssayMetric *) find (ASSAY_PLUGIN_METRIC, is_link ? "link-rank" : "image-recovery");
  g_auto (GStrv) metric_words = g_strsplit (is_link ? "" : "of=private-part sign=free", " ", -1);
  g_autoptr (AssaySettings) settings = read_settings (&metric->plugin, metric_words);
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
  gint64 start;

  if (!assay_step_protect (defense, defense_settings,
                           assay_stream_key (SEED, 0, "defense", "bench"),
                           assay_stream_key (SEED, 0, "defense", "common"),
                           &(AssaySecrets){ .rows = secrets, .geometry = dataset->geometry },
                           &knowledge, &release, &truth, &error))
    stop (text, error);
  seen.release = release;
  guess = assay_guess_new ();
  start = g_get_monotonic_time ();
  if (!attack->attack (&playing, &seen, guess, &error))
    stop (text, error);
  start = g_get_monotonic_time () - start;
  if (!metric->measure (&context, truth, guess, &outcomes, &error))
    stop (text, error);
  printf ("| %s", text);
  print_outcomes (metric, &outcomes);
  printf (" | %.1f |\n", (double) start / 1e6);
  fflush (stdout);
  assay_outcomes_clear (&outcomes);
}

int
main (int argc, char **argv)
{
  g_autofree char *data = NULL;
  g_auto (GStrv) chosen = NULL;
  int n = SECRETS, threads = 0;
  const GOptionEntry options[] = {
    { "data", 0, 0, G_OPTION_ARG_STRING, &data, "Folder that holds cifar10 and photos", "FOLDER" },
    { "secrets", 0, 0, G_OPTION_ARG_INT, &n, "Private images, and mixtures", "N" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &threads, "0: one per processor", "N" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &chosen, NULL, NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[DEFENSE/ATTACK/ASSIGNMENTS ...]");
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayMatrix) secrets = NULL;
  const char *const *texts;
  AssayDataset dataset = { 0 };

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    stop ("options", error);
  if (n < 2 || threads < 0) {
    fprintf (stderr, "bench-whitened: expected two private images or more, and no negative number "
                     "of threads\n");
    return 2;
  }
  assay_parallel_set_threads ((guint) threads);
  if (data == NULL)
    data = g_strdup (g_getenv ("ASSAY_DATA"));
  if (data != NULL) {
    open_data (data, &dataset);
  } else {
    dataset.secrets = assay_rows_take_matrix (generate ("secrets", (gsize) n));
    dataset.public_rows = assay_rows_take_matrix (generate ("public", GENERATED));
    dataset.geometry = (AssayGeometry){ SIDE, SIDE, 1, -3, 3 };
  }
  secrets = assay_matrix_new (MIN ((gsize) n, assay_rows_count (dataset.secrets)),
                              assay_rows_cols (dataset.secrets), &error);
  if (secrets == NULL)
    stop ("secrets", error);
  assay_rows_read (dataset.secrets, 0, secrets->rows, ASSAY_SCALE_NONE, secrets->data);
  printf ("%s, %" G_GSIZE_FORMAT " mixtures, %" G_GSIZE_FORMAT " public images, seed %d, %u "
          "threads\n\n| case | rank, median | rank, upper quartile | hit@1 | hit@10 | found | "
          "seconds |\n| --- | --- | --- | --- | --- | --- | --- |\n",
          data != NULL ? "CIFAR-10 and patches of photographs" : "Generated images", secrets->rows,
          assay_rows_count (dataset.public_rows), SEED, assay_parallel_threads ());
  texts = chosen != NULL ? (const char *const *) chosen : cases;
  for (guint i = 0; texts[i] != NULL; i++)
    run_case (texts[i], &dataset, assay_matrix_view (secrets));
  assay_dataset_clear (&dataset);
  return 0;
}
